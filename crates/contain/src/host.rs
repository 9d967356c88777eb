//! What this machine offers.

use crate::cgroup::Hierarchies;
use crate::spawn::empty_network;
use crate::{CgroupKind, ContainError, Ending, Isolation, Job, Limits, Measured};
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// This machine as a place for contained runs. Make one at the start and share it between threads.
#[derive(Clone, Debug)]
pub struct Host {
    pub(crate) hierarchies: Hierarchies,
    /// The empty network that confined runs enter; none where runs cannot be confined.
    pub(crate) network: Option<Arc<OwnedFd>>,
    given_up: Arc<AtomicBool>,
}

impl Host {
    /// Finds what can be enforced here, and clears away what killed runners have left.
    pub fn probe() -> Self {
        let hierarchies = Hierarchies::probe();
        hierarchies.sweep();
        let network = empty_network().ok().map(Arc::new);
        let host = Self { hierarchies, network, given_up: Arc::default() };
        if host.can_confine() { host } else { Self { network: None, ..host } }
    }

    /// This machine with neither control groups nor namespaces: process group, address space and CPU limits per
    /// process only.
    pub fn bare() -> Self {
        Self { hierarchies: Hierarchies::default(), network: None, given_up: Arc::default() }
    }

    /// Whether a confined process gets as far as its program.
    fn can_confine(&self) -> bool {
        let folder = std::env::temp_dir();
        let trial = Job {
            program: PathBuf::from("/bin/true"),
            arguments: vec![],
            environment: vec![],
            folder: folder.clone(),
            writable: folder,
            cores: vec![],
            stdin: None,
            network: false,
        };
        let limits = Limits { wall: Some(Duration::from_secs(10)), ..Limits::default() };
        self.run(&trial, &limits).is_ok_and(|run| run.ending == Ending::Exit(0))
    }

    /// What is in force for a job here.
    pub fn isolation(&self, job: &Job) -> Isolation {
        let cgroup = self.hierarchies.kind();
        Isolation {
            cgroup,
            tree_cpu: self.hierarchies.accounts_cpu(),
            tree_memory: self.hierarchies.limits_memory(),
            tree_kill: cgroup != CgroupKind::None,
            own_cores: !job.cores.is_empty(),
            no_network: self.network.is_some() && !job.network,
            read_only_files: self.network.is_some(),
        }
    }

    /// The control groups that runs are in here.
    pub fn cgroup(&self) -> CgroupKind {
        self.hierarchies.kind()
    }

    /// The cores that this process may use.
    pub fn cores() -> Vec<usize> {
        let Ok(set) = rustix::thread::sched_getaffinity(None) else { return vec![] };
        (0..rustix::thread::CpuSet::MAX_CPU).filter(|core| set.is_set(*core)).collect()
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
