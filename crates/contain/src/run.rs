//! The life of one run: start, watch, end, measure.

use crate::conversation::Partner;
use crate::spawn::{Mode, spawn};
use crate::sys::now;
use crate::watch::Watch;
use crate::{ContainError, Ending, Host, Job, Limits, Measured};
use std::time::Duration;

/// How long to wait, after a signal ended a run, to see whether the runner gets the same signal.
const HINDSIGHT: Duration = Duration::from_millis(200);

/// Runs a job, as a conversation if there is a partner.
pub(crate) fn run<'a>(
    host: &'a Host,
    job: &'a Job<'a>,
    limits: &'a Limits,
    partner: Option<&'a mut (dyn Partner + 'a)>,
) -> Result<Measured, ContainError> {
    let isolation = host.isolation(job);
    let group = host.hierarchies.create(limits, job.core_count()).map_err(ContainError::Cgroup)?;
    let before = host.observer.recent(now());
    let mode = if partner.is_some() { Mode::Conversation } else { Mode::Batch };
    let spawned = spawn(host, job, limits, &group, &isolation, mode)?;
    let mut watch = Watch::new(spawned, group, host, job, limits, partner)?;
    let limit = watch.until_end();
    // Called even if watching failed, so that nothing of the run is left.
    let cleared = watch.clear();
    let settled = limit.and_then(|limit| cleared.and_then(|()| watch.settle(limit)));
    watch.end_conversation();
    let measured = watch.measured(settled?, isolation, &before);
    // Stopping a whole job or service signals all of its processes. Then the run was interrupted: it is not a result.
    let is_ordered =
        matches!(measured.ending, Ending::Signal(libc::SIGHUP | libc::SIGINT | libc::SIGKILL | libc::SIGTERM));
    if is_ordered && measured.limit.is_none() && host.may_be_stopped() {
        std::thread::sleep(HINDSIGHT);
    }
    if host.has_given_up() { Err(ContainError::Interrupted) } else { Ok(measured) }
}
