//! The largest contribution: what the virtual best solver of a division would lose without its most missed member
//! (R19-7.10).

use crate::Run;
use crate::division::Group;
use crate::ranking::DivisionScore;
use crate::recognition::Place;
use crate::tally::Tally;
use agon_domain::{ScoreKind, Time};
use agon_rulebook::Deviation;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The entries of all divisions.
pub(crate) fn all(tally: &Tally<'_>, divisions: &[(&Group, &DivisionScore)], kind: usize) -> Vec<Place> {
    let way = match () {
        () if tally.results.deviates(Deviation::ContributionOfSolved) => Way::Solved,
        () if tally.results.deviates(Deviation::ContributionByRuns) => Way::Runs,
        () => Way::Text,
    };
    let contests: Vec<Contest<'_>> =
        divisions.iter().map(|(group, score)| Contest::new(tally, group, score, kind, way)).collect();
    // N: all competitive solver/benchmark pairs of the track (R19-7.10).
    let pairs: f64 =
        contests.iter().filter(|contest| way != Way::Runs || contest.is_held()).map(|contest| contest.pairs).sum();
    contests.iter().filter(|contest| contest.is_held()).flat_map(|contest| contest.places(pairs)).collect()
}

/// How the virtual best solver is made.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    /// As the text says.
    Text,
    /// As in the published results from 2019 to 2023.
    Runs,
    /// As in those since 2024.
    Solved,
}

/// One division's competing solvers.
struct Contest<'a> {
    tally: &'a Tally<'a>,
    score: &'a DivisionScore,
    kind: ScoreKind,
    way: Way,
    sound: BTreeSet<u32>,
    /// Its runs of sound competing solvers.
    runs: Vec<&'a Run>,
    /// Solver/benchmark pairs of competing solvers.
    pairs: f64,
}

impl<'a> Contest<'a> {
    fn new(tally: &'a Tally<'a>, group: &Group, score: &'a DivisionScore, kind: usize, way: Way) -> Self {
        let results = tally.results;
        // Who is absent from the ranking of 24 seconds is here all the same.
        let parallel = tally.kinds.iter().position(|kind| *kind == ScoreKind::Parallel).unwrap_or(kind);
        let is_short = way == Way::Solved && tally.kinds[kind] == ScoreKind::TwentyFour;
        let competing: Vec<(u32, u64)> = tally
            .sums(group, if is_short { parallel } else { kind })
            .into_iter()
            .filter(|(solver, _)| way == Way::Solved || results.solvers[*solver].competing)
            .map(|(solver, sum)| (solver as u32, sum.score.error))
            .collect();
        let sound: BTreeSet<u32> =
            competing.iter().filter(|(_, errors)| *errors == 0).map(|(solver, _)| *solver).collect();
        let is_sound: Vec<bool> = (0..results.solvers.len() as u32).map(|solver| sound.contains(&solver)).collect();
        let is_here = |run: &&Run| is_sound[run.solver as usize];
        let is_wanted = way == Way::Solved || sound.len() > 2;
        let runs: Vec<&Run> = if is_wanted { tally.runs(group).filter(is_here).collect() } else { vec![] };
        let kind = tally.kinds[kind];
        let pairs = match way {
            Way::Text | Way::Runs => (competing.len() as u64 * tally.size(group)) as f64,
            Way::Solved => {
                let kind = if kind == ScoreKind::Sequential { ScoreKind::Parallel } else { kind };
                runs.iter().filter(|run| solved(tally, kind, run).is_some()).count() as f64
            }
        };
        Self { tally, score, kind, way, sound, runs, pairs }
    }

    /// With two sound solvers or fewer there is nothing to contribute to.
    fn is_held(&self) -> bool {
        self.sound.len() > 2
    }

    fn places(&self, all_pairs: f64) -> Vec<Place> {
        let best = match self.way {
            Way::Text => self.best_of_each(),
            Way::Runs => self.best_runs(),
            Way::Solved => self.best_solved(),
        };
        if best.correct == 0 {
            return vec![];
        }
        let worth = |solver: u32| {
            let (correct, time) = best.without.get(&solver).copied().unwrap_or_default();
            let took = best.time as i128 - time;
            // Where nothing is left, there is no time to compare with.
            let time = if took == 0 { 0.0 } else { 1.0 - best.time as f64 / took as f64 };
            // One rounding alone, so that equal ranks of two divisions are equal numbers.
            (correct as f64 * self.pairs / (best.correct as f64 * all_pairs), time)
        };
        let name = |solver: u32| &self.tally.results.solvers[solver as usize].name;
        let mut worths: Vec<(u32, (f64, f64))> = self.sound.iter().map(|solver| (*solver, worth(*solver))).collect();
        worths.sort_by(|(one, a), (other, b)| {
            b.0.total_cmp(&a.0).then(b.1.total_cmp(&a.1)).then_with(|| name(*other).cmp(name(*one)))
        });
        if self.way != Way::Solved {
            worths.truncate(1);
        }
        let weight = self.pairs / all_pairs;
        let place = |(solver, (correctness, time)): (u32, (f64, f64))| Place {
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

    /// Of each benchmark the most correct results and the least time of those who solved it, if that is within the limit of
    /// the ranking.
    fn best_solved(&self) -> Best {
        let is_short = self.kind == ScoreKind::TwentyFour;
        let limit = self.tally.counter.limit(self.kind);
        let mut all: FxHashMap<u32, Vec<(u32, u64, Time)>> = FxHashMap::default();
        for run in &self.runs {
            if let Some((correct, took)) = solved(self.tally, self.kind, run) {
                all.entry(run.benchmark).or_default().push((run.solver, correct, took));
            }
        }
        let of = |runs: &[(u32, u64, Time)], without: Option<u32>| {
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

    /// Of each benchmark the most correct results and the least time, each for itself; the limit where nobody solved it.
    fn best_of_each(&self) -> Best {
        let limit = self.tally.results.track_rules.limits.wall;
        let mut correct: FxHashMap<u32, TwoBest<u64>> = FxHashMap::default();
        let mut times: FxHashMap<u32, TwoBest<std::cmp::Reverse<Time>>> = FxHashMap::default();
        for run in &self.runs {
            let benchmark = run.benchmark as usize;
            if !self.tally.known[benchmark].is_in(self.kind) {
                continue;
            }
            let score = self.tally.counter.count(run, self.tally.known[benchmark], self.kind).score;
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

    /// Of each name the run with most correct results and then the least time, which gives both.
    fn best_runs(&self) -> Best {
        let results = self.tally.results;
        let limit = results.track_rules.limits.wall;
        let mut runs: FxHashMap<&str, TwoBest<(u64, std::cmp::Reverse<Time>)>> = FxHashMap::default();
        for run in &self.runs {
            let facts = &results.benchmarks[run.benchmark as usize];
            let score = self.tally.counter.count(run, self.tally.known[run.benchmark as usize], self.kind).score;
            let is_solved = if results.is_incremental { score.correct >= facts.queries } else { score.correct > 0 };
            let took = if is_solved { self.kind.time(score.wall, score.cpu) } else { limit };
            runs.entry(facts.below(&results.logics[facts.logic as usize]))
                .or_default()
                .add((score.correct, std::cmp::Reverse(took)), run.solver);
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

/// What a run brings if it solves something, whatever the limit of 24 seconds.
fn solved(tally: &Tally<'_>, kind: ScoreKind, run: &Run) -> Option<(u64, Time)> {
    let kind = if kind == ScoreKind::TwentyFour { ScoreKind::Parallel } else { kind };
    let score = tally.counter.count(run, tally.known[run.benchmark as usize], kind).score;
    (score.correct > 0).then(|| (score.correct, kind.time(score.wall, score.cpu)))
}

/// The virtual best solver.
#[derive(Default)]
struct Best {
    correct: u64,
    /// In nanoseconds.
    time: u64,
    /// What goes with each solver: correct results and time.
    without: FxHashMap<u32, (i128, i128)>,
}

/// The best value and the best of another solver.
struct TwoBest<T> {
    first: Option<(T, u32)>,
    second: Option<T>,
}

impl<T> Default for TwoBest<T> {
    fn default() -> Self {
        Self { first: None, second: None }
    }
}

impl<T: Copy + Ord> TwoBest<T> {
    fn add(&mut self, value: T, solver: u32) {
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

    /// The best, the best without its solver or what stands for nothing, and its solver.
    fn get(&self, nothing: T) -> (T, T, u32) {
        let (first, solver) = self.first.unwrap_or((nothing, u32::MAX));
        (first, self.second.unwrap_or(nothing), solver)
    }
}
