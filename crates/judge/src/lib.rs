//! From an outcome to a verdict. Judging reads what was measured and what is known; it never runs anything.

mod answer;
mod verdict;

pub use answer::single_answer;
pub use verdict::verdict;
