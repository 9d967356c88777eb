//! Where control groups can be created on this host: versions 1 and 2, and hybrids of both.

use crate::ceiling::Ceilings;
use crate::group::Group;
use crate::{CgroupKind, Limits};
use rustix::fs::Access;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// The parent directories of the groups, by purpose.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hierarchies {
    /// The unified hierarchy: always for CPU accounting and killing, for memory and process counts where delegated.
    pub(crate) unified: Option<PathBuf>,
    pub(crate) unified_has_memory: bool,
    unified_has_pids: bool,
    unified_has_cpu: bool,
    /// Version 1 parents.
    pub(crate) memory: Option<PathBuf>,
    pub(crate) cpuacct: Option<PathBuf>,
    pub(crate) cpu: Option<PathBuf>,
    pub(crate) pids: Option<PathBuf>,
    /// For process counts, used only by runs that limit them: every group costs each run some time.
    spare_pids: Option<PathBuf>,
    /// The limits of the ancestor groups, which lower those of a run.
    ceilings: Ceilings,
}

/// Where groups may be created.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Only below the group of this process, which a batch system may have confined it to.
    OwnGroup,
    /// Wherever permissions allow.
    Anywhere,
}

impl Hierarchies {
    /// Finds the hierarchies that this process may use. There may be none.
    pub(crate) fn probe(reach: Reach) -> Self {
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
        let own = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        let mut found = Self::default();
        for (mount, kind, options) in mounts.lines().filter_map(mount_line) {
            let mount = Path::new(mount);
            if kind == "cgroup2" && found.unified.is_none() {
                found.unified = unified_parent(mount, own_path(&own, ""), reach);
            }
            if kind == "cgroup" {
                for (controller, place) in [
                    ("memory", &mut found.memory),
                    ("cpuacct", &mut found.cpuacct),
                    ("cpu", &mut found.cpu),
                    ("pids", &mut found.pids),
                ] {
                    if options.split(',').any(|option| option == controller) && place.is_none() {
                        *place = below(mount, own_path(&own, controller)).filter(|parent| usable(parent));
                    }
                }
            }
        }
        if found.unified.is_some() {
            // The unified hierarchy always counts CPU time and kills; every further group costs each run some time.
            found.cpuacct = None;
            found.spare_pids = found.pids.take();
        }
        if found.cpuacct == found.cpu {
            // `cpu` and `cpuacct` are often one hierarchy.
            found.cpuacct = None;
        }
        found.unified_has_cpu = found.unified.as_deref().is_some_and(|parent| gives(parent, "cpu"));
        if found.unified_has_cpu {
            found.cpu = None;
        }
        found.unified_has_memory = found.unified.as_deref().is_some_and(|parent| gives(parent, "memory"));
        found.unified_has_pids = found.unified.as_deref().is_some_and(|parent| gives(parent, "pids"));
        let in_unified = |is_there: bool| found.unified.as_ref().filter(|_| is_there);
        found.ceilings = Ceilings::find(
            found.memory.as_ref().or(in_unified(found.unified_has_memory)),
            found.pids.as_ref().or(found.spare_pids.as_ref()).or(in_unified(found.unified_has_pids)),
        );
        found
    }

    pub(crate) fn kind(&self) -> CgroupKind {
        let has_old = [&self.memory, &self.cpuacct, &self.cpu, &self.pids].into_iter().any(Option::is_some);
        match (&self.unified, has_old) {
            (None, false) => CgroupKind::None,
            (None, true) => CgroupKind::V1,
            (Some(_), false) => CgroupKind::V2,
            (Some(_), true) => CgroupKind::Hybrid,
        }
    }

    pub(crate) fn accounts_cpu(&self) -> bool {
        self.unified.is_some() || self.cpuacct.is_some() || self.counts_cpu_with_shares()
    }

    /// Whether the hierarchy that divides CPU time also counts it.
    fn counts_cpu_with_shares(&self) -> bool {
        self.cpu.as_ref().is_some_and(|cpu| cpu.join("cpuacct.usage").exists())
    }

    /// Whether the runner gets its share of a run's cores, however many processes the run has.
    pub(crate) fn divides_cpu(&self) -> bool {
        self.unified_has_cpu || self.cpu.is_some()
    }

    pub(crate) fn limits_memory(&self) -> bool {
        self.unified_has_memory || self.memory.is_some()
    }

    /// Whether processes can be counted and limited.
    pub(crate) fn counts_processes(&self) -> bool {
        self.pids.is_some() || self.spare_pids.is_some() || self.unified_has_pids
    }

    pub(crate) fn parents(&self) -> impl Iterator<Item = &PathBuf> {
        [&self.unified, &self.memory, &self.cpuacct, &self.cpu, &self.pids].into_iter().flatten()
    }

    /// Creates a group for one run, with its limits set.
    pub(crate) fn create(&self, limits: &Limits, cores: usize) -> io::Result<Group> {
        // If something fails below, dropping the group removes what was created.
        let mut group = Group { hierarchies: self.clone(), name: next_name(), limits: self.ceilings.lower(limits) };
        if group.limits.processes.is_some() && group.hierarchies.pids.is_none() {
            group.hierarchies.pids.clone_from(&self.spare_pids);
        }
        for parent in group.hierarchies.parents() {
            fs::create_dir(parent.join(&group.name)).map_err(|e| naming(&parent.join(&group.name), &e))?;
        }
        if let Some(bytes) = group.limits.memory {
            group.limit_memory(bytes)?;
        }
        if let Some(count) = group.limits.processes {
            group.limit_processes(count)?;
        }
        group.share_cpu(cores)?;
        Ok(group)
    }

    /// Kills and removes the groups of runners that have died.
    pub(crate) fn sweep(&self) {
        for parent in self.parents().chain(&self.spare_pids) {
            for item in fs::read_dir(parent).into_iter().flatten().flatten() {
                let name = item.file_name().to_string_lossy().into_owned();
                if name.starts_with("agon-") && !owner_lives(&name) {
                    let mut group = Group { hierarchies: self.clone(), name, limits: Limits::default() };
                    group.hierarchies.pids = group.hierarchies.pids.take().or(self.spare_pids.clone());
                    group.kill();
                }
            }
        }
    }
}

/// The directory, type and options in a line of `/proc/self/mounts`.
fn mount_line(line: &str) -> Option<(&str, &str, &str)> {
    let mut fields = line.split(' ').skip(1);
    Some((fields.next()?, fields.next()?, fields.next()?))
}

/// The path of this process in a hierarchy, from `/proc/self/cgroup`: lines `number:controllers:path`.
fn own_path<'a>(own: &'a str, controller: &str) -> Option<&'a str> {
    own.lines().find_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?);
        controllers.split(',').any(|name| name == controller).then_some(path)
    })
}

/// The directory of this process's group below a mount.
fn below(mount: &Path, own: Option<&str>) -> Option<PathBuf> {
    // In a cgroup namespace the path can be outside the mount; then use the mount itself.
    let own = mount.join(own?.trim_start_matches('/'));
    Some(if own.is_dir() { own } else { mount.to_owned() })
}

/// Where groups can be created in the unified hierarchy. A group with processes of its own cannot delegate controllers
/// to its children. So a separate top-level directory is tried first, then our own group, with ourselves moved to a
/// child. If a batch system may have confined us to our own group, only that one is used.
fn unified_parent(mount: &Path, own: Option<&str>, reach: Reach) -> Option<PathBuf> {
    if reach == Reach::OwnGroup && own.is_some_and(|path| path != "/") {
        return own_group(mount, own, reach);
    }
    let apart = mount.join("agon");
    give_controllers(mount);
    if (apart.is_dir() || fs::create_dir(&apart).is_ok()) && usable(&apart) {
        give_controllers(&apart);
        // To the rest of the machine, all runs together are one group, which gets the weight of one group per core.
        let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let _ = fs::write(apart.join("cpu.weight"), (100 * cores).min(10_000).to_string());
        return Some(apart);
    }
    own_group(mount, own, Reach::Anywhere)
}

/// Enables every available controller for the groups below a directory.
fn give_controllers(directory: &Path) {
    for controller in ["+memory", "+pids", "+cpu"] {
        let _ = fs::write(directory.join("cgroup.subtree_control"), controller);
    }
}

/// Whether the groups below a directory have a controller.
fn gives(directory: &Path, controller: &str) -> bool {
    let given = fs::read_to_string(directory.join("cgroup.subtree_control")).unwrap_or_default();
    given.split_whitespace().any(|name| name == controller)
}

/// Our own group, with ourselves moved to a child; or its parent, if other processes in our group prevent delegation.
fn own_group(mount: &Path, own: Option<&str>, reach: Reach) -> Option<PathBuf> {
    let mut own = below(mount, own)?;
    if own.ends_with(ASIDE) {
        // An earlier probe has already moved this process.
        own.pop();
    }
    if !usable(&own) {
        return None;
    }
    let aside = own.join(ASIDE);
    if (aside.is_dir() || fs::create_dir(&aside).is_ok()) && fs::write(aside.join("cgroup.procs"), "0").is_ok() {
        give_controllers(&own);
    }
    let above = own.parent().filter(|above| reach == Reach::Anywhere && above.starts_with(mount) && usable(above));
    if let Some(above) = above.filter(|_| !gives(&own, "memory")) {
        give_controllers(above);
        if gives(above, "memory") {
            return Some(above.to_owned());
        }
    }
    Some(own)
}

/// Whether permissions allow creating groups here and moving our processes into them.
fn usable(parent: &Path) -> bool {
    let may = |path: &Path, what| rustix::fs::access(path, what).is_ok();
    may(parent, Access::WRITE_OK | Access::EXEC_OK) && may(&parent.join("cgroup.procs"), Access::WRITE_OK)
}

/// The child group that we move ourselves to.
const ASIDE: &str = "agon-runner";

/// A name for one more group of this process.
fn next_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    format!("{}{}", own_prefix(), COUNT.fetch_add(1, Ordering::Relaxed))
}

/// The prefix of this process's group names: its pid, and its start time in case the pid is reused.
fn own_prefix() -> String {
    let pid = std::process::id();
    format!("agon-{}-{pid}-{}-", namespace(), start_time(pid).unwrap_or(0))
}

/// The number of our pid namespace. Other processes that see these groups may be in another one.
fn namespace() -> u64 {
    let link = fs::read_link("/proc/self/ns/pid").unwrap_or_default();
    let digits: String = link.to_string_lossy().chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap_or(0)
}

/// Whether the runner that created a group may still be alive, by the group's name.
fn owner_lives(name: &str) -> bool {
    let mut fields = name.split('-').skip(1);
    let mut number = || fields.next().and_then(|field| field.parse::<u64>().ok());
    match (number(), number(), number()) {
        (Some(space), Some(pid), Some(start)) if space == namespace() => start_time(pid as u32) == Some(start),
        // Not a run's group, or the group of a runner whose state we cannot see.
        _ => true,
    }
}

/// When a process started, in clock ticks since boot: field 22 of its `stat`.
fn start_time(pid: u32) -> Option<u64> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The second field is the program's name in parentheses, which may contain anything.
    let after_name = &stat[stat.rfind(')')? + 1..];
    after_name.split_whitespace().nth(19)?.parse().ok()
}

/// Adds the path to an error.
pub(crate) fn naming(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_path_is_found_by_controller() {
        let own = "9:name=systemd:/a\n4:memory:/b/c\n2:cpu,cpuacct:/d:e\n0::/f\n";
        assert_eq!(own_path(own, "memory"), Some("/b/c"));
        assert_eq!(own_path(own, "cpuacct"), Some("/d:e"));
        assert_eq!(own_path(own, ""), Some("/f"));
        assert_eq!(own_path(own, "pids"), None);
    }

    #[test]
    fn only_groups_of_dead_runners_are_stale() {
        assert!(owner_lives(&format!("{}7", own_prefix())));
        assert!(!owner_lives(&format!("agon-{}-{}-1-7", namespace(), std::process::id())));
        assert!(owner_lives(&format!("agon-1-{}-1-7", std::process::id())), "another pid namespace");
        assert!(owner_lives("agon-runner"));
    }
}
