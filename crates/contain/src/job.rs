//! What is run, within which limits, and what came of it.

use crate::Isolation;
use serde::Serialize;
use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// What to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    /// The program: a path, or a name on the search path.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Its whole environment.
    pub environment: Vec<(OsString, OsString)>,
    /// The folder to start in.
    pub folder: PathBuf,
    /// The folder that it may write to, which holds the one to start in.
    pub writable: PathBuf,
    /// The cores that it may run on; none means all.
    pub cores: Vec<usize>,
    /// What it reads on standard input; nothing if none is named.
    pub stdin: Option<PathBuf>,
    /// Whether it keeps the network.
    pub network: bool,
}

/// As one would type it, quoted where a shell needs it.
impl fmt::Display for Job {
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
    /// Processes and threads at a time, where a control group counts them. More are refused to it; that ends nothing.
    pub processes: Option<u64>,
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

/// The limit that ended a run.
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
}

/// What a run did and used.
#[derive(Clone, Debug)]
pub struct Measured {
    /// How the first process ended.
    pub ending: Ending,
    /// The limit that ended the run, if one did.
    pub limit: Option<Limit>,
    /// Wall-clock time from the execution of the program until the first process was gone.
    pub wall: Duration,
    /// CPU time, of the tree where [`Isolation::tree_cpu`] says so.
    pub cpu: Duration,
    /// Peak memory of the tree in bytes, where the kernel counts it.
    pub memory: Option<u64>,
    /// The most processes and threads at a time, where they were limited and counted.
    pub processes: Option<u64>,
    /// How often it was refused a new one.
    pub refused_processes: u64,
    /// Standard output, up to the limit.
    pub stdout: Vec<u8>,
    /// Standard error, up to the limit.
    pub stderr: Vec<u8>,
    /// What was in force.
    pub isolation: Isolation,
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
    /// A limit or a namespace could not be put around the program.
    #[error("the run could not be walled in ({0}): {1}")]
    Wall(&'static str, io::Error),
    /// Watching the process failed.
    #[error("the run could not be watched: {0}")]
    Watch(io::Error),
    /// The machine was out of memory, the run was not.
    #[error("this machine ran out of memory before the run reached its limit; use fewer slots or a lower limit")]
    MachineMemory,
    /// Processes of the run could not be killed.
    #[error("{0} processes of the run could not be killed; this machine has to be restarted before it measures again")]
    Survivors(usize),
    /// Somebody asked for the run to be given up.
    #[error("the run was interrupted")]
    Interrupted,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_can_be_typed_again() {
        let job = Job {
            program: "/bin/z3".into(),
            arguments: ["-in", "", "it's", "/a b/x.smt2"].map(OsString::from).into(),
            environment: vec![],
            folder: PathBuf::new(),
            writable: PathBuf::new(),
            cores: vec![],
            stdin: None,
            network: false,
        };
        assert_eq!(job.to_string(), r"/bin/z3 -in '' 'it'\''s' '/a b/x.smt2'");
    }
}
