//! The weights of 2016 to 2018: families that are large count less.

use crate::TrackResults;
use agon_rulebook::{Deviation, FamilyRule};
use rustc_hash::FxHashMap;

/// For each benchmark its part of the division, and how many benchmarks the division has. A benchmark in a family of F
/// weighs (1 + ln F) / F.
pub(crate) fn of_families(results: &TrackResults<'_>, removed: &[bool]) -> Vec<(f64, f64)> {
    let by_bottom = results.rules.family == FamilyRule::BottomFolder || results.deviates(Deviation::BottomFolders);
    let family = |at: usize| {
        let facts = &results.benchmarks[at];
        (
            facts.logic,
            if by_bottom { facts.bottom_folder() } else { facts.top_folder(&results.logics[facts.logic as usize]) },
        )
    };
    let counted: Vec<usize> = (0..results.benchmarks.len()).filter(|at| !removed[*at]).collect();
    let mut sizes: FxHashMap<(u32, &str), u64> = FxHashMap::default();
    for at in &counted {
        *sizes.entry(family(*at)).or_default() += 1;
    }
    let weight = |at: usize| {
        let size = sizes.get(&family(at)).copied().unwrap_or(1) as f64;
        (1.0 + size.ln()) / size
    };
    let mut all = vec![(0.0, 0.0); results.logics.len()];
    for at in &counted {
        let all = &mut all[results.benchmarks[*at].logic as usize];
        *all = (all.0 + weight(*at), all.1 + 1.0);
    }
    let part = |at: usize| {
        let (sum, count) = all[results.benchmarks[at].logic as usize];
        (if removed[at] { 0.0 } else { weight(at) / sum }, count)
    };
    (0..results.benchmarks.len()).map(part).collect()
}
