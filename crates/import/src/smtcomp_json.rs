//! The JSON of SMT-COMP since 2024: results, benchmarks and submissions.

use crate::ImportError;
use crate::cells;
use crate::collected::{Collected, Counted, Identity, Row};
use crate::registry::{Entry, Logics, Registration};
use crate::source::Source;
use agon_domain::{Answer, Claim, Division, End, Evidence, Status, Time, Track, Validity};
use agon_score::Measured;
use serde::Deserialize;
use serde::de::{DeserializeOwned, DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;
use std::cell::Cell;
use std::fmt;
use std::path::Path;
use std::rc::Rc;

pub(crate) fn read(collected: &mut Collected, source: Source, file: &Path) -> Result<(), ImportError> {
    let line = source.line();
    let mut deserializer = serde_json::Deserializer::from_reader(source);
    let mut submission = SubmissionFile::default();
    let before = collected.size();
    let read = Document { collected, submission: &mut submission, line }.deserialize(&mut deserializer);
    match read.and_then(|()| deserializer.end()) {
        Ok(()) => {}
        // For example a truncated file. The entries before the error are complete.
        Err(error) => collected.error(error.line() as u64, format!("the file cannot be read from here on: {error}")),
    }
    if collected.is_mixed() {
        return Err(ImportError::OtherTrack(file.to_owned()));
    }
    if before == collected.size() && submission.name.is_none() {
        return Err(ImportError::NotResults(file.to_owned(), "it has no results, no benchmarks and no solver".into()));
    }
    // A file with results may have a name too; then it is not a submission.
    if let Some(name) = submission.name.filter(|_| before.0 == collected.size().0) {
        let name = match cells::name(name.as_bytes(), "solver") {
            Ok(name) => name,
            Err(message) => {
                collected.error(1, message);
                return Ok(());
            }
        };
        let (registrations, problems) = registrations(&submission.participations);
        for problem in problems {
            collected.error(1, problem);
        }
        let entry = Entry {
            name,
            competing: submission.competitive.unwrap_or(true),
            derived_from: submission.base_solver.unwrap_or_default(),
            registrations,
            ..Entry::default()
        };
        collected.registry.add(entry, &[], &[]);
    }
    Ok(())
}

/// The parts of a submission that are used.
#[derive(Default)]
struct SubmissionFile {
    name: Option<String>,
    competitive: Option<bool>,
    base_solver: Option<String>,
    participations: Vec<Participation>,
}

/// The tracks that a solver enters, with their logics or divisions.
#[derive(Deserialize)]
struct Participation {
    tracks: Vec<String>,
    #[serde(default)]
    logics: Option<LogicNames>,
    #[serde(default)]
    divisions: Vec<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum LogicNames {
    Names(Vec<String>),
    Pattern(String),
}

/// The registrations of a submission, and messages about unknown tracks and invalid patterns.
fn registrations(participations: &[Participation]) -> (Vec<Registration>, Vec<String>) {
    let (mut all, mut problems) = (vec![], vec![]);
    for participation in participations {
        let mut logics = vec![];
        match &participation.logics {
            Some(LogicNames::Names(names)) => logics.push(Logics::Names(names.clone())),
            Some(LogicNames::Pattern(text)) => match regex_lite::Regex::new(&format!("^(?:{text})$")) {
                Ok(pattern) => logics.push(Logics::Pattern(pattern)),
                Err(error) => problems.push(format!("invalid pattern of logics '{text}': {error}")),
            },
            None => {}
        }
        if !participation.divisions.is_empty() {
            logics.push(Logics::Divisions(participation.divisions.iter().cloned().map(Division).collect()));
        }
        let unknown = participation.tracks.iter().filter(|name| track_of(name).is_none());
        problems.extend(unknown.map(|name| format!("unknown track '{name}'")));
        for track in participation.tracks.iter().filter_map(|name| track_of(name)) {
            let is_incremental = track == Track::Incremental;
            all.extend(logics.iter().map(|logics| Registration { track, is_incremental, logics: logics.clone() }));
        }
    }
    (all, problems)
}

/// The track with this name in SMT-COMP's JSON files.
fn track_of(name: &str) -> Option<Track> {
    match name {
        "SingleQuery" => Some(Track::SingleQuery),
        "Incremental" => Some(Track::Incremental),
        "UnsatCore" => Some(Track::UnsatCore),
        "ModelValidation" => Some(Track::ModelValidation),
        "ProofExhibition" => Some(Track::Proof),
        "Parallel" => Some(Track::Parallel),
        "Cloud" => Some(Track::Cloud),
        _ => None,
    }
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

/// A whole document. Its lists are read entry by entry.
struct Document<'a> {
    collected: &'a mut Collected,
    submission: &'a mut SubmissionFile,
    line: Rc<Cell<u64>>,
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
        f.write_str("results, benchmarks or a submission of SMT-COMP")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "results" => {
                    map.next_value_seed(List { collected: self.collected, line: &self.line, take: take_result })?;
                }
                "incremental" | "non_incremental" => {
                    map.next_value_seed(List { collected: self.collected, line: &self.line, take: take_benchmark })?;
                }
                "name" => self.submission.name = map.next_value()?,
                "competitive" => self.submission.competitive = map.next_value()?,
                "base_solver" => self.submission.base_solver = map.next_value()?,
                "participations" => self.submission.participations = map.next_value()?,
                _ => map.next_value::<IgnoredAny>().map(drop)?,
            }
        }
        Ok(())
    }
}

/// A list whose entries are parsed one by one.
struct List<'a, T> {
    collected: &'a mut Collected,
    line: &'a Cell<u64>,
    take: fn(&mut Collected, u64, &T) -> Result<(), String>,
}

impl<'de, T: DeserializeOwned> DeserializeSeed<'de> for List<'_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: DeserializeOwned> Visitor<'de> for List<'_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let mut number = 0_u64;
        while let Some((line, text)) = list.next_element_seed(Placed(self.line))? {
            number += 1;
            // A malformed entry does not prevent reading the others.
            let entry = serde_json::from_str::<T>(text.get()).map_err(|error| without_place(&error));
            let taken = entry.and_then(|entry| (self.take)(self.collected, line, &entry));
            if let Err(message) = taken {
                // Many of these files have only one line, so the line number is not enough.
                self.collected.error(line, format!("entry {number}: {message}"));
            }
        }
        Ok(())
    }
}

/// Reads the text of an entry, with the line in which it begins.
struct Placed<'a>(&'a Cell<u64>);

impl<'de> DeserializeSeed<'de> for Placed<'_> {
    type Value = (u64, Box<RawValue>);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        let line = self.0.get();
        Box::deserialize(deserializer).map(|entry| (line, entry))
    }
}

/// The message of an error, without its position, which is relative to the entry.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.split_once(" at line ").map_or(text.clone(), |(message, _)| message.to_owned())
}

/// Adds one result.
fn take_result(collected: &mut Collected, line: u64, entry: &ResultEntry) -> Result<(), String> {
    let track = track_of(&entry.track).ok_or_else(|| format!("unknown track '{}'", entry.track))?;
    let counts = match track {
        Track::Incremental | Track::IndustryChallengeIncremental => Counted::Queries,
        Track::UnsatCore => Counted::CoreSizes,
        Track::ModelValidation => Counted::Models,
        Track::Proof => Counted::Proofs,
        Track::SingleQuery | Track::Parallel | Track::Cloud | Track::IndustryChallenge => Counted::Answers,
    };
    collected.state_track(track);
    collected.names_solvers_only = true;
    if !collected.set_counts(counts) || collected.is_mixed() {
        // This result is of another track. The caller rejects the file as a whole.
        collected.state_track(track);
        return Ok(());
    }
    let cpu = time(entry.cpu_time, "CPU time")?;
    let wall = time(entry.wallclock_time, "wall-clock time")?;
    let needs_answers = matches!(entry.result.as_str(), "incremental" | "unsat");
    if matches!(track, Track::Incremental | Track::UnsatCore) && needs_answers && entry.nb_answers.is_none() {
        return Err("nb_answers is missing".to_owned());
    }
    let answers = entry.nb_answers.unwrap_or(0.0);
    if !(0.0..=f64::from(u32::MAX)).contains(&answers) || answers.fract() != 0.0 {
        return Err(format!("nb_answers must be a whole number, not {answers}"));
    }
    let solver = cells::name(entry.solver.as_bytes(), "solver")?;
    let (claim, end) = claim(counts, &entry.result, answers as u32)?;
    let path = entry.file.path();
    let logic = cells::name(entry.file.logic.as_bytes(), "logic")?;
    let benchmark = collected.benchmark_in(cells::path(path.as_bytes())?, &logic)?;
    let identity = collected.identity(&Identity { solver, ..Identity::default() });
    let measured = Measured::of(wall.is_some(), cpu.is_some());
    let (wall, cpu) = (wall.unwrap_or_default(), cpu.unwrap_or_default());
    collected.add(line, Row { identity, benchmark, claim, end, wall, cpu, measured });
    Ok(())
}

/// A time in seconds, or `None` if it was not measured (-1).
fn time(value: f64, what: &str) -> Result<Option<Time>, String> {
    if value == -1.0 {
        Ok(None)
    } else if (0.0..=cells::LONGEST).contains(&value) {
        Ok(Some(Time::from_secs_f64(value)))
    } else {
        Err(format!("the {what} {value} is not a time in seconds"))
    }
}

/// The claim of a result, and how the run ended. `answers` is the number of correct queries, or the size of a core.
fn claim(counts: Counted, result: &str, answers: u32) -> Result<(Claim, End), String> {
    let (answer, end, is_refuted) = match result {
        "sat" => (Answer::Sat, End::Complete, false),
        "unsat" => (Answer::Unsat, End::Complete, false),
        "unknown" | "incremental" | "ModelNotValidated" => (Answer::Unknown, End::Complete, false),
        "Timeout" => (Answer::Unknown, End::Timeout, false),
        "OutOfMemory" => (Answer::Unknown, End::Memout, false),
        "UnsatCoreNotValidated" if counts == Counted::CoreSizes => (Answer::Unsat, End::Complete, true),
        "IncrementalError" if counts == Counted::Queries => (Answer::Unknown, End::Complete, true),
        // Any other result of model validation means that the model was rejected.
        word if word.starts_with("Model") && counts == Counted::Models => (Answer::Sat, End::Complete, true),
        other => return Err(format!("unknown result '{other}'")),
    };
    let evidence = match counts {
        Counted::Answers | Counted::Proofs => Evidence::None,
        Counted::Queries => Evidence::Queries { correct: answers, wrong: u32::from(is_refuted) },
        Counted::Reductions | Counted::CoreSizes if is_refuted => Evidence::RefutedCore,
        Counted::Reductions | Counted::CoreSizes => Evidence::Core(answers),
        Counted::Models if is_refuted => Evidence::Model(Validity::Invalid),
        Counted::Models if answer == Answer::Sat => Evidence::Model(Validity::Valid),
        Counted::Models => Evidence::Model(Validity::Undecided),
    };
    Ok((Claim { answer, evidence }, end))
}

/// Adds the facts about one benchmark.
fn take_benchmark(collected: &mut Collected, _: u64, entry: &BenchmarkEntry) -> Result<(), String> {
    let path: Box<str> = entry.file.path().into();
    for (count, what) in [(entry.asserts, "asserts"), (entry.check_sats, "check_sats")] {
        if count.is_some_and(|count| count > u64::from(u32::MAX)) {
            return Err(format!("{what} is not a number below 2^32"));
        }
    }
    if let Some(asserts) = entry.asserts {
        collected.list_asserts(path.clone(), asserts)?;
    }
    if let Some(queries) = entry.check_sats {
        collected.list_queries(path.clone(), queries)?;
    }
    let status = match &entry.status {
        Some(status) => {
            Status::read(status.to_lowercase().as_bytes()).ok_or_else(|| format!("unknown status '{status}'"))?
        }
        None => Status::Unknown,
    };
    collected.list_status(path, status)
}
