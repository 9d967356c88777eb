//! Benchmarks with the most queries: the selection of the 2011 application track.

use crate::candidate::Candidate;
use crate::reason::Reason;
use std::collections::BTreeMap;

/// Selects everything in a division, or the `most` benchmarks with the most queries if there are more (A11-16). No
/// limit applies if `most` is 0.
pub(crate) fn most_queries(
    most: usize,
    candidates: &[Candidate],
    eligible: &[usize],
    decide: &mut impl FnMut(usize, Reason),
) {
    let mut divisions: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for &at in eligible {
        divisions.entry(&candidates[at].logic).or_default().push(at);
    }
    for (_, mut members) in divisions {
        let queries = |at: usize| candidates[at].queries.unwrap_or_default();
        if most == 0 || members.len() <= most {
            members.into_iter().for_each(|at| decide(at, Reason::Everything));
            continue;
        }
        members
            .sort_by(|a, b| queries(*b).cmp(&queries(*a)).then_with(|| candidates[*a].path.cmp(&candidates[*b].path)));
        for (place, at) in members.into_iter().enumerate() {
            let is_in = place < most;
            decide(at, if is_in { Reason::MostQueries(queries(at)) } else { Reason::FewerQueries(queries(at)) });
        }
    }
}
