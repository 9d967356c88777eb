//! The options of `agon calendar`, `agon freeze`, `agon publish` and `agon round`.

use super::Format;
use agon_edition::Publication;
use clap::{Args, ValueEnum};

#[derive(Args)]
pub struct CalendarOptions {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Print an iCalendar file, which calendar programs can read
    #[arg(long, conflicts_with = "format")]
    pub ical: bool,
}

#[derive(Args)]
pub struct FreezeOptions {
    /// The round that the freeze is for
    #[arg(long, value_name = "NAME", default_value = "final")]
    pub round: String,
    /// Who decides; by default the user who runs the command. May be repeated
    #[arg(long, value_name = "NAME")]
    pub by: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// The options of `agon publish`.
#[derive(Args)]
pub struct PublishOptions {
    /// What to publish
    #[arg(value_enum)]
    pub what: PublicationName,
    /// Who decides; by default the user who runs the command. May be repeated
    #[arg(long, value_name = "NAME")]
    pub by: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PublicationName {
    /// The checksums of the submissions, after the first deadline
    Checksums,
    /// The selected benchmarks with the reasons, when the runs start
    Selection,
    /// The runs and verdicts of all tracks, on the day of the results
    Results,
    /// The submitted archives and descriptions, after the competition
    Submissions,
}

impl PublicationName {
    /// The publication of the library.
    pub const fn to_publication(self) -> Publication {
        match self {
            Self::Checksums => Publication::Checksums,
            Self::Selection => Publication::Selection,
            Self::Results => Publication::Results,
            Self::Submissions => Publication::Submissions,
        }
    }
}

/// The options of `agon round`.
#[derive(Args)]
pub struct RoundOptions {
    /// The round to start; without it, the rounds are listed
    pub start: Option<String>,
    /// Who decides; by default the user who runs the command. May be repeated
    #[arg(long, value_name = "NAME", requires = "start")]
    pub by: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
