//! Scores and rankings.

use crate::Time;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::Add;
use std::str::FromStr;

/// The quadruple ⟨e, n, w, c⟩ of a benchmark or of a whole division (R19-7.1).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Score {
    /// e: the number of erroneous results.
    pub error: u64,
    /// n: the number of correct results, or the reduction in the unsat-core track.
    pub correct: u64,
    /// w: wall-clock time.
    pub wall: Time,
    /// c: CPU time.
    pub cpu: Time,
}

impl Add for Score {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            error: self.error + other.error,
            correct: self.correct + other.correct,
            wall: self.wall + other.wall,
            cpu: self.cpu + other.cpu,
        }
    }
}

/// A way to sum up and rank the scores of a division (R19-3.4, R19-7.7, R19-7.8).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScoreKind {
    /// A virtual CPU limit equal to the wall limit; ordered by CPU time.
    Sequential,
    /// Ordered by wall-clock time.
    Parallel,
    /// Satisfiable benchmarks only.
    Sat,
    /// Unsatisfiable benchmarks only.
    Unsat,
    /// A wall-clock limit of 24 seconds.
    #[serde(rename = "24s")]
    TwentyFour,
}

impl ScoreKind {
    /// All kinds of scores.
    pub const ALL: [Self; 5] = [Self::Sequential, Self::Parallel, Self::Sat, Self::Unsat, Self::TwentyFour];

    /// The time that this ranking compares: CPU time for the sequential one, otherwise wall-clock time.
    pub fn time(self, wall: Time, cpu: Time) -> Time {
        if self == Self::Sequential { cpu } else { wall }
    }

    /// The name in files, options and URLs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sequential => "sequential",
            Self::Parallel => "parallel",
            Self::Sat => "sat",
            Self::Unsat => "unsat",
            Self::TwentyFour => "24s",
        }
    }

    /// The title on pages.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Sequential => "Sequential",
            Self::Parallel => "Parallel",
            Self::Sat => "Sat",
            Self::Unsat => "Unsat",
            Self::TwentyFour => "24 seconds",
        }
    }
}

/// A word that does not name a ranking.
#[derive(Debug, thiserror::Error)]
#[error("unknown ranking '{0}'{hint}; the rankings are {all}",
    hint = crate::did_you_mean(.0, ScoreKind::ALL.map(ScoreKind::name)), all = ScoreKind::ALL.map(ScoreKind::name).join(", "))]
pub struct UnknownRanking(String);

impl FromStr for ScoreKind {
    type Err = UnknownRanking;

    fn from_str(word: &str) -> Result<Self, UnknownRanking> {
        Self::ALL.into_iter().find(|kind| kind.name() == word).ok_or_else(|| UnknownRanking(word.to_owned()))
    }
}

impl fmt::Display for ScoreKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
