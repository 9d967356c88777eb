//! Finding benchmark files below a folder.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What stands below a folder.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// The files, in order.
    pub(crate) files: Vec<PathBuf>,
    /// How many links there are to something.
    pub(crate) links: usize,
    /// Folders that cannot be read.
    pub(crate) unreadable: Vec<(PathBuf, io::Error)>,
}

/// The endings of scripts: of version 2, of version 1.2, and of SL-COMP.
const ENDINGS: [&str; 3] = ["smt2", "smt", "sl2"];

/// The scripts below a folder. Links are not followed, so the walk ends.
pub(crate) fn scripts_below(folder: &Path) -> Found {
    let mut found = Found::default();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let items = fs::read_dir(&folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
        let items = match items {
            Ok(items) => items,
            Err(error) => {
                found.unreadable.push((folder, error));
                continue;
            }
        };
        for item in items {
            match item.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(item.path()),
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

/// The scripts below a folder, in order.
pub fn benchmark_files(folder: &Path) -> Result<Vec<PathBuf>, crate::IndexError> {
    let mut found = scripts_below(folder);
    match found.unreadable.pop() {
        None => Ok(found.files),
        Some((folder, error)) => Err(crate::IndexError::Io(folder, error)),
    }
}
