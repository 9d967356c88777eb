//! Benchmark files on disk.
//!
//! A library is a folder tree in SMT-LIB layout: `non-incremental/LOGIC/…/FILE.smt2` beside `incremental/…`.
//! [`Library`] indexes such trees, pinning every file by digest; [`pack`] writes one of our own.

mod header;
mod index;
pub mod pack;
mod track_check;

pub use header::{Header, HeaderError};
pub use index::{Entry, IndexError, Library, Refusal, benchmark_files, read_pinned};
pub use track_check::{TrackCheck, TrackShape, UnknownShape};
