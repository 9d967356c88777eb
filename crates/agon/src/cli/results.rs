//! The options of commands on results and rules as such.

use super::{Format, TrackOptions};
use agon_domain::Track;
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

#[derive(Args)]
pub struct CompareOptions {
    /// Results before: a file, a directory, a pattern or an archive
    #[arg(value_name = "A")]
    pub before: PathBuf,
    /// Results after
    #[arg(value_name = "B")]
    pub after: PathBuf,
    /// A list or registry that belongs to both, such as the list of benchmarks
    #[arg(long, value_name = "FILE")]
    pub with: Vec<PathBuf>,
    /// The track; by default what the results tell
    #[arg(long)]
    pub track: Option<Track>,
    /// The solver before, if there are several and its name has changed
    #[arg(long, value_name = "SOLVER", requires = "to")]
    pub from: Option<String>,
    /// The solver after
    #[arg(long, value_name = "SOLVER", requires = "from")]
    pub to: Option<String>,
    /// By what factor a time has to differ to be told
    #[arg(long, default_value_t = 1.5)]
    pub factor: f64,
    /// By how many seconds, too
    #[arg(long, default_value_t = 0.5)]
    pub seconds: f64,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// What is done with malformed lines.
#[derive(Args, Clone, Copy, Default)]
pub struct ReadingOptions {
    /// Leave out malformed lines and files, and go on without them
    #[arg(long)]
    pub set_aside: bool,
    /// Count every run if a solver has several on one benchmark
    #[arg(long)]
    pub count_duplicates: bool,
}

/// What a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ImportFormat {
    /// What it says itself
    Auto,
    /// A table of StarExec
    Starexec,
    /// Data of SMT-COMP from 2014 to 2026
    Smtcomp,
    /// Job files of SL-COMP
    Slcomp,
    /// Results of BenchExec
    Benchexec,
}

#[derive(Args)]
pub struct ImportOptions {
    /// The format
    #[arg(value_enum)]
    pub kind: ImportFormat,
    /// Results, and the lists and registries that belong to them: files, directories, patterns or archives
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// The track that they are of; by default what they say themselves
    #[arg(long)]
    pub track: Option<Track>,
    /// Write the results to this file, as one table
    #[arg(long, value_name = "FILE")]
    pub to: Option<PathBuf>,
    #[command(flatten)]
    pub reading: ReadingOptions,
    /// How to print what is in them
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Args)]
pub struct ExportOptions {
    #[command(flatten)]
    pub track: TrackOptions,
    /// Write to this file in place of standard output
    #[arg(long, value_name = "FILE")]
    pub to: Option<PathBuf>,
}

#[derive(Subcommand)]
pub enum RulesCommand {
    /// Name all rulebooks
    #[command(after_help = "Example:\n  agon rules list --format json")]
    List {
        /// How to print the result
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Print a rulebook with everything that is in force
    #[command(after_help = "Example:\n  agon rules show smtcomp-2019")]
    Show {
        /// Its name
        rulebook: String,
    },
    /// Name the fields in which two rulebooks differ
    ///
    /// Exit code 1: they differ.
    #[command(after_help = "Example:\n  agon rules diff smtcomp-2019 smtcomp-2020")]
    Diff {
        /// One
        one: String,
        /// Another
        other: String,
        /// How to print the result
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
}
