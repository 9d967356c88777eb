//! Reads results from other systems for scoring.
//!
//! [`read`] takes any mixture of files: StarExec's tables in all their variants, the tables of 2022 and 2023, the JSON
//! of SMT-COMP since 2024, BenchExec's XML and our own CSV; and the files that belong to them: registries of solvers,
//! submissions, and lists of benchmarks, of queries, of decided statuses and of exclusions. The kind of a file is
//! determined from its beginning, not its name. A directory, a pattern or an archive means the files in it, and files
//! may be compressed. Nothing is guessed: a malformed line is a [`LineError`] with its file and line, and the caller
//! decides whether the rest counts.

mod benchexec;
mod cells;
mod collected;
mod imported;
mod inputs;
mod lists;
mod registry;
mod smtcomp_json;
mod source;
mod starexec;
mod table;
mod tables_2022;
mod write;

pub use collected::LineError;
pub use imported::{Imported, Misfit, Missing, Registered};
pub use lists::{Facts, read_difficulties, read_facts};
pub use write::write_csv;

use crate::collected::Collected;
use crate::inputs::Named;
use crate::source::Source;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why results could not be read at all.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// A file could not be read.
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, io::Error),
    /// A file is not of any known kind.
    #[error("{}: not a results file: {}", .0.display(), .1)]
    NotResults(PathBuf, String),
    /// The results of a file are of a different track than those of the files before it.
    #[error("{}: its results are of a different track than the earlier ones; pass files of one track", .0.display())]
    OtherTrack(PathBuf),
    /// The pairs of 2022 and 2023 refer to benchmarks by id, and no file has the ids.
    #[error(
        "{}: the runs refer to benchmarks by id; add the table of benchmarks (benchmark_id,benchmark,…,expected)",
        .0.display()
    )]
    NoBenchmarkTable(PathBuf),
    /// The files have no results.
    #[error("no results in these files{0}")]
    Empty(Skipped),
}

/// Files that were skipped because they are not results, each with the reason.
#[derive(Debug)]
pub struct Skipped(Vec<(PathBuf, String)>);

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (file, why) in self.0.iter().take(10) {
            write!(f, "\n  {}: {why}", file.display())?;
        }
        if self.0.len() > 10 {
            write!(f, "\n  and {} more", self.0.len() - 10)?;
        }
        Ok(())
    }
}

/// Reads all results files that the arguments name, and the files that belong to them.
pub fn read(arguments: &[PathBuf]) -> Result<Imported, ImportError> {
    let mut collected = Collected::default();
    let mut unread = vec![];
    for argument in arguments {
        inputs::each_file(
            argument,
            &mut |file, named, source| read_file(&mut collected, file, named, source),
            &mut unread,
        )?;
    }
    for (file, why) in unread {
        collected.skip(file, why);
    }
    collected.finish()
}

fn read_file(collected: &mut Collected, file: &Path, named: Named, source: Source) -> Result<(), ImportError> {
    collected.begin(file, named);
    match (read_source(collected, source, file), named) {
        (Err(ImportError::NotResults(file, why)), Named::ByItsPlace) => {
            collected.skip(file, why);
            Ok(())
        }
        // Reported like a malformed line, so that the user can set the file aside (`--set-aside`).
        (Err(ImportError::NotResults(_, why)), Named::Itself) => {
            collected.error(1, format!("not a results file: {why}"));
            Ok(())
        }
        (read, _) => read,
    }
}

fn read_source(collected: &mut Collected, mut source: Source, file: &Path) -> Result<(), ImportError> {
    let failed = |error| ImportError::Io(file.to_owned(), error);
    if source.start().map_err(failed)?.starts_with(b"\xef\xbb\xbf") {
        source.skip_byte_order_mark();
    }
    let start = source.start().map_err(failed)?;
    if start.starts_with(b"\xff\xfe") || start.starts_with(b"\xfe\xff") {
        return Err(ImportError::NotResults(file.to_owned(), "it is UTF-16; convert it to UTF-8".into()));
    }
    match start.iter().copied().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'{') => smtcomp_json::read(collected, source, file),
        Some(b'<') => benchexec::read(collected, source, file),
        Some(_) => table::read(collected, source, file),
        None => Err(ImportError::NotResults(file.to_owned(), "it is empty".into())),
    }
}
