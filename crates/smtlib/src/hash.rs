//! Hashes for our own tables. They are seeded anew in each process, so that no file can be written to collide.

use std::hash::{BuildHasher, RandomState};
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

/// Fewer than eight bytes as a word, different for different bytes of one length. Most names are that short.
fn word_of(bytes: &[u8]) -> u64 {
    let half = |half: &[u8; 4]| u64::from(u32::from_le_bytes(*half));
    match (bytes.first_chunk(), bytes.last_chunk()) {
        (Some(first), Some(last)) => half(first) | half(last) << 32,
        _ => bytes.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// A hash that is being computed.
#[derive(Clone, Copy)]
pub(crate) struct Hash {
    so_far: u64,
    seed: u64,
}

impl Hash {
    pub(crate) fn new() -> Self {
        let [so_far, seed] = *SEEDS;
        Self { so_far, seed }
    }

    #[must_use]
    pub(crate) fn with(self, word: u64) -> Self {
        Self { so_far: fold(self.so_far ^ word, self.seed), ..self }
    }

    #[must_use]
    pub(crate) fn with_each(self, words: [u64; 3]) -> Self {
        words.into_iter().fold(self, Self::with)
    }

    #[must_use]
    pub(crate) fn with_bytes(self, bytes: &[u8]) -> Self {
        let mut hash = self.with(bytes.len() as u64);
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            hash = hash.with(u64::from_le_bytes(*word));
        }
        hash.with(word_of(rest))
    }

    pub(crate) fn finish(self) -> u64 {
        fold(self.so_far, self.seed)
    }
}
