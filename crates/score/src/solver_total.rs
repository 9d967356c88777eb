//! The total of one solver in one ranking.

use crate::LogicIx;
use crate::run_score::{Presence, RunScore};
use agon_domain::{Answer, Score, Time};
use dashu_ratio::RBig;
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// The sum of the contributions of one solver's runs to one ranking.
#[derive(Clone, Debug, Default)]
pub(crate) struct SolverTotal {
    pub(crate) score: Score,
    pub(crate) solved: u64,
    pub(crate) solved_sat: u64,
    pub(crate) solved_unsat: u64,
    pub(crate) unsolved: u64,
    pub(crate) runs: u64,
    pub(crate) timeout: u64,
    pub(crate) memout: u64,
    pub(crate) wrong_sat: u64,
    /// The wall-clock time of correct results alone.
    pub(crate) correct_wall: Time,
    /// The CPU time of correct results alone.
    pub(crate) correct_cpu: Time,
    /// The PAR-2 score: time, with twice the limit for each unsolved benchmark. Derived solvers are compared by it.
    pub(crate) penalized: Time,
    /// ⟨e, n, w, c⟩ by logic and family size, as integers so that the order of the runs does not matter.
    pub(crate) by_family: BTreeMap<(LogicIx, u64), [u128; 4]>,
    /// ⟨e, n, w, c⟩ with family weights.
    pub(crate) weighted: Option<[f64; 4]>,
    /// The sum, over benchmarks, of correct queries divided by all queries.
    pub(crate) share: RBig,
}

impl AddAssign<&SolverTotal> for SolverTotal {
    fn add_assign(&mut self, other: &SolverTotal) {
        self.score = self.score + other.score;
        self.solved += other.solved;
        self.solved_sat += other.solved_sat;
        self.solved_unsat += other.solved_unsat;
        self.unsolved = self.unsolved.saturating_add(other.unsolved);
        self.runs += other.runs;
        self.timeout += other.timeout;
        self.memout += other.memout;
        self.wrong_sat += other.wrong_sat;
        self.correct_wall += other.correct_wall;
        self.correct_cpu += other.correct_cpu;
        self.penalized += other.penalized;
        for (size, values) in &other.by_family {
            let own = self.by_family.entry(*size).or_default();
            own.iter_mut().zip(values).for_each(|(own, more)| *own += more);
        }
        self.share += &other.share;
    }
}

impl SolverTotal {
    /// Adds the contribution of a run. `family` is its logic and the size of its family, if families have weights.
    pub(crate) fn add(&mut self, answer: Answer, run: &RunScore, family: Option<(LogicIx, u64)>) {
        let score = run.score;
        self.score = self.score + score;
        self.runs += u64::from(run.place != Presence::Absent);
        self.unsolved += u64::from(run.is_unsolved);
        self.timeout += u64::from(run.is_timeout);
        self.memout += u64::from(run.is_memout);
        if run.is_solved {
            self.solved += 1;
            self.solved_sat += u64::from(answer == Answer::Sat);
            self.solved_unsat += u64::from(answer == Answer::Unsat);
            self.correct_wall += score.wall;
            self.correct_cpu += score.cpu;
        }
        if answer == Answer::Sat {
            self.wrong_sat += score.error;
        }
        if let Some(family) = family {
            let own = self.by_family.entry(family).or_default();
            let values = [score.error, score.correct, score.wall.as_nanos(), score.cpu.as_nanos()].map(u128::from);
            own.iter_mut().zip(values).for_each(|(own, more)| *own += more);
        }
    }

    /// Counts the unsolved queries of a run as unsolved, instead of the run.
    pub(crate) fn count_queries(&mut self, run: &RunScore, queries: u64) {
        self.unsolved -= u64::from(run.is_unsolved);
        self.unsolved = self.unsolved.saturating_add(queries.saturating_sub(run.score.correct));
    }

    /// Counts the run as unsolved even if it solved its benchmark, as some published tables do for all runs.
    pub(crate) fn count_every_run(&mut self, run: &RunScore) {
        self.unsolved -= u64::from(run.is_unsolved);
        self.solved -= u64::from(run.is_solved);
        self.unsolved += u64::from(run.place != Presence::Absent);
    }

    /// Adds the share of its queries that a run answered correctly.
    pub(crate) fn add_share(&mut self, correct: u64, queries: u64) {
        if correct > 0 {
            self.share += RBig::from_parts(correct.into(), queries.max(correct).into());
        }
    }
}
