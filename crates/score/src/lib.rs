//! Turns judged runs into scores, rankings, winners and recognitions, by the rules of any edition.
//!
//! Plain data in, plain data out: [`score`] takes the [`TrackResults`] of a track, whether recorded or imported, and
//! the [`Rules`] to score them by, and returns [`Scores`]. Rules are the text of an edition's rules, optionally with
//! the [`Deviation`](agon_rulebook::Deviation)s of its published results.

mod disagreement;
mod division;
mod explain;
mod family_weight;
mod largest_contribution;
mod line;
mod missing;
mod overall;
mod progress;
mod ranking;
mod recognition;
mod results;
mod rules;
mod run_score;
mod scores_table;
mod solver_total;
#[cfg(test)]
mod testing;
mod totals;
mod winner;

pub use explain::{Explanation, NoLine, explain};
pub use line::{DivisionScore, Line};
pub use missing::{MissingQueries, missing_queries};
pub use overall::{Overall, of_division};
pub use progress::{Progress, Stage};
pub use recognition::{Newcomer, Place, Recognitions};
pub use results::{BenchmarkFacts, BenchmarkIx, LogicIx, Measured, Run, Solver, SolverIx, TrackResults};
pub use rules::{NoSuchTrack, Rules};
pub use scores_table::scores_csv;

use agon_domain::{Division, ScoreKind, Time, Track};
use serde::Serialize;
use std::collections::BTreeMap;
use totals::Totals;

/// For each run, the time that counts in the leading ranking, or `None` if the run does not solve its benchmark there.
/// The leading ranking is the parallel one, or the first if the rules have no parallel one.
pub fn solved_times(results: &TrackResults, rules: &Rules<'_>) -> Vec<Option<Time>> {
    let totals = Totals::new(results, rules);
    let first = totals.kinds.first().copied().unwrap_or(ScoreKind::Parallel);
    let kind = if totals.kinds.contains(&ScoreKind::Parallel) { ScoreKind::Parallel } else { first };
    let time = |run: &Run| {
        let counted = totals.scorer.score(run, totals.known(run.benchmark), kind);
        let is_solved = counted.is_solved && !totals.is_removed(run.benchmark);
        is_solved.then(|| kind.time(counted.score.wall, counted.score.cpu))
    };
    results.runs.iter().map(time).collect()
}

/// The published scores of one track.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scores {
    /// The rulebook's name.
    pub rules: String,
    /// The track.
    pub track: Track,
    /// Whether the results are incomplete or out of date, so that winners are withheld.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub intermediate: bool,
    /// The divisions, sorted by name.
    pub divisions: Vec<DivisionScore>,
    /// The logics, if divisions are groups of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub logics: Vec<DivisionScore>,
    /// The divisions with too few solvers for their results to be reported (A11-18).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub withheld: Vec<Division>,
    /// The competition-wide recognitions (R19-3.7).
    pub recognitions: Recognitions,
    /// The score over all divisions, if the rules have one.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub overall: BTreeMap<ScoreKind, Vec<Overall>>,
}

/// Scores a track.
pub fn score(results: &TrackResults, rules: &Rules<'_>) -> Scores {
    let totals = Totals::new(results, rules);
    let scores = |groups: &[division::Group]| -> Vec<DivisionScore> {
        groups.iter().filter(|group| totals.is_shown(group)).map(|group| ranking::division(&totals, group)).collect()
    };
    let withheld = totals.grouping.divisions.iter().filter(|group| totals.is_withheld(group));
    let withheld = withheld.map(|group| group.name.clone()).collect();
    let divisions = scores(&totals.grouping.divisions);
    let logics = scores(&totals.grouping.logics);
    let recognitions = recognition::recognize(&totals, &divisions);
    // In the incremental track divisions are weighted by their queries, so without them there is no overall score.
    let overall = rules.overall.filter(|_| missing_queries(results, rules).is_none());
    let overall = overall.map_or_else(BTreeMap::new, |overall| {
        let groups = totals.grouping.divisions.iter().filter(|group| totals.is_shown(group));
        let sizes: Vec<f64> = groups.map(|group| totals.worth(group)).collect();
        overall::overall(overall, &divisions, &sizes)
    });
    Scores {
        rules: rules.rulebook.name.clone(),
        track: results.track,
        intermediate: false,
        divisions,
        logics,
        withheld,
        recognitions,
        overall,
    }
}
