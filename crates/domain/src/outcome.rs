//! The measured outcome of a run, before it is judged.

use crate::time::nanos;
use crate::{Digest, Limits, PairId, Time};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// The process exited with this code.
    Exit(i32),
    /// The process was killed by this signal.
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

/// A resource limit that a run reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// Wall-clock time.
    Wall,
    /// CPU time of the process tree.
    Cpu,
    /// Memory of the process tree.
    Memory,
    /// Bytes of output.
    Output,
    /// Bytes in the working directory.
    Disk,
    /// The number of simultaneous processes and threads.
    Processes,
}

impl Limit {
    /// The limit's name in files and tables.
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
#[error("unknown limit '{0}'")]
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
    /// The pair that was run.
    pub pair: PairId,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// The start of the attempt, in seconds since 1970.
    pub started: i64,
    /// The machine on which the attempt failed.
    pub host: String,
    /// The error message.
    pub message: String,
}

/// The measurements of one attempt at a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// The pair that was run.
    pub pair: PairId,
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// The reason for the attempt.
    pub reason: String,
    /// The limits of the run. Outcomes under different limits are not comparable.
    pub limits: Limits,
    /// The start of the run, in seconds since 1970.
    pub started: i64,
    /// Wall-clock time of the run.
    #[serde(with = "nanos")]
    pub wall: Time,
    /// CPU time of the process tree, user and system.
    #[serde(with = "nanos")]
    pub cpu: Time,
    /// The part of the CPU time spent in the kernel.
    #[serde(with = "nanos")]
    pub system: Time,
    /// Peak memory of the process tree, if it could be measured.
    pub memory_bytes: Option<u64>,
    /// Peak anonymous memory of the process tree, if it could be measured.
    pub anonymous_bytes: Option<u64>,
    /// The peak number of processes and threads, if it could be measured.
    pub processes: Option<u64>,
    /// How the solver's main process ended.
    pub ending: Ending,
    /// The limit that ended the run, or that it reached (disk space and processes do not end a run), if any.
    pub limit: Option<Limit>,
    /// The digest of stdout, up to the output limit.
    pub stdout: Digest,
    /// The digest of stderr, up to the output limit.
    pub stderr: Digest,
    /// The machine on which the run took place.
    pub host: String,
    /// The isolation that was in force.
    pub isolation: String,
    /// Other activity on the machine during the run, as a JSON object.
    pub surroundings: String,
    /// What disturbed the run, if anything.
    pub disturbance: Option<String>,
}
