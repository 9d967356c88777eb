//! Benchmarks that are removed because sound solvers disagree on them (R19-7.6).

use crate::division::Grouping;
use crate::rules::{Rules, SoundnessScope};
use crate::{BenchmarkIx, SolverIx, TrackResults};
use agon_domain::{Answers, Status, Track};
use rustc_hash::FxHashSet;

/// For each benchmark, whether it is removed: its status is unknown, and sound solvers disagree on it. A solver is
/// sound if it made no error in the division or, if the rules require that, in the whole track.
pub(crate) fn removed(results: &TrackResults, rules: &Rules<'_>, grouping: &Grouping) -> Vec<bool> {
    let mut removed = vec![false; results.benchmarks.len()];
    let is_single = match results.track {
        Track::SingleQuery | Track::IndustryChallenge | Track::Parallel | Track::Cloud => !results.is_incremental,
        Track::Incremental
        | Track::IndustryChallengeIncremental
        | Track::UnsatCore
        | Track::ModelValidation
        | Track::Proof => false,
    };
    if !is_single || !rules.track_rules.scoring.removes_disagreements {
        return removed;
    }
    let scope = |benchmark: BenchmarkIx| match rules.soundness {
        SoundnessScope::Track => 0,
        SoundnessScope::Division => grouping.division_of(results.benchmarks[benchmark].logic),
    };
    let mut unsound: FxHashSet<(usize, SolverIx)> = FxHashSet::default();
    for run in &results.runs {
        if run.claim.worth(results.benchmark_of(run).status, &rules.claims).errors > 0 {
            unsound.insert((scope(run.benchmark), run.solver));
        }
    }
    let mut answers = vec![Answers::default(); results.benchmarks.len()];
    for run in results.runs.iter().filter(|run| run.claim.answer.is_definite()) {
        let is_open = results.benchmark_of(run).status == Status::Unknown;
        if is_open && !unsound.contains(&(scope(run.benchmark), run.solver)) {
            answers[run.benchmark.place()].add(run.claim.answer);
        }
    }
    for (removed, answers) in removed.iter_mut().zip(answers) {
        *removed = answers.disagree();
    }
    removed
}
