//! What this machine offers.

use crate::cgroup::Hierarchies;
use crate::{CgroupKind, ContainError, Isolation, Job, Limits, Measured};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// This machine as a place for contained runs. Make one at the start and share it between threads.
#[derive(Clone, Debug)]
pub struct Host {
    pub(crate) hierarchies: Hierarchies,
    given_up: Arc<AtomicBool>,
}

impl Host {
    /// Finds what can be enforced here, and clears away what killed runners have left.
    pub fn probe() -> Self {
        let hierarchies = Hierarchies::probe();
        hierarchies.sweep();
        Self { hierarchies, given_up: Arc::default() }
    }

    /// This machine without control groups: process group, address space and CPU limits per process only.
    pub fn without_cgroups() -> Self {
        Self { hierarchies: Hierarchies::default(), given_up: Arc::default() }
    }

    /// What is in force for runs here.
    pub fn isolation(&self) -> Isolation {
        let cgroup = self.hierarchies.kind();
        Isolation {
            cgroup,
            tree_cpu: self.hierarchies.accounts_cpu(),
            tree_memory: self.hierarchies.limits_memory(),
            tree_kill: cgroup != CgroupKind::None,
            network: false,
            files: false,
        }
    }

    /// Ends every run on this host and its clones, now and in future; each gives [`ContainError::Interrupted`].
    pub fn give_up(&self) {
        self.given_up.store(true, Ordering::Relaxed);
    }

    pub(crate) fn has_given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }

    /// Runs a job to its end or to its limits.
    pub fn run(&self, job: &Job, limits: &Limits) -> Result<Measured, ContainError> {
        crate::run::run(self, job, limits)
    }
}
