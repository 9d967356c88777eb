//! What is still to be run, small enough for millions of pairs.

use agon_domain::{Digest, EntrantName, Pair, PairId, Prepared};

/// The pairs without an outcome, and the tables that they point into.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    /// Entrants and their versions, by name.
    pub entrants: Vec<(EntrantName, Digest)>,
    /// Prepared benchmarks, by path.
    pub prepared: Vec<Prepared>,
    /// The pairs, benchmark by benchmark.
    pub pending: Vec<Pending>,
}

/// A pair to be run.
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

/// The place of an entrant in a [`Queue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntrantIx(pub u32);

/// The place of a prepared benchmark in a [`Queue`].
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
