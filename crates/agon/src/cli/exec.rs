//! The options of `agon exec`.

use super::Format;
use clap::Args;
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
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub memory: Option<u64>,
    /// How many cores it has to itself; by default it may use all
    #[arg(long, value_name = "N")]
    pub cores: Option<usize>,
    /// The most processes and threads at a time
    #[arg(long, value_name = "N", default_value_t = 32_768)]
    pub processes: u64,
    /// What it reads on standard input; by default nothing
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
    /// Where its standard output goes; by default to ours, and with --format json nowhere
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// The most bytes that it may write to standard output, and to standard error
    #[arg(long, value_name = "BYTES", value_parser = bytes, default_value = "64M")]
    pub max_output: u64,
    /// The folder that it starts in and may write to; by default a fresh one that goes with it
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Let it keep the network
    #[arg(long)]
    pub network: bool,
    /// How to print what was measured: to standard error for people, to standard output as JSON
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// The program and its arguments
    #[arg(required = true, last = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.001..=31_536_000.0).contains(seconds));
    seconds.ok_or_else(|| "it has to be a number of seconds, from a thousandth to a year".into())
}

fn bytes(text: &str) -> Result<u64, String> {
    let (digits, shift) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 10),
        Some(b'M') => (&text[..text.len() - 1], 20),
        Some(b'G') => (&text[..text.len() - 1], 30),
        _ => (text, 0),
    };
    let bytes = digits.parse::<u64>().ok().and_then(|number| number.checked_mul(1 << shift)).filter(|bytes| *bytes > 0);
    bytes.ok_or_else(|| "it has to be a number of bytes, such as 4000000000 or 4G".into())
}
