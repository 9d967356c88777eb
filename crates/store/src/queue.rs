//! Pending pairs, in a compact form, since there can be millions.

use agon_domain::{Digest, EntrantName, Limits, Pair, PairId, Prepared};

/// The pairs without an outcome, and the tables that they index.
#[derive(Clone, Debug, Default)]
pub struct Queue {
    /// The entrants and their versions, sorted by name.
    pub entrants: Vec<(EntrantName, Digest)>,
    /// The prepared benchmarks, sorted by path.
    pub prepared: Vec<Prepared>,
    /// The limits of the runs.
    pub limits: Vec<Limits>,
    /// The pairs, sorted by benchmark.
    pub pending: Vec<Pending>,
}

/// A pending pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    /// The number of the pair.
    pub pair: PairId,
    /// The number of the next attempt.
    pub attempt: u32,
    /// The index of the entrant.
    pub entrant: EntrantIx,
    /// The index of the prepared benchmark.
    pub prepared: PreparedIx,
    /// The index of the limits under which it must be run.
    pub limits: LimitsIx,
}

/// The index of an entrant in a [`Queue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntrantIx(pub u32);

/// The index of a prepared benchmark in a [`Queue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PreparedIx(pub u32);

/// The index of limits in a [`Queue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LimitsIx(pub u32);

impl Queue {
    /// The limits of a pending pair.
    pub fn limits(&self, pending: &Pending) -> &Limits {
        &self.limits[pending.limits.0 as usize]
    }

    /// The entrant of a pending pair, and its version.
    pub fn entrant(&self, pending: &Pending) -> &(EntrantName, Digest) {
        &self.entrants[pending.entrant.0 as usize]
    }

    /// The prepared benchmark of a pending pair.
    pub fn prepared(&self, pending: &Pending) -> &Prepared {
        &self.prepared[pending.prepared.0 as usize]
    }

    /// The pending pair with its entrant and benchmark filled in.
    pub fn pair(&self, pending: &Pending) -> Pair {
        let (entrant, version) = self.entrant(pending).clone();
        Pair { id: pending.pair, entrant, version, prepared: self.prepared(pending).clone() }
    }
}
