//! Bit-vector operations as gates over lists of literals, lowest bit first.

use crate::circuit::Circuit;
use batsat::Lit;

#[derive(Clone, Copy)]
pub(crate) enum Direction {
    Left,
    Right,
}

/// The bits of a word, lowest first.
pub(crate) type Word = Vec<Lit>;

impl Circuit {
    pub(crate) fn fresh_word(&mut self, width: usize) -> Word {
        (0..width).map(|_| self.fresh()).collect()
    }

    /// The values of the bits in the model. Only valid after [`Self::solve`] returned `Some(true)`.
    pub(crate) fn values(&self, word: &[Lit]) -> Vec<bool> {
        word.iter().map(|bit| self.value(*bit)).collect()
    }

    pub(crate) fn zero(&self, width: usize) -> Word {
        vec![self.constant(false); width]
    }

    pub(crate) fn bitwise(&mut self, one: &[Lit], other: &[Lit], gate: fn(&mut Self, Lit, Lit) -> Lit) -> Word {
        one.iter().zip(other).map(|(one, other)| gate(self, *one, *other)).collect()
    }

    pub(crate) fn words_equal(&mut self, one: &[Lit], other: &[Lit]) -> Lit {
        let equal = self.bitwise(one, other, Self::equal);
        self.all(equal)
    }

    pub(crate) fn choose_word(&mut self, condition: Lit, one: &[Lit], other: &[Lit]) -> Word {
        one.iter().zip(other).map(|(one, other)| self.choose(condition, *one, *other)).collect()
    }

    /// Returns the sum and the carry.
    pub(crate) fn add_words(&mut self, one: &[Lit], other: &[Lit], mut carry: Lit) -> (Word, Lit) {
        let mut sum = vec![];
        for (a, b) in one.iter().zip(other) {
            let half = self.xor(*a, *b);
            sum.push(self.xor(half, carry));
            let both = self.and(*a, *b);
            let passed = self.and(half, carry);
            carry = self.or(both, passed);
        }
        (sum, carry)
    }

    pub(crate) fn negate(&mut self, word: &[Lit]) -> Word {
        let flipped: Word = word.iter().map(|bit| !*bit).collect();
        let zero = self.zero(word.len());
        let yes = self.constant(true);
        self.add_words(&flipped, &zero, yes).0
    }

    pub(crate) fn subtract(&mut self, one: &[Lit], other: &[Lit]) -> Word {
        let flipped: Word = other.iter().map(|bit| !*bit).collect();
        let yes = self.constant(true);
        self.add_words(one, &flipped, yes).0
    }

    pub(crate) fn multiply(&mut self, one: &[Lit], other: &[Lit]) -> Word {
        let width = one.len();
        let mut sum = self.zero(width);
        for (shift, bit) in other.iter().enumerate() {
            if self.is_full() {
                break;
            }
            let mut row = self.zero(shift);
            for digit in &one[..width - shift] {
                row.push(self.and(*digit, *bit));
            }
            let no = self.constant(false);
            sum = self.add_words(&sum, &row, no).0;
        }
        sum
    }

    /// Whether the first word is less than the second, as unsigned numbers.
    pub(crate) fn below(&mut self, one: &[Lit], other: &[Lit]) -> Lit {
        // Subtraction borrows exactly if adding the complement has no carry.
        let flipped: Word = other.iter().map(|bit| !*bit).collect();
        let yes = self.constant(true);
        !self.add_words(one, &flipped, yes).1
    }

    /// Whether the first word is less than the second, as signed numbers. With flipped sign bits this is the unsigned
    /// order.
    pub(crate) fn signed_below(&mut self, one: &[Lit], other: &[Lit]) -> Lit {
        let turned = |word: &[Lit]| {
            let mut word = word.to_vec();
            if let Some(sign) = word.last_mut() {
                *sign = !*sign;
            }
            word
        };
        self.below(&turned(one), &turned(other))
    }

    /// Returns the quotient and the remainder of unsigned numbers. If the divisor is zero, the quotient is all ones and
    /// the remainder is the dividend, as SMT-LIB defines it.
    pub(crate) fn divide(&mut self, one: &[Lit], other: &[Lit]) -> (Word, Word) {
        let width = one.len();
        // Long division. The shifted remainder may need one more bit.
        let no = self.constant(false);
        let mut divisor = other.to_vec();
        divisor.push(no);
        let mut rest = self.zero(width + 1);
        let mut quotient = self.zero(width);
        for bit in (0..width).rev() {
            if self.is_full() {
                break;
            }
            rest.pop();
            rest.insert(0, one[bit]);
            let fits = !self.below(&rest, &divisor);
            let less = self.subtract(&rest, &divisor);
            rest = self.choose_word(fits, &less, &rest);
            quotient[bit] = fits;
        }
        rest.truncate(width);
        // A zero divisor fits in every step and subtracts nothing, which yields the required result.
        (quotient, rest)
    }

    fn absolute(&mut self, word: &[Lit]) -> Word {
        let negated = self.negate(word);
        self.choose_word(word[word.len() - 1], &negated, word)
    }

    pub(crate) fn signed_divide(&mut self, one: &[Lit], other: &[Lit]) -> Word {
        let (a, b) = (self.absolute(one), self.absolute(other));
        let quotient = self.divide(&a, &b).0;
        let negated = self.negate(&quotient);
        let differ = self.xor(one[one.len() - 1], other[other.len() - 1]);
        self.choose_word(differ, &negated, &quotient)
    }

    /// The remainder with the sign of the dividend.
    pub(crate) fn signed_remainder(&mut self, one: &[Lit], other: &[Lit]) -> Word {
        let (a, b) = (self.absolute(one), self.absolute(other));
        let rest = self.divide(&a, &b).1;
        let negated = self.negate(&rest);
        self.choose_word(one[one.len() - 1], &negated, &rest)
    }

    /// The remainder with the sign of the divisor.
    pub(crate) fn signed_modulo(&mut self, one: &[Lit], other: &[Lit]) -> Word {
        let rest = self.signed_remainder(one, other);
        let no = self.constant(false);
        let moved = self.add_words(&rest, other, no).0;
        let zero = self.zero(one.len());
        let is_zero = self.words_equal(&rest, &zero);
        let differ = self.xor(one[one.len() - 1], other[other.len() - 1]);
        let moves = self.and(differ, !is_zero);
        self.choose_word(moves, &moved, &rest)
    }

    /// Shifts a word by another. `filling` is shifted in.
    pub(crate) fn shift(&mut self, word: &[Lit], by: &[Lit], direction: Direction, filling: Lit) -> Word {
        let width = word.len();
        let mut shifted = word.to_vec();
        for (bit, moves) in by.iter().enumerate() {
            let step = if bit < 31 { 1_usize << bit } else { usize::MAX };
            let source = |at: usize| match direction {
                Direction::Left => at.checked_sub(step),
                Direction::Right => at.checked_add(step).filter(|at| *at < width),
            };
            let moved: Word = (0..width).map(|at| source(at).map_or(filling, |from| shifted[from])).collect();
            shifted = self.choose_word(*moves, &moved, &shifted);
        }
        shifted
    }

    /// Rotates a word left by another.
    pub(crate) fn rotate(&mut self, word: &[Lit], by: &[Lit]) -> Word {
        let width = word.len();
        let mut rotated = word.to_vec();
        // Each bit of the amount rotates by a power of two, modulo the width.
        let mut step = 1 % width;
        for moves in by {
            let moved: Word = (0..width).map(|at| rotated[(at + width - step) % width]).collect();
            rotated = self.choose_word(*moves, &moved, &rotated);
            step = step * 2 % width;
        }
        rotated
    }
}
