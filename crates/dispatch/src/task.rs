//! What a slot is given, and what it gives back.

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
    /// The year of the trace executor that talks to the solvers; none if they are given files.
    pub executor: Option<u16>,
    /// The entrants that are run.
    pub runners: Vec<Runner>,
    /// The folder of the prepared benchmarks.
    pub prepared: PathBuf,
    /// The competition's folder and those of the benchmarks that it was made from, of which solvers see nothing but their
    /// own files and the prepared benchmark.
    pub hidden: Vec<PathBuf>,
}

/// An entrant as a run needs it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Runner {
    /// Who.
    pub name: EntrantName,
    /// Its command for the track.
    pub command: Vec<String>,
    /// Its files.
    pub files: PathBuf,
    /// Where in them it starts.
    pub start_in: Option<String>,
}

/// One attempt at a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Which pair.
    pub pair: PairId,
    /// Which attempt this will be.
    pub attempt: u32,
    /// Why it is made.
    pub reason: Cow<'static, str>,
    /// Its runner.
    pub runner: RunnerIx,
    /// The prepared benchmark.
    pub benchmark: Digest,
    /// The statuses of its queries, where the trace executor's rules need them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub statuses: Vec<Status>,
}

/// The place of a runner in a [`Batch`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunnerIx(pub u32);

impl Batch {
    /// The runner of a task.
    pub fn runner(&self, task: &Task) -> &Runner {
        &self.runners[task.runner.0 as usize]
    }

    /// The file that a task is about.
    pub fn benchmark(&self, task: &Task) -> PathBuf {
        prepared_in(Path::new(&self.prepared), &task.benchmark)
    }
}

/// A task that is done: what happened, and what the solver wrote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// What happened.
    pub outcome: Outcome,
    /// What it wrote to standard output.
    pub stdout: Vec<u8>,
    /// What it wrote to standard error.
    pub stderr: Vec<u8>,
    /// The attempts before it that failed.
    pub faults: Vec<FailedAttempt>,
}
