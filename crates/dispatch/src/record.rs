//! Records finished tasks.

use crate::task::Done;
use agon_domain::{FailedAttempt, Outcome};
use agon_store::{Store, StoreError};

/// Records the outcomes, outputs and failed attempts of finished tasks in one transaction.
pub(crate) fn record<'a>(store: &mut Store, done: impl Iterator<Item = &'a Done> + Clone) -> Result<(), StoreError> {
    let outcomes: Vec<Outcome> = done.clone().map(|done| done.outcome.clone()).collect();
    let written: Vec<&[u8]> = done.clone().flat_map(|done| [&*done.stdout, &*done.stderr]).collect();
    let faults: Vec<FailedAttempt> = done.flat_map(|done| done.faults.iter().cloned()).collect();
    store.record(&outcomes, &written, &faults)
}
