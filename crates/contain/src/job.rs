//! What is run, within which limits, and what came of it.

use crate::{Isolation, Surroundings, Work};
use serde::Serialize;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// What to run.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// The program's file.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// The folder that it may write to, and where in it it starts.
    pub work: &'a Work,
    /// What it sees of the host, read-only, beside the system's files. The program itself needs no mention.
    pub shown: Vec<PathBuf>,
    /// The same as far as everybody may read it: whoever wrote the command may not mean to hand out what is private.
    pub named: Vec<PathBuf>,
    /// What it does not see of that: each is empty for it.
    pub hidden: Vec<PathBuf>,
    /// The cores that it may run on; none means all.
    pub cores: Vec<usize>,
    /// What it reads on standard input; nothing if none is named.
    pub stdin: Option<PathBuf>,
    /// Whether it keeps the network.
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

/// As one would type it, quoted where a shell needs it.
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

/// How much it may use. What is absent is unlimited.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Wall-clock time.
    pub wall: Option<Duration>,
    /// CPU time over the whole tree.
    pub cpu: Option<Duration>,
    /// Memory in bytes over the whole tree.
    pub memory: Option<u64>,
    /// Bytes on standard output and on standard error, each.
    pub output: Option<u64>,
    /// Processes and threads at a time. More are refused to it; that ends nothing.
    pub processes: Option<u64>,
    /// Bytes in its folder, where that is in memory. By default half the memory limit: what it writes there counts as
    /// memory too, and files alone shall not make it run out.
    pub disk: Option<u64>,
    /// Bytes of address space of each process: what was meant by memory before there were control groups.
    pub address_space: Option<u64>,
    /// How long it has to end by itself after it was asked to, at a time limit. What it writes then is not kept.
    pub grace: Duration,
}

/// The room that a run has in its folder where nothing else is said.
const ROOM: u64 = 1 << 30;

impl Limits {
    /// The bytes that it may have in its folder.
    pub fn disk(&self) -> u64 {
        self.disk.unwrap_or_else(|| self.memory.map_or(ROOM, |memory| memory / 2))
    }
}

/// How the first process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Ending {
    /// With an exit code.
    Exit(i32),
    /// By a signal.
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
    /// Memory.
    Memory,
    /// Output.
    Output,
    /// Its folder is full. That ends nothing by itself.
    Disk,
    /// It was refused a process. That ends nothing by itself.
    Processes,
}

impl Limit {
    /// The word for it.
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

/// What a run did and used.
#[derive(Clone, Debug)]
pub struct Measured {
    /// How the first process ended.
    pub ending: Ending,
    /// The limit that ended the run or that it ran into, if there was one.
    pub limit: Option<Limit>,
    /// Wall-clock time from the execution of the program until the first process was gone.
    pub wall: Duration,
    /// CPU time, of the tree where [`Isolation::tree_cpu`] says so.
    pub cpu: Duration,
    /// The part of it spent in the program itself, and the part spent by the kernel for it.
    pub user: Duration,
    /// See [`Measured::user`].
    pub system: Duration,
    /// Peak memory of the tree in bytes, where the kernel counts it: its own, the files in its folder, and files of the
    /// host that it was the first to read.
    pub memory: Option<u64>,
    /// The most of its own memory that was seen at a look. Short runs are over before the first look.
    pub anonymous: Option<u64>,
    /// The resident size of its largest process.
    pub largest_process: u64,
    /// The most processes and threads at a time, where they were limited and counted.
    pub processes: Option<u64>,
    /// Standard output, up to the limit.
    pub stdout: Vec<u8>,
    /// Standard error, up to the limit.
    pub stderr: Vec<u8>,
    /// What was in force.
    pub isolation: Isolation,
    /// What went on around it.
    pub surroundings: Surroundings,
}

/// Why a run could not be made or cannot be trusted.
#[derive(Debug, thiserror::Error)]
pub enum ContainError {
    /// The program is missing or cannot be executed: the one that is not the machine's doing.
    #[error("{0} cannot be started: {1}")]
    Start(PathBuf, io::Error),
    /// What it should read cannot be read.
    #[error("{0}: {1}")]
    Input(PathBuf, io::Error),
    /// A control group could not be made.
    #[error("no control group could be made: {0}")]
    Cgroup(io::Error),
    /// A limit or a namespace could not be put around the program, so it was not run.
    #[error("the run could not be confined ({0}): {1}")]
    Wall(String, io::Error),
    /// Watching the process failed.
    #[error("the run could not be watched: {0}")]
    Watch(io::Error),
    /// The machine was out of memory, the run was not.
    #[error("this machine ran out of memory before the run reached its limit; use fewer slots or a lower limit")]
    MachineMemory,
    /// The machine had no process left, the run had.
    #[error("this machine refused the run a process before the run reached its limit; something else has used them up")]
    MachineProcesses,
    /// Processes of the run could not be killed.
    #[error("{0} processes of the run could not be killed; this machine has to be restarted before it measures again")]
    Survivors(usize),
    /// What a run has left in a directory that it was given could not be made harmless.
    #[error("what the run left in {0} could not be taken back: {1}")]
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
    fn a_command_line_can_be_typed_again() {
        let work = Work::given(Path::new("/"));
        let job = Job {
            arguments: ["-in", "", "it's", "/a b/x.smt2"].map(OsString::from).into(),
            ..Job::new("/bin/z3", &work)
        };
        assert_eq!(job.to_string(), r"/bin/z3 -in '' 'it'\''s' '/a b/x.smt2'");
    }
}
