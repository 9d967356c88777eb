//! Heats: parts of a division that are run in order, and ignored as a whole if incomplete (R19-6.8).

use crate::select::Written;
use agon_domain::{BenchmarkPath, Logic, Pair, Prepared};
use std::collections::HashMap;

/// The heat of each selected benchmark. Empty if the competition is not run in heats.
pub(crate) struct Heats {
    of: HashMap<BenchmarkPath, usize>,
}

impl Heats {
    /// The heats in a selection.
    pub(crate) fn of(written: Option<&Written>) -> Self {
        Self { of: written.into_iter().flat_map(Written::heats).map(|(path, heat)| (path.clone(), heat)).collect() }
    }

    /// Whether the competition is not run in heats.
    pub(crate) fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    fn heat(&self, prepared: &Prepared) -> Option<usize> {
        self.of.get(&prepared.benchmark).copied()
    }

    /// The position of each benchmark's heat in the order of running: 0 for a benchmark without a heat, then the heats.
    /// Empty if the competition is not run in heats.
    pub(crate) fn of_each(&self, prepared: &[Prepared]) -> Vec<usize> {
        if self.of.is_empty() {
            return vec![];
        }
        prepared.iter().map(|prepared| self.heat(prepared).map_or(0, |heat| heat + 1)).collect()
    }

    /// The heats that do not count while these pairs are pending: in each division, the first incomplete heat and all
    /// later ones.
    pub(crate) fn incomplete<'a>(&self, pending: impl Iterator<Item = &'a Prepared>) -> Incomplete<'_> {
        let mut first: HashMap<Logic, usize> = HashMap::new();
        for (prepared, heat) in pending.filter_map(|prepared| Some((prepared, self.heat(prepared)?))) {
            let known = first.entry(prepared.logic.clone()).or_insert(heat);
            *known = heat.min(*known);
        }
        Incomplete { heats: self, first }
    }
}

/// The heats that do not count, from [`Heats::incomplete`].
pub(crate) struct Incomplete<'a> {
    heats: &'a Heats,
    first: HashMap<Logic, usize>,
}

impl Incomplete<'_> {
    /// Whether the heat of a pair does not count.
    pub(crate) fn has(&self, pair: &Pair) -> bool {
        let first = self.first.get(&pair.prepared.logic);
        first.is_some_and(|first| self.heats.heat(&pair.prepared).is_some_and(|heat| heat >= *first))
    }
}
