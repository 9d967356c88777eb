//! One division's rankings: who is where, and who wins.

use crate::division::Group;
use crate::progress::Progress;
use crate::sum::Sum;
use crate::tally::Tally;
use agon_domain::{Logic, ScoreKind, Time};
use agon_rulebook::{Deviation, Order, Weights};
use serde::Serialize;
use std::cmp::{Ordering, Reverse};
use std::collections::{BTreeMap, BTreeSet};

/// One solver's line in one ranking.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Line {
    /// The solver.
    pub solver: String,
    /// Whether it can win.
    pub competing: bool,
    /// Its place; equal scores share it. None for who is disqualified.
    pub rank: Option<usize>,
    /// e: erroneous results.
    pub error: u64,
    /// n: correct results.
    pub correct: u64,
    /// w: wall-clock time.
    pub wall: Time,
    /// c: CPU time.
    pub cpu: Time,
    /// Benchmarks solved.
    pub solved: u64,
    /// Of these, satisfiable ones.
    pub solved_sat: u64,
    /// And unsatisfiable ones.
    pub solved_unsat: u64,
    /// Benchmarks run and not solved; in the incremental track, queries.
    pub unsolved: u64,
    /// Benchmarks of the division that have no run; negative where some have several and all of them are counted.
    pub abstained: i64,
    /// Runs that a time limit ended.
    pub timeout: u64,
    /// Runs that the memory limit did.
    pub memout: u64,
    /// Points, where a ranking goes by them (R08-5.1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<i64>,
    /// e, n, w and c with the weights of benchmarks, where they have some.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weighted: Option<[f64; 4]>,
    /// What there is to know of it: why it cannot win.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// What is published of a division.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DivisionScore {
    /// Its name.
    pub name: Logic,
    /// The logics that make it up.
    pub logics: Vec<Logic>,
    /// How many benchmarks count.
    pub benchmarks: usize,
    /// Whether it is competitive (R19-6.1).
    pub competitive: bool,
    /// Whether it is run to try it out (R19-3.6).
    pub experimental: bool,
    /// Every ranking, best first.
    pub rankings: BTreeMap<ScoreKind, Vec<Line>>,
    /// The winner of each ranking.
    pub winners: BTreeMap<ScoreKind, Option<String>>,
    /// The best solver with open source of each ranking, where the rules name it (R08-5.3).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub open_source_winners: BTreeMap<ScoreKind, Option<String>>,
    /// Benchmarks removed because sound solvers disagree on them (R19-7.6).
    pub disagreements: Vec<String>,
    /// How far it has come, where a competition is scored that knows its plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
}

/// What a solver has in a ranking, with what orders it.
#[derive(Clone, Debug)]
pub(crate) struct Standing {
    pub(crate) solver: usize,
    pub(crate) sum: Sum,
    points: i64,
}

/// Solvers that are out of all divisions: those with so many wrong answers in one (R08-5.4).
pub(crate) fn disqualified(tally: &Tally<'_>) -> BTreeMap<usize, String> {
    let from = tally.results.track_rules.scoring.disqualified_at;
    let mut out = BTreeMap::new();
    if from == 0 {
        return out;
    }
    for group in &tally.grouping.divisions {
        for (solver, sum) in tally.sums(group, 0) {
            if sum.score.error >= from {
                let note = format!("disqualified: {} wrong answers in {}", sum.score.error, group.name);
                out.entry(solver).or_insert(note);
            }
        }
    }
    out
}

/// Solvers that are out of a division: those that are out of all, and wrappers that are not ahead of what they wrap
/// (R08-2.28), or of last year's winner if that is older (R08-2.25).
fn out_of_division(tally: &Tally<'_>, group: &Group, kind: usize, standings: &[Standing]) -> BTreeMap<usize, String> {
    let mut out = tally.out.clone();
    if !tally.results.track_rules.scoring.wrappers_must_be_ahead {
        return out;
    }
    let solvers = &tally.results.solvers;
    for standing in standings {
        let own = &solvers[standing.solver];
        let is_rival = |other: &&Standing| {
            let is_wrapped = own.wraps.contains(&(other.solver as u32));
            let has_won = own.wraps_older && solvers[other.solver].won.contains(&group.name);
            (is_wrapped || has_won) && other.solver != standing.solver
        };
        let rival = standings.iter().filter(is_rival).find(|rival| !compare(tally, kind, standing, rival).is_lt());
        if let Some(rival) = rival {
            let rival = &solvers[rival.solver].name;
            let note = format!("out of this division: a wrapper that is not ahead of {rival} (R08-2.25, R08-2.28)");
            out.entry(standing.solver).or_insert(note);
        }
    }
    out
}

/// The solvers of a ranking in order (R19-7.7).
pub(crate) fn standings(tally: &Tally<'_>, group: &Group, kind: usize) -> Vec<Standing> {
    let order = order(tally);
    let standing = |(solver, sum): (usize, Sum)| {
        let wrong_unsat = sum.score.error - sum.wrong_sat.min(sum.score.error);
        let points = match order {
            Order::Points { sat, unsat } => {
                sum.score.correct as i64 - (sat * sum.wrong_sat) as i64 - (unsat * wrong_unsat) as i64
            }
            Order::ErrorsFirst | Order::Queries => 0,
        };
        Standing { solver, sum, points }
    };
    let mut standings: Vec<Standing> = tally.sums(group, kind).into_iter().map(standing).collect();
    let name = |standing: &Standing| &tally.results.solvers[standing.solver].name;
    standings.sort_by(|a, b| compare(tally, kind, a, b).then_with(|| name(a).cmp(name(b))));
    standings
}

fn order(tally: &Tally<'_>) -> Order {
    if tally.results.deviates(Deviation::PodiumByPoints) {
        return Order::Points { sat: 1, unsat: 10 };
    }
    tally.results.track_rules.scoring.order
}

/// The better one first. The sequential order knows CPU time only (R19-7.7).
pub(crate) fn compare(tally: &Tally<'_>, kind: usize, a: &Standing, b: &Standing) -> Ordering {
    let is_sequential = tally.kinds[kind] == ScoreKind::Sequential;
    let times = |standing: &Standing| {
        let score = standing.sum.score;
        if is_sequential { (score.cpu, Time::ZERO) } else { (score.wall, score.cpu) }
    };
    let by_times = || times(a).cmp(&times(b));
    if let (Some(a), Some(b)) = (a.sum.weighted, b.sum.weighted) {
        let rounds = tally.results.deviates(Deviation::RoundedOrder);
        let seen = |value: f64| if rounds { (value * 100.0).round() } else { value };
        let times = if is_sequential { [3, 2] } else { [2, 3] };
        return seen(a[0])
            .total_cmp(&seen(b[0]))
            .then(seen(b[1]).total_cmp(&seen(a[1])))
            .then(a[times[0]].total_cmp(&b[times[0]]))
            .then(if is_sequential { Ordering::Equal } else { a[times[1]].total_cmp(&b[times[1]]) });
    }
    let (one, other) = (&a.sum, &b.sum);
    match order(tally) {
        Order::ErrorsFirst => one
            .score
            .error
            .cmp(&other.score.error)
            .then(other.score.correct.cmp(&one.score.correct))
            .then_with(by_times),
        // A11-9, and with parts of queries A11-14.
        Order::Queries if tally.results.track_rules.scoring.weights == Weights::Queries => {
            other.share.cmp(&one.share).then_with(by_times)
        }
        Order::Queries => other.score.correct.cmp(&one.score.correct).then_with(by_times),
        Order::Points { .. } if tally.results.deviates(Deviation::PodiumByPoints) => {
            b.points.cmp(&a.points).then_with(by_times)
        }
        Order::Points { .. } => b.points.cmp(&a.points).then_with(|| average(is_sequential, one, other)),
    }
}

/// The less average time of correct answers (R08-5.5), as exact fractions; who has none is last.
fn average(is_sequential: bool, one: &Sum, other: &Sum) -> Ordering {
    let time = |sum: &Sum| u128::from(if is_sequential { sum.correct_cpu } else { sum.correct_wall }.as_nanos());
    match (one.solved, other.solved) {
        (0, 0) => Ordering::Equal,
        (0, _) => Ordering::Greater,
        (_, 0) => Ordering::Less,
        (own, their) => (time(one) * u128::from(their)).cmp(&(time(other) * u128::from(own))),
    }
}

/// Scores one division, or one logic.
pub(crate) fn division(tally: &Tally<'_>, group: &Group) -> DivisionScore {
    let results = tally.results;
    let mut rankings = BTreeMap::new();
    let mut winners = BTreeMap::new();
    let mut open_source_winners = BTreeMap::new();
    let competing = tally.solvers(group).map(|at| &results.solvers[at]).filter(|solver| solver.competing);
    let competitive = results.rules.is_competitive(competing.map(|solver| solver.team.as_str()));
    for (at, &kind) in tally.kinds.iter().enumerate() {
        let standings = standings(tally, group, at);
        let is_contest = competitive || results.deviates(Deviation::WinnersWithoutContest);
        let winner = |needs_source: bool| winner(tally, group, at, &standings, needs_source).filter(|_| is_contest);
        winners.insert(kind, winner(false));
        if results.track_rules.scoring.open_source_winner {
            open_source_winners.insert(kind, winner(true));
        }
        rankings.insert(kind, lines(tally, group, at, &standings));
    }
    let experimental = results.rules.experimental.get(&results.track);
    let is_experimental = |name: &Logic| experimental.is_some_and(|names| names.contains(name));
    let logics: BTreeSet<u32> = group.logics.iter().copied().collect();
    let removed = (0..results.benchmarks.len()).filter(|at| tally.removed[*at]);
    let of_group = removed.filter(|at| logics.contains(&results.benchmarks[*at].logic));
    let mut disagreements: Vec<String> = of_group.map(|at| results.name_of(at)).collect();
    disagreements.sort_unstable();
    let names: Vec<Logic> = group.logics.iter().map(|at| results.logics[*at as usize].clone()).collect();
    DivisionScore {
        benchmarks: tally.size(group) as usize,
        competitive,
        experimental: is_experimental(&group.name) || names.iter().all(is_experimental),
        rankings,
        winners,
        open_source_winners,
        disagreements,
        progress: None,
        name: group.name.clone(),
        logics: names,
    }
}

fn lines(tally: &Tally<'_>, group: &Group, kind: usize, standings: &[Standing]) -> Vec<Line> {
    let results = tally.results;
    let shows_points = matches!(order(tally), Order::Points { .. });
    let is_filtered = matches!(tally.kinds[kind], ScoreKind::Sat | ScoreKind::Unsat);
    let counts_all = !is_filtered || results.deviates(Deviation::FilteredRunsCount);
    let benchmarks = if counts_all { tally.size(group) } else { tally.size_in(group, kind) };
    let out = out_of_division(tally, group, kind, standings);
    let mut lines: Vec<Line> = vec![];
    let mut ranked: Option<(&Standing, usize)> = None;
    let mut place = 0;
    for standing in standings {
        let solver = &results.solvers[standing.solver];
        let rank = if out.contains_key(&standing.solver) {
            None
        } else {
            place += 1;
            let shared = ranked.filter(|(above, _)| compare(tally, kind, above, standing) == Ordering::Equal);
            let rank = shared.map_or(place, |(_, rank)| rank);
            ranked = Some((standing, rank));
            Some(rank)
        };
        let Sum { score, solved, solved_sat, solved_unsat, unsolved, timeout, memout, .. } = standing.sum;
        let done = if results.is_incremental { standing.sum.runs } else { solved + unsolved };
        let weighted = match results.track_rules.scoring.weights {
            Weights::Queries => {
                let share = standing.sum.share.to_f64().value();
                Some([score.error as f64, share, score.wall.as_secs_f64(), score.cpu.as_secs_f64()])
            }
            Weights::None | Weights::Families => standing.sum.weighted,
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
    // Who is out keeps its row, below the others.
    lines.sort_by_key(|line| Reverse(line.rank.is_some()));
    lines
}

/// The best solver that can win, if it solved anything (R19-6.1).
fn winner(tally: &Tally<'_>, group: &Group, kind: usize, standings: &[Standing], needs_source: bool) -> Option<String> {
    let solvers = &tally.results.solvers;
    let mut able = standings.iter().filter(|standing| can_win(tally, group, kind, standings, standing));
    let first = able.find(|standing| !needs_source || solvers[standing.solver].has_source)?;
    (first.sum.score.correct > 0).then(|| solvers[first.solver].name.clone())
}

/// Whether a solver can win a ranking: it competes, is not disqualified, has no errors where that is asked for, and is
/// enough better than what it is derived from.
pub(crate) fn can_win(
    tally: &Tally<'_>,
    group: &Group,
    kind: usize,
    standings: &[Standing],
    standing: &Standing,
) -> bool {
    let solver = &tally.results.solvers[standing.solver];
    let scoring = &tally.results.track_rules.scoring;
    let is_free = scoring.errors_can_win || standing.sum.score.error == 0;
    let base = solver.base.and_then(|base| standings.iter().find(|other| other.solver == base as usize));
    let limit = tally.counter.limit(tally.kinds[kind]).as_nanos();
    // What it did not try counts as unsolved.
    let penalised = |sum: &Sum| {
        let missing = tally.size(group).saturating_sub(sum.runs);
        u128::from(sum.penalised.as_nanos()) + 2 * u128::from(limit) * u128::from(missing)
    };
    let least = 100 - u128::from(scoring.derived_margin_percent.min(100));
    let beats = |base: &Standing| penalised(&standing.sum) * 100 <= penalised(&base.sum) * least;
    let beats_base = scoring.derived_margin_percent == 0 || base.is_none_or(beats);
    let is_out = out_of_division(tally, group, kind, standings).contains_key(&standing.solver);
    solver.competing && !is_out && is_free && beats_base
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score;
    use crate::testing::{World, world};
    use agon_domain::Track;

    fn first(world: &World) -> DivisionScore {
        score(&world.results()).divisions.remove(0)
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
    fn r19_7_8_sat_and_unsat_rankings_look_at_their_benchmarks_only() {
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
        score(&world.results()).divisions.into_iter().find(|division| division.name.0 == name).unwrap()
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
    fn r19_6_1_two_teams_make_a_division_competitive_and_only_their_solvers_win() {
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
    fn nobody_wins_by_solving_nothing_and_equal_scores_share_a_place() {
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
    fn r08_5_2_and_r08_5_6_three_groups_or_no_winner() {
        let mut world = in_2008(&[("sat", "sat@1 sat@2 sat@3")]);
        assert_eq!(first(&world).winners[&ScoreKind::Sequential].as_deref(), Some("A"));
        world.solvers[2].team = "a".into();
        let score = first(&world);
        assert_eq!(score.winners[&ScoreKind::Sequential], None);
        assert_eq!(names(&score, ScoreKind::Sequential), ["A", "B", "C"]);
    }

    #[test]
    fn r08_5_3_the_best_solver_with_open_source() {
        let mut world = in_2008(&[("sat", "sat@1 sat@2 sat@3")]);
        world.solvers[1].has_source = true;
        world.solvers[2].has_source = true;
        let score = first(&world);
        assert_eq!(score.winners[&ScoreKind::Sequential].as_deref(), Some("A"));
        assert_eq!(score.open_source_winners[&ScoreKind::Sequential].as_deref(), Some("B"));
    }

    #[test]
    fn r08_5_4_the_fourth_wrong_answer_of_a_division_is_the_end_in_all() {
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
    fn r08_2_28_a_wrapper_is_ahead_of_what_it_wraps_or_out_of_the_division() {
        let mut world = in_2008(&[("sat", "sat@3 sat@2 sat@4")]).with_logic("QF_Y", &[("sat", "sat@1 sat@2 sat@3")]);
        world.solvers[0].wraps = vec![1];
        let score = score_of(&world, "QF_X");
        let last = score.rankings[&ScoreKind::Sequential].last().unwrap();
        assert_eq!((last.solver.as_str(), last.rank), ("A", None));
        assert!(last.note.as_ref().unwrap().contains("not ahead of B"));
        assert_eq!(score.winners[&ScoreKind::Sequential].as_deref(), Some("B"));
        assert_eq!(score_of(&world, "QF_Y").winners[&ScoreKind::Sequential].as_deref(), Some("A"));
    }

    #[test]
    fn r08_2_25_a_wrapper_of_an_older_tool_is_ahead_of_last_years_winner_or_out_of_the_division() {
        let mut world = in_2008(&[("sat", "sat@3 sat@4 sat@2")]).with_logic("QF_Y", &[("sat", "sat@3 sat@4 sat@2")]);
        world.solvers[0].wraps_older = true;
        world.solvers[2].won = vec![Logic("QF_X".into())];
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

    /// Traces of five and three queries, with how many each solver had right and in how many seconds, or wrong.
    fn traces(rules: &str) -> World {
        let mut world = world(rules).with_solvers(&[("S1", "1", true), ("S2", "2", true), ("S3", "3", true)]);
        world.track = Track::Incremental;
        let mut world =
            world.with_logic("QF_X", &[("unknown", "sat@80 sat@40 sat@0"), ("unknown", "sat@4 sat@15 sat@3")]);
        for (run, points) in world.runs.iter_mut().zip([5, 4, 0, 2, 3, 3]) {
            run.points = points;
        }
        world.runs[2].errors = 1;
        world.benchmarks[0].queries = 5;
        world.benchmarks[1].queries = 3;
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
    fn a11_14_parts_of_queries() {
        let mut world = traces("smtcomp-2011-application");
        world.rules.tracks.get_mut(&Track::Incremental).unwrap().scoring.weights = Weights::Queries;
        let score = first(&world);
        let lines: Vec<_> = score.rankings[&ScoreKind::Parallel]
            .iter()
            .map(|line| (&*line.solver, (line.weighted.unwrap()[1] * 1e4).round()))
            .collect();
        assert_eq!(lines, [("S2", 18000.0), ("S1", 16667.0), ("S3", 10000.0)]);
    }

    #[test]
    fn r19_7_4_a_wrong_answer_takes_the_others_away() {
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
            world.solvers[0].base = Some(2);
            world.solvers[2].competing = false;
            assert_eq!(score_of(&world, "QF_X").winners[&ScoreKind::Parallel].as_deref(), Some(winner));
        }
    }
}
