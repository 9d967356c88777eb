//! The index of a competition's benchmarks: metadata by path, each file pinned by its digest.

use crate::{Header, HeaderError};
use agon_domain::{Benchmark, BenchmarkPath, Digest, Logic, Status};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// One indexed benchmark and the folder it was found below.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its metadata.
    pub benchmark: Benchmark,
    /// The library's root on disk: the file is `root/path`.
    pub root: PathBuf,
}

impl Entry {
    /// Where the file is.
    pub fn file(&self) -> PathBuf {
        self.root.join(&self.benchmark.path.0)
    }
}

/// A file that was left out, and why.
#[derive(Debug)]
pub struct Refusal {
    /// The file.
    pub file: PathBuf,
    /// The reason.
    pub reason: HeaderError,
}

/// Why an index could not be read, written or extended.
#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// A file or folder could not be used.
    #[error("{0}: {1}")]
    Io(PathBuf, io::Error),
    /// The folder has no benchmarks in the expected layout.
    #[error("{0}: no .smt2 file below a folder 'non-incremental' or 'incremental' here")]
    NoBenchmarks(PathBuf),
    /// A folder whose name cannot stand in a table.
    #[error("{0}: the folder's name is not UTF-8 or has control characters; rename it")]
    Name(PathBuf),
    /// The index has a line that cannot be read.
    #[error("{0}: line {1}: {2}; move the file away and run 'agon library add' again")]
    Line(PathBuf, u64, String),
    /// A file is not what it was when it was indexed.
    #[error("{0}: the file has changed since it was indexed (digest {1}, now {2}); run 'agon library add' again")]
    Changed(PathBuf, Digest, Digest),
}

/// All indexed benchmarks, in the order of their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Library {
    entries: BTreeMap<BenchmarkPath, Entry>,
}

const COLUMNS: [&str; 9] = ["path", "logic", "statuses", "category", "asserts", "bytes", "digest", "licence", "root"];

impl Library {
    /// How many benchmarks there are.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The benchmarks in order.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    /// The benchmark at this place.
    pub fn get(&self, path: &BenchmarkPath) -> Option<&Entry> {
        self.entries.get(path)
    }

    /// Indexes every `.smt2` file below `root`, telling `progress` after each how many are done of how many.
    /// Files that are no benchmarks are left out and returned.
    pub fn add(&mut self, root: &Path, progress: impl Fn(usize, usize)) -> Result<Vec<Refusal>, IndexError> {
        let root = match root.file_name().and_then(|name| name.to_str()) {
            Some("non-incremental" | "incremental") => root.parent().unwrap_or(root),
            _ => root,
        };
        if plain(root).is_none() {
            return Err(IndexError::Name(root.to_owned()));
        }
        let mut files = vec![];
        for part in ["incremental", "non-incremental"] {
            if root.join(part).is_dir() {
                scripts_below(&root.join(part), &mut files)?;
            }
        }
        if files.is_empty() {
            return Err(IndexError::NoBenchmarks(root.to_owned()));
        }
        files.sort_unstable();
        let mut refusals = vec![];
        for (done, file) in files.iter().enumerate() {
            let script = fs::read(file).map_err(|e| IndexError::Io(file.clone(), e))?;
            let header = Header::read(&script);
            match header.and_then(|header| self.insert(root, file, &script, header)) {
                Ok(()) => {}
                Err(reason) => refusals.push(Refusal { file: file.clone(), reason }),
            }
            progress(done + 1, files.len());
        }
        Ok(refusals)
    }

    fn insert(&mut self, root: &Path, file: &Path, script: &[u8], header: Header) -> Result<(), HeaderError> {
        let path = plain(file.strip_prefix(root).unwrap_or(file)).ok_or(HeaderError::Name)?;
        let benchmark = Benchmark {
            path: BenchmarkPath(path.to_owned()),
            digest: Digest::of(script),
            bytes: script.len() as u64,
            logic: header.logic,
            statuses: header.statuses,
            category: header.category,
            licence: header.licence,
            asserts: header.asserts,
        };
        self.entries.insert(benchmark.path.clone(), Entry { benchmark, root: root.to_owned() });
        Ok(())
    }

    /// Reads an index; one that does not exist yet is empty.
    pub fn read(file: &Path) -> Result<Self, IndexError> {
        if !file.exists() {
            return Ok(Self::default());
        }
        let mut library = Self::default();
        let mut reader = table_reader(file)?;
        for (at, row) in reader.records().enumerate() {
            let malformed = |message: String| IndexError::Line(file.to_owned(), at as u64 + 2, message);
            let row = row.map_err(|error| malformed(error.to_string()))?;
            let entry = entry_of(&row).map_err(malformed)?;
            library.entries.insert(entry.benchmark.path.clone(), entry);
        }
        Ok(library)
    }

    /// The index as a table, one line per benchmark.
    pub fn to_table(&self) -> Vec<u8> {
        let mut writer = csv::WriterBuilder::new().delimiter(b'\t').from_writer(vec![]);
        let mut write = |row: &[&str]| writer.write_record(row).expect("writing to memory cannot fail");
        write(&COLUMNS);
        for Entry { benchmark, root } in self.iter() {
            let statuses: Vec<&str> = benchmark.statuses.iter().map(|status| status.name()).collect();
            write(&[
                &benchmark.path.0,
                &benchmark.logic.0,
                &statuses.join(","),
                benchmark.category.map_or("", |category| category.name()),
                &benchmark.asserts.to_string(),
                &benchmark.bytes.to_string(),
                &benchmark.digest.to_string(),
                benchmark.licence.as_deref().unwrap_or(""),
                &root.to_string_lossy(),
            ]);
        }
        writer.into_inner().expect("writing to memory cannot fail")
    }
}

/// The path as text, if it can stand in tables and pages.
fn plain(path: &Path) -> Option<&str> {
    path.to_str().filter(|text| !text.contains(char::is_control))
}

/// Reads a file whose digest is known, refusing it if it has changed since.
pub fn read_pinned(file: &Path, digest: Digest) -> Result<Vec<u8>, IndexError> {
    let bytes = fs::read(file).map_err(|e| IndexError::Io(file.to_owned(), e))?;
    let now = Digest::of(&bytes);
    if now == digest { Ok(bytes) } else { Err(IndexError::Changed(file.to_owned(), digest, now)) }
}

fn table_reader(file: &Path) -> Result<csv::Reader<fs::File>, IndexError> {
    let open = fs::File::open(file).map_err(|e| IndexError::Io(file.to_owned(), e))?;
    let mut reader = csv::ReaderBuilder::new().delimiter(b'\t').from_reader(open);
    let header = reader.headers().map_err(|e| IndexError::Line(file.to_owned(), 1, e.to_string()))?;
    if header.iter().ne(COLUMNS) {
        let expected = format!("the columns have to be {}", COLUMNS.join(", "));
        return Err(IndexError::Line(file.to_owned(), 1, expected));
    }
    Ok(reader)
}

fn entry_of(row: &csv::StringRecord) -> Result<Entry, String> {
    let cell = |at: usize| row.get(at).unwrap_or_default();
    let number = |at: usize| cell(at).parse::<u64>().map_err(|_| format!("'{}' is not a number", cell(at)));
    let statuses: Result<Vec<Status>, String> = cell(2).split(',').map(str::parse).collect();
    let benchmark = Benchmark {
        path: BenchmarkPath(cell(0).to_owned()),
        logic: Logic(cell(1).to_owned()),
        statuses: statuses?,
        category: (!cell(3).is_empty()).then(|| cell(3).parse()).transpose().map_err(|e| format!("{e}"))?,
        asserts: number(4)?,
        bytes: number(5)?,
        digest: cell(6).parse().map_err(|e| format!("{e}"))?,
        licence: (!cell(7).is_empty()).then(|| cell(7).to_owned()),
    };
    Ok(Entry { benchmark, root: PathBuf::from(cell(8)) })
}

/// The scripts below a folder, of both versions of the language, in order.
pub fn benchmark_files(folder: &Path) -> Result<Vec<PathBuf>, IndexError> {
    let mut files = vec![];
    files_below(folder, &["smt2", "smt", "sl2"], &mut files)?;
    files.sort();
    Ok(files)
}

/// Collects the `.smt2` files below a folder. Links are not followed, so the walk ends.
fn scripts_below(folder: &Path, files: &mut Vec<PathBuf>) -> Result<(), IndexError> {
    files_below(folder, &["smt2"], files)
}

fn files_below(folder: &Path, endings: &[&str], files: &mut Vec<PathBuf>) -> Result<(), IndexError> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let failed = |e| IndexError::Io(folder.clone(), e);
        for item in fs::read_dir(&folder).map_err(failed)? {
            let item = item.map_err(failed)?;
            let kind = item.file_type().map_err(failed)?;
            if kind.is_dir() {
                folders.push(item.path());
            } else if kind.is_file()
                && item.path().extension().is_some_and(|end| endings.iter().any(|known| end == *known))
            {
                files.push(item.path());
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, path: &str, script: &str) {
        let file = root.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, script).unwrap();
    }

    #[test]
    fn an_index_round_trips_and_leaves_broken_files_out() {
        let root = tempfile::tempdir().unwrap();
        write(root.path(), "non-incremental/QF_UF/a/x.smt2", "(set-logic QF_UF)(set-info :status sat)(check-sat)");
        write(root.path(), "non-incremental/QF_UF/a/broken.smt2", "(set-logic QF_UF");
        write(root.path(), "non-incremental/QF_UF/a/README.txt", "no benchmark");
        write(root.path(), "incremental/QF_UF/b/y.smt2", "(set-logic QF_UF)(check-sat)(check-sat)");
        let mut library = Library::default();
        let refusals = library.add(&root.path().join("non-incremental"), |_, _| {}).unwrap();
        assert_eq!(refusals.len(), 1);
        assert!(refusals[0].file.ends_with("broken.smt2"));
        let paths: Vec<&str> = library.iter().map(|entry| entry.benchmark.path.0.as_str()).collect();
        assert_eq!(paths, ["incremental/QF_UF/b/y.smt2", "non-incremental/QF_UF/a/x.smt2"]);
        let file = root.path().join("index.tsv");
        fs::write(&file, library.to_table()).unwrap();
        assert_eq!(Library::read(&file).unwrap(), library);
    }

    #[test]
    fn a_changed_file_is_noticed() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("x");
        fs::write(&file, "a").unwrap();
        assert!(read_pinned(&file, Digest::of(b"a")).is_ok());
        assert!(matches!(read_pinned(&file, Digest::of(b"b")), Err(IndexError::Changed(..))));
    }

    #[test]
    fn a_broken_index_names_its_line() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("index.tsv");
        fs::write(&file, format!("{}\na\tb\tmaybe\t\t1\t1\t{}\t\t/\n", COLUMNS.join("\t"), Digest::of(b""))).unwrap();
        let error = Library::read(&file).unwrap_err().to_string();
        assert!(error.contains("line 2") && error.contains("maybe"), "{error}");
    }

    #[test]
    fn an_empty_folder_is_no_library() {
        let root = tempfile::tempdir().unwrap();
        assert!(matches!(Library::default().add(root.path(), |_, _| {}), Err(IndexError::NoBenchmarks(_))));
    }
}
