//! What scoring needs to know.

use agon_domain::{Answer, Logic, Status, Time, Track};
use agon_rulebook::{Deviation, Rulebook, TrackRules};
use std::collections::BTreeSet;

/// A solver as it appears in the tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Solver {
    /// Its name.
    pub name: String,
    /// Its team (R19-6.1).
    pub team: String,
    /// Whether it can win.
    pub competing: bool,
    /// Whether its source is open (R08-5.3).
    pub has_source: bool,
    /// The solver that it is derived from, as a place in the list (since 2026 it has to be much better to win).
    pub base: Option<u32>,
    /// The solvers that it wraps and that are here too, as places in the list (R08-2.28).
    pub wraps: Vec<u32>,
    /// Whether it wraps a solver that is not here, of an earlier year (R08-2.25).
    pub wraps_older: bool,
    /// The divisions that it won the year before (R08-2.25).
    pub won: Vec<Logic>,
    /// Whether it enters for the first time (R19-7.11).
    pub is_new: bool,
    /// Why it cannot win, or what else there is to know of its row.
    pub note: Option<String>,
}

/// A benchmark as scoring sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchmarkFacts {
    /// Its path, with the folder of its logic.
    pub name: Box<str>,
    /// Its logic, as a place in the list of logics.
    pub logic: u32,
    /// Its status.
    pub status: Status,
    /// How many queries it has, where that is known.
    pub queries: u64,
    /// How many assertions it has, where that is known.
    pub asserts: u64,
}

impl BenchmarkFacts {
    /// The folder that it is in.
    pub(crate) fn bottom_folder(&self) -> &str {
        self.name.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// The folder below its logic's.
    pub(crate) fn top_folder(&self, logic: &Logic) -> &str {
        self.below(logic).split_once('/').map_or("", |(folder, _)| folder)
    }

    /// Its path below the folder of its logic.
    pub(crate) fn below(&self, logic: &Logic) -> &str {
        let mut rest = &*self.name;
        while let Some((folder, inner)) = rest.split_once('/') {
            if folder == logic.0 {
                return inner;
            }
            rest = inner;
        }
        &self.name
    }
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself.
    Complete,
    /// A time limit ended it.
    Timeout,
    /// The memory limit did.
    Memout,
}

/// One judged run. The numbers are places in the lists of solvers and benchmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Which solver.
    pub solver: u32,
    /// On which benchmark.
    pub benchmark: u32,
    /// What it answered.
    pub answer: Answer,
    /// How it ended.
    pub end: End,
    /// Erroneous results.
    pub errors: u32,
    /// What it is worth: 1 for an answer or a model, the reduction of a core, the correct answers to queries.
    pub points: u64,
    /// Wall-clock time.
    pub wall: Time,
    /// CPU time.
    pub cpu: Time,
}

/// One track's results.
#[derive(Clone, Debug)]
pub struct TrackResults<'a> {
    /// The rules.
    pub rules: &'a Rulebook,
    /// The track.
    pub track: Track,
    /// The track's rules.
    pub track_rules: &'a TrackRules,
    /// In what the text of the rules is not followed.
    pub deviations: BTreeSet<Deviation>,
    /// Whether each run is many queries, and its points their correct answers.
    pub is_incremental: bool,
    /// All solvers.
    pub solvers: Vec<Solver>,
    /// All logics.
    pub logics: Vec<Logic>,
    /// All benchmarks.
    pub benchmarks: Vec<BenchmarkFacts>,
    /// All runs.
    pub runs: Vec<Run>,
    /// Solvers that entered logics, beside those that have runs there: places of logics and of solvers.
    pub entered: Vec<(u32, u32)>,
}

impl TrackResults<'_> {
    /// Whether the text is not followed in this.
    pub(crate) fn deviates(&self, deviation: Deviation) -> bool {
        self.deviations.contains(&deviation)
    }

    /// A benchmark's name.
    pub(crate) fn name_of(&self, benchmark: usize) -> String {
        self.benchmarks[benchmark].name.to_string()
    }
}
