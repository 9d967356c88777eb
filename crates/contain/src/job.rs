//! A job, its limits, and the measurements of its run.

use crate::{Isolation, Surroundings, Work};
use serde::Serialize;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// A program to run, with its arguments, its environment and the files that it sees.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// The program's path.
    pub program: PathBuf,
    /// The program's arguments.
    pub arguments: Vec<OsString>,
    /// The program's whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// The directory that it may write to, and its working directory in it.
    pub work: &'a Work,
    /// Files of the host that it sees, read-only, besides the system's. The program itself need not be listed.
    pub shown: Vec<PathBuf>,
    /// Like `shown`, but only files that everybody may read: the author of a command may not intend to share private
    /// ones.
    pub named: Vec<PathBuf>,
    /// Paths within `shown` that are empty for the run.
    pub hidden: Vec<PathBuf>,
    /// The cores that it may run on; empty means all.
    pub cores: Vec<usize>,
    /// The file that it reads on stdin, if any.
    pub stdin: Option<PathBuf>,
    /// Whether it has network access.
    pub network: bool,
}

impl<'a> Job<'a> {
    /// A program alone: no arguments, an empty environment, nothing hidden, all cores, no input, no network.
    pub fn new(program: impl Into<PathBuf>, work: &'a Work) -> Self {
        Self {
            program: program.into(),
            arguments: vec![],
            environment: vec![],
            work,
            shown: vec![],
            named: vec![],
            hidden: vec![],
            cores: vec![],
            stdin: None,
            network: false,
        }
    }

    /// How many cores it may use at a time.
    pub(crate) fn core_count(&self) -> usize {
        let all = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        if self.cores.is_empty() { all() } else { self.cores.len() }
    }
}

/// The command line, quoted for a shell where necessary.
impl fmt::Display for Job<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", quoted(&self.program.to_string_lossy()))?;
        self.arguments.iter().try_for_each(|word| write!(f, " {}", quoted(&word.to_string_lossy())))
    }
}

fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=:,@%".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Limits of a run. `None` means unlimited.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Wall-clock time.
    pub wall: Option<Duration>,
    /// CPU time over the whole tree.
    pub cpu: Option<Duration>,
    /// Memory in bytes over the whole tree.
    pub memory: Option<u64>,
    /// Bytes on stdout and on stderr, each.
    pub output: Option<u64>,
    /// Processes and threads at a time. More are refused; that does not end the run.
    pub processes: Option<u64>,
    /// Bytes in its directory, if that is in memory. By default half the memory limit: files there count as memory too,
    /// and should not use it up by themselves.
    pub disk: Option<u64>,
    /// Bytes of address space of each process: the memory limit of systems that predate control groups.
    pub address_space: Option<u64>,
    /// How long it has to exit by itself after SIGTERM at a time limit. Output from then on is not kept.
    pub grace: Duration,
}

/// The default size limit of a run's directory, without a memory limit.
const ROOM: u64 = 1 << 30;

impl Limits {
    /// The size limit of the run's directory, in bytes.
    pub fn disk(&self) -> u64 {
        self.disk.unwrap_or_else(|| self.memory.map_or(ROOM, |memory| memory / 2))
    }
}

/// How the program's process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// It exited with this code.
    Exit(i32),
    /// It was killed by this signal.
    Signal(i32),
}

/// The limit that ended a run, or that it ran into.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Limit {
    /// Wall-clock time.
    Wall,
    /// CPU time.
    Cpu,
    /// Memory of the whole tree.
    Memory,
    /// Bytes on stdout or stderr.
    Output,
    /// The run's directory is full. That does not end the run.
    Disk,
    /// A new process was refused. That does not end the run.
    Processes,
}

impl Limit {
    /// The limit's name in files and output.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Wall => "wall",
            Self::Cpu => "cpu",
            Self::Memory => "memory",
            Self::Output => "output",
            Self::Disk => "disk",
            Self::Processes => "processes",
        }
    }
}

/// The measurements of a run.
#[derive(Clone, Debug)]
pub struct Measured {
    /// How the program's process ended.
    pub ending: Ending,
    /// The limit that ended the run or that it reached, if any.
    pub limit: Option<Limit>,
    /// Wall-clock time from the execution of the program until its process ended.
    pub wall: Duration,
    /// CPU time, of the whole tree if [`Isolation::tree_cpu`] is set.
    pub cpu: Duration,
    /// The part of the CPU time in user mode.
    pub user: Duration,
    /// The part of the CPU time in the kernel.
    pub system: Duration,
    /// Peak memory of the tree in bytes, where the kernel counts it: anonymous memory, files in its directory, and
    /// files of the host that it was the first to read.
    pub memory: Option<u64>,
    /// The peak anonymous memory seen while polling. Short runs end before the first poll.
    pub anonymous: Option<u64>,
    /// The peak resident size of its largest process, in bytes.
    pub largest_process: u64,
    /// The peak number of processes and threads, if they were limited and counted.
    pub processes: Option<u64>,
    /// Stdout, up to the limit.
    pub stdout: Vec<u8>,
    /// Stderr, up to the limit.
    pub stderr: Vec<u8>,
    /// What was enforced and measured.
    pub isolation: Isolation,
    /// Other activity on the machine during the run.
    pub surroundings: Surroundings,
}

/// Why a run could not be made or cannot be trusted.
#[derive(Debug, thiserror::Error)]
pub enum ContainError {
    /// The program is missing or cannot be executed. All other errors are failures of the machine or interruptions.
    #[error("{0} cannot be started: {1}")]
    Start(PathBuf, io::Error),
    /// A file that the program should read cannot be read.
    #[error("{0}: {1}")]
    Input(PathBuf, io::Error),
    /// A control group could not be created.
    #[error("cannot create a control group: {0}")]
    Cgroup(io::Error),
    /// A limit or a namespace could not be set up, so the program was not started.
    #[error("the run could not be confined ({0}): {1}")]
    Wall(String, io::Error),
    /// Watching the process failed.
    #[error("the run could not be watched: {0}")]
    Watch(io::Error),
    /// The machine, not the run, was out of memory.
    #[error("this machine ran out of memory before the run reached its limit; use fewer slots or a lower limit")]
    MachineMemory,
    /// The machine, not the run, was out of processes.
    #[error("this machine ran out of processes before the run reached its limit; check what else runs on it")]
    MachineProcesses,
    /// Processes of the run could not be killed.
    #[error("{0} processes of the run could not be killed; restart this machine before measuring again")]
    Survivors(usize),
    /// Files that a run left in a directory it was given could not be made harmless.
    #[error("cannot reset the owners and permissions of the files that the run left in {0}: {1}")]
    Leftovers(PathBuf, io::Error),
    /// The run was interrupted.
    #[error("the run was interrupted")]
    Interrupted,
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_command_line_is_quoted_for_a_shell() {
        let work = Work::given(Path::new("/"));
        let job = Job {
            arguments: ["-in", "", "it's", "/a b/x.smt2"].map(OsString::from).into(),
            ..Job::new("/bin/z3", &work)
        };
        assert_eq!(job.to_string(), r"/bin/z3 -in '' 'it'\''s' '/a b/x.smt2'");
    }
}
