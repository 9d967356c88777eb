//! Audits the status of a benchmark by the answers of a panel of solvers.

use agon_domain::{Answer, Status};
use std::fmt;

/// The result of auditing the status of one benchmark (SL19-18).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Audit {
    /// This many solvers confirm the status, which is enough, and none contradicts it.
    Confirmed(usize),
    /// Only this many solvers confirm the status, which is not enough, and none contradicts it.
    Unconfirmed(usize),
    /// These solvers contradict the status.
    Contradicted(Vec<String>),
    /// The status is unknown, and all definite answers are this one, given by this many solvers.
    Settled(Answer, usize),
    /// The status is unknown, and no solver has a definite answer.
    Open,
    /// The status is unknown, and the solvers contradict each other.
    Disputed,
}

impl Audit {
    /// Compares the status with the answers of a panel. `wanted` is the number of solvers that must confirm it.
    pub fn of(status: Status, answers: &[(String, Answer)], wanted: usize) -> Self {
        if status.is_definite() {
            let against: Vec<String> =
                answers.iter().filter(|(_, answer)| answer.contradicts(status)).map(|(name, _)| name.clone()).collect();
            let confirming = answers.iter().filter(|(_, answer)| answer.confirms(status)).count();
            return match confirming {
                _ if !against.is_empty() => Self::Contradicted(against),
                count if count >= wanted => Self::Confirmed(count),
                count => Self::Unconfirmed(count),
            };
        }
        let saying = |answer: Answer| answers.iter().filter(|(_, other)| *other == answer).count();
        match (saying(Answer::Sat), saying(Answer::Unsat)) {
            (0, 0) => Self::Open,
            (count, 0) => Self::Settled(Answer::Sat, count),
            (0, count) => Self::Settled(Answer::Unsat, count),
            _ => Self::Disputed,
        }
    }

    /// Whether an organizer has to examine the benchmark.
    pub const fn is_contradiction(&self) -> bool {
        matches!(self, Self::Contradicted(_) | Self::Disputed)
    }
}

impl fmt::Display for Audit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Confirmed(count) => write!(f, "confirmed by {count}"),
            Self::Unconfirmed(0) => f.write_str("confirmed by no solver"),
            Self::Unconfirmed(count) => write!(f, "confirmed by only {count}"),
            Self::Contradicted(solvers) => write!(f, "CONTRADICTED by {}", solvers.join(", ")),
            Self::Settled(answer, count) => write!(f, "unknown; {count} answer {answer}"),
            Self::Open => f.write_str("unknown; no solver answers"),
            Self::Disputed => f.write_str("unknown; the solvers CONTRADICT each other"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sl19_18_two_solvers_confirm_a_status() {
        let panel = |answers: &[Answer]| -> Vec<(String, Answer)> {
            answers.iter().enumerate().map(|(at, answer)| (format!("s{at}"), *answer)).collect()
        };
        let (sat, unsat, unknown) = (Answer::Sat, Answer::Unsat, Answer::Unknown);
        for (status, answers, finding) in [
            (sat, vec![sat, sat, unknown], Audit::Confirmed(2)),
            (sat, vec![sat, unknown], Audit::Unconfirmed(1)),
            (unsat, vec![unsat, unsat, sat], Audit::Contradicted(vec!["s2".into()])),
            (unknown, vec![unknown, sat], Audit::Settled(sat, 1)),
            (unknown, vec![], Audit::Open),
            (unknown, vec![unsat, sat], Audit::Disputed),
        ] {
            assert_eq!(Audit::of(status.into(), &panel(&answers), 2), finding);
        }
    }
}
