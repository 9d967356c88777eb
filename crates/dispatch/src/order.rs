//! The order in which pairs are run.

use agon_domain::{PairId, Time};
use agon_store::{EntrantIx, Pending, Queue};
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};

/// The order within a heat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RunOrder {
    /// All entrants on a benchmark, then the next benchmark. Changes in the machine's speed affect all entrants alike,
    /// and partial results are comparable.
    #[default]
    Benchmark,
    /// All benchmarks of an entrant, then the next entrant.
    Entrant,
    /// Longest expected runs first, so that the end does not wait for a long run.
    Longest,
}

/// The priorities and past times of pairs.
#[derive(Clone, Debug, Default)]
pub struct Priorities {
    /// The divisions and entrants that run before all others.
    pub first: BTreeSet<String>,
    /// The heat of each prepared benchmark, by index; empty if there are no heats.
    pub heats: Vec<usize>,
    /// The times of earlier runs.
    pub took: HashMap<PairId, Time>,
}

/// Sorts the pairs by heat (R19-6.8), then by priority, then by `order`.
pub fn sort(queue: &mut Queue, order: RunOrder, priorities: &Priorities, limit: Time) {
    let expected = Expected::new(queue, &priorities.took, limit);
    let Queue { entrants, prepared, pending, .. } = queue;
    let first_entrants: Vec<bool> = entrants.iter().map(|(name, _)| priorities.first.contains(name.as_str())).collect();
    let first_benchmarks: Vec<bool> =
        prepared.iter().map(|prepared| priorities.first.contains(&prepared.logic.0)).collect();
    pending.sort_by_key(|pending| {
        let (entrant, benchmark) = (pending.entrant.0 as usize, pending.prepared.0 as usize);
        let rank = match order {
            RunOrder::Benchmark => (Reverse(Time::default()), pending.prepared.0, pending.entrant.0),
            RunOrder::Entrant => (Reverse(Time::default()), pending.entrant.0, pending.prepared.0),
            RunOrder::Longest => (Reverse(expected.of(pending)), pending.prepared.0, pending.entrant.0),
        };
        let heat = priorities.heats.get(benchmark).copied().unwrap_or(0);
        (heat, !(first_entrants[entrant] || first_benchmarks[benchmark]), rank)
    });
}

/// The expected times of pairs.
pub struct Expected<'a> {
    took: &'a HashMap<PairId, Time>,
    /// The average time of each entrant.
    average: HashMap<EntrantIx, Time>,
    limit: Time,
}

impl<'a> Expected<'a> {
    /// Estimates from the times of earlier runs. No estimate exceeds the limit.
    pub fn new(queue: &Queue, took: &'a HashMap<PairId, Time>, limit: Time) -> Self {
        let mut sums: HashMap<EntrantIx, (u64, u64)> = HashMap::new();
        for pending in &queue.pending {
            if let Some(time) = took.get(&pending.pair) {
                let (sum, count) = sums.entry(pending.entrant).or_default();
                *sum = sum.saturating_add(time.as_nanos());
                *count += 1;
            }
        }
        let average =
            sums.into_iter().map(|(entrant, (sum, count))| (entrant, Time::from_nanos(sum / count))).collect();
        Self { took, average, limit }
    }

    /// The time of the pair's earlier run; otherwise the average of its entrant; otherwise the limit.
    pub fn of(&self, pending: &Pending) -> Time {
        let known = self.took.get(&pending.pair).or_else(|| self.average.get(&pending.entrant));
        known.copied().unwrap_or(self.limit).min(self.limit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_domain::{BenchmarkPath, Digest, Limits, Logic, Prepared, Status, Track};
    use agon_store::{LimitsIx, PreparedIx};

    fn queue() -> Queue {
        let prepared = |division: &str| Prepared {
            benchmark: BenchmarkPath(format!("non-incremental/{division}/f/a.smt2")),
            track: Track::SingleQuery,
            logic: Logic(division.into()),
            digest: Digest::of(division.as_bytes()),
            status: Status::Sat,
        };
        let pending = (0..4).map(|at| Pending {
            pair: PairId(i64::from(at)),
            attempt: 1,
            entrant: EntrantIx(at % 2),
            prepared: PreparedIx(at / 2),
            limits: LimitsIx(0),
        });
        Queue {
            entrants: ["x", "y"].map(|name| (name.parse().unwrap(), Digest::of(b""))).into(),
            prepared: ["QF_BV", "QF_UF"].map(prepared).into(),
            limits: vec![Limits::new(Time::from_secs(10), 1 << 30, 1)],
            pending: pending.collect(),
        }
    }

    fn sorted(order: RunOrder, priorities: &Priorities) -> Vec<i64> {
        let mut queue = queue();
        sort(&mut queue, order, priorities, Time::from_secs(10));
        queue.pending.iter().map(|pending| pending.pair.0).collect()
    }

    #[test]
    fn by_benchmark_and_by_entrant() {
        assert_eq!(sorted(RunOrder::Benchmark, &Priorities::default()), [0, 1, 2, 3]);
        assert_eq!(sorted(RunOrder::Entrant, &Priorities::default()), [0, 2, 1, 3]);
    }

    #[test]
    fn longest_first_by_past_times_and_averages() {
        let took = [(0, 3), (1, 1), (3, 2)].map(|(pair, seconds)| (PairId(pair), Time::from_secs(seconds)));
        let priorities = Priorities { took: took.into(), ..Priorities::default() };
        // Pair 2 has no past time, so it gets the average of its entrant: three seconds.
        assert_eq!(sorted(RunOrder::Longest, &priorities), [0, 2, 3, 1]);
        assert_eq!(sorted(RunOrder::Longest, &Priorities::default()), [0, 1, 2, 3]);
    }

    #[test]
    fn r19_6_8_heats_in_order_and_priorities_within_them() {
        let heats = Priorities { heats: vec![1, 0], ..Priorities::default() };
        assert_eq!(sorted(RunOrder::Benchmark, &heats), [2, 3, 0, 1]);
        assert_eq!(sorted(RunOrder::Benchmark, &Priorities { first: ["y".to_owned()].into(), ..heats }), [3, 2, 1, 0]);
        let first = Priorities { first: ["QF_UF".to_owned()].into(), ..Priorities::default() };
        assert_eq!(sorted(RunOrder::Entrant, &first), [2, 3, 0, 1]);
    }
}
