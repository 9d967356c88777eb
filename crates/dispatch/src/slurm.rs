//! Calls Slurm's commands. Each call has a time limit, since `sbatch` can wait for minutes on a busy controller.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// The time limit of a Slurm command.
const PATIENCE: Duration = Duration::from_secs(60);

/// The failure of a Slurm command.
#[derive(Debug, thiserror::Error)]
pub enum SlurmError {
    /// The command cannot be started, usually because Slurm is not installed.
    #[error("{0} cannot be started ({1}); --on slurm needs Slurm's commands on the search path")]
    Absent(&'static str, std::io::Error),
    /// The command did not return within the time limit.
    #[error("{0} did not return within a minute")]
    Silent(&'static str),
    /// The command failed with this message on stderr.
    #[error("{0}: {1}")]
    Refused(&'static str, String),
}

/// A job array to submit: jobs that differ only in their index, and run on any node (R08-2.2).
#[derive(Clone, Debug)]
pub(crate) struct Array<'a> {
    pub(crate) name: &'a str,
    pub(crate) script: &'a Path,
    pub(crate) log: PathBuf,
    pub(crate) count: usize,
    pub(crate) cores: u32,
    pub(crate) memory_megabytes: u64,
    pub(crate) minutes: u64,
    /// The user's additional options for `sbatch`.
    pub(crate) more: &'a [String],
}

/// The number of jobs in the queue, by state.
pub(crate) type States = HashMap<String, usize>;

/// Submits a job array.
pub(crate) fn submit(array: &Array<'_>) -> Result<(), SlurmError> {
    let mut command = Command::new("sbatch");
    command
        .arg(format!("--job-name={}", array.name))
        .arg(format!("--array=0-{}", array.count - 1))
        .arg(format!("--output={}", array.log.display()))
        .args(["--requeue", "--open-mode=append", "--nodes=1", "--ntasks=1"])
        .arg(format!("--cpus-per-task={}", array.cores))
        .arg(format!("--mem={}M", array.memory_megabytes))
        .arg(format!("--time={}", array.minutes))
        .args(array.more)
        .arg(array.script);
    call("sbatch", &mut command).map(drop)
}

/// The states of the jobs in the queue with this name.
pub(crate) fn states(name: &str) -> Result<States, SlurmError> {
    let mut command = Command::new("squeue");
    command.args(["--noheader", "--array", "--format=%T %r", &format!("--name={name}")]);
    Ok(count(&call("squeue", &mut command)?))
}

/// The state of jobs that Slurm holds forever because it could not start them. Slurm spells the reason in several ways.
pub(crate) const STUCK: &str = "STUCK";

/// Counts the jobs in the output of `squeue` by state.
fn count(said: &str) -> States {
    let mut states = States::new();
    for line in said.lines().map(str::trim) {
        let (state, reason) = line.split_once(' ').unwrap_or((line, ""));
        let reason = reason.to_lowercase().replace('_', " ");
        let is_stuck = state == "PENDING" && (reason.contains("requeued held") || reason.contains("holdmaxrequeue"));
        let name = match (state, is_stuck) {
            (_, true) => STUCK.to_owned(),
            // The reason is shown to the user.
            ("PENDING", _) => format!("PENDING ({reason})"),
            _ => state.to_owned(),
        };
        if is_in_the_queue(state) {
            *states.entry(name).or_default() += 1;
        }
    }
    states
}

/// Whether a job in this state is still pending, running or completing.
fn is_in_the_queue(state: &str) -> bool {
    let is_over = ["BOOT_FAIL", "CANCELLED", "COMPLETED", "DEADLINE", "FAILED", "NODE_FAIL", "OUT_OF_MEMORY"];
    !state.is_empty() && !is_over.contains(&state) && !["PREEMPTED", "REVOKED", "TIMEOUT"].contains(&state)
}

/// Which jobs to cancel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Canceled {
    /// Pending jobs.
    Waiting,
    All,
}

/// Cancels the jobs with this name.
pub(crate) fn cancel(name: &str, which: Canceled) -> Result<(), SlurmError> {
    let mut command = Command::new("scancel");
    command.arg(format!("--name={name}")).args((which == Canceled::Waiting).then_some("--state=PENDING"));
    call("scancel", &mut command).map(drop)
}

/// The maximum number of jobs in a job array.
pub(crate) fn largest_array() -> Result<usize, SlurmError> {
    let said = call("scontrol", Command::new("scontrol").args(["show", "config"]))?;
    let line = said.lines().find_map(|line| line.trim().strip_prefix("MaxArraySize")?.trim().strip_prefix('='));
    // The largest index in an array is MaxArraySize - 1, which is 1000 by default. That many jobs always fit.
    Ok(line.and_then(|number| number.trim().parse().ok()).unwrap_or(1001).max(2) - 1)
}

/// Runs a Slurm command, and returns its stdout.
fn call(name: &'static str, command: &mut Command) -> Result<String, SlurmError> {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| SlurmError::Absent(name, error))?;
    // Each stream is read by its own thread, so that long output does not block on a full pipe.
    let read = |mut stream: Box<dyn Read + Send>| {
        thread::spawn(move || {
            let mut text = vec![];
            let _ = stream.read_to_end(&mut text);
            String::from_utf8_lossy(&text).into_owned()
        })
    };
    let said = child.stdout.take().map(|stream| read(Box::new(stream)));
    let complained = child.stderr.take().map(|stream| read(Box::new(stream)));
    let until = Instant::now() + PATIENCE;
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if Instant::now() < until => thread::sleep(Duration::from_millis(10)),
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(SlurmError::Silent(name));
            }
        }
    };
    let text = |reader: Option<thread::JoinHandle<String>>| reader.and_then(|r| r.join().ok()).unwrap_or_default();
    if status.success() { Ok(text(said)) } else { Err(SlurmError::Refused(name, text(complained).trim().to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jobs_are_classified_by_state() {
        let said = "PENDING Resources\nRUNNING None\nPENDING launch failed requeued held\nCOMPLETED None\n\
                    PENDING launch_failed_requeued_held\nPENDING JobHeldUser\nCOMPLETING None\n\n";
        let states = count(said);
        assert_eq!(states[STUCK], 2);
        assert_eq!((states["PENDING (resources)"], states["PENDING (jobhelduser)"]), (1, 1));
        assert_eq!((states["RUNNING"], states["COMPLETING"], states.len()), (1, 1, 5));
    }
}
