//! The input and output of a slot.

use agon_domain::{Digest, EntrantName, FailedAttempt, Limits, Outcome, PairId, Status};
use agon_store::prepared_in;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// What all tasks of a run have in common.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Batch {
    /// The limits of each.
    pub limits: Limits,
    /// The year of the trace executor that talks to the solvers; `None` if they read files.
    pub executor: Option<u16>,
    /// The entrants that are run.
    pub runners: Vec<Runner>,
    /// The directory of the prepared benchmarks.
    pub prepared: PathBuf,
    /// The directories of the competition and of the original benchmarks: solvers see nothing of them except their own
    /// files and the prepared benchmark.
    pub hidden: Vec<PathBuf>,
}

/// An entrant as a run needs it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Runner {
    /// Its name.
    pub name: EntrantName,
    /// Its command for the track.
    pub command: Vec<String>,
    /// Its files.
    pub files: PathBuf,
    /// The working directory in them.
    pub start_in: Option<String>,
}

/// One attempt at a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The pair.
    pub pair: PairId,
    /// The number of this attempt.
    pub attempt: u32,
    /// The reason for it.
    pub reason: Cow<'static, str>,
    /// Its runner.
    pub runner: RunnerIx,
    /// The prepared benchmark.
    pub benchmark: Digest,
    /// The statuses of its queries, if the trace executor's rules need them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statuses: Vec<Status>,
}

/// The index of a runner in a [`Batch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunnerIx(pub u32);

impl Batch {
    /// The runner of a task.
    pub fn runner(&self, task: &Task) -> &Runner {
        &self.runners[task.runner.0 as usize]
    }

    /// The benchmark file of a task.
    pub fn benchmark(&self, task: &Task) -> PathBuf {
        prepared_in(Path::new(&self.prepared), &task.benchmark)
    }
}

/// A finished task: its outcome and the solver's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The outcome.
    pub outcome: Outcome,
    /// The solver's stdout.
    pub stdout: Vec<u8>,
    /// The solver's stderr.
    pub stderr: Vec<u8>,
    /// The attempts before it that failed.
    pub faults: Vec<FailedAttempt>,
}
