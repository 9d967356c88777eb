//! Gathers what the store knows and hands it to the scoring and the report.

use crate::commands::batch::track_rules;
use crate::heats::Heats;
use agon_domain::{Digest, Entrant, EntrantName, Logic, Track};
use agon_score::{BenchmarkFacts, DivisionResults, Run, Scores, Solver, TrackResults};
use agon_store::{Competition, Recorded};
use std::collections::BTreeMap;

/// A competition's entrants and their runs.
pub struct Gathered {
    pub track: Track,
    pub entrants: Vec<Entrant>,
    pub runs: Vec<Recorded>,
    left_out: usize,
    in_open_heats: usize,
}

/// Reads everything that scoring needs: the runs of the versions that are entered, under the limits that hold.
pub fn gather(competition: &Competition) -> anyhow::Result<Gathered> {
    let entrants = competition.entrants()?;
    let store = competition.store()?;
    let limits = track_rules(competition)?.limits;
    let mut runs = store.recorded(competition.track(), &limits)?;
    let all = runs.len();
    let is_entered = |name: &EntrantName, version: Digest| {
        entrants.iter().any(|entrant| entrant.name == *name && entrant.digest == Some(version))
    };
    runs.retain(|run| is_entered(&run.pair.entrant, run.pair.version));
    let entered = runs.len();
    let heats = Heats::of(competition)?;
    let queue = store.queue(competition.track(), &limits)?;
    let of_entered = queue.pending.iter().filter(|pending| {
        let (name, version) = queue.entrant(pending);
        is_entered(name, *version)
    });
    let incomplete = heats.incomplete(of_entered.map(|pending| queue.prepared(pending)));
    runs.retain(|run| !incomplete.has(&run.pair));
    Ok(Gathered {
        track: competition.track(),
        left_out: all - entered,
        in_open_heats: entered - runs.len(),
        entrants,
        runs,
    })
}

impl Gathered {
    /// Says that some runs do not count, if some do not.
    pub fn tell_what_is_left_out(&self) {
        if self.left_out > 0 {
            say!(
                "{} runs are of solvers or versions no longer entered, and do not count; 'agon run' runs the new ones",
                self.left_out
            );
        }
        if self.in_open_heats > 0 {
            say!("{} runs are in heats that are not complete, and do not count (R19-6.8)", self.in_open_heats);
        }
    }

    /// The scores of all runs that have a verdict.
    pub fn score(&self, competition: &Competition) -> anyhow::Result<Scores> {
        Ok(agon_score::score(&TrackResults {
            rules: competition.rulebook(),
            track: self.track,
            track_rules: track_rules(competition)?,
            solvers: self.entrants.iter().map(solver).collect(),
            divisions: self.divisions(),
        }))
    }

    fn divisions(&self) -> Vec<DivisionResults> {
        let mut divisions: BTreeMap<&Logic, DivisionResults> = BTreeMap::new();
        for group in self.runs.chunk_by(|one, other| one.pair.prepared.benchmark == other.pair.prepared.benchmark) {
            let prepared = &group[0].pair.prepared;
            let division = divisions.entry(&prepared.division).or_insert_with(|| self.empty(&prepared.division));
            let benchmark = division.benchmarks.len();
            division.benchmarks.push(BenchmarkFacts { name: prepared.benchmark.to_string(), status: prepared.status });
            division.runs.extend(group.iter().filter_map(|recorded| self.run(recorded, benchmark)));
        }
        divisions.into_values().collect()
    }

    fn empty(&self, division: &Logic) -> DivisionResults {
        let entered = (0..self.entrants.len()).filter(|at| self.entrants[*at].enters(self.track, division));
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
