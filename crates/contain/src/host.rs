//! The host: what this machine offers for runs.

use crate::hierarchies::{Hierarchies, Reach};
use crate::identity::{Identity, Standing};
use crate::messages::Step;
use crate::surroundings::Observer;
use crate::work_directory::{self, Work};
use crate::{CgroupKind, ContainError, Ending, Isolation, Job, Limits, Measured, Partner};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// This machine, prepared for contained runs. Create one at the start and share it between threads.
///
/// A run that cannot be confined fails. Only hosts from [`Host::unconfined`] and [`Host::bare`] run programs without
/// confinement.
#[derive(Clone, Debug)]
pub struct Host {
    pub(crate) hierarchies: Hierarchies,
    walled: Option<Walled>,
    nice: i32,
    given_up: Arc<AtomicBool>,
    may_be_stopped: bool,
    pub(crate) observer: Arc<Observer>,
}

/// How runs are confined here.
#[derive(Clone, Debug)]
pub(crate) struct Walled {
    pub(crate) standing: Standing,
    /// Whether runs get a /proc of their own. If not, they see only a few files of the host's, such as /proc/cpuinfo.
    pub(crate) own_proc: bool,
}

/// Why measurements on this machine cannot be trusted now.
#[derive(Debug, thiserror::Error)]
pub enum Unhealthy {
    /// A trial run failed.
    #[error(transparent)]
    Trial(#[from] ContainError),
    /// There is less memory than a run may use.
    #[error("only {free} MB of memory are free, and a run may use {allowed} MB")]
    Memory {
        /// The memory that a run may use, in MB.
        allowed: u64,
        /// The memory that is free, in MB.
        free: u64,
    },
}

impl Host {
    /// Checks by a trial run that runs can be confined here, and cleans up after runners that were killed.
    pub fn probe() -> Result<Self, ContainError> {
        Self::untried().tried()
    }

    /// Like [`Host::probe`], but creates groups only inside the control group of this process, for jobs of a batch
    /// system such as Slurm that limits its jobs by groups.
    pub fn probe_inside() -> Result<Self, ContainError> {
        Self::walled_with(Hierarchies::probe(Reach::OwnGroup)).tried()
    }

    fn tried(mut self) -> Result<Self, ContainError> {
        self.try_groups()?;
        match self.try_out() {
            // Containers mask parts of /proc, and then the kernel does not allow mounting it again.
            Err(ContainError::Wall(step, _)) if step == Step::Processes.to_string() => {
                if let Some(walled) = &mut self.walled {
                    walled.own_proc = false;
                }
                self.try_out()?;
            }
            // Try once more, since a machine under load may be slow.
            Err(_) => self.try_out()?,
            Ok(()) => {}
        }
        Ok(self)
    }

    /// Drops control groups that we may not use. Any other failure is returned.
    fn try_groups(&mut self) -> Result<(), ContainError> {
        let limits = Limits { memory: Some(1 << 30), processes: Some(1), ..Limits::default() };
        match self.hierarchies.create(&limits, 1) {
            Err(error)
                if matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem) =>
            {
                self.hierarchies = Hierarchies::default();
                Ok(())
            }
            made => made.map(drop).map_err(ContainError::Cgroup),
        }
    }

    /// This machine without a trial run, for a single run. If that run cannot be confined, it fails before the program
    /// starts, and [`Host::probe`] may find another kind of confinement.
    pub fn untried() -> Self {
        Self::walled_with(Hierarchies::probe(Reach::Anywhere))
    }

    /// This machine without confinement: only limits and, if available, control groups. Programs can affect the host;
    /// [`Isolation::confined`] records that.
    pub fn unconfined() -> Result<Self, ContainError> {
        let mut host = Self { walled: None, ..Self::untried() };
        host.try_groups()?;
        Ok(host)
    }

    fn walled_with(hierarchies: Hierarchies) -> Self {
        hierarchies.sweep();
        work_directory::sweep();
        let walled = Some(Walled { standing: Standing::find(), own_proc: true });
        Self { hierarchies, walled, ..Self::bare() }
    }

    /// This machine with neither control groups nor confinement: only a process group and limits per process.
    pub fn bare() -> Self {
        Self {
            hierarchies: Hierarchies::default(),
            walled: None,
            nice: usual_nice(),
            given_up: Arc::default(),
            may_be_stopped: false,
            observer: Arc::default(),
        }
    }

    /// Checks that a run starts its program.
    fn try_out(&self) -> Result<(), ContainError> {
        let work = self.fresh(Path::new(""), &[], &[]).map_err(ContainError::Watch)?;
        let trial = Job::new("/bin/true", &work);
        let limits = Limits { wall: Some(Duration::from_secs(10)), ..Limits::default() };
        match self.run(&trial, &limits)?.ending {
            Ending::Exit(0) => Ok(()),
            _ => Err(ContainError::Watch(io::Error::other("a trial run failed"))),
        }
    }

    /// Checks that runs that may use this much memory can be measured here now.
    pub fn check_health(&self, memory: u64) -> Result<(), Unhealthy> {
        self.try_out()?;
        match memory_info("MemAvailable:") {
            Some(free) if free < memory => Err(Unhealthy::Memory { allowed: memory >> 20, free: free >> 20 }),
            _ => Ok(()),
        }
    }

    /// Whether runs are confined.
    pub fn confines(&self) -> bool {
        self.walled.is_some()
    }

    pub(crate) fn walled(&self) -> Option<&Walled> {
        self.walled.as_ref()
    }

    /// The nice value of runs: the one that this process had before it raised its own priority.
    pub(crate) fn nice(&self) -> i32 {
        self.nice
    }

    /// Whether the memory of a whole process tree can be limited.
    pub fn limits_memory(&self) -> bool {
        self.hierarchies.limits_memory()
    }

    /// A fresh directory for one run. `start` is the working directory in it; `directories` and `links` (target, path)
    /// are created in it.
    pub fn fresh(&self, start: &Path, directories: &[&Path], links: &[(PathBuf, PathBuf)]) -> io::Result<Work> {
        if self.confines() {
            Ok(Work::in_memory(start, directories, links))
        } else {
            Work::on_disk(start, directories, links)
        }
    }

    /// What is enforced and measured for a job here.
    pub fn isolation(&self, job: &Job<'_>) -> Isolation {
        let cgroup = self.hierarchies.kind();
        let confined = self.confines();
        Isolation {
            confined,
            cgroup,
            own_user: self.walled.as_ref().is_some_and(|walled| walled.standing.identity() != Identity::Shared),
            tree_cpu: self.hierarchies.accounts_cpu(),
            cpu_share: self.hierarchies.divides_cpu(),
            tree_memory: self.hierarchies.limits_memory(),
            tree_kill: cgroup != CgroupKind::None || confined,
            own_cores: !job.cores.is_empty(),
            counted_processes: self.hierarchies.counts_processes(),
            own_processes: confined,
            own_proc: self.walled.as_ref().is_some_and(|walled| walled.own_proc),
            no_network: confined && !job.network,
            read_only_files: confined,
            limited_disk: confined && job.work.is_in_memory(),
            filtered_calls: confined,
        }
    }

    /// The memory of the machine in bytes.
    pub fn memory() -> Option<u64> {
        memory_info("MemTotal:")
    }

    /// The hardware threads that this process may use, by number.
    pub fn cores() -> Vec<usize> {
        let Ok(set) = rustix::thread::sched_getaffinity(None) else { return vec![] };
        (0..rustix::thread::CpuSet::MAX_CPU).filter(|core| set.is_set(*core)).collect()
    }

    /// Ends all current and future runs on this host and its clones; each returns [`ContainError::Interrupted`].
    pub fn give_up(&self) {
        self.given_up.store(true, Ordering::Relaxed);
    }

    /// The flag that [`Host::give_up`] sets, for signal handlers. From now on a run that was ended by a signal waits
    /// briefly for the flag, since the same signal may have been sent to both.
    pub fn give_up_flag(&mut self) -> Arc<AtomicBool> {
        self.may_be_stopped = true;
        Arc::clone(&self.given_up)
    }

    /// Returns this host with another flag that makes it give up; see [`Host::give_up_flag`].
    #[must_use]
    pub fn stopped_by(self, flag: Arc<AtomicBool>) -> Self {
        Self { given_up: flag, may_be_stopped: true, ..self }
    }

    pub(crate) fn may_be_stopped(&self) -> bool {
        self.may_be_stopped
    }

    pub(crate) fn has_given_up(&self) -> bool {
        self.given_up.load(Ordering::Relaxed)
    }

    /// Runs a job until it ends or reaches a limit.
    pub fn run(&self, job: &Job<'_>, limits: &Limits) -> Result<Measured, ContainError> {
        crate::run::run(self, job, limits, None)
    }

    /// Runs a job in a conversation: a partner reads its stdout and writes its stdin.
    pub fn converse(
        &self,
        job: &Job<'_>,
        limits: &Limits,
        partner: &mut dyn Partner,
    ) -> Result<Measured, ContainError> {
        crate::run::run(self, job, limits, Some(partner))
    }
}

/// The nice value that this process was started with. Threads that start runs raise their own priority later.
fn usual_nice() -> i32 {
    static NICE: OnceLock<i32> = OnceLock::new();
    *NICE.get_or_init(|| rustix::process::getpriority_process(None).unwrap_or(0))
}

/// The value of a line of `/proc/meminfo`, in bytes.
fn memory_info(key: &str) -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let kilobytes = text.lines().find_map(|line| line.strip_prefix(key)?.trim().strip_suffix(" kB"))?;
    Some(kilobytes.parse::<u64>().ok()? * 1024)
}
