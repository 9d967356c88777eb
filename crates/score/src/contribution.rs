//! The largest contribution: what the virtual best solver of a division would lose without its most missed member
//! (R19-7.10).

use crate::division::Group;
use crate::ranking::DivisionScore;
use crate::recognition::{Place, time};
use crate::tally::Tally;
use crate::Run;
use agon_domain::{ScoreKind, Time};
use agon_rulebook::Deviation;
use std::collections::{BTreeSet, HashMap};

/// The entries of all divisions.
pub(crate) fn all(tally: &Tally<'_>, divisions: &[(&Group, &DivisionScore)], kind: usize) -> Vec<Place> {
    let by_runs = tally.results.deviates(Deviation::ContributionByRuns);
    let contests: Vec<Contest<'_>> =
        divisions.iter().map(|(group, score)| Contest::new(tally, group, score, kind)).collect();
    // N: all competitive solver/benchmark pairs of the track (R19-7.10).
    let pairs: f64 =
        contests.iter().filter(|contest| !by_runs || contest.is_held()).map(|contest| contest.pairs).sum();
    contests.iter().filter(|contest| contest.is_held()).filter_map(|contest| contest.place(pairs, by_runs)).collect()
}

/// One division's competing solvers.
struct Contest<'a> {
    tally: &'a Tally<'a>,
    score: &'a DivisionScore,
    kind: ScoreKind,
    sound: BTreeSet<u32>,
    /// Its runs of sound competing solvers.
    runs: Vec<&'a Run>,
    /// Solver/benchmark pairs of competing solvers.
    pairs: f64,
}

impl<'a> Contest<'a> {
    fn new(tally: &'a Tally<'a>, group: &Group, score: &'a DivisionScore, kind: usize) -> Self {
        let results = tally.results;
        let competing: Vec<(u32, u64)> = tally
            .sums(group, kind)
            .into_iter()
            .filter(|(solver, _)| results.solvers[*solver].competing)
            .map(|(solver, sum)| (solver as u32, sum.score.error))
            .collect();
        let sound: BTreeSet<u32> = competing.iter().filter(|(_, errors)| *errors == 0).map(|(solver, _)| *solver).collect();
        let is_here = |run: &&Run| {
            let benchmark = run.benchmark as usize;
            group.logics.contains(&results.benchmarks[benchmark].logic)
                && !tally.removed[benchmark]
                && sound.contains(&run.solver)
        };
        let runs = if sound.len() > 2 { results.runs.iter().filter(is_here).collect() } else { vec![] };
        let pairs = (competing.len() as u64 * tally.size(group)) as f64;
        Self { tally, score, kind: tally.kinds[kind], sound, runs, pairs }
    }

    /// With two sound solvers or fewer there is nothing to contribute to.
    fn is_held(&self) -> bool {
        self.sound.len() > 2
    }

    fn place(&self, all_pairs: f64, by_runs: bool) -> Option<Place> {
        let best = if by_runs { self.best_runs() } else { self.best_of_each() };
        if best.correct == 0 {
            return None;
        }
        let worth = |solver: u32| {
            let (correct, time) = best.without.get(&solver).copied().unwrap_or_default();
            let (left, took) = (best.correct as i128 - correct, best.time as i128 - time);
            (1.0 - left as f64 / best.correct as f64, 1.0 - best.time as f64 / took as f64)
        };
        let name = |solver: u32| &self.tally.results.solvers[solver as usize].name;
        let worths = self.sound.iter().map(|solver| (*solver, worth(*solver)));
        let (solver, (correctness, time)) = worths.max_by(|(one, a), (other, b)| {
            a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)).then_with(|| name(*one).cmp(name(*other)))
        })?;
        let weight = self.pairs / all_pairs;
        Some(Place {
            rank: 0,
            solver: name(solver).clone(),
            second: None,
            division: self.score.name.to_string(),
            correctness: correctness * weight,
            time: time * weight,
            experimental: self.score.experimental,
        })
    }

    /// Of each benchmark the most correct results and the least time, each for itself; the limit where nobody solved it.
    fn best_of_each(&self) -> Best {
        let limit = self.tally.results.track_rules.limits.wall;
        let mut correct: HashMap<u32, TwoBest<u64>> = HashMap::new();
        let mut times: HashMap<u32, TwoBest<std::cmp::Reverse<Time>>> = HashMap::new();
        for run in &self.runs {
            let benchmark = run.benchmark as usize;
            if !self.tally.known[benchmark].is_in(self.kind) {
                continue;
            }
            let score = self.tally.counter.count(run, self.tally.known[benchmark], self.kind).score;
            let took = if score.correct > 0 { time(self.kind, score.wall, score.cpu) } else { limit };
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
        let mut runs: HashMap<&str, TwoBest<(u64, std::cmp::Reverse<Time>)>> = HashMap::new();
        for run in &self.runs {
            let facts = &results.benchmarks[run.benchmark as usize];
            let score = self.tally.counter.count(run, self.tally.known[run.benchmark as usize], self.kind).score;
            let is_solved = if results.is_incremental { score.correct >= facts.queries } else { score.correct > 0 };
            let took = if is_solved { time(self.kind, score.wall, score.cpu) } else { limit };
            runs.entry(facts.below(&results.logics[facts.logic as usize])).or_default().add((score.correct, std::cmp::Reverse(took)), run.solver);
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

/// The virtual best solver.
#[derive(Default)]
struct Best {
    correct: u64,
    /// In nanoseconds.
    time: u64,
    /// What goes with each solver: correct results and time.
    without: HashMap<u32, (i128, i128)>,
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
