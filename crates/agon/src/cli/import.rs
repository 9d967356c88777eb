//! The options of `import` and `export`, and of every command that reads results.

use super::{Format, TrackOptions};
use agon_domain::Track;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// How malformed lines are handled.
#[derive(Args, Clone, Copy, Default)]
pub struct ReadingOptions {
    /// Leave out malformed lines and files, and continue
    #[arg(long)]
    pub set_aside: bool,
    /// Count every run if a solver has several on one benchmark
    #[arg(long)]
    pub count_duplicates: bool,
}

/// The format of a file with results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ImportFormat {
    /// Detected from the file
    Auto,
    /// A StarExec table
    Starexec,
    /// SMT-COMP data from 2014 to 2026
    Smtcomp,
    /// SL-COMP job files
    Slcomp,
    /// BenchExec results
    Benchexec,
}

#[derive(Args)]
pub struct ImportOptions {
    /// The format of the files
    #[arg(value_enum)]
    pub kind: ImportFormat,
    /// Results, and the lists and registries that belong to them: files, directories, patterns or archives
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The track; by default detected from the files
    #[arg(long)]
    pub track: Option<Track>,
    /// Write the results to this file, as one table
    #[arg(long, value_name = "FILE")]
    pub to: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingOptions,
    /// How to print the summary
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Args)]
pub struct ExportOptions {
    #[command(flatten)]
    pub track: TrackOptions,
    /// Write to this file instead of stdout
    #[arg(long, value_name = "FILE")]
    pub to: Option<PathBuf>,
}
