//! Small results for tests.

use crate::{BenchmarkFacts, End, Run, Solver, TrackResults};
use agon_domain::{Answer, Logic, Status, Time, Track};
use agon_rulebook::Rulebook;

/// Results under construction.
pub(crate) struct World {
    pub(crate) rules: Rulebook,
    pub(crate) track: Track,
    pub(crate) solvers: Vec<Solver>,
    pub(crate) logics: Vec<Logic>,
    pub(crate) benchmarks: Vec<BenchmarkFacts>,
    pub(crate) runs: Vec<Run>,
}

/// A single-query track under these rules, with nothing in it.
pub(crate) fn world(rules: &str) -> World {
    World {
        rules: Rulebook::named(rules).unwrap(),
        track: Track::SingleQuery,
        solvers: vec![],
        logics: vec![],
        benchmarks: vec![],
        runs: vec![],
    }
}

impl World {
    pub(crate) fn results(&self) -> TrackResults<'_> {
        TrackResults {
            rules: &self.rules,
            track: self.track,
            track_rules: &self.rules.tracks[&self.track],
            deviations: [].into(),
            is_incremental: self.track == Track::Incremental,
            solvers: self.solvers.clone(),
            logics: self.logics.clone(),
            benchmarks: self.benchmarks.clone(),
            runs: self.runs.clone(),
            entered: vec![],
        }
    }

    /// Solvers by name, team and whether they compete.
    pub(crate) fn with_solvers(mut self, solvers: &[(&str, &str, bool)]) -> Self {
        self.solvers = solvers
            .iter()
            .map(|(name, team, competing)| Solver {
                name: (*name).into(),
                team: (*team).into(),
                competing: *competing,
                ..Solver::default()
            })
            .collect();
        self
    }

    /// A logic from rows of a status and what each solver did: `sat@1`, `-` for a timeout, `.` for no run.
    pub(crate) fn with_logic(mut self, logic: &str, rows: &[(&str, &str)]) -> Self {
        let number = self.logics.len() as u32;
        self.logics.push(Logic(logic.into()));
        for (at, (status, words)) in rows.iter().enumerate() {
            let benchmark = self.benchmarks.len() as u32;
            let status: Status = match *status {
                "sat" => Status::Sat,
                "unsat" => Status::Unsat,
                _ => Status::Unknown,
            };
            self.benchmarks.push(BenchmarkFacts {
                name: format!("{logic}/family/b{at}").into(),
                logic: number,
                status,
                queries: 1,
                asserts: 1,
            });
            for (solver, word) in words.split(' ').enumerate() {
                let (answer, seconds) = match word.split_once('@') {
                    _ if word == "." => continue,
                    Some((answer, seconds)) => (answer, seconds.parse().unwrap()),
                    None => ("-", self.rules.tracks[&self.track].limits.wall.as_secs_f64()),
                };
                let end = if answer == "-" { End::Timeout } else { End::Complete };
                let answer = match answer {
                    "sat" => Answer::Sat,
                    "unsat" => Answer::Unsat,
                    _ => Answer::Unknown,
                };
                let errors = u32::from(answer.contradicts(status));
                let time = Time::from_secs_f64(seconds);
                self.runs.push(Run {
                    solver: solver as u32,
                    benchmark,
                    answer,
                    end,
                    errors,
                    points: u64::from(answer.is_definite() && errors == 0),
                    wall: time,
                    cpu: time,
                });
            }
        }
        self
    }
}
