//! Tables of comma-separated values. The headings determine the kind of a table, and its lines are read one by one.

use crate::collected::{Collected, Counted};
use crate::source::Source;
use crate::{ImportError, cells, lists, starexec, tables_2022};
use csv::ByteRecord;
use std::path::{Path, PathBuf};

pub(crate) fn read(collected: &mut Collected, source: Source, file: &Path) -> Result<(), ImportError> {
    let mut lines = Lines::new(source, file);
    let headings = lines.headings()?;
    let columns = Columns::new(&headings);
    if let Some(twice) = columns.repeated() {
        return Err(ImportError::NotResults(file.to_owned(), format!("two of its columns are called '{twice}'")));
    }
    match columns.kind() {
        Some(TableKind::Runs) => starexec::runs(collected, &columns, &mut lines),
        Some(TableKind::Pairs) => tables_2022::pairs(collected, &columns, &mut lines),
        Some(TableKind::Benchmarks) => tables_2022::benchmarks(collected, &columns, &mut lines),
        Some(TableKind::Registry) => lists::registry(collected, &columns, &mut lines),
        Some(TableKind::Queries) => lists::queries(collected, &columns, &mut lines),
        Some(TableKind::Decided) => lists::decided(collected, &columns, &mut lines),
        Some(TableKind::Excluded) if !collected.is_named() => {
            let why = "it is a list of benchmarks; to exclude them, pass the file itself as an argument";
            Err(ImportError::NotResults(file.to_owned(), why.into()))
        }
        Some(TableKind::Excluded) => {
            collected.excluded.insert(cells::from_logic(headings[0].trim_ascii()));
            lines.each(collected, |collected, _, record| {
                collected.excluded.insert(cells::from_logic(&record[0]));
                Ok(())
            })
        }
        None => {
            let shown: String = columns.0.join(",").chars().take(100).collect();
            Err(ImportError::NotResults(file.to_owned(), format!("its first line is '{shown}'")))
        }
    }
}

/// The kinds of tables.
enum TableKind {
    /// Runs, as StarExec and we ourselves write them.
    Runs,
    /// Runs that refer to benchmarks by id.
    Pairs,
    /// Benchmarks with their ids.
    Benchmarks,
    /// The solvers of an edition.
    Registry,
    /// Numbers of queries.
    Queries,
    /// Statuses that the organizers decided on.
    Decided,
    /// A list of benchmarks to exclude, without headings.
    Excluded,
}

/// The headings of a table, in lower case.
pub(crate) struct Columns(pub(crate) Vec<String>);

impl Columns {
    pub(crate) fn new(headings: &ByteRecord) -> Self {
        Self(headings.iter().map(|name| String::from_utf8_lossy(name).trim().to_lowercase()).collect())
    }

    /// The position of a column.
    pub(crate) fn at(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|found| found == name)
    }

    /// The position of a column that every table of this kind has.
    pub(crate) fn needed(&self, name: &str) -> usize {
        self.at(name).unwrap_or(usize::MAX)
    }

    fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.at(name).is_some())
    }

    /// A heading that occurs twice.
    fn repeated(&self) -> Option<&String> {
        let mut names = self.0.iter().enumerate().filter(|(_, name)| !name.is_empty());
        names.find(|(at, name)| self.0[..*at].contains(name)).map(|(_, name)| name)
    }

    /// The kind of the table, by its headings.
    fn kind(&self) -> Option<TableKind> {
        if self.has(&["benchmark", "solver", "cpu time", "result"]) {
            Some(TableKind::Runs)
        } else if self.has(&["benchmark_id", "configuration_id", "cpu_time", "wallclock_time", "result"]) {
            Some(TableKind::Pairs)
        } else if self.has(&["benchmark_id", "benchmark", "expected"]) {
            Some(TableKind::Benchmarks)
        } else if self.has(&["solver name", "competing"]) {
            Some(TableKind::Registry)
        } else if self.0 == ["benchmark", "num_check_sat"] {
            Some(TableKind::Queries)
        } else if self.0 == ["benchmark", "status"] {
            Some(TableKind::Decided)
        } else if self.0.len() == 1 && self.0[0].ends_with(".smt2") {
            Some(TableKind::Excluded)
        } else {
            None
        }
    }

    /// Checks that a record has exactly one cell for every heading.
    pub(crate) fn check_width(&self, record: &ByteRecord) -> Result<(), String> {
        let (cells, width) = (record.len(), self.0.len());
        if cells != width { Err(wrong_width(cells, width)) } else { Ok(()) }
    }
}

/// The message for a line whose number of cells differs from the number of headings.
pub(crate) fn wrong_width(cells: usize, headings: usize) -> String {
    format!("the line has {cells} cells, but there are {headings} headings")
}

/// The lines of a table.
pub(crate) struct Lines {
    reader: csv::Reader<Source>,
    pub(crate) file: PathBuf,
}

impl Lines {
    pub(crate) fn new(mut source: Source, file: &Path) -> Self {
        source.remember_lines();
        let mut builder = csv::ReaderBuilder::new();
        let reader = builder.flexible(true).has_headers(false).buffer_capacity(1 << 16).from_reader(source);
        Self { reader, file: file.to_owned() }
    }

    /// Reads the first line.
    pub(crate) fn headings(&mut self) -> Result<ByteRecord, ImportError> {
        let mut headings = ByteRecord::new();
        match self.reader.read_byte_record(&mut headings) {
            Ok(_) => Ok(headings),
            Err(error) => Err(self.failure(error)),
        }
    }

    fn failure(&self, error: csv::Error) -> ImportError {
        match error.into_kind() {
            csv::ErrorKind::Io(error) => ImportError::Io(self.file.clone(), error),
            other => ImportError::NotResults(self.file.clone(), format!("{other:?}")),
        }
    }

    /// The line of the file in which a record begins. The CSV reader's own count is wrong with blank lines and `\r\n`.
    fn line_of(&mut self, position: Option<&csv::Position>) -> u64 {
        position.map_or(0, |position| self.reader.get_mut().line_from(position.byte()))
    }

    /// Calls `take` with the number and the cells of each line. A message that it returns is recorded as an error in
    /// that line.
    pub(crate) fn each(
        &mut self,
        collected: &mut Collected,
        mut take: impl FnMut(&mut Collected, u64, &ByteRecord) -> Result<(), String>,
    ) -> Result<(), ImportError> {
        let mut record = ByteRecord::new();
        loop {
            let read = self.reader.read_byte_record(&mut record);
            if matches!(read, Ok(false)) {
                return Ok(());
            }
            if let Err(error) = read {
                let line = self.reader.get_mut().line().get();
                return match error.into_kind() {
                    // For example a truncated compressed file. The lines before the error are complete.
                    csv::ErrorKind::Io(error) => {
                        collected.error(line, format!("the file is incomplete from here on: {error}"));
                        Ok(())
                    }
                    other => Err(ImportError::NotResults(self.file.clone(), format!("{other:?}"))),
                };
            }
            let line = self.line_of(record.position());
            if record.as_slice().contains(&b' ') {
                record.trim();
            }
            if memchr::memchr2(b'\n', b'\r', record.as_slice()).is_some() {
                collected.error(line, "a cell spans several lines: a quotation mark is not closed");
            } else if let Err(message) = take(collected, line, &record) {
                collected.error(line, message);
            }
        }
    }
}

/// Records what the rows of a table count. Returns an error if earlier tables count something else.
pub(crate) fn note_counts(collected: &mut Collected, counts: Counted, file: &Path) -> Result<(), ImportError> {
    if collected.set_counts(counts) { Ok(()) } else { Err(ImportError::OtherTrack(file.to_owned())) }
}
