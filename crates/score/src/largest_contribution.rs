//! The largest contribution: what the virtual best solver of a division would lose without the solver that contributes
//! most to it (R19-7.10).

use crate::division::Group;
use crate::line::DivisionScore;
use crate::recognition::Place;
use crate::rules::ContributionRule;
use crate::run_score::SHORT;
use crate::totals::Totals;
use crate::{BenchmarkIx, Run, SolverIx};
use agon_domain::{ScoreKind, Time, split_logic};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// A division has entries only if it has this many sound solvers (R19-7.10).
const FEWEST_SOUND: usize = 3;

/// The entries of all divisions, not yet ranked.
pub(crate) fn all(totals: &Totals<'_>, divisions: &[(&Group, &DivisionScore)], kind: ScoreKind) -> Vec<Place> {
    let rule = totals.rules.contribution;
    let contests: Vec<DivisionContest<'_>> =
        divisions.iter().map(|(group, score)| DivisionContest::new(totals, group, score, kind)).collect();
    // N: all competitive solver/benchmark pairs of the track (R19-7.10).
    let counts = |contest: &&DivisionContest<'_>| rule != ContributionRule::Runs || contest.is_held();
    let pairs: f64 = contests.iter().filter(counts).map(|contest| contest.pairs).sum();
    contests.iter().filter(|contest| contest.is_held()).flat_map(|contest| contest.places(pairs)).collect()
}

/// The virtual best solver of one division, and the solvers that contribute to it.
struct DivisionContest<'a> {
    totals: &'a Totals<'a>,
    score: &'a DivisionScore,
    kind: ScoreKind,
    rule: ContributionRule,
    /// The solvers without errors. Under [`ContributionRule::Solved`] they need not compete.
    sound: BTreeSet<SolverIx>,
    /// The runs of the sound solvers; empty if the division has no entries and the rule does not need the runs.
    runs: Vec<&'a Run>,
    /// The time limit of the division's runs.
    limit: Time,
    /// The number of solver/benchmark pairs, from which the weight of the division is computed.
    pairs: f64,
}

impl<'a> DivisionContest<'a> {
    fn new(totals: &'a Totals<'a>, group: &Group, score: &'a DivisionScore, kind: ScoreKind) -> Self {
        let (results, rule) = (totals.results, totals.rules.contribution);
        // Solvers without a row in the 24-second ranking count too, so their totals are those of the parallel one.
        let is_short = rule == ContributionRule::Solved && kind == ScoreKind::TwentyFour;
        // By the text, the parallel score decides which solvers are sound (R19-7.10).
        let is_by_parallel = is_short || rule == ContributionRule::Text;
        let competing: Vec<(SolverIx, u64)> = totals
            .totals(group, if is_by_parallel { ScoreKind::Parallel } else { kind })
            .into_iter()
            .filter(|(solver, _)| rule == ContributionRule::Solved || results.solvers[*solver].competing)
            .map(|(solver, total)| (solver, total.score.error))
            .collect();
        let sound: BTreeSet<SolverIx> =
            competing.iter().filter(|(_, errors)| *errors == 0).map(|(solver, _)| *solver).collect();
        let is_sound: Vec<bool> =
            (0..results.solvers.len()).map(|place| sound.contains(&SolverIx::at(place))).collect();
        let is_here = |run: &&Run| is_sound[run.solver.place()];
        let is_wanted = rule == ContributionRule::Solved || sound.len() >= FEWEST_SOUND;
        let runs: Vec<&Run> = if is_wanted { totals.runs(group).filter(is_here).collect() } else { vec![] };
        let pairs = match rule {
            ContributionRule::Text | ContributionRule::Runs => (competing.len() as u64 * totals.size(group)) as f64,
            ContributionRule::Solved => {
                let kind = if kind == ScoreKind::Sequential { ScoreKind::Parallel } else { kind };
                runs.iter().filter(|run| solved(totals, kind, run).is_some()).count() as f64
            }
        };
        let limit = group.logics.first().map_or(Time::ZERO, |logic| totals.scorer.limit(ScoreKind::Parallel, *logic));
        Self { totals, score, kind, rule, sound, runs, limit, pairs }
    }

    /// Whether the division has entries, which requires more than two sound solvers.
    fn is_held(&self) -> bool {
        self.sound.len() >= FEWEST_SOUND
    }

    /// The entries of the division: its largest contributor, or all solvers, depending on the rule.
    fn places(&self, all_pairs: f64) -> Vec<Place> {
        let best = match self.rule {
            ContributionRule::Text => self.best_of_each(),
            ContributionRule::Runs => self.best_runs(),
            ContributionRule::Solved => self.best_solved(),
        };
        if best.correct == 0 {
            return vec![];
        }
        let worth = |solver: SolverIx| {
            let (correct, time) = best.without.get(&solver).copied().unwrap_or_default();
            let took = best.time as i128 - time;
            // `took` is the time of the virtual best solver without this solver. If it is 0, no share can be computed.
            let time = if took == 0 { 0.0 } else { 1.0 - best.time as f64 / took as f64 };
            // A single floating-point division, so that equal ranks of two divisions are equal numbers.
            (correct as f64 * self.pairs / (best.correct as f64 * all_pairs), time)
        };
        let name = |solver: SolverIx| &self.totals.results.solvers[solver].name;
        let mut worths: Vec<(SolverIx, (f64, f64))> =
            self.sound.iter().map(|solver| (*solver, worth(*solver))).collect();
        worths.sort_by(|(one, a), (other, b)| {
            b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)).then_with(|| name(*other).cmp(name(*one)))
        });
        if self.rule != ContributionRule::Solved {
            worths.truncate(1);
        }
        let weight = self.pairs / all_pairs;
        let place = |(solver, (correctness, time)): (SolverIx, (f64, f64))| Place {
            rank: 0,
            solver: name(solver).clone(),
            second: None,
            division: self.score.name.to_string(),
            correctness,
            time: time * weight,
            experimental: self.score.experimental,
        };
        worths.into_iter().map(place).collect()
    }

    /// Takes, for each benchmark, the most correct results and the least time of the solvers that solved it within the
    /// limit of the ranking. Unsolved benchmarks add no time.
    fn best_solved(&self) -> Best {
        let is_short = self.kind == ScoreKind::TwentyFour;
        let limit = if is_short { SHORT.min(self.limit) } else { self.limit };
        let mut all: FxHashMap<BenchmarkIx, Vec<(SolverIx, u64, Time)>> = FxHashMap::default();
        for run in &self.runs {
            if let Some((correct, took)) = solved(self.totals, self.kind, run) {
                all.entry(run.benchmark).or_default().push((run.solver, correct, took));
            }
        }
        let of = |runs: &[(SolverIx, u64, Time)], without: Option<SolverIx>| {
            let own = runs.iter().filter(|(solver, ..)| Some(*solver) != without);
            let took = own.clone().map(|(_, _, took)| *took).min().filter(|took| !is_short || *took <= limit);
            took.map_or((0, 0), |took| (own.map(|(_, correct, _)| *correct).max().unwrap_or(0), took.as_nanos()))
        };
        let mut best = Best::default();
        for runs in all.values() {
            let (correct, took) = of(runs, None);
            best.correct += correct;
            best.time += took;
            for (solver, ..) in runs {
                let (left, then) = of(runs, Some(*solver));
                let without = best.without.entry(*solver).or_default();
                without.0 += i128::from(correct) - i128::from(left);
                without.1 += i128::from(took) - i128::from(then);
            }
        }
        best
    }

    /// Takes, for each benchmark, the most correct results and independently the least time, where a run that does not
    /// solve it takes the limit.
    fn best_of_each(&self) -> Best {
        let limit = self.limit;
        let mut correct: FxHashMap<BenchmarkIx, TwoBest<u64>> = FxHashMap::default();
        let mut times: FxHashMap<BenchmarkIx, TwoBest<std::cmp::Reverse<Time>>> = FxHashMap::default();
        for run in &self.runs {
            let known = self.totals.known(run.benchmark);
            if !known.is_in(self.kind) {
                continue;
            }
            let score = self.totals.scorer.score(run, known, self.kind).score;
            let took = if score.correct > 0 { self.kind.time(score.wall, score.cpu) } else { limit };
            correct.entry(run.benchmark).or_default().add(score.correct, run.solver);
            times.entry(run.benchmark).or_default().add(std::cmp::Reverse(took), run.solver);
        }
        let mut best = Best::default();
        for two in correct.values() {
            let (first, second, solver) = two.get(0);
            best.correct += first;
            best.without.entry(solver).or_default().0 += i128::from(first - second);
        }
        for two in times.values() {
            let (first, second, solver) = two.get(std::cmp::Reverse(limit));
            let (first, second) = (first.0.as_nanos(), second.0.as_nanos());
            best.time += first;
            best.without.entry(solver).or_default().1 += i128::from(first) - i128::from(second);
        }
        best
    }

    /// Takes results and time of each benchmark from one run: the one with the most correct results, then the least
    /// time.
    fn best_runs(&self) -> Best {
        let results = self.totals.results;
        let limit = self.limit;
        let mut runs: FxHashMap<&str, TwoBest<(u64, std::cmp::Reverse<Time>)>> = FxHashMap::default();
        let (mut last, mut below_logic) = (None, "");
        for run in &self.runs {
            let facts = results.benchmark_of(run);
            let score = self.totals.scorer.score(run, self.totals.known(run.benchmark), self.kind).score;
            let all = if results.is_incremental { facts.queries.unwrap_or(0) } else { 1 };
            let is_solved = score.correct >= all;
            let took = if is_solved { self.kind.time(score.wall, score.cpu) } else { limit };
            // Benchmarks with the same name in two logics count as one, as in the published results.
            if last != Some(run.benchmark) {
                last = Some(run.benchmark);
                let below = facts.name.strip_prefix(results.logic_of(facts).0.as_str());
                below_logic = below.filter(|below| below.starts_with('/')).unwrap_or_else(|| {
                    split_logic(&facts.name).map_or(&*facts.name, |(logic, rest)| &rest[logic.len()..])
                });
            }
            runs.entry(below_logic).or_default().add((score.correct, std::cmp::Reverse(took)), run.solver);
        }
        let mut best = Best::default();
        for two in runs.values() {
            let (first, second, solver) = two.get((0, std::cmp::Reverse(Time::ZERO)));
            best.correct += first.0;
            best.time += first.1.0.as_nanos();
            let without = best.without.entry(solver).or_default();
            without.0 += i128::from(first.0) - i128::from(second.0);
            without.1 += i128::from(first.1.0.as_nanos()) - i128::from(second.1.0.as_nanos());
        }
        best
    }
}

/// The correct results and the time of a run that solved something, ignoring the 24-second limit.
fn solved(totals: &Totals<'_>, kind: ScoreKind, run: &Run) -> Option<(u64, Time)> {
    let kind = if kind == ScoreKind::TwentyFour { ScoreKind::Parallel } else { kind };
    let score = totals.scorer.score(run, totals.known(run.benchmark), kind).score;
    (score.correct > 0).then(|| (score.correct, kind.time(score.wall, score.cpu)))
}

/// The totals of the virtual best solver.
#[derive(Default)]
struct Best {
    correct: u64,
    /// In nanoseconds.
    time: u64,
    /// The difference that each solver makes: correct results, and time in nanoseconds (negative if it saves time).
    without: FxHashMap<SolverIx, (i128, i128)>,
}

/// The best value with its solver, and the best value of any other solver.
struct TwoBest<T> {
    first: Option<(T, SolverIx)>,
    second: Option<T>,
}

impl<T> Default for TwoBest<T> {
    fn default() -> Self {
        Self { first: None, second: None }
    }
}

impl<T: Copy + Ord> TwoBest<T> {
    fn add(&mut self, value: T, solver: SolverIx) {
        match self.first {
            None => self.first = Some((value, solver)),
            Some((first, own)) if own == solver => self.first = Some((first.max(value), own)),
            Some((first, _)) if value > first => {
                self.second = Some(first);
                self.first = Some((value, solver));
            }
            Some(_) => self.second = Some(self.second.map_or(value, |second| second.max(value))),
        }
    }

    /// Returns the best value, the best by another solver or else `nothing`, and the best solver.
    fn get(&self, nothing: T) -> (T, T, SolverIx) {
        let (first, solver) = self.first.unwrap_or((nothing, SolverIx(u32::MAX)));
        (first, self.second.unwrap_or(nothing), solver)
    }
}
