//! What one run contributes to one ranking: ⟨e, n, w, c⟩ (R19-7.1).

use crate::rules::{FilteredRuns, LateRuns, MemoutTime, Rules, TimeCaps};
use crate::{LogicIx, Run, TrackResults};
use agon_domain::{Answer, Answers, End, Evidence, Limits, Score, ScoreKind, Status, Time, Worth};
use agon_rulebook::{Counting, ErrorSide, TimeRule};

/// The limit of the 24-second score (R19-7.8).
pub(crate) const SHORT: Time = Time::from_secs(24);

/// What is known about a benchmark before its runs are scored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known {
    pub(crate) status: Status,
    /// The answers that solvers gave within the limit.
    pub(crate) answers: Answers,
}

impl Known {
    /// Whether the benchmark is part of a ranking. The sat ranking has the benchmarks with status `sat`, and those of
    /// unknown status that a solver answered `sat`; likewise for unsat (R19-7.8).
    pub(crate) fn is_in(self, kind: ScoreKind) -> bool {
        match kind {
            ScoreKind::Sat => self.status == Status::Sat || self.status == Status::Unknown && self.answers.sat,
            ScoreKind::Unsat => self.status == Status::Unsat || self.status == Status::Unknown && self.answers.unsat,
            ScoreKind::Sequential | ScoreKind::Parallel | ScoreKind::TwentyFour => true,
        }
    }
}

/// What a run contributes to a ranking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct RunScore {
    pub(crate) score: Score,
    /// Whether the run solved its benchmark: with a correct answer, or with a core of any size.
    pub(crate) is_solved: bool,
    /// Whether it counts as unsolved. A run outside the ranking is neither solved nor unsolved, unless the rules count
    /// filtered runs as unsolved ([`Rules::filtered_unsolved`]).
    pub(crate) is_unsolved: bool,
    pub(crate) is_timeout: bool,
    pub(crate) is_memout: bool,
    /// Whether the run is part of the ranking.
    pub(crate) place: Presence,
    /// Whether the result of the run counts, and if not, why.
    pub(crate) timeliness: Timeliness,
}

/// Whether a run is part of a ranking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Presence {
    /// The run counts.
    #[default]
    Counted,
    /// Its benchmark is not part of the ranking (R19-7.8).
    Filtered,
    /// The run counts as if it did not exist.
    Absent,
}

/// Whether the result of a run counts in a ranking.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Timeliness {
    #[default]
    Counts,
    /// The run took longer than the ranking allows (R19-7.2, R19-7.8).
    OverLimit,
    /// The process did not end as the rules require.
    NotEnded,
}

/// The times of a run in a ranking, and whether its result counts.
struct Clock {
    wall: Time,
    cpu: Time,
    /// The run took too long, or did not end as the rules require, so its result does not count.
    is_void: bool,
}

/// Scores the runs of one track.
pub(crate) struct RunScorer<'a> {
    rules: &'a Rules<'a>,
    /// The limits of each logic (R08-3.6).
    limits: Vec<Limits>,
    /// The logic of each benchmark.
    logics: Vec<LogicIx>,
    time: TimeRule,
    is_incremental: bool,
}

impl<'a> RunScorer<'a> {
    pub(crate) fn new(results: &TrackResults, rules: &'a Rules<'a>) -> Self {
        Self {
            rules,
            limits: results.logics.iter().map(|logic| rules.limits_of(logic)).collect(),
            logics: results.benchmarks.iter().map(|facts| facts.logic).collect(),
            time: if results.is_incremental { rules.time_of_queries } else { rules.time },
            is_incremental: results.is_incremental,
        }
    }

    /// The wall limit T that a ranking imposes on runs in a logic.
    pub(crate) fn limit(&self, kind: ScoreKind, logic: LogicIx) -> Time {
        let own = self.limits[logic.place()].wall;
        match kind {
            ScoreKind::TwentyFour => SHORT.min(own),
            ScoreKind::Sequential | ScoreKind::Parallel | ScoreKind::Sat | ScoreKind::Unsat => own,
        }
    }

    fn logic(&self, run: &Run) -> LogicIx {
        self.logics[run.benchmark.place()]
    }

    /// The errors and points of a run, regardless of the limit of a ranking (R19-7.1).
    pub(crate) fn worth(&self, run: &Run, known: Known) -> Worth {
        run.claim.worth(known.status, &self.rules.claims)
    }

    /// The two times of a run in a ranking, and whether its result is void.
    ///
    /// The sequential score imposes a CPU limit equal to T (R19-7.2), the 24-second score a shorter T (R19-7.8). Within
    /// the track's own T, an answer counts in most years even if the process had to be killed (R19-7.3).
    fn clock(&self, run: &Run, kind: ScoreKind) -> Clock {
        let (limit, limits) = (self.limit(kind, self.logic(run)), self.limits[self.logic(run).place()]);
        let clamps = self.rules.caps == TimeCaps::Both;
        let looked_at = kind.time(run.wall, run.cpu);
        // A killed run measures slightly more than the limit, although its answer came in time. A run that exits by
        // itself after the limit was run with a longer limit, so its answer may be late.
        let was_stopped = run.end != End::Complete && limit == limits.wall && kind != ScoreKind::Sequential;
        let had_more_time = run.end == End::Complete && run.wall > limits.wall && !clamps;
        let is_over = had_more_time || looked_at > limit && (clamps || !was_stopped);
        let ended = match self.rules.counting {
            Counting::Answered => true,
            Counting::Ended => run.end != End::Timeout,
            Counting::Exited => run.end == End::Complete,
        };
        let is_void = is_over || !ended;
        let takes_limit = self.rules.memout_time == MemoutTime::Limit && run.end == End::Memout;
        if takes_limit || clamps && is_over {
            return Clock { wall: limit, cpu: limit, is_void };
        }
        let most_cpu = match kind {
            ScoreKind::Sequential => limit,
            _ => Limits { wall: limit, ..limits }.cpu(),
        };
        let (wall, cpu) = match self.rules.caps {
            TimeCaps::Measured if kind == ScoreKind::Sequential => (run.wall, run.cpu.min(limit)),
            TimeCaps::Both | TimeCaps::Measured => (run.wall, run.cpu),
            TimeCaps::Each => (run.wall.min(limit), run.cpu.min(most_cpu)),
        };
        Clock { wall, cpu, is_void }
    }

    /// The answer of a run, or `unknown` if its result does not count in a ranking.
    pub(crate) fn answer(&self, run: &Run, kind: ScoreKind) -> Answer {
        if self.clock(run, kind).is_void { Answer::Unknown } else { run.claim.answer }
    }

    /// What a run contributes to a ranking (R19-7.1, R19-7.2).
    pub(crate) fn score(&self, run: &Run, known: Known, kind: ScoreKind) -> RunScore {
        let Clock { mut wall, mut cpu, is_void } = self.clock(run, kind);
        // In the incremental track, answers given before the limit still count (A11-11, R19-5.23).
        let limit = self.limit(kind, self.logic(run));
        let is_lost = is_void && !(self.is_incremental && limit == self.limits[self.logic(run).place()].wall);
        let answer = if is_lost { Answer::Unknown } else { run.claim.answer };
        let worth = if is_lost { Worth::default() } else { self.worth(run, known) };
        let (mut error, mut correct) = (u64::from(worth.errors), worth.points);
        if error > 0 && self.rules.track_rules.scoring.wrong_query_cancels {
            correct = 0;
        }
        let is_looked_at = known.is_in(kind);
        let is_absent = self.rules.late == LateRuns::Absent && is_void && kind == ScoreKind::TwentyFour;
        let is_in = self.is_in(kind, answer, is_looked_at) && !is_absent;
        if !is_in {
            (error, correct, wall, cpu) = (0, 0, Time::ZERO, Time::ZERO);
        }
        // A core that contains all assertions solves the benchmark, but earns no points.
        let has_core = matches!(run.claim.evidence, Evidence::Core(_)) && answer == Answer::Unsat;
        let is_solved = correct > 0 || has_core && is_in && error == 0;
        match self.time_of(run, is_solved, error) {
            Timed::Limit if is_in => (wall, cpu) = (limit, limit),
            // A run outside the ranking already takes no time.
            Timed::Measured | Timed::Limit => {}
            Timed::Nothing => (wall, cpu) = (Time::ZERO, Time::ZERO),
        }
        let ends_count = (is_in || self.rules.filtered_ends == FilteredRuns::Counted) && !is_absent;
        let may_be_unsolved = is_looked_at || self.rules.filtered_unsolved == FilteredRuns::Counted;
        RunScore {
            score: Score { error, correct, wall, cpu },
            is_solved,
            is_unsolved: !is_solved && may_be_unsolved && !is_absent,
            is_timeout: (run.end == End::Timeout || is_void && run.end != End::Memout) && ends_count,
            is_memout: run.end == End::Memout && ends_count,
            place: if is_absent {
                Presence::Absent
            } else if is_in {
                Presence::Counted
            } else {
                Presence::Filtered
            },
            timeliness: if !is_void {
                Timeliness::Counts
            } else if kind.time(run.wall, run.cpu) > limit {
                Timeliness::OverLimit
            } else {
                Timeliness::NotEnded
            },
        }
    }

    /// Whether a run with this answer is part of a ranking. Since 2021 that depends on the answer: a wrong `sat` is an
    /// error of the sat ranking.
    fn is_in(&self, kind: ScoreKind, answer: Answer, is_looked_at: bool) -> bool {
        let (wanted, other) = match kind {
            ScoreKind::Sat => (Answer::Sat, Answer::Unsat),
            ScoreKind::Unsat => (Answer::Unsat, Answer::Sat),
            ScoreKind::Sequential | ScoreKind::Parallel | ScoreKind::TwentyFour => return is_looked_at,
        };
        match self.rules.errors_by {
            ErrorSide::Status => is_looked_at,
            ErrorSide::Answer => (is_looked_at || answer == wanted) && answer != other,
        }
    }

    /// The time that is added for a run.
    fn time_of(&self, run: &Run, is_solved: bool, error: u64) -> Timed {
        let counts = match self.time {
            TimeRule::All => true,
            TimeRule::Answered => is_solved || error > 0,
            TimeRule::Solved => is_solved,
            TimeRule::Ended => is_solved && run.end != End::Timeout,
            TimeRule::LimitUnlessSolved if is_solved => true,
            TimeRule::LimitUnlessSolved => return Timed::Limit,
        };
        if counts { Timed::Measured } else { Timed::Nothing }
    }
}

/// The time that is added for a run.
enum Timed {
    /// The run's own time.
    Measured,
    /// The time limit.
    Limit,
    /// No time.
    Nothing,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{self, World};
    use crate::{BenchmarkFacts, BenchmarkIx, Measured, SolverIx};
    use agon_domain::{Claim, Division, Logic, Track};
    use agon_rulebook::{DivisionRules, Divisions, LimitChanges};

    fn tuple(world: &World, run: (Answer, u64, u64, End), kind: ScoreKind) -> (u64, u64, f64, f64) {
        let (answer, wall, cpu, end) = run;
        let run = Run {
            solver: SolverIx(0),
            benchmark: BenchmarkIx(0),
            claim: Claim { answer, evidence: Evidence::None },
            end,
            wall: Time::from_secs(wall),
            cpu: Time::from_secs(cpu),
            measured: Measured::All,
        };
        let known = Known { status: Status::Sat, answers: Answers { sat: true, unsat: true } };
        let rules = world.rules();
        let mut results = world.results();
        results.logics.push(Logic("QF_BV".into()));
        let name = "QF_BV/f/a.smt2".into();
        results.benchmarks.push(BenchmarkFacts {
            name,
            logic: LogicIx::at(0),
            status: Status::Sat,
            queries: None,
            asserts: None,
        });
        let score = RunScorer::new(&results, &rules).score(&run, known, kind).score;
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
    fn r08_3_6_a_division_has_limits_of_its_own() {
        let mut world = testing::world("smtcomp-2019");
        let limits = LimitChanges { wall: Some(Time::from_secs(600)), ..LimitChanges::default() };
        let rules = DivisionRules { logics: vec![Logic("QF_BV".into())], limits, ..DivisionRules::default() };
        world.rulebook.divisions.insert(Track::SingleQuery, Divisions([(Division("QF_BV".into()), rules)].into()));
        let late = (RIGHT, 500, 601, End::Complete);
        assert_eq!(tuple(&world, late, ScoreKind::Sequential), (0, 0, 500.0, 600.0));
        assert_eq!(tuple(&world, late, ScoreKind::Parallel), (0, 1, 500.0, 601.0));
        let stopped = (Answer::Unknown, 601, 3000, End::Timeout);
        assert_eq!(tuple(&world, stopped, ScoreKind::Parallel), (0, 0, 600.0, 2400.0));
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
    fn r19_7_3_an_answer_counts_even_if_the_process_runs_until_the_limit() {
        let world = testing::world("smtcomp-2019");
        let hanging = (RIGHT, 2401, 2401, End::Timeout);
        assert_eq!(tuple(&world, hanging, ScoreKind::Parallel), (0, 1, 2400.0, 2401.0));
        assert_eq!(tuple(&world, hanging, ScoreKind::Sequential).1, 0);
        // A run that exits by itself after the limit was run with a longer limit, so its answer may be late.
        assert_eq!(tuple(&world, (RIGHT, 2401, 2401, End::Complete), ScoreKind::Parallel).1, 0);
        // Until 2015 the process had to end.
        let world = testing::world("smtcomp-2015");
        assert_eq!(tuple(&world, hanging, ScoreKind::Parallel).1, 0);
    }

    #[test]
    fn the_time_of_unsolved_runs_counts_in_some_years() {
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
