//! What scoring needs to know.

use agon_domain::{Logic, Ruling, Status, Time, Track, Verdict};
use agon_rulebook::{Rulebook, TrackRules};

/// A solver as it appears in the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Solver {
    /// Its name.
    pub name: String,
    /// Its team (R19-6.1).
    pub team: String,
    /// Whether it can win.
    pub competing: bool,
}

/// A benchmark as scoring sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchmarkFacts {
    /// Its name.
    pub name: String,
    /// Its status.
    pub status: Status,
}

/// One judged run. The numbers are places in the lists of solvers and of the division's benchmarks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Which solver.
    pub solver: usize,
    /// On which benchmark.
    pub benchmark: usize,
    /// The judgement.
    pub verdict: Verdict,
    /// Wall-clock time.
    pub wall: Time,
    /// CPU time.
    pub cpu: Time,
}

impl Run {
    /// Whether the solver committed itself, rightly or wrongly.
    pub(crate) fn is_answered(&self) -> bool {
        matches!(self.verdict.ruling, Ruling::Solved | Ruling::Erroneous)
    }
}

/// One division's runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DivisionResults {
    /// Its name.
    pub name: Logic,
    /// The solvers that entered it, as places in the list of solvers.
    pub entered: Vec<usize>,
    /// Its benchmarks.
    pub benchmarks: Vec<BenchmarkFacts>,
    /// Its runs.
    pub runs: Vec<Run>,
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
    /// All solvers.
    pub solvers: Vec<Solver>,
    /// All divisions.
    pub divisions: Vec<DivisionResults>,
}
