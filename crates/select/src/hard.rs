//! Selection of benchmarks that earlier solvers solved late or not at all: the parallel and cloud tracks since 2021.

use crate::candidate::{Candidate, Past};
use crate::generator::Generator;
use crate::reason::Reason;
use crate::remaining::Remaining;
use agon_rulebook::HardRules;
use std::collections::BTreeMap;

/// Decides on each eligible candidate (given by index). Half of the benchmarks are hard, and half unsolved. Each half
/// takes one benchmark at a time from each logic in the order of their names, drawn at random, until it is full or
/// nothing is left.
pub(crate) fn hard(
    rules: &HardRules,
    candidates: &[Candidate],
    eligible: &[usize],
    random: &mut Generator,
    decide: &mut impl FnMut(usize, Reason),
) {
    let (mut late, mut never) = (BTreeMap::new(), BTreeMap::new());
    for &at in eligible {
        let pool: &mut BTreeMap<&str, Vec<usize>> = match candidates[at].past {
            Past::Unknown => {
                decide(at, Reason::NoEarlierRun);
                continue;
            }
            Past::Solved(seconds) if seconds <= rules.hard_s => {
                decide(at, Reason::NotHard);
                continue;
            }
            Past::Solved(_) => &mut late,
            Past::Unsolved => &mut never,
        };
        pool.entry(&candidates[at].logic).or_default().push(at);
    }
    for (pools, reason) in [(late, Reason::Hard), (never, Reason::Unsolved)] {
        let pools: Vec<Vec<usize>> = pools.into_values().collect();
        let mut left: Vec<Remaining> = pools.iter().map(|pool| Remaining::new(pool.len())).collect();
        let mut drawn: Vec<Vec<bool>> = pools.iter().map(|pool| vec![false; pool.len()]).collect();
        let mut wanted = rules.most / 2;
        while wanted > 0 && left.iter().any(|left| left.len() > 0) {
            for (left, drawn) in left.iter_mut().zip(&mut drawn) {
                if wanted > 0 && left.len() > 0 {
                    drawn[left.take(random.below(left.len()))] = true;
                    wanted -= 1;
                }
            }
        }
        for (pool, drawn) in pools.iter().zip(drawn) {
            for (&at, is_drawn) in pool.iter().zip(drawn) {
                decide(at, if is_drawn { reason.clone() } else { Reason::NotDrawn });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_rulebook::{FamilyRule, GeneratorName};

    #[test]
    fn half_are_hard_and_half_unsolved_evenly_from_all_logics() {
        let of = |logic: &str, count: usize, past: Past| {
            let path = move |at: usize| format!("{logic}/f/{past:?}{at}.smt2");
            let one = move |at| Candidate { past, ..Candidate::at(&path(at), FamilyRule::BottomDirectory) };
            (0..count).map(one).collect::<Vec<_>>()
        };
        let candidates = [
            of("A", 50, Past::Solved(180.5)),
            of("B", 2, Past::Solved(900.0)),
            of("B", 9, Past::Unsolved),
            of("C", 5, Past::Solved(180.0)),
            of("C", 5, Past::Unknown),
        ]
        .concat();
        let eligible: Vec<usize> = (0..candidates.len()).collect();
        let rules = HardRules { most: 16, hard_s: 180.0 };
        let mut counts: BTreeMap<(String, String), usize> = BTreeMap::new();
        let mut random = Generator::new(GeneratorName::CRandom, 7);
        let mut decided = 0;
        hard(&rules, &candidates, &eligible, &mut random, &mut |at, reason| {
            decided += 1;
            *counts.entry((candidates[at].logic.clone(), format!("{reason:?}"))).or_default() += 1;
        });
        assert_eq!(decided, candidates.len());
        let count = |logic: &str, reason: &str| counts.get(&(logic.into(), reason.into())).copied().unwrap_or(0);
        assert_eq!((count("A", "Hard"), count("B", "Hard"), count("B", "Unsolved")), (6, 2, 8));
        assert_eq!((count("C", "NotHard"), count("C", "NoEarlierRun"), count("A", "NotDrawn")), (5, 5, 44));
    }
}
