//! The benchmarks that were nominated for the challenge (R19-5.24).

use crate::competition::{Competition, CompetitionError};
use crate::files::write_whole;
use agon_domain::BenchmarkPath;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::PathBuf;

/// A benchmark that somebody wants to see solved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Nomination {
    /// The benchmark.
    pub benchmark: BenchmarkPath,
    /// Who nominated it.
    pub by: String,
    /// Why, with the submitter's word on how long it stayed unsolved.
    pub reason: String,
}

impl Competition {
    fn nominations_file(&self) -> PathBuf {
        self.directory().join("library").join("nominated.tsv")
    }

    /// All nominations, sorted by path.
    pub fn nominations(&self) -> Result<Vec<Nomination>, CompetitionError> {
        let file = self.nominations_file();
        let table = match fs::read(&file) {
            Ok(table) => table,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
            Err(error) => return Err(CompetitionError::Io(file, error)),
        };
        let mut reader = csv::ReaderBuilder::new().delimiter(b'\t').from_reader(table.as_slice());
        let rows = reader.deserialize().collect::<Result<Vec<Nomination>, _>>();
        rows.map_err(|error| CompetitionError::Malformed(file, error.to_string()))
    }

    /// Replaces all nominations.
    pub fn set_nominations(&self, nominations: &[Nomination]) -> Result<(), CompetitionError> {
        let file = self.nominations_file();
        let mut writer = csv::WriterBuilder::new().delimiter(b'\t').from_writer(vec![]);
        for nomination in nominations {
            writer.serialize(nomination).expect("writing to memory cannot fail");
        }
        let table = writer.into_inner().expect("writing to memory cannot fail");
        write_whole(&file, &table).map_err(|error| CompetitionError::Io(file, error))
    }
}
