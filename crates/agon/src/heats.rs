//! Heats of a competition: run in order, and ignored as a whole where one is not complete (R19-6.8).

use crate::commands::prepare;
use agon_domain::{BenchmarkPath, Logic, Pair, Prepared};
use agon_store::Competition;
use std::collections::HashMap;

/// The heat of each selected benchmark. Empty where a competition is not run in heats.
pub struct Heats {
    of: HashMap<BenchmarkPath, usize>,
}

impl Heats {
    /// As the competition's selection has them.
    pub fn of(competition: &Competition) -> anyhow::Result<Self> {
        if !competition.selection_file().exists() {
            return Ok(Self { of: HashMap::new() });
        }
        let chosen = prepare::selection(competition)?.benchmarks;
        Ok(Self { of: chosen.into_iter().filter_map(|(path, heat)| Some((path, heat?))).collect() })
    }

    fn heat(&self, prepared: &Prepared) -> Option<usize> {
        self.of.get(&prepared.benchmark).copied()
    }

    /// The heat of each of these; nothing where there are none.
    pub fn of_each(&self, prepared: &[Prepared]) -> Vec<usize> {
        if self.of.is_empty() {
            return vec![];
        }
        prepared.iter().map(|prepared| self.heat(prepared).map_or(0, |heat| heat + 1)).collect()
    }

    /// The heats that do not count while these pairs are not done: in each division, the first in which one is and all
    /// that follow.
    pub fn incomplete<'a>(&self, pending: impl Iterator<Item = &'a Prepared>) -> Incomplete<'_> {
        let mut first: HashMap<Logic, usize> = HashMap::new();
        for (prepared, heat) in pending.filter_map(|prepared| Some((prepared, self.heat(prepared)?))) {
            let known = first.entry(prepared.division.clone()).or_insert(heat);
            *known = heat.min(*known);
        }
        Incomplete { heats: self, first }
    }
}

/// See [`Heats::incomplete`].
pub struct Incomplete<'a> {
    heats: &'a Heats,
    first: HashMap<Logic, usize>,
}

impl Incomplete<'_> {
    /// Whether a pair's heat does not count.
    pub fn has(&self, pair: &Pair) -> bool {
        let first = self.first.get(&pair.prepared.division);
        first.is_some_and(|first| self.heats.heat(&pair.prepared).is_some_and(|heat| heat >= *first))
    }
}
