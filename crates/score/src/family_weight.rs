//! The weights of 2016 to 2018: benchmarks of large families count less.

use crate::{LogicIx, TrackResults};
use agon_rulebook::FamilyRule;
use rustc_hash::FxHashMap;
use std::collections::BTreeMap;

/// The sizes and weights of the families of benchmarks, over the benchmarks that count.
pub(crate) struct Families {
    /// The size of each benchmark's family.
    pub(crate) sizes: Vec<u64>,
    /// For each logic, the sum of the weights of its benchmarks and their number.
    logics: Vec<(f64, f64)>,
}

/// The weight of a benchmark in a family of this size.
fn weight(size: u64) -> f64 {
    let size = size as f64;
    (1.0 + size.ln()) / size
}

impl Families {
    pub(crate) fn new(results: &TrackResults, rule: FamilyRule, counts: &[bool]) -> Self {
        let family = |at: usize| {
            let facts = &results.benchmarks[at];
            (facts.logic, rule.of(&facts.name))
        };
        let counted: Vec<usize> = (0..results.benchmarks.len()).filter(|at| counts[*at]).collect();
        let mut sizes: FxHashMap<(LogicIx, &str), u64> = FxHashMap::default();
        for at in &counted {
            *sizes.entry(family(*at)).or_default() += 1;
        }
        // Weights are added by family size, so that rounding does not depend on the order of the benchmarks.
        let mut all: BTreeMap<(LogicIx, u64), u64> = BTreeMap::new();
        for at in &counted {
            *all.entry((results.benchmarks[*at].logic, sizes[&family(*at)])).or_default() += 1;
        }
        let mut logics = vec![(0.0, 0.0); results.logics.len()];
        for ((logic, size), count) in all {
            let logic: &mut (f64, f64) = &mut logics[logic.place()];
            *logic = (logic.0 + weight(size) * count as f64, logic.1 + count as f64);
        }
        let size_of = |at: usize| sizes.get(&family(at)).copied().unwrap_or(1);
        Self { sizes: (0..results.benchmarks.len()).map(size_of).collect(), logics }
    }

    /// ⟨e, n, w, c⟩ with family weights, from sums by logic and family size. The weights of each logic are normalized
    /// to add up to 1; errors and correct results are multiplied by the number of its benchmarks. Times are in seconds.
    pub(crate) fn weigh(&self, sums: &BTreeMap<(LogicIx, u64), [u128; 4]>) -> [f64; 4] {
        let mut weighed = [0.0; 4];
        for ((logic, size), values) in sums {
            let (all, count) = self.logics[logic.place()];
            let part = weight(*size) / all;
            let factors = [part * count, part * count, part / 1e9, part / 1e9];
            for (own, (value, factor)) in weighed.iter_mut().zip(values.iter().zip(factors)) {
                *own += *value as f64 * factor;
            }
        }
        weighed
    }
}
