//! Changes to a library: benchmarks that were added, corrected, moved or removed.

use crate::{Entry, Library};
use agon_domain::{BenchmarkPath, Digest};
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::path::Path;

/// The detail of [`Change::Withdrawn`] in the log of changes.
pub(crate) const WITHDRAWN: &str = "withdrawn";

/// The detail that earlier versions of Agon wrote instead of [`WITHDRAWN`].
const WITHDRAWN_BEFORE: &str = "taken out";

/// Whether the detail of a removal in the log of changes is that of [`Change::Withdrawn`].
pub fn is_withdrawal(detail: &str) -> bool {
    [WITHDRAWN, WITHDRAWN_BEFORE].contains(&detail)
}

/// One change to a library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// A benchmark is new.
    Added(BenchmarkPath),
    /// The file at a path has changed.
    Corrected {
        /// The path of the benchmark.
        path: BenchmarkPath,
        /// The old digest.
        from: Digest,
        /// The new digest.
        to: Digest,
    },
    /// A file has moved to another path.
    Moved {
        /// The old path.
        from: BenchmarkPath,
        /// The new path.
        to: BenchmarkPath,
    },
    /// The file of a benchmark no longer exists.
    Removed(BenchmarkPath),
    /// The organizers removed a benchmark. It stays out of the library even if its file exists.
    Withdrawn(BenchmarkPath),
}

impl Change {
    /// The name of this kind of change in tables.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Added(_) => "added",
            Self::Corrected { .. } => "corrected",
            Self::Moved { .. } => "moved",
            Self::Removed(_) | Self::Withdrawn(_) => "removed",
        }
    }

    /// The current or last path of the benchmark.
    pub const fn path(&self) -> &BenchmarkPath {
        match self {
            Self::Added(path)
            | Self::Corrected { path, .. }
            | Self::Moved { to: path, .. }
            | Self::Removed(path)
            | Self::Withdrawn(path) => path,
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Added(_) | Self::Removed(_) => Ok(()),
            Self::Withdrawn(_) => f.write_str(WITHDRAWN),
            Self::Corrected { from, to, .. } => write!(f, "from {} to {}", from.short(), to.short()),
            Self::Moved { from, .. } => write!(f, "from {from}"),
        }
    }
}

/// Whether new files become part of a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Additions {
    /// New files are added.
    Taken,
    /// New files are left out, because the library is frozen (R08-4.6).
    LeftOut,
}

impl Library {
    /// The changes below a root, given the entries `now` of a new scan. Benchmarks in `unread` could not be read and
    /// keep their entries.
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

    /// Applies the changes and entries of a scan.
    pub fn apply(&mut self, changes: &[Change], now: Vec<Entry>, additions: Additions) {
        let mut left_out = HashSet::new();
        let mut gone = HashSet::new();
        for change in changes {
            match change {
                Change::Added(path) if additions == Additions::LeftOut => _ = left_out.insert(path),
                Change::Moved { from: path, .. } | Change::Removed(path) | Change::Withdrawn(path) => {
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
    fn r08_4_4_and_r08_4_6_a_frozen_library_is_repaired_and_not_extended() {
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
