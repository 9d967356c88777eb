//! The `random()` of the C library, which the rules prescribe as the source of randomness (R08-4.21, R19-6.10).

/// glibc's default generator: an additive feedback generator with 31 words of state, seeded by `srandom(seed)`.
#[derive(Clone, Debug)]
pub struct CRandom {
    state: [u32; 31],
    front: usize,
    rear: usize,
}

impl CRandom {
    /// The state after `srandom(seed)`.
    pub fn new(seed: u32) -> Self {
        let mut state = [0; 31];
        // Word 0 is the seed as a signed number. Each further word is 16807 times its predecessor modulo 2^31 - 1,
        // computed by Schrage's method with truncating division, as in glibc.
        let mut word = i64::from(if seed == 0 { 1 } else { seed } as i32);
        state[0] = word as u32;
        for slot in &mut state[1..] {
            word = 16807 * (word % 127_773) - 2836 * (word / 127_773);
            if word < 0 {
                word += 2_147_483_647;
            }
            *slot = word as u32;
        }
        let mut generator = Self { state, front: 3, rear: 0 };
        for _ in 0..310 {
            generator.next_number();
        }
        generator
    }

    /// Returns the next value of `random()`, a number below 2^31.
    pub fn next_number(&mut self) -> u32 {
        let word = self.state[self.front].wrapping_add(self.state[self.rear]);
        self.state[self.front] = word;
        self.front = (self.front + 1) % 31;
        self.rear = (self.rear + 1) % 31;
        word >> 1
    }

    /// Returns `random() % bound`, which is how the organizers' programs draw from a range.
    pub fn below(&mut self, bound: usize) -> usize {
        self.next_number() as usize % bound
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r08_4_21_first_numbers_of_seed_one() {
        let mut generator = CRandom::new(1);
        let first: Vec<u32> = (0..4).map(|_| generator.next_number()).collect();
        assert_eq!(first, [1_804_289_383, 846_930_886, 1_681_692_777, 1_714_636_915]);
    }

    #[test]
    fn seed_zero_equals_seed_one() {
        assert_eq!(CRandom::new(0).next_number(), CRandom::new(1).next_number());
    }
}
