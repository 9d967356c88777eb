//! The score of one run: ⟨e, n, w, c⟩ under each way of scoring (R19-7.1).

use crate::Run;
use agon_domain::{Limits, Ruling, Score, ScoreKind, Time};

/// The short limit of the 24-second score (R19-7.8).
const SHORT: Time = Time::from_secs(24);

/// The wall limit T that a way of scoring imposes.
pub(crate) fn wall_limit(kind: ScoreKind, limits: &Limits) -> Time {
    match kind {
        ScoreKind::TwentyFour => SHORT.min(limits.wall),
        _ => limits.wall,
    }
}

/// Whether the run's result is taken into consideration at all.
///
/// The sequential score imposes a CPU limit equal to T (R19-7.2); the 24-second score a shorter T. Within the
/// track's own T an answer counts even if the process had to be killed (R19-7.3).
fn counts(run: &Run, kind: ScoreKind, limits: &Limits) -> bool {
    match kind {
        ScoreKind::Sequential => run.cpu <= limits.wall,
        ScoreKind::TwentyFour => run.wall <= SHORT || limits.wall <= SHORT,
        ScoreKind::Parallel | ScoreKind::Sat | ScoreKind::Unsat => true,
    }
}

/// The score of a run (R19-7.1, R19-7.2). Time counts whether solved or not.
pub(crate) fn score(run: &Run, kind: ScoreKind, limits: &Limits) -> Score {
    let counts = counts(run, kind, limits);
    let wall = wall_limit(kind, limits);
    let cpu = match kind {
        ScoreKind::Sequential => wall,
        _ => Limits { wall, ..*limits }.cpu(),
    };
    Score {
        error: u64::from(counts && run.verdict.ruling == Ruling::Erroneous),
        correct: if counts && run.verdict.ruling != Ruling::Erroneous { run.verdict.points } else { 0 },
        wall: run.wall.min(wall),
        cpu: run.cpu.min(cpu),
    }
}

/// Whether the run is one more timeout in the table of this way of scoring.
pub(crate) fn is_timeout(run: &Run, kind: ScoreKind, limits: &Limits) -> bool {
    run.verdict.ruling == Ruling::Timeout || (!counts(run, kind, limits) && run.verdict.ruling != Ruling::Memout)
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_domain::{Answer, Verdict};

    const LIMITS: Limits = Limits::new(Time::from_secs(2400), 1, 4);

    fn run(ruling: Ruling, wall: u64, cpu: u64) -> Run {
        let verdict = Verdict { answer: Answer::Sat, ruling, points: u64::from(ruling == Ruling::Solved) };
        Run { solver: 0, benchmark: 0, verdict, wall: Time::from_secs(wall), cpu: Time::from_secs(cpu) }
    }

    fn tuple(run: &Run, kind: ScoreKind) -> (u64, u64, f64, f64) {
        let score = score(run, kind, &LIMITS);
        (score.error, score.correct, score.wall.as_secs_f64(), score.cpu.as_secs_f64())
    }

    #[test]
    fn r19_7_1_ranges() {
        assert_eq!(tuple(&run(Ruling::Solved, 10, 40), ScoreKind::Parallel), (0, 1, 10.0, 40.0));
        assert_eq!(tuple(&run(Ruling::Erroneous, 10, 40), ScoreKind::Parallel), (1, 0, 10.0, 40.0));
        assert_eq!(tuple(&run(Ruling::Timeout, 2401, 9700), ScoreKind::Parallel), (0, 0, 2400.0, 9600.0));
        assert_eq!(tuple(&run(Ruling::Abort, 3, 3), ScoreKind::Parallel), (0, 0, 3.0, 3.0));
    }

    #[test]
    fn r19_7_2_sequential_view() {
        assert_eq!(tuple(&run(Ruling::Solved, 700, 2400), ScoreKind::Sequential), (0, 1, 700.0, 2400.0));
        assert_eq!(tuple(&run(Ruling::Solved, 700, 2401), ScoreKind::Sequential), (0, 0, 700.0, 2400.0));
        assert_eq!(tuple(&run(Ruling::Erroneous, 700, 2401), ScoreKind::Sequential), (0, 0, 700.0, 2400.0));
    }

    #[test]
    fn r19_7_8_twenty_four_seconds() {
        assert_eq!(tuple(&run(Ruling::Solved, 24, 30), ScoreKind::TwentyFour), (0, 1, 24.0, 30.0));
        assert_eq!(tuple(&run(Ruling::Solved, 25, 30), ScoreKind::TwentyFour), (0, 0, 24.0, 30.0));
        assert_eq!(tuple(&run(Ruling::Erroneous, 25, 200), ScoreKind::TwentyFour), (0, 0, 24.0, 96.0));
    }

    #[test]
    fn r19_7_3_an_answer_counts_although_the_process_went_on_to_the_limit() {
        let hanging = run(Ruling::Solved, 2401, 2401);
        assert_eq!(tuple(&hanging, ScoreKind::Parallel), (0, 1, 2400.0, 2401.0));
        assert_eq!(tuple(&hanging, ScoreKind::Sequential).1, 0);
    }
}
