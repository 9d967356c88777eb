//! What a row of a table is worth.

use crate::table::{Counts, Evidence, Row};
use agon_domain::{Answer, Status};
use agon_rulebook::{InvalidModel, ScoringRules};
use agon_score::Run;

/// A row as a judged run: how many errors it has, and how many points.
pub(crate) fn judge(row: &Row, status: Status, asserts: u64, counts: Counts, rules: &ScoringRules) -> Run {
    let contradicts = row.answer.contradicts(status);
    let (errors, points) = match counts {
        Counts::Answers => (u32::from(contradicts), u64::from(row.answer.is_definite() && !contradicts)),
        // R19-7.4
        Counts::Queries => (row.wrong, row.count),
        // R19-7.5: the assertions that a core leaves out.
        Counts::Reductions => (row.wrong, if row.answer == Answer::Unsat && !contradicts { row.count } else { 0 }),
        Counts::CoreSizes => {
            let is_core = row.answer == Answer::Unsat && !contradicts && row.wrong == 0;
            (row.wrong.max(u32::from(contradicts)), if is_core { asserts.saturating_sub(row.count) } else { 0 })
        }
        // R19-7.5: a model is worth one point if it is valid.
        Counts::Models => {
            let said_sat = row.answer == Answer::Sat && !contradicts;
            let is_error = match rules.invalid_model {
                InvalidModel::AfterSat => said_sat && row.evidence != Evidence::Valid && row.evidence != Evidence::None,
                InvalidModel::UnlessCutOff => row.evidence == Evidence::Invalid,
                InvalidModel::Always => matches!(row.evidence, Evidence::Invalid | Evidence::CutOff),
            };
            (u32::from(is_error), u64::from(said_sat && row.evidence == Evidence::Valid))
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
