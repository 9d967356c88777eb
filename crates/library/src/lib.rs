//! Benchmark files on disk, and what is known about them.
//!
//! A library is a directory tree in SMT-LIB's layout: `non-incremental/LOGIC/…/FILE.smt2` next to `incremental/…`.
//! [`Library`] indexes such trees, pins every file by its digest, and reports changes. [`pack`] generates benchmarks.
//! [`records`], [`difficulty_2008`] and [`difficulty_2010`] compute the difficulty of benchmarks, and [`Audit`] is the
//! result of auditing a status.

mod add;
mod audit;
mod changes;
mod difficulty;
mod header;
mod index;
mod index_table;
pub mod pack;
mod table_2014;
mod table_sync;
mod track_check;
mod walk;

pub use add::{Added, Refusal, Reread};
pub use audit::Audit;
pub use changes::{Additions, Change, is_withdrawal};
pub use difficulty::{PastRun, Record, difficulty_2008, difficulty_2010, records};
pub use header::{Header, HeaderError};
pub use index::{Duplicates, Entry, IndexError, Library, read_pinned};
pub use index_table::StatusesError;
pub use table_2014::{
    Difficulty, Row2014, TRIVIAL_2014_S, UNSOLVED_2014_S, read_table_2014, update_table_2014, write_table_2014,
};
pub use table_sync::{KeyedRow, Synchronized, id_of, read_keyed_table, synchronize, write_keyed_table};
pub use track_check::{TrackCheck, TrackShape, UnknownShape};
pub use walk::benchmark_files;
