//! What is added up for one solver in one ranking.

use crate::Run;
use crate::count::Counted;
use agon_domain::{Answer, Score, Time};
use dashu_ratio::RBig;
use std::collections::BTreeMap;
use std::ops::AddAssign;

/// What one solver has in one ranking.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sum {
    pub(crate) score: Score,
    pub(crate) solved: u64,
    pub(crate) solved_sat: u64,
    pub(crate) solved_unsat: u64,
    pub(crate) unsolved: u64,
    pub(crate) runs: u64,
    pub(crate) timeout: u64,
    pub(crate) memout: u64,
    pub(crate) wrong_sat: u64,
    /// The times of correct results alone.
    pub(crate) correct_wall: Time,
    pub(crate) correct_cpu: Time,
    /// The times with twice the limit for what is not solved, which derived solvers are measured by.
    pub(crate) penalised: Time,
    /// ⟨e, n, w, c⟩ by logic and size of family: exact, so that no order of the runs can tell equal sums apart.
    pub(crate) by_family: BTreeMap<(u32, u64), [u64; 4]>,
    /// The same, weighed.
    pub(crate) weighted: Option<[f64; 4]>,
    /// Correct queries in parts of those of their benchmarks.
    pub(crate) share: RBig,
}

impl AddAssign<&Sum> for Sum {
    fn add_assign(&mut self, other: &Sum) {
        self.score = self.score + other.score;
        self.solved += other.solved;
        self.solved_sat += other.solved_sat;
        self.solved_unsat += other.solved_unsat;
        self.unsolved += other.unsolved;
        self.runs += other.runs;
        self.timeout += other.timeout;
        self.memout += other.memout;
        self.wrong_sat += other.wrong_sat;
        self.correct_wall += other.correct_wall;
        self.correct_cpu += other.correct_cpu;
        self.penalised += other.penalised;
        for (size, values) in &other.by_family {
            let own = self.by_family.entry(*size).or_default();
            own.iter_mut().zip(values).for_each(|(own, more)| *own += more);
        }
        self.share += &other.share;
    }
}

impl Sum {
    /// Adds what a run brings. `family` is its logic and the size of its family, where families have weights.
    pub(crate) fn add(&mut self, run: &Run, counted: &Counted, family: Option<(u32, u64)>) {
        let score = counted.score;
        self.score = self.score + score;
        self.runs += u64::from(!counted.is_absent);
        self.unsolved += u64::from(counted.is_unsolved);
        self.timeout += u64::from(counted.is_timeout);
        self.memout += u64::from(counted.is_memout);
        if counted.is_solved {
            self.solved += 1;
            self.solved_sat += u64::from(run.answer == Answer::Sat);
            self.solved_unsat += u64::from(run.answer == Answer::Unsat);
            self.correct_wall += score.wall;
            self.correct_cpu += score.cpu;
        }
        if run.answer == Answer::Sat {
            self.wrong_sat += score.error;
        }
        if let Some(family) = family {
            let own = self.by_family.entry(family).or_default();
            let values = [score.error, score.correct, score.wall.as_nanos(), score.cpu.as_nanos()];
            own.iter_mut().zip(values).for_each(|(own, more)| *own += more);
        }
    }

    /// Counts queries in place of benchmarks as unsolved; or, as has been published, every run.
    pub(crate) fn count_queries(&mut self, counted: &Counted, queries: u64, every_run: bool) {
        self.unsolved -= u64::from(counted.is_unsolved);
        if every_run {
            self.solved -= u64::from(counted.is_solved);
            self.unsolved += u64::from(!counted.is_absent);
        } else {
            self.unsolved += queries.saturating_sub(counted.score.correct);
        }
    }

    /// Adds correct queries as a part of those of their benchmark.
    pub(crate) fn add_share(&mut self, correct: u64, queries: u64) {
        if correct > 0 {
            self.share += RBig::from_parts(correct.into(), queries.max(correct).into());
        }
    }
}
