//! How a library changes: what was added, corrected, moved and removed, and why.

use crate::{Entry, Library};
use agon_domain::{BenchmarkPath, Digest};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::Path;

/// The detail of [`Change::TakenOut`] in the list of changes.
pub const TAKEN_OUT: &str = "taken out";

/// One change of a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A new benchmark.
    Added(BenchmarkPath),
    /// Another file at the same path.
    Corrected {
        /// The path.
        path: BenchmarkPath,
        /// The old digest.
        from: Digest,
        /// The new digest.
        to: Digest,
    },
    /// The same file at another path.
    Moved {
        /// The old path.
        from: BenchmarkPath,
        /// The new path.
        to: BenchmarkPath,
    },
    /// Its file is missing.
    Removed(BenchmarkPath),
    /// Removed by the organizers. It stays out even if its file exists.
    TakenOut(BenchmarkPath),
}

impl Change {
    /// Its name in tables.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Added(_) => "added",
            Self::Corrected { .. } => "corrected",
            Self::Moved { .. } => "moved",
            Self::Removed(_) | Self::TakenOut(_) => "removed",
        }
    }

    /// The benchmark, by its current or last path.
    pub const fn path(&self) -> &BenchmarkPath {
        match self {
            Self::Added(path)
            | Self::Corrected { path, .. }
            | Self::Moved { to: path, .. }
            | Self::Removed(path)
            | Self::TakenOut(path) => path,
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Added(_) | Self::Removed(_) => Ok(()),
            Self::TakenOut(_) => f.write_str(TAKEN_OUT),
            Self::Corrected { from, to, .. } => write!(f, "from {} to {}", from.short(), to.short()),
            Self::Moved { from, .. } => write!(f, "from {from}"),
        }
    }
}

/// Whether new files become part of a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Additions {
    /// They do.
    Taken,
    /// They do not: the library is frozen (R08-4.6).
    LeftOut,
}

impl Library {
    /// What has changed below a root, given the current entries. Files in `unread` keep their entries.
    pub fn changes(&self, root: &Path, now: &[Entry], unread: &HashSet<BenchmarkPath>) -> Vec<Change> {
        let here: HashSet<&BenchmarkPath> = now.iter().map(|entry| &entry.benchmark.path).collect();
        let mut gone: HashMap<Digest, Vec<&BenchmarkPath>> = HashMap::new();
        for entry in self.iter().filter(|entry| &*entry.root == root) {
            let path = &entry.benchmark.path;
            if !here.contains(path) && !unread.contains(path) {
                gone.entry(entry.benchmark.digest).or_default().push(path);
            }
        }
        let mut changes = vec![];
        for entry in now {
            let (path, to) = (&entry.benchmark.path, entry.benchmark.digest);
            match self.get(path).map(|old| old.benchmark.digest) {
                Some(from) if from == to => {}
                Some(from) => changes.push(Change::Corrected { path: path.clone(), from, to }),
                None => match gone.get_mut(&to).and_then(Vec::pop) {
                    Some(from) => changes.push(Change::Moved { from: from.clone(), to: path.clone() }),
                    None => changes.push(Change::Added(path.clone())),
                },
            }
        }
        let mut removed: Vec<&BenchmarkPath> = gone.into_values().flatten().collect();
        removed.sort_unstable();
        changes.extend(removed.into_iter().map(|path| Change::Removed(path.clone())));
        changes
    }

    /// Applies the entries of a scan.
    pub fn apply(&mut self, changes: &[Change], now: Vec<Entry>, additions: Additions) {
        let mut left_out = HashSet::new();
        let mut gone = HashSet::new();
        for change in changes {
            match change {
                Change::Added(path) if additions == Additions::LeftOut => _ = left_out.insert(path),
                Change::Moved { from: path, .. } | Change::Removed(path) | Change::TakenOut(path) => {
                    _ = gone.insert(path);
                }
                Change::Added(_) | Change::Corrected { .. } => {}
            }
        }
        self.remove_all(&gone);
        self.insert(now.into_iter().filter(|entry| !left_out.contains(&entry.benchmark.path)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Reread;
    use std::fs;

    #[test]
    fn r08_4_6_a_frozen_library_is_repaired_and_not_extended() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("non-incremental/QF_UF/a");
        fs::create_dir_all(&directory).unwrap();
        let write = |name: &str, status: &str, note: &str| {
            let script = format!("(set-logic QF_UF)(set-info :status {status})(check-sat) ; {note}");
            fs::write(directory.join(name), script).unwrap();
        };
        let scan = |library: &Library| {
            let journal = root.path().join("journal");
            let entries = library.scan(root.path(), &journal, Reread::Changed, |_, _| {}).unwrap().entries;
            fs::remove_file(journal).unwrap();
            entries
        };
        for name in ["fix.smt2", "go.smt2", "move.smt2", "stay.smt2"] {
            write(name, "sat", name);
        }
        let mut library = Library::default();
        let now = scan(&library);
        let changes = library.changes(root.path(), &now, &HashSet::new());
        assert_eq!(changes.len(), 4);
        library.apply(&changes, now, Additions::Taken);
        write("fix.smt2", "unsat", "corrected");
        fs::remove_file(directory.join("go.smt2")).unwrap();
        fs::rename(directory.join("move.smt2"), directory.join("moved.smt2")).unwrap();
        write("new.smt2", "sat", "new");
        let now = scan(&library);
        let changes = library.changes(root.path(), &now, &HashSet::new());
        let kinds: Vec<&str> = changes.iter().map(Change::kind).collect();
        assert_eq!(kinds, ["corrected", "moved", "added", "removed"]);
        library.apply(&changes, now, Additions::LeftOut);
        let names: Vec<&str> = library.iter().map(|entry| entry.benchmark.path.0.rsplit('/').next().unwrap()).collect();
        assert_eq!(names, ["fix.smt2", "moved.smt2", "stay.smt2"]);
    }
}
