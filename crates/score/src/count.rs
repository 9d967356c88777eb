//! What one run brings to one ranking: ⟨e, n, w, c⟩ (R19-7.1).

use crate::{End, Run, TrackResults};
use agon_domain::{Answer, Limits, Score, ScoreKind, Status, Time, Track};
use agon_rulebook::{Counting, Deviation, ErrorSide, ScoringRules, TimeRule};

/// The short limit of the 24-second score (R19-7.8).
const SHORT: Time = Time::from_secs(24);

/// What is known of a benchmark before its runs are counted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) status: Status,
    /// Whether somebody answered so within the limit.
    pub(crate) said_sat: bool,
    pub(crate) said_unsat: bool,
}

impl Known {
    /// Whether a ranking looks at it: for sat and unsat those of that status, and those of unknown status that somebody
    /// answered so (R19-7.8).
    pub(crate) fn is_in(self, kind: ScoreKind) -> bool {
        match kind {
            ScoreKind::Sat => self.status == Status::Sat || self.status == Status::Unknown && self.said_sat,
            ScoreKind::Unsat => self.status == Status::Unsat || self.status == Status::Unknown && self.said_unsat,
            ScoreKind::Sequential | ScoreKind::Parallel | ScoreKind::TwentyFour => true,
        }
    }
}

/// What a run brings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counted {
    pub(crate) score: Score,
    /// Whether it solved its benchmark: with a correct answer, or with a core, however large.
    pub(crate) is_solved: bool,
    /// Whether the run is one more that did not solve its benchmark.
    pub(crate) is_unsolved: bool,
    pub(crate) is_timeout: bool,
    pub(crate) is_memout: bool,
    /// Whether the ranking looks at the run at all.
    pub(crate) is_in: bool,
    /// Whether it is as if there were no such run.
    pub(crate) is_absent: bool,
    /// Whether its result does not count: it is over the limit of the ranking, or has not ended where it has to.
    pub(crate) is_void: bool,
    /// Whether it is over the limit of the ranking.
    pub(crate) is_over: bool,
}

/// How runs are counted in one track.
pub(crate) struct Counter<'a> {
    scoring: &'a ScoringRules,
    limits: Limits,
    is_incremental: bool,
    clamps_both: bool,
    keeps_times: bool,
    memout_takes_limit: bool,
    filtered_runs: bool,
    filtered_unsolved: bool,
    sat_is_no_core: bool,
    wrong_takes_time: bool,
    all_take_time: bool,
    only_answers: bool,
    only_ended: bool,
    by_status: bool,
    asks_for_cores: bool,
    pub(crate) absent_over_limit: bool,
}

impl<'a> Counter<'a> {
    pub(crate) fn new(results: &TrackResults<'a>) -> Self {
        Self {
            scoring: &results.track_rules.scoring,
            limits: results.track_rules.limits,
            is_incremental: results.is_incremental,
            keeps_times: results.deviates(Deviation::TimesAsMeasured),
            clamps_both: results.deviates(Deviation::BothTimesClamped),
            memout_takes_limit: results.deviates(Deviation::MemoutTakesTheLimit),
            filtered_runs: results.deviates(Deviation::FilteredRunsCount),
            filtered_unsolved: results.deviates(Deviation::FilteredUnsolved),
            sat_is_no_core: results.track == Track::UnsatCore && results.deviates(Deviation::SatIsNoCore),
            wrong_takes_time: results.deviates(Deviation::WrongAnswersTakeTime),
            by_status: results.deviates(Deviation::ErrorsByStatus),
            only_answers: results.deviates(Deviation::OnlyAnswersTakeTime),
            only_ended: results.deviates(Deviation::OnlyEndedCount),
            all_take_time: results.is_incremental && results.deviates(Deviation::AllRunsTakeTime),
            asks_for_cores: results.track == Track::UnsatCore,
            absent_over_limit: results.deviates(Deviation::RunsOverTheLimitAreAbsent),
        }
    }

    /// The wall limit T that a ranking imposes.
    pub(crate) fn limit(&self, kind: ScoreKind) -> Time {
        match kind {
            ScoreKind::TwentyFour => SHORT.min(self.limits.wall),
            _ => self.limits.wall,
        }
    }

    /// The two times of a run in a ranking, and whether its result does not count.
    ///
    /// The sequential score imposes a CPU limit equal to T (R19-7.2); the 24-second score a shorter T (R19-7.8). Within
    /// the track's own T an answer counts even if the process had to be killed (R19-7.3), in most years.
    fn clock(&self, run: &Run, kind: ScoreKind) -> (Time, Time, bool) {
        let limit = self.limit(kind);
        let looked_at = kind.time(run.wall, run.cpu);
        // Who was stopped at the limit is measured a little over it. Who ended by itself had a longer one.
        let was_stopped = run.end != End::Complete && limit == self.limits.wall && kind != ScoreKind::Sequential;
        let had_more_time = run.end == End::Complete && run.wall > self.limits.wall && !self.clamps_both;
        let is_over = had_more_time || looked_at > limit && (self.clamps_both || !was_stopped);
        let must_end = self.scoring.counts == Counting::Ended;
        let is_void = is_over || must_end && run.end == End::Timeout || self.only_ended && run.end != End::Complete;
        if self.memout_takes_limit && run.end == End::Memout || self.clamps_both && is_over {
            return (limit, limit, is_void);
        }
        if self.clamps_both {
            return (run.wall, run.cpu, is_void);
        }
        let most = match kind {
            ScoreKind::Sequential => limit,
            _ if self.keeps_times => run.cpu,
            _ => Limits { wall: limit, ..self.limits }.cpu(),
        };
        let wall = if self.keeps_times { run.wall } else { run.wall.min(limit) };
        (wall, run.cpu.min(most), is_void)
    }

    /// What a run answered within the limit of a ranking.
    pub(crate) fn answer(&self, run: &Run, kind: ScoreKind) -> Answer {
        let is_void = self.clock(run, kind).2;
        if is_void { Answer::Unknown } else { run.answer }
    }

    /// What a run brings to a ranking (R19-7.1, R19-7.2).
    pub(crate) fn count(&self, run: &Run, known: Known, kind: ScoreKind) -> Counted {
        let (mut wall, mut cpu, is_void) = self.clock(run, kind);
        // Queries keep what was answered before the limit (A11-11, R19-5.23).
        let is_lost = is_void && !(self.is_incremental && self.limit(kind) == self.limits.wall);
        let answer = if is_lost { Answer::Unknown } else { run.answer };
        let (mut error, mut correct) = if is_lost { (0, 0) } else { (u64::from(run.errors), run.points) };
        if error > 0 && self.scoring.wrong_query_cancels {
            correct = 0;
        }
        if self.sat_is_no_core && answer != Answer::Unsat {
            error = 0;
        }
        let other = match kind {
            ScoreKind::Sat => Some(Answer::Unsat),
            ScoreKind::Unsat => Some(Answer::Sat),
            _ => None,
        };
        let is_looked_at = known.is_in(kind);
        let is_in = match if self.by_status { ErrorSide::Status } else { self.scoring.errors_by } {
            ErrorSide::Status => is_looked_at,
            ErrorSide::Answer => {
                let is_wanted = other.is_some_and(|other| answer.is_definite() && answer != other);
                (is_looked_at || is_wanted) && other != Some(answer)
            }
        };
        let is_absent = self.absent_over_limit && is_void && kind == ScoreKind::TwentyFour;
        if !is_in || is_absent {
            (error, correct, wall, cpu) = (0, 0, Time::ZERO, Time::ZERO);
        }
        let is_core = self.asks_for_cores && is_in && !is_absent && answer == Answer::Unsat && error == 0;
        let is_solved = correct > 0 || is_core;
        let is_timed = match self.scoring.time {
            _ if self.all_take_time => true,
            _ if self.only_answers => is_solved || error > 0,
            TimeRule::All => true,
            TimeRule::Answered => is_solved || error > 0,
            TimeRule::Solved => is_solved || self.wrong_takes_time && error > 0,
            // The published results of 2023 look at what is solved alone.
            TimeRule::Ended => is_solved && (run.end != End::Timeout || self.clamps_both),
            TimeRule::LimitUnlessSolved => {
                if !is_solved && is_in {
                    (wall, cpu) = (self.limit(kind), self.limit(kind));
                }
                true
            }
        };
        if !is_timed {
            (wall, cpu) = (Time::ZERO, Time::ZERO);
        }
        let timeouts_count = is_in || self.filtered_runs;
        Counted {
            score: Score { error, correct, wall, cpu },
            is_solved,
            is_unsolved: !is_solved && (is_looked_at || self.filtered_unsolved) && !is_absent,
            is_timeout: (run.end == End::Timeout || is_void && run.end != End::Memout) && timeouts_count && !is_absent,
            is_memout: run.end == End::Memout && timeouts_count && !is_absent,
            is_in: is_in && !is_absent,
            is_absent,
            is_void,
            is_over: kind.time(run.wall, run.cpu) > self.limit(kind),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, World};

    fn tuple(world: &World, run: (Answer, u64, u64, End), kind: ScoreKind) -> (u64, u64, f64, f64) {
        let (answer, wall, cpu, end) = run;
        let errors = u32::from(answer == Answer::Unsat);
        let run = Run {
            solver: 0,
            benchmark: 0,
            answer,
            end,
            errors,
            points: u64::from(answer == Answer::Sat),
            wall: Time::from_secs(wall),
            cpu: Time::from_secs(cpu),
        };
        let known = Known { status: Status::Sat, said_sat: true, said_unsat: true };
        let score = Counter::new(&world.results()).count(&run, known, kind).score;
        (score.error, score.correct, score.wall.as_secs_f64(), score.cpu.as_secs_f64())
    }

    const RIGHT: Answer = Answer::Sat;
    const WRONG: Answer = Answer::Unsat;

    #[test]
    fn r19_7_1_ranges() {
        let world = testing::world("smtcomp-2019");
        let tuple = |run| tuple(&world, run, ScoreKind::Parallel);
        assert_eq!(tuple((RIGHT, 10, 40, End::Complete)), (0, 1, 10.0, 40.0));
        assert_eq!(tuple((WRONG, 10, 40, End::Complete)), (1, 0, 10.0, 40.0));
        assert_eq!(tuple((Answer::Unknown, 2401, 9700, End::Timeout)), (0, 0, 2400.0, 9600.0));
        assert_eq!(tuple((Answer::Unknown, 3, 3, End::Complete)), (0, 0, 3.0, 3.0));
    }

    #[test]
    fn r19_7_2_sequential_view() {
        let world = testing::world("smtcomp-2019");
        let tuple = |run| tuple(&world, run, ScoreKind::Sequential);
        assert_eq!(tuple((RIGHT, 700, 2400, End::Complete)), (0, 1, 700.0, 2400.0));
        assert_eq!(tuple((RIGHT, 700, 2401, End::Complete)), (0, 0, 700.0, 2400.0));
        assert_eq!(tuple((WRONG, 700, 2401, End::Complete)), (0, 0, 700.0, 2400.0));
    }

    #[test]
    fn r19_7_8_twenty_four_seconds() {
        let world = testing::world("smtcomp-2019");
        let tuple = |run| tuple(&world, run, ScoreKind::TwentyFour);
        assert_eq!(tuple((RIGHT, 24, 30, End::Complete)), (0, 1, 24.0, 30.0));
        assert_eq!(tuple((RIGHT, 25, 30, End::Complete)), (0, 0, 24.0, 30.0));
        assert_eq!(tuple((WRONG, 25, 200, End::Complete)), (0, 0, 24.0, 96.0));
    }

    #[test]
    fn r19_7_3_an_answer_counts_although_the_process_went_on_to_the_limit() {
        let world = testing::world("smtcomp-2019");
        let hanging = (RIGHT, 2401, 2401, End::Timeout);
        assert_eq!(tuple(&world, hanging, ScoreKind::Parallel), (0, 1, 2400.0, 2401.0));
        assert_eq!(tuple(&world, hanging, ScoreKind::Sequential).1, 0);
        // Who had more time and ended by itself did not answer within the limit.
        assert_eq!(tuple(&world, (RIGHT, 2401, 2401, End::Complete), ScoreKind::Parallel).1, 0);
        // Until 2015 the process had to end.
        let world = testing::world("smtcomp-2015");
        assert_eq!(tuple(&world, hanging, ScoreKind::Parallel).1, 0);
    }

    #[test]
    fn times_are_added_as_the_year_has_it() {
        let unsolved = (Answer::Unknown, 3, 3, End::Complete);
        for (rules, time) in [
            ("smtcomp-2008", 0.0),
            ("smtcomp-2014", 3.0),
            ("smtcomp-2015", 3.0),
            ("smtcomp-2022", 3.0),
            ("smtcomp-2023", 0.0),
        ] {
            let world = testing::world(rules);
            assert_eq!(tuple(&world, unsolved, ScoreKind::Sequential).3, time, "{rules}");
        }
    }
}
