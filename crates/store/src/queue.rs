//! Pending pairs, compact enough for millions of them.

use agon_domain::{Digest, EntrantName, Pair, PairId, Prepared};

/// The pairs without an outcome, and the tables that they refer to.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    /// Entrants and their versions, by name.
    pub entrants: Vec<(EntrantName, Digest)>,
    /// Prepared benchmarks, by path.
    pub prepared: Vec<Prepared>,
    /// The pairs, in the order of benchmarks.
    pub pending: Vec<Pending>,
}

/// A pending pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    /// Its number.
    pub pair: PairId,
    /// The number of its next attempt.
    pub attempt: u32,
    /// Its entrant.
    pub entrant: EntrantIx,
    /// Its prepared benchmark.
    pub prepared: PreparedIx,
}

/// The index of an entrant in a [`Queue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntrantIx(pub u32);

/// The index of a prepared benchmark in a [`Queue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PreparedIx(pub u32);

impl Queue {
    /// The entrant of a pair.
    pub fn entrant(&self, pending: &Pending) -> &(EntrantName, Digest) {
        &self.entrants[pending.entrant.0 as usize]
    }

    /// The prepared benchmark of a pair.
    pub fn prepared(&self, pending: &Pending) -> &Prepared {
        &self.prepared[pending.prepared.0 as usize]
    }

    /// The whole pair.
    pub fn pair(&self, pending: &Pending) -> Pair {
        let (entrant, version) = self.entrant(pending).clone();
        Pair { id: pending.pair, entrant, version, prepared: self.prepared(pending).clone() }
    }
}
