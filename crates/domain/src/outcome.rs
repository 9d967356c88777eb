//! What happened in a run, without judgement.

use crate::time::nanos;
use crate::{Digest, Limits, PairId, Time};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// It exited with this code.
    Exit(i32),
    /// This signal ended it.
    Signal(i32),
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exit(code) => write!(f, "exit {code}"),
            Self::Signal(number) => write!(f, "signal {number}"),
        }
    }
}

/// The limit that ended a run, or that it reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// Wall-clock time.
    Wall,
    /// CPU time over the process tree.
    Cpu,
    /// Memory of the process tree.
    Memory,
    /// Bytes of output.
    Output,
    /// Bytes in the working directory.
    Disk,
    /// Processes at a time.
    Processes,
}

impl Limit {
    /// Its name in files and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wall => "wall",
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Output => "output",
            Self::Disk => "disk",
            Self::Processes => "processes",
        }
    }
}

/// A word that does not name a limit.
#[derive(Debug, thiserror::Error)]
#[error("no limit is called '{0}'")]
pub struct UnknownLimit(String);

impl FromStr for Limit {
    type Err = UnknownLimit;

    fn from_str(word: &str) -> Result<Self, UnknownLimit> {
        match word {
            "wall" => Ok(Self::Wall),
            "cpu" => Ok(Self::Cpu),
            "memory" => Ok(Self::Memory),
            "output" => Ok(Self::Output),
            "disk" => Ok(Self::Disk),
            "processes" => Ok(Self::Processes),
            other => Err(UnknownLimit(other.to_owned())),
        }
    }
}

/// An attempt at a pair that failed because of the machine, not the solver.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FailedAttempt {
    /// The pair.
    pub pair: PairId,
    /// The number of the attempt.
    pub attempt: u32,
    /// When it started, in seconds since 1970.
    pub started: i64,
    /// The machine.
    pub host: String,
    /// What went wrong.
    pub message: String,
}

/// The facts of one attempt at a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The pair.
    pub pair: PairId,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// The reason for the attempt.
    pub reason: String,
    /// The limits of the run. Outcomes under other limits are not compared with it.
    pub limits: Limits,
    /// When it started, in seconds since 1970.
    pub started: i64,
    /// Wall-clock time.
    #[serde(with = "nanos")]
    pub wall: Time,
    /// CPU time over the process tree.
    #[serde(with = "nanos")]
    pub cpu: Time,
    /// The part of it spent in the kernel.
    #[serde(with = "nanos")]
    pub system: Time,
    /// Peak memory of the process tree, if it could be measured.
    pub memory_bytes: Option<u64>,
    /// Peak anonymous memory, if it was seen.
    pub anonymous_bytes: Option<u64>,
    /// The peak number of processes and threads, if they were counted.
    pub processes: Option<u64>,
    /// How the program's process ended.
    pub ending: Ending,
    /// The limit that ended the run, if any.
    pub limit: Option<Limit>,
    /// The digest of stdout, as far as it was kept.
    pub stdout: Digest,
    /// The digest of stderr, as far as it was kept.
    pub stderr: Digest,
    /// The machine.
    pub host: String,
    /// The isolation in force.
    pub isolation: String,
    /// What else happened on the machine, as a JSON object.
    pub surroundings: String,
    /// What disturbed it, if anything.
    pub disturbance: Option<String>,
}
