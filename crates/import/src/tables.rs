//! Tables of comma-separated values: what a table is, its headings say, and its lines are taken one by one.

use crate::source::Source;
use crate::table::{Counts, Table};
use crate::words;
use crate::{ImportError, lists, split, starexec};
use agon_domain::{Answer, Time};
use csv::ByteRecord;
use std::path::Path;

pub(crate) fn read(table: &mut Table, source: Source, file: &Path) -> Result<(), ImportError> {
    let mut reader =
        csv::ReaderBuilder::new().flexible(true).has_headers(false).buffer_capacity(1 << 16).from_reader(source);
    let failed = |error: csv::Error| match error.into_kind() {
        csv::ErrorKind::Io(error) => ImportError::Io(file.to_owned(), error),
        other => ImportError::Strange(file.to_owned(), format!("{other:?}")),
    };
    let mut headings = ByteRecord::new();
    reader.read_byte_record(&mut headings).map_err(failed)?;
    let names: Vec<String> = headings.iter().map(|name| String::from_utf8_lossy(name).trim().to_lowercase()).collect();
    if let Some(twice) = names.iter().enumerate().find(|(at, name)| !name.is_empty() && names[..*at].contains(name)) {
        return Err(ImportError::Strange(file.to_owned(), format!("two of its columns are called '{}'", twice.1)));
    }
    let columns = Columns(names);
    let mut lines = Lines { reader, file: file.to_owned() };
    match columns.kind() {
        Some(Kind::Runs) => starexec::runs(table, &columns, &mut lines),
        Some(Kind::Pairs) => split::pairs(table, &columns, &mut lines),
        Some(Kind::Benchmarks) => split::benchmarks(table, &columns, &mut lines),
        Some(Kind::Registry) => lists::registry(table, &columns, &mut lines),
        Some(Kind::Queries) => lists::queries(table, &mut lines),
        Some(Kind::Decided) => lists::decided(table, &mut lines),
        Some(Kind::Excluded) => {
            table.excluded.insert(from_logic(&headings[0]));
            lines.each(table, |table, _, record| {
                table.excluded.insert(from_logic(&record[0]));
                Ok(())
            })
        }
        None => {
            let shown: String = columns.0.join(",").chars().take(100).collect();
            Err(ImportError::Strange(file.to_owned(), format!("its first line is '{shown}'")))
        }
    }
}

/// What a table is.
enum Kind {
    Runs,
    Pairs,
    Benchmarks,
    Registry,
    Queries,
    Decided,
    Excluded,
}

pub(crate) struct Columns(pub(crate) Vec<String>);

impl Columns {
    pub(crate) fn at(&self, name: &str) -> Option<usize> {
        self.0.iter().position(|found| found == name)
    }

    fn has(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.at(name).is_some())
    }

    fn kind(&self) -> Option<Kind> {
        Some(match () {
            () if self.has(&["benchmark", "solver", "status", "cpu time", "wallclock time", "result"]) => Kind::Runs,
            () if self.has(&["benchmark_id", "configuration_id", "cpu_time", "wallclock_time", "result"]) => {
                Kind::Pairs
            }
            () if self.has(&["benchmark_id", "benchmark", "expected"]) => Kind::Benchmarks,
            () if self.has(&["solver name", "competing"]) => Kind::Registry,
            () if self.0 == ["benchmark", "num_check_sat"] => Kind::Queries,
            () if self.0 == ["benchmark", "status"] => Kind::Decided,
            () if self.0.len() == 1 && self.0[0].ends_with(".smt2") => Kind::Excluded,
            () => return None,
        })
    }
}

/// The lines of a table.
pub(crate) struct Lines {
    reader: csv::Reader<Source>,
    pub(crate) file: std::path::PathBuf,
}

impl Lines {
    /// Does something with each line. What it refuses is a fault.
    pub(crate) fn each(
        &mut self,
        table: &mut Table,
        mut take: impl FnMut(&mut Table, u32, &ByteRecord) -> Result<(), String>,
    ) -> Result<(), ImportError> {
        let mut record = ByteRecord::new();
        loop {
            match self.reader.read_byte_record(&mut record) {
                Ok(false) => return Ok(()),
                Ok(true) => {
                    let line = record.position().map_or(0, csv::Position::line);
                    if record.as_slice().contains(&b' ') {
                        record.trim();
                    }
                    if record.as_slice().contains(&b'\n') {
                        table.fault(line, "a cell goes over several lines: a quotation mark is not closed");
                        continue;
                    }
                    if let Err(message) = take(table, line as u32, &record) {
                        table.fault(line, message);
                    }
                }
                Err(error) => {
                    let line = error.position().map_or(0, csv::Position::line);
                    match error.into_kind() {
                        // Half a compressed file, say: what was there before is whole, and not all.
                        csv::ErrorKind::Io(error) => {
                            let line = if line > 0 { line } else { self.reader.position().line() };
                            table.fault(line, format!("the file breaks off here: {error}"));
                            return Ok(());
                        }
                        other => return Err(ImportError::Strange(self.file.clone(), format!("{other:?}"))),
                    }
                }
            }
        }
    }
}

/// A benchmark's path from its logic on, as lists may have it with folders above.
pub(crate) fn from_logic(cell: &[u8]) -> Box<str> {
    let path = String::from_utf8_lossy(cell);
    words::logic(&path).map_or(&*path, |(_, from_logic)| from_logic).into()
}

pub(crate) fn shown(cell: &[u8]) -> String {
    String::from_utf8_lossy(&cell[..cell.len().min(60)]).into_owned()
}

pub(crate) fn time(cell: &[u8], what: &str) -> Result<Time, String> {
    words::seconds(cell).map_err(|fault| format!("the {what} '{}' {fault}", shown(cell)))
}

pub(crate) fn answer(cell: &[u8]) -> Result<Answer, String> {
    words::answer(cell).ok_or_else(|| format!("the result '{}' is none that is known", shown(cell)))
}

/// Notes what the rows of a table count, which has to be what those before do.
pub(crate) fn note_counts(table: &mut Table, counts: Counts, file: &Path) -> Result<(), ImportError> {
    if table.set_counts(counts) {
        return Ok(());
    }
    Err(ImportError::Strange(file.to_owned(), "its results are of another track than those before".into()))
}
