//! Finds benchmarks of the incremental track whose number of queries is missing.

use crate::{Rules, TrackResults};
use agon_rulebook::Weights;

/// Benchmarks of the incremental track whose number of queries is not known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MissingQueries {
    /// The number of these benchmarks.
    pub benchmarks: usize,
    /// Whether the rules cannot be applied without the numbers of queries. If they can, the only effects are that
    /// unsolved queries are not counted and that there is no overall score.
    pub are_needed: bool,
}

/// Counts the benchmarks with runs whose number of queries is not known. `None` if there are no such benchmarks, or if
/// the results are not incremental.
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
