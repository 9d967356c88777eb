//! The random number generator of the official scrambler.

/// A linear congruential generator with 64 bits of state. The official code intends to keep 48 bits, but clears only
/// bit 49, and its output depends on that.
#[derive(Clone, Debug)]
pub(crate) struct Generator {
    state: u64,
}

impl Generator {
    pub(crate) fn new(seed: u32) -> Self {
        Self { state: u64::from(seed) }
    }

    /// Draws a number below `bound`, which must be positive.
    pub(crate) fn draw(&mut self, bound: usize) -> usize {
        self.state = self.state.wrapping_mul(25_214_903_917).wrapping_add(11) & !(1 << 49);
        ((self.state >> 16) % bound as u64) as usize
    }

    /// Shuffles items from the end, one draw per item except the first.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.draw(last + 1);
            items.swap(last, other);
        }
    }
}
