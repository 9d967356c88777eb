//! The words of a solver competition, as types.
//!
//! Everything here is plain data: no files, no clocks, no randomness. The other crates are functions between
//! these types: a [`Benchmark`] is selected and prepared, an [`Entrant`] and a prepared benchmark make a
//! [`Pair`], running it gives an [`Outcome`], judging that gives a [`Verdict`], and verdicts add up to a [`Score`].

mod answer;
mod benchmark;
mod digest;
mod entrant;
mod nearest;
mod outcome;
mod pair;
mod row_error;
mod score;
mod time;
mod track;
mod verdict;

pub use answer::{Answer, Status};
pub use benchmark::{Benchmark, BenchmarkPath, Category, Logic, UnknownCategory};
pub use digest::{Digest, MalformedDigest};
pub use entrant::{Entrant, EntrantKind, EntrantName, MalformedEntrant};
pub use nearest::did_you_mean;
pub use outcome::{Ending, Fault, Limit, Outcome, UnknownLimit};
pub use pair::{Limits, Pair, PairId, Prepared};
pub use row_error::RowError;
pub use score::{Score, ScoreKind};
pub use time::Time;
pub use track::{Track, UnknownTrack};
pub use verdict::{Ruling, UnknownRuling, Verdict};
