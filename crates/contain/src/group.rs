//! The control group of one run, in every hierarchy: its limits, its accounting, and killing all of its processes.

use crate::Limits;
use crate::hierarchies::{Hierarchies, naming};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

/// CPU time, and its user and system parts.
#[derive(Clone, Copy)]
pub(crate) struct Cpu {
    pub(crate) all: Duration,
    pub(crate) user: Duration,
    pub(crate) system: Duration,
}

/// How long processes of a group had to wait for a resource, if the kernel counts it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Pressure {
    pub(crate) cpu: Option<Duration>,
    /// How long all of them waited for a core at the same time.
    pub(crate) cpu_full: Option<Duration>,
    pub(crate) memory: Option<Duration>,
    pub(crate) io: Option<Duration>,
}

/// The counters of a group at the end of a run.
pub(crate) struct Accounts {
    pub(crate) cpu: Option<Cpu>,
    pub(crate) pressure: Pressure,
    pub(crate) memory_peak: Option<u64>,
    /// Whether the kernel's OOM killer killed a process of the group: the group or the machine was out of memory.
    pub(crate) killed_for_memory: bool,
    /// Whether the group reached its own memory limit.
    pub(crate) reached_memory_limit: bool,
    /// The peak number of processes and threads.
    pub(crate) processes: Option<u64>,
    /// How many times a new process was refused.
    pub(crate) refused_processes: u64,
}

/// The group of one run in every hierarchy. Dropping it kills what is left in it and removes it.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) hierarchies: Hierarchies,
    pub(crate) name: String,
    /// The limits, as far as the ancestor groups allow them.
    pub(crate) limits: Limits,
}

impl Group {
    fn directory(&self, parent: Option<&PathBuf>) -> Option<PathBuf> {
        parent.map(|parent| parent.join(&self.name))
    }

    fn directories(&self) -> impl Iterator<Item = PathBuf> {
        self.hierarchies.parents().map(|parent| parent.join(&self.name))
    }

    fn unified(&self) -> Option<PathBuf> {
        self.directory(self.hierarchies.unified.as_ref())
    }

    /// The `cgroup.procs` files that a process writes `0` to in order to join.
    pub(crate) fn doors(&self) -> io::Result<Vec<fs::File>> {
        let open = |directory: PathBuf| {
            let door = directory.join("cgroup.procs");
            fs::OpenOptions::new().write(true).open(&door).map_err(|e| naming(&door, &e))
        };
        self.directories().map(open).collect()
    }

    pub(crate) fn limit_memory(&self, bytes: u64) -> io::Result<()> {
        let write = |file: PathBuf, text: &str| fs::write(&file, text).map_err(|e| naming(&file, &e));
        if let Some(directory) = self.directory(self.hierarchies.memory.as_ref()) {
            write(directory.join("memory.limit_in_bytes"), &bytes.to_string())?;
            // Memory and swap together; absent where the kernel does not count swap.
            let _ = fs::write(directory.join("memory.memsw.limit_in_bytes"), bytes.to_string());
            // Socket buffers are counted separately, and would otherwise be unlimited.
            let _ = fs::write(directory.join("memory.kmem.tcp.limit_in_bytes"), (bytes / 16).to_string());
        } else if let (Some(directory), true) = (self.unified(), self.hierarchies.unified_has_memory) {
            write(directory.join("memory.max"), &bytes.to_string())?;
            let _ = fs::write(directory.join("memory.swap.max"), "0");
            // A run that lost one process is out of memory anyway; let the kernel kill the whole tree.
            let _ = fs::write(directory.join("memory.oom.group"), "1");
        }
        Ok(())
    }

    pub(crate) fn limit_processes(&self, count: u64) -> io::Result<()> {
        match self.process_folder() {
            Some(directory) => {
                fs::write(directory.join("pids.max"), count.to_string()).map_err(|e| naming(&directory, &e))
            }
            None => Ok(()),
        }
    }

    /// Sets the CPU weight of the whole run to that of one process per core, however many processes it starts.
    pub(crate) fn share_cpu(&self, cores: usize) -> io::Result<()> {
        let Some(directory) = self.directory(self.hierarchies.cpu.as_ref()) else { return Ok(()) };
        let file = directory.join("cpu.shares");
        fs::write(&file, (1024 * cores.clamp(1, 256)).to_string()).map_err(|error| naming(&file, &error))
    }

    /// The directory whose files count processes, if there is one.
    fn process_folder(&self) -> Option<PathBuf> {
        let in_unified = || self.unified().filter(|directory| directory.join("pids.max").exists());
        self.directory(self.hierarchies.pids.as_ref()).or_else(in_unified)
    }

    /// The version 1 directory that counts CPU time, unless the unified hierarchy does.
    fn cpu_folder(&self) -> Option<PathBuf> {
        let shared = self.hierarchies.cpu.as_ref().filter(|_| self.hierarchies.unified.is_none());
        self.directory(self.hierarchies.cpuacct.as_ref().or(shared))
    }

    /// CPU time of all processes that were ever in the group.
    pub(crate) fn cpu(&self) -> Option<Duration> {
        if let Some(directory) = self.cpu_folder() {
            return number(&directory.join("cpuacct.usage")).map(Duration::from_nanos);
        }
        keyed(&self.unified()?.join("cpu.stat"), "usage_usec").map(Duration::from_micros)
    }

    /// CPU time with its user and system parts.
    fn cpu_split(&self) -> Option<Cpu> {
        if let Some(directory) = self.cpu_folder() {
            let time = |file| number(&directory.join(file)).map(Duration::from_nanos);
            let all = time("cpuacct.usage")?;
            return Some(Cpu { all, user: time("cpuacct.usage_user")?, system: time("cpuacct.usage_sys")? });
        }
        let text = fs::read_to_string(self.unified()?.join("cpu.stat")).ok()?;
        let time = |key| keyed_in(&text, key).map(Duration::from_micros);
        Some(Cpu { all: time("usage_usec")?, user: time("user_usec")?, system: time("system_usec")? })
    }

    fn pressure(&self) -> Pressure {
        let Some(directory) = self.unified() else { return Pressure::default() };
        let read = |file| fs::read_to_string(directory.join(file)).unwrap_or_default();
        let total = |text: &str, who: &str| {
            let (_, total) = text.lines().find_map(|line| line.strip_prefix(who)?.split_once("total="))?;
            total.trim().parse().ok().map(Duration::from_micros)
        };
        let cpu = read("cpu.pressure");
        Pressure {
            cpu: total(&cpu, "some "),
            cpu_full: total(&cpu, "full "),
            memory: total(&read("memory.pressure"), "some "),
            io: total(&read("io.pressure"), "some "),
        }
    }

    /// The current anonymous memory of the group's processes.
    pub(crate) fn anonymous(&self) -> Option<u64> {
        match (self.directory(self.hierarchies.memory.as_ref()), self.hierarchies.unified_has_memory) {
            (Some(directory), _) => keyed(&directory.join("memory.stat"), "total_rss"),
            (None, true) => keyed(&self.unified()?.join("memory.stat"), "anon"),
            (None, false) => None,
        }
    }

    /// Whether the OOM killer has killed a process of the group.
    pub(crate) fn has_run_out(&self) -> bool {
        let kills = match (self.directory(self.hierarchies.memory.as_ref()), self.hierarchies.unified_has_memory) {
            (Some(directory), _) => keyed(&directory.join("memory.oom_control"), "oom_kill"),
            (None, true) => self.unified().and_then(|directory| keyed(&directory.join("memory.events"), "oom_kill")),
            (None, false) => None,
        };
        kills.is_some_and(|count| count > 0)
    }

    /// Reads the counters. Only a kill by the kernel shows that the run was out of memory: the page cache may also
    /// reach the limit, which does no harm.
    pub(crate) fn accounts(&self) -> Accounts {
        let mut accounts = Accounts {
            cpu: self.cpu_split(),
            pressure: self.pressure(),
            memory_peak: None,
            killed_for_memory: self.has_run_out(),
            reached_memory_limit: false,
            processes: None,
            refused_processes: 0,
        };
        if let Some(directory) = self.process_folder() {
            accounts.processes = number(&directory.join("pids.peak"));
            accounts.refused_processes = keyed(&directory.join("pids.events"), "max").unwrap_or(0);
        }
        if let Some(directory) = self.directory(self.hierarchies.memory.as_ref()) {
            accounts.memory_peak = number(&directory.join("memory.max_usage_in_bytes"));
            // The kernel's count of failures stays 0 if memory and swap have the same limit, so the peak decides. A
            // large allocation can fail somewhat below the limit.
            let limit = number(&directory.join("memory.limit_in_bytes")).unwrap_or(u64::MAX);
            accounts.reached_memory_limit = accounts.memory_peak.is_some_and(|peak| peak >= limit - limit / 16);
        } else if let (Some(directory), true) = (self.unified(), self.hierarchies.unified_has_memory) {
            accounts.memory_peak = number(&directory.join("memory.peak"));
            accounts.reached_memory_limit =
                keyed(&directory.join("memory.events"), "oom").is_some_and(|count| count > 0);
        }
        accounts
    }

    fn members(&self) -> Vec<i32> {
        let mut members: Vec<i32> = self
            .directories()
            .filter_map(|directory| fs::read_to_string(directory.join("cgroup.procs")).ok())
            .flat_map(|text| text.lines().filter_map(|line| line.parse().ok()).collect::<Vec<i32>>())
            .collect();
        members.sort_unstable();
        members.dedup();
        members
    }

    /// Kills every process in the group and waits for them to end. Returns the number of survivors.
    pub(crate) fn kill(&self) -> usize {
        let mut members = self.members();
        if members.is_empty() {
            return 0;
        }
        if let Some(directory) = self.directory(self.hierarchies.pids.as_ref()) {
            // Prevent new processes while we go through the list.
            let _ = fs::write(directory.join("pids.max"), "0");
        }
        for round in 0..200 {
            // Kernels without `cgroup.kill` need a signal to every process.
            let killed_at_once =
                self.unified().is_some_and(|directory| fs::write(directory.join("cgroup.kill"), "1").is_ok());
            if !killed_at_once {
                for pid in members.iter().filter_map(|pid| rustix::process::Pid::from_raw(*pid)) {
                    let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
                }
            }
            thread::sleep(Duration::from_micros(if round < 20 { 200 } else { 10_000 }));
            members = self.members();
            if members.is_empty() {
                return 0;
            }
        }
        members.len()
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let mut has_survivors = false;
        for directory in self.directories() {
            for round in 0..100 {
                match fs::remove_dir(&directory) {
                    Err(e) if e.kind() == io::ErrorKind::ResourceBusy && !has_survivors => {
                        // It contains processes, or is still busy for a moment after the last one ended.
                        has_survivors = self.kill() > 0;
                        thread::sleep(Duration::from_micros(if round < 20 { 200 } else { 5000 }));
                    }
                    _ => break,
                }
            }
        }
    }
}

/// The number in a file that contains nothing else.
pub(crate) fn number(file: &Path) -> Option<u64> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// The value of a key in a file of `key value` lines.
pub(crate) fn keyed(file: &Path, key: &str) -> Option<u64> {
    keyed_in(&fs::read_to_string(file).ok()?, key)
}

fn keyed_in(text: &str, key: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')?.parse().ok())
}
