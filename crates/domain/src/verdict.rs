//! Verdicts on outcomes.

use crate::{Answer, Claim};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The ruling on the outcome of one pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Ruling {
    /// The solver answered `sat` or `unsat`, and nothing known contradicts it.
    Solved,
    /// The answer or its evidence is wrong.
    Erroneous,
    /// The solver answered `unknown`.
    Unknown,
    /// A time limit ended the run before there was an answer (R08-3.9).
    Timeout,
    /// The memory limit ended the run before there was an answer (R19-5.20).
    Memout,
    /// The run ended without an answer for any other reason, or printed something else (R08-3.10, R19-5.20).
    Abort,
}

impl Ruling {
    /// All rulings.
    pub const ALL: [Self; 6] = [Self::Solved, Self::Erroneous, Self::Unknown, Self::Timeout, Self::Memout, Self::Abort];

    /// The ruling's name in files and tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Solved => "solved",
            Self::Erroneous => "erroneous",
            Self::Unknown => "unknown",
            Self::Timeout => "timeout",
            Self::Memout => "memout",
            Self::Abort => "abort",
        }
    }
}

impl fmt::Display for Ruling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that does not name a ruling.
#[derive(Debug, thiserror::Error)]
#[error("unknown ruling '{0}'")]
pub struct UnknownRuling(String);

impl FromStr for Ruling {
    type Err = UnknownRuling;

    fn from_str(word: &str) -> Result<Self, UnknownRuling> {
        Self::ALL.into_iter().find(|ruling| ruling.name() == word).ok_or_else(|| UnknownRuling(word.to_owned()))
    }
}

/// The judgement of one outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The claim that was judged: the answer, and the evidence for it.
    pub claim: Claim,
    /// The ruling on the claim.
    pub ruling: Ruling,
    /// The points of the claim, unless it is an error: 1 for an answer or a model, the reduction of a core, the number
    /// of correct answers of an incremental run.
    pub points: u64,
}

impl Verdict {
    /// The answer of the solver.
    pub const fn answer(&self) -> Answer {
        self.claim.answer
    }
}
