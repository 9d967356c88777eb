//! Intermediate scores: no winners until every pair has a verdict (R08-3.1, R19-5.3).

use crate::Scores;
use crate::line::DivisionScore;
use crate::recognition::Recognitions;
use agon_domain::Logic;
use serde::Serialize;
use std::collections::BTreeMap;

/// How many of the planned pairs are done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// Pairs with a verdict.
    pub done: u64,
    /// Pairs in the plan.
    pub planned: u64,
}

impl Progress {
    /// Whether all planned pairs have a verdict.
    pub const fn is_complete(&self) -> bool {
        self.done >= self.planned
    }
}

/// Whether the selection that was run is up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The selection is up to date.
    UpToDate,
    /// The library, the rules or the seed have changed since the selection was made.
    OutOfDate,
}

impl Scores {
    /// Marks the scores of an unfinished competition, given the progress of each logic. A division that is not complete
    /// has no winner, and until all are complete the competition has no recognitions.
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

/// Adds up the progress of a division's logics, and withholds its winners unless it is complete and up to date.
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
