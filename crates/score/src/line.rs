//! The published rows: a division with its rankings, and a solver's line in one.

use crate::progress::Progress;
use agon_domain::{Division, Logic, ScoreKind, Time};
use serde::Serialize;
use std::collections::BTreeMap;

/// One solver's line in one ranking.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Line {
    /// The solver's name.
    pub solver: String,
    /// Whether it competes for prizes.
    pub competing: bool,
    /// The solver's rank; equal scores share one. `None` for a disqualified solver.
    pub rank: Option<usize>,
    /// e: erroneous results.
    pub error: u64,
    /// n: correct results.
    pub correct: u64,
    /// w: wall-clock time.
    pub wall: Time,
    /// c: CPU time.
    pub cpu: Time,
    /// Benchmarks solved.
    pub solved: u64,
    /// Satisfiable benchmarks solved.
    pub solved_sat: u64,
    /// Unsatisfiable benchmarks solved.
    pub solved_unsat: u64,
    /// Benchmarks run and not solved; in the incremental track, queries.
    pub unsolved: u64,
    /// Benchmarks of the division without a run; negative if duplicate runs are counted.
    pub abstained: i64,
    /// Runs that ended at a time limit.
    pub timeout: u64,
    /// Runs that ended at the memory limit.
    pub memout: u64,
    /// Points, if the ranking is ordered by them (R08-5.1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<i64>,
    /// e, n, w and c with the weights of the benchmarks, if the rules weight them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weighted: Option<[f64; 4]>,
    /// Why it cannot win, or what else readers should know about its row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The published scores of a division.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DivisionScore {
    /// The division's name.
    pub name: Division,
    /// The logics that make it up.
    pub logics: Vec<Logic>,
    /// How many benchmarks count.
    pub benchmarks: usize,
    /// How many queries they have, in an incremental track (A11-17); `None` if that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queries: Option<u64>,
    /// Whether it is competitive (R19-6.1).
    pub competitive: bool,
    /// Whether it is experimental (R19-3.6).
    pub experimental: bool,
    /// The lines of every ranking, best first.
    pub rankings: BTreeMap<ScoreKind, Vec<Line>>,
    /// The winner of each ranking.
    pub winners: BTreeMap<ScoreKind, Option<String>>,
    /// The best open-source solver of each ranking, if the rules award that (R08-2.11, R08-5.3).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub open_source_winners: BTreeMap<ScoreKind, Option<String>>,
    /// Benchmarks removed because sound solvers disagree on them (R19-7.6).
    pub disagreements: Vec<String>,
    /// The progress of the division, if the scores are those of a competition in Agon and not imported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
}
