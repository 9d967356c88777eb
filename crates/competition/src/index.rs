//! Indexes benchmarks, and removes them from the library.

use crate::error::At;
use crate::gate::gate;
use crate::observer::{Tell, Work};
use crate::{Event, Observer, StepError};
use agon_domain::{BenchmarkPath, Digest, did_you_mean};
use agon_edition::Action;
use agon_library::{Additions, Change, Entry, Library, Refusal, Reread, is_withdrawal};
use agon_store::{Competition, Nomination};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

/// The options of [`index`].
#[derive(Clone, Debug, Default)]
pub struct IndexOptions {
    /// The reason for the changes, for the log of changes.
    pub reason: Option<String>,
    /// Whether to read unchanged files again.
    pub reread: Reread,
    /// Whether to add benchmarks that the organizers removed.
    pub restore: bool,
}

/// The result of indexing a directory.
#[derive(Debug, Default)]
pub struct Indexed {
    /// The number of benchmarks that are now in the library.
    pub benchmarks: usize,
    /// The number of files that were read; the others have not changed.
    pub read: usize,
    /// The files and directories that were left out, each with the reason.
    pub left_out: Vec<(PathBuf, String)>,
    /// The number of benchmarks that the organizers removed earlier, and that were not added again.
    pub taken_out: usize,
    /// The number of symbolic links, which are not followed.
    pub links: usize,
    /// The number of benchmarks that replace one with the same path from another directory.
    pub replaced: usize,
    /// The number of changes of each kind; `None` for the first index.
    pub changes: Option<BTreeMap<&'static str, usize>>,
    /// The number of benchmarks that duplicate another one: byte for byte, and up to formatting.
    pub duplicates: [usize; 2],
    /// The number of benchmarks in each part and logic, if the directory is not in SMT-LIB's layout.
    pub placed: Option<BTreeMap<String, usize>>,
}

/// Nominates benchmarks for the challenge (R19-5.24): one by its path, or all below a directory of the library. Returns
/// how many are new.
pub fn nominate(competition: &Competition, path: &str, by: &str, reason: &str) -> Result<usize, StepError> {
    let _lock = competition.lock_library()?;
    let library = competition.library()?;
    let below = format!("{}/", path.trim_end_matches('/'));
    let is_meant = |entry: &&Entry| entry.benchmark.path.0 == path || entry.benchmark.path.0.starts_with(&below);
    let mut all: BTreeMap<BenchmarkPath, Nomination> =
        competition.nominations()?.into_iter().map(|known| (known.benchmark.clone(), known)).collect();
    let before = all.len();
    let mut is_found = false;
    for entry in library.iter().filter(is_meant) {
        is_found = true;
        let benchmark = entry.benchmark.path.clone();
        let nomination = Nomination { benchmark: benchmark.clone(), by: by.to_owned(), reason: reason.to_owned() };
        all.entry(benchmark).or_insert(nomination);
    }
    if !is_found {
        let hint = did_you_mean(path, library.iter().map(|entry| entry.benchmark.path.0.as_str()));
        let message = format!("the library has no benchmark '{path}'{hint}; 'agon library list' lists them");
        return Err(StepError::Usage(message));
    }
    let added = all.len() - before;
    competition.set_nominations(&all.into_values().collect::<Vec<_>>())?;
    Ok(added)
}

/// Indexes a directory of benchmarks: adds new files, updates changed ones and removes missing ones. After a release,
/// new files are left out (R08-4.6).
pub fn index(
    competition: &Competition,
    directory: &Path,
    options: &IndexOptions,
    observer: &mut Observer<'_>,
) -> Result<Indexed, StepError> {
    // After a release, benchmarks are only corrected (R08-4.6).
    let is_released = competition.frozen_release()?.is_some();
    gate(competition, if is_released { Action::CorrectBenchmarks } else { Action::AddBenchmarks }, None)?;
    let _lock = competition.lock_library()?;
    let mut library = competition.library()?;
    let directory =
        directory.canonicalize().map_err(|error| StepError::Usage(format!("{}: {error}", directory.display())))?;
    let root = Library::root_of(&directory);
    let journal = competition.library_journal()?;
    let has_started = RefCell::new(false);
    let observer = RefCell::new(observer);
    let added = library.scan(root, &journal, options.reread, |_, all| {
        let mut observer = observer.borrow_mut();
        if !has_started.replace(true) {
            observer.start(Work::Index, None, all);
        }
        observer(Event::Advanced);
    });
    (observer.into_inner())(Event::Finished);
    let mut added = added?;
    let other_root = |entry: &&Entry| library.get(&entry.benchmark.path).is_some_and(|known| known.root != entry.root);
    let replaced = added.entries.iter().filter(other_root).count();
    // A file that cannot be read still exists, so its benchmark stays in the library.
    let (directories, files): (Vec<&Refusal>, Vec<&Refusal>) =
        added.refusals.iter().partition(|refusal| refusal.file.is_dir());
    let files: HashSet<&Path> = files.iter().map(|refusal| refusal.file.as_path()).collect();
    let is_unread =
        |file: &Path| files.contains(file) || directories.iter().any(|refusal| file.starts_with(&refusal.file));
    let unread: HashSet<BenchmarkPath> = library
        .iter()
        .filter(|entry| !added.refusals.is_empty() && is_unread(&entry.file()))
        .map(|entry| entry.benchmark.path.clone())
        .collect();
    let frozen = competition.frozen_release()?;
    let out = if options.restore { HashSet::new() } else { taken_out(competition)? };
    let before = added.entries.len();
    added.entries.retain(|entry| {
        let path = &entry.benchmark.path;
        !out.contains(path) || library.get(path).is_some()
    });
    let taken_out = before - added.entries.len();
    let changes = library.changes(root, &added.entries, &unread);
    let (refused, accepted): (Vec<Change>, Vec<Change>) =
        changes.iter().cloned().partition(|change| frozen.is_some() && matches!(change, Change::Added(_)));
    let mut left_out: Vec<(PathBuf, String)> =
        added.refusals.iter().map(|refusal| (refusal.file.clone(), refusal.reason.to_string())).collect();
    if let Some(release) = &frozen {
        let reason = format!("the library was frozen as '{release}', so nothing can be added (R08-4.6)");
        left_out.extend(refused.iter().map(|change| (change.path().0.clone().into(), reason.clone())));
    }
    let is_first = library.is_empty() && competition.library_changes()?.is_empty();
    let placed =
        added.is_placed.then(|| count(added.entries.iter().map(|entry| entry.benchmark.path.part_and_logic())));
    let additions = if frozen.is_none() { Additions::Taken } else { Additions::LeftOut };
    library.apply(&changes, added.entries, additions);
    if !is_first {
        competition.note_changes(&accepted, options.reason.as_deref().unwrap_or_default())?;
    }
    competition.set_library(&library)?;
    competition.end_library_journal()?;
    let duplicates = library.duplicates();
    let extra = |groups: &[Vec<&BenchmarkPath>]| groups.iter().map(|group| group.len() - 1).sum();
    Ok(Indexed {
        benchmarks: library.len(),
        read: added.read,
        left_out,
        taken_out,
        links: added.links,
        replaced,
        changes: (!is_first).then(|| count(accepted.iter().map(Change::kind))),
        duplicates: [extra(&duplicates.exact), extra(&duplicates.formatting)],
        placed,
    })
}

/// Removes benchmarks from the library: the one at a path, or all below a directory. The path may be a path in the
/// library or on disk.
pub fn remove(competition: &Competition, path: &str, reason: &str) -> Result<Vec<BenchmarkPath>, StepError> {
    let _lock = competition.lock_library()?;
    let mut library = competition.library()?;
    let file = Path::new(path).canonicalize().ok();
    let below = format!("{}/", path.trim_end_matches('/'));
    let is_meant = |entry: &&Entry| {
        entry.benchmark.path.0 == path
            || entry.benchmark.path.0.starts_with(&below)
            || file.as_ref().is_some_and(|file| entry.file().starts_with(file))
    };
    let removed: Vec<BenchmarkPath> =
        library.iter().filter(is_meant).map(|entry| entry.benchmark.path.clone()).collect();
    if removed.is_empty() {
        let hint = did_you_mean(path, library.iter().map(|entry| entry.benchmark.path.0.as_str()));
        return Err(StepError::Usage(format!(
            "unknown benchmark '{path}'{hint}; 'agon library list' lists the benchmarks"
        )));
    }
    library.remove_all(&removed.iter().collect());
    let changes: Vec<Change> = removed.iter().cloned().map(Change::Withdrawn).collect();
    competition.note_changes(&changes, reason)?;
    competition.set_library(&library)?;
    Ok(removed)
}

/// The benchmarks that the organizers removed and that were not added again since.
fn taken_out(competition: &Competition) -> Result<HashSet<BenchmarkPath>, StepError> {
    let mut out = HashSet::new();
    for row in competition.library_changes()? {
        let path = BenchmarkPath(row.benchmark);
        if row.change == "removed" && is_withdrawal(&row.detail) {
            out.insert(path);
        } else {
            out.remove(&path);
        }
    }
    Ok(out)
}

fn count<K: Ord>(keys: impl Iterator<Item = K>) -> BTreeMap<K, usize> {
    let mut counts = BTreeMap::new();
    for key in keys {
        *counts.entry(key).or_default() += 1;
    }
    counts
}

/// The library of a competition. Fails if it is empty.
pub(crate) fn library_of(competition: &Competition) -> Result<Library, StepError> {
    let library = competition.library()?;
    if library.is_empty() {
        let directory = competition.directory().display();
        return Err(StepError::Missing(format!(
            "{directory} has no benchmarks yet; add some with 'agon library add DIR'"
        )));
    }
    Ok(library)
}

/// The digest of the index file.
pub(crate) fn digest(competition: &Competition) -> Result<Digest, StepError> {
    let file = competition.library_file();
    match std::fs::read(&file) {
        Ok(table) => Ok(Digest::of(&table)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Digest::of(b"")),
        Err(error) => Err(error).at(&file),
    }
}
