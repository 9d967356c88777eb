//! The options of `agon score`.

use super::{Format, ReadingOptions, TrackOptions};
use agon_domain::ScoreKind;
use agon_rulebook::Deviation;
use clap::Args;
use std::path::PathBuf;

#[derive(Args)]
pub struct ScoreOptions {
    /// Results, and the lists and registries that belong to them: files, directories, patterns or archives. Default: the
    /// competition's
    #[arg(value_name = "RESULTS")]
    pub files: Vec<PathBuf>,
    /// The rulebook, in place of the competition's; given several times, the results are scored under each
    #[arg(long, value_name = "RULEBOOK")]
    pub rules: Vec<String>,
    #[command(flatten)]
    pub track: TrackOptions,
    /// Name winners although some heats are not complete: those heats are ignored (R19-6.8)
    #[arg(long = "final", conflicts_with = "files")]
    pub is_final: bool,
    /// Score as the published results of the edition were, where those do not follow the text of its rules
    #[arg(long)]
    pub as_published: bool,
    /// Do not follow the text in this; 'agon rules show' names what there is
    #[arg(long, value_name = "NAME")]
    pub deviation: Vec<Deviation>,
    /// Show where two rulebooks place solvers differently
    #[arg(long)]
    pub diff: bool,
    /// List the runs that make up a solver's line in a division, with the rule for each
    #[arg(long, num_args = 2, value_names = ["DIVISION", "SOLVER"])]
    pub explain: Option<Vec<String>>,
    /// The ranking that is explained, and the only one that is printed as text
    #[arg(long, value_name = "RANKING")]
    pub ranking: Option<ScoreKind>,
    #[command(flatten)]
    pub reading: ReadingOptions,
    /// How to print the result
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
