//! The competition-wide recognitions of 2019: biggest lead and largest contribution (R19-3.7).

use crate::benchmark::score;
use crate::division::{Line, Tally};
use crate::{Run, TrackResults};
use agon_domain::{ScoreKind, Time};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

/// One division's entry in a recognition's ranking.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Place {
    /// Its place.
    pub rank: usize,
    /// The solver.
    pub solver: String,
    /// For its performance in this division.
    pub division: String,
    /// What is ranked by.
    pub correctness: f64,
    /// What breaks ties.
    pub time: f64,
}

/// Both recognitions, for every way of scoring.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Recognitions {
    /// Who won by the most (R19-7.9).
    pub biggest_lead: BTreeMap<ScoreKind, Vec<Place>>,
    /// Who would be missed the most (R19-7.10).
    pub largest_contribution: BTreeMap<ScoreKind, Vec<Place>>,
}

pub(crate) fn recognise(track: &TrackResults<'_>, tallies: &[Tally<'_>]) -> Recognitions {
    let ranked = |places: Vec<Place>| {
        let mut places = places;
        places.sort_by(|a, b| {
            let by_worth = b.correctness.total_cmp(&a.correctness).then(b.time.total_cmp(&a.time));
            by_worth.then_with(|| a.division.cmp(&b.division))
        });
        places.iter_mut().enumerate().for_each(|(at, place)| place.rank = at + 1);
        places
    };
    let competitive: Vec<&Tally<'_>> = tallies.iter().filter(|tally| tally.score.competitive).collect();
    let mut recognitions = Recognitions::default();
    for &kind in &track.track_rules.scores {
        let leads = competitive.iter().filter_map(|tally| lead(tally, kind)).collect();
        recognitions.biggest_lead.insert(kind, ranked(leads));
        // N: all competitive solver/benchmark pairs of the track.
        let pairs = |tally: &Tally<'_>| (competing_in(track, tally).count() * tally.score.benchmarks) as f64;
        let all_pairs: f64 = competitive.iter().map(|tally| pairs(tally)).sum();
        let contributions =
            competitive.iter().filter_map(|tally| contribution(track, tally, kind, pairs(tally) / all_pairs)).collect();
        recognitions.largest_contribution.insert(kind, ranked(contributions));
    }
    recognitions
}

/// Which of the two times a way of scoring looks at.
fn time(kind: ScoreKind, wall: Time, cpu: Time) -> Time {
    if kind == ScoreKind::Sequential { cpu } else { wall }
}

/// How far the winner is ahead of the next competing solver (R19-7.9).
fn lead(tally: &Tally<'_>, kind: ScoreKind) -> Option<Place> {
    let mut competing = tally.score.rankings.get(&kind)?.iter().filter(|line| line.competing);
    let (first, second) = (competing.next()?, competing.next()?);
    let seconds = |line: &Line| time(kind, line.wall, line.cpu).as_secs_f64();
    (first.correct > 0).then(|| Place {
        rank: 0,
        solver: first.solver.clone(),
        division: tally.score.name.to_string(),
        correctness: (first.correct + 1) as f64 / (second.correct + 1) as f64,
        time: (seconds(second) + 1.0) / (seconds(first) + 1.0),
    })
}

fn competing_in<'a>(track: &'a TrackResults<'_>, tally: &'a Tally<'_>) -> impl Iterator<Item = usize> {
    tally.results.entered.iter().copied().filter(|at| track.solvers[*at].competing)
}

/// What the virtual best solver of a division would lose without its most missed member (R19-7.10).
fn contribution(track: &TrackResults<'_>, tally: &Tally<'_>, kind: ScoreKind, weight: f64) -> Option<Place> {
    let lines = tally.score.rankings.get(&kind)?;
    let sound: BTreeSet<usize> = competing_in(track, tally)
        .filter(|at| lines.iter().any(|line| line.solver == track.solvers[*at].name && line.error == 0))
        .collect();
    if sound.len() <= 2 {
        return None;
    }
    let runs: Vec<&Run> = tally.runs_in(kind).filter(|run| sound.contains(&run.solver)).collect();
    let (all_correct, all_time) = virtual_best(track, kind, &runs, None);
    if all_correct == 0 {
        return None;
    }
    let worth = |without: usize| {
        let (correct, time) = virtual_best(track, kind, &runs, Some(without));
        (1.0 - correct as f64 / all_correct as f64, 1.0 - all_time.as_secs_f64() / time.as_secs_f64())
    };
    let (solver, (correctness, time)) = sound
        .into_iter()
        .map(|at| (&track.solvers[at].name, worth(at)))
        .max_by(|(_, a), (_, b)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)))?;
    Some(Place {
        rank: 0,
        solver: solver.clone(),
        division: tally.score.name.to_string(),
        correctness: correctness * weight,
        time: time * weight,
    })
}

/// The virtual best solver's correct results and time: per benchmark the best of each, T where nobody solved it.
fn virtual_best(track: &TrackResults<'_>, kind: ScoreKind, runs: &[&Run], without: Option<usize>) -> (u64, Time) {
    let limits = track.track_rules.limits;
    let mut best: BTreeMap<usize, (u64, Time)> = BTreeMap::new();
    for run in runs {
        let entry = best.entry(run.benchmark).or_insert((0, limits.wall));
        let score = score(run, kind, &limits);
        if score.correct > 0 && Some(run.solver) != without {
            entry.0 = entry.0.max(score.correct);
            entry.1 = entry.1.min(time(kind, score.wall, score.cpu));
        }
    }
    best.into_values().fold((0, Time::ZERO), |(correct, sum), (n, time)| (correct + n, sum + time))
}

#[cfg(test)]
mod tests {
    use crate::{BenchmarkFacts, DivisionResults, Run, Solver, TrackResults, score};
    use agon_domain::{Answer, Logic, Ruling, ScoreKind, Status, Time, Track, Verdict};
    use agon_rulebook::Rulebook;

    /// Every row is a benchmark with the seconds that each solver took; 0 is unsolved.
    fn results<'a>(rules: &'a Rulebook, divisions: &[(&str, &[&[u64]])]) -> TrackResults<'a> {
        let solver = |name: &str| Solver { name: name.into(), team: name.into(), competing: true };
        let division = |(name, rows): &(&str, &[&[u64]])| {
            let mut runs = vec![];
            for (benchmark, row) in rows.iter().enumerate() {
                for (solver, seconds) in row.iter().enumerate() {
                    let solved = *seconds > 0;
                    let ruling = if solved { Ruling::Solved } else { Ruling::Timeout };
                    let verdict = Verdict {
                        answer: if solved { Answer::Sat } else { Answer::Unknown },
                        ruling,
                        points: u64::from(solved),
                    };
                    let time = Time::from_secs(if solved { *seconds } else { 2400 });
                    runs.push(Run { solver, benchmark, verdict, wall: time, cpu: time });
                }
            }
            let benchmarks = (0..rows.len()).map(|at| BenchmarkFacts { name: at.to_string(), status: Status::Sat });
            DivisionResults {
                name: Logic((*name).into()),
                entered: (0..rows[0].len()).collect(),
                benchmarks: benchmarks.collect(),
                runs,
            }
        };
        TrackResults {
            rules,
            track: Track::SingleQuery,
            track_rules: &rules.tracks[&Track::SingleQuery],
            solvers: ["A", "B", "C"].map(solver).into(),
            divisions: divisions.iter().map(division).collect(),
        }
    }

    #[test]
    fn r19_7_9_biggest_lead() {
        let rules = Rulebook::named("smtcomp-2019").unwrap();
        let close: &[&[u64]] = &[&[1, 5], &[1, 5]];
        let wide: &[&[u64]] = &[&[0, 9], &[0, 9]];
        let scores = score(&results(&rules, &[("CLOSE", close), ("WIDE", wide)]));
        let places = &scores.recognitions.biggest_lead[&ScoreKind::Parallel];
        assert_eq!((places[0].solver.as_str(), places[0].division.as_str(), places[0].rank), ("B", "WIDE", 1));
        assert_eq!(places[0].correctness, 3.0);
        assert_eq!(places[1].solver, "A");
        assert_eq!((places[1].correctness, places[1].time), (1.0, 11.0 / 3.0));
    }

    #[test]
    fn r19_7_10_largest_contribution() {
        let rules = Rulebook::named("smtcomp-2019").unwrap();
        let rows: &[&[u64]] = &[&[1, 5, 9], &[0, 0, 7], &[0, 0, 0]];
        let two: &[&[u64]] = &[&[1, 5]];
        let scores = score(&results(&rules, &[("THREE", rows), ("TWO", two)]));
        let places = &scores.recognitions.largest_contribution[&ScoreKind::Parallel];
        // TWO has only two sound solvers. In THREE nobody but C solves the second: 1 of 2 is lost without it.
        assert_eq!(places.len(), 1);
        assert_eq!(places[0].solver, "C");
        let weight = 9.0 / (9.0 + 2.0);
        assert!((places[0].correctness - 0.5 * weight).abs() < 1e-12);
        let time = 1.0 - (1.0 + 7.0 + 2400.0) / (1.0 + 2400.0 + 2400.0);
        assert!((places[0].time - time * weight).abs() < 1e-12);
    }
}
