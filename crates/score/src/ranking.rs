//! The rankings of one division: the order of the solvers, and their lines.

use crate::SolverIx;
use crate::division::Group;
use crate::line::{DivisionScore, Line};
use crate::rules::{Contest, FilteredRuns, PointTies, Rounding};
use crate::solver_total::SolverTotal;
use crate::totals::Totals;
use crate::winner::{Prize, out_of_division, winner};
use agon_domain::{Division, Logic, ScoreKind, Time};
use agon_rulebook::{RankingOrder, Weights};
use std::cmp::{Ordering, Reverse};
use std::collections::BTreeMap;

/// A solver's total in a ranking, and its points if the ranking is ordered by points (otherwise 0).
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    pub(crate) solver: SolverIx,
    pub(crate) total: SolverTotal,
    points: i64,
}

/// The solvers of a ranking in order (R19-7.7).
pub(crate) fn standings(totals: &Totals<'_>, group: &Group, kind: ScoreKind) -> Vec<Standing> {
    let standing = |(solver, total): (SolverIx, SolverTotal)| {
        let wrong_unsat = total.score.error - total.wrong_sat.min(total.score.error);
        let points = match totals.rules.order {
            RankingOrder::Points { sat, unsat } => {
                total.score.correct as i64 - (sat * total.wrong_sat) as i64 - (unsat * wrong_unsat) as i64
            }
            RankingOrder::ErrorsFirst | RankingOrder::Queries => 0,
        };
        Standing { solver, total, points }
    };
    let mut standings: Vec<Standing> = totals.totals(group, kind).into_iter().map(standing).collect();
    let name = |standing: &Standing| &totals.results.solvers[standing.solver].name;
    standings.sort_by(|a, b| compare(totals, kind, a, b).then_with(|| name(a).cmp(name(b))));
    standings
}

/// Compares two solvers; the better one is less. The sequential ranking compares CPU time only (R19-7.7).
pub(crate) fn compare(totals: &Totals<'_>, kind: ScoreKind, a: &Standing, b: &Standing) -> Ordering {
    let is_sequential = kind == ScoreKind::Sequential;
    if let (Some(a), Some(b)) = (a.total.weighted, b.total.weighted) {
        return compare_weighted(totals.rules.rounding, kind, &a, &b);
    }
    let times = |standing: &Standing| {
        let score = standing.total.score;
        if is_sequential { (score.cpu, Time::ZERO) } else { (score.wall, score.cpu) }
    };
    let by_times = || times(a).cmp(&times(b));
    let (one, other) = (&a.total, &b.total);
    match totals.rules.order {
        RankingOrder::ErrorsFirst => one
            .score
            .error
            .cmp(&other.score.error)
            .then(other.score.correct.cmp(&one.score.correct))
            .then_with(by_times),
        // A11-14: shares of queries.
        RankingOrder::Queries if totals.rules.track_rules.scoring.weights == Weights::Queries => {
            other.share.cmp(&one.share).then_with(by_times)
        }
        // A11-9: the number of correct queries; errors are not compared.
        RankingOrder::Queries => other.score.correct.cmp(&one.score.correct).then_with(by_times),
        RankingOrder::Points { .. } => b.points.cmp(&a.points).then_with(|| match totals.rules.point_ties {
            PointTies::TotalTime => by_times(),
            PointTies::AverageTime => compare_average_times(kind, one, other),
        }),
    }
}

/// Compares weighted ⟨e, n, w, c⟩; the better one is less. Some published results round errors and correct results.
fn compare_weighted(rounding: Rounding, kind: ScoreKind, a: &[f64; 4], b: &[f64; 4]) -> Ordering {
    let seen = |value: f64| match rounding {
        Rounding::Hundredths => (value * 100.0).round(),
        Rounding::Exact => value,
    };
    let [error, correct, wall, cpu] = [0, 1, 2, 3];
    let by_results = seen(a[error]).total_cmp(&seen(b[error])).then(seen(b[correct]).total_cmp(&seen(a[correct])));
    if kind == ScoreKind::Sequential {
        return by_results.then(a[cpu].total_cmp(&b[cpu]));
    }
    by_results.then(a[wall].total_cmp(&b[wall])).then(a[cpu].total_cmp(&b[cpu]))
}

/// Compares the average time of correct answers (R08-5.5), as exact fractions. Solvers without any come last.
fn compare_average_times(kind: ScoreKind, one: &SolverTotal, other: &SolverTotal) -> Ordering {
    let time = |total: &SolverTotal| u128::from(kind.time(total.correct_wall, total.correct_cpu).as_nanos());
    match (one.solved, other.solved) {
        (0, 0) => Ordering::Equal,
        (0, _) => Ordering::Greater,
        (_, 0) => Ordering::Less,
        (own, their) => (time(one) * u128::from(their)).cmp(&(time(other) * u128::from(own))),
    }
}

/// Scores one division, or one logic.
pub(crate) fn division(totals: &Totals<'_>, group: &Group) -> DivisionScore {
    let (results, rules) = (totals.results, totals.rules);
    let mut rankings = BTreeMap::new();
    let mut winners = BTreeMap::new();
    let mut open_source_winners = BTreeMap::new();
    let competing = totals.solvers(group).map(|solver| &results.solvers[solver]).filter(|solver| solver.competing);
    let competitive = rules.rulebook.is_competitive(competing.map(|solver| solver.team.as_str()));
    let has_winners = competitive || rules.contest == Contest::Any;
    for &kind in &totals.kinds {
        let standings = standings(totals, group, kind);
        let winner = |prize: Prize| winner(totals, group, kind, &standings, prize).filter(|_| has_winners);
        winners.insert(kind, winner(Prize::Winner));
        if rules.track_rules.scoring.open_source_winner {
            open_source_winners.insert(kind, winner(Prize::OpenSource));
        }
        rankings.insert(kind, lines(totals, group, kind, &standings));
    }
    let is_experimental = |name: &Division| rules.is_experimental(results.track, name);
    let logics: Vec<Logic> = group.logics.iter().map(|logic| results.logics[*logic].clone()).collect();
    DivisionScore {
        benchmarks: totals.size(group) as usize,
        queries: totals.queries(group),
        competitive,
        experimental: is_experimental(&group.name)
            || logics.iter().map(Division::of).all(|name| is_experimental(&name)),
        rankings,
        winners,
        open_source_winners,
        disagreements: totals.removed_of(group),
        progress: None,
        name: group.name.clone(),
        logics,
    }
}

/// The lines of a ranking. Disqualified solvers have no rank, and the other solvers are ranked without them.
fn lines(totals: &Totals<'_>, group: &Group, kind: ScoreKind, standings: &[Standing]) -> Vec<Line> {
    let results = totals.results;
    let shows_points = matches!(totals.rules.order, RankingOrder::Points { .. });
    // Abstentions are counted against the benchmarks of the ranking; in some published tables, against all benchmarks.
    let is_filtered = matches!(kind, ScoreKind::Sat | ScoreKind::Unsat);
    let counts_all = !is_filtered || totals.rules.filtered_ends == FilteredRuns::Counted;
    let benchmarks = if counts_all { totals.size(group) } else { totals.size_in(group, kind) };
    let out = out_of_division(totals, group, kind, standings);
    let mut lines: Vec<Line> = vec![];
    let mut ranked: Option<(&Standing, usize)> = None;
    let mut place = 0;
    for standing in standings {
        let solver = &results.solvers[standing.solver];
        let rank = if out.contains_key(&standing.solver) {
            None
        } else {
            place += 1;
            let shared = ranked.filter(|(above, _)| compare(totals, kind, above, standing) == Ordering::Equal);
            let rank = shared.map_or(place, |(_, rank)| rank);
            ranked = Some((standing, rank));
            Some(rank)
        };
        let total = &standing.total;
        let SolverTotal { score, solved, solved_sat, solved_unsat, unsolved, timeout, memout, .. } = *total;
        let done = if results.is_incremental { total.runs } else { solved + unsolved };
        let weighted = match totals.rules.track_rules.scoring.weights {
            Weights::Queries => {
                let share = total.share.to_f64().value();
                Some([score.error as f64, share, score.wall.as_secs_f64(), score.cpu.as_secs_f64()])
            }
            Weights::None | Weights::Families => total.weighted,
        };
        lines.push(Line {
            solver: solver.name.clone(),
            competing: solver.competing,
            rank,
            error: score.error,
            correct: score.correct,
            wall: score.wall,
            cpu: score.cpu,
            solved,
            solved_sat,
            solved_unsat,
            unsolved,
            abstained: benchmarks as i64 - done as i64,
            timeout,
            memout,
            points: shows_points.then_some(standing.points),
            weighted,
            note: out.get(&standing.solver).or(solver.note.as_ref()).cloned(),
        });
    }
    // Disqualified solvers keep their row, below the others.
    lines.sort_by_key(|line| Reverse(line.rank.is_some()));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{World, world};
    use agon_domain::{Evidence, Track};

    fn first(world: &World) -> DivisionScore {
        world.score().divisions.remove(0)
    }

    fn names(score: &DivisionScore, kind: ScoreKind) -> Vec<&str> {
        score.rankings[&kind].iter().map(|line| line.solver.as_str()).collect()
    }

    const TWO: [(&str, &str, bool); 2] = [("A", "a", true), ("B", "b", true)];

    fn two(rows: &[(&str, &str)]) -> World {
        world("smtcomp-2019").with_solvers(&TWO).with_logic("QF_X", rows)
    }

    #[test]
    fn r19_7_7_errors_before_correct_before_time() {
        let solvers = [("wrong", "a", true), ("slow", "b", true), ("fast", "c", true), ("one", "d", true)];
        let rows = [("sat", "unsat@1 sat@9 sat@2 sat@1"), ("unsat", "unsat@1 unsat@9 unsat@2 -")];
        let score = first(&world("smtcomp-2019").with_solvers(&solvers).with_logic("QF_X", &rows));
        for kind in [ScoreKind::Sequential, ScoreKind::Parallel] {
            assert_eq!(names(&score, kind), ["fast", "slow", "one", "wrong"]);
        }
        assert_eq!(score.winners[&ScoreKind::Parallel].as_deref(), Some("fast"));
    }

    #[test]
    fn r19_3_4_and_r19_7_8_sat_and_unsat_rankings_have_only_their_benchmarks() {
        let rows =
            [("sat", "sat@5 -"), ("unsat", "- unsat@5"), ("unknown", "sat@1 unknown@1"), ("sat", "unsat@1 sat@1")];
        let score = first(&two(&rows));
        let tuples = |kind: ScoreKind| -> Vec<(String, u64, u64)> {
            score.rankings[&kind].iter().map(|line| (line.solver.clone(), line.error, line.correct)).collect()
        };
        assert_eq!(tuples(ScoreKind::Sat), [("B".into(), 0, 1), ("A".into(), 1, 2)]);
        assert_eq!(tuples(ScoreKind::Unsat), [("B".into(), 0, 1), ("A".into(), 0, 0)]);
        // Since 2021 the wrong `unsat` is an error of the unsat ranking.
        let world = world("smtcomp-2021").with_solvers(&TWO).with_logic("QF_X", &rows);
        let score = score_of(&world, "QF_X");
        let errors = |kind: ScoreKind| score.rankings[&kind].iter().map(|line| line.error).sum::<u64>();
        assert_eq!((errors(ScoreKind::Sat), errors(ScoreKind::Unsat)), (0, 1));
    }

    fn score_of(world: &World, name: &str) -> DivisionScore {
        world.score().divisions.into_iter().find(|division| division.name.0 == name).unwrap()
    }

    #[test]
    fn r19_7_6_disagreements_of_sound_solvers_are_removed_and_reported() {
        let score = first(&two(&[("unknown", "sat@1 unsat@1"), ("sat", "sat@1 sat@2")]));
        assert_eq!(score.disagreements, ["QF_X/family/b0"]);
        assert_eq!(score.benchmarks, 1);
        assert_eq!(score.rankings[&ScoreKind::Parallel][0].correct, 1);
        assert_eq!(score.rankings[&ScoreKind::Parallel][0].abstained, 0);
    }

    #[test]
    fn r19_7_6_an_unsound_solver_cannot_remove_a_benchmark() {
        let score = first(&two(&[("unknown", "sat@1 unsat@1"), ("sat", "unsat@1 sat@2")]));
        assert!(score.disagreements.is_empty());
        assert_eq!(score.benchmarks, 2);
    }

    #[test]
    fn a11_19_and_r19_6_1_two_teams_make_a_division_competitive_and_only_their_solvers_win() {
        for (teams, competitive, winner) in
            [(["a", "a", "c"], false, None), (["a", "b", "c"], true, Some("A")), (["b", "b", "b"], false, None)]
        {
            let solvers = [("A", teams[0], true), ("B", teams[1], true), ("C", teams[2], false)];
            let world = world("smtcomp-2019").with_solvers(&solvers);
            let score = first(&world.with_logic("QF_X", &[("sat", "sat@1 sat@2 sat@0.1")]));
            assert_eq!(score.competitive, competitive);
            assert_eq!(score.winners[&ScoreKind::Parallel].as_deref(), winner);
            assert_eq!(names(&score, ScoreKind::Parallel)[0], "C");
        }
    }

    #[test]
    fn solving_nothing_does_not_win_and_equal_scores_share_a_rank() {
        let score = first(&two(&[("sat", "- -")]));
        assert_eq!(score.winners[&ScoreKind::Parallel], None);
        let ranks: Vec<_> = score.rankings[&ScoreKind::Parallel].iter().map(|line| line.rank).collect();
        assert_eq!(ranks, [Some(1), Some(1)]);
        assert_eq!(score.rankings[&ScoreKind::Parallel][0].timeout, 1);
    }

    #[test]
    fn missing_runs_are_abstentions() {
        let score = first(&two(&[("sat", "sat@1 ."), ("unsat", "unknown@1 unsat@1")]));
        let line = |name: &str| score.rankings[&ScoreKind::Parallel].iter().find(|l| l.solver == name).unwrap().clone();
        assert_eq!((line("B").abstained, line("B").unsolved, line("B").solved_unsat), (1, 0, 1));
        assert_eq!((line("A").abstained, line("A").unsolved, line("A").solved_sat), (0, 1, 1));
    }

    const THREE: [(&str, &str, bool); 3] = [("A", "a", true), ("B", "b", true), ("C", "c", true)];

    fn in_2008(rows: &[(&str, &str)]) -> World {
        world("smtcomp-2008").with_solvers(&THREE).with_logic("QF_X", rows)
    }

    #[test]
    fn r08_5_1_one_point_or_minus_eight() {
        let score = first(&in_2008(&[("sat", "sat@1 unsat@1 -"), ("sat", "sat@1 sat@1 unknown@1")]));
        let points: Vec<_> = score.rankings[&ScoreKind::Sequential].iter().map(|l| (&*l.solver, l.points)).collect();
        assert_eq!(points, [("A", Some(2)), ("C", Some(0)), ("B", Some(-7))]);
        assert_eq!(score.winners[&ScoreKind::Sequential].as_deref(), Some("A"));
    }

    #[test]
    fn r08_5_2_and_r08_5_6_no_winner_without_three_groups() {
        let mut world = in_2008(&[("sat", "sat@1 sat@2 sat@3")]);
        assert_eq!(first(&world).winners[&ScoreKind::Sequential].as_deref(), Some("A"));
        world.solvers[2].team = "a".into();
        let score = first(&world);
        assert_eq!(score.winners[&ScoreKind::Sequential], None);
        assert_eq!(names(&score, ScoreKind::Sequential), ["A", "B", "C"]);
    }

    #[test]
    fn r08_2_11_and_r08_5_3_the_best_open_source_solver_is_named() {
        let mut world = in_2008(&[("sat", "sat@1 sat@2 sat@3")]);
        world.solvers[1].has_source = true;
        world.solvers[2].has_source = true;
        let score = first(&world);
        assert_eq!(score.winners[&ScoreKind::Sequential].as_deref(), Some("A"));
        assert_eq!(score.open_source_winners[&ScoreKind::Sequential].as_deref(), Some("B"));
    }

    #[test]
    fn r08_5_4_the_fourth_wrong_answer_in_a_division_disqualifies_in_all() {
        let wrong = [("sat", "unsat@1 sat@2 sat@2"); 4];
        let world = in_2008(&wrong[..3]).with_logic("QF_Y", &[("sat", "sat@1 sat@2 sat@3")]);
        assert_eq!(score_of(&world, "QF_Y").winners[&ScoreKind::Sequential].as_deref(), Some("A"));
        let world = in_2008(&wrong).with_logic("QF_Y", &[("sat", "sat@1 sat@2 sat@3")]);
        let score = score_of(&world, "QF_Y");
        assert_eq!(score.winners[&ScoreKind::Sequential].as_deref(), Some("B"));
        let last = score.rankings[&ScoreKind::Sequential].last().unwrap();
        assert_eq!((last.solver.as_str(), last.rank), ("A", None));
        assert_eq!(last.note.as_deref(), Some("disqualified: 4 wrong answers in QF_X"));
    }

    #[test]
    fn r08_2_28_a_wrapper_must_be_ahead_of_the_solver_it_wraps() {
        let mut world = in_2008(&[("sat", "sat@3 sat@2 sat@4")]).with_logic("QF_Y", &[("sat", "sat@1 sat@2 sat@3")]);
        world.solvers[0].wraps = vec![SolverIx(1)];
        let score = score_of(&world, "QF_X");
        let last = score.rankings[&ScoreKind::Sequential].last().unwrap();
        assert_eq!((last.solver.as_str(), last.rank), ("A", None));
        assert!(last.note.as_ref().unwrap().contains("not ahead of B"));
        assert_eq!(score.winners[&ScoreKind::Sequential].as_deref(), Some("B"));
        assert_eq!(score_of(&world, "QF_Y").winners[&ScoreKind::Sequential].as_deref(), Some("A"));
    }

    #[test]
    fn r08_2_25_a_wrapper_of_an_older_tool_must_be_ahead_of_last_years_winner() {
        let mut world = in_2008(&[("sat", "sat@3 sat@4 sat@2")]).with_logic("QF_Y", &[("sat", "sat@3 sat@4 sat@2")]);
        world.solvers[0].wraps_older = true;
        world.solvers[2].won = vec![Division("QF_X".into())];
        assert_eq!(score_of(&world, "QF_X").rankings[&ScoreKind::Sequential].last().unwrap().rank, None);
        assert!(score_of(&world, "QF_Y").rankings[&ScoreKind::Sequential].iter().all(|line| line.rank.is_some()));
    }

    #[test]
    fn r08_5_5_the_least_average_time_of_correct_answers_breaks_ties() {
        // A has 2 points from ten answers and one error in 1 s each, B from two answers in 2 s each.
        let mut rows = vec![("sat", "sat@1 unknown@1 -"); 8];
        rows.extend([("sat", "sat@1 sat@2 -"), ("sat", "sat@1 sat@2 -"), ("sat", "unsat@1 unknown@1 -")]);
        let score = first(&in_2008(&rows));
        let points: Vec<_> = score.rankings[&ScoreKind::Sequential].iter().map(|l| (&*l.solver, l.points)).collect();
        assert_eq!(points, [("A", Some(2)), ("B", Some(2)), ("C", Some(0))]);
    }

    /// Two benchmarks of five and three queries. S1 answers 5 and 2 of them correctly, S2 4 and 3, S3 0 and 3; S3 also
    /// has one wrong answer in the first.
    fn traces(rules: &str) -> World {
        let mut world = world(rules).with_solvers(&[("S1", "1", true), ("S2", "2", true), ("S3", "3", true)]);
        world.track = Track::Incremental;
        let mut world =
            world.with_logic("QF_X", &[("unknown", "sat@80 sat@40 sat@0"), ("unknown", "sat@4 sat@15 sat@3")]);
        for (at, (run, correct)) in world.runs.iter_mut().zip([5, 4, 0, 2, 3, 3]).enumerate() {
            run.claim.evidence = Evidence::Queries { correct, wrong: u32::from(at == 2) };
        }
        world.benchmarks[0].queries = Some(5);
        world.benchmarks[1].queries = Some(3);
        world
    }

    #[test]
    fn a11_9_and_a11_12_the_example_of_2011() {
        let score = first(&traces("smtcomp-2011-application"));
        let lines: Vec<_> = score.rankings[&ScoreKind::Parallel]
            .iter()
            .map(|line| (&*line.solver, line.correct, line.wall.as_secs_f64()))
            .collect();
        assert_eq!(lines, [("S2", 7, 55.0), ("S1", 7, 84.0), ("S3", 3, 3.0)]);
    }

    #[test]
    fn a11_14_correct_queries_count_as_shares() {
        let mut world = traces("smtcomp-2011-application");
        world.rulebook.tracks.get_mut(&Track::Incremental).unwrap().scoring.weights = Weights::Queries;
        let score = first(&world);
        let lines: Vec<_> = score.rankings[&ScoreKind::Parallel]
            .iter()
            .map(|line| (&*line.solver, (line.weighted.unwrap()[1] * 1e4).round()))
            .collect();
        assert_eq!(lines, [("S2", 18000.0), ("S1", 16667.0), ("S3", 10000.0)]);
    }

    #[test]
    fn r19_7_4_a_wrong_answer_cancels_the_others() {
        let score = first(&traces("smtcomp-2019"));
        let last = score.rankings[&ScoreKind::Parallel].last().unwrap();
        assert_eq!((last.solver.as_str(), last.error, last.correct), ("S3", 1, 3));
    }

    #[test]
    fn sl19_24_fewest_incorrect_then_most_correct_then_least_time_of_these() {
        let rows = [("sat", "sat@9 sat@1 sat@1"), ("unsat", "unsat@9 unsat@1 unsat@2"), ("sat", "- - unsat@1")];
        let world = world("slcomp-2019").with_solvers(&THREE).with_logic("qf_shls_sat", &rows);
        let score = first(&world);
        let lines: Vec<_> =
            score.rankings[&ScoreKind::Parallel].iter().map(|l| (&*l.solver, l.wall.as_secs_f64())).collect();
        assert_eq!(lines, [("B", 2.0), ("A", 18.0), ("C", 3.0)]);
    }

    #[test]
    fn a_derived_solver_wins_if_it_is_much_better_than_its_base() {
        for (own, winner) in [("sat@9.5", "B"), ("sat@8", "A")] {
            let row = format!("{own} sat@11 sat@10");
            let mut world = world("smtcomp-2026").with_solvers(&THREE).with_logic("QF_X", &[("sat", &row)]);
            world.solvers[0].base = Some(SolverIx(2));
            world.solvers[2].competing = false;
            assert_eq!(score_of(&world, "QF_X").winners[&ScoreKind::Parallel].as_deref(), Some(winner));
        }
    }

    #[test]
    fn a11_18_results_of_a_division_with_one_solver_are_not_reported() {
        let mut world = world("smtcomp-2011-application")
            .with_solvers(&[("A", "a", true), ("B", "b", true)])
            .with_logic("QF_BV", &[("sat", "sat@1 sat@5")])
            .with_logic("QF_LIA", &[("sat", "sat@1 .")]);
        world.track = Track::Incremental;
        let scores = world.score();
        let names: Vec<&str> = scores.divisions.iter().map(|division| division.name.0.as_str()).collect();
        assert_eq!((names, scores.withheld), (vec!["QF_BV"], vec![Division("QF_LIA".into())]));
        world.rulebook.report_from_solvers = 0;
        assert_eq!((world.score().divisions.len(), world.score().withheld.len()), (2, 0));
    }
}
