//! The options of `agon trace`.

use super::Format;
use super::exec::{memory, seconds};
use agon_trace::Policy;
use clap::Args;
use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Args)]
pub struct TraceOptions {
    /// The script, or - for stdin: with statuses in it, or after the statuses and a line '--- BENCHMARK BEGINS HERE
    /// ---'
    pub file: PathBuf,
    /// Wall-clock limit in seconds
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub wall: Option<f64>,
    /// Memory limit of the solver in bytes; k, M and G mean 2^10, 2^20 and 2^30
    #[arg(long, value_name = "BYTES", value_parser = memory)]
    pub memory: Option<u64>,
    /// The rules of a year: 2011 stops after the first answer 'unknown', 2014 to 2018 before the first query of unknown
    /// status, 2019 at neither
    #[arg(long, value_name = "YEAR", default_value_t)]
    pub policy: Policy,
    /// Write each command's answer and times to this file, one line per command
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// The solver and its arguments
    #[arg(last = true, required = true, value_name = "CMD")]
    pub command: Vec<OsString>,
}
