//! What this machine offers.

use crate::cgroup::Hierarchies;
use crate::surroundings::Observer;
use crate::work::{self, Work};
use crate::{CgroupKind, ContainError, Ending, Isolation, Job, Limits, Measured, Partner};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// This machine as a place for contained runs. Make one at the start and share it between threads.
#[derive(Clone, Debug)]
pub struct Host {
    pub(crate) hierarchies: Hierarchies,
    confinement: Confinement,
    given_up: Arc<AtomicBool>,
    may_be_stopped: bool,
    pub(crate) observer: Arc<Observer>,
}

/// How far runs can be shut in.
#[derive(Clone, Debug)]
enum Confinement {
    /// Not at all, and why.
    None(String),
    /// In namespaces of their own; with a view of their own processes where that can be made.
    Namespaces { shows_own_processes: bool },
}

impl Host {
    /// Finds what can be enforced here, and clears away what killed runners have left.
    pub fn probe() -> Self {
        Self::untried().tried()
    }

    /// The same for a process whose own control group is somebody's bound on it, such as Slurm's: groups are made inside
    /// that one, if that can be done.
    pub fn probe_inside() -> Self {
        Self::with(Hierarchies::probe(true)).tried()
    }

    fn tried(self) -> Self {
        let mut host = self;
        if host.hierarchies.create(&Limits { memory: Some(1 << 30), processes: Some(1), ..Limits::default() }).is_err()
        {
            host.hierarchies = Hierarchies::default();
        }
        // Tried twice, since a machine under load may be slow once.
        for shows_own_processes in [true, true, false] {
            host.confinement = Confinement::Namespaces { shows_own_processes };
            match host.try_out() {
                Ok(()) => break,
                Err(error) => host.confinement = Confinement::None(error.to_string()),
            }
        }
        host
    }

    /// The same without trying it out: for a single run, which finds out itself. If that cannot be walled in, nothing
    /// has run, and [`Host::probe`] tells what can be.
    pub fn untried() -> Self {
        Self::with(Hierarchies::probe(false))
    }

    fn with(hierarchies: Hierarchies) -> Self {
        hierarchies.sweep();
        work::sweep();
        Self { hierarchies, confinement: Confinement::Namespaces { shows_own_processes: true }, ..Self::bare() }
    }

    /// This machine with neither control groups nor namespaces: process group, address space and CPU limits per
    /// process only.
    pub fn bare() -> Self {
        Self {
            hierarchies: Hierarchies::default(),
            confinement: Confinement::None("not tried".into()),
            given_up: Arc::default(),
            may_be_stopped: false,
            observer: Arc::default(),
        }
    }

    /// Whether a confined process gets as far as its program.
    fn try_out(&self) -> Result<(), ContainError> {
        let work = self.fresh(Path::new(""), &[], &[]).map_err(ContainError::Watch)?;
        let trial = Job::new("/bin/true", &work);
        let limits = Limits { wall: Some(Duration::from_secs(10)), ..Limits::default() };
        match self.run(&trial, &limits)?.ending {
            Ending::Exit(0) => Ok(()),
            _ => Err(ContainError::Watch(io::Error::other("a trial run failed"))),
        }
    }

    /// Whether runs that may use so much memory can be trusted here now; if not, why.
    pub fn check_health(&self, memory: u64) -> Result<(), String> {
        self.try_out().map_err(|error| error.to_string())?;
        match memory_info("MemAvailable:") {
            Some(free) if free < memory => {
                Err(format!("a run may use {} MB and only {} MB are free", memory >> 20, free >> 20))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn confines(&self) -> bool {
        matches!(self.confinement, Confinement::Namespaces { .. })
    }

    pub(crate) fn shows_own_processes(&self) -> bool {
        matches!(self.confinement, Confinement::Namespaces { shows_own_processes: true })
    }

    /// Whether the memory of a whole tree can be limited.
    pub fn limits_memory(&self) -> bool {
        self.hierarchies.limits_memory()
    }

    /// Why runs cannot be shut in here, if they cannot.
    pub fn shortcoming(&self) -> Option<&str> {
        match &self.confinement {
            Confinement::None(why) => Some(why),
            Confinement::Namespaces { .. } => None,
        }
    }

    /// A fresh folder for one run: where in it to start, folders to make, and links to make in them (what to, and
    /// where).
    pub fn fresh(&self, start: &Path, folders: &[&Path], links: &[(PathBuf, PathBuf)]) -> io::Result<Work> {
        if self.confines() { Ok(Work::in_memory(start, folders, links)) } else { Work::on_disk(start, folders, links) }
    }

    /// What is in force for a job here.
    pub fn isolation(&self, job: &Job<'_>) -> Isolation {
        let cgroup = self.hierarchies.kind();
        Isolation {
            cgroup,
            tree_cpu: self.hierarchies.accounts_cpu(),
            tree_memory: self.hierarchies.limits_memory(),
            tree_kill: cgroup != CgroupKind::None || self.confines(),
            own_cores: !job.cores.is_empty(),
            counted_processes: self.hierarchies.counts_processes(),
            own_processes: self.confines(),
            no_network: self.confines() && !job.network,
            read_only_files: self.confines(),
            limited_disk: self.confines() && job.work.is_in_memory(),
            filtered_calls: self.confines(),
        }
    }

    /// The memory of the machine in bytes.
    pub fn memory() -> Option<u64> {
        memory_info("MemTotal:")
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

    /// The flag behind [`Host::give_up`], for signal handlers; from now on runs that a signal has ended wait for it a
    /// little, since who signals us may have signalled them as well.
    pub fn give_up_flag(&mut self) -> Arc<AtomicBool> {
        self.may_be_stopped = true;
        Arc::clone(&self.given_up)
    }

    pub(crate) fn may_be_stopped(&self) -> bool {
        self.may_be_stopped
    }

    pub(crate) fn has_given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }

    /// Runs a job to its end or to its limits.
    pub fn run(&self, job: &Job<'_>, limits: &Limits) -> Result<Measured, ContainError> {
        crate::run::run(self, job, limits, None)
    }

    /// Runs a job whose standard input comes from somebody who listens to its standard output.
    pub fn converse(
        &self,
        job: &Job<'_>,
        limits: &Limits,
        partner: &mut dyn Partner,
    ) -> Result<Measured, ContainError> {
        crate::run::run(self, job, limits, Some(partner))
    }
}

/// A line of what the kernel says about memory, in bytes.
fn memory_info(key: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let kilobytes = text.lines().find_map(|line| line.strip_prefix(key)?.trim().strip_suffix(" kB"))?;
    Some(kilobytes.parse::<u64>().ok()? * 1024)
}
