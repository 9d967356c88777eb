//! Pairs of an entrant and a benchmark, and their limits.

use crate::{BenchmarkPath, Digest, EntrantName, Logic, Status, Time, Track};
use serde::{Deserialize, Serialize};
use std::fmt;

/// The limits of one run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Wall-clock limit T in seconds (R19-5.19).
    #[serde(rename = "wall_s")]
    pub wall: Time,
    /// Memory for the whole process tree.
    pub memory_bytes: u64,
    /// Processor cores for one run. The CPU limit is this number times T (R19-7.1).
    pub cores: u32,
    /// Bytes of output that are read and kept.
    pub output_bytes: u64,
    /// Bytes of disk space in the working directory, which count as memory too. By default half of the memory limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disk_bytes: Option<u64>,
    /// The number of simultaneous processes and threads.
    #[serde(default = "Limits::usual_processes")]
    pub processes: u64,
}

impl Limits {
    /// Limits with this time, memory and number of cores, and defaults for the rest.
    pub const fn new(wall: Time, memory_bytes: u64, cores: u32) -> Self {
        let processes = Self::usual_processes();
        Self { wall, memory_bytes, cores, output_bytes: 64 << 20, disk_bytes: None, processes }
    }

    /// The default limit on processes: enough for any solver, and too few to exhaust the machine's pids.
    const fn usual_processes() -> u64 {
        4096
    }

    /// The CPU limit mT (R19-7.1).
    pub fn cpu(&self) -> Time {
        Time::from_nanos(self.wall.as_nanos().saturating_mul(u64::from(self.cores)))
    }
}

/// A benchmark prepared for a track: the bytes that a solver sees.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// The benchmark in the library that the file was made from.
    pub benchmark: BenchmarkPath,
    /// The track that the file was prepared for.
    pub track: Track,
    /// The benchmark's logic, which determines the division.
    pub logic: Logic,
    /// The digest of the prepared file.
    pub digest: Digest,
    /// The status of the benchmark. The prepared file does not contain it, so correcting it requires no new run.
    pub status: Status,
}

/// The number of a pair within its competition. It never changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PairId(pub i64);

impl fmt::Display for PairId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// One entrant on one prepared benchmark in one track.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The number of the pair.
    pub id: PairId,
    /// The name of the entrant.
    pub entrant: EntrantName,
    /// The version of the entrant: the digest of its files, command and working directory.
    pub version: Digest,
    /// The benchmark that the entrant runs on.
    pub prepared: Prepared,
}
