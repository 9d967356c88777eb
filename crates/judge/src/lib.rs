//! Turns an outcome into a verdict. Judging only reads outcomes, benchmarks and statuses; it never runs anything.

mod answer;
mod core;
mod incremental;
mod model;
mod output;
mod proof;
mod track;
mod verdict;

/// The version of judging. Increase it with every change that can affect a verdict: outcomes with a verdict of another
/// version are judged again.
pub const JUDGING: &str = "4";

pub use answer::{answer_in_words, single_answer, strict_answer};
pub use core::{
    Assertions, AssertionsError, CoreClaim, CoreFault, CoreJudgement, Votes, core_claim, judge_core,
    official_assert_count, official_core_is_parsable, official_core_text,
};
pub use incremental::{
    AnswerCount, count_answers, official_incremental, official_incremental_2014, strict_incremental,
};
pub use model::{ModelJudgement, ModelVerdict, judge_model};
pub use output::Completeness;
pub use proof::{ProofVerdict, official_proof, proof_claim};
pub use track::{core_verdict, incremental_verdict, model_verdict, proof_verdict};
pub use verdict::{Reply, verdict};
