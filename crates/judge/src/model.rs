//! The model-validation track: checks whether a solver's output is a model of the benchmark.

use crate::output::{Completeness, answer_and_rest, is_refusal};
use agon_eval::{Machine, ModelFault, Problem, ProblemError, Value, read_model};
use agon_smtlib::{Head, Position, Term};
use std::collections::HashSet;
use std::fmt;
use std::io::Read;

/// The three verdicts on a model (R19-5.29).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModelVerdict {
    /// `sat`, and a full model in which every assertion is true.
    Valid,
    /// A model that is partial, malformed, or makes an assertion false; or `unsat`, unless the benchmark's own status
    /// is unsat or unknown.
    Invalid,
    /// No model, an `unsat` that is not known to be wrong, or a model that cannot be decided.
    Unknown,
}

impl fmt::Display for ModelVerdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Valid => "VALID",
            Self::Invalid => "INVALID",
            Self::Unknown => "UNKNOWN",
        })
    }
}

/// A verdict on a model, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelJudgement {
    /// The verdict.
    pub verdict: ModelVerdict,
    /// The reason as a code, the official validator's if it has one.
    pub code: &'static str,
    /// The reason as text.
    pub detail: String,
}

impl ModelJudgement {
    fn new(verdict: ModelVerdict, code: &'static str, detail: impl Into<String>) -> Self {
        let mut detail: String = detail.into();
        // The text may contain values with a million digits.
        if let Some((end, _)) = detail.char_indices().nth(MOST_OF_DETAIL) {
            detail.truncate(end);
            detail.push('…');
        }
        Self { verdict, code, detail }
    }
}

/// The fuel for one model: about a minute of work.
const FUEL: u64 = 500_000_000;

/// The length limit of a reason, in characters.
const MOST_OF_DETAIL: usize = 2000;

/// The maximum number of values shown for a false assertion.
const MOST_SHOWN: usize = 12;

/// Judges a solver's response to a benchmark of the model-validation track (R19-5.28, R19-5.29). A model that was cut
/// off by a limit is not an error.
pub fn judge_model(benchmark: impl Read, output: &[u8], completeness: Completeness) -> ModelJudgement {
    use ModelVerdict::{Invalid, Unknown};
    let (answer, response) = answer_and_rest(output);
    let problem = || Problem::read(benchmark);
    match answer {
        None | Some(b"EOF") => ModelJudgement::new(Unknown, "no_output", "the solver did not answer"),
        Some(b"unknown") => ModelJudgement::new(Unknown, "solver_returned_unknown", "the solver answered 'unknown'"),
        Some(b"unsat") => match problem().ok().and_then(|problem| problem.status).as_deref() {
            Some("unsat") => ModelJudgement::new(
                Unknown,
                "the_problem_status_is_unsatisfiable",
                "the solver answered 'unsat', which is also the benchmark's own status",
            ),
            Some("sat") => ModelJudgement::new(
                Invalid,
                "the_problem_status_is_satisfiable",
                "the solver answered 'unsat', but the benchmark's status is sat",
            ),
            Some("unknown") => ModelJudgement::new(
                Unknown,
                "the_problem_status_is_unknown",
                "the solver answered 'unsat', and the benchmark's status is unknown",
            ),
            _ => ModelJudgement::new(Invalid, "solver_returned_unsat", "the solver answered 'unsat'"),
        },
        Some(b"sat") => match no_model(&response) {
            Some(none) => none,
            None => match problem() {
                Ok(problem) => judge_response(problem, &response, completeness),
                Err(error) => unreadable(&error),
            },
        },
        Some(other) => {
            let shown = String::from_utf8_lossy(&other[..other.len().min(80)]).into_owned();
            ModelJudgement::new(Unknown, "no_answer", format!("the solver wrote '{shown}' where its answer should be"))
        }
    }
}

/// The judgement if nothing follows `sat`, or an error instead of a model; `None` if there may be a model.
fn no_model(response: &[u8]) -> Option<ModelJudgement> {
    let text = response.trim_ascii();
    let first_line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    if text.is_empty() {
        Some(ModelJudgement::new(ModelVerdict::Unknown, "no_model", "the solver printed no model"))
    } else if is_refusal(text) {
        let shown = String::from_utf8_lossy(&first_line[..first_line.len().min(200)]).into_owned();
        Some(ModelJudgement::new(
            ModelVerdict::Unknown,
            "no_model",
            format!("the solver printed this instead of a model: {shown}"),
        ))
    } else {
        None
    }
}

/// The judgement if the benchmark cannot be used.
fn unreadable(error: &ProblemError) -> ModelJudgement {
    let detail = format!("the benchmark cannot be used for judging: {error}");
    ModelJudgement::new(ModelVerdict::Unknown, "benchmark", detail)
}

/// Judges a model: reads it, and evaluates all assertions in it.
fn judge_response(mut problem: Problem, response: &[u8], completeness: Completeness) -> ModelJudgement {
    use ModelVerdict::{Invalid, Unknown, Valid};
    let model = match read_model(&mut problem, response) {
        Ok(model) => model,
        Err(fault) => {
            let (verdict, code) = match &fault {
                ModelFault::Cut if completeness == Completeness::MayBeCut => (Unknown, "cut_model"),
                ModelFault::Cut | ModelFault::Malformed(_) => (Invalid, "malformed_model"),
                ModelFault::Missing(_) => (Invalid, "missing_model_value"),
                ModelFault::Extra(_) => (Invalid, "more_variables_in_model_than_input"),
                ModelFault::Twice(_) => (Invalid, "duplicate_definition"),
                ModelFault::Sorts(_) => (Invalid, "wrong_sort"),
                ModelFault::Unsupported(_) => (Unknown, "undecided"),
            };
            return ModelJudgement::new(verdict, code, fault.to_string());
        }
    };
    problem.checker.finish_reading();
    let mut machine = Machine::new(&problem.checker, &model, FUEL);
    let mut undecided = None;
    for (term, position) in &problem.assertions {
        let value = machine.value(*term);
        if value == Value::FALSE {
            if machine.is_guess(*term) {
                let detail = format!(
                    "line {}: whether this assertion holds depends on the number of elements of a sort",
                    position.line
                );
                return ModelJudgement::new(Unknown, "undecided", detail);
            }
            let detail = explained(&problem, &mut machine, *term, *position);
            return ModelJudgement::new(Invalid, "model_evaluates_to_false", detail);
        }
        if let Some(reason) = machine.values().reason(value)
            && undecided.is_none()
        {
            undecided = Some(format!("line {}: {reason}", position.line));
        }
    }
    match undecided {
        Some(reason) => ModelJudgement::new(Unknown, "undecided", reason),
        None => {
            let all = match problem.assertions.len() {
                1 => "the only assertion is true".to_owned(),
                count => format!("all {count} assertions are true"),
            };
            ModelJudgement::new(Valid, "none", all)
        }
    }
}

/// Describes a false assertion: its position, and the values of its constants.
fn explained(problem: &Problem, machine: &mut Machine<'_>, assertion: Term, position: Position) -> String {
    let terms = &problem.checker.terms;
    let declared: HashSet<_> = problem.declared.iter().copied().collect();
    let mut seen = HashSet::new();
    let mut left = vec![assertion];
    let mut constants = vec![];
    while let Some(term) = left.pop()
        && constants.len() <= MOST_SHOWN
    {
        if !seen.insert(term) {
            continue;
        }
        let arguments = terms.arguments(term);
        if let Head::Function(function) = terms.head(term)
            && arguments.is_empty()
            && declared.contains(&function)
        {
            constants.push((function, term));
        }
        left.extend(arguments.iter().rev());
    }
    let mut detail = format!("the assertion at line {}, column {} is false", position.line, position.column);
    for (at, (function, term)) in constants.iter().take(MOST_SHOWN).enumerate() {
        let name = String::from_utf8_lossy(problem.checker.symbols.text(problem.checker.function(*function).name))
            .into_owned();
        let value = machine.value(*term);
        detail.push_str(if at == 0 { ", where " } else { ", " });
        detail.push_str(&format!("{name} = {}", machine.show(value)));
    }
    if constants.len() > MOST_SHOWN {
        detail.push_str(", …");
    }
    detail
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The verdict on a model for this assertion, in which the reals `x` and `y` have these values.
    fn verdict(assertion: &str, [x, y]: [&str; 2]) -> ModelVerdict {
        let benchmark = format!(
            "(set-logic ALL)(declare-datatype Option ((none) (some (get Int))))(declare-const x Real)(declare-const y Real)\
             (declare-const i Int)(declare-const j Int)(declare-const o Option)(declare-fun f (Real) Real)\
             (assert {assertion})(check-sat)"
        );
        let output = format!(
            "sat\n((define-fun x () Real {x})(define-fun y () Real {y})(define-fun i () Int 1)(define-fun j () Int 1)\
             (define-fun o () Option none)(define-fun f ((a Real)) Real (ite (= a 0.0) 1.0 2.0)))\n"
        );
        judge_model(benchmark.as_bytes(), output.as_bytes(), Completeness::Complete).verdict
    }

    #[test]
    fn division_by_zero_is_unknown_but_equal_for_equal_arguments() {
        use ModelVerdict::{Invalid, Unknown, Valid};
        let (same, other) = (["1.0", "1.0"], ["1.0", "2.0"]);
        for (assertion, values, expected) in [
            ("(= (/ x 0.0) (/ y 0.0))", same, Valid),
            ("(= (/ x 0.0) (/ y 0.0))", other, Unknown),
            ("(= (/ x 0.0) 7.0)", same, Unknown),
            ("(distinct (/ x 0.0) 3.0 (/ y 0.0))", same, Invalid),
            ("(distinct (/ x 0.0) (/ y 0.0))", other, Unknown),
            ("(not (= (/ x 0.0) (/ y 0.0)))", same, Invalid),
            ("(= (+ (/ x 0.0) 1.0) (+ (/ y 0.0) 1.0))", same, Valid),
            ("(= (+ (/ x 0.0) 1.0) (+ (/ y 0.0) 2.0))", same, Unknown),
            ("(= (f (/ x 0.0)) (f (/ y 0.0)))", same, Valid),
            ("(= (div i 0) (div j 0))", same, Valid),
            ("(= (mod i 0) (mod j 0))", same, Valid),
            ("(= (div i 0) (mod j 0))", same, Unknown),
            ("(= (get o) (get o))", same, Valid),
            ("(= (get o) i)", same, Unknown),
            // A term with an unknown part is not the same unknown value as that part.
            ("(= (and (> (/ x 0.0) 0.0) (> (/ y 0.0) 0.0)) (> (/ x 0.0) 0.0))", other, Unknown),
            ("(= (ite (> (/ x 0.0) 0.0) (/ x 0.0) (/ y 0.0)) (/ x 0.0))", other, Unknown),
            ("(= (/ x 0.0 2.0) (/ x 0.0))", same, Unknown),
            ("(= (/ x 0.0 2.0) (/ y 0.0 2.0))", same, Valid),
            // A term that does not depend on the unknown part is decided.
            ("(or (= (/ x 0.0) 7.0) (= x y))", same, Valid),
        ] {
            assert_eq!(verdict(assertion, values), expected, "{assertion} {values:?}");
        }
    }
}
