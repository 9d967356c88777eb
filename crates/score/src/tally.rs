//! Adds up what runs bring, for every logic, solver and ranking in one pass.

use crate::count::{Counter, Known};
use crate::division::{Group, Grouping};
use crate::ranking::disqualified;
use crate::sum::Sum;
use crate::weight::Families;
use crate::{BenchmarkFacts, Run, TrackResults, disagreement};
use agon_domain::{Answer, ScoreKind, Track};
use agon_rulebook::{Deviation, Weights};
use std::collections::BTreeMap;

/// No slot.
const NONE: u32 = u32::MAX;

/// Everything that is added up of a track.
pub(crate) struct Tally<'a> {
    pub(crate) results: &'a TrackResults<'a>,
    pub(crate) grouping: Grouping,
    pub(crate) counter: Counter<'a>,
    pub(crate) kinds: Vec<ScoreKind>,
    /// Whether each benchmark is removed.
    pub(crate) removed: Vec<bool>,
    pub(crate) known: Vec<Known>,
    /// Whether each benchmark has runs and is not removed.
    counted: Vec<bool>,
    /// How many of these each logic has, by ranking.
    sizes: Vec<Vec<u64>>,
    /// The places of the runs that count, by logic.
    runs: Vec<Vec<u32>>,
    /// For each logic and solver that is in its table, the place of its sums, which are one for each ranking.
    slots: Vec<u32>,
    sums: Vec<Sum>,
    /// The families, where they have weights.
    families: Option<Families>,
    /// Who is disqualified, and why.
    pub(crate) out: BTreeMap<usize, String>,
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
        let mut counted = vec![false; results.benchmarks.len()];
        results.runs.iter().for_each(|run| counted[run.benchmark as usize] = !removed[run.benchmark as usize]);
        let (solvers, logics) = (results.solvers.len(), results.logics.len());
        let mut tally = Self {
            slots: vec![NONE; logics * solvers],
            sums: vec![],
            sizes: vec![vec![0; kinds.len()]; logics],
            runs: vec![vec![]; logics],
            results,
            out: BTreeMap::new(),
            families: match results.track_rules.scoring.weights {
                Weights::Families => Some(Families::new(results, &counted)),
                Weights::None | Weights::Queries => None,
            },
            counted,
            grouping,
            counter,
            kinds,
            removed,
            known,
        };
        tally.measure();
        for (logic, solver) in &results.entered {
            tally.slot(*logic, *solver);
        }
        tally.add_up();
        tally.out = disqualified(&tally);
        tally
    }

    /// The place of a solver's sums in a logic, whose table it is in from now on.
    fn slot(&mut self, logic: u32, solver: u32) -> usize {
        let slot = &mut self.slots[logic as usize * self.results.solvers.len() + solver as usize];
        if *slot == NONE {
            *slot = self.sums.len() as u32;
            self.sums.resize_with(self.sums.len() + self.kinds.len(), Sum::default);
        }
        *slot as usize
    }

    /// Counts the benchmarks that each ranking looks at.
    fn measure(&mut self) {
        for (benchmark, facts) in self.results.benchmarks.iter().enumerate().filter(|(at, _)| self.counted[*at]) {
            for (at, &kind) in self.kinds.iter().enumerate() {
                self.sizes[facts.logic as usize][at] += u64::from(self.known[benchmark].is_in(kind));
            }
        }
    }

    fn add_up(&mut self) {
        let results = self.results;
        let by_queries = results.track_rules.scoring.weights == Weights::Queries;
        for (place, run) in results.runs.iter().enumerate() {
            let benchmark = run.benchmark as usize;
            let facts = &results.benchmarks[benchmark];
            let is_removed = self.removed[benchmark];
            // Who entered stays in the table, unless the published tables have no line for who has no other runs.
            if is_removed {
                if !results.deviates(Deviation::UnsoundInOneUnsoundInAll) {
                    self.slot(facts.logic, run.solver);
                }
                continue;
            }
            self.runs[facts.logic as usize].push(place as u32);
            let slot = self.slot(facts.logic, run.solver);
            let family = self.families.as_ref().map(|families| (facts.logic, families.sizes[benchmark]));
            for (at, &kind) in self.kinds.iter().enumerate() {
                let mut counted = self.counter.count(run, self.known[benchmark], kind);
                if kind == ScoreKind::Sequential && self.counter.absent_over_limit {
                    let score = counted.score;
                    counted = self.counter.count(run, self.known[benchmark], ScoreKind::Parallel);
                    counted.score = score;
                }
                let sum = &mut self.sums[slot + at];
                sum.add(run, &counted, family);
                if results.is_incremental {
                    sum.count_queries(&counted, facts.queries, self.counter.absent_over_limit);
                }
                if by_queries {
                    sum.add_share(counted.score.correct, facts.queries);
                }
                if self.known[benchmark].is_in(kind) {
                    let time = kind.time(counted.score.wall, counted.score.cpu);
                    let limit = self.counter.limit(kind);
                    sum.penalised += if counted.is_solved { time } else { limit + limit };
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

    /// How much there is to win in a group: its benchmarks, their queries, or their assertions.
    pub(crate) fn worth(&self, group: &Group) -> f64 {
        let worth = |facts: &BenchmarkFacts| match self.results.track {
            _ if self.results.is_incremental => facts.queries,
            Track::UnsatCore => facts.asserts,
            _ => 1,
        };
        let counted = self.results.benchmarks.iter().zip(&self.counted).filter(|(_, is_counted)| **is_counted);
        let own = counted.filter(|(facts, _)| group.logics.contains(&facts.logic));
        own.map(|(facts, _)| worth(facts)).sum::<u64>() as f64
    }

    /// How many benchmarks of a group a ranking looks at.
    pub(crate) fn size_in(&self, group: &Group, kind: usize) -> u64 {
        group.logics.iter().map(|logic| self.sizes[*logic as usize][kind]).sum()
    }

    /// The solvers that are in the tables of a group.
    pub(crate) fn solvers(&self, group: &Group) -> impl Iterator<Item = usize> {
        let solvers = self.results.solvers.len();
        let enters = move |logic: u32, solver: usize| self.slots[logic as usize * solvers + solver] != NONE;
        (0..solvers).filter(move |solver| group.logics.iter().any(|logic| enters(*logic, *solver)))
    }

    /// The solvers of a group and what they have in a ranking.
    pub(crate) fn sums(&self, group: &Group, kind: usize) -> Vec<(usize, Sum)> {
        let solvers = self.results.solvers.len();
        (0..solvers)
            .filter_map(|solver| {
                let slots = group.logics.iter().map(|logic| self.slots[*logic as usize * solvers + solver]);
                let own: Vec<u32> = slots.filter(|slot| *slot != NONE).collect();
                let mut all = Sum::default();
                own.iter().for_each(|slot| all += &self.sums[*slot as usize + kind]);
                all.weighted = self.families.as_ref().map(|families| families.weigh(&all.by_family));
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
