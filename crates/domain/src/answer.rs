//! What a solver says of a query, and what is known of it.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A solver's reply to one `check-sat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// The solver says that a model exists.
    Sat,
    /// The solver says that none exists.
    Unsat,
    /// The solver says `unknown`, or nothing that can be read as an answer.
    Unknown,
}

impl Answer {
    /// The word in SMT-LIB.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sat => "sat",
            Self::Unsat => "unsat",
            Self::Unknown => "unknown",
        }
    }

    /// `sat` or `unsat`: the solver committed itself.
    pub const fn is_definite(self) -> bool {
        !matches!(self, Self::Unknown)
    }

    /// Whether the answer contradicts a known status. An unknown status contradicts nothing (R19-7.3).
    pub fn contradicts(self, status: Status) -> bool {
        self.is_definite() && status.is_definite() && self != status
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Answer {
    type Err = String;

    fn from_str(word: &str) -> Result<Self, String> {
        match word {
            "sat" => Ok(Self::Sat),
            "unsat" => Ok(Self::Unsat),
            "unknown" => Ok(Self::Unknown),
            other => Err(format!("'{other}' is not one of sat, unsat, unknown")),
        }
    }
}

/// A benchmark's `:status`: what is known of a query before anybody is asked. Same three words, other role.
pub type Status = Answer;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_definite_words_contradict() {
        assert!(Answer::Sat.contradicts(Status::Unsat));
        assert!(!Answer::Sat.contradicts(Status::Sat));
        assert!(!Answer::Sat.contradicts(Status::Unknown));
        assert!(!Answer::Unknown.contradicts(Status::Sat));
    }
}
