//! The options of `agon score`.

use super::{Format, ReadingOptions, TrackOptions};
use agon_domain::ScoreKind;
use agon_rulebook::Deviation;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct ScoreOptions {
    /// Results, and the lists and registries that belong to them: files, directories, patterns or archives; by default
    /// the competition's own results
    #[arg(value_name = "RESULTS")]
    pub files: Vec<PathBuf>,
    /// The rulebook, instead of the competition's; if repeated, the results are scored under each
    #[arg(long, value_name = "RULEBOOK")]
    pub rules: Vec<String>,
    #[command(flatten)]
    pub track: TrackOptions,
    /// Name winners although some heats are not complete: those heats are ignored (R19-6.8)
    #[arg(long = "final", conflicts_with = "files")]
    pub is_final: bool,
    /// Score like the published results of the edition, where those do not follow the text of its rules
    #[arg(long)]
    pub as_published: bool,
    /// A deviation from the text; 'agon rules show' lists those of a rulebook
    #[arg(long, value_name = "NAME")]
    pub deviation: Vec<Deviation>,
    /// Show where two rulebooks place solvers differently
    #[arg(long)]
    pub diff: bool,
    /// List the runs that make up a solver's line in a division, with the rule for each
    #[arg(long, num_args = 2, value_names = ["DIVISION", "SOLVER"])]
    pub explain: Option<Vec<String>>,
    /// The ranking to explain, and the only one to print as text
    #[arg(long, value_name = "RANKING")]
    pub ranking: Option<ScoreKind>,
    #[command(flatten)]
    pub reading: ReadingOptions,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
