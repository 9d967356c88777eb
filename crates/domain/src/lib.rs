//! The vocabulary of a solver competition, as types.
//!
//! Everything here is plain data: no files, no clocks, no randomness. The other crates are functions between these
//! types: a [`Benchmark`] is selected and prepared, an [`Entrant`] and a prepared benchmark make a [`Pair`], running it
//! yields an [`Outcome`], judging that yields a [`Verdict`], and verdicts add up to a [`Score`].

mod answer;
mod answer_words;
mod benchmark;
mod claim;
mod digest;
mod entrant;
mod milestone;
mod nearest;
mod outcome;
mod pair;
mod path;
mod row_error;
mod score;
mod scrambling;
mod time;
mod trace_log;
mod track;
mod verdict;

pub use answer::{Answer, Answers, Status, UnknownAnswer};
pub use answer_words::AnswerWords;
pub use benchmark::{Benchmark, Category, Division, Logic, UnknownCategory};
pub use claim::{Claim, ClaimRules, End, Evidence, InvalidModels, Severity, UnknownEvidence, Validity, Worth};
pub use digest::{Digest, MalformedDigest};
pub use entrant::{Entrant, EntrantKind, EntrantName, MalformedEntrant, Submission, UnknownKind, Upload};
pub use milestone::Milestone;
pub use nearest::did_you_mean;
pub use outcome::{Ending, FailedAttempt, Limit, Outcome, UnknownLimit};
pub use pair::{Limits, Pair, PairId, Prepared};
pub use path::{BenchmarkPath, bottom_directory, from_logic, split_logic, top_directory};
pub use row_error::RowError;
pub use score::{Score, ScoreKind, UnknownRanking};
pub use scrambling::Scrambling;
pub use time::Time;
pub use trace_log::{BENCHMARK_BEGINS, LoggedAnswer, SessionEnd, Stamp, TraceLog, split_stamp};
pub use track::{Track, UnknownTrack};
pub use verdict::{Ruling, UnknownRuling, Verdict};
