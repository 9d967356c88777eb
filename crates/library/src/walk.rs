//! Finds benchmark files below a directory.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The scripts below a directory, and what was skipped.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The scripts, sorted by path.
    pub(crate) files: Vec<PathBuf>,
    /// The number of links, which are not followed.
    pub(crate) links: usize,
    /// The directories and files that could not be read.
    pub(crate) unreadable: Vec<(PathBuf, io::Error)>,
}

/// The file extensions of scripts: version 2, version 1.2 and SL-COMP.
const ENDINGS: [&str; 3] = ["smt2", "smt", "sl2"];

/// Finds the scripts below a directory. Links are not followed, so that the walk terminates.
pub(crate) fn scripts_below(directory: &Path) -> Found {
    let mut found = Found::default();
    let mut directories = vec![directory.to_owned()];
    while let Some(directory) = directories.pop() {
        let items = fs::read_dir(&directory).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let items = match items {
            Ok(items) => items,
            Err(error) => {
                found.unreadable.push((directory, error));
                continue;
            }
        };
        for item in items {
            match item.file_type() {
                Ok(kind) if kind.is_dir() => directories.push(item.path()),
                Ok(kind) if kind.is_file() && is_script(&item.path()) => found.files.push(item.path()),
                Ok(kind) => found.links += usize::from(kind.is_symlink()),
                Err(error) => found.unreadable.push((item.path(), error)),
            }
        }
    }
    found.files.sort_unstable();
    found
}

fn is_script(file: &Path) -> bool {
    file.extension().is_some_and(|end| ENDINGS.iter().any(|known| end == *known))
}

/// The scripts below a directory, sorted by path. Fails if a directory cannot be read.
pub fn benchmark_files(directory: &Path) -> Result<Vec<PathBuf>, crate::IndexError> {
    let mut found = scripts_below(directory);
    match found.unreadable.pop() {
        None => Ok(found.files),
        Some((directory, error)) => Err(crate::IndexError::Io(directory, error)),
    }
}
