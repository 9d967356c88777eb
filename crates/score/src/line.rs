//! The published rows: a division with its rankings, and a solver's line in one.

use crate::progress::Progress;
use agon_domain::{Division, Logic, ScoreKind, Time};
use serde::Serialize;
use std::collections::BTreeMap;

/// One solver's line in one ranking.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Line {
    /// The solver.
    pub solver: String,
    /// Whether it competes for prizes.
    pub competing: bool,
    /// Its place; equal scores share it. Disqualified solvers have none.
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
    /// Of these, satisfiable ones.
    pub solved_sat: u64,
    /// And unsatisfiable ones.
    pub solved_unsat: u64,
    /// Benchmarks run and not solved; in the incremental track, queries.
    pub unsolved: u64,
    /// Benchmarks of the division without a run; negative if duplicate runs are counted.
    pub abstained: i64,
    /// Runs that a time limit ended.
    pub timeout: u64,
    /// Runs that the memory limit ended.
    pub memout: u64,
    /// Points, if the ranking is ordered by them (R08-5.1).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub points: Option<i64>,
    /// e, n, w and c with the weights of benchmarks, if they have weights.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weighted: Option<[f64; 4]>,
    /// Why it cannot win, or what else readers should know about its row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The published scores of a division.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DivisionScore {
    /// Its name.
    pub name: Division,
    /// The logics that make it up.
    pub logics: Vec<Logic>,
    /// How many benchmarks count.
    pub benchmarks: usize,
    /// Whether it is competitive (R19-6.1).
    pub competitive: bool,
    /// Whether it is experimental (R19-3.6).
    pub experimental: bool,
    /// Every ranking, best first.
    pub rankings: BTreeMap<ScoreKind, Vec<Line>>,
    /// The winner of each ranking.
    pub winners: BTreeMap<ScoreKind, Option<String>>,
    /// The best solver with open source of each ranking, if the rules name it (R08-5.3).
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub open_source_winners: BTreeMap<ScoreKind, Option<String>>,
    /// Benchmarks removed because sound solvers disagree on them (R19-7.6).
    pub disagreements: Vec<String>,
    /// Its progress, if the scores are those of a competition that knows its plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub progress: Option<Progress>,
}
