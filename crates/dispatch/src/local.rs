//! Slots on this machine: threads that do tasks, and one recorder for their outcomes.

use crate::cores::Layout;
use crate::record::record;
use crate::slot::{Slot, SlotError};
use crate::task::{Batch, Done, Task};
use agon_contain::Host;
use agon_store::{Store, StoreError};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// How to run.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The cores of each slot.
    pub layout: &'a Layout,
    /// Set from outside: finish running tasks and start no more.
    pub stop: &'a AtomicBool,
}

/// An event during a run, in the order of the records.
#[derive(Debug)]
pub enum Event<'a> {
    /// An outcome is on disk.
    Recorded(&'a Task, &'a Done),
    /// Nothing happened for a while.
    Waiting,
}

/// Why not all pairs could be run. What was recorded stays recorded.
#[derive(Debug, thiserror::Error)]
pub enum DispatchError {
    /// A task could not be done.
    #[error(transparent)]
    Slot(#[from] SlotError),
    /// The outcome could not be recorded.
    #[error(transparent)]
    Store(#[from] StoreError),
}

type Finished = Result<(Task, Done), SlotError>;

/// Does the tasks in order on these slots, and records every outcome exactly once. Stops early, without an error, when
/// asked to; pairs that were not run stay pending. An entrant that cannot be started is skipped from then on, and a
/// pair that fails again and again is held; both are errors at the end. A machine that cannot run anything is an error
/// at once.
pub fn run(
    host: &Host,
    store: &mut Store,
    batch: &Batch,
    tasks: impl Iterator<Item = Task> + Send,
    options: Options<'_>,
    mut observe: impl FnMut(Event<'_>),
) -> Result<(), DispatchError> {
    let queue = Mutex::new(tasks);
    let failed = AtomicBool::new(false);
    let broken: Vec<AtomicBool> = batch.runners.iter().map(|_| AtomicBool::new(false)).collect();
    thread::scope(|scope| {
        // A slot hands over one run before it starts the next: a kill loses at most two of a slot.
        let (sender, receiver) = mpsc::sync_channel::<Finished>(0);
        for cores in options.layout.slots() {
            let sender = sender.clone();
            let (queue, failed, broken) = (&queue, &failed, &broken);
            let slot = Slot { host, cores: cores.clone(), batch };
            scope.spawn(move || {
                let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                while !options.stop.load(Ordering::Relaxed)
                    && !failed.load(Ordering::Relaxed)
                    && let Some(task) = next()
                {
                    let is_broken = &broken[task.runner.0 as usize];
                    if is_broken.load(Ordering::Relaxed) {
                        continue;
                    }
                    let finished = slot.perform(&task).map(|done| (task, done));
                    if matches!(finished, Err(SlotError::Entrant(..))) && is_broken.swap(true, Ordering::Relaxed) {
                        continue;
                    }
                    let interrupted = finished.as_ref().is_err_and(SlotError::is_interruption);
                    if interrupted || sender.send(finished).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let result = record_all(&receiver, store, &mut observe);
        if result.is_err() {
            // Nothing that is running now can be recorded.
            failed.store(true, Ordering::Relaxed);
            host.give_up();
        }
        // Slots that are sending must not wait for a recorder that has stopped.
        drop(receiver);
        result
    })
}

/// Receives finished runs, several at a time when they come fast, and records them.
fn record_all(
    receiver: &mpsc::Receiver<Finished>,
    store: &mut Store,
    observe: &mut impl FnMut(Event<'_>),
) -> Result<(), DispatchError> {
    let mut broken: Option<SlotError> = None;
    loop {
        let first = match receiver.recv_timeout(Duration::from_millis(200)) {
            Ok(finished) => finished,
            Err(mpsc::RecvTimeoutError::Timeout) => {
                observe(Event::Waiting);
                continue;
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => return broken.map_or(Ok(()), |error| Err(error.into())),
        };
        let mut batch = vec![];
        let mut fault = None;
        for finished in std::iter::once(first).chain(receiver.try_iter()) {
            match finished {
                Ok(finished) => batch.push(finished),
                Err(error) if error.leaves_others() => {
                    if let SlotError::Held(.., faults) = &error {
                        store.record(&[], &[], faults)?;
                    }
                    broken = broken.or(Some(error));
                }
                Err(error) => fault = fault.or(Some(error)),
            }
        }
        record(store, batch.iter().map(|(_, done)| done))?;
        for (task, done) in &batch {
            observe(Event::Recorded(task, done));
        }
        if let Some(fault) = fault {
            if let SlotError::Machine(.., faults) = &fault {
                store.record(&[], &[], faults)?;
            }
            return Err(fault.into());
        }
    }
}
