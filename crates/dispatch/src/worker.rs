//! A worker on a cluster: one Slurm job, which performs the tasks of its chunk that are not in its journal yet.

use crate::chunk::Chunk;
use crate::journal::Journal;
use crate::slot::{Slot, SlotError};
use crate::task::RunnerIx;
use agon_contain::{Host, Unhealthy};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

/// The reason why a worker stopped before its chunk was done. The entries in its journal count; the other tasks are
/// submitted again.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// A file of the round could not be read or written.
    #[error("{0}: {1}")]
    File(PathBuf, io::Error),
    /// The machine cannot contain or measure runs.
    #[error("this machine cannot run solvers: {0}")]
    Unfit(#[from] Unhealthy),
    /// A task failed.
    #[error(transparent)]
    Slot(#[from] SlotError),
}

/// How a worker ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Worked {
    /// The whole chunk is in the journal.
    All,
    /// The worker was interrupted.
    Stopped,
    /// Another worker has locked the journal of the chunk.
    Elsewhere,
}

/// The file of a chunk in the directory of a round.
pub(crate) fn chunk_file(round: &Path, number: usize) -> PathBuf {
    round.join("chunks").join(number.to_string())
}

/// The journal of a chunk in the directory of a round.
pub(crate) fn journal_file(round: &Path, number: usize) -> PathBuf {
    round.join("journals").join(number.to_string())
}

/// Performs a chunk of a round, on the cores of this process.
pub fn work(host: &Host, round: &Path, number: usize) -> Result<Worked, WorkerError> {
    let (file, journal) = (chunk_file(round, number), journal_file(round, number));
    let Chunk { batch, tasks } = Chunk::read(&file).map_err(|error| WorkerError::File(file, error))?;
    let opened = Journal::open(&journal).map_err(|error| WorkerError::File(journal.clone(), error))?;
    let Some((mut open, done)) = opened else { return Ok(Worked::Elsewhere) };
    host.check_health(batch.limits.memory_bytes)?;
    // If Slurm binds jobs to cores, this process has exactly as many as it needs. Otherwise any choice of cores could
    // collide with other jobs, so none is made.
    let cores = Host::cores();
    let cores = if cores.len() == batch.limits.cores as usize { cores } else { vec![] };
    let slot = Slot { host, cores, batch: &batch };
    let mut broken: HashMap<RunnerIx, SlotError> = HashMap::new();
    let mut held = None;
    for task in tasks.iter().filter(|task| !done.contains(&task.pair)) {
        if broken.contains_key(&task.runner) {
            continue;
        }
        match slot.perform(task) {
            Ok(done) => open.append(&done).map_err(|error| WorkerError::File(journal.clone(), error))?,
            Err(error) if error.is_interruption() => return Ok(Worked::Stopped),
            // Other entrants can still be run.
            Err(error @ SlotError::Entrant(..)) => drop(broken.insert(task.runner, error)),
            Err(error) if error.leaves_others() => held = held.or(Some(error)),
            Err(error) => return Err(error.into()),
        }
    }
    held.or_else(|| broken.into_values().next()).map_or(Ok(Worked::All), |error| Err(error.into()))
}
