//! A slot: a set of cores that performs one task after another. Local runs and workers on a cluster both use it.

use crate::command::job;
use crate::task::{Batch, Done, Task};
use crate::work_directory::work_directory;
use agon_contain::{ContainError, Host, Job, Measured};
use agon_domain::{Digest, Ending, EntrantName, FailedAttempt, Limit, Limits, Outcome, PairId, Status};
use agon_trace::{KeptRecords, Policy, Session, Trace, TraceError};
use std::borrow::Cow;
use std::io;
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// The pauses before retries after a failure of the machine. There is one retry per pause.
const PAUSES: [Duration; 3] = [Duration::from_millis(200), Duration::from_secs(1), Duration::from_secs(5)];

/// The program that runs in place of a solver without input: it prints nothing.
const NO_ANSWER: &str = "/bin/true";

/// The time that a solver has to exit after the SIGTERM at a time limit.
const GRACE: Duration = Duration::from_millis(10);

/// The reason why a task failed. Its pair stays pending.
#[derive(Debug, thiserror::Error)]
pub enum SlotError {
    /// The solver's program cannot be started.
    #[error("{0}: {1}. Pair {2} is still pending; run 'agon entrant check' for details, or 'agon entrant remove {0}'")]
    Entrant(EntrantName, ContainError, PairId),
    /// The machine cannot perform a run, even after retries. Contains the failed attempts.
    #[error("pair {0} could not be run and is still pending: {1}")]
    Machine(PairId, ContainError, Vec<FailedAttempt>),
    /// A pair cannot be run, even after retries, although the machine is healthy. Contains the failed attempts.
    #[error("pair {0} is held after {n} failures and is still pending: {1}", n = .2.len())]
    Held(PairId, ContainError, Vec<FailedAttempt>),
    /// The prepared benchmark is missing or its digest differs.
    #[error("{0} is missing or was changed; run 'agon prepare' again (pair {1} is still pending)")]
    Benchmark(PathBuf, PairId),
}

impl SlotError {
    /// Whether other tasks can still be performed, because the problem is with the entrant or the pair.
    pub fn leaves_others(&self) -> bool {
        matches!(self, Self::Entrant(..) | Self::Held(..))
    }

    /// Whether the run was interrupted on purpose.
    pub fn is_interruption(&self) -> bool {
        matches!(self, Self::Machine(_, ContainError::Interrupted, _))
    }
}

/// A set of cores that performs the tasks of a batch.
#[derive(Debug)]
pub struct Slot<'a> {
    /// The machine that runs the solvers.
    pub host: &'a Host,
    /// The hardware threads of this slot; empty means all, shared with other slots.
    pub cores: Vec<usize>,
    /// The batch that the tasks belong to.
    pub batch: &'a Batch,
}

impl Slot<'_> {
    /// Performs a task. A failure of the machine does not count against the solver: it is recorded, and the
    /// task is retried as the next attempt.
    pub fn perform(&self, task: &Task) -> Result<Done, SlotError> {
        let mut task = task.clone();
        let mut faults = vec![];
        loop {
            let started = seconds_now();
            let error = match self.attempt(&task, started) {
                Ok(done) => return Ok(Done { faults, ..done }),
                Err(SlotError::Machine(_, error, _)) if may_pass(&error) => error,
                Err(error) => return Err(error),
            };
            let Task { pair, attempt, .. } = task;
            let message = error.to_string();
            task.reason = Cow::Owned(format!("retry after a machine failure: {message}"));
            task.attempt += 1;
            faults.push(FailedAttempt { pair, attempt, started, host: host_name(), message });
            match PAUSES.get(faults.len() - 1) {
                Some(pause) => thread::sleep(*pause),
                // One failing pair does not stop the others if a test run shows that the machine is healthy.
                None if self.host.check_health(self.batch.limits.memory_bytes).is_ok() => {
                    return Err(SlotError::Held(pair, error, faults));
                }
                None => return Err(SlotError::Machine(pair, error, faults)),
            }
        }
    }

    /// Makes one attempt: checks the benchmark's digest, runs the solver, and returns the measured outcome.
    fn attempt(&self, task: &Task, started: i64) -> Result<Done, SlotError> {
        let (runner, limits, pair) = (self.batch.runner(task), &self.batch.limits, task.pair);
        let benchmark = self.batch.benchmark(task);
        // Reading the file also brings it into the page cache, so that the first solver has no disadvantage.
        let bytes = match std::fs::read(&benchmark) {
            Ok(bytes) if Digest::of(&bytes) == task.input.unwrap_or(task.benchmark) => bytes,
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(SlotError::Machine(pair, ContainError::Input(benchmark, error), vec![]));
            }
            _ => return Err(SlotError::Benchmark(benchmark, pair)),
        };
        let work = work_directory(self.host, &runner.files, runner.start_in.as_deref())
            .map_err(|error| SlotError::Machine(pair, ContainError::Watch(error), vec![]))?;
        let mut job =
            Job { cores: self.cores.clone(), ..job(&runner.command, &runner.files, &work, &benchmark, limits) };
        job.hidden.extend(self.batch.hidden.iter().cloned());
        if task.input.is_some() && bytes.is_empty() {
            // The pre-processor failed. Whatever the solver says about an empty file, it is no answer to the benchmark.
            job.program = PathBuf::from(NO_ANSWER);
            job.arguments.clear();
        }
        let measured = match self.batch.executor {
            None => self.host.run(&job, &contained(limits)),
            Some(year) => {
                // An incremental solver gets its commands on stdin. It must not see the file, in which it could read
                // ahead (A11-3).
                job.shown.retain(|path| *path != benchmark);
                converse(self.host, &job, limits, &bytes, &task.statuses, year)
            }
        };
        let measured = measured.map_err(|error| match error {
            ContainError::Start(_, ref cause) if !is_want(cause) => {
                SlotError::Entrant(runner.name.clone(), error, pair)
            }
            error => SlotError::Machine(pair, error, vec![]),
        })?;
        let outcome = outcome(task, limits, started, &measured, !self.cores.is_empty());
        Ok(Done { outcome, stdout: measured.stdout, stderr: measured.stderr, faults: vec![] })
    }
}

/// Runs a solver under the trace executor (R19-5.6). The time limit is for the whole script (A11-13). The stdout of the
/// result is the executor's log: the answers with their times, and how the session ended. In most years the executor
/// does not get the statuses; the judge decides which answers are correct.
pub fn converse(
    host: &Host,
    job: &Job<'_>,
    limits: &Limits,
    script: &[u8],
    statuses: &[Status],
    year: u16,
) -> Result<Measured, ContainError> {
    let broken = |error: TraceError| ContainError::Watch(io::Error::other(error.to_string()));
    let mut trace = Trace::read(script).map_err(broken)?;
    if !statuses.is_empty() {
        trace = trace.with_statuses(statuses.to_vec());
    }
    let mut session = Session::new(&trace, Policy::of_year(year), KeptRecords::Queries);
    let mut measured = host.converse(job, &contained(limits), &mut session)?;
    measured.stdout = session.log().to_text();
    Ok(measured)
}

/// Whether a program could not be started because a resource is exhausted, which may be temporary.
fn is_want(error: &io::Error) -> bool {
    use io::ErrorKind::{ExecutableFileBusy, OutOfMemory, StorageFull, WouldBlock};
    matches!(error.kind(), ExecutableFileBusy | OutOfMemory | StorageFull | WouldBlock)
}

/// Whether a retry may succeed.
fn may_pass(error: &ContainError) -> bool {
    !matches!(error, ContainError::Interrupted | ContainError::Survivors(_))
}

/// The outcome to record.
fn outcome(task: &Task, limits: &Limits, started: i64, measured: &Measured, has_own_cores: bool) -> Outcome {
    Outcome {
        pair: task.pair,
        attempt: task.attempt,
        reason: task.reason.clone().into_owned(),
        limits: *limits,
        started,
        wall: measured.wall.into(),
        cpu: measured.cpu.into(),
        system: measured.system.into(),
        memory_bytes: measured.memory,
        anonymous_bytes: measured.anonymous,
        processes: measured.processes,
        ending: match measured.ending {
            agon_contain::Ending::Exit(code) => Ending::Exit(code),
            agon_contain::Ending::Signal(number) => Ending::Signal(number),
        },
        limit: measured.limit.map(|limit| match limit {
            agon_contain::Limit::Wall => Limit::Wall,
            agon_contain::Limit::Cpu => Limit::Cpu,
            agon_contain::Limit::Memory => Limit::Memory,
            agon_contain::Limit::Output => Limit::Output,
            agon_contain::Limit::Disk => Limit::Disk,
            agon_contain::Limit::Processes => Limit::Processes,
        }),
        stdout: Digest::of(&measured.stdout),
        stderr: Digest::of(&measured.stderr),
        host: host_name(),
        isolation: measured.isolation.to_string(),
        surroundings: serde_json::to_string(&measured.surroundings).unwrap_or_default(),
        disturbance: measured.surroundings.disturbance(measured.wall, has_own_cores).map(str::to_owned),
    }
}

/// Converts the limits of a run for the `contain` crate.
pub fn contained(limits: &Limits) -> agon_contain::Limits {
    agon_contain::Limits {
        wall: Some(limits.wall.into()),
        cpu: Some(limits.cpu().into()),
        memory: Some(limits.memory_bytes),
        output: Some(limits.output_bytes),
        processes: Some(limits.processes),
        // Files count as memory, so more than half of it for files would leave too little for the solver itself.
        disk: limits.disk_bytes.map(|bytes| bytes.min(limits.memory_bytes / 2)),
        address_space: None,
        grace: GRACE,
    }
}

fn seconds_now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs().cast_signed())
}

fn host_name() -> String {
    // Several Slurm nodes may share a machine; only the node's name distinguishes them.
    if let Ok(node) = std::env::var("SLURMD_NODENAME") {
        return node;
    }
    std::fs::read_to_string("/proc/sys/kernel/hostname").map_or_else(|_| "unknown".into(), |name| name.trim().into())
}
