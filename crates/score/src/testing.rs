//! Builds small sets of results for tests.

use crate::{
    BenchmarkFacts, BenchmarkIx, LogicIx, Measured, Rules, Run, Scores, Solver, SolverIx, TrackResults, score,
};
use agon_domain::{Claim, End, Evidence, Logic, Time, Track};
use agon_rulebook::Rulebook;
use std::collections::BTreeSet;

/// Results under construction.
pub(crate) struct World {
    pub(crate) rulebook: Rulebook,
    pub(crate) track: Track,
    pub(crate) solvers: Vec<Solver>,
    pub(crate) logics: Vec<Logic>,
    pub(crate) benchmarks: Vec<BenchmarkFacts>,
    pub(crate) runs: Vec<Run>,
}

/// An empty single-query track under these rules.
pub(crate) fn world(rules: &str) -> World {
    World {
        rulebook: Rulebook::named(rules).unwrap(),
        track: Track::SingleQuery,
        solvers: vec![],
        logics: vec![],
        benchmarks: vec![],
        runs: vec![],
    }
}

impl World {
    pub(crate) fn results(&self) -> TrackResults {
        TrackResults {
            track: self.track,
            is_incremental: self.track == Track::Incremental,
            solvers: self.solvers.clone(),
            logics: self.logics.clone(),
            benchmarks: self.benchmarks.clone(),
            runs: self.runs.clone(),
            entered: vec![],
        }
    }

    pub(crate) fn rules(&self) -> Rules<'_> {
        Rules::new(&self.rulebook, self.track, &BTreeSet::new()).unwrap()
    }

    pub(crate) fn score(&self) -> Scores {
        score(&self.results(), &self.rules())
    }

    /// Sets the solvers, each given by its name, its team and whether it competes.
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

    /// Adds a logic with one benchmark per row: its status, and a cell for each solver. A cell is an answer and its
    /// time in seconds such as `sat@1`, `-` for a timeout, or `.` for no run.
    pub(crate) fn with_logic(mut self, logic: &str, rows: &[(&str, &str)]) -> Self {
        let number = LogicIx::at(self.logics.len());
        self.logics.push(Logic(logic.into()));
        for (at, (status, words)) in rows.iter().enumerate() {
            let benchmark = BenchmarkIx::at(self.benchmarks.len());
            self.benchmarks.push(BenchmarkFacts {
                name: format!("{logic}/family/b{at}").into(),
                logic: number,
                status: status.parse().unwrap(),
                queries: Some(1),
                asserts: Some(1),
            });
            for (solver, word) in words.split(' ').enumerate() {
                let (answer, seconds) = match word.split_once('@') {
                    _ if word == "." => continue,
                    Some((answer, seconds)) => (answer, seconds.parse().unwrap()),
                    None => ("-", self.rulebook.tracks[&self.track].limits.wall.as_secs_f64()),
                };
                let time = Time::from_secs_f64(seconds);
                self.runs.push(Run {
                    solver: SolverIx::at(solver),
                    benchmark,
                    claim: Claim { answer: answer.parse().unwrap_or_default(), evidence: Evidence::None },
                    end: if answer == "-" { End::Timeout } else { End::Complete },
                    wall: time,
                    cpu: time,
                    measured: Measured::All,
                });
            }
        }
        self
    }
}
