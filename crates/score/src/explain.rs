//! Explains a line of a ranking: what each run contributes to it, and by which rule.

use crate::rules::Rules;
use crate::run_score::{Presence, RunScore, Timeliness};
use crate::totals::Totals;
use crate::{Run, TrackResults};
use agon_domain::{Evidence, Score, ScoreKind, Status, did_you_mean};
use serde::Serialize;

/// What one run contributes to a line of a ranking, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The benchmark's path.
    pub benchmark: String,
    /// The benchmark's status; for an incremental benchmark, the number of its queries.
    pub status: String,
    /// The solver's answer, with the evidence for it in tracks that require evidence.
    pub answer: String,
    /// The contribution: e, n, w and c.
    #[serde(flatten)]
    pub score: Score,
    /// The reason, with the rule that applies.
    pub why: &'static str,
}

/// Why there is no line to explain.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoLine {
    /// No division or logic has this name.
    #[error(
        "no division is called '{name}'{hint}; the divisions are {known}",
        hint = did_you_mean(.name, .known.split(", "))
    )]
    Division {
        /// The requested name.
        name: String,
        /// The names of all divisions and logics.
        known: String,
    },
    /// No solver in the division has this name.
    #[error(
        "no solver in {division} is called '{name}'{hint}; its solvers are {known}",
        hint = did_you_mean(.name, .known.split(", "))
    )]
    Solver {
        /// The division's name.
        division: String,
        /// The requested name.
        name: String,
        /// The names of all solvers in the division.
        known: String,
    },
    /// The rules have no such ranking.
    #[error("there is no {0} ranking under these rules")]
    Ranking(ScoreKind),
}

/// Explains what each run of a solver in a division contributes to a ranking: the given one, or the track's first.
/// Returns the ranking and the explanations.
pub fn explain(
    results: &TrackResults,
    rules: &Rules<'_>,
    division: &str,
    solver: &str,
    kind: Option<ScoreKind>,
) -> Result<(ScoreKind, Vec<Explanation>), NoLine> {
    let totals = Totals::new(results, rules);
    let groups = || totals.grouping.divisions.iter().chain(&totals.grouping.logics);
    let list = |mut names: Vec<&str>| {
        names.sort_unstable();
        names.dedup();
        names.join(", ")
    };
    let group = groups().find(|group| group.name.0 == division).ok_or_else(|| NoLine::Division {
        name: division.to_owned(),
        known: list(groups().map(|group| group.name.0.as_str()).collect()),
    })?;
    let named = totals.solvers(group).find(|found| results.solvers[*found].name == solver);
    let named = named.ok_or_else(|| NoLine::Solver {
        division: division.to_owned(),
        name: solver.to_owned(),
        known: list(totals.solvers(group).map(|found| results.solvers[found].name.as_str()).collect()),
    })?;
    let kind = kind.or(totals.kinds.first().copied()).unwrap_or(ScoreKind::Parallel);
    if !totals.kinds.contains(&kind) {
        return Err(NoLine::Ranking(kind));
    }
    let is_own = |run: &&Run| run.solver == named && group.logics.contains(&results.benchmark_of(run).logic);
    let explanation = |run: &Run| {
        let counted = totals.scorer.score(run, totals.known(run.benchmark), kind);
        let points = totals.scorer.worth(run, totals.known(run.benchmark)).points;
        let is_removed = totals.is_removed(run.benchmark);
        let why = if is_removed {
            "removed: sound solvers disagree on it, and its status is unknown (R19-7.6)"
        } else {
            reason(results, run, &counted, points)
        };
        let facts = results.benchmark_of(run);
        Explanation {
            benchmark: facts.name.to_string(),
            status: match (results.is_incremental, facts.queries) {
                (true, Some(queries)) => format!("{queries} queries"),
                (true, None) => "-".to_owned(),
                (false, _) => facts.status.to_string(),
            },
            answer: answer(run),
            score: if is_removed { Score::default() } else { counted.score },
            why,
        }
    };
    Ok((kind, results.runs.iter().filter(is_own).map(explanation).collect()))
}

/// The answer of a run and the evidence for it, as text.
fn answer(run: &Run) -> String {
    let answer = run.claim.answer;
    match run.claim.evidence {
        Evidence::Queries { correct, wrong: 0 } => format!("{correct} correct"),
        Evidence::Queries { correct, wrong } => format!("{correct} correct, {wrong} wrong"),
        Evidence::Core(reduction) if answer.is_definite() => format!("{answer}, reduction {reduction}"),
        Evidence::None | Evidence::Failure | Evidence::Core(_) => answer.to_string(),
        Evidence::RefutedCore => format!("{answer}, refuted core"),
        Evidence::Model(timeliness) => format!("{answer}, {timeliness} model"),
        Evidence::Proof(timeliness) => format!("{answer}, {timeliness} proof"),
    }
}

/// The reason for a run's contribution, with the rule that applies.
fn reason(results: &TrackResults, run: &Run, counted: &RunScore, points: u64) -> &'static str {
    let score = counted.score;
    let is_unknown = results.benchmark_of(run).status == Status::Unknown;
    match (counted.place, counted.timeliness) {
        (Presence::Absent, _) => "over 24 seconds, so absent from this ranking",
        (Presence::Filtered, _) => "its benchmark is not part of this ranking (R19-7.8)",
        _ if score.error > 0 => "wrong (R19-7.1)",
        _ if score.correct > 0 && results.is_incremental => "correct answers to queries (R19-7.4)",
        _ if score.correct > 0 && matches!(run.claim.evidence, Evidence::Core(_)) => {
            "correct: the core leaves out assertions (R19-7.5)"
        }
        _ if score.correct > 0 && is_unknown => "correct: the status is unknown (R19-7.3)",
        _ if score.correct > 0 => "correct (R19-7.1)",
        _ if counted.is_solved => "correct, but the core contains all assertions (R19-7.5)",
        (_, Timeliness::OverLimit) if points > 0 => "over the limit of this ranking (R19-7.2, R19-7.8)",
        (_, Timeliness::NotEnded) if points > 0 => {
            "the process did not end within the limit, so its answer does not count"
        }
        _ if counted.is_memout => "out of memory (R19-5.20)",
        _ if counted.is_timeout => "out of time (R19-7.1)",
        _ => "no result (R19-7.1)",
    }
}
