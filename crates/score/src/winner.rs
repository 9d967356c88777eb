//! Which solvers can win a ranking, and which are disqualified.

use crate::SolverIx;
use crate::division::Group;
use crate::ranking::{Standing, compare};
use crate::solver_total::SolverTotal;
use crate::totals::Totals;
use agon_domain::ScoreKind;
use std::collections::BTreeMap;

/// Solvers that are disqualified in all divisions, with the reason: by the organizers (R08-4.24, R19-6.9), or because
/// of too many wrong answers in one division (R08-5.4).
pub(crate) fn disqualified(totals: &Totals<'_>) -> BTreeMap<SolverIx, String> {
    let from = totals.rules.track_rules.scoring.disqualified_at;
    let solvers = totals.results.solvers.iter().enumerate();
    let mut out: BTreeMap<SolverIx, String> = solvers
        .filter_map(|(at, solver)| Some((SolverIx::at(at), format!("disqualified: {}", solver.disqualified.as_ref()?))))
        .collect();
    let Some(kind) = totals.kinds.first().filter(|_| from > 0) else { return out };
    for group in &totals.grouping.divisions {
        for (solver, total) in totals.totals(group, *kind) {
            if total.score.error >= from {
                let note = format!("disqualified: {} wrong answers in {}", total.score.error, group.name);
                out.entry(solver).or_insert(note);
            }
        }
    }
    out
}

/// Solvers that are disqualified in a division, with the reason: those disqualified in all divisions, and wrappers that
/// are not ahead of the solver that they wrap (R08-2.28), or of last year's winner if they wrap an older solver
/// (R08-2.25).
pub(crate) fn out_of_division(
    totals: &Totals<'_>,
    group: &Group,
    kind: ScoreKind,
    standings: &[Standing],
) -> BTreeMap<SolverIx, String> {
    let mut out = totals.out.clone();
    if !totals.rules.track_rules.scoring.wrappers_must_be_ahead {
        return out;
    }
    let solvers = &totals.results.solvers;
    for standing in standings {
        let own = &solvers[standing.solver];
        let is_rival = |other: &&Standing| {
            let is_wrapped = own.wraps.contains(&other.solver);
            let has_won = own.wraps_older && solvers[other.solver].won.contains(&group.name);
            (is_wrapped || has_won) && other.solver != standing.solver
        };
        let rival = standings.iter().filter(is_rival).find(|rival| !compare(totals, kind, standing, rival).is_lt());
        if let Some(rival) = rival {
            let rival = &solvers[rival.solver].name;
            let note =
                format!("disqualified in this division: a wrapper that is not ahead of {rival} (R08-2.25, R08-2.28)");
            out.entry(standing.solver).or_insert(note);
        }
    }
    out
}

/// Which solvers a prize is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Prize {
    /// All solvers that can win.
    Winner,
    /// Open-source solvers that can win (R08-5.3).
    OpenSource,
}

/// The best solver that can win, if it solved anything (R19-6.1).
pub(crate) fn winner(
    totals: &Totals<'_>,
    group: &Group,
    kind: ScoreKind,
    standings: &[Standing],
    prize: Prize,
) -> Option<String> {
    let solvers = &totals.results.solvers;
    let mut able = standings.iter().filter(|standing| can_win(totals, group, kind, standings, standing));
    let first = able.find(|standing| prize == Prize::Winner || solvers[standing.solver].has_source)?;
    (first.total.score.correct > 0).then(|| solvers[first.solver].name.clone())
}

/// Whether a solver can win a ranking: it competes, is not disqualified, has no errors if the rules require that, and
/// its PAR-2 score is better than that of the solver it is derived from by the margin that the rules require.
pub(crate) fn can_win(
    totals: &Totals<'_>,
    group: &Group,
    kind: ScoreKind,
    standings: &[Standing],
    standing: &Standing,
) -> bool {
    let solver = &totals.results.solvers[standing.solver];
    let scoring = &totals.rules.track_rules.scoring;
    let is_free = scoring.errors_can_win || standing.total.score.error == 0;
    let base = solver.base.and_then(|base| standings.iter().find(|other| other.solver == base));
    // A division without logics has no runs.
    let limit = group.logics.first().map_or(0, |logic| totals.scorer.limit(kind, *logic).as_nanos());
    // The PAR-2 score. Benchmarks without a run count as unsolved, with twice the limit.
    let penalized = |total: &SolverTotal| {
        let missing = totals.size(group).saturating_sub(total.runs);
        u128::from(total.penalized.as_nanos()) + 2 * u128::from(limit) * u128::from(missing)
    };
    let least = 100 - u128::from(scoring.derived_margin_percent.min(100));
    let beats = |base: &Standing| penalized(&standing.total) * 100 <= penalized(&base.total) * least;
    let beats_base = scoring.derived_margin_percent == 0 || base.is_none_or(beats);
    let is_out = out_of_division(totals, group, kind, standings).contains_key(&standing.solver);
    solver.competing && !is_out && is_free && beats_base
}
