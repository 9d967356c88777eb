//! The tracks of a competition.

use crate::did_you_mean;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A track of a competition (R19-3.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Track {
    /// One `check-sat` per file; the main track until 2018 (R19-5.22).
    #[default]
    SingleQuery,
    /// Many `check-sat`s per file, sent one by one by the trace executor (R19-5.23).
    Incremental,
    /// `unsat` answers with a core (R19-5.25).
    UnsatCore,
    /// `sat` answers with a model (R19-5.28).
    ModelValidation,
    /// Single queries that no solver has solved yet, nominated by their submitters (R19-5.24).
    IndustryChallenge,
    /// Incremental benchmarks that are nominated in the same way (R19-5.24). They are ranked separately, since their
    /// score counts queries.
    IndustryChallengeIncremental,
    /// `unsat` answers with a proof (2022, 2023).
    Proof,
    /// Hard queries on one large machine (since 2021).
    Parallel,
    /// Hard queries on many machines (2021 to 2024).
    Cloud,
}

impl Track {
    /// All tracks, in the order of the rules.
    pub const ALL: [Self; 9] = [
        Self::SingleQuery,
        Self::Incremental,
        Self::UnsatCore,
        Self::ModelValidation,
        Self::IndustryChallenge,
        Self::IndustryChallengeIncremental,
        Self::Proof,
        Self::Parallel,
        Self::Cloud,
    ];

    /// Whether the trace executor sends the commands of a benchmark one by one (R19-5.6).
    pub const fn is_incremental(self) -> bool {
        matches!(self, Self::Incremental | Self::IndustryChallengeIncremental)
    }

    /// Whether the benchmarks are those that were nominated for the track (R19-5.24).
    pub const fn is_nominated(self) -> bool {
        matches!(self, Self::IndustryChallenge | Self::IndustryChallengeIncremental)
    }

    /// The name in files, options and URLs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::SingleQuery => "single-query",
            Self::Incremental => "incremental",
            Self::UnsatCore => "unsat-core",
            Self::ModelValidation => "model-validation",
            Self::IndustryChallenge => "industry-challenge",
            Self::IndustryChallengeIncremental => "industry-challenge-incremental",
            Self::Proof => "proof",
            Self::Parallel => "parallel",
            Self::Cloud => "cloud",
        }
    }

    /// The title on pages.
    pub const fn title(self) -> &'static str {
        match self {
            Self::SingleQuery => "Single Query Track",
            Self::Incremental => "Incremental Track",
            Self::UnsatCore => "Unsat-Core Track",
            Self::ModelValidation => "Model-Validation Track",
            Self::IndustryChallenge => "Industry-Challenge Track",
            Self::IndustryChallengeIncremental => "Industry-Challenge Track, incremental",
            Self::Proof => "Proof Exhibition Track",
            Self::Parallel => "Parallel Track",
            Self::Cloud => "Cloud Track",
        }
    }
}

impl fmt::Display for Track {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that does not name a track.
#[derive(Debug, thiserror::Error)]
#[error("unknown track '{0}'{hint}; the tracks are {all}", hint = did_you_mean(.0, Track::ALL.map(Track::name)), all = Track::ALL.map(Track::name).join(", "))]
pub struct UnknownTrack(String);

impl FromStr for Track {
    type Err = UnknownTrack;

    fn from_str(word: &str) -> Result<Self, UnknownTrack> {
        Self::ALL.into_iter().find(|track| track.name() == word).ok_or_else(|| UnknownTrack(word.to_owned()))
    }
}
