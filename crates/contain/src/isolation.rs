//! What was enforced and measured during a run.

use serde::Serialize;
use std::fmt;

/// The version of control groups that a run was in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CgroupKind {
    /// None: only a process group.
    None,
    /// Version 1 hierarchies.
    V1,
    /// The unified hierarchy.
    V2,
    /// Version 1 controllers alongside the unified hierarchy.
    Hybrid,
}

/// What is enforced and measured for a run, and what is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Isolation {
    /// The run is confined: the fields on users, processes, network and files hold. Otherwise `--unconfined` was given.
    pub confined: bool,
    /// The control groups in use.
    pub cgroup: CgroupKind,
    /// The run has a user of its own, which owns nothing else; otherwise it has the runner's user.
    pub own_user: bool,
    /// CPU time is that of the whole tree, orphans included; otherwise only of the init process and the children it
    /// waited for.
    pub tree_cpu: bool,
    /// The runner gets its share of the run's cores, however many processes the run starts.
    pub cpu_share: bool,
    /// Memory is limited for the whole tree by the kernel; otherwise address space, process by process.
    pub tree_memory: bool,
    /// All processes of the tree are killed at the end; otherwise those that left the process group may survive.
    pub tree_kill: bool,
    /// The run has cores of its own; if its system calls are filtered, it cannot ask the kernel for others.
    pub own_cores: bool,
    /// Processes and threads are counted and limited over the whole tree.
    pub counted_processes: bool,
    /// The run can neither see nor signal processes other than its own.
    pub own_processes: bool,
    /// The run has a /proc of its own, with its own processes only. Otherwise (in a container that masks parts of
    /// /proc) it sees only a few files of the host's, such as /proc/cpuinfo.
    pub own_proc: bool,
    /// The run has no network, except a loopback device of its own.
    pub no_network: bool,
    /// The run sees the system's files, the files it was given and its own directory, and can write only to the last.
    pub read_only_files: bool,
    /// The run's directory has a limited size and disappears with the run.
    pub limited_disk: bool,
    /// System calls that reach beyond the run are refused.
    pub filtered_calls: bool,
}

impl fmt::Display for Isolation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.confined { "confined, " } else { "unconfined, " })?;
        f.write_str(match self.cgroup {
            CgroupKind::None => "no cgroup",
            CgroupKind::V1 => "cgroup v1",
            CgroupKind::V2 => "cgroup v2",
            CgroupKind::Hybrid => "cgroup v1 and v2",
        })?;
        for (name, yes) in [
            ("own user", self.own_user),
            ("tree CPU time", self.tree_cpu),
            ("CPU share", self.cpu_share),
            ("tree memory limit", self.tree_memory),
            ("tree kill", self.tree_kill),
            ("own cores", self.own_cores),
            ("counted processes", self.counted_processes),
            ("own processes", self.own_processes),
            ("own /proc", self.own_proc),
            ("no network", self.no_network),
            ("read-only files", self.read_only_files),
            ("limited disk", self.limited_disk),
            ("filtered calls", self.filtered_calls),
        ] {
            write!(f, ", {name}: {}", if yes { "yes" } else { "no" })?;
        }
        Ok(())
    }
}
