//! Why a figure is what it is.

use crate::TrackResults;
use crate::tally::Tally;
use agon_domain::{Answer, Score, ScoreKind, Status};
use serde::Serialize;

/// What one run brings to a line of a ranking, and why.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The benchmark.
    pub benchmark: String,
    /// What is known of it.
    pub status: Status,
    /// What the solver answered.
    pub answer: Answer,
    /// e, n, w and c.
    #[serde(flatten)]
    pub score: Score,
    /// The rule that made it so.
    pub why: &'static str,
}

/// All runs of a solver in a division, with what each brings to a ranking: this one, or the first that there is. Nothing if
/// there is no such division, solver or ranking.
pub fn explain(
    results: &TrackResults<'_>,
    division: &str,
    solver: &str,
    kind: Option<ScoreKind>,
) -> Option<(ScoreKind, Vec<Explanation>)> {
    let tally = Tally::new(results);
    let mut groups = tally.grouping.divisions.iter().chain(&tally.grouping.logics);
    let group = groups.find(|group| group.name.0 == division)?;
    let number = results.solvers.iter().position(|found| found.name == solver)? as u32;
    let kind = kind.or(tally.kinds.first().copied()).filter(|kind| tally.kinds.contains(kind))?;
    let own = results
        .runs
        .iter()
        .filter(|run| run.solver == number && group.logics.contains(&results.benchmarks[run.benchmark as usize].logic));
    let explanation = |run: &crate::Run| {
        let benchmark = run.benchmark as usize;
        let counted = tally.counter.count(run, tally.known[benchmark], kind);
        let score = counted.score;
        let (score, why) = if tally.removed[benchmark] {
            (Score::default(), "removed: sound solvers disagree on it, and its status is unknown (R19-7.6)")
        } else if counted.is_absent {
            (score, "over 24 seconds, so absent from this ranking")
        } else if !counted.is_in {
            (score, "not looked at by this ranking (R19-7.8)")
        } else if score.error > 0 {
            (score, "wrong (R19-7.1)")
        } else if score.correct > 0
            && results.benchmarks[benchmark].status == Status::Unknown
            && !results.is_incremental
        {
            (score, "correct: the status is unknown (R19-7.3)")
        } else if score.correct > 0 {
            (score, "correct (R19-7.1)")
        } else if counted.is_void && run.points > 0 && counted.is_over {
            (score, "over the limit of this ranking (R19-7.2, R19-7.8)")
        } else if counted.is_void && run.points > 0 {
            (score, "the process did not end within the limit, so its answer does not count")
        } else if counted.is_memout {
            (score, "out of memory (R19-5.20)")
        } else if counted.is_timeout {
            (score, "out of time (R19-7.1)")
        } else {
            (score, "no result (R19-7.1)")
        };
        Explanation {
            benchmark: results.name_of(benchmark),
            status: results.benchmarks[benchmark].status,
            answer: run.answer,
            score,
            why,
        }
    };
    Some((kind, own.map(explanation).collect()))
}
