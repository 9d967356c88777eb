//! Selection of a share of each logic, since 2019 (R19-6.6, R19-6.7).

use crate::candidate::{Candidate, NewBenchmarks};
use crate::generator::Generator;
use crate::reason::Reason;
use crate::remaining::Remaining;
use agon_rulebook::{NewFirst, ShareRules};
use std::collections::BTreeMap;

/// The number of benchmarks to select from a logic with `size` eligible ones.
fn target(rules: &ShareRules, size: usize) -> usize {
    let share = match rules.bend {
        Some(bend) if size > bend.above => bend.above * rules.percent / 100 + (size - bend.above) * bend.percent / 100,
        _ => size * rules.percent / 100,
    };
    share.max(rules.at_least).min(size)
}

/// Decides on each eligible candidate (given by index). In each logic, new benchmarks are selected first; then random
/// draws from the rest fill the logic's share.
///
/// To reproduce the organizers' scripts, a single stream of random numbers is used for all logics in the order of their
/// names, and the benchmarks of a logic are drawn from a list sorted by path.
pub(crate) fn share(
    rules: &ShareRules,
    candidates: &[Candidate],
    eligible: &[usize],
    new: &NewBenchmarks,
    random: &mut Generator,
    decide: &mut impl FnMut(usize, Reason),
) {
    let mut logics: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for &at in eligible {
        logics.entry(&candidates[at].logic).or_default().push(at);
    }
    for (logic, mut pool) in logics {
        pool.sort_unstable_by(|a, b| candidates[*a].path.cmp(&candidates[*b].path));
        let wanted = target(rules, pool.len());
        let mut remaining = Remaining::new(pool.len());
        let mut is_taken = vec![false; pool.len()];
        let place_of = |path| pool.binary_search_by(|at| candidates[*at].path.cmp(path)).ok();
        let mut taken = 0;
        for family in new.families.iter().filter(|family| family.logic == logic) {
            let members = &family.members;
            let places: Vec<usize> = members.iter().filter_map(place_of).collect();
            let (drawn, reason) = match rules.new_first {
                // The draw is among all new benchmarks of the family, and yields nothing if the drawn one is not
                // eligible.
                NewFirst::OneOfFamily => {
                    (Vec::from_iter(place_of(&members[random.below(members.len())])), Reason::NewFamily)
                }
                NewFirst::OneEligibleOfFamily if places.is_empty() => continue,
                NewFirst::OneEligibleOfFamily => (vec![places[random.below(places.len())]], Reason::NewFamily),
                NewFirst::All => (places, Reason::New),
            };
            for place in drawn {
                // A list may contain a benchmark in two families.
                if !std::mem::replace(&mut is_taken[place], true) {
                    remaining.remove(place);
                    taken += 1;
                    decide(pool[place], reason.clone());
                }
            }
        }
        let reason = if wanted == pool.len() { Reason::WholeLogic } else { Reason::Drawn };
        while taken < wanted && remaining.len() > 0 {
            let place = remaining.take(random.below(remaining.len()));
            is_taken[place] = true;
            taken += 1;
            decide(pool[place], reason.clone());
        }
        for (place, &at) in pool.iter().enumerate() {
            if !is_taken[place] {
                decide(at, Reason::NotDrawn);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r19_6_6_all_up_to_300_then_300_then_half() {
        let rules =
            ShareRules { at_least: 300, percent: 50, bend: None, new_first: NewFirst::OneOfFamily, add_solved: false };
        for (size, taken) in [(0, 0), (1, 1), (300, 300), (301, 300), (600, 300), (601, 300), (602, 301), (1000, 500)] {
            assert_eq!(target(&rules, size), taken, "of {size}");
        }
        let bent = ShareRules { bend: Some(agon_rulebook::Bend { above: 1000, percent: 10 }), ..rules };
        for (size, taken) in [(600, 300), (1000, 500), (1001, 500), (1010, 501), (11_000, 1500)] {
            assert_eq!(target(&bent, size), taken, "of {size}");
        }
    }
}
