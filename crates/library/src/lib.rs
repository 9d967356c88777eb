//! Benchmark files on disk.
//!
//! A library is a directory tree in SMT-LIB layout: `non-incremental/LOGIC/…/FILE.smt2` next to `incremental/…`.
//! [`Library`] indexes such trees, pinning every file by digest, and reports what has changed; [`pack`] writes one of
//! our own. [`records`] and its companions compute how difficult benchmarks are; [`Audit`] is the result of auditing a
//! status.

mod add;
mod audit;
mod changes;
mod difficulty;
mod header;
mod index;
mod index_table;
pub mod pack;
mod table_2014;
mod track_check;
mod walk;

pub use add::{Added, Refusal, Reread};
pub use audit::Audit;
pub use changes::{Additions, Change, TAKEN_OUT};
pub use difficulty::{PastRun, Record, difficulty_2008, difficulty_2010, records};
pub use header::{Header, HeaderError};
pub use index::{Duplicates, Entry, IndexError, Library, read_pinned};
pub use index_table::StatusesError;
pub use table_2014::{
    Difficulty, Row2014, TRIVIAL_2014_S, UNSOLVED_2014_S, read_table_2014, update_table_2014, write_table_2014,
};
pub use track_check::{TrackCheck, TrackShape, UnknownShape};
pub use walk::benchmark_files;
