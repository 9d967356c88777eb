//! Translates prepared benchmarks into the input of entrants that have a pre-processor, outside their time limit
//! (SL19-19).
//!
//! A pre-processor is a program of the entrant: it gets the prepared benchmark, and its stdout is what the solver
//! reads. It runs contained under a limit of its own, once per benchmark and version. Its runs are recorded in a table.

use crate::enter::files_of;
use crate::error::At;
use crate::observer::{Tell, Work};
use crate::plan::{counted, track_rules};
use crate::{Event, Machine, Observer, StepError, parallel};
use agon_contain::{ContainError, Ending, Host, Measured};
use agon_dispatch::{contained, job, work_directory};
use agon_domain::{Digest, Entrant, Limits, Submission, Track};
use agon_store::{Competition, prepared_in, write_again};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// One run of a pre-processor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Record {
    /// The version of the entrant's pre-processor, and the prepared benchmark.
    version: Digest,
    benchmark: Digest,
    entrant: String,
    /// What the solver reads.
    input: Digest,
    wall_s: f64,
    cpu_s: f64,
    /// `ok`, or what went wrong; the input is then empty, and the solver is not run on it.
    result: String,
}

/// The inputs of the entrants with pre-processors, by version and prepared benchmark.
#[derive(Debug, Default)]
pub(crate) struct Inputs(HashMap<(Digest, Digest), Record>);

impl Inputs {
    /// The input of an entrant for a prepared benchmark, if the entrant has a pre-processor.
    pub(crate) fn of(&self, entrant: &Entrant, track: Track, benchmark: Digest) -> Option<Digest> {
        self.0.get(&(entrant.preprocessor_in(track)?, benchmark)).map(|record| record.input)
    }

    /// The inputs that are on record.
    pub(crate) fn read(competition: &Competition, track: Track) -> Result<Self, StepError> {
        let file = record_file(competition, track);
        let table = match File::open(&file) {
            Ok(table) => table,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error).at(&file),
        };
        let mut reader = csv::ReaderBuilder::new().delimiter(b'\t').has_headers(false).from_reader(table);
        // The last line is incomplete if its writer was killed; its benchmark is translated again.
        let rows = reader.deserialize().filter_map(|row: Result<Record, csv::Error>| row.ok());
        Ok(Self(rows.map(|row| ((row.version, row.benchmark), row)).collect()))
    }

    /// Translates the benchmarks of these entrants that have not been translated yet.
    pub(crate) fn complete(
        &mut self,
        competition: &Competition,
        track: Track,
        pairs: impl Iterator<Item = (Entrant, Digest)>,
        machine: &Machine,
        observer: &mut Observer<'_>,
    ) -> Result<(), StepError> {
        let inputs = competition.inputs_folder(track);
        let mut pairs = pairs.filter(|(entrant, _)| entrant.preprocess.contains_key(&track)).peekable();
        if pairs.peek().is_none() {
            return Ok(());
        }
        let limits = limits(competition, track)?;
        // A file that was changed or removed is made again, and so is one that was stopped at a shorter limit.
        let is_there = |record: &Record| {
            let is_same = |bytes: Vec<u8>| Digest::of(&bytes) == record.input;
            let was_stopped = record.result.contains("limit") && record.wall_s < limits.wall.as_secs_f64();
            std::fs::read(prepared_in(&inputs, &record.input)).is_ok_and(is_same) && !was_stopped
        };
        let missing: Vec<(Entrant, Digest, Digest)> = pairs
            .filter_map(|(entrant, benchmark)| {
                let version = entrant.preprocessor_in(track)?;
                let is_known = self.0.get(&(version, benchmark)).is_some_and(is_there);
                (!is_known).then_some((entrant, version, benchmark))
            })
            .collect();
        if missing.is_empty() {
            return Ok(());
        }
        let host = machine.host()?;
        let prepared =
            std::path::absolute(competition.prepared_folder(track)).at(&competition.prepared_folder(track))?;
        let file = record_file(competition, track);
        write_directory(&file)?;
        let table = File::options().append(true).create(true).open(&file).at(&file)?;
        let mut writer = csv::WriterBuilder::new().delimiter(b'\t').has_headers(false).from_writer(table);
        let act =
            |(): &mut (), (entrant, version, benchmark): &(Entrant, Digest, Digest)| -> Result<Record, StepError> {
                if machine.is_stopped() {
                    return Err(StepError::Interrupted);
                }
                let source = prepared_in(&prepared, benchmark);
                let measured = translate(host, entrant, &files_of(competition, entrant)?, track, &source, &limits)?;
                let (bytes, result) = input(&measured);
                let input = Digest::of(bytes);
                // The extension is that of the benchmark.
                let end = source.extension().and_then(|end| end.to_str()).unwrap_or("smt2");
                let place = competition.input_with_extension(track, &input, end);
                write_again(&place, bytes).at(&place)?;
                Ok(Record {
                    version: *version,
                    benchmark: *benchmark,
                    entrant: entrant.name.to_string(),
                    input,
                    wall_s: measured.wall.as_secs_f64(),
                    cpu_s: measured.cpu.as_secs_f64(),
                    result,
                })
            };
        observer.start(Work::Preprocess, Some(track), missing.len());
        let mut failed: Vec<Record> = vec![];
        let done = |_: &_, record: Result<Record, StepError>| -> Result<(), StepError> {
            let record = record?;
            let written = writer.serialize(&record).map_err(io::Error::other).and_then(|()| writer.flush());
            written.at(&file)?;
            if record.result != "ok" {
                failed.push(record.clone());
            }
            self.0.insert((record.version, record.benchmark), record);
            observer(Event::Advanced);
            Ok(())
        };
        let all = parallel::in_order(&missing, parallel::threads(), || (), act, done);
        observer(Event::Finished);
        all?;
        if let Some(first) = failed.first() {
            let count = counted(failed.len() as u64, "pair", "pairs");
            observer.warn(format!(
                "{track}: pre-processors failed for {count}, which count as aborted; {} lists them (the first is of {}: {})",
                file.display(),
                first.entrant,
                first.result
            ));
        }
        Ok(())
    }
}

/// Runs an entrant's pre-processor on a file.
pub(crate) fn translate(
    host: &Host,
    entrant: &Submission,
    files: &Path,
    track: Track,
    benchmark: &Path,
    limits: &Limits,
) -> Result<Measured, StepError> {
    let command = entrant.preprocess.get(&track).cloned().unwrap_or_default();
    let work = work_directory(host, files, entrant.start_in.as_deref()).at(files)?;
    match host.run(&job(&command, files, &work, benchmark, limits), &contained(limits)) {
        Ok(measured) => Ok(measured),
        Err(ContainError::Interrupted) => Err(StepError::Interrupted),
        Err(error) => Err(error.into()),
    }
}

/// What the solver reads, and the result: nothing if the pre-processor failed, since half a translation could mean
/// something else.
pub(crate) fn input(measured: &Measured) -> (&[u8], String) {
    match (measured.limit, measured.ending) {
        (Some(limit), _) => (&[], format!("stopped at the {limit:?} limit").to_lowercase()),
        (None, Ending::Exit(0)) if measured.stdout.is_empty() => (&[], "printed nothing".to_owned()),
        (None, Ending::Exit(0)) => (&measured.stdout, "ok".to_owned()),
        (None, Ending::Exit(code)) => (&[], format!("exit code {code}")),
        (None, Ending::Signal(signal)) => (&[], format!("signal {signal}")),
    }
}

/// The limits of pre-processors in a track.
fn limits(competition: &Competition, track: Track) -> Result<Limits, StepError> {
    let rules = track_rules(competition, track)?;
    let missing = || {
        let field = format!("rules.tracks.{track}.preprocess_s");
        StepError::Missing(format!(
            "an entrant has a pre-processor, but the rules have no limit for it; set {field} in agon.toml"
        ))
    };
    let wall = rules.preprocess.ok_or_else(missing)?;
    Ok(Limits { wall, cores: 1, ..rules.limits })
}

fn record_file(competition: &Competition, track: Track) -> PathBuf {
    competition.inputs_folder(track).join("runs.tsv")
}

fn write_directory(file: &Path) -> Result<(), StepError> {
    file.parent().map_or(Ok(()), std::fs::create_dir_all).at(file)
}
