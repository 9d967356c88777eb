//! Slots on this machine: threads that take pairs, and one recorder that writes down what came of them.

use crate::command::job;
use crate::work::{self, WorkFolder};
use agon_contain::{ContainError, Host, Job, Measured};
use agon_domain::{Digest, Ending, EntrantName, Limit, Limits, Outcome, Pair, PairId};
use agon_store::{Store, StoreError};
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// A pair with everything that is needed to run it.
#[derive(Clone, Debug)]
pub struct Task {
    /// Which pair.
    pub pair: Pair,
    /// Which attempt this will be.
    pub attempt: u32,
    /// Why it is made.
    pub reason: String,
    /// The entrant's command for the track.
    pub command: Vec<String>,
    /// The entrant's files.
    pub files: PathBuf,
    /// Where in them it starts.
    pub start_in: Option<String>,
    /// The prepared benchmark.
    pub benchmark: PathBuf,
    /// Its limits.
    pub limits: Limits,
}

/// How to run.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// How many runs at a time.
    pub slots: usize,
    /// Set from outside: let what is running finish and start nothing more.
    pub stop: &'a AtomicBool,
}

/// What happens during a run, in the order in which it is recorded.
#[derive(Debug)]
pub enum Event<'a> {
    /// An outcome is on disk.
    Recorded {
        /// The task.
        task: &'a Task,
        /// What happened.
        outcome: &'a Outcome,
        /// What it wrote to standard output.
        stdout: &'a [u8],
    },
    /// Nothing happened for a while.
    Waiting,
}

/// Why the pairs could not all be run. What was recorded stays recorded.
#[derive(Debug, thiserror::Error)]
pub enum DispatchError {
    /// The solver's program cannot be started at all. The pair stays pending.
    #[error(
        "{0}: {1}. Pair {2} stays to be done; 'agon entrant check' tells more, 'agon entrant remove {0}' takes it out"
    )]
    Entrant(EntrantName, ContainError, PairId),
    /// The machine could not do a run. The pair stays pending.
    #[error("pair {0} could not be run, and stays to be done: {1}")]
    Machine(PairId, ContainError),
    /// The prepared benchmark is not what it was. The pair stays pending.
    #[error("{0} is missing or has been changed; run 'agon prepare' again (pair {1} stays to be done)")]
    Benchmark(PathBuf, PairId),
    /// The working folder could not be made. The pair stays pending.
    #[error("no working folder for pair {0}, which stays to be done: {1}")]
    Folder(PairId, io::Error),
    /// The outcome could not be recorded.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A finished run on its way to the recorder.
struct Finished {
    task: Task,
    started: i64,
    measured: Measured,
}

/// Runs the tasks in order on so many slots, and records every outcome exactly once. Stops early, without error, when
/// asked to; the pairs that were not run stay pending.
pub fn run(
    host: &Host,
    store: &mut Store,
    tasks: Vec<Task>,
    options: Options<'_>,
    mut observe: impl FnMut(Event<'_>),
) -> Result<(), DispatchError> {
    work::sweep();
    let slots = options.slots.max(1);
    let queue = Mutex::new(tasks.into_iter());
    let failed = AtomicBool::new(false);
    thread::scope(|scope| {
        // A slot hands over one run before it starts the next: a kill loses at most two of a slot.
        let (sender, receiver) = mpsc::sync_channel::<Result<Finished, DispatchError>>(0);
        for slot in 0..slots {
            let sender = sender.clone();
            let (queue, failed) = (&queue, &failed);
            scope.spawn(move || {
                let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                while !options.stop.load(Ordering::Relaxed)
                    && !failed.load(Ordering::Relaxed)
                    && let Some(task) = next()
                {
                    let cores = own_cores(slot, slots, task.limits.cores as usize);
                    let finished = run_task(host, cores, task);
                    let interrupted = matches!(finished, Err(DispatchError::Machine(_, ContainError::Interrupted)));
                    if interrupted || sender.send(finished).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let result = record_all(&receiver, store, &mut observe);
        if result.is_err() {
            // Nothing that runs now can be recorded.
            failed.store(true, Ordering::Relaxed);
            host.give_up();
        }
        // Slots that are sending must not wait for a recorder that has stopped.
        drop(receiver);
        result
    })
}

/// The cores of a slot: so many next to each other, or none where there are not enough for all slots.
fn own_cores(slot: usize, slots: usize, each: usize) -> Vec<usize> {
    let all = Host::cores();
    if slots * each > all.len() { vec![] } else { all[slot * each..(slot + 1) * each].to_vec() }
}

/// Takes finished runs as they come, several at a time when they come fast, and writes them down.
fn record_all(
    receiver: &mpsc::Receiver<Result<Finished, DispatchError>>,
    store: &mut Store,
    observe: &mut impl FnMut(Event<'_>),
) -> Result<(), DispatchError> {
    loop {
        let first = match receiver.recv_timeout(Duration::from_millis(200)) {
            Ok(finished) => finished,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                observe(Event::Waiting);
                continue;
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => return Ok(()),
        };
        let mut batch = vec![];
        let mut fault = None;
        for finished in std::iter::once(first).chain(receiver.try_iter()) {
            match finished {
                Ok(finished) => batch.push(finished),
                Err(error) => fault = fault.or(Some(error)),
            }
        }
        let outcomes: Vec<Outcome> = batch.iter().map(Finished::outcome).collect();
        let written: Vec<&[u8]> =
            batch.iter().flat_map(|finished| [&*finished.measured.stdout, &*finished.measured.stderr]).collect();
        store.record(&outcomes, &written)?;
        for (Finished { task, measured, .. }, outcome) in batch.iter().zip(&outcomes) {
            observe(Event::Recorded { task, outcome, stdout: &measured.stdout });
        }
        if let Some(fault) = fault {
            return Err(fault);
        }
    }
}

fn run_task(host: &Host, cores: Vec<usize>, task: Task) -> Result<Finished, DispatchError> {
    let pair = task.pair.id;
    // Reading the file also puts it into the cache, for the first solver as for the last.
    let is_whole = std::fs::read(&task.benchmark).is_ok_and(|bytes| Digest::of(&bytes) == task.pair.prepared.digest);
    if !is_whole {
        return Err(DispatchError::Benchmark(task.benchmark, pair));
    }
    let folder =
        WorkFolder::new(&task.files, task.start_in.as_deref()).map_err(|error| DispatchError::Folder(pair, error))?;
    let job = Job { cores, ..job(&task.command, &task.files, folder.place(), &task.benchmark, &task.limits) };
    let started = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs().cast_signed());
    let measured = host.run(&job, &contained(&task.limits)).map_err(|error| match error {
        ContainError::Start(..) => DispatchError::Entrant(task.pair.entrant.clone(), error, pair),
        error => DispatchError::Machine(pair, error),
    })?;
    Ok(Finished { task, started, measured })
}

impl Finished {
    /// The facts to record.
    fn outcome(&self) -> Outcome {
        let Self { task, started, measured } = self;
        Outcome {
            pair: task.pair.id,
            attempt: task.attempt,
            reason: task.reason.clone(),
            limits: task.limits,
            started: *started,
            wall: measured.wall.into(),
            cpu: measured.cpu.into(),
            memory_bytes: measured.memory,
            ending: match measured.ending {
                agon_contain::Ending::Exit(code) => Ending::Exit(code),
                agon_contain::Ending::Signal(number) => Ending::Signal(number),
            },
            limit: measured.limit.map(|limit| match limit {
                agon_contain::Limit::Wall => Limit::Wall,
                agon_contain::Limit::Cpu => Limit::Cpu,
                agon_contain::Limit::Memory => Limit::Memory,
                agon_contain::Limit::Output => Limit::Output,
            }),
            stdout: Digest::of(&measured.stdout),
            stderr: Digest::of(&measured.stderr),
            host: host_name(),
            isolation: measured.isolation.to_string(),
        }
    }
}

/// The limits of a run as the containment takes them.
pub fn contained(limits: &Limits) -> agon_contain::Limits {
    agon_contain::Limits {
        wall: Some(limits.wall.into()),
        cpu: Some(limits.cpu().into()),
        memory: Some(limits.memory_bytes),
        output: Some(limits.output_bytes),
        processes: None,
    }
}

fn host_name() -> String {
    std::fs::read_to_string("/proc/sys/kernel/hostname").map_or_else(|_| "unknown".into(), |name| name.trim().into())
}
