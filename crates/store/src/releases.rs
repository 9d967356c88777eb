//! The releases of a competition's library, and the changes between them.

use crate::competition::{Competition, CompetitionError};
use crate::files::write_whole;
use agon_library::Change;
use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{SystemTime, UNIX_EPOCH};

/// One line of the log of changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeRow {
    /// The date and time, in UTC.
    pub when: String,
    /// `added`, `corrected`, `moved`, `removed`, or `frozen` for a release.
    pub change: String,
    /// The path of the benchmark, or the name of the release.
    pub benchmark: String,
    /// The previous state of the benchmark.
    pub detail: String,
    /// The reason for the change.
    pub reason: String,
}

const FROZEN: &str = "frozen";

impl ChangeRow {
    /// Whether this line freezes a release.
    pub fn is_release(&self) -> bool {
        self.change == FROZEN
    }
}

const COLUMNS: [&str; 5] = ["when", "change", "benchmark", "detail", "reason"];

impl Competition {
    fn library_part(&self, name: &str) -> PathBuf {
        self.directory().join("library").join(name)
    }

    /// The journal of benchmarks that are being added to the index. Creates its directory if needed.
    pub fn library_journal(&self) -> Result<PathBuf, CompetitionError> {
        let file = self.library_part("adding.tsv");
        let directory = self.directory().join("library");
        fs::create_dir_all(&directory).map_err(|error| CompetitionError::Io(directory, error))?;
        Ok(file)
    }

    /// Removes the journal after the index has been written.
    pub fn end_library_journal(&self) -> Result<(), CompetitionError> {
        let file = self.library_part("adding.tsv");
        fs::remove_file(&file).map_err(|error| CompetitionError::Io(file, error))
    }

    /// The latest release, if there is one. After it no benchmark may be added (R08-4.6).
    pub fn frozen_release(&self) -> Result<Option<String>, CompetitionError> {
        let rows = self.library_changes()?;
        Ok(rows.into_iter().rev().find(ChangeRow::is_release).map(|row| row.benchmark))
    }

    /// Freezes the library in its current state and saves its index under this name (R08-4.4). Returns false if the
    /// release already exists.
    pub fn freeze_library(&self, name: &str) -> Result<bool, CompetitionError> {
        let file = self.library_part("releases").join(format!("{name}.tsv"));
        // Only the log counts: a file without an entry in the log was left by a process that was killed.
        if self.library_changes()?.iter().any(|row| row.is_release() && row.benchmark == name) {
            return Ok(false);
        }
        let index = self.library_file();
        let table = fs::read(&index).map_err(|error| CompetitionError::Io(index, error))?;
        write_whole(&file, &table).map_err(|error| CompetitionError::Io(file, error))?;
        self.append(&[[FROZEN, name, "", ""]])?;
        Ok(true)
    }

    /// Appends changes and their reason to the log.
    pub fn note_changes(&self, changes: &[Change], reason: &str) -> Result<(), CompetitionError> {
        let details: Vec<String> = changes.iter().map(ToString::to_string).collect();
        let rows: Vec<[&str; 4]> = changes
            .iter()
            .zip(&details)
            .map(|(change, detail)| [change.kind(), change.path().0.as_str(), detail.as_str(), reason])
            .collect();
        if rows.is_empty() { Ok(()) } else { self.append(&rows) }
    }

    fn append(&self, rows: &[[&str; 4]]) -> Result<(), CompetitionError> {
        let file = self.library_part("changes.tsv");
        let when = now();
        let mut writer = csv::WriterBuilder::new().delimiter(b'\t').from_writer(vec![]);
        let mut write = |row: [&str; 5]| writer.write_record(row).expect("writing to memory cannot fail");
        if !file.exists() {
            write(COLUMNS);
        }
        for [change, benchmark, detail, reason] in rows {
            write([when.as_str(), change, benchmark, detail, reason]);
        }
        let mut lines = writer.into_inner().expect("writing to memory cannot fail");
        // If a power failure truncated the last line, end it here.
        if fs::read(&file).is_ok_and(|before| before.last().is_some_and(|last| *last != b'\n')) {
            lines.insert(0, b'\n');
        }
        let appended = fs::File::options().append(true).create(true).open(&file).and_then(|mut log| {
            log.write_all(&lines)?;
            log.sync_all()
        });
        appended.map_err(|error| CompetitionError::Io(file, error))
    }

    /// All recorded changes, in order.
    pub fn library_changes(&self) -> Result<Vec<ChangeRow>, CompetitionError> {
        let file = self.library_part("changes.tsv");
        let table = match fs::read(&file) {
            Ok(table) => table,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
            Err(error) => return Err(CompetitionError::Io(file, error)),
        };
        let mut reader = csv::ReaderBuilder::new().delimiter(b'\t').flexible(true).from_reader(table.as_slice());
        // A truncated line is ignored; the change itself is in the index.
        let whole = reader.records().map_while(Result::ok).filter(|row| row.len() == COLUMNS.len());
        let rows = whole.map(|row| {
            let cell = |at: usize| row[at].to_owned();
            ChangeRow { when: cell(0), change: cell(1), benchmark: cell(2), detail: cell(3), reason: cell(4) }
        });
        Ok(rows.collect())
    }
}

/// The current date and time in UTC.
fn now() -> String {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
    utc(seconds)
}

/// Formats a Unix time as `2019-06-03T14:05:00Z`. The computation counts years from March, so that the leap day comes
/// last.
fn utc(seconds: u64) -> String {
    let (days, rest) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    let year = era * 400 + year + carry;
    format!("{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z", rest / 3600, rest / 60 % 60, rest % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unix_times_are_formatted_as_utc() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_799, "2000-02-29T23:59:59Z"),
            (1_559_570_700, "2019-06-03T14:05:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ] {
            assert_eq!(utc(seconds), text);
        }
    }

    #[test]
    fn r08_4_6_releases_and_changes_are_logged_and_truncated_lines_are_ignored() {
        let world = tempfile::tempdir().unwrap();
        let directory = world.path().join("c");
        let competition =
            Competition::init(&directory, "smtcomp-2019", "x", toml::Table::new(), crate::Confinement::Required)
                .unwrap();
        competition.set_library(&agon_library::Library::default()).unwrap();
        assert_eq!(competition.frozen_release().unwrap(), None);
        let path = agon_domain::BenchmarkPath("non-incremental/A/x\ty.smt2".into());
        competition.note_changes(&[Change::Removed(path.clone())], "it was\nwrong").unwrap();
        assert!(competition.freeze_library("first").unwrap());
        assert!(!competition.freeze_library("first").unwrap());
        assert_eq!(competition.frozen_release().unwrap().as_deref(), Some("first"));
        // A truncated line is ignored.
        let file = directory.join("library/changes.tsv");
        let mut cut = fs::read(&file).unwrap();
        cut.extend_from_slice(b"2019-01-01\tremo");
        fs::write(&file, cut).unwrap();
        competition.note_changes(&[Change::Added(path.clone())], "").unwrap();
        assert_eq!(competition.library_changes().unwrap().last().unwrap().change, "added");
        let rows = competition.library_changes().unwrap();
        assert_eq!(
            (rows.len(), rows[0].benchmark.as_str(), rows[0].reason.as_str()),
            (3, path.0.as_str(), "it was\nwrong")
        );
    }
}
