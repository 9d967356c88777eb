//! From verdicts to scores, rankings, winners and recognitions, by the rules of 2019.
//!
//! Plain data in, plain data out: [`score`] takes a [`Track`](TrackResults)'s results and gives its [`Scores`],
//! whatever stored or imported them.

mod benchmark;
mod division;
mod recognition;
mod results;

pub use division::{DivisionScore, Line};
pub use recognition::{Place, Recognitions};
pub use results::{BenchmarkFacts, DivisionResults, Run, Solver, TrackResults};

use agon_domain::Track;
use serde::Serialize;

/// Everything that is published of one track.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Scores {
    /// The rulebook.
    pub rules: String,
    /// The track.
    pub track: Track,
    /// Its divisions, by name.
    pub divisions: Vec<DivisionScore>,
    /// The competition-wide recognitions (R19-3.7).
    pub recognitions: Recognitions,
}

/// Scores a track.
pub fn score(results: &TrackResults<'_>) -> Scores {
    let tallies: Vec<_> = results.divisions.iter().map(|division| division::tally(results, division)).collect();
    let recognitions = recognition::recognise(results, &tallies);
    Scores {
        rules: results.rules.name.clone(),
        track: results.track,
        divisions: tallies.into_iter().map(|tally| tally.score).collect(),
        recognitions,
    }
}
