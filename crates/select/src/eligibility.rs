//! Which benchmarks are eligible for selection.

use crate::candidate::Candidate;
use crate::reason::Reason;
use agon_domain::{Category, Status, Track};
use agon_rulebook::{EligibleRules, SelectionPolicy, SelectionRules, StatusRule};
use std::collections::BTreeMap;

/// Returns the indices of the eligible candidates, and records the reason for each of the others.
pub(crate) fn eligible(
    rules: &SelectionRules,
    track: Track,
    candidates: &[Candidate],
    reasons: &mut [Option<Reason>],
) -> Vec<usize> {
    let mut kept: Vec<usize> = (0..candidates.len())
        .filter(|&at| {
            reasons[at] = ineligible(rules, track, &candidates[at]);
            reasons[at].is_none()
        })
        .collect();
    // Trivial benchmarks are removed only if enough others of their logic remain.
    if rules.eligible.trivial_s > 0.0 {
        let mut left: BTreeMap<&str, usize> = BTreeMap::new();
        for &at in &kept {
            *left.entry(&candidates[at].logic).or_default() += usize::from(!candidates[at].is_trivial);
        }
        kept.retain(|&at| {
            let candidate = &candidates[at];
            let is_out =
                candidate.is_trivial && left[candidate.logic.as_str()] >= rules.eligible.trivial_unless_fewer_than;
            if is_out {
                reasons[at] = Some(Reason::Trivial);
            }
            !is_out
        });
    }
    kept
}

/// The reason why a benchmark is not eligible; `None` if it is. Trivial benchmarks are handled by the caller.
fn ineligible(rules: &SelectionRules, track: Track, candidate: &Candidate) -> Option<Reason> {
    let EligibleRules { status, least_asserts, logics, logics_cut_after_draw, .. } = &rules.eligible;
    let is_incremental = candidate.path.0.starts_with("incremental/");
    let in_other_part = if track.is_incremental() { candidate.path.is_non_incremental() } else { is_incremental };
    let takes_unknown = matches!(&rules.policy, SelectionPolicy::Cells(cells) if cells.unknown_checks)
        && candidate.category == Some(Category::Check);
    match (status, candidate.status) {
        _ if candidate.excluded.is_some() => candidate.excluded.clone().map(Reason::Excluded),
        _ if in_other_part => Some(Reason::WrongPart),
        _ if rules.eligible.nominated && !candidate.nominated => Some(Reason::NotNominated),
        _ if !track.is_incremental() && candidate.queries.is_some_and(|queries| queries != 1) => {
            Some(Reason::NotOneQuery)
        }
        _ if !logics_cut_after_draw && !logics.is_empty() && !logics.contains(&candidate.logic) => {
            Some(Reason::WrongLogic)
        }
        (StatusRule::Known, Status::Unknown) if !takes_unknown => Some(Reason::UnknownStatus),
        (StatusRule::Sat, Status::Unsat | Status::Unknown) | (StatusRule::Unsat, Status::Sat | Status::Unknown) => {
            Some(Reason::WrongStatus)
        }
        _ => candidate.asserts.filter(|asserts| asserts < least_asserts).map(Reason::FewAsserts),
    }
}
