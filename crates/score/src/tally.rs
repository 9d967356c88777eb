//! Adds up what runs bring, for every logic, solver and ranking in one pass.

use crate::count::{Counter, Known};
use crate::division::{Group, Grouping};
use crate::{Run, TrackResults, disagreement, weight};
use agon_domain::{Answer, Score, ScoreKind, Time, Track};
use agon_rulebook::Weights;
use dashu_ratio::RBig;
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
    /// ⟨e, n, w, c⟩ with the weights of families.
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
        if let Some(weights) = other.weighted {
            let own = self.weighted.get_or_insert_default();
            own.iter_mut().zip(weights).for_each(|(own, more)| *own += more);
        }
        self.share += &other.share;
    }
}

/// Everything that is added up of a track.
pub(crate) struct Tally<'a> {
    pub(crate) results: &'a TrackResults<'a>,
    pub(crate) grouping: Grouping,
    pub(crate) counter: Counter<'a>,
    pub(crate) kinds: Vec<ScoreKind>,
    /// Whether each benchmark is removed.
    pub(crate) removed: Vec<bool>,
    pub(crate) known: Vec<Known>,
    /// How many benchmarks that have runs and are not removed each logic has, by ranking.
    sizes: Vec<Vec<u64>>,
    /// The places of the runs that count, by logic.
    runs: Vec<Vec<u32>>,
    /// By logic, solver and ranking.
    sums: Vec<Sum>,
    /// By logic and solver: whether the solver is in the table.
    entered: Vec<bool>,
}

impl<'a> Tally<'a> {
    pub(crate) fn new(results: &'a TrackResults<'a>) -> Self {
        let grouping = Grouping::new(results);
        let counter = Counter::new(results);
        let removed = disagreement::removed(results, &grouping);
        let only_parallel = results.is_incremental && results.track == Track::IndustryChallenge;
        let kinds: Vec<ScoreKind> =
            if only_parallel { vec![ScoreKind::Parallel] } else { results.track_rules.scores.clone() };
        let known = known(results, &counter);
        let (solvers, logics) = (results.solvers.len(), results.logics.len());
        let mut tally = Self {
            sums: vec![Sum::default(); logics * solvers * kinds.len()],
            entered: vec![false; logics * solvers],
            sizes: vec![vec![0; kinds.len()]; logics],
            runs: vec![vec![]; logics],
            results,
            grouping,
            counter,
            kinds,
            removed,
            known,
        };
        for (logic, solver) in &results.entered {
            tally.entered[*logic as usize * solvers + *solver as usize] = true;
        }
        tally.add_up();
        tally
    }

    fn add_up(&mut self) {
        let results = self.results;
        let weights = match results.track_rules.scoring.weights {
            Weights::Families => Some(weight::of_families(results, &self.removed)),
            Weights::None | Weights::Queries => None,
        };
        let by_queries = results.track_rules.scoring.weights == Weights::Queries;
        let solvers = results.solvers.len();
        let mut has_run = vec![false; results.benchmarks.len()];
        for (place, run) in results.runs.iter().enumerate() {
            let benchmark = run.benchmark as usize;
            if self.removed[benchmark] {
                continue;
            }
            let facts = &results.benchmarks[benchmark];
            self.runs[facts.logic as usize].push(place as u32);
            let row = facts.logic as usize * solvers + run.solver as usize;
            let is_first = !std::mem::replace(&mut has_run[benchmark], true);
            self.entered[row] = true;
            for (at, &kind) in self.kinds.iter().enumerate() {
                let counted = self.counter.count(run, self.known[benchmark], kind);
                if is_first && self.known[benchmark].is_in(kind) {
                    self.sizes[facts.logic as usize][at] += 1;
                }
                let mut counted = counted;
                if kind == ScoreKind::Sequential && self.counter.absent_over_limit {
                    let score = counted.score;
                    counted = self.counter.count(run, self.known[benchmark], ScoreKind::Parallel);
                    counted.score = score;
                }
                let sum = &mut self.sums[row * self.kinds.len() + at];
                let score = counted.score;
                sum.score = sum.score + score;
                sum.timeout += u64::from(counted.is_timeout);
                sum.memout += u64::from(counted.is_memout);
                sum.runs += u64::from(!counted.is_absent);
                if results.is_incremental && self.counter.absent_over_limit {
                    sum.unsolved += u64::from(!counted.is_absent);
                } else if results.is_incremental {
                    sum.unsolved += facts.queries.saturating_sub(score.correct);
                } else {
                    sum.unsolved += u64::from(counted.is_unsolved);
                }
                let is_solved = counted.is_solved;
                if is_solved && !(results.is_incremental && self.counter.absent_over_limit) {
                    sum.solved += 1;
                    sum.solved_sat += u64::from(run.answer == Answer::Sat);
                    sum.solved_unsat += u64::from(run.answer == Answer::Unsat);
                    sum.correct_wall += score.wall;
                    sum.correct_cpu += score.cpu;
                }
                if score.error > 0 && run.answer == Answer::Sat {
                    sum.wrong_sat += score.error;
                }
                let time = if kind == ScoreKind::Sequential { score.cpu } else { score.wall };
                let limit = self.counter.limit(kind);
                sum.penalised += if is_solved { time } else { limit + limit };
                if by_queries && is_solved {
                    sum.share += RBig::from_parts(score.correct.into(), facts.queries.max(score.correct).into());
                }
                if let Some(weights) = &weights {
                    let (weight, size) = weights[benchmark];
                    let own = sum.weighted.get_or_insert_default();
                    own[0] += weight * score.error as f64 * size;
                    own[1] += weight * score.correct as f64 * size;
                    own[2] += weight * score.wall.as_secs_f64();
                    own[3] += weight * score.cpu.as_secs_f64();
                }
            }
        }
    }

    /// The runs of a group that count.
    pub(crate) fn runs(&self, group: &Group) -> impl Iterator<Item = &'a Run> {
        let results = self.results;
        let places = group.logics.iter().flat_map(|logic| &self.runs[*logic as usize]);
        places.map(move |place| &results.runs[*place as usize])
    }

    /// How many benchmarks of a group count.
    pub(crate) fn size(&self, group: &Group) -> u64 {
        // The first ranking that looks at all.
        let at = self.kinds.iter().position(|kind| !matches!(kind, ScoreKind::Sat | ScoreKind::Unsat)).unwrap_or(0);
        group.logics.iter().map(|logic| self.sizes[*logic as usize][at]).sum()
    }

    /// How much there is to win in a group: its benchmarks, or their queries.
    pub(crate) fn worth(&self, group: &Group) -> f64 {
        if !self.results.is_incremental {
            return self.size(group) as f64;
        }
        let own = self.results.benchmarks.iter().filter(|facts| group.logics.contains(&facts.logic));
        own.map(|facts| facts.queries).sum::<u64>() as f64
    }

    /// How many benchmarks of a group a ranking looks at.
    pub(crate) fn size_in(&self, group: &Group, kind: usize) -> u64 {
        group.logics.iter().map(|logic| self.sizes[*logic as usize][kind]).sum()
    }

    /// The solvers of a group and what they have in a ranking.
    pub(crate) fn sums(&self, group: &Group, kind: usize) -> Vec<(usize, Sum)> {
        let solvers = self.results.solvers.len();
        (0..solvers)
            .filter_map(|solver| {
                let rows = group.logics.iter().map(|logic| *logic as usize * solvers + solver);
                let own: Vec<usize> = rows.filter(|row| self.entered[*row]).collect();
                let mut all = Sum::default();
                own.iter().for_each(|row| all += &self.sums[*row * self.kinds.len() + kind]);
                let is_there = all.runs > 0 || !self.counter.absent_over_limit;
                (!own.is_empty() && is_there).then_some((solver, all))
            })
            .collect()
    }
}

/// What is known of each benchmark: its status, and what was answered within the limit.
fn known(results: &TrackResults<'_>, counter: &Counter<'_>) -> Vec<Known> {
    let mut known: Vec<Known> = results
        .benchmarks
        .iter()
        .map(|facts| Known { status: facts.status, said_sat: false, said_unsat: false })
        .collect();
    for run in &results.runs {
        let known = &mut known[run.benchmark as usize];
        // All benchmarks of this track are unsatisfiable.
        known.said_unsat |= results.track == Track::UnsatCore;
        match counter.answer(run, ScoreKind::Parallel) {
            Answer::Sat => known.said_sat = true,
            Answer::Unsat => known.said_unsat = true,
            Answer::Unknown => {}
        }
    }
    known
}
