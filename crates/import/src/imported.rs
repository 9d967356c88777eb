//! All that was read, for scoring.

use crate::judgement::judge;
use crate::table::{Counts, Fault, Row, Table};
use agon_domain::Track;
use agon_rulebook::{Deviation, Rulebook};
use agon_score::{BenchmarkFacts, Run, Solver, TrackResults};
use std::collections::BTreeSet;

/// Why results are none of a track.
#[derive(Debug, thiserror::Error)]
pub enum Misfit {
    /// The rulebook has no such track.
    #[error("the rulebook '{0}' has no {1} track")]
    NoTrack(String, Track),
    /// They are results of another one.
    #[error("these are results of the {0} track, and not of the {1} track: say --track {0}")]
    OtherTrack(Track, Track),
}

/// All that was read.
pub struct Imported {
    pub(crate) table: Table,
    pub(crate) solvers: Vec<Solver>,
    pub(crate) rows: Vec<Row>,
    /// Further rows of pairs that have one, whose faults are the last.
    pub(crate) again: Vec<Row>,
}

impl std::fmt::Debug for Imported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Imported").field("runs", &self.rows.len()).finish_non_exhaustive()
    }
}

impl Imported {
    /// What made no sense. The lines in question are not among the runs.
    pub fn faults(&self) -> &[Fault] {
        &self.table.faults
    }

    /// Counts every run of pairs that have several; they are no faults then.
    pub fn count_duplicates(&mut self) {
        let faults = &mut self.table.faults;
        faults.truncate(faults.len() - self.again.len());
        self.rows.append(&mut self.again);
    }

    /// How many runs there are.
    pub fn run_count(&self) -> usize {
        self.rows.len()
    }

    fn counts(&self) -> Counts {
        self.table.counts.unwrap_or_default()
    }

    /// The track whose results these are, as far as they say.
    pub fn track(&self) -> Track {
        match self.counts() {
            Counts::Answers => Track::SingleQuery,
            Counts::Queries => Track::Incremental,
            Counts::Reductions | Counts::CoreSizes => Track::UnsatCore,
            Counts::Models => Track::ModelValidation,
            Counts::Proofs => Track::Proof,
        }
    }

    /// Whether these can be results of a track.
    fn fits(&self, track: Track) -> bool {
        let also: &[Track] = match self.counts() {
            Counts::Answers => &[Track::IndustryChallenge, Track::Parallel, Track::Cloud],
            Counts::Queries => &[Track::IndustryChallenge],
            _ => &[],
        };
        track == self.track() || also.contains(&track)
    }

    /// The runs as a track of a rulebook sees them, for scoring.
    pub fn results<'a>(
        &self,
        rules: &'a Rulebook,
        track: Track,
        deviations: BTreeSet<Deviation>,
    ) -> Result<TrackResults<'a>, Misfit> {
        let track_rules = rules.tracks.get(&track).ok_or_else(|| Misfit::NoTrack(rules.name.clone(), track))?;
        if !self.fits(track) {
            return Err(Misfit::OtherTrack(self.track(), track));
        }
        Ok(TrackResults {
            rules,
            track,
            track_rules,
            is_incremental: self.counts() == Counts::Queries,
            solvers: self.solvers.clone(),
            logics: self.table.logics.clone(),
            benchmarks: self
                .table
                .benchmarks
                .iter()
                .map(|benchmark| BenchmarkFacts {
                    name: benchmark.path.clone(),
                    logic: benchmark.logic,
                    status: benchmark.status,
                    queries: benchmark.queries,
                    asserts: self.table.asserts.get(&benchmark.path).copied().unwrap_or(benchmark.asserts),
                })
                .collect(),
            runs: self.runs(&deviations),
            deviations,
            entered: vec![],
        })
    }

    fn runs(&self, deviations: &BTreeSet<Deviation>) -> Vec<Run> {
        let counts = self.counts();
        let judged = |row: &Row| {
            let benchmark = &self.table.benchmarks[row.benchmark as usize];
            // Only the sizes of cores need the number of assertions.
            let asserts = if counts == Counts::CoreSizes { self.table.asserts.get(&benchmark.path) } else { None };
            let asserts = asserts.copied().unwrap_or(0);
            judge(row, benchmark.status, asserts, counts, deviations)
        };
        self.rows.iter().map(judged).collect()
    }
}
