//! Narrows an interval around a root of a polynomial, by quadratic interval refinement (Abbott) with integers.

use crate::algebraic::{Interval, Polynomial};
use dashu_base::{BitTest, Signed};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

/// An interval around the only root between two numbers, narrowed to this many bits after the point. The polynomial
/// must be square-free.
pub(crate) fn narrowed(polynomial: &Polynomial, low: &RBig, high: &RBig, bits: usize) -> Interval {
    let (mut low, mut high) = (low.clone(), high.clone());
    // An end may be another root. If so, bisect by counting roots until neither end is a root.
    while polynomial.at(&low) == RBig::ZERO || polynomial.at(&high) == RBig::ZERO {
        let middle = (low.clone() + &high) / RBig::from(2);
        if polynomial.at(&middle) == RBig::ZERO && polynomial.roots_between(&low, &middle) > 0 {
            return Interval::at(middle);
        }
        if polynomial.roots_between(&low, &middle) > 0 { high = middle } else { low = middle }
    }
    match Cell::inside(polynomial, &low, &high) {
        Ok(cell) => cell.narrowed(bits),
        Err(root) => Interval::at(root),
    }
}

/// An interval around a root: from `at` to `at + 1`, both divided by two to the power of `bits`.
struct Cell<'a> {
    polynomial: &'a Polynomial,
    at: IBig,
    bits: usize,
}

/// A number divided by two to the power of `bits`.
fn over(number: IBig, bits: usize) -> RBig {
    RBig::from_parts(number, UBig::ONE << bits)
}

/// The value of a polynomial at a number divided by two to the power of `bits`, scaled to an integer. Only its sign and
/// its ratio to other such values matter.
fn scaled(polynomial: &Polynomial, number: &IBig, bits: usize) -> IBig {
    let mut value = IBig::ZERO;
    for (at, coefficient) in polynomial.coefficients().iter().rev().enumerate() {
        value = value * number + (coefficient.clone() << (at * bits));
    }
    value
}

impl<'a> Cell<'a> {
    /// A cell between two numbers at which the polynomial has different signs. The error is the root itself, if the
    /// search happens to hit it.
    fn inside(polynomial: &'a Polynomial, low: &RBig, high: &RBig) -> Result<Self, RBig> {
        let is_negative_below = polynomial.at(low).is_negative();
        let width = high.clone() - low;
        let mut bits = width.denominator().bit_len().saturating_sub(width.numerator().bit_len()) + 4;
        loop {
            let scale = RBig::from(UBig::ONE << bits);
            let (first, last): (IBig, IBig) = ((low * &scale).ceil(), (high * &scale).floor());
            let (mut below, mut above) = (first.clone() - IBig::ONE, last.clone() + IBig::ONE);
            while &above - &below > IBig::ONE {
                let middle: IBig = (&below + &above) >> 1;
                let value = scaled(polynomial, &middle, bits);
                if value == IBig::ZERO {
                    return Err(over(middle, bits));
                }
                if value.is_negative() == is_negative_below { below = middle } else { above = middle }
            }
            if below >= first && above <= last {
                return Ok(Self { polynomial, at: below, bits });
            }
            bits += 8;
        }
    }

    /// Divides the cell into parts, and guesses by linear interpolation which one contains the root. A correct guess
    /// doubles the bits of the next step, a wrong one halves them.
    fn narrowed(mut self, bits: usize) -> Interval {
        let mut step = 2;
        while self.bits < bits {
            step = step.min(bits - self.bits);
            let low = scaled(self.polynomial, &self.at, self.bits);
            let high = scaled(self.polynomial, &(&self.at + IBig::ONE), self.bits);
            let parts = IBig::ONE << step;
            let guess: IBig = (&low * &parts) / (&low - &high);
            let base = self.at.clone() << step;
            let sign = |place: &IBig| scaled(self.polynomial, &(&base + place), self.bits + step);
            let is_below = |value: &IBig| value.sign() == low.sign();
            let here = sign(&guess);
            if here == IBig::ZERO {
                return Interval::at(over(base + guess, self.bits + step));
            }
            // The guess was rounded down, so the root may be in the part on either side of it.
            let (mut from, forward) = (guess.clone(), is_below(&here));
            let next = if forward { &guess + IBig::ONE } else { &guess - IBig::ONE };
            if !forward {
                from = next.clone();
            }
            let there = sign(&next);
            if there == IBig::ZERO {
                return Interval::at(over(base + next, self.bits + step));
            }
            if is_below(&there) != forward {
                (self.at, self.bits) = (base + from, self.bits + step);
                step *= 2;
            } else if step > 1 {
                step /= 2;
            } else {
                // With the smallest step, bisect.
                let middle = (self.at.clone() << 1) + IBig::ONE;
                let value = scaled(self.polynomial, &middle, self.bits + 1);
                if value == IBig::ZERO {
                    return Interval::at(over(middle, self.bits + 1));
                }
                let is_right = value.sign() == low.sign();
                self.at = if is_right { middle } else { middle - IBig::ONE };
                self.bits += 1;
                step = 2;
            }
        }
        Interval { low: over(self.at.clone(), self.bits), high: over(self.at + IBig::ONE, self.bits) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_narrowed_to_any_width() {
        let polynomial = |coefficients: &[i64]| {
            Polynomial::new(&coefficients.iter().map(|c| RBig::from(*c)).collect::<Vec<_>>()).unwrap()
        };
        for (coefficients, low, high) in [
            (&[-2, 0, 1][..], (1, 1), (2, 1)),
            (&[-2, 0, 1], (-2, 1), (0, 1)),
            (&[4, 0, 0, -6, 0, 0, 1], (9, 10), (1, 1)),
            (&[-1, 0, 0, 0, 0, 0, 0, 1000], (0, 1), (1, 1)),
            // The ends are roots themselves: x (x² - 2) (x - 2).
            (&[0, 4, -2, -2, 1], (0, 1), (2, 1)),
            (&[-1, 3], (0, 1), (1, 1)),
            (&[-3, 2], (1, 1), (2, 1)),
        ] {
            let polynomial = polynomial(coefficients);
            let rational = |(a, b): (i64, i64)| RBig::from(a) / RBig::from(b);
            for bits in [1, 10, 64, 3000] {
                let Interval { low, high } = narrowed(&polynomial, &rational(low), &rational(high), bits);
                assert!(&high - &low <= over(IBig::ONE, bits), "{coefficients:?} {bits}");
                let (a, b) = (polynomial.at(&low), polynomial.at(&high));
                assert!(
                    low == high && a == RBig::ZERO || a.is_negative() != b.is_negative(),
                    "{coefficients:?} {bits}"
                );
            }
        }
    }
}
