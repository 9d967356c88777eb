//! Results of others, read into what scoring takes.
//!
//! [`read`] takes files of any mixture: result tables of StarExec in all their variants, the split tables of 2022 and 2023,
//! the JSON of the competition since 2024, BenchExec's XML, our own CSV, and what belongs to them: registries of solvers,
//! submissions, lists of benchmarks, of queries, of decided statuses and of exclusions. What a file is, its first line
//! says. Files may be compressed. Nothing is guessed: a line that makes no sense is a [`Fault`], named by file and line,
//! and whoever reads decides whether the rest counts.

mod benchexec;
mod imported;
mod judgement;
mod lists;
mod registry;
mod smtcomp_json;
mod source;
mod split;
mod starexec;
mod table;
mod tables;
mod words;
mod write;

pub use imported::{Imported, Misfit};
pub use table::Fault;
pub use write::write_csv;

use std::io;
use std::path::{Path, PathBuf};

/// Why nothing could be read.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file could not be used.
    #[error("{0}: {1}")]
    Io(PathBuf, io::Error),
    /// A file is nothing that is known here.
    #[error("{0}: this is no table of results, nor anything that belongs to one: {1}")]
    Strange(PathBuf, String),
    /// There are no results in the files.
    #[error("there are no results in these files")]
    Empty,
}

/// Reads all files.
pub fn read(files: &[PathBuf]) -> Result<Imported, ImportError> {
    let mut table = table::Table::default();
    for file in files {
        read_file(&mut table, file)?;
    }
    table.finish()
}

fn read_file(table: &mut table::Table, file: &Path) -> Result<(), ImportError> {
    let failed = |error: io::Error| ImportError::Io(file.to_owned(), error);
    let mut source = source::open(file).map_err(failed)?;
    table.begin(file);
    let start = source.start().map_err(failed)?;
    let first = start.iter().copied().find(|byte| !byte.is_ascii_whitespace());
    match first {
        Some(b'{') => smtcomp_json::read(table, source, file),
        Some(b'<') => benchexec::read(table, source, file),
        Some(_) => tables::read(table, source, file),
        None => Err(ImportError::Strange(file.to_owned(), "it is empty".into())),
    }
}
