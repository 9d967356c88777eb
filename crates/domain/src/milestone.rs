//! The dates of an edition.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A date in the calendar of an edition, in the order in which they come (R08-6.1, R19-2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Milestone {
    /// The last day for new benchmarks.
    Benchmarks,
    /// The last day for corrections of benchmarks, which add none (R08-4.6).
    Corrections,
    /// The last day for new entrants (R19-4.15).
    FirstDeadline,
    /// The last day for new versions of entrants and for magic numbers (R08-1.5, R08-2.33, R19-4.15).
    SecondDeadline,
    /// The day of the stock index whose opening value enters the seed (R08-4.21, R19-6.10).
    Seed,
    /// The first day of the runs (R08-2.34).
    Start,
    /// The publication of the results.
    Results,
    /// The publication of the submitted solvers (R08-2.9).
    Release,
}

impl Milestone {
    /// All milestones, in order.
    pub const ALL: [Self; 8] = [
        Self::Benchmarks,
        Self::Corrections,
        Self::FirstDeadline,
        Self::SecondDeadline,
        Self::Seed,
        Self::Start,
        Self::Results,
        Self::Release,
    ];

    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Benchmarks => "benchmarks",
            Self::Corrections => "corrections",
            Self::FirstDeadline => "first-deadline",
            Self::SecondDeadline => "second-deadline",
            Self::Seed => "seed",
            Self::Start => "start",
            Self::Results => "results",
            Self::Release => "release",
        }
    }

    /// What happens on that day, for readers.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Benchmarks => "last day for new benchmarks",
            Self::Corrections => "last day for corrections of benchmarks",
            Self::FirstDeadline => "last day for new entrants",
            Self::SecondDeadline => "last day for new versions and magic numbers",
            Self::Seed => "the stock index of this day enters the seed",
            Self::Start => "the runs start",
            Self::Results => "the results are published",
            Self::Release => "the submissions are published",
        }
    }

    /// Whether something ends on that day; otherwise something starts on it.
    pub const fn is_deadline(self) -> bool {
        matches!(self, Self::Benchmarks | Self::Corrections | Self::FirstDeadline | Self::SecondDeadline)
    }
}

impl fmt::Display for Milestone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
