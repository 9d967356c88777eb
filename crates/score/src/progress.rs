//! Intermediate scores: no winners until every pair has a verdict.

use crate::Scores;
use crate::line::DivisionScore;
use crate::recognition::Recognitions;
use agon_domain::Logic;
use serde::Serialize;
use std::collections::BTreeMap;

/// How far something has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// Pairs with a verdict.
    pub done: u64,
    /// Pairs in the plan.
    pub planned: u64,
}

impl Progress {
    /// Whether nothing is left.
    pub const fn is_complete(&self) -> bool {
        self.done >= self.planned
    }
}

/// Whether the benchmarks that were run are those that should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// They are.
    UpToDate,
    /// The library, the rules or the seed have changed since.
    OutOfDate,
}

impl Scores {
    /// The same scores, of a competition of which each logic has come so far. A division that is not complete has no
    /// winner, and while there is one the competition has no recognitions.
    #[must_use]
    pub fn at_stage(mut self, progress: &BTreeMap<Logic, Progress>, stage: Stage) -> Self {
        for division in self.divisions.iter_mut().chain(&mut self.logics) {
            mark(division, progress, stage);
        }
        let is_open = progress.values().any(|progress| !progress.is_complete());
        self.intermediate = is_open || stage == Stage::OutOfDate;
        if self.intermediate {
            self.recognitions = Recognitions::default();
            self.overall.clear();
        }
        self
    }
}

fn mark(division: &mut DivisionScore, progress: &BTreeMap<Logic, Progress>, stage: Stage) {
    let mut sum = Progress::default();
    for own in division.logics.iter().filter_map(|logic| progress.get(logic)) {
        sum = Progress { done: sum.done + own.done, planned: sum.planned + own.planned };
    }
    division.progress = Some(sum);
    if !sum.is_complete() || stage == Stage::OutOfDate {
        division.winners.values_mut().for_each(|winner| *winner = None);
        division.open_source_winners.values_mut().for_each(|winner| *winner = None);
    }
}
