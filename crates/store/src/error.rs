//! Errors of the store, and what to do about them.

use agon_domain::{Digest, PairId};
use std::io;
use std::path::PathBuf;

/// A failure of the database or of the output files.
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
    /// The outcome is already recorded; recording it again would count it twice.
    #[error("attempt {1} at pair {0} is already recorded")]
    Twice(PairId, u32),
    /// No such pair.
    #[error("no pair '{0}' is planned; 'agon status --pairs' lists them")]
    NoPair(String),
    /// The text matches several pairs.
    #[error("'{0}' matches {1} pairs; name one by its number ('agon status --pairs' lists them)")]
    ManyPairs(String, usize),
    /// An output is missing or has changed.
    #[error("the output {0} is missing or damaged in {1}; 'agon rerun PAIR' runs the pair again")]
    LostOutput(Digest, PathBuf),
    /// The user has no permission to write here.
    #[error("{0} cannot be written to; run agon as the user who owns the competition, or work on a copy of it")]
    ReadOnly(PathBuf),
    /// A value in the database that this version cannot have written.
    #[error("{0} contains an invalid value: {1}")]
    Invalid(PathBuf, String),
    /// Any other error of the database.
    #[error("{0}: {1}")]
    Sqlite(PathBuf, rusqlite::Error),
    /// Any other error of the file system.
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

    pub(crate) fn io(directory: &std::path::Path, error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::DiskFull(directory.to_owned()),
            _ => Self::Io(error),
        }
    }
}
