//! What a site is made from.

use agon_domain::{Digest, Entrant, Limits, Track};
use agon_score::{DivisionScore, Line, Progress, Scores};
use agon_store::{Recorded, Settlement, Store};
use std::collections::HashMap;

/// Everything that is published of one track.
#[derive(Clone, Debug)]
pub struct Results<'a> {
    /// The competition's title.
    pub title: &'a str,
    /// The rulebook's title.
    pub rules: &'a str,
    /// The track.
    pub track: Track,
    /// The limits of a run.
    pub limits: Limits,
    /// The seed, where one was computed.
    pub seed: Option<u32>,
    /// The scores.
    pub scores: &'a Scores,
    /// How many pairs have a verdict, of how many.
    pub progress: Progress,
    /// Why the benchmarks that were run are not those that should be, if they are not.
    pub stale: Option<&'a str>,
    /// Divisions that have benchmarks and were not run, with how many benchmarks they have, and why.
    pub not_run: &'a [(String, usize, String)],
    /// All entrants.
    pub entrants: &'a [Entrant],
    /// All judged runs, benchmark by benchmark.
    pub runs: &'a [Recorded],
    /// What the solvers wrote.
    pub store: &'a Store,
    /// What settles questions on which solvers differ, by prepared benchmark.
    pub settlements: &'a HashMap<Digest, Settlement>,
    /// The other tracks of the competition, and where their sites are from this one.
    pub other_tracks: &'a [(Track, String)],
}

impl Results<'_> {
    /// The runs grouped by benchmark.
    pub(crate) fn by_benchmark(&self) -> impl Iterator<Item = &[Recorded]> {
        self.runs.chunk_by(|one, other| one.pair.prepared.benchmark == other.pair.prepared.benchmark)
    }

    /// The divisions, and the logics that make them up where those have other names.
    pub(crate) fn divisions_and_logics(&self) -> impl Iterator<Item = &DivisionScore> {
        let divisions = &self.scores.divisions;
        let is_new = |logic: &&DivisionScore| divisions.iter().all(|division| division.name != logic.name);
        divisions.iter().chain(self.scores.logics.iter().filter(is_new))
    }

    /// The line of a solver in a ranking of a division.
    pub(crate) fn line(&self, division: &str, kind: agon_domain::ScoreKind, solver: &str) -> Option<&Line> {
        let division = self.scores.divisions.iter().find(|found| found.name.0 == division)?;
        division.rankings.get(&kind)?.iter().find(|line| line.solver == solver)
    }
}
