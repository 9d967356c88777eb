//! The index of a competition's benchmarks: metadata by path, each file pinned by its digest.

use agon_domain::{Benchmark, BenchmarkPath, Digest};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// One indexed benchmark, and its file on disk.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The metadata of the benchmark.
    pub benchmark: Benchmark,
    /// The root directory of the library on disk.
    pub root: Arc<Path>,
    /// The modification time of the file, in nanoseconds since 1970.
    pub modified: u128,
    /// The path of the file below the root, if it differs from its path in the library.
    pub place: Option<String>,
}

impl Entry {
    /// The path of the file on disk.
    pub fn file(&self) -> PathBuf {
        self.root.join(self.place())
    }

    /// The path of the file below its root.
    pub(crate) fn place(&self) -> &str {
        self.place.as_deref().unwrap_or(&self.benchmark.path.0)
    }
}

/// The reason why an index could not be read, written or extended.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// A file or directory could not be read or written.
    #[error("{0}: {1}")]
    Io(PathBuf, io::Error),
    /// The directory contains no benchmarks.
    #[error("{0}: no .smt2, .smt or .sl2 file in this directory or below")]
    NoBenchmarks(PathBuf),
    /// The name of the directory cannot appear in a table.
    #[error("{0}: the name of the directory is not UTF-8 or has control characters; rename it")]
    Name(PathBuf),
    /// A line of the index is malformed.
    #[error("{0}: line {1}: {2}; move the file away and run 'agon library add' again")]
    Line(PathBuf, u64, String),
    /// A file has changed since it was indexed.
    #[error("{0}: the file has changed since it was indexed (digest {1}, now {2}); run 'agon library add --reread'")]
    Changed(PathBuf, Digest, Digest),
}

/// All indexed benchmarks, sorted by path.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Library {
    /// Sorted by path, each path once.
    entries: Vec<Entry>,
}

impl Library {
    /// The directories that contain the benchmarks.
    pub fn directories(&self) -> Vec<PathBuf> {
        let mut roots: Vec<(&Path, bool)> =
            self.entries.iter().map(|entry| (&*entry.root, entry.place.is_some())).collect();
        roots.sort_unstable();
        roots.dedup();
        let directories = |(root, is_placed): &(&Path, bool)| {
            if *is_placed {
                return vec![root.to_path_buf()];
            }
            ["non-incremental", "incremental"].map(|part| root.join(part)).to_vec()
        };
        roots.iter().flat_map(directories).collect()
    }

    /// The number of benchmarks.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no benchmarks.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The benchmarks, sorted by path.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter()
    }

    /// The benchmark at this path.
    pub fn get(&self, path: &BenchmarkPath) -> Option<&Entry> {
        self.place(path).ok().map(|at| &self.entries[at])
    }

    fn place(&self, path: &BenchmarkPath) -> Result<usize, usize> {
        self.entries.binary_search_by(|entry| entry.benchmark.path.cmp(path))
    }

    /// Adds benchmarks. A new one replaces an existing one at the same path.
    pub fn insert(&mut self, entries: impl IntoIterator<Item = Entry>) {
        self.entries.extend(entries);
        if self.entries.is_sorted_by(|a, b| a.benchmark.path < b.benchmark.path) {
            return;
        }
        // The sort is stable, so the last of several entries with the same path is the newest.
        self.entries.sort_by(|a, b| a.benchmark.path.cmp(&b.benchmark.path));
        self.entries.dedup_by(|later, kept| {
            let is_same = later.benchmark.path == kept.benchmark.path;
            if is_same {
                std::mem::swap(later, kept);
            }
            is_same
        });
    }

    /// Removes and returns the benchmark at this path.
    pub fn remove(&mut self, path: &BenchmarkPath) -> Option<Entry> {
        self.place(path).ok().map(|at| self.entries.remove(at))
    }

    /// Removes the benchmarks at these paths.
    pub fn remove_all(&mut self, paths: &HashSet<&BenchmarkPath>) {
        self.entries.retain(|entry| !paths.contains(&entry.benchmark.path));
    }

    /// Finds groups of benchmarks with identical files, and groups whose files differ only in formatting.
    pub fn duplicates(&self) -> Duplicates<'_> {
        let groups = |key: fn(&Benchmark) -> Digest| -> Vec<Vec<&BenchmarkPath>> {
            let mut groups: HashMap<Digest, Vec<&BenchmarkPath>> = HashMap::new();
            for entry in self.iter() {
                groups.entry(key(&entry.benchmark)).or_default().push(&entry.benchmark.path);
            }
            let mut groups: Vec<_> = groups.into_values().filter(|group| group.len() > 1).collect();
            groups.sort_unstable();
            groups
        };
        let exact = groups(|benchmark| benchmark.digest);
        let mut formatting = groups(|benchmark| benchmark.shape);
        {
            let known: HashSet<&Vec<&BenchmarkPath>> = exact.iter().collect();
            formatting.retain(|group| !known.contains(group));
        }
        Duplicates { exact, formatting }
    }
}

/// Groups of duplicate benchmarks.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Duplicates<'a> {
    /// Groups of files that are equal byte for byte.
    pub exact: Vec<Vec<&'a BenchmarkPath>>,
    /// Groups of files that are equal up to whitespace and comments. Some members may be equal byte for byte.
    pub formatting: Vec<Vec<&'a BenchmarkPath>>,
}

/// Reads a file and checks its digest. Fails if the file has changed.
pub fn read_pinned(file: &Path, digest: Digest) -> Result<Vec<u8>, IndexError> {
    let bytes = fs::read(file).map_err(|e| IndexError::Io(file.to_owned(), e))?;
    let now = Digest::of(&bytes);
    if now == digest { Ok(bytes) } else { Err(IndexError::Changed(file.to_owned(), digest, now)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reading_a_changed_file_fails() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("x");
        fs::write(&file, "a").unwrap();
        assert!(read_pinned(&file, Digest::of(b"a")).is_ok());
        assert!(matches!(read_pinned(&file, Digest::of(b"b")), Err(IndexError::Changed(..))));
    }
}
