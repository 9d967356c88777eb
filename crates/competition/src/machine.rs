//! The machine that programs run on.

use crate::StepError;
use agon_contain::Host;
use agon_store::Competition;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

/// The message if this machine cannot confine runs.
pub const REMEDY: &str =
    "nothing was run; 'agon doctor' shows what this machine lacks, and --unconfined runs without confinement";

/// Requests to stop. The signal handler sets these flags, and steps poll them.
#[derive(Clone, Debug, Default)]
pub struct Interrupts {
    /// Finish the current runs, and start no more.
    pub finish: Arc<AtomicBool>,
    /// Kill the current runs.
    pub abort: Arc<AtomicBool>,
}

impl Interrupts {
    /// Whether either flag is set.
    pub fn is_set(&self) -> bool {
        self.finish.load(Ordering::Relaxed) || self.abort.load(Ordering::Relaxed)
    }
}

/// Whether programs must be confined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Walls {
    /// Programs run only with confinement.
    #[default]
    Required,
    /// Programs run without confinement, which is recorded in every outcome.
    Off,
}

/// The machine that programs run on. A process needs only one: its host is probed once, before the first run.
#[derive(Debug)]
pub struct Machine {
    walls: Walls,
    interrupts: Interrupts,
    host: OnceLock<Host>,
}

impl Machine {
    /// A machine that stops when one of these flags is set.
    pub fn new(walls: Walls, interrupts: Interrupts) -> Self {
        Self { walls, interrupts, host: OnceLock::new() }
    }

    /// The host, which is probed on first use. Call this before starting threads that share it.
    pub fn host(&self) -> Result<&Host, StepError> {
        if let Some(host) = self.host.get() {
            return Ok(host);
        }
        let host = match self.walls {
            Walls::Required => Host::probe(),
            Walls::Off => Host::unconfined(),
        };
        let host = host.map_err(|error| match self.walls {
            Walls::Required => StepError::During(REMEDY.into(), Box::new(error.into())),
            Walls::Off => error.into(),
        })?;
        Ok(self.host.get_or_init(|| host.stopped_by(Arc::clone(&self.interrupts.abort))))
    }

    /// The flags that request a stop.
    pub fn interrupts(&self) -> &Interrupts {
        &self.interrupts
    }

    /// Whether a stop was requested.
    pub fn is_stopped(&self) -> bool {
        self.interrupts.is_set()
    }

    /// Fails if a stop was requested.
    pub(crate) fn go_on(&self) -> Result<(), StepError> {
        if self.is_stopped() { Err(StepError::Interrupted) } else { Ok(()) }
    }

    /// Whether programs run without confinement.
    pub fn is_unconfined(&self) -> bool {
        self.walls == Walls::Off
    }

    /// The number of programs that can run concurrently with one core each.
    pub fn slots(&self) -> usize {
        Host::cores().len().max(1)
    }

    /// Fails if this machine is unconfined and the competition does not allow that.
    pub fn admit(&self, competition: &Competition) -> Result<(), StepError> {
        if self.is_unconfined() && !competition.allows_unconfined() {
            return Err(StepError::Usage(format!(
                "this competition requires confined runs; to allow --unconfined, put 'allow_unconfined = true' above \
                 [rules] in {}",
                competition.directory().join("agon.toml").display()
            )));
        }
        Ok(())
    }
}
