//! The options of `compare`.

use super::{Format, ReadingOptions};
use agon_domain::Track;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct CompareOptions {
    /// The old results: a file, directory, pattern or archive
    #[arg(value_name = "A")]
    pub before: PathBuf,
    /// The new results
    #[arg(value_name = "B")]
    pub after: PathBuf,
    /// A list or registry that belongs to both, such as the list of benchmarks
    #[arg(long, value_name = "FILE")]
    pub with: Vec<PathBuf>,
    /// The track; by default detected from the old results
    #[arg(long)]
    pub track: Option<Track>,
    /// The solver's name in A, if there are several solvers and its name has changed
    #[arg(long, value_name = "SOLVER", requires = "to")]
    pub from: Option<String>,
    /// The solver's name in B
    #[arg(long, value_name = "SOLVER", requires = "from")]
    pub to: Option<String>,
    /// Report times that differ by at least this factor, and by at least --seconds
    #[arg(long, default_value_t = 1.5)]
    pub factor: f64,
    /// Report times that differ by at least this many seconds, and by at least --factor
    #[arg(long, default_value_t = 0.5)]
    pub seconds: f64,
    #[command(flatten)]
    pub reading: ReadingOptions,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
