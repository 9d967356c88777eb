//! The scrambler's own random number generator.

/// A linear congruential generator on 64 bits. It was meant to keep 48 of them, but clears only bit 49, and the output
/// depends on that.
#[derive(Clone, Debug)]
pub(crate) struct Generator {
    state: u64,
}

impl Generator {
    pub(crate) fn new(seed: u32) -> Self {
        Self { state: u64::from(seed) }
    }

    /// A number below `bound`, which is not 0.
    pub(crate) fn draw(&mut self, bound: usize) -> usize {
        self.state = self.state.wrapping_mul(25_214_903_917).wrapping_add(11) & !(1 << 49);
        ((self.state >> 16) % bound as u64) as usize
    }

    /// Shuffles from the end. A single item draws no number.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.draw(last + 1);
            items.swap(last, other);
        }
    }
}
