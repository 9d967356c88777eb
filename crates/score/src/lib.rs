//! From judged runs to scores, rankings, winners and recognitions, by the rules of any edition.
//!
//! Plain data in, plain data out: [`score`] takes a [`Track`](TrackResults)'s results and gives its [`Scores`],
//! whatever stored or imported them. The rulebook says how runs count and what is ranked by what; where the published
//! results of an edition do otherwise than its text, that is a [`Deviation`] that has to be asked
//! for.

mod contribution;
mod count;
mod disagreement;
mod division;
mod explain;
mod overall;
mod progress;
mod ranking;
mod recognition;
mod results;
mod sum;
mod tally;
#[cfg(test)]
mod testing;
mod weight;

pub use explain::{Explanation, explain};
pub use overall::{Overall, of_division};
pub use progress::{Progress, Stage};
pub use ranking::{DivisionScore, Line};
pub use recognition::{Newcomer, Place, Recognitions};
pub use results::{BenchmarkFacts, End, Run, Solver, TrackResults};

use agon_domain::{ScoreKind, Track};
use agon_rulebook::{Deviation, Logarithm};
use serde::Serialize;
use std::collections::BTreeMap;
use tally::Tally;

/// Everything that is published of one track.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scores {
    /// The rulebook.
    pub rules: String,
    /// The track.
    pub track: Track,
    /// The results are not complete, so there are no winners.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub intermediate: bool,
    /// Its divisions, by name.
    pub divisions: Vec<DivisionScore>,
    /// Its logics, where divisions are groups of them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub logics: Vec<DivisionScore>,
    /// The competition-wide recognitions (R19-3.7).
    pub recognitions: Recognitions,
    /// The score over all divisions, where there is one.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub overall: BTreeMap<ScoreKind, Vec<Overall>>,
}

/// Scores a track.
pub fn score(results: &TrackResults<'_>) -> Scores {
    let tally = Tally::new(results);
    let scores = |groups: &[division::Group]| -> Vec<DivisionScore> {
        groups.iter().map(|group| ranking::division(&tally, group)).collect()
    };
    let divisions = scores(&tally.grouping.divisions);
    let logics = scores(&tally.grouping.logics);
    let recognitions = recognition::recognise(&tally, &divisions);
    let overall = match results.track_rules.scoring.overall {
        Some(mut rules) => {
            if results.deviates(Deviation::WeighedMedals) {
                rules.logarithm = Logarithm::Ten;
            }
            let sizes: Vec<f64> = tally.grouping.divisions.iter().map(|group| tally.worth(group)).collect();
            overall::overall(rules, &divisions, &sizes)
        }
        None => BTreeMap::new(),
    };
    Scores {
        rules: results.rules.name.clone(),
        track: results.track,
        intermediate: false,
        divisions,
        logics,
        recognitions,
        overall,
    }
}
