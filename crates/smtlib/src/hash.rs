//! Hashes for the tables of this crate. Each process has its own seed, so that no file can be crafted to cause
//! collisions.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

static SEEDS: LazyLock<[u64; 2]> = LazyLock::new(|| {
    let state = RandomState::new();
    [state.hash_one(1), state.hash_one(2) | 1]
});

/// Multiplies and folds the upper half of the product into the lower.
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product as u64) ^ (product >> 64) as u64
}

/// Packs at most eight bytes into a word. Different texts of the same length have different words. Most names are this
/// short.
pub(crate) fn word_of(bytes: &[u8]) -> u64 {
    let half = |half: &[u8; 4]| u64::from(u32::from_le_bytes(*half));
    match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => half(first) | half(last) << 32,
        _ => bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// A hash being computed.
#[derive(Clone, Copy, Debug)]
pub struct Hash {
    so_far: u64,
    seed: u64,
}

impl Hash {
    /// The hash of empty input.
    #[allow(clippy::new_without_default, reason = "a default would be the same in each process")]
    pub fn new() -> Self {
        let [so_far, seed] = *SEEDS;
        Self { so_far, seed }
    }

    /// The final hash for tables, whose upper and lower bits must both be well mixed.
    pub fn spread(short: u32) -> u64 {
        u64::from(short).wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }

    #[must_use]
    pub(crate) fn with(self, word: u64) -> Self {
        Self { so_far: fold(self.so_far ^ word, self.seed), ..self }
    }

    /// The current value, without the final mixing. Sufficient for the hash of a single word.
    pub(crate) fn so_far(self) -> u64 {
        self.so_far
    }

    #[must_use]
    pub(crate) fn with_each(self, words: [u64; 3]) -> Self {
        words.into_iter().fold(self, Self::with)
    }

    #[must_use]
    pub(crate) fn with_bytes(self, bytes: &[u8]) -> Self {
        let mut hash = self;
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            hash = hash.with(u64::from_le_bytes(*word));
        }
        hash.with(word_of(rest) ^ (bytes.len() as u64) << 56)
    }
}

impl Hasher for Hash {
    fn write(&mut self, bytes: &[u8]) {
        *self = self.with_bytes(bytes);
    }

    fn write_u8(&mut self, number: u8) {
        *self = self.with(number.into());
    }

    fn write_u32(&mut self, number: u32) {
        *self = self.with(number.into());
    }

    fn write_u64(&mut self, number: u64) {
        *self = self.with(number);
    }

    fn write_usize(&mut self, number: usize) {
        *self = self.with(number as u64);
    }

    fn finish(&self) -> u64 {
        fold(self.so_far, self.seed)
    }
}
