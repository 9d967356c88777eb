//! The options of `compare`.

use super::{Format, ReadingOptions};
use agon_domain::Track;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct CompareOptions {
    /// Results before: a file, directory, pattern or archive
    #[arg(value_name = "A")]
    pub before: PathBuf,
    /// Results after
    #[arg(value_name = "B")]
    pub after: PathBuf,
    /// A list or registry that belongs to both, such as the list of benchmarks
    #[arg(long, value_name = "FILE")]
    pub with: Vec<PathBuf>,
    /// The track; by default the one the results show
    #[arg(long)]
    pub track: Option<Track>,
    /// The solver before, if there are several and its name has changed
    #[arg(long, value_name = "SOLVER", requires = "to")]
    pub from: Option<String>,
    /// The solver after
    #[arg(long, value_name = "SOLVER", requires = "from")]
    pub to: Option<String>,
    /// Report times that differ by this factor
    #[arg(long, default_value_t = 1.5)]
    pub factor: f64,
    /// And by this many seconds
    #[arg(long, default_value_t = 0.5)]
    pub seconds: f64,
    #[command(flatten)]
    pub reading: ReadingOptions,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
