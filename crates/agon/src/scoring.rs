//! Gathers what the store knows and hands it to the scoring and the report.

use crate::cli::TRACK;
use agon_domain::{BenchmarkPath, Entrant, Logic, Status};
use agon_score::{BenchmarkFacts, DivisionResults, Run, Scores, Solver, TrackResults};
use agon_store::{Competition, Recorded};
use std::collections::BTreeMap;

/// A competition's entrants, runs and statuses.
pub struct Gathered {
    pub entrants: Vec<Entrant>,
    pub runs: Vec<Recorded>,
    pub statuses: BTreeMap<BenchmarkPath, Status>,
}

/// Reads everything that scoring needs.
pub fn gather(competition: &Competition) -> anyhow::Result<Gathered> {
    let library = competition.library()?;
    Ok(Gathered {
        entrants: competition.entrants()?,
        runs: competition.store()?.recorded()?,
        statuses: library.iter().map(|entry| (entry.benchmark.path.clone(), entry.benchmark.status())).collect(),
    })
}

impl Gathered {
    /// The scores of all runs that have a verdict.
    pub fn score(&self, competition: &Competition) -> Scores {
        agon_score::score(&TrackResults {
            rules: competition.rulebook(),
            track: TRACK,
            solvers: self.entrants.iter().map(solver).collect(),
            divisions: self.divisions(),
        })
    }

    fn divisions(&self) -> Vec<DivisionResults> {
        let mut divisions: BTreeMap<&Logic, DivisionResults> = BTreeMap::new();
        for group in self.runs.chunk_by(|one, other| one.pair.prepared.benchmark == other.pair.prepared.benchmark) {
            let prepared = &group[0].pair.prepared;
            let division = divisions.entry(&prepared.division).or_insert_with(|| self.empty(&prepared.division));
            let benchmark = division.benchmarks.len();
            division.benchmarks.push(BenchmarkFacts {
                name: prepared.benchmark.to_string(),
                status: self.statuses.get(&prepared.benchmark).copied().unwrap_or(Status::Unknown),
            });
            division.runs.extend(group.iter().filter_map(|recorded| self.run(recorded, benchmark)));
        }
        divisions.into_values().collect()
    }

    fn empty(&self, division: &Logic) -> DivisionResults {
        let entered = (0..self.entrants.len()).filter(|at| self.entrants[*at].enters(TRACK, division));
        DivisionResults { name: division.clone(), entered: entered.collect(), benchmarks: vec![], runs: vec![] }
    }

    fn run(&self, recorded: &Recorded, benchmark: usize) -> Option<Run> {
        Some(Run {
            solver: self.entrants.iter().position(|entrant| entrant.name == recorded.pair.entrant)?,
            benchmark,
            verdict: recorded.verdict?,
            wall: recorded.outcome.wall,
            cpu: recorded.outcome.cpu,
        })
    }
}

fn solver(entrant: &Entrant) -> Solver {
    Solver { name: entrant.name.to_string(), team: entrant.team.clone(), competing: entrant.kind.can_win() }
}
