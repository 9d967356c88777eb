//! `agon library add`

use crate::failure::{NO, Usage};
use crate::progress::Progress;
use agon_domain::BenchmarkPath;
use agon_library::{Change, Entry, Library, Refusal};
use agon_store::Competition;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::process::ExitCode;

/// Indexes a folder, and reports what was left out and what has changed.
pub fn add(competition: &Competition, folder: &Path, reason: Option<&str>, reread: bool) -> anyhow::Result<ExitCode> {
    let _lock = competition.lock_library()?;
    let mut library = competition.library()?;
    let folder = folder.canonicalize().map_err(|error| Usage(format!("{}: {error}", folder.display())))?;
    let root = Library::root_of(&folder);
    let journal = competition.library_journal()?;
    let progress = RefCell::new(None);
    let added = library.scan(root, &journal, reread, |_, all| {
        progress.borrow_mut().get_or_insert_with(|| Progress::new(all as u64)).step(String::new);
    })?;
    if let Some(progress) = progress.borrow().as_ref() {
        progress.finish();
    }
    for refusal in &added.refusals {
        say!("left out: {}: {}", refusal.file.display(), refusal.reason);
    }
    if added.links > 0 {
        say!("{} links are not followed", added.links);
    }
    let other_root = |entry: &&Entry| library.get(&entry.benchmark.path).is_some_and(|known| known.root != entry.root);
    let replaced = added.entries.iter().filter(other_root).count();
    if replaced > 0 {
        say!("{replaced} benchmarks replace those of the same path below another folder");
    }
    // What cannot be read now, or is broken, is not gone: it keeps its entry until it is mended or removed.
    let (folders, files): (Vec<&Refusal>, Vec<&Refusal>) =
        added.refusals.iter().partition(|refusal| refusal.file.is_dir());
    let files: HashSet<&Path> = files.iter().map(|refusal| refusal.file.as_path()).collect();
    let is_unread = |file: &Path| files.contains(file) || folders.iter().any(|refusal| file.starts_with(&refusal.file));
    let unread: HashSet<BenchmarkPath> = library
        .iter()
        .filter(|entry| !added.refusals.is_empty() && is_unread(&entry.file()))
        .map(|entry| entry.benchmark.path.clone())
        .collect();
    let frozen = competition.frozen_release()?;
    let changes = library.changes(root, &added.entries, &unread);
    let (refused, accepted): (Vec<Change>, Vec<Change>) =
        changes.iter().cloned().partition(|change| frozen.is_some() && matches!(change, Change::Added(_)));
    if let Some(release) = &frozen {
        for change in &refused {
            say!(
                "left out: {}: the library was frozen as '{release}', and nothing is added to it (R08-4.6)",
                change.path()
            );
        }
    }
    let is_first = library.is_empty();
    library.apply(&changes, added.entries, frozen.is_none());
    // A first index is no change of anything.
    if !is_first {
        competition.note_changes(&accepted, reason.unwrap_or_default())?;
    }
    competition.set_library(&library)?;
    competition.end_library_journal()?;
    tell(&library, &accepted, added.read, is_first);
    let left_out = added.refusals.len() + refused.len();
    say!("{} benchmarks indexed, {left_out} files left out", library.len());
    Ok(ExitCode::from(if left_out > 0 { NO } else { 0 }))
}

fn tell(library: &Library, changes: &[Change], read: usize, is_first: bool) {
    if !is_first {
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        for change in changes {
            *counts.entry(change.kind()).or_default() += 1;
        }
        let counts: Vec<String> = counts.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        say!("{read} files read; {}", if counts.is_empty() { "nothing has changed".into() } else { counts.join(", ") });
    }
    let duplicates = library.duplicates();
    for (groups, how) in [(&duplicates.exact, "byte for byte"), (&duplicates.formatting, "up to formatting")] {
        let count: usize = groups.iter().map(|group| group.len() - 1).sum();
        if count > 0 {
            say!("{count} benchmarks equal another {how}; 'agon library duplicates' lists them");
        }
    }
}
