//! The options of `agon exec`.

use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Args)]
pub struct ExecOptions {
    /// Wall-clock limit in seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub wall: Option<f64>,
    /// Limit on the CPU time of the whole tree in seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub cpu: Option<f64>,
    /// Memory limit of the whole tree in bytes; k, M and G mean 2^10, 2^20 and 2^30
    #[arg(long, value_name = "BYTES", value_parser = memory)]
    pub memory: Option<u64>,
    /// The number of cores reserved for the program; by default it may use all
    #[arg(long, value_name = "N")]
    pub cores: Option<usize>,
    /// Limit on the address space of each process in bytes, which runsolver and TreeLimitedRun call memory
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub address_space: Option<u64>,
    /// Limit on the number of processes and threads at a time
    #[arg(long, value_name = "N", default_value_t = 4096, value_parser = clap::value_parser!(u64).range(1..))]
    pub processes: u64,
    /// Limit on the bytes in the program's own directory, which is in memory; by default half the memory limit, or 1G
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub disk: Option<u64>,
    /// Seconds between SIGTERM and SIGKILL at a time limit, in which the program may exit by itself; its output from
    /// then on is discarded
    #[arg(long, value_name = "S", value_parser = pause, default_value = "0.01")]
    pub grace: f64,
    /// The program's stdin: a file, or - for agon's stdin; empty by default
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
    /// The file for the program's stdout; by default agon's stdout with --format text, and discarded otherwise
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Limit on the bytes that the program may write to stdout and to stderr, each
    #[arg(long, value_name = "BYTES", value_parser = bytes, default_value = "64M")]
    pub max_output: u64,
    /// The program's working directory, which it may write to; by default a new one in memory, removed after the run
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// A directory to hide from the program, which sees an empty one instead
    #[arg(long, value_name = "DIR")]
    pub hide: Vec<PathBuf>,
    /// A file or directory that the program may read, besides the system's files, the program itself and the files
    /// that the command names
    #[arg(long, value_name = "PATH")]
    pub show: Vec<PathBuf>,
    /// Pass the limits in the environment as StarExec does; of our own variables, pass only PATH and LANG
    #[arg(long)]
    pub starexec: bool,
    /// Give the program network access
    #[arg(long, conflicts_with = "no_network")]
    pub network: bool,
    /// No network access (the default)
    #[arg(long)]
    pub no_network: bool,
    /// How to print the measurements: text goes to stderr, other formats to stdout
    #[arg(long, value_enum, default_value_t)]
    pub format: ExecFormat,
    /// The program and its arguments
    #[arg(required = true, last = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ExecFormat {
    /// For people
    #[default]
    Text,
    /// One JSON object
    Json,
    /// Lines as BenchExec's runexec prints them
    Runexec,
    /// Lines as in the file that runsolver writes with -v
    Runsolver,
}

fn pause(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.0..=3600.0).contains(seconds));
    seconds.ok_or_else(|| "must be a number of seconds from 0 to an hour".into())
}

pub(super) fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.001..=31_536_000.0).contains(seconds));
    seconds.ok_or_else(|| "must be a number of seconds from a thousandth to a year".into())
}

pub(super) fn memory(text: &str) -> Result<u64, String> {
    let bytes = bytes(text)?;
    // The kernel itself needs some memory to start a program.
    if bytes < 1 << 20 { Err("must be at least a megabyte: no program starts with less".into()) } else { Ok(bytes) }
}

fn bytes(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 10),
        Some(b'M') => (&text[..text.len() - 1], 20),
        Some(b'G') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift)).filter(|bytes| *bytes > 0);
    bytes.ok_or_else(|| "must be a number of bytes, such as 4000000000 or 4G".into())
}
