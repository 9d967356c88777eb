//! Control groups by their files, versions 1 and 2 and the mixture of both.
//!
//! A [`Hierarchies`] knows the parent folders on this host; a [`Group`] is one child in each of them, made for one run.

use crate::{CgroupKind, Limits};
use rustix::fs::Access;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

/// The parent folders below which groups are made, by what they are good for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hierarchies {
    /// The unified hierarchy: CPU accounting and killing always, memory and process counts where delegated.
    unified: Option<PathBuf>,
    unified_has_memory: bool,
    unified_has_pids: bool,
    /// Version 1 parents.
    memory: Option<PathBuf>,
    cpuacct: Option<PathBuf>,
    pids: Option<PathBuf>,
    /// One for process counts, used only by runs that limit them: every group costs a run its time.
    spare_pids: Option<PathBuf>,
}

/// CPU time, and how it divides into that of the program and that of the kernel.
#[derive(Clone, Copy)]
pub(crate) struct Cpu {
    pub(crate) all: Duration,
    pub(crate) user: Duration,
    pub(crate) system: Duration,
}

/// How long some of a group's processes had to wait, where the kernel counts it.
#[derive(Clone, Copy, Default)]
pub(crate) struct Pressure {
    pub(crate) cpu: Option<Duration>,
    /// None of them could run.
    pub(crate) cpu_full: Option<Duration>,
    pub(crate) memory: Option<Duration>,
    pub(crate) io: Option<Duration>,
}

/// What a group's accounts say after a run.
pub(crate) struct Accounts {
    pub(crate) cpu: Option<Cpu>,
    pub(crate) pressure: Pressure,
    pub(crate) memory_peak: Option<u64>,
    /// The kernel killed a process of the group for want of memory: the group's, or the machine's.
    pub(crate) killed_for_memory: bool,
    /// The group was at its own limit.
    pub(crate) reached_memory_limit: bool,
    /// The most processes and threads at a time.
    pub(crate) processes: Option<u64>,
    /// How often a new one was refused.
    pub(crate) refused_processes: u64,
}

impl Hierarchies {
    /// Finds what this process may use, staying inside its own group if that is asked for. Finding nothing is no error.
    pub(crate) fn probe(inside: bool) -> Self {
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let mut found = Self::default();
        for (mount, kind, options) in mounts.lines().filter_map(mount_line) {
            let mount = Path::new(mount);
            if kind == "cgroup2" && found.unified.is_none() {
                found.unified = unified_parent(mount, own_path(&own, ""), inside);
            }
            if kind == "cgroup" {
                for (controller, place) in
                    [("memory", &mut found.memory), ("cpuacct", &mut found.cpuacct), ("pids", &mut found.pids)]
                {
                    if options.split(',').any(|option| option == controller) && place.is_none() {
                        *place = below(mount, own_path(&own, controller)).filter(|parent| usable(parent));
                    }
                }
            }
        }
        if found.unified.is_some() {
            // It counts CPU time and kills whatever controllers it has; every further group costs a run its time.
            found.cpuacct = None;
            found.spare_pids = found.pids.take();
        }
        found.unified_has_memory = found.unified.as_deref().is_some_and(|parent| gives(parent, "memory"));
        found.unified_has_pids = found.unified.as_deref().is_some_and(|parent| gives(parent, "pids"));
        found
    }

    pub(crate) fn kind(&self) -> CgroupKind {
        match (&self.unified, self.memory.is_some() || self.cpuacct.is_some() || self.pids.is_some()) {
            (None, false) => CgroupKind::None,
            (None, true) => CgroupKind::V1,
            (Some(_), false) => CgroupKind::V2,
            (Some(_), true) => CgroupKind::Hybrid,
        }
    }

    pub(crate) fn accounts_cpu(&self) -> bool {
        self.unified.is_some() || self.cpuacct.is_some()
    }

    pub(crate) fn limits_memory(&self) -> bool {
        self.unified_has_memory || self.memory.is_some()
    }

    /// Whether processes can be counted and limited.
    pub(crate) fn counts_processes(&self) -> bool {
        self.pids.is_some() || self.spare_pids.is_some() || self.unified_has_pids
    }

    fn parents(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.unified, &self.memory, &self.cpuacct, &self.pids].into_iter().flatten()
    }

    /// Makes a group for one run, with its limits set.
    pub(crate) fn create(&self, limits: &Limits) -> io::Result<Group> {
        // Dropped on the way out if something fails, it takes away what was made.
        let mut group = Group { hierarchies: self.clone(), name: next_name() };
        if limits.processes.is_some() && group.hierarchies.pids.is_none() {
            group.hierarchies.pids.clone_from(&self.spare_pids);
        }
        for parent in group.hierarchies.parents() {
            fs::create_dir(parent.join(&group.name)).map_err(|e| naming(&parent.join(&group.name), &e))?;
        }
        if let Some(bytes) = limits.memory {
            group.limit_memory(bytes)?;
        }
        if let Some(count) = limits.processes {
            group.limit_processes(count)?;
        }
        Ok(group)
    }

    /// Ends and removes the groups of runners that are gone.
    pub(crate) fn sweep(&self) {
        for parent in self.parents().chain(&self.spare_pids) {
            for item in fs::read_dir(parent).into_iter().flatten().flatten() {
                let name = item.file_name().to_string_lossy().into_owned();
                if name.starts_with("agon-") && !owner_lives(&name) {
                    let mut group = Group { hierarchies: self.clone(), name };
                    group.hierarchies.pids = group.hierarchies.pids.take().or(self.spare_pids.clone());
                    group.kill();
                }
            }
        }
    }
}

/// A version 1 or 2 mount: folder, type, options.
fn mount_line(line: &str) -> Option<(&str, &str, &str)> {
    let mut fields = line.split(' ').skip(1);
    Some((fields.next()?, fields.next()?, fields.next()?))
}

/// This process's own path in a hierarchy, from `/proc/self/cgroup`: lines `number:controllers:path`.
fn own_path<'a>(own: &'a str, controller: &str) -> Option<&'a str> {
    own.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        controllers.split(',').any(|name| name == controller).then_some(path)
    })
}

fn below(mount: &Path, own: Option<&str>) -> Option<PathBuf> {
    // A namespaced view can show a path outside the mount; the mount itself is then the place.
    let own = mount.join(own?.trim_start_matches('/'));
    Some(if own.is_dir() { own } else { mount.to_owned() })
}

/// Where groups can be made in the unified hierarchy. A group with processes of its own cannot give controllers to
/// its children, so a folder beside everything else comes first, then our own group with ourselves moved aside. Where a
/// group of our own is somebody's bound on us, only that one will do.
fn unified_parent(mount: &Path, own: Option<&str>, inside: bool) -> Option<PathBuf> {
    if inside && own.is_some_and(|path| path != "/") {
        return own_group(mount, own, false);
    }
    let apart = mount.join("agon");
    give_controllers(mount);
    if (apart.is_dir() || fs::create_dir(&apart).is_ok()) && usable(&apart) {
        give_controllers(&apart);
        return Some(apart);
    }
    own_group(mount, own, true)
}

/// Lets the groups below a folder have controllers, each that it can give.
fn give_controllers(folder: &Path) {
    for controller in ["+memory", "+pids"] {
        let _ = fs::write(folder.join("cgroup.subtree_control"), controller);
    }
}

/// Whether the groups below a folder have a controller.
fn gives(folder: &Path, controller: &str) -> bool {
    let given = fs::read_to_string(folder.join("cgroup.subtree_control")).unwrap_or_default();
    given.split_whitespace().any(|name| name == controller)
}

/// Our own group, with ourselves moved aside; or, where others are in it, so that it can give nothing, the one above it.
fn own_group(mount: &Path, own: Option<&str>, may_go_up: bool) -> Option<PathBuf> {
    let mut own = below(mount, own)?;
    if own.ends_with(ASIDE) {
        // We have been here before.
        own.pop();
    }
    if !usable(&own) {
        return None;
    }
    let aside = own.join(ASIDE);
    if (aside.is_dir() || fs::create_dir(&aside).is_ok()) && fs::write(aside.join("cgroup.procs"), "0").is_ok() {
        give_controllers(&own);
    }
    let above = own.parent().filter(|above| may_go_up && above.starts_with(mount) && usable(above));
    if let Some(above) = above.filter(|_| !gives(&own, "memory")) {
        give_controllers(above);
        if gives(above, "memory") {
            return Some(above.to_owned());
        }
    }
    Some(own)
}

/// Whether groups can be made here and processes of ours put into them, as far as permissions tell.
fn usable(parent: &Path) -> bool {
    let may = |path: &Path, what| rustix::fs::access(path, what).is_ok();
    may(parent, Access::WRITE_OK | Access::EXEC_OK) && may(&parent.join("cgroup.procs"), Access::WRITE_OK)
}

/// Where we move ourselves.
const ASIDE: &str = "agon-runner";

/// A name for one more group of this process.
fn next_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("{}{}", own_prefix(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// The start of this process's group names: its number, and its start time so that a reused number is not mistaken
/// for it.
fn own_prefix() -> String {
    let pid = std::process::id();
    format!("agon-{}-{pid}-{}-", namespace(), start_time(pid).unwrap_or(0))
}

/// The number of the namespace that process numbers are of. Others who see these groups may have one of their own.
fn namespace() -> u64 {
    let link = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let digits: String = link.to_string_lossy().chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

fn owner_lives(name: &str) -> bool {
    let mut fields = name.split('-').skip(1);
    let mut number = || fields.next().and_then(|field| field.parse::<u64>().ok());
    match (number(), number(), number()) {
        (Some(space), Some(pid), Some(start)) if space == namespace() => start_time(pid as u32) == Some(start),
        // Not a run's group, or that of a runner whose life we cannot see.
        _ => true,
    }
}

/// When a process started, in clock ticks since boot: field 22 of its `stat`.
fn start_time(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the program's name in parentheses, which may hold anything.
    let after_name = &stat[stat.rfind(')')? + 1..];
    after_name.split_whitespace().nth(19)?.parse().ok()
}

fn naming(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

/// One run's group in every hierarchy. Dropping it kills what is left in it and removes it.
#[derive(Debug)]
pub(crate) struct Group {
    hierarchies: Hierarchies,
    name: String,
}

impl Group {
    fn folder(&self, parent: Option<&PathBuf>) -> Option<PathBuf> {
        parent.map(|parent| parent.join(&self.name))
    }

    fn folders(&self) -> impl Iterator<Item = PathBuf> {
        self.hierarchies.parents().map(|parent| parent.join(&self.name))
    }

    fn unified(&self) -> Option<PathBuf> {
        self.folder(self.hierarchies.unified.as_ref())
    }

    /// The files that a process writes `0` to in order to join.
    pub(crate) fn doors(&self) -> io::Result<Vec<fs::File>> {
        let open = |folder: PathBuf| {
            let door = folder.join("cgroup.procs");
            fs::OpenOptions::new().write(true).open(&door).map_err(|e| naming(&door, &e))
        };
        self.folders().map(open).collect()
    }

    fn limit_memory(&self, bytes: u64) -> io::Result<()> {
        let write = |file: PathBuf, text: &str| fs::write(&file, text).map_err(|e| naming(&file, &e));
        if let Some(folder) = self.folder(self.hierarchies.memory.as_ref()) {
            write(folder.join("memory.limit_in_bytes"), &bytes.to_string())?;
            // Memory and swap together; absent where the kernel does not count swap.
            let _ = fs::write(folder.join("memory.memsw.limit_in_bytes"), bytes.to_string());
            // Buffers of sockets are counted apart, and would be memory for nothing.
            let _ = fs::write(folder.join("memory.kmem.tcp.limit_in_bytes"), (bytes / 16).to_string());
        } else if let (Some(folder), true) = (self.unified(), self.hierarchies.unified_has_memory) {
            write(folder.join("memory.max"), &bytes.to_string())?;
            let _ = fs::write(folder.join("memory.swap.max"), "0");
            // One victim is enough to call the run out of memory; take the rest of the tree with it.
            let _ = fs::write(folder.join("memory.oom.group"), "1");
        }
        Ok(())
    }

    fn limit_processes(&self, count: u64) -> io::Result<()> {
        match self.process_folder() {
            Some(folder) => fs::write(folder.join("pids.max"), count.to_string()).map_err(|e| naming(&folder, &e)),
            None => Ok(()),
        }
    }

    /// Where processes are counted, if they are.
    fn process_folder(&self) -> Option<PathBuf> {
        let in_unified = || self.unified().filter(|folder| folder.join("pids.max").exists());
        self.folder(self.hierarchies.pids.as_ref()).or_else(in_unified)
    }

    /// CPU time of everything that ever was in the group.
    pub(crate) fn cpu(&self) -> Option<Duration> {
        if let Some(folder) = self.folder(self.hierarchies.cpuacct.as_ref()) {
            return number(&folder.join("cpuacct.usage")).map(Duration::from_nanos);
        }
        keyed(&self.unified()?.join("cpu.stat"), "usage_usec").map(Duration::from_micros)
    }

    /// The same with its parts.
    fn cpu_split(&self) -> Option<Cpu> {
        if let Some(folder) = self.folder(self.hierarchies.cpuacct.as_ref()) {
            let time = |file| number(&folder.join(file)).map(Duration::from_nanos);
            let all = time("cpuacct.usage")?;
            return Some(Cpu { all, user: time("cpuacct.usage_user")?, system: time("cpuacct.usage_sys")? });
        }
        let text = fs::read_to_string(self.unified()?.join("cpu.stat")).ok()?;
        let time = |key| keyed_in(&text, key).map(Duration::from_micros);
        Some(Cpu { all: time("usage_usec")?, user: time("user_usec")?, system: time("system_usec")? })
    }

    fn pressure(&self) -> Pressure {
        let Some(folder) = self.unified() else { return Pressure::default() };
        let read = |file| fs::read_to_string(folder.join(file)).unwrap_or_default();
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

    /// The memory that belongs to its processes alone, now.
    pub(crate) fn anonymous(&self) -> Option<u64> {
        match (self.folder(self.hierarchies.memory.as_ref()), self.hierarchies.unified_has_memory) {
            (Some(folder), _) => keyed(&folder.join("memory.stat"), "total_rss"),
            (None, true) => keyed(&self.unified()?.join("memory.stat"), "anon"),
            (None, false) => None,
        }
    }

    /// Whether the kernel has killed one of its processes for want of memory.
    pub(crate) fn has_run_out(&self) -> bool {
        let kills = match (self.folder(self.hierarchies.memory.as_ref()), self.hierarchies.unified_has_memory) {
            (Some(folder), _) => keyed(&folder.join("memory.oom_control"), "oom_kill"),
            (None, true) => self.unified().and_then(|folder| keyed(&folder.join("memory.events"), "oom_kill")),
            (None, false) => None,
        };
        kills.is_some_and(|count| count > 0)
    }

    /// What the run used. The kernel's own count of kills decides on memory: a full page cache also reaches the limit,
    /// and harms nobody.
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
        if let Some(folder) = self.process_folder() {
            accounts.processes = number(&folder.join("pids.peak"));
            accounts.refused_processes = keyed(&folder.join("pids.events"), "max").unwrap_or(0);
        }
        if let Some(folder) = self.folder(self.hierarchies.memory.as_ref()) {
            accounts.memory_peak = number(&folder.join("memory.max_usage_in_bytes"));
            // The count of failures stays 0 where memory and swap have the same limit, so the peak has to tell. A large
            // piece can fail some way below the limit.
            let limit = number(&folder.join("memory.limit_in_bytes")).unwrap_or(u64::MAX);
            accounts.reached_memory_limit = accounts.memory_peak.is_some_and(|peak| peak >= limit - limit / 16);
        } else if let (Some(folder), true) = (self.unified(), self.hierarchies.unified_has_memory) {
            accounts.memory_peak = number(&folder.join("memory.peak"));
            accounts.reached_memory_limit = keyed(&folder.join("memory.events"), "oom").is_some_and(|count| count > 0);
        }
        accounts
    }

    fn members(&self) -> Vec<i32> {
        let mut members: Vec<i32> = self
            .folders()
            .filter_map(|folder| fs::read_to_string(folder.join("cgroup.procs")).ok())
            .flat_map(|text| text.lines().filter_map(|line| line.parse().ok()).collect::<Vec<i32>>())
            .collect();
        members.sort_unstable();
        members.dedup();
        members
    }

    /// Kills everything in the group and waits until it is gone; gives the number of processes that would not go.
    pub(crate) fn kill(&self) -> usize {
        let mut members = self.members();
        if members.is_empty() {
            return 0;
        }
        if let Some(folder) = self.folder(self.hierarchies.pids.as_ref()) {
            // Nothing new may start while we go through the list.
            let _ = fs::write(folder.join("pids.max"), "0");
        }
        for round in 0..200 {
            let killed_at_once =
                self.unified().is_some_and(|folder| fs::write(folder.join("cgroup.kill"), "1").is_ok());
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
        for folder in self.folders() {
            for round in 0..100 {
                match fs::remove_dir(&folder) {
                    Err(e) if e.kind() == io::ErrorKind::ResourceBusy && !has_survivors => {
                        // Something is left in it; and it stays busy for a moment after its last process.
                        has_survivors = self.kill() > 0;
                        thread::sleep(Duration::from_micros(if round < 20 { 200 } else { 5000 }));
                    }
                    _ => break,
                }
            }
        }
    }
}

fn number(file: &Path) -> Option<u64> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// The number behind a word in a file of `word number` lines.
fn keyed(file: &Path, key: &str) -> Option<u64> {
    keyed_in(&fs::read_to_string(file).ok()?, key)
}

fn keyed_in(text: &str, key: &str) -> Option<u64> {
    text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(' ')?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_paths_by_controller() {
        let own = "9:name=systemd:/a\n4:memory:/b/c\n2:cpu,cpuacct:/d:e\n0::/f\n";
        assert_eq!(own_path(own, "memory"), Some("/b/c"));
        assert_eq!(own_path(own, "cpuacct"), Some("/d:e"));
        assert_eq!(own_path(own, ""), Some("/f"));
        assert_eq!(own_path(own, "pids"), None);
    }

    #[test]
    fn a_group_belongs_to_a_live_process_or_is_stale() {
        assert!(owner_lives(&format!("{}7", own_prefix())));
        assert!(!owner_lives(&format!("agon-{}-{}-1-7", namespace(), std::process::id())));
        assert!(owner_lives(&format!("agon-1-{}-1-7", std::process::id())), "of another namespace");
        assert!(owner_lives("agon-runner"));
    }
}
