//! Facts that results lack, and what cannot be scored without them.

use crate::{Rules, TrackResults};
use agon_rulebook::Weights;

/// Benchmarks of the incremental track whose number of queries is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingQueries {
    /// How many there are.
    pub benchmarks: usize,
    /// Whether the rules cannot be applied without the numbers. Otherwise only unsolved queries are not counted, and there is
    /// no score over all divisions.
    pub are_needed: bool,
}

/// The benchmarks with runs that lack their number of queries, if there are any.
pub fn missing_queries(results: &TrackResults, rules: &Rules<'_>) -> Option<MissingQueries> {
    if !results.is_incremental {
        return None;
    }
    let mut has_runs = vec![false; results.benchmarks.len()];
    for run in &results.runs {
        has_runs[run.benchmark.place()] = true;
    }
    let lacking =
        results.benchmarks.iter().zip(has_runs).filter(|(facts, has_runs)| *has_runs && facts.queries.is_none());
    let benchmarks = lacking.count();
    let are_needed = rules.track_rules.scoring.weights == Weights::Queries;
    (benchmarks > 0).then_some(MissingQueries { benchmarks, are_needed })
}
