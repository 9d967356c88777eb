//! The Mersenne Twister as in Python 3, which the organizers' scripts of 2019 to 2023 used.

const WORDS: usize = 624;
const SHIFT: usize = 397;

/// The generator of Python's `random` module: MT19937.
#[derive(Clone)]
pub struct PythonRandom {
    state: [u32; WORDS],
    at: usize,
}

impl PythonRandom {
    /// The state after `random.seed(seed)`.
    pub fn new(seed: u32) -> Self {
        // This is init_by_array: the state is filled from a constant, then mixed with the words of the seed. A 32-bit
        // seed has only one.
        let mut state = [0_u32; WORDS];
        state[0] = 19_650_218;
        for at in 1..WORDS {
            state[at] = mixed(state[at - 1]).wrapping_mul(1_812_433_253).wrapping_add(at as u32);
        }
        let mut at = 1;
        let step = |at: &mut usize, state: &mut [u32; WORDS]| {
            *at += 1;
            if *at == WORDS {
                state[0] = state[WORDS - 1];
                *at = 1;
            }
        };
        for _ in 0..WORDS {
            state[at] = (state[at] ^ mixed(state[at - 1]).wrapping_mul(1_664_525)).wrapping_add(seed);
            step(&mut at, &mut state);
        }
        for _ in 1..WORDS {
            state[at] = (state[at] ^ mixed(state[at - 1]).wrapping_mul(1_566_083_941)).wrapping_sub(at as u32);
            step(&mut at, &mut state);
        }
        state[0] = 0x8000_0000;
        Self { state, at: WORDS }
    }

    /// The next 32 bits.
    pub fn next_number(&mut self) -> u32 {
        if self.at == WORDS {
            self.twist();
        }
        let mut word = self.state[self.at];
        self.at += 1;
        word ^= word >> 11;
        word ^= word << 7 & 0x9d2c_5680;
        word ^= word << 15 & 0xefc6_0000;
        word ^ word >> 18
    }

    fn twist(&mut self) {
        for at in 0..WORDS {
            let (this, next) = (self.state[at], self.state[(at + 1) % WORDS]);
            let joined = this & 0x8000_0000 | next & 0x7fff_ffff;
            let odd = if joined & 1 == 1 { 0x9908_b0df } else { 0 };
            self.state[at] = self.state[(at + SHIFT) % WORDS] ^ joined >> 1 ^ odd;
        }
        self.at = 0;
    }

    /// Draws a number below `bound` as `random.choice` does: takes as many upper bits as `bound` has, and retries until
    /// the result is below it.
    pub fn below(&mut self, bound: usize) -> usize {
        let bits = usize::BITS - bound.leading_zeros();
        debug_assert!((1..=32).contains(&bits), "lists have from 1 to 2^32 - 1 items");
        loop {
            let drawn = (self.next_number() >> (32 - bits)) as usize;
            if drawn < bound {
                return drawn;
            }
        }
    }
}

fn mixed(word: u32) -> u32 {
    word ^ word >> 30
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_python_for_the_published_seeds() {
        for (seed, numbers, draws) in [
            (
                912_681_576,
                [2_387_138_922, 78_304_005, 3_982_298_556, 1_883_467_415, 1_043_455_246, 212_253_242],
                [0, 1, 0, 0, 0, 68, 89, 5756, 13145, 42216],
            ),
            (
                332_349_782,
                [2_273_399_464, 2_504_071_479, 3_922_513_761, 3_090_769_751, 94_445_663, 3_261_555_644],
                [0, 1, 0, 1, 1, 69, 109, 5318, 9114, 14259],
            ),
        ] {
            let mut random = PythonRandom::new(seed);
            assert_eq!(numbers.map(|_| random.next_number()), numbers);
            let mut random = PythonRandom::new(seed);
            let bounds = [1, 2, 3, 7, 10, 100, 1000, 12345, 40000, 65536];
            assert_eq!(bounds.map(|bound| random.below(bound)), draws);
        }
    }
}
