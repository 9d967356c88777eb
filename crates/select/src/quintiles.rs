//! Selection by difficulty, hardest first, with industrial benchmarks preferred: the policy of 2014 (D14-3).

use crate::candidate::Candidate;
use crate::generator::Generator;
use crate::reason::Reason;
use crate::remaining::Remaining;
use agon_domain::Category;
use agon_rulebook::QuintileRules;
use std::collections::BTreeMap;

/// Decides on each eligible candidate (given by index), one division after the other in the order of their names. A
/// division is sorted by difficulty and cut into fifths. Each fifth, hardest first, fills the slots up to its
/// cumulative share of the division's limit.
pub(crate) fn quintiles(
    rules: &QuintileRules,
    candidates: &[Candidate],
    eligible: &[usize],
    random: &mut Generator,
    decide: &mut impl FnMut(usize, Reason),
) {
    let mut divisions: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for &at in eligible {
        if rules.most > 0 && candidates[at].difficulty.is_none() {
            // A benchmark of unknown difficulty cannot be ordered (D14-9).
            decide(at, Reason::NoDifficulty);
        } else {
            divisions.entry(&candidates[at].logic).or_default().push(at);
        }
    }
    for (_, mut members) in divisions {
        if rules.most == 0 || members.len() <= rules.most {
            members.into_iter().for_each(|at| decide(at, Reason::Everything));
            continue;
        }
        let difficulty = |at: &usize| candidates[*at].difficulty.unwrap_or_default();
        members.sort_by(|a, b| {
            difficulty(b).total_cmp(&difficulty(a)).then_with(|| candidates[*a].path.cmp(&candidates[*b].path))
        });
        let mut taken = 0;
        for fifth in 0..5 {
            let bound = |part: usize| members.len() * part / 5;
            let pool = &members[bound(fifth)..bound(fifth + 1)];
            let wanted = rules.most * rules.cumulative_percent[fifth] / 100 - taken;
            taken += draw(rules, candidates, pool, wanted, random, &mut |at, is_drawn| {
                decide(at, if is_drawn { Reason::DrawnFromFifth(fifth + 1) } else { Reason::NotDrawn });
            });
        }
    }
}

/// Draws `wanted` benchmarks from a fifth, or all if it has fewer; the caller moves unfilled slots to the next fifth.
/// Returns the number drawn. If the fifth has too few industrial benchmarks for a plain draw to reach their share, they
/// are drawn separately.
fn draw(
    rules: &QuintileRules,
    candidates: &[Candidate],
    pool: &[usize],
    wanted: usize,
    random: &mut Generator,
    decide: &mut impl FnMut(usize, bool),
) -> usize {
    let wanted = wanted.min(pool.len());
    let (industrial, others): (Vec<usize>, Vec<usize>) =
        pool.iter().partition(|at| candidates[**at].category == Some(Category::Industrial));
    let parts = if industrial.len() * 100 >= pool.len() * rules.industrial_percent {
        vec![(pool.to_vec(), wanted)]
    } else {
        let first = (wanted * rules.industrial_percent / 100).min(industrial.len());
        let second = (wanted - first).min(others.len());
        vec![(industrial, wanted - second), (others, second)]
    };
    for (part, wanted) in parts {
        let mut remaining = Remaining::new(part.len());
        let mut is_drawn = vec![false; part.len()];
        for _ in 0..wanted {
            is_drawn[remaining.take(random.below(remaining.len()))] = true;
        }
        for (at, is_drawn) in part.into_iter().zip(is_drawn) {
            decide(at, is_drawn);
        }
    }
    wanted
}
