//! The results of one track: plain data, whether recorded or imported.

use agon_domain::{Claim, Division, End, Logic, Status, Time, Track};
use std::ops::Index;

/// Defines index types, so that an index into one list cannot be used with another.
macro_rules! indices {
    ($($(#[$doc:meta])* $name:ident => $item:ty),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u32);

        impl $name {
            /// The index for a position in the list.
            pub fn at(place: usize) -> Self {
                Self(u32::try_from(place).expect("no list has four billion entries"))
            }

            /// The position in the list.
            pub const fn place(self) -> usize {
                self.0 as usize
            }
        }

        impl Index<$name> for [$item] {
            type Output = $item;

            fn index(&self, index: $name) -> &$item {
                &self[index.place()]
            }
        }

        impl Index<$name> for Vec<$item> {
            type Output = $item;

            fn index(&self, index: $name) -> &$item {
                &self[index.place()]
            }
        }
    )*};
}

indices! {
    /// The index of a solver in a [`TrackResults`].
    SolverIx => Solver,
    /// The index of a benchmark in a [`TrackResults`].
    BenchmarkIx => BenchmarkFacts,
    /// The index of a logic in a [`TrackResults`].
    LogicIx => Logic,
}

/// A solver as it appears in the tables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Solver {
    /// The solver's name.
    pub name: String,
    /// The team that entered it (R19-6.1).
    pub team: String,
    /// Whether it competes for prizes.
    pub competing: bool,
    /// Whether it is open source (R08-5.3).
    pub has_source: bool,
    /// The solver that it is derived from. Since 2026 it can win only if it is much better than that one.
    pub base: Option<SolverIx>,
    /// The solvers that it wraps and that are entered too (R08-2.28).
    pub wraps: Vec<SolverIx>,
    /// Whether it wraps a solver of an earlier year that is not entered (R08-2.25).
    pub wraps_older: bool,
    /// The divisions that it won the year before (R08-2.25).
    pub won: Vec<Division>,
    /// Whether it enters for the first time (R19-7.11).
    pub is_new: bool,
    /// Why the organizers disqualified it, if they did (R08-4.24, R19-6.9).
    pub disqualified: Option<String>,
    /// Why it cannot win, or what else readers should know about its row.
    pub note: Option<String>,
}

/// The facts about a benchmark that scoring needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchmarkFacts {
    /// The benchmark's path, including the directory of its logic.
    pub name: Box<str>,
    /// The benchmark's logic.
    pub logic: LogicIx,
    /// The benchmark's status.
    pub status: Status,
    /// The number of its queries, if known.
    pub queries: Option<u64>,
    /// The number of its assertions, if known.
    pub asserts: Option<u64>,
}

/// One run: the solver's claim, how the run ended, and its times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// The solver that was run.
    pub solver: SolverIx,
    /// The benchmark that it was run on.
    pub benchmark: BenchmarkIx,
    /// The answer and the evidence for it.
    pub claim: Claim,
    /// How the run ended.
    pub end: End,
    /// Wall-clock time; zero if it was not measured.
    pub wall: Time,
    /// CPU time; zero if it was not measured.
    pub cpu: Time,
    /// Which times were measured.
    pub measured: Measured,
}

/// Which times of a run were measured. Published tables have -1 for a time that was not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Measured {
    /// Wall-clock and CPU time.
    #[default]
    All,
    /// Only wall-clock time.
    Wall,
    /// Only CPU time.
    Cpu,
    /// Neither time.
    Nothing,
}

impl Measured {
    /// Combines whether wall-clock time and whether CPU time was measured.
    pub const fn of(wall: bool, cpu: bool) -> Self {
        match (wall, cpu) {
            (true, true) => Self::All,
            (true, false) => Self::Wall,
            (false, true) => Self::Cpu,
            (false, false) => Self::Nothing,
        }
    }

    /// Whether wall-clock time was measured.
    pub const fn has_wall(self) -> bool {
        matches!(self, Self::All | Self::Wall)
    }

    /// Whether CPU time was measured.
    pub const fn has_cpu(self) -> bool {
        matches!(self, Self::All | Self::Cpu)
    }
}

/// The results of one track. The rules they are scored by are [`Rules`](crate::Rules).
#[derive(Clone, Debug)]
pub struct TrackResults {
    /// The track of the results.
    pub track: Track,
    /// Whether each run answers many queries.
    pub is_incremental: bool,
    /// All solvers.
    pub solvers: Vec<Solver>,
    /// All logics.
    pub logics: Vec<Logic>,
    /// All benchmarks.
    pub benchmarks: Vec<BenchmarkFacts>,
    /// All runs.
    pub runs: Vec<Run>,
    /// Solvers that entered a logic, in addition to those that have runs in it.
    pub entered: Vec<(LogicIx, SolverIx)>,
}

impl TrackResults {
    /// The benchmark of a run.
    pub fn benchmark_of(&self, run: &Run) -> &BenchmarkFacts {
        &self.benchmarks[run.benchmark]
    }

    /// The solver of a run.
    pub fn solver_of(&self, run: &Run) -> &Solver {
        &self.solvers[run.solver]
    }

    /// The logic of a benchmark.
    pub fn logic_of(&self, benchmark: &BenchmarkFacts) -> &Logic {
        &self.logics[benchmark.logic]
    }
}
