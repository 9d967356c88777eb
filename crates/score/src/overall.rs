//! One score over all divisions: from 2014 to 2018, and since 2025.

use crate::line::DivisionScore;
use agon_domain::ScoreKind;
use agon_rulebook::{Logarithm, OverallErrors, OverallRules};
use serde::Serialize;
use std::collections::BTreeMap;

/// A solver's score over all divisions.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Overall {
    /// The solver's rank; equal scores share one.
    pub rank: usize,
    /// The solver's name.
    pub solver: String,
    /// Whether it competes for prizes.
    pub competing: bool,
    /// Weighted errors; 0 unless errors are compared separately.
    pub errors: f64,
    /// The score over all divisions.
    pub score: f64,
}

/// What a division of this size adds to a solver's overall score. Returns the weighted errors, which are 0 unless
/// errors are compared separately, and the score.
pub fn of_division(rules: OverallRules, errors: f64, correct: f64, size: f64) -> (f64, f64) {
    if size <= 0.0 {
        return (0.0, 0.0);
    }
    let weight = match rules.logarithm {
        Logarithm::Natural => size.ln(),
        Logarithm::Ten => size.log10(),
        Logarithm::None => 1.0,
    };
    let share = (correct / size).powi(2);
    match rules.errors {
        OverallErrors::Apart => (errors * weight, share * weight),
        OverallErrors::EachOne if errors > 0.0 => (0.0, -errors * weight),
        OverallErrors::Any(minus) if errors > 0.0 => (0.0, -minus * weight),
        OverallErrors::EachOne | OverallErrors::Any(_) => (0.0, share * weight),
    }
}

/// Adds up the competitive divisions for each ranking. `sizes` are the maximum scores of the divisions.
pub(crate) fn overall(
    rules: OverallRules,
    divisions: &[DivisionScore],
    sizes: &[f64],
) -> BTreeMap<ScoreKind, Vec<Overall>> {
    let mut all: BTreeMap<ScoreKind, BTreeMap<&str, Overall>> = BTreeMap::new();
    for (division, size) in divisions.iter().zip(sizes).filter(|(division, _)| division.competitive) {
        for (kind, lines) in &division.rankings {
            for line in lines {
                let [errors, correct, ..] = line.weighted.unwrap_or([line.error as f64, line.correct as f64, 0.0, 0.0]);
                let (errors, score) = of_division(rules, errors, correct, *size);
                let own = all.entry(*kind).or_default().entry(&line.solver).or_insert_with(|| Overall {
                    rank: 0,
                    solver: line.solver.clone(),
                    competing: line.competing,
                    errors: 0.0,
                    score: 0.0,
                });
                own.errors += errors;
                own.score += score;
            }
        }
    }
    let ranked = |solvers: BTreeMap<&str, Overall>| {
        let mut solvers: Vec<Overall> = solvers.into_values().collect();
        solvers.sort_by(|a, b| {
            a.errors.total_cmp(&b.errors).then(b.score.total_cmp(&a.score)).then_with(|| a.solver.cmp(&b.solver))
        });
        for at in 0..solvers.len() {
            let above = at.checked_sub(1).map(|above| &solvers[above]);
            let shared = above.filter(|above| (above.errors, above.score) == (solvers[at].errors, solvers[at].score));
            solvers[at].rank = shared.map_or(at + 1, |above| above.rank);
        }
        solvers
    };
    all.into_iter().map(|(kind, solvers)| (kind, ranked(solvers))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_division_adds_to_the_overall_score_by_the_rules_of_its_year() {
        let of = |logarithm, errors, e| of_division(OverallRules { logarithm, errors }, e, 50.0, 100.0);
        assert_eq!(of(Logarithm::Ten, OverallErrors::Apart, 2.0), (4.0, 0.5));
        assert_eq!(of(Logarithm::Natural, OverallErrors::EachOne, 0.0), (0.0, 0.25 * 100_f64.ln()));
        assert_eq!(of(Logarithm::Natural, OverallErrors::EachOne, 3.0), (0.0, -3.0 * 100_f64.ln()));
        assert_eq!(of(Logarithm::Ten, OverallErrors::Any(2.0), 7.0), (0.0, -4.0));
    }
}
