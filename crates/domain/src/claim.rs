//! The claim of a run, and the points and errors that it is worth.
//!
//! Judged runs and imported results become the same claims, so that R19-7.1 and R19-7.3 to R19-7.5 are implemented only
//! once: in [`Claim::worth`].

use crate::{Answer, Limit, Status};
use std::fmt;
use std::str::FromStr;

/// How a run ended, as far as scoring distinguishes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum End {
    /// The run ended without reaching a time or memory limit.
    #[default]
    Complete,
    /// The run was killed at a time limit.
    Timeout,
    /// The run was killed at the memory limit.
    Memout,
}

impl End {
    /// The end of a run that this limit stopped. Limits on output, disk space and processes count as an exit, since the
    /// rules do not score them separately.
    pub const fn of(limit: Option<Limit>) -> Self {
        match limit {
            Some(Limit::Wall | Limit::Cpu) => Self::Timeout,
            Some(Limit::Memory) => Self::Memout,
            Some(Limit::Output | Limit::Disk | Limit::Processes) | None => Self::Complete,
        }
    }
}

/// The result of checking a model or a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validity {
    /// The check succeeded.
    Valid,
    /// The check failed, or the model or proof is malformed.
    Invalid,
    /// The output ends where the answer or the model should begin. Counts as invalid, except in some published results.
    CutOff,
    /// The solver printed no model or proof, or the checker could not decide.
    Undecided,
}

/// What a run produces besides its answer. Each track has its own kind of evidence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Evidence {
    /// Only the answer.
    #[default]
    None,
    /// The results list a failure instead of an answer, as the tables of the cloud track do.
    Failure,
    /// Answers to the queries of an incremental run (R19-7.4).
    Queries {
        /// The number of correct answers.
        correct: u32,
        /// The number of wrong answers.
        wrong: u32,
    },
    /// An unsat core, as its reduction: the number of assertions that it leaves out (R19-7.5).
    Core(u32),
    /// An unsat core that is malformed, or that the panel rejects.
    RefutedCore,
    /// The result of checking a model (R19-7.5).
    Model(Validity),
    /// The result of checking a proof.
    Proof(Validity),
}

/// The claim of one run: its answer, and the evidence for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Claim {
    /// The answer; `unknown` for an incremental run, whose answers are counted in the evidence.
    pub answer: Answer,
    /// What the run produced besides the answer.
    pub evidence: Evidence,
}

/// The errors and points that a claim is worth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Worth {
    /// The number of erroneous results.
    pub errors: u32,
    /// 1 for an answer, a model or a proof; the reduction of a core; the number of correct answers to queries.
    pub points: u64,
}

/// Whether a failed or wrong result counts as an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Severity {
    /// The result counts as an error.
    #[default]
    Error,
    /// The result is treated as absent.
    Ignored,
}

/// When an invalid model is an error.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum InvalidModels {
    /// Always, whatever the answer.
    #[default]
    Always,
    /// Only after the answer `sat`.
    AfterSat,
}

/// How claims are judged. The default follows the text of the rules; the published results of some editions differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClaimRules {
    /// The severity of a failure instead of an answer, on a benchmark of known status.
    pub failures: Severity,
    /// The severity of `sat` in the unsat-core track.
    pub sat_with_core: Severity,
    /// The severity of a wrong answer in the model-validation track.
    pub unsat_with_model: Severity,
    /// The severity of an output that ends where the answer or the model should begin.
    pub cut_off_models: Severity,
    /// When an invalid model is an error.
    pub invalid_models: InvalidModels,
}

impl Default for ClaimRules {
    fn default() -> Self {
        Self {
            failures: Severity::Ignored,
            sat_with_core: Severity::Error,
            unsat_with_model: Severity::Error,
            cut_off_models: Severity::Error,
            invalid_models: InvalidModels::Always,
        }
    }
}

impl Claim {
    /// Returns the errors and points of the claim for a benchmark with this status (R19-7.1).
    ///
    /// - An answer is worth one point unless it contradicts the status, which is an error (R19-7.3).
    /// - Queries count one by one (R19-7.4).
    /// - A core is worth its reduction; a refuted core and a wrong answer are errors (R19-7.5).
    /// - A valid model after `sat` is worth one point; an invalid one is an error, and so is `unsat` on a
    ///   satisfiable benchmark (R19-7.5).
    /// - A valid proof is worth one point; an invalid one is an error.
    pub fn worth(self, status: Status, rules: &ClaimRules) -> Worth {
        let is_wrong = self.answer.contradicts(status);
        let one_if = |holds: bool| u32::from(holds);
        match self.evidence {
            Evidence::None => {
                Worth { errors: one_if(is_wrong), points: u64::from(self.answer.is_definite() && !is_wrong) }
            }
            Evidence::Failure => {
                Worth { errors: one_if(rules.failures == Severity::Error && status.is_definite()), points: 0 }
            }
            Evidence::Queries { correct, wrong } => Worth { errors: wrong, points: u64::from(correct) },
            Evidence::Core(reduction) => {
                let is_core = self.answer == Answer::Unsat && !is_wrong;
                let is_ignored = self.answer != Answer::Unsat && rules.sat_with_core == Severity::Ignored;
                Worth { errors: one_if(is_wrong && !is_ignored), points: if is_core { reduction.into() } else { 0 } }
            }
            Evidence::RefutedCore => {
                let is_ignored = self.answer != Answer::Unsat && rules.sat_with_core == Severity::Ignored;
                Worth { errors: one_if(!is_ignored), points: 0 }
            }
            Evidence::Model(validity) => {
                // A valid model proves the answer, even against the declared status.
                let is_wrong = is_wrong && validity != Validity::Valid;
                let is_sat = self.answer == Answer::Sat && !is_wrong;
                let is_invalid = match validity {
                    Validity::Valid | Validity::Undecided => false,
                    Validity::CutOff if rules.cut_off_models == Severity::Ignored => false,
                    Validity::Invalid | Validity::CutOff => is_sat || rules.invalid_models == InvalidModels::Always,
                };
                let is_error = is_wrong && rules.unsat_with_model == Severity::Error;
                Worth {
                    errors: one_if(is_invalid || is_error),
                    points: u64::from(is_sat && validity == Validity::Valid),
                }
            }
            Evidence::Proof(validity) => {
                let is_invalid = matches!(validity, Validity::Invalid | Validity::CutOff);
                Worth {
                    errors: one_if(is_invalid || is_wrong),
                    points: u64::from(validity == Validity::Valid && !is_wrong),
                }
            }
        }
    }
}

impl fmt::Display for Validity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Valid => "valid",
            Self::Invalid => "invalid",
            Self::CutOff => "cut-off",
            Self::Undecided => "undecided",
        })
    }
}

/// Evidence as the database stores it: `queries 7 0`, `model valid`.
impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.write_str("none"),
            Self::Failure => f.write_str("failure"),
            Self::Queries { correct, wrong } => write!(f, "queries {correct} {wrong}"),
            Self::Core(reduction) => write!(f, "core {reduction}"),
            Self::RefutedCore => f.write_str("core refuted"),
            Self::Model(validity) => write!(f, "model {validity}"),
            Self::Proof(validity) => write!(f, "proof {validity}"),
        }
    }
}

/// A string that does not parse as [`Evidence`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("malformed evidence '{0}'")]
pub struct UnknownEvidence(String);

impl FromStr for Evidence {
    type Err = UnknownEvidence;

    fn from_str(text: &str) -> Result<Self, UnknownEvidence> {
        let validity = |word: &str| match word {
            "valid" => Some(Validity::Valid),
            "invalid" => Some(Validity::Invalid),
            "cut-off" => Some(Validity::CutOff),
            "undecided" => Some(Validity::Undecided),
            _ => None,
        };
        let mut words = text.split(' ');
        let found = match (words.next(), words.next(), words.next()) {
            (Some("none"), None, None) => Some(Self::None),
            (Some("failure"), None, None) => Some(Self::Failure),
            (Some("queries"), Some(correct), Some(wrong)) => match (correct.parse(), wrong.parse()) {
                (Ok(correct), Ok(wrong)) => Some(Self::Queries { correct, wrong }),
                _ => None,
            },
            (Some("core"), Some("refuted"), None) => Some(Self::RefutedCore),
            (Some("core"), Some(reduction), None) => reduction.parse().ok().map(Self::Core),
            (Some("model"), Some(word), None) => validity(word).map(Self::Model),
            (Some("proof"), Some(word), None) => validity(word).map(Self::Proof),
            _ => None,
        };
        found.ok_or_else(|| UnknownEvidence(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worth(answer: Answer, evidence: Evidence, status: Status) -> (u32, u64) {
        let Worth { errors, points } = Claim { answer, evidence }.worth(status, &ClaimRules::default());
        (errors, points)
    }

    const SAT: Answer = Answer::Sat;
    const UNSAT: Answer = Answer::Unsat;

    #[test]
    fn r19_7_1_and_r19_7_3_an_answer_is_worth_a_point_or_an_error() {
        assert_eq!(worth(SAT, Evidence::None, Status::Sat), (0, 1));
        assert_eq!(worth(SAT, Evidence::None, Status::Unknown), (0, 1));
        assert_eq!(worth(SAT, Evidence::None, Status::Unsat), (1, 0));
        assert_eq!(worth(Answer::Unknown, Evidence::None, Status::Sat), (0, 0));
        assert_eq!(worth(Answer::Unknown, Evidence::Failure, Status::Sat), (0, 0));
    }

    #[test]
    fn r19_7_4_queries_count_one_by_one() {
        let queries = Evidence::Queries { correct: 7, wrong: 0 };
        assert_eq!(worth(Answer::Unknown, queries, Status::Unknown), (0, 7));
    }

    #[test]
    fn r19_7_5_cores_models_and_proofs() {
        assert_eq!(worth(UNSAT, Evidence::Core(3), Status::Unsat), (0, 3));
        assert_eq!(worth(UNSAT, Evidence::RefutedCore, Status::Unsat), (1, 0));
        assert_eq!(worth(SAT, Evidence::Core(0), Status::Unsat), (1, 0));
        // Only a core of an unsatisfiable benchmark is worth anything.
        assert_eq!(worth(SAT, Evidence::Core(3), Status::Unsat), (1, 0));
        assert_eq!(worth(Answer::Unknown, Evidence::Core(3), Status::Unsat), (0, 0));
        assert_eq!(worth(SAT, Evidence::Model(Validity::Valid), Status::Sat), (0, 1));
        assert_eq!(worth(SAT, Evidence::Model(Validity::Valid), Status::Unsat), (0, 1));
        assert_eq!(worth(SAT, Evidence::Model(Validity::Invalid), Status::Unknown), (1, 0));
        assert_eq!(worth(UNSAT, Evidence::Model(Validity::Undecided), Status::Sat), (1, 0));
        assert_eq!(worth(UNSAT, Evidence::Proof(Validity::Valid), Status::Unsat), (0, 1));
        assert_eq!(worth(UNSAT, Evidence::Proof(Validity::Invalid), Status::Unsat), (1, 0));
        assert_eq!(worth(SAT, Evidence::Proof(Validity::Valid), Status::Unsat), (1, 0));
    }

    #[test]
    fn published_results_ignore_some_errors() {
        let worth = |answer, evidence, rules| Claim { answer, evidence }.worth(Status::Sat, &rules).errors;
        let text = ClaimRules::default();
        let model = Evidence::Model(Validity::Undecided);
        assert_eq!(worth(UNSAT, model, text), 1);
        assert_eq!(worth(UNSAT, model, ClaimRules { unsat_with_model: Severity::Ignored, ..text }), 0);
        let cut = Evidence::Model(Validity::CutOff);
        assert_eq!(worth(SAT, cut, text), 1);
        assert_eq!(worth(SAT, cut, ClaimRules { cut_off_models: Severity::Ignored, ..text }), 0);
        let invalid = Evidence::Model(Validity::Invalid);
        assert_eq!(worth(Answer::Unknown, invalid, text), 1);
        assert_eq!(worth(Answer::Unknown, invalid, ClaimRules { invalid_models: InvalidModels::AfterSat, ..text }), 0);
        assert_eq!(worth(Answer::Unknown, Evidence::Failure, ClaimRules { failures: Severity::Error, ..text }), 1);
        let core = Claim { answer: SAT, evidence: Evidence::Core(0) };
        let lenient = ClaimRules { sat_with_core: Severity::Ignored, ..text };
        assert_eq!((core.worth(Status::Unsat, &text).errors, core.worth(Status::Unsat, &lenient).errors), (1, 0));
    }

    #[test]
    fn evidence_round_trips() {
        let all = [
            Evidence::None,
            Evidence::Failure,
            Evidence::Queries { correct: 5, wrong: 1 },
            Evidence::Core(12),
            Evidence::RefutedCore,
            Evidence::Model(Validity::CutOff),
            Evidence::Proof(Validity::Undecided),
        ];
        for evidence in all {
            assert_eq!(evidence.to_string().parse(), Ok(evidence));
        }
        assert!("core".parse::<Evidence>().is_err() && "model maybe".parse::<Evidence>().is_err());
    }
}
