//! One division: what is removed, what is added up, who is ahead (R19-7.6 to R19-7.8).

use crate::benchmark::{is_timeout, score};
use crate::{DivisionResults, Run, TrackResults};
use agon_domain::{Answer, Logic, Ruling, Score, ScoreKind, Status, Time, Track};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// One solver's line in one ranking.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// The solver.
    pub solver: String,
    /// Whether it can win.
    pub competing: bool,
    /// Its place; equal scores share it.
    pub rank: usize,
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
    /// Benchmarks run and not solved.
    pub unsolved: u64,
    /// Benchmarks of the division that have no run.
    pub abstained: u64,
    /// Runs that a time limit ended without a result.
    pub timeout: u64,
    /// Runs that the memory limit did.
    pub memout: u64,
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
    /// Every ranking, best first.
    pub rankings: BTreeMap<ScoreKind, Vec<Line>>,
    /// The winner of each ranking.
    pub winners: BTreeMap<ScoreKind, Option<String>>,
    /// Benchmarks removed because sound solvers disagree on them (R19-7.6).
    pub disagreements: Vec<String>,
}

/// A division's score with what the recognitions need beside it.
pub(crate) struct Tally<'a> {
    pub(crate) score: DivisionScore,
    pub(crate) results: &'a DivisionResults,
    /// The runs that count, after removal of disagreements.
    pub(crate) runs: Vec<Run>,
}

impl Tally<'_> {
    /// The runs considered by a ranking.
    pub(crate) fn runs_in(&self, kind: ScoreKind) -> impl Iterator<Item = &Run> {
        let considered = considered(kind, self.results, &self.runs);
        self.runs.iter().filter(move |run| considered.contains(&run.benchmark))
    }
}

/// Scores one division.
pub(crate) fn tally<'a>(track: &TrackResults<'_>, division: &'a DivisionResults) -> Tally<'a> {
    // R19-7.6: for single queries, of the industry challenge too.
    let is_single =
        matches!(track.track, Track::SingleQuery | Track::IndustryChallenge | Track::Parallel | Track::Cloud);
    let removed = if is_single { disagreements(division) } else { BTreeSet::new() };
    let runs: Vec<Run> = division.runs.iter().filter(|run| !removed.contains(&run.benchmark)).copied().collect();
    let competing = division.entered.iter().map(|at| &track.solvers[*at]).filter(|solver| solver.competing);
    let competitive = track.rules.is_competitive(competing.map(|solver| solver.team.as_str()));
    let mut rankings = BTreeMap::new();
    let mut winners = BTreeMap::new();
    for &kind in &track.track_rules.scores {
        let lines = ranking(track, division, &runs, &removed, kind);
        winners.insert(kind, winner(&lines).filter(|_| competitive));
        rankings.insert(kind, lines);
    }
    let score = DivisionScore {
        name: division.name.clone(),
        logics: vec![division.name.clone()],
        benchmarks: division.benchmarks.len() - removed.len(),
        competitive,
        rankings,
        winners,
        disagreements: removed.iter().map(|at| division.benchmarks[*at].name.clone()).collect(),
    };
    Tally { score, results: division, runs }
}

/// Benchmarks of unknown status on which two solvers disagree that are sound on the known ones (R19-7.6).
fn disagreements(division: &DivisionResults) -> BTreeSet<usize> {
    let erring = division.runs.iter().filter(|run| run.verdict.ruling == Ruling::Erroneous);
    let unsound: BTreeSet<usize> = erring.map(|run| run.solver).collect();
    let said = |answer: Answer| -> BTreeSet<usize> {
        let runs = division.runs.iter().filter(|run| run.is_answered() && run.verdict.answer == answer);
        runs.filter(|run| !unsound.contains(&run.solver)).map(|run| run.benchmark).collect()
    };
    let both: BTreeSet<usize> = said(Answer::Sat).intersection(&said(Answer::Unsat)).copied().collect();
    both.into_iter().filter(|at| division.benchmarks[*at].status == Status::Unknown).collect()
}

/// The benchmarks that a ranking looks at: for sat and unsat those of that status, and those of unknown status that
/// somebody answered so (R19-7.8).
fn considered(kind: ScoreKind, division: &DivisionResults, runs: &[Run]) -> BTreeSet<usize> {
    let wanted = match kind {
        ScoreKind::Sat => Answer::Sat,
        ScoreKind::Unsat => Answer::Unsat,
        ScoreKind::Sequential | ScoreKind::Parallel | ScoreKind::TwentyFour => {
            return (0..division.benchmarks.len()).collect();
        }
    };
    let status = |at: usize| division.benchmarks[at].status;
    let known = (0..division.benchmarks.len()).filter(|at| status(*at) == wanted);
    let answered = runs.iter().filter(|run| run.is_answered() && run.verdict.answer == wanted);
    known.chain(answered.map(|run| run.benchmark).filter(|at| status(*at) == Status::Unknown)).collect()
}

fn ranking(
    track: &TrackResults<'_>,
    division: &DivisionResults,
    runs: &[Run],
    removed: &BTreeSet<usize>,
    kind: ScoreKind,
) -> Vec<Line> {
    let limits = track.track_rules.limits;
    let considered = considered(kind, division, runs);
    let benchmarks = considered.difference(removed).count() as u64;
    let mut lines: BTreeMap<usize, (Line, Score)> = division
        .entered
        .iter()
        .map(|at| (*at, (empty_line(&track.solvers[*at].name, track.solvers[*at].competing), Score::default())))
        .collect();
    for run in runs.iter().filter(|run| considered.contains(&run.benchmark)) {
        let Some((line, sum)) = lines.get_mut(&run.solver) else { continue };
        let score = score(run, kind, &limits);
        *sum = *sum + score;
        let sat = run.verdict.answer == Answer::Sat;
        line.solved += score.correct;
        line.solved_sat += score.correct * u64::from(sat);
        line.solved_unsat += score.correct * u64::from(!sat);
        line.unsolved += u64::from(score.correct == 0);
        line.timeout += u64::from(is_timeout(run, kind, &limits));
        line.memout += u64::from(run.verdict.ruling == Ruling::Memout);
    }
    let mut lines: Vec<(Line, Score)> = lines.into_values().collect();
    lines.sort_by(|(line, score), (other_line, other)| {
        order(kind, score).cmp(&order(kind, other)).then_with(|| line.solver.cmp(&other_line.solver))
    });
    let mut ranked: Vec<Line> = Vec::with_capacity(lines.len());
    let mut previous = None;
    for (place, (line, score)) in lines.into_iter().enumerate() {
        let key = order(kind, &score);
        let shared = ranked.last().filter(|_| previous == Some(key)).map(|above| above.rank);
        previous = Some(key);
        ranked.push(Line {
            rank: shared.unwrap_or(place + 1),
            error: score.error,
            correct: score.correct,
            wall: score.wall,
            cpu: score.cpu,
            abstained: benchmarks - (line.solved + line.unsolved).min(benchmarks),
            ..line
        });
    }
    ranked
}

fn empty_line(solver: &str, competing: bool) -> Line {
    Line {
        solver: solver.to_owned(),
        competing,
        rank: 0,
        error: 0,
        correct: 0,
        wall: Time::ZERO,
        cpu: Time::ZERO,
        solved: 0,
        solved_sat: 0,
        solved_unsat: 0,
        unsolved: 0,
        abstained: 0,
        timeout: 0,
        memout: 0,
    }
}

/// Smaller is better: errors, then correct results, then time (R19-7.7). The sequential order knows CPU time only.
fn order(kind: ScoreKind, score: &Score) -> (u64, std::cmp::Reverse<u64>, Time, Time) {
    let (first, second) = match kind {
        ScoreKind::Sequential => (score.cpu, Time::ZERO),
        _ => (score.wall, score.cpu),
    };
    (score.error, std::cmp::Reverse(score.correct), first, second)
}

/// The best competing solver that solved anything (R19-6.1).
fn winner(lines: &[Line]) -> Option<String> {
    lines.iter().find(|line| line.competing).filter(|line| line.correct > 0).map(|line| line.solver.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{BenchmarkFacts, Solver};
    use agon_domain::{Track, Verdict};
    use agon_rulebook::Rulebook;

    /// A division from rows of `status: answer of A at seconds, of B, …`; `-` is a timeout, `.` no run.
    fn track<'a>(rules: &'a Rulebook, solvers: &[(&str, &str, bool)], rows: &[(&str, &str)]) -> TrackResults<'a> {
        let solvers: Vec<Solver> = solvers
            .iter()
            .map(|(name, team, competing)| Solver { name: (*name).into(), team: (*team).into(), competing: *competing })
            .collect();
        let mut runs = vec![];
        let mut benchmarks = vec![];
        for (benchmark, (status, cells)) in rows.iter().enumerate() {
            let status: Status = status.parse().unwrap();
            benchmarks.push(BenchmarkFacts { name: format!("b{benchmark}"), status });
            for (solver, cell) in cells.split_whitespace().enumerate().filter(|(_, cell)| *cell != ".") {
                let (answer, seconds) = cell.split_once('@').unwrap_or(("-", "2400"));
                let answer: Option<Answer> = answer.parse().ok();
                let ruling = match answer {
                    None => Ruling::Timeout,
                    Some(Answer::Unknown) => Ruling::Unknown,
                    Some(answer) if answer.contradicts(status) => Ruling::Erroneous,
                    Some(_) => Ruling::Solved,
                };
                let time = Time::from_secs_f64(seconds.parse().unwrap());
                let verdict = Verdict {
                    answer: answer.unwrap_or(Answer::Unknown),
                    ruling,
                    points: u64::from(ruling == Ruling::Solved),
                };
                runs.push(Run { solver, benchmark, verdict, wall: time, cpu: time });
            }
        }
        let entered = (0..solvers.len()).collect();
        let division = DivisionResults { name: Logic("QF_X".into()), entered, benchmarks, runs };
        TrackResults {
            rules,
            track: Track::SingleQuery,
            track_rules: &rules.tracks[&Track::SingleQuery],
            solvers,
            divisions: vec![division],
        }
    }

    fn rules() -> Rulebook {
        Rulebook::named("smtcomp-2019").unwrap()
    }

    fn names(score: &DivisionScore, kind: ScoreKind) -> Vec<&str> {
        score.rankings[&kind].iter().map(|line| line.solver.as_str()).collect()
    }

    const TWO: [(&str, &str, bool); 2] = [("A", "a", true), ("B", "b", true)];

    #[test]
    fn r19_7_7_errors_before_correct_before_time() {
        let rules = rules();
        let solvers = [("wrong", "a", true), ("slow", "b", true), ("fast", "c", true), ("one", "d", true)];
        let rows = [("sat", "unsat@1 sat@9 sat@2 sat@1"), ("unsat", "unsat@1 unsat@9 unsat@2 -")];
        let results = track(&rules, &solvers, &rows);
        let tally = tally(&results, &results.divisions[0]);
        for kind in [ScoreKind::Sequential, ScoreKind::Parallel] {
            assert_eq!(names(&tally.score, kind), ["fast", "slow", "one", "wrong"]);
        }
        assert_eq!(tally.score.winners[&ScoreKind::Parallel].as_deref(), Some("fast"));
    }

    #[test]
    fn r19_7_8_sat_and_unsat_rankings_look_at_their_benchmarks_only() {
        let rules = rules();
        let rows =
            [("sat", "sat@5 -"), ("unsat", "- unsat@5"), ("unknown", "sat@1 unknown@1"), ("sat", "unsat@1 sat@1")];
        let results = track(&rules, &TWO, &rows);
        let score = tally(&results, &results.divisions[0]).score;
        let sat: Vec<_> =
            score.rankings[&ScoreKind::Sat].iter().map(|l| (l.solver.as_str(), l.error, l.correct)).collect();
        assert_eq!(sat, [("B", 0, 1), ("A", 1, 2)]);
        let unsat: Vec<_> =
            score.rankings[&ScoreKind::Unsat].iter().map(|l| (l.solver.as_str(), l.error, l.correct)).collect();
        assert_eq!(unsat, [("B", 0, 1), ("A", 0, 0)]);
    }

    #[test]
    fn r19_7_6_disagreements_of_sound_solvers_are_removed_and_reported() {
        let rules = rules();
        let results = track(&rules, &TWO, &[("unknown", "sat@1 unsat@1"), ("sat", "sat@1 sat@2")]);
        let score = tally(&results, &results.divisions[0]).score;
        assert_eq!(score.disagreements, ["b0"]);
        assert_eq!(score.benchmarks, 1);
        assert_eq!(score.rankings[&ScoreKind::Parallel][0].correct, 1);
        assert_eq!(score.rankings[&ScoreKind::Parallel][0].abstained, 0);
    }

    #[test]
    fn r19_7_6_an_unsound_solver_cannot_remove_a_benchmark() {
        let rules = rules();
        let results = track(&rules, &TWO, &[("unknown", "sat@1 unsat@1"), ("sat", "unsat@1 sat@2")]);
        let score = tally(&results, &results.divisions[0]).score;
        assert!(score.disagreements.is_empty());
        assert_eq!(score.benchmarks, 2);
    }

    #[test]
    fn r19_6_1_two_teams_make_a_division_competitive_and_only_their_solvers_win() {
        let rules = rules();
        let rows = [("sat", "sat@1 sat@2 sat@0.1")];
        for (teams, competitive, winner) in
            [(["a", "a", "c"], false, None), (["a", "b", "c"], true, Some("A")), (["b", "b", "b"], false, None)]
        {
            let solvers = [("A", teams[0], true), ("B", teams[1], true), ("C", teams[2], false)];
            let results = track(&rules, &solvers, &rows);
            let score = tally(&results, &results.divisions[0]).score;
            assert_eq!(score.competitive, competitive);
            assert_eq!(score.winners[&ScoreKind::Parallel].as_deref(), winner);
            assert_eq!(names(&score, ScoreKind::Parallel)[0], "C");
        }
    }

    #[test]
    fn nobody_wins_by_solving_nothing_and_equal_scores_share_a_place() {
        let rules = rules();
        let results = track(&rules, &TWO, &[("sat", "- -")]);
        let score = tally(&results, &results.divisions[0]).score;
        assert_eq!(score.winners[&ScoreKind::Parallel], None);
        let ranks: Vec<usize> = score.rankings[&ScoreKind::Parallel].iter().map(|line| line.rank).collect();
        assert_eq!(ranks, [1, 1]);
        assert_eq!(score.rankings[&ScoreKind::Parallel][0].timeout, 1);
    }

    #[test]
    fn missing_runs_are_abstentions() {
        let rules = rules();
        let results = track(&rules, &TWO, &[("sat", "sat@1 ."), ("unsat", "unknown@1 unsat@1")]);
        let score = tally(&results, &results.divisions[0]).score;
        let line = |name: &str| score.rankings[&ScoreKind::Parallel].iter().find(|l| l.solver == name).unwrap().clone();
        assert_eq!((line("B").abstained, line("B").unsolved, line("B").solved_unsat), (1, 0, 1));
        assert_eq!((line("A").abstained, line("A").unsolved, line("A").solved_sat), (0, 1, 1));
    }
}
