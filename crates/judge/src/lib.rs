//! From an outcome to a verdict. Judging reads what was measured and what is known; it never runs anything.

mod answer;
mod verdict;

/// Names the present way of judging. Change it with anything here that can change a verdict: verdicts of another way
/// are made anew.
pub const JUDGING: &str = "single-1";

pub use answer::single_answer;
pub use verdict::verdict;
