//! What can go wrong with the store, and what to do about it.

use agon_domain::{Digest, PairId};
use std::io;
use std::path::PathBuf;

/// A failure of the database or of the outputs beside it.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk is full. Everything recorded before is safe.
    #[error("no space left on the disk of {0}; free some and run the same command again: nothing recorded is lost")]
    DiskFull(PathBuf),
    /// The file is not a database, or a damaged one.
    #[error(
        "{0} is damaged or not a database ({1}); restore it from a backup, or move it away and run 'agon prepare' and 'agon run' again"
    )]
    Damaged(PathBuf, String),
    /// The file is a database of something else.
    #[error("{0} is a database, but not one of Agon's; move it away")]
    Foreign(PathBuf),
    /// A newer Agon wrote it.
    #[error("{0} has format {1} and this Agon knows formats up to {2}; use a newer Agon")]
    Newer(PathBuf, u32, u32),
    /// The outcome is recorded already; recording it again would count it twice.
    #[error("attempt {1} at pair {0} is recorded already")]
    Twice(PairId, u32),
    /// No such pair.
    #[error("no pair '{0}' is planned; 'agon status --pairs' lists them")]
    NoPair(String),
    /// The words fit several pairs.
    #[error("'{0}' fits {1} pairs; name one by its number ('agon status --pairs' lists them)")]
    ManyPairs(String, usize),
    /// An output is not there, or not what it was.
    #[error("the output {0} is missing or damaged in {1}; 'agon rerun PAIR' runs the pair again")]
    LostOutput(Digest, PathBuf),
    /// The user may not write here.
    #[error("{0} cannot be written to; run agon as the user who owns the competition, or work on a copy of it")]
    ReadOnly(PathBuf),
    /// A value in the database that this version did not write.
    #[error("{0} holds an invalid value: {1}")]
    Invalid(PathBuf, String),
    /// Anything else the database says.
    #[error("{0}: {1}")]
    Sqlite(PathBuf, rusqlite::Error),
    /// Anything else the file system says.
    #[error(transparent)]
    Io(io::Error),
}

impl StoreError {
    pub(crate) fn sqlite(file: &std::path::Path, error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{CannotOpen, DatabaseCorrupt, DiskFull, NotADatabase, ReadOnly};
        let file = file.to_owned();
        match error.sqlite_error_code() {
            Some(DiskFull) => Self::DiskFull(file),
            Some(NotADatabase | DatabaseCorrupt) => Self::Damaged(file, error.to_string()),
            Some(ReadOnly | CannotOpen) => Self::ReadOnly(file),
            _ => Self::Sqlite(file, error),
        }
    }

    pub(crate) fn io(folder: &std::path::Path, error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull(folder.to_owned()),
            _ => Self::Io(error),
        }
    }
}
