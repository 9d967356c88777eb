//! The input and output of a slot.

use agon_domain::{Digest, EntrantName, FailedAttempt, Limits, Outcome, PairId, Status};
use agon_store::prepared_in;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::path::PathBuf;

/// The settings that all tasks of a run share.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Batch {
    /// The limits of each run.
    pub limits: Limits,
    /// The year of the trace executor that sends commands to the solvers; `None` if solvers read files.
    pub executor: Option<u16>,
    /// The entrants that are run.
    pub runners: Vec<Runner>,
    /// The directory of the prepared benchmarks.
    pub prepared: PathBuf,
    /// The directory of what pre-processors wrote.
    pub inputs: PathBuf,
    /// Directories that are hidden from solvers: those of the competition and of the original benchmarks. A solver sees
    /// only its own files and the prepared benchmark.
    pub hidden: Vec<PathBuf>,
}

/// The part of an entrant that is needed to run it in a track.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Runner {
    /// The name of the entrant.
    pub name: EntrantName,
    /// The entrant's command for the track.
    pub command: Vec<String>,
    /// The directory with the entrant's files.
    pub files: PathBuf,
    /// The working directory, relative to `files`.
    pub start_in: Option<String>,
}

/// One attempt at a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// The pair to run.
    pub pair: PairId,
    /// The number of this attempt, from 1.
    pub attempt: u32,
    /// The reason for this attempt.
    pub reason: Cow<'static, str>,
    /// The entrant to run, as an index into the batch.
    pub runner: RunnerIx,
    /// The digest of the prepared benchmark.
    pub benchmark: Digest,
    /// The digest of what the entrant's pre-processor made of the benchmark, if it has one (SL19-19).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<Digest>,
    /// The statuses of the benchmark's queries, if the trace executor needs them.
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

    /// The file that the solver of a task reads: the prepared benchmark, or what its pre-processor made of it.
    pub fn benchmark(&self, task: &Task) -> PathBuf {
        match &task.input {
            Some(input) => prepared_in(&self.inputs, input),
            None => prepared_in(&self.prepared, &task.benchmark),
        }
    }
}

/// A finished task: its outcome and the solver's output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Done {
    /// The measured outcome.
    pub outcome: Outcome,
    /// The solver's stdout.
    pub stdout: Vec<u8>,
    /// The solver's stderr.
    pub stderr: Vec<u8>,
    /// The earlier attempts of this task that failed because of the machine.
    pub faults: Vec<FailedAttempt>,
}
