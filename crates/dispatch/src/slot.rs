//! A slot: some cores on which tasks are done one after another. Local runs and workers on a cluster use the same.

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

/// The pauses before a retry after a fault of the machine. When they are used up, the slot gives up.
const PAUSES: [Duration; 3] = [Duration::from_millis(200), Duration::from_secs(1), Duration::from_secs(5)];

/// How long a solver has to exit after SIGTERM at a time limit.
const GRACE: Duration = Duration::from_millis(10);

/// Why a task could not be done. Its pair stays pending.
#[derive(Debug, thiserror::Error)]
pub enum SlotError {
    /// The solver's program cannot be started at all.
    #[error(
        "{0}: {1}. Pair {2} is still pending; 'agon entrant check' shows more, 'agon entrant remove {0}' removes it"
    )]
    Entrant(EntrantName, ContainError, PairId),
    /// The machine cannot do a run, even after retries; with the earlier failures.
    #[error("pair {0} could not be run and is still pending: {1}")]
    Machine(PairId, ContainError, Vec<FailedAttempt>),
    /// A pair cannot be run, even after retries, on a machine that can run others.
    #[error("pair {0} is held after {n} failures and is still pending: {1}", n = .2.len())]
    Held(PairId, ContainError, Vec<FailedAttempt>),
    /// The prepared benchmark has changed.
    #[error("{0} is missing or has been changed; run 'agon prepare' again (pair {1} is still pending)")]
    Benchmark(PathBuf, PairId),
}

impl SlotError {
    /// Whether other tasks can still be done: the problem is with the entrant or the pair.
    pub fn leaves_others(&self) -> bool {
        matches!(self, Self::Entrant(..) | Self::Held(..))
    }

    /// Whether it was stopped on purpose.
    pub fn is_interruption(&self) -> bool {
        matches!(self, Self::Machine(_, ContainError::Interrupted, _))
    }
}

/// Some cores of a host, and the tasks they are for.
#[derive(Debug)]
pub struct Slot<'a> {
    /// The host.
    pub host: &'a Host,
    /// The cores; empty means all, shared with others.
    pub cores: Vec<usize>,
    /// What the tasks have in common.
    pub batch: &'a Batch,
}

impl Slot<'_> {
    /// Does a task. A fault of the machine is not the solver's: it is noted, and the task is retried as the next
    /// attempt.
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
            task.reason = Cow::Owned(format!("retry after a fault of the machine: {message}"));
            task.attempt += 1;
            faults.push(FailedAttempt { pair, attempt, started, host: host_name(), message });
            match PAUSES.get(faults.len() - 1) {
                Some(pause) => thread::sleep(*pause),
                // Faults of one pair do not stop the others, unless the machine cannot run them either.
                None if self.host.check_health(self.batch.limits.memory_bytes).is_ok() => {
                    return Err(SlotError::Held(pair, error, faults));
                }
                None => return Err(SlotError::Machine(pair, error, faults)),
            }
        }
    }

    fn attempt(&self, task: &Task, started: i64) -> Result<Done, SlotError> {
        let (runner, limits, pair) = (self.batch.runner(task), &self.batch.limits, task.pair);
        let benchmark = self.batch.benchmark(task);
        // Reading the file also puts it into the cache, for every solver alike.
        let bytes = match std::fs::read(&benchmark) {
            Ok(bytes) if Digest::of(&bytes) == task.benchmark => bytes,
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
        let measured = match self.batch.executor {
            None => self.host.run(&job, &contained(limits)),
            Some(year) => {
                // A solver in a conversation has no file to look ahead in (A11-3).
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

/// Runs the trace executor on a solver (R19-5.6). Its stdout is the log: the answers with their times, and how the
/// session ended. The executor of most years does not know the statuses; judging decides which answers are correct.
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

/// Whether a program could not be started for lack of a resource that may be available again later.
fn is_want(error: &io::Error) -> bool {
    use io::ErrorKind::{ExecutableFileBusy, OutOfMemory, StorageFull, WouldBlock};
    matches!(error.kind(), ExecutableFileBusy | OutOfMemory | StorageFull | WouldBlock)
}

/// Whether a retry makes sense.
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

/// The limits of a run as the containment takes them.
pub fn contained(limits: &Limits) -> agon_contain::Limits {
    agon_contain::Limits {
        wall: Some(limits.wall.into()),
        cpu: Some(limits.cpu().into()),
        memory: Some(limits.memory_bytes),
        output: Some(limits.output_bytes),
        processes: Some(limits.processes),
        // Files count as memory: with more than half of it for them, too little would be left for the solver.
        disk: limits.disk_bytes.map(|bytes| bytes.min(limits.memory_bytes / 2)),
        address_space: None,
        grace: GRACE,
    }
}

fn seconds_now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs().cast_signed())
}

fn host_name() -> String {
    // On a cluster whose nodes share a machine, the node's own name distinguishes them.
    if let Ok(node) = std::env::var("SLURMD_NODENAME") {
        return node;
    }
    std::fs::read_to_string("/proc/sys/kernel/hostname").map_or_else(|_| "unknown".into(), |name| name.trim().into())
}
