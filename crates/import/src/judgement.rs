//! What a row of a table is worth.

use crate::table::{Counts, Evidence, Row};
use agon_domain::{Answer, Status};
use agon_rulebook::Deviation;
use agon_score::Run;
use std::collections::BTreeSet;

/// A row as a judged run: how many errors it has, and how many points.
pub(crate) fn judge(row: &Row, status: Status, asserts: u64, counts: Counts, deviations: &BTreeSet<Deviation>) -> Run {
    let has = |deviation: Deviation| deviations.contains(&deviation);
    let contradicts = row.answer.contradicts(status);
    let (errors, points) = match counts {
        Counts::Answers => {
            let is_failure = row.evidence == Evidence::Failure && status.is_definite();
            let is_wrong = contradicts || is_failure && has(Deviation::FailuresAreWrong);
            (u32::from(is_wrong), u64::from(row.answer.is_definite() && !contradicts))
        }
        // R19-7.4
        Counts::Queries => (row.wrong, row.count),
        // R19-7.5: the assertions that a core leaves out.
        Counts::Reductions => (
            row.wrong.max(u32::from(contradicts)),
            if row.answer == Answer::Unsat && !contradicts { row.count } else { 0 },
        ),
        Counts::CoreSizes => {
            let is_core = row.answer == Answer::Unsat && !contradicts && row.wrong == 0;
            (row.wrong.max(u32::from(contradicts)), if is_core { asserts.saturating_sub(row.count) } else { 0 })
        }
        // R19-7.5: a model is worth one point if it is valid.
        Counts::Models => {
            let said_sat = row.answer == Answer::Sat && !contradicts;
            let is_invalid = match row.evidence {
                Evidence::CutOff if has(Deviation::CutOffModelsForgiven) => false,
                Evidence::Invalid | Evidence::CutOff => said_sat || !has(Deviation::InvalidOnlyAfterSat),
                _ => false,
            };
            let is_wrong = contradicts && !has(Deviation::UnsatIsNoModel);
            (u32::from(is_invalid || is_wrong), u64::from(said_sat && row.evidence == Evidence::Valid))
        }
        Counts::Proofs => (0, u64::from(row.evidence == Evidence::Valid)),
    };
    Run {
        solver: row.identity,
        benchmark: row.benchmark,
        answer: row.answer,
        end: row.end,
        errors,
        points,
        wall: row.wall,
        cpu: row.cpu,
    }
}
