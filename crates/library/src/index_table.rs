//! The index as a TSV file, one line per benchmark.

use crate::{Entry, IndexError, Library};
use agon_domain::{Benchmark, BenchmarkPath, Logic, Status};
use std::fs;
use std::path::Path;
use std::sync::Arc;

const COLUMNS: [&str; 14] = [
    "path",
    "logic",
    "statuses",
    "category",
    "difficulty",
    "asserts",
    "bytes",
    "digest",
    "shape",
    "license",
    "source",
    "modified",
    "root",
    "place",
];

/// The number of columns in old indices, which have no `place`: their files are at the path of the benchmark.
const OLD_COLUMNS: usize = 13;

impl Library {
    /// Reads an index from a file. A missing file is an empty index.
    pub fn read(file: &Path) -> Result<Self, IndexError> {
        if !file.exists() {
            return Ok(Self::default());
        }
        let mut library = Self::default();
        let open = fs::File::open(file).map_err(|error| IndexError::Io(file.to_owned(), error))?;
        let mut reader = csv::ReaderBuilder::new().delimiter(b'\t').from_reader(open);
        let header = reader.headers().map_err(|error| IndexError::Line(file.to_owned(), 1, error.to_string()))?;
        // Indices of earlier versions spell the license differently.
        let names: Vec<&str> = header.iter().map(|name| if name == "licence" { "license" } else { name }).collect();
        if names != COLUMNS && names != COLUMNS[..OLD_COLUMNS] {
            let expected = format!("the columns must be {}", COLUMNS.join(", "));
            return Err(IndexError::Line(file.to_owned(), 1, expected));
        }
        let mut row = csv::StringRecord::new();
        let mut entries: Vec<Entry> = vec![];
        loop {
            let line = reader.position().line();
            let malformed = |message: String| IndexError::Line(file.to_owned(), line, message);
            match reader.read_record(&mut row) {
                Ok(false) => break,
                Ok(true) => {
                    let mut entry = entry_of(&row).map_err(malformed)?;
                    // Nearly all entries have the same root, so they share one copy.
                    if let Some(last) = entries.last().filter(|last| last.root == entry.root) {
                        entry.root = Arc::clone(&last.root);
                    }
                    entries.push(entry);
                }
                Err(error) => return Err(malformed(error.to_string())),
            }
        }
        library.insert(entries);
        Ok(library)
    }

    /// A compact list of statuses, in which equal consecutive statuses are written with a count: `sat*3,unsat`.
    pub fn statuses_text(statuses: &[Status]) -> String {
        statuses_text(statuses)
    }

    /// Parses a list of statuses that [`Library::statuses_text`] wrote.
    pub fn statuses_of(text: &str) -> Result<Vec<Status>, StatusesError> {
        statuses_of(text)
    }

    /// The index as a TSV table, one line per benchmark.
    pub fn to_table(&self) -> Vec<u8> {
        let mut writer = csv::WriterBuilder::new().delimiter(b'\t').from_writer(vec![]);
        writer.write_record(COLUMNS).expect("writing to memory cannot fail");
        for entry in self.iter() {
            write_row(&mut writer, entry);
        }
        writer.into_inner().expect("writing to memory cannot fail")
    }
}

/// One entry as a line of the table, without a header.
pub(crate) fn row_of(entry: &Entry) -> Vec<u8> {
    let mut writer = csv::WriterBuilder::new().delimiter(b'\t').from_writer(vec![]);
    write_row(&mut writer, entry);
    writer.into_inner().expect("writing to memory cannot fail")
}

/// Parses lines that [`row_of`] wrote. The last line may be truncated.
pub(crate) fn entries_of(lines: &[u8]) -> Vec<Entry> {
    let mut reader = csv::ReaderBuilder::new().delimiter(b'\t').has_headers(false).flexible(true).from_reader(lines);
    let rows = reader.records().map_while(Result::ok).filter(|row| row.len() == COLUMNS.len());
    rows.filter_map(|row| entry_of(&row).ok()).collect()
}

fn write_row(writer: &mut csv::Writer<Vec<u8>>, entry: &Entry) {
    let Entry { benchmark, root, modified, place } = entry;
    let row = [
        benchmark.path.0.as_str(),
        &benchmark.logic.0,
        &statuses_text(&benchmark.statuses),
        benchmark.category.map_or("", |category| category.name()),
        &benchmark.difficulty.map_or(String::new(), |difficulty| difficulty.to_string()),
        &benchmark.asserts.to_string(),
        &benchmark.bytes.to_string(),
        &benchmark.digest.to_string(),
        &benchmark.shape.to_string(),
        benchmark.license.as_deref().unwrap_or(""),
        benchmark.source.as_deref().unwrap_or(""),
        &modified.to_string(),
        &root.to_string_lossy(),
        place.as_deref().unwrap_or(""),
    ];
    writer.write_record(row).expect("writing to memory cannot fail");
}

/// See [`Library::statuses_text`].
fn statuses_text(statuses: &[Status]) -> String {
    let runs = statuses.chunk_by(|a, b| a == b).map(|run| match run.len() {
        1 => run[0].name().to_owned(),
        many => format!("{}*{many}", run[0].name()),
    });
    runs.collect::<Vec<_>>().join(",")
}

/// An error in a compact list of statuses.
#[derive(Debug, thiserror::Error)]
pub enum StatusesError {
    /// The text after the asterisk is not a number.
    #[error("the count in '{0}' is not a number")]
    Count(String),
    /// A word is not a status.
    #[error(transparent)]
    Status(#[from] agon_domain::UnknownAnswer),
    /// The count is larger than any file can have.
    #[error("the count in '{0}' is too large")]
    TooMany(String),
}

fn statuses_of(text: &str) -> Result<Vec<Status>, StatusesError> {
    let mut statuses = vec![];
    for run in text.split(',') {
        let (word, count) = run.split_once('*').unwrap_or((run, "1"));
        let count: usize = count.parse().map_err(|_| StatusesError::Count(run.to_owned()))?;
        let status = word.parse()?;
        if statuses.len() + count > 1 << 32 {
            return Err(StatusesError::TooMany(run.to_owned()));
        }
        statuses.resize(statuses.len() + count, status);
    }
    Ok(statuses)
}

fn entry_of(row: &csv::StringRecord) -> Result<Entry, String> {
    let cell = |at: usize| row.get(at).unwrap_or_default();
    let number = |at: usize| cell(at).parse::<u64>().map_err(|_| format!("'{}' is not a number", cell(at)));
    let optional = |at: usize| (!cell(at).is_empty()).then(|| cell(at).to_owned());
    let benchmark = Benchmark {
        path: BenchmarkPath(cell(0).to_owned()),
        logic: Logic(cell(1).to_owned()),
        statuses: statuses_of(cell(2)).map_err(|error| error.to_string())?,
        category: optional(3).map(|word| word.parse()).transpose().map_err(|error| format!("{error}"))?,
        difficulty: optional(4)
            .map(|word| word.parse())
            .transpose()
            .map_err(|_| format!("'{}' is not a difficulty", cell(4)))?,
        asserts: number(5)?,
        bytes: number(6)?,
        digest: cell(7).parse().map_err(|error| format!("{error}"))?,
        shape: cell(8).parse().map_err(|error| format!("{error}"))?,
        license: optional(9),
        source: optional(10),
    };
    let modified = cell(11).parse().map_err(|_| format!("'{}' is not a modification time", cell(11)))?;
    Ok(Entry { benchmark, root: Arc::from(Path::new(cell(12))), modified, place: optional(13) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_round_trip() {
        let statuses = [Status::Sat, Status::Sat, Status::Unknown, Status::Unsat, Status::Unsat, Status::Unsat];
        assert_eq!(statuses_text(&statuses), "sat*2,unknown,unsat*3");
        assert_eq!(statuses_of("sat*2,unknown,unsat*3").unwrap(), statuses);
        for wrong in ["", "maybe", "sat*", "sat*x", "sat*99999999999999"] {
            assert!(statuses_of(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn an_error_in_the_index_names_its_line() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("index.tsv");
        fs::write(&file, format!("{}\na\tb\tmaybe\t\t\t1\t1\t\t\t\t\t1\t/\t\n", COLUMNS.join("\t"))).unwrap();
        let error = Library::read(&file).unwrap_err().to_string();
        assert!(error.contains("line 2") && error.contains("maybe"), "{error}");
    }
}
