//! Adds up the contributions of runs, for every logic, solver and ranking in one pass.

use crate::disagreement;
use crate::division::{Group, Grouping};
use crate::family_weight::Families;
use crate::rules::{LateRuns, Rules, SequentialCounts, SolverRows, UnsolvedQueries};
use crate::run_score::{Known, RunScorer};
use crate::solver_total::SolverTotal;
use crate::winner::disqualified;
use crate::{BenchmarkFacts, BenchmarkIx, LogicIx, Run, SolverIx, TrackResults};
use agon_domain::{Answer, Answers, ScoreKind, Track};
use agon_rulebook::Weights;
use std::collections::BTreeMap;

/// Marks a solver without a row in the logic.
const NONE: u32 = u32::MAX;

/// The totals of all solvers in all logics and rankings of a track.
pub(crate) struct Totals<'a> {
    pub(crate) results: &'a TrackResults,
    pub(crate) rules: &'a Rules<'a>,
    pub(crate) grouping: Grouping,
    pub(crate) scorer: RunScorer<'a>,
    /// The rankings of the track.
    pub(crate) kinds: Vec<ScoreKind>,
    /// Whether each benchmark is removed because of a disagreement.
    removed: Vec<bool>,
    /// What is known about each benchmark.
    known: Vec<Known>,
    /// Whether each benchmark has runs and is not removed.
    counted: Vec<bool>,
    /// The number of counted benchmarks per logic and ranking.
    sizes: Vec<Vec<u64>>,
    /// The indices of the runs that count, by logic.
    runs: Vec<Vec<u32>>,
    /// For each logic and solver, the index of its totals in `totals`, one per ranking; [`NONE`] without a row.
    slots: Vec<u32>,
    totals: Vec<SolverTotal>,
    /// The families of benchmarks, if the rules weight them.
    families: Option<Families>,
    /// Disqualified solvers, each with the reason.
    pub(crate) out: BTreeMap<SolverIx, String>,
}

impl<'a> Totals<'a> {
    pub(crate) fn new(results: &'a TrackResults, rules: &'a Rules<'a>) -> Self {
        let grouping = Grouping::new(results, rules.rulebook);
        let scorer = RunScorer::new(results, rules);
        let removed = disagreement::removed(results, rules, &grouping);
        let only_parallel = results.is_incremental && results.track == Track::IndustryChallenge;
        let kinds: Vec<ScoreKind> = if only_parallel { vec![ScoreKind::Parallel] } else { rules.scores.clone() };
        let known = known(results, &scorer);
        let mut counted = vec![false; results.benchmarks.len()];
        for run in &results.runs {
            let place = run.benchmark.place();
            counted[place] = !removed[place];
        }
        let (solvers, logics) = (results.solvers.len(), results.logics.len());
        let mut totals = Self {
            slots: vec![NONE; logics * solvers],
            totals: vec![],
            sizes: vec![vec![0; kinds.len()]; logics],
            runs: vec![vec![]; logics],
            results,
            rules,
            out: BTreeMap::new(),
            families: match rules.track_rules.scoring.weights {
                Weights::Families => Some(Families::new(results, rules.family, &counted)),
                Weights::None | Weights::Queries => None,
            },
            counted,
            grouping,
            scorer,
            kinds,
            removed,
            known,
        };
        totals.measure();
        if rules.rows == SolverRows::Entered {
            for (logic, solver) in &results.entered {
                totals.slot(*logic, *solver);
            }
        }
        totals.add_up();
        totals.out = disqualified(&totals);
        totals
    }

    /// Whether a benchmark is removed because of a disagreement.
    pub(crate) fn is_removed(&self, benchmark: BenchmarkIx) -> bool {
        self.removed[benchmark.place()]
    }

    /// What is known about a benchmark.
    pub(crate) fn known(&self, benchmark: BenchmarkIx) -> Known {
        self.known[benchmark.place()]
    }

    /// The index of a ranking in `kinds`.
    fn place_of(&self, kind: ScoreKind) -> usize {
        self.kinds.iter().position(|known| *known == kind).unwrap_or(0)
    }

    /// The index of a solver's totals in a logic, if it has a row.
    fn slot_of(&self, logic: LogicIx, solver: SolverIx) -> Option<usize> {
        let slot = self.slots[logic.place() * self.results.solvers.len() + solver.place()];
        (slot != NONE).then_some(slot as usize)
    }

    /// The index of a solver's totals in a logic, one per ranking. Adds a row for a solver without one.
    fn slot(&mut self, logic: LogicIx, solver: SolverIx) -> usize {
        let slot = &mut self.slots[logic.place() * self.results.solvers.len() + solver.place()];
        if *slot == NONE {
            *slot = self.totals.len() as u32;
            self.totals.resize_with(self.totals.len() + self.kinds.len(), SolverTotal::default);
        }
        *slot as usize
    }

    /// Counts the benchmarks of each logic that are part of each ranking.
    fn measure(&mut self) {
        for (benchmark, facts) in self.results.benchmarks.iter().enumerate().filter(|(at, _)| self.counted[*at]) {
            for (at, &kind) in self.kinds.iter().enumerate() {
                self.sizes[facts.logic.place()][at] += u64::from(self.known[benchmark].is_in(kind));
            }
        }
    }

    /// Adds all runs to the totals.
    fn add_up(&mut self) {
        let results = self.results;
        for (place, run) in results.runs.iter().enumerate() {
            let logic = results.benchmark_of(run).logic;
            if self.is_removed(run.benchmark) {
                // Entered solvers keep a row even if all their benchmarks are removed; some published tables drop them.
                if self.rules.rows == SolverRows::Entered {
                    self.slot(logic, run.solver);
                }
                continue;
            }
            self.runs[logic.place()].push(place as u32);
            let slot = self.slot(logic, run.solver);
            for at in 0..self.kinds.len() {
                self.add_run(run, slot, at);
            }
        }
    }

    /// Adds a run to the totals of one ranking.
    fn add_run(&mut self, run: &Run, slot: usize, at: usize) {
        let kind = self.kinds[at];
        let (known, facts) = (self.known(run.benchmark), self.results.benchmark_of(run));
        let mut counted = self.scorer.score(run, known, kind);
        // The published tables since 2024 take solved runs and timeouts from the parallel ranking.
        if kind == ScoreKind::Sequential && self.rules.sequential_counts == SequentialCounts::OfParallel {
            let score = counted.score;
            counted = self.scorer.score(run, known, ScoreKind::Parallel);
            counted.score = score;
        }
        let family = self.families.as_ref().map(|families| (facts.logic, families.sizes[run.benchmark.place()]));
        let total = &mut self.totals[slot + at];
        total.add(run.claim.answer, &counted, family);
        let queries = facts.queries.unwrap_or(0);
        if self.results.is_incremental {
            match self.rules.unsolved_queries {
                UnsolvedQueries::Queries => total.count_queries(&counted, queries),
                UnsolvedQueries::EveryRun => total.count_every_run(&counted),
            }
        }
        if self.rules.track_rules.scoring.weights == Weights::Queries {
            total.add_share(counted.score.correct, queries);
        }
        if known.is_in(kind) {
            let time = kind.time(counted.score.wall, counted.score.cpu);
            let limit = self.scorer.limit(kind, facts.logic);
            total.penalized += if counted.is_solved { time } else { limit + limit };
        }
    }

    /// The runs of a group that count.
    pub(crate) fn runs(&self, group: &Group) -> impl Iterator<Item = &'a Run> {
        let results = self.results;
        let places = group.logics.iter().flat_map(|logic| &self.runs[logic.place()]);
        places.map(move |place| &results.runs[*place as usize])
    }

    /// The benchmarks of a group that were removed, by name.
    pub(crate) fn removed_of(&self, group: &Group) -> Vec<String> {
        let removed = self.results.benchmarks.iter().zip(&self.removed).filter(|(_, is_removed)| **is_removed);
        let own = removed.filter(|(facts, _)| group.logics.contains(&facts.logic));
        let mut names: Vec<String> = own.map(|(facts, _)| facts.name.to_string()).collect();
        names.sort_unstable();
        names
    }

    /// How many benchmarks of a group count.
    pub(crate) fn size(&self, group: &Group) -> u64 {
        // All rankings but these two have all benchmarks.
        let all = self.kinds.iter().find(|kind| !matches!(kind, ScoreKind::Sat | ScoreKind::Unsat));
        self.size_in(group, all.or(self.kinds.first()).copied().unwrap_or(ScoreKind::Parallel))
    }

    /// How many benchmarks of a group are part of a ranking.
    pub(crate) fn size_in(&self, group: &Group, kind: ScoreKind) -> u64 {
        let at = self.place_of(kind);
        group.logics.iter().map(|logic| self.sizes[logic.place()][at]).sum()
    }

    /// How many queries the benchmarks of a group have (A11-17), if the track is incremental and all numbers are known.
    pub(crate) fn queries(&self, group: &Group) -> Option<u64> {
        let own = self.results.benchmarks.iter().zip(&self.counted);
        let own = own.filter(|(facts, counted)| **counted && group.logics.contains(&facts.logic));
        own.map(|(facts, _)| facts.queries.filter(|_| self.results.is_incremental)).sum()
    }

    /// The maximum score in a group: the number of its benchmarks, of their queries, or of their assertions.
    pub(crate) fn worth(&self, group: &Group) -> f64 {
        let worth = |facts: &BenchmarkFacts| {
            if self.results.is_incremental {
                return facts.queries.unwrap_or(0);
            }
            match self.results.track {
                Track::UnsatCore => facts.asserts.unwrap_or(0),
                Track::SingleQuery
                | Track::Incremental
                | Track::ModelValidation
                | Track::IndustryChallenge
                | Track::IndustryChallengeIncremental
                | Track::Proof
                | Track::Parallel
                | Track::Cloud => 1,
            }
        };
        let counted = self.results.benchmarks.iter().zip(&self.counted).filter(|(_, is_counted)| **is_counted);
        let own = counted.filter(|(facts, _)| group.logics.contains(&facts.logic));
        own.map(|(facts, _)| u128::from(worth(facts))).sum::<u128>() as f64
    }

    /// The solvers with a row in a group.
    pub(crate) fn solvers(&self, group: &Group) -> impl Iterator<Item = SolverIx> {
        let all = (0..self.results.solvers.len()).map(SolverIx::at);
        all.filter(move |solver| group.logics.iter().any(|logic| self.slot_of(*logic, *solver).is_some()))
    }

    /// Whether a group has rows that are reported. A group whose benchmarks were all removed has no rows.
    pub(crate) fn is_shown(&self, group: &Group) -> bool {
        self.solvers(group).count() >= self.rules.rulebook.report_from_solvers.max(1)
    }

    /// Whether a group has rows, but too few for its results to be reported (A11-18).
    pub(crate) fn is_withheld(&self, group: &Group) -> bool {
        self.solvers(group).next().is_some() && !self.is_shown(group)
    }

    /// The solvers of a group with their totals in a ranking.
    pub(crate) fn totals(&self, group: &Group, kind: ScoreKind) -> Vec<(SolverIx, SolverTotal)> {
        let at = self.place_of(kind);
        let total = |solver: SolverIx| {
            let mut all = SolverTotal::default();
            for slot in group.logics.iter().filter_map(|logic| self.slot_of(*logic, solver)) {
                all += &self.totals[slot + at];
            }
            all.weighted = self.families.as_ref().map(|families| families.weigh(&all.by_family));
            let has_row = all.runs > 0 || self.rules.late == LateRuns::Unsolved;
            has_row.then_some((solver, all))
        };
        self.solvers(group).filter_map(total).collect()
    }
}

/// What is known about each benchmark: its status, and the answers that solvers gave within the limit.
fn known(results: &TrackResults, scorer: &RunScorer<'_>) -> Vec<Known> {
    let mut known: Vec<Known> =
        results.benchmarks.iter().map(|facts| Known { status: facts.status, answers: Answers::default() }).collect();
    for run in &results.runs {
        let answers = &mut known[run.benchmark.place()].answers;
        if results.track == Track::UnsatCore {
            // All benchmarks of this track are unsatisfiable.
            answers.add(Answer::Unsat);
        }
        answers.add(scorer.answer(run, ScoreKind::Parallel));
    }
    known
}
