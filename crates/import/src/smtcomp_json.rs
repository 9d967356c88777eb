//! The JSON of the competition since 2024: results, benchmarks and submissions.

use crate::ImportError;
use crate::registry::Entry;
use crate::source::Source;
use crate::table::{Counts, Evidence, Identity, Row, Table};
use crate::words::LONGEST;
use agon_domain::{Answer, Status, Time};
use agon_score::End;
use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use std::fmt;
use std::path::Path;

pub(crate) fn read(table: &mut Table, source: Source, file: &Path) -> Result<(), ImportError> {
    let mut deserializer = serde_json::Deserializer::from_reader(source);
    let mut submission = Submission::default();
    let before = (table.rows.len(), table.faults.len(), table.known_benchmarks());
    let read = Document { table, submission: &mut submission }.deserialize(&mut deserializer);
    match read.and_then(|()| deserializer.end()) {
        Ok(()) => {}
        // Half a file: what was there before is whole, and not all.
        Err(error) => table.fault(error.line() as u64, format!("the file cannot be read from here on: {error}")),
    }
    let is_nothing = before == (table.rows.len(), table.faults.len(), table.known_benchmarks());
    if is_nothing && submission.name.is_none() {
        return Err(ImportError::Strange(file.to_owned(), "it has no results, no benchmarks and no name".into()));
    }
    if let Some(name) = submission.name {
        let derived_from = submission.base_solver.unwrap_or_default();
        let competing = submission.competitive.unwrap_or(true);
        table.registry.add(Entry { name, competing, derived_from, ..Entry::default() }, &[], &[]);
    }
    Ok(())
}

/// What is taken from a submission.
#[derive(Default)]
struct Submission {
    name: Option<String>,
    competitive: Option<bool>,
    base_solver: Option<String>,
}

#[derive(Deserialize)]
struct FileName {
    logic: String,
    #[serde(default)]
    family: Vec<String>,
    name: String,
}

impl FileName {
    fn path(&self) -> String {
        let mut path = self.logic.clone();
        for part in self.family.iter().chain([&self.name]) {
            path.push('/');
            path.push_str(part);
        }
        path
    }
}

#[derive(Deserialize)]
struct ResultEntry {
    track: String,
    solver: String,
    file: FileName,
    result: String,
    cpu_time: f64,
    wallclock_time: f64,
    #[serde(default)]
    nb_answers: Option<f64>,
}

#[derive(Deserialize)]
struct BenchmarkEntry {
    file: FileName,
    status: Option<String>,
    asserts: Option<u64>,
    check_sats: Option<u64>,
}

/// A whole document: its lists are read entry by entry.
struct Document<'a> {
    table: &'a mut Table,
    submission: &'a mut Submission,
}

impl<'de> DeserializeSeed<'de> for Document<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Document<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("results, benchmarks or a submission of the competition")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "results" => map.next_value_seed(List(self.table, take_result))?,
                "incremental" | "non_incremental" => map.next_value_seed(List(self.table, take_benchmark))?,
                "name" => self.submission.name = map.next_value()?,
                "competitive" => self.submission.competitive = map.next_value()?,
                "base_solver" => self.submission.base_solver = map.next_value()?,
                _ => map.next_value::<IgnoredAny>().map(drop)?,
            }
        }
        Ok(())
    }
}

/// A list whose entries are taken one by one.
struct List<'a, T>(&'a mut Table, fn(&mut Table, u64, T) -> Result<(), String>);

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for List<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for List<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let mut number = 0;
        while let Some(entry) = list.next_element::<T>()? {
            number += 1;
            if let Err(message) = (self.1)(self.0, number, entry) {
                self.0.fault(number, message);
            }
        }
        Ok(())
    }
}

fn take_result(table: &mut Table, number: u64, entry: ResultEntry) -> Result<(), String> {
    let counts = match entry.track.as_str() {
        "Incremental" => Counts::Queries,
        "UnsatCore" => Counts::CoreSizes,
        "ModelValidation" => Counts::Models,
        "SingleQuery" | "Parallel" | "Cloud" => Counts::Answers,
        other => return Err(format!("the track '{other}' is none that is known")),
    };
    if !table.set_counts(counts) {
        return Err(format!("results of the {} track are mixed with others", entry.track));
    }
    let time = |value: f64, what: &str| {
        if (0.0..=LONGEST).contains(&value) {
            Ok(Time::from_secs_f64(value))
        } else {
            Err(format!("the {what} {value} is no time"))
        }
    };
    let (cpu, wall) = (time(entry.cpu_time, "CPU time")?, time(entry.wallclock_time, "wall-clock time")?);
    let (answer, end, evidence, wrong) = match entry.result.as_str() {
        "sat" if counts == Counts::Models => (Answer::Sat, End::Complete, Evidence::Valid, 0),
        "sat" => (Answer::Sat, End::Complete, Evidence::None, 0),
        "unsat" => (Answer::Unsat, End::Complete, Evidence::None, 0),
        "unknown" | "incremental" | "ModelNotValidated" => (Answer::Unknown, End::Complete, Evidence::None, 0),
        "Timeout" => (Answer::Unknown, End::Timeout, Evidence::None, 0),
        "OutOfMemory" => (Answer::Unknown, End::Memout, Evidence::None, 0),
        "UnsatCoreNotValidated" => (Answer::Unsat, End::Complete, Evidence::None, 1),
        "IncrementalError" => (Answer::Unknown, End::Complete, Evidence::None, 1),
        word if word.starts_with("Model") => (Answer::Sat, End::Complete, Evidence::Invalid, 0),
        other => return Err(format!("the result '{other}' is none that is known")),
    };
    let count = entry.nb_answers.unwrap_or(0.0);
    if !(0.0..=f64::from(u32::MAX)).contains(&count) || count.fract() != 0.0 {
        return Err(format!("the number of answers {count} is no number of answers"));
    }
    if !crate::words::is_name(&entry.solver) {
        return Err("there is no solver, or its name has control characters".to_owned());
    }
    let path = entry.file.path();
    let benchmark = table.benchmark(&path).ok_or_else(|| format!("the benchmark '{path}' has no logic"))?;
    let identity = table.identity(&Identity { solver: entry.solver, ..Identity::default() });
    let (file, line) = (table.file(), number as u32);
    table.rows.push(Row {
        identity,
        benchmark,
        answer,
        end,
        evidence,
        wrong,
        count: count as u64,
        wall,
        cpu,
        file,
        line,
    });
    Ok(())
}

fn take_benchmark(table: &mut Table, _: u64, entry: BenchmarkEntry) -> Result<(), String> {
    let path: Box<str> = entry.file.path().into();
    if let Some(asserts) = entry.asserts {
        table.asserts.insert(path.clone(), asserts);
    }
    if let Some(queries) = entry.check_sats {
        table.queries.insert(path.clone(), queries);
    }
    if let Some(status) = entry.status {
        let status: Status = crate::words::status(status.to_lowercase().as_bytes())
            .ok_or_else(|| format!("the status '{status}' is none that is known"))?;
        table.statuses.insert(path, status);
    }
    Ok(())
}
