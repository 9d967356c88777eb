//! Benchmarks that are removed because sound solvers disagree on them (R19-7.6).

use crate::TrackResults;
use crate::division::Grouping;
use agon_domain::{Answer, Status, Track};
use agon_rulebook::Deviation;
use rustc_hash::FxHashSet;

/// Whether each benchmark is removed: its status is unknown, and two solvers disagree on it that are sound on the known
/// ones of the division.
pub(crate) fn removed(results: &TrackResults<'_>, grouping: &Grouping) -> Vec<bool> {
    // For single queries, of the industry challenge too.
    let is_single =
        matches!(results.track, Track::SingleQuery | Track::IndustryChallenge | Track::Parallel | Track::Cloud)
            && !results.is_incremental;
    let mut removed = vec![false; results.benchmarks.len()];
    if !is_single || !results.track_rules.scoring.removes_disagreements {
        return removed;
    }
    let everywhere = results.deviates(Deviation::UnsoundInOneUnsoundInAll);
    let place = |benchmark: u32| {
        let logic = results.benchmarks[benchmark as usize].logic;
        if everywhere { 0 } else { grouping.division_of(logic) }
    };
    let erring = results.runs.iter().filter(|run| run.errors > 0);
    let unsound: FxHashSet<(usize, u32)> = erring.map(|run| (place(run.benchmark), run.solver)).collect();
    let mut said = vec![(false, false); results.benchmarks.len()];
    for run in results.runs.iter().filter(|run| run.answer.is_definite()) {
        let at = run.benchmark as usize;
        if results.benchmarks[at].status == Status::Unknown && !unsound.contains(&(place(run.benchmark), run.solver)) {
            match run.answer {
                Answer::Sat => said[at].0 = true,
                _ => said[at].1 = true,
            }
        }
    }
    for (removed, (sat, unsat)) in removed.iter_mut().zip(said) {
        *removed = sat && unsat;
    }
    removed
}
