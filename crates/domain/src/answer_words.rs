//! The words by which a solver states its answers.

use crate::Answer;
use serde::{Deserialize, Serialize};

/// The words of a solver that does not print `sat`, `unsat` and `unknown`, such as `Fail` and `Valid` of an entailment
/// prover.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AnswerWords {
    /// The words for `sat`: the formula is satisfiable, or the entailment fails.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sat: Vec<String>,
    /// The words for `unsat`: the formula is unsatisfiable, or the entailment holds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unsat: Vec<String>,
    /// The words for `unknown`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unknown: Vec<String>,
}

impl AnswerWords {
    /// Whether the solver prints the usual answers.
    pub fn is_empty(&self) -> bool {
        self.all().next().is_none()
    }

    /// All words, with their answers.
    pub fn all(&self) -> impl Iterator<Item = (Answer, &str)> {
        let sat = self.sat.iter().map(|word| (Answer::Sat, word.as_str()));
        let unsat = self.unsat.iter().map(|word| (Answer::Unsat, word.as_str()));
        sat.chain(unsat).chain(self.unknown.iter().map(|word| (Answer::Unknown, word.as_str())))
    }

    /// The first word that is empty or maps to two answers.
    pub fn ambiguous(&self) -> Option<&str> {
        let is_twice = |(answer, word): &(Answer, &str)| {
            word.trim().is_empty() || self.all().any(|(other, same)| same == *word && other != *answer)
        };
        self.all().find(is_twice).map(|(_, word)| word)
    }
}
