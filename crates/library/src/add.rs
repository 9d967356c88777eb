//! Indexes a directory of benchmarks, in parallel. Only changed files are read, and an interrupted indexing resumes.

use crate::header::{Header, HeaderError, shape};
use crate::index_table::{entries_of, row_of};
use crate::walk::scripts_below;
use crate::{Entry, IndexError, Library};
use agon_domain::{Benchmark, BenchmarkPath, Digest};
use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::UNIX_EPOCH;

/// A file or directory that was left out, and the reason.
#[derive(Debug)]
pub struct Refusal {
    /// The path of the file or directory.
    pub file: PathBuf,
    /// The reason why it was left out.
    pub reason: HeaderError,
}

/// The result of indexing a directory.
#[derive(Debug, Default)]
pub struct Added {
    /// All benchmarks in the directory, including known ones that have not changed.
    pub entries: Vec<Entry>,
    /// The files and directories that were left out.
    pub refusals: Vec<Refusal>,
    /// The number of files that were read; the others have not changed.
    pub read: usize,
    /// The number of links, which are not followed.
    pub links: usize,
    /// Whether the directory is not in SMT-LIB's layout, so that benchmarks get their paths from their content.
    pub is_placed: bool,
}

/// The number of characters of the first line of `:source` that the index keeps.
const SOURCE: usize = 160;

impl Library {
    /// The root of the library that a directory belongs to: its parent if the directory is one of the two parts of a
    /// library (`non-incremental` and `incremental`), otherwise the directory itself.
    pub fn root_of(directory: &Path) -> &Path {
        match directory.file_name().and_then(|name| name.to_str()) {
            Some("non-incremental" | "incremental") => directory.parent().unwrap_or(directory),
            _ => directory,
        }
    }

    /// Examines every script below `root`, on all cores. After each file, calls `progress` with the number of files
    /// done and their total. Entries are appended to `journal` as files are read, so that an interrupted scan can
    /// resume.
    pub fn scan(
        &self,
        root: &Path,
        journal: &Path,
        reread: Reread,
        progress: impl Fn(usize, usize),
    ) -> Result<Added, IndexError> {
        let root = Self::root_of(root);
        if plain(root).is_none() {
            return Err(IndexError::Name(root.to_owned()));
        }
        let mut added = Added::default();
        let files = scripts_of(root, &mut added);
        if files.is_empty() && added.refusals.is_empty() {
            return Err(IndexError::NoBenchmarks(root.to_owned()));
        }
        let begun = entries_of(&fs::read(journal).unwrap_or_default());
        let old = self.iter().filter(|_| reread == Reread::Changed);
        let of_root = old.chain(&begun).filter(|entry| &*entry.root == root);
        let known: HashMap<&str, &Entry> = of_root.map(|entry| (entry.place(), entry)).collect();
        let read = read_all(root, &files, &known, journal, &mut added, progress);
        read.map_err(|error| IndexError::Io(journal.to_owned(), error))?;
        added.refuse_second_files();
        added.refusals.sort_unstable_by(|a, b| a.file.cmp(&b.file));
        Ok(added)
    }
}

/// Which files of an indexed library are read again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reread {
    /// Files whose size or modification time has changed.
    #[default]
    Changed,
    /// All files.
    All,
}

impl Added {
    /// Leaves out all but the first of several files with the same path in the library.
    fn refuse_second_files(&mut self) {
        let Self { entries, refusals, .. } = self;
        entries.sort_unstable_by(|a, b| (&a.benchmark.path, a.place()).cmp(&(&b.benchmark.path, b.place())));
        let mut last: Option<BenchmarkPath> = None;
        entries.retain(|entry| {
            let path = &entry.benchmark.path;
            let is_second = last.as_ref() == Some(path);
            if is_second {
                refusals.push(Refusal { file: entry.file(), reason: HeaderError::SamePath(path.0.clone()) });
            }
            last = Some(path.clone());
            !is_second
        });
    }
}

/// The scripts below a root: in the two parts of a library, or anywhere if it has no such parts. Unreadable directories
/// are reported as left out.
fn scripts_of(root: &Path, added: &mut Added) -> Vec<PathBuf> {
    let mut files = vec![];
    let parts = ["incremental", "non-incremental"].map(|part| root.join(part));
    added.is_placed = !parts.iter().any(|part| part.exists());
    let places = if added.is_placed { vec![root.to_owned()] } else { parts.to_vec() };
    for place in &places {
        let found = scripts_below(place);
        files.extend(found.files);
        added.links += found.links;
        for (directory, error) in found.unreadable {
            if *place != directory || directory.exists() {
                added.refusals.push(Refusal { file: directory, reason: HeaderError::Unreadable(error.to_string()) });
            }
        }
    }
    files
}

/// Reads all new and changed files, on all cores, and writes the results to the journal.
fn read_all(
    root: &Path,
    files: &[PathBuf],
    known: &HashMap<&str, &Entry>,
    journal: &Path,
    added: &mut Added,
    progress: impl Fn(usize, usize),
) -> io::Result<()> {
    let mut log = BufWriter::new(File::options().append(true).create(true).open(journal)?);
    let layout = if added.is_placed { Layout::ByContent } else { Layout::SmtLib };
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(files.len().max(1));
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(4096);
        for _ in 0..threads {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if sender.send((file, look_at(root, layout, file, known))).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for (done, (file, seen)) in receiver.iter().enumerate() {
            match seen {
                Ok(Seen::Same(entry)) => added.entries.push(entry.clone()),
                Ok(Seen::Read(entry)) => {
                    added.read += 1;
                    log.write_all(&row_of(&entry))?;
                    added.entries.push(*entry);
                }
                Err(reason) => added.refusals.push(Refusal { file: file.clone(), reason }),
            }
            progress(done + 1, files.len());
        }
        log.flush()
    })
}

/// The path as a string, if it can appear in tables and pages.
fn plain(path: &Path) -> Option<&str> {
    path.to_str().filter(|text| !text.contains(char::is_control))
}

enum Seen<'a> {
    Same(&'a Entry),
    Read(Box<Entry>),
}

/// What determines the path of a file in the library.
#[derive(Clone, Copy)]
enum Layout {
    /// Its path below the root.
    SmtLib,
    /// Its number of queries and the logic that it declares.
    ByContent,
}

/// Reads a file and checks its header, unless its size and modification time are those of a known entry.
fn look_at<'a>(
    root: &Path,
    layout: Layout,
    file: &Path,
    known: &HashMap<&str, &'a Entry>,
) -> Result<Seen<'a>, HeaderError> {
    let path = plain(file.strip_prefix(root).unwrap_or(file)).ok_or(HeaderError::Name)?;
    let unreadable = |error: io::Error| HeaderError::Unreadable(error.to_string());
    let metadata = fs::metadata(file).map_err(unreadable)?;
    let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
    let modified = modified.map_or(0, |time| time.as_nanos());
    if let Some(entry) = known.get(path)
        && entry.modified == modified
        && entry.benchmark.bytes == metadata.len()
    {
        return Ok(Seen::Same(entry));
    }
    let script = fs::read(file).map_err(unreadable)?;
    let (header, logic_at) = Header::read_with_place(&script)?;
    let (path, place) = match layout {
        Layout::SmtLib => (BenchmarkPath(path.to_owned()), None),
        Layout::ByContent => (place(root, path, &header), Some(path.to_owned())),
    };
    if path.is_non_incremental() && header.statuses.len() > 1 {
        return Err(HeaderError::ManyQueries(header.statuses.len()));
    }
    if let Some(directory) = path.logic_directory().filter(|directory| *directory != header.logic.0) {
        let line = agon_smtlib::Position::START.after(&script[..logic_at]).line;
        return Err(HeaderError::WrongFolder { line, says: header.logic.0, directory: directory.to_owned() });
    }
    let first_line = |source: String| source.trim().lines().next().unwrap_or_default().chars().take(SOURCE).collect();
    let benchmark = Benchmark {
        path,
        digest: Digest::of(&script),
        shape: shape(&script),
        bytes: script.len() as u64,
        logic: header.logic,
        statuses: header.statuses,
        category: header.category,
        difficulty: header.difficulty,
        license: header.license,
        source: header.source.map(first_line).filter(|line: &String| !line.is_empty()),
        asserts: header.asserts,
    };
    Ok(Seen::Read(Box::new(Entry { benchmark, root: Arc::from(root), modified, place })))
}

/// The path in the library of a file that is not in SMT-LIB's layout: by its queries, its logic and its path below the
/// root.
fn place(root: &Path, path: &str, header: &Header) -> BenchmarkPath {
    let part = if header.statuses.len() > 1 { "incremental" } else { "non-incremental" };
    let logic = header.logic.0.as_str();
    if path.split('/').next() == Some(logic) {
        return BenchmarkPath(format!("{part}/{path}"));
    }
    match root.file_name().and_then(|name| name.to_str()).filter(|name| *name != logic) {
        Some(family) => BenchmarkPath(format!("{part}/{logic}/{family}/{path}")),
        None => BenchmarkPath(format!("{part}/{logic}/{path}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, path: &str, script: &str) {
        let file = root.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, script).unwrap();
    }

    const ONE: &str = "(set-logic QF_UF)(set-info :status sat)(check-sat)";

    #[test]
    fn an_index_round_trips_and_invalid_files_are_left_out() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "non-incremental/QF_UF/a/x.smt2", ONE);
        write(root.path(), "non-incremental/QF_UF/a/broken.smt2", "(set-logic QF_UF");
        write(root.path(), "non-incremental/QF_UF/a/README.txt", "no benchmark");
        write(root.path(), "non-incremental/QF_BV/a/wrong.smt2", ONE);
        write(root.path(), "non-incremental/QF_UF/a/two.smt2", "(set-logic QF_UF)(check-sat)(check-sat)");
        write(root.path(), "non-incremental/QF_UF/old/o.smt", "(benchmark o :logic QF_UF :formula true)");
        write(root.path(), "incremental/QF_UF/b/y.smt2", "(set-logic QF_UF)(check-sat)(check-sat)");
        let journal = root.path().join("journal");
        let added = Library::default()
            .scan(&root.path().join("non-incremental"), &journal, Reread::Changed, |_, _| {})
            .unwrap();
        let refused: Vec<String> = added.refusals.iter().map(|refusal| refusal.reason.to_string()).collect();
        assert_eq!(refused.len(), 3, "{refused:?}");
        assert!(refused[0].contains("line 1: the logic is QF_UF"), "{refused:?}");
        assert!(refused[2].contains("2 check-sat"), "{refused:?}");
        let mut library = Library::default();
        library.insert(added.entries);
        let paths: Vec<&str> = library.iter().map(|entry| entry.benchmark.path.0.as_str()).collect();
        let expected =
            ["incremental/QF_UF/b/y.smt2", "non-incremental/QF_UF/a/x.smt2", "non-incremental/QF_UF/old/o.smt"];
        assert_eq!(paths, expected);
        let file = root.path().join("index.tsv");
        fs::write(&file, library.to_table()).unwrap();
        assert_eq!(Library::read(&file).unwrap(), library);
    }

    #[test]
    fn only_changed_files_are_read_again() {
        let root = tempfile::tempdir().unwrap();
        for at in 0..50 {
            write(root.path(), &format!("non-incremental/QF_UF/a/{at}.smt2"), ONE);
        }
        let journal = root.path().join("journal");
        let first = Library::default().scan(root.path(), &journal, Reread::Changed, |_, _| {}).unwrap();
        assert_eq!((first.read, first.entries.len()), (50, 50));
        // An interrupted attempt leaves a journal that is truncated in the middle of a line.
        let lines = fs::read(&journal).unwrap();
        fs::write(&journal, &lines[..lines.len() / 2]).unwrap();
        let second = Library::default().scan(root.path(), &journal, Reread::Changed, |_, _| {}).unwrap();
        assert!((20..30).contains(&second.read), "{}", second.read);
        assert_eq!(second.entries, first.entries);
        let mut library = Library::default();
        library.insert(first.entries);
        fs::remove_file(&journal).unwrap();
        write(root.path(), "non-incremental/QF_UF/a/7.smt2", &format!("{ONE} ; longer"));
        let third = library.scan(root.path(), &journal, Reread::Changed, |_, _| {}).unwrap();
        assert_eq!((third.read, third.entries.len()), (1, 50));
    }

    #[test]
    fn a_directory_in_any_layout_can_be_indexed() {
        let root = tempfile::tempdir().unwrap();
        let directory = root.path().join("mine");
        write(&directory, "x.smt2", ONE);
        write(&directory, "deep/y.smt2", "(set-logic QF_UF)(check-sat)(check-sat)");
        write(&directory, "QF_UF/z.smt2", ONE);
        // This file gets the same path in the library as x.smt2.
        write(&directory, "QF_UF/mine/x.smt2", ONE);
        let journal = root.path().join("journal");
        let added = Library::default().scan(&directory, &journal, Reread::Changed, |_, _| {}).unwrap();
        assert!(added.is_placed);
        let paths: Vec<&str> = added.entries.iter().map(|entry| entry.benchmark.path.0.as_str()).collect();
        let expected =
            ["incremental/QF_UF/mine/deep/y.smt2", "non-incremental/QF_UF/mine/x.smt2", "non-incremental/QF_UF/z.smt2"];
        assert_eq!(paths, expected);
        assert_eq!(added.refusals.len(), 1, "{:?}", added.refusals);
        let mut library = Library::default();
        library.insert(added.entries);
        assert!(library.iter().all(|entry| entry.file().is_file()));
        assert_eq!(library.directories(), std::slice::from_ref(&directory));
        let file = root.path().join("index.tsv");
        fs::write(&file, library.to_table()).unwrap();
        assert_eq!(Library::read(&file).unwrap(), library);
        fs::remove_file(&journal).unwrap();
        let again = library.scan(&directory, &journal, Reread::Changed, |_, _| {}).unwrap();
        // The file that was left out is read again.
        assert_eq!(again.read, 1);
    }

    #[test]
    fn a_directory_without_benchmarks_is_an_error() {
        let root = tempfile::tempdir().unwrap();
        let scan = Library::default().scan(root.path(), &root.path().join("journal"), Reread::Changed, |_, _| {});
        assert!(matches!(scan, Err(IndexError::NoBenchmarks(_))));
    }
}
