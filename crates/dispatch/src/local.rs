//! Runs tasks on this machine: one thread per slot, and one recorder for their outcomes.

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

/// The options of a run on this machine.
#[derive(Clone, Copy, Debug)]
pub struct Options<'a> {
    /// The cores of each slot.
    pub layout: &'a Layout,
    /// If set by another thread, running tasks are finished and no more are started.
    pub stop: &'a AtomicBool,
}

/// An event during a run.
#[derive(Debug)]
pub enum Event<'a> {
    /// An outcome was recorded on disk.
    Recorded(&'a Task, &'a Done),
    /// No task has finished for a while.
    Waiting,
}

/// The reason why some pairs could not be run. Outcomes already recorded are kept.
#[derive(Debug, thiserror::Error)]
pub enum DispatchError {
    /// A task failed.
    #[error(transparent)]
    Slot(#[from] SlotError),
    /// An outcome could not be recorded.
    #[error(transparent)]
    Store(#[from] StoreError),
}

type Finished = Result<(Task, Done), SlotError>;

/// Performs tasks in order on the slots of the layout, and records every outcome exactly once.
///
/// If `options.stop` is set, stops early without an error; pairs that were not run stay pending. An entrant that cannot
/// be started is skipped from then on, and a pair that fails repeatedly is held; both are reported as an error at the
/// end. If the machine cannot run anything, fails immediately.
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
        // The channel has no buffer: a slot hands over one run before it starts the next, so that a kill loses at most
        // two runs per slot.
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
            // Running tasks can no longer be recorded.
            failed.store(true, Ordering::Relaxed);
            host.give_up();
        }
        // Without this, slots that are sending would wait forever for the recorder, which has stopped.
        drop(receiver);
        result
    })
}

/// Receives finished runs and records them, several in one transaction if they arrive fast.
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
