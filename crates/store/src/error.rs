//! Errors of the store.

use agon_domain::{Digest, PairId};
use std::io;
use std::path::PathBuf;

/// A failure of the database or of the output files.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The disk is full. Everything recorded before is safe.
    #[error("no space left on the disk of {0}; free some and run the same command again: nothing recorded is lost")]
    DiskFull(PathBuf),
    /// The file is corrupt or not a database.
    #[error(
        "{0} is corrupt or not a database ({1}); restore it from a backup, or move it away and run 'agon prepare' and \
         'agon run' again"
    )]
    Damaged(PathBuf, String),
    /// The file is the database of another application.
    #[error("{0} is a database of another application; move it away")]
    Foreign(PathBuf),
    /// The database was written by a newer version of Agon.
    #[error("{0} has format {1}, but this version of Agon supports formats up to {2}; use a newer version")]
    Newer(PathBuf, u32, u32),
    /// The outcome is already recorded. Recording it again would count it twice.
    #[error("attempt {1} at pair {0} is already recorded")]
    Twice(PairId, u32),
    /// No planned pair matches the text.
    #[error("there is no planned pair '{0}'; 'agon status --pairs' lists them")]
    NoPair(String),
    /// Several planned pairs match the text.
    #[error("'{0}' matches {1} pairs; give the number of one ('agon status --pairs' lists them)")]
    ManyPairs(String, usize),
    /// An output is missing, or does not match its digest.
    #[error("the output {0} is missing or damaged in {1}; 'agon rerun PAIR' runs the pair again")]
    LostOutput(Digest, PathBuf),
    /// The database cannot be opened for writing, usually for lack of permission.
    #[error("{0} is not writable; run agon as the user who owns the competition, or work on a copy of it")]
    ReadOnly(PathBuf),
    /// The database contains a value that this version cannot have written.
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
