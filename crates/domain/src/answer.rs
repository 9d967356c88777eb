//! Answers of solvers, and the statuses they are judged against.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A solver's reply to one `check-sat`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// The solver claims that a model exists.
    Sat,
    /// The solver claims that no model exists.
    Unsat,
    /// The solver printed `unknown`, or nothing that can be read as an answer.
    #[default]
    Unknown,
}

impl Answer {
    /// The answer as solvers print it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sat => "sat",
            Self::Unsat => "unsat",
            Self::Unknown => "unknown",
        }
    }

    /// Parses exactly `sat`, `unsat` or `unknown`, without surrounding whitespace.
    pub const fn read(text: &[u8]) -> Option<Self> {
        match text {
            b"sat" => Some(Self::Sat),
            b"unsat" => Some(Self::Unsat),
            b"unknown" => Some(Self::Unknown),
            _ => None,
        }
    }

    /// Whether this is `sat` or `unsat`.
    pub const fn is_definite(self) -> bool {
        !matches!(self, Self::Unknown)
    }

    /// Whether the answer contradicts a known status. An unknown status contradicts nothing (R19-7.3).
    pub const fn contradicts(self, status: Status) -> bool {
        matches!((self, status), (Self::Sat, Status::Unsat) | (Self::Unsat, Status::Sat))
    }

    /// Whether the answer is definite and equal to the status.
    pub const fn confirms(self, status: Status) -> bool {
        matches!((self, status), (Self::Sat, Status::Sat) | (Self::Unsat, Status::Unsat))
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that is not `sat`, `unsat` or `unknown`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is not one of sat, unsat, unknown")]
pub struct UnknownAnswer(String);

impl FromStr for Answer {
    type Err = UnknownAnswer;

    fn from_str(word: &str) -> Result<Self, UnknownAnswer> {
        Self::read(word.as_bytes()).ok_or_else(|| UnknownAnswer(word.to_owned()))
    }
}

/// The `:status` of a query: what is known about it before any solver runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// A model exists.
    Sat,
    /// No model exists.
    Unsat,
    /// Neither is known.
    #[default]
    Unknown,
}

impl Status {
    /// The status as scripts write it after `:status`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sat => "sat",
            Self::Unsat => "unsat",
            Self::Unknown => "unknown",
        }
    }

    /// Parses the value of `(set-info :status …)`. All code that reads a `:status` uses this function.
    pub const fn read(value: &[u8]) -> Option<Self> {
        match value {
            b"sat" => Some(Self::Sat),
            b"unsat" => Some(Self::Unsat),
            b"unknown" => Some(Self::Unknown),
            _ => None,
        }
    }

    /// Whether this is `sat` or `unsat`.
    pub const fn is_definite(self) -> bool {
        !matches!(self, Self::Unknown)
    }

    /// Whether two sources state opposite statuses.
    pub const fn conflicts_with(self, other: Self) -> bool {
        matches!((self, other), (Self::Sat, Self::Unsat) | (Self::Unsat, Self::Sat))
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Status {
    type Err = UnknownAnswer;

    fn from_str(word: &str) -> Result<Self, UnknownAnswer> {
        Self::read(word.as_bytes()).ok_or_else(|| UnknownAnswer(word.to_owned()))
    }
}

/// The status of a query if the answer is correct.
impl From<Answer> for Status {
    fn from(answer: Answer) -> Self {
        match answer {
            Answer::Sat => Self::Sat,
            Answer::Unsat => Self::Unsat,
            Answer::Unknown => Self::Unknown,
        }
    }
}

/// The definite answers that several solvers gave to one query. This is the one definition of a disagreement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    /// At least one solver answered `sat`.
    pub sat: bool,
    /// At least one solver answered `unsat`.
    pub unsat: bool,
}

impl Answers {
    /// Adds an answer.
    pub const fn add(&mut self, answer: Answer) {
        match answer {
            Answer::Sat => self.sat = true,
            Answer::Unsat => self.unsat = true,
            Answer::Unknown => {}
        }
    }

    /// Whether two solvers contradict each other.
    pub const fn disagree(self) -> bool {
        self.sat && self.unsat
    }

    /// Whether two solvers contradict each other, or one contradicts the status.
    pub const fn dispute(self, status: Status) -> bool {
        match status {
            Status::Sat => self.unsat,
            Status::Unsat => self.sat,
            Status::Unknown => self.disagree(),
        }
    }

    /// The answer that all solvers with a definite answer gave, if there is exactly one.
    pub const fn agreed(self) -> Option<Answer> {
        match (self.sat, self.unsat) {
            (true, false) => Some(Answer::Sat),
            (false, true) => Some(Answer::Unsat),
            _ => None,
        }
    }
}

impl FromIterator<Answer> for Answers {
    fn from_iter<T: IntoIterator<Item = Answer>>(answers: T) -> Self {
        let mut all = Self::default();
        answers.into_iter().for_each(|answer| all.add(answer));
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_definite_answers_contradict() {
        assert!(Answer::Sat.contradicts(Status::Unsat));
        assert!(!Answer::Sat.contradicts(Status::Sat));
        assert!(!Answer::Sat.contradicts(Status::Unknown));
        assert!(!Answer::Unknown.contradicts(Status::Sat));
        assert!(Answer::Unsat.confirms(Status::Unsat) && !Answer::Unknown.confirms(Status::Unknown));
    }

    #[test]
    fn answers_disagree_with_each_other_and_dispute_a_status() {
        let of = |answers: &[Answer]| answers.iter().copied().collect::<Answers>();
        let (sat, unsat, unknown) = (Answer::Sat, Answer::Unsat, Answer::Unknown);
        assert!(of(&[sat, unknown, unsat]).disagree() && !of(&[sat, unknown, sat]).disagree());
        assert!(of(&[sat]).dispute(Status::Unsat) && !of(&[sat]).dispute(Status::Unknown));
        assert!(of(&[sat, unsat]).dispute(Status::Sat) && of(&[sat, unsat]).dispute(Status::Unknown));
        assert_eq!((of(&[unsat]).agreed(), of(&[]).agreed(), of(&[sat, unsat]).agreed()), (Some(unsat), None, None));
    }
}
