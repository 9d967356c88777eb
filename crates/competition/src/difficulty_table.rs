//! The difficulty table of 2014 of a competition: made from its library, and kept in step with it (D14-6, D14-8).

use crate::error::At;
use crate::past_runs::past_runs;
use crate::{StepError, index};
use agon_domain::Digest;
use agon_edition::Standing;
use agon_library::{
    Difficulty, KeyedRow, Row2014, Synchronized, id_of, read_keyed_table, read_table_2014, records, synchronize,
    update_table_2014, write_keyed_table, write_table_2014,
};
use agon_report::{DIFFICULTY_CLASSES, DifficultyFacts};
use agon_store::{Competition, write_whole};
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io;
use std::path::PathBuf;

/// The table, and what changed in it.
#[derive(Clone, Debug)]
pub struct DifficultyTable {
    /// The rows, sorted by path.
    pub rows: Vec<Row2014>,
    /// What changed to bring the table into step with the library.
    pub done: Synchronized,
    /// The number of difficulties that new results changed.
    pub difficulties: usize,
    /// The number of this version; versions are only added.
    pub version: usize,
    /// The file of this version, in the format of 2014.
    pub file: PathBuf,
    /// The malformed lines of results, each with the reason.
    pub left_out: Vec<String>,
}

/// Brings the table into step with the library, and updates difficulties with results (D14-4). `base` is a table of
/// 2014 to start from. Every change is a new version.
pub fn difficulty_table(
    competition: &Competition,
    base: Option<&PathBuf>,
    results: &[PathBuf],
) -> Result<DifficultyTable, StepError> {
    let _lock = competition.lock_library()?;
    let library = index::library_of(competition)?;
    let mut left_out = vec![];
    let old = match base {
        Some(file) => {
            let (rows, errors) = read_table_2014(&fs::read_to_string(file).at(file)?);
            left_out.extend(errors.iter().map(|error| format!("{}: {error}", file.display())));
            rows.into_iter().map(|row| KeyedRow { digest: None, row }).collect()
        }
        None => read(competition)?,
    };
    let before = write_keyed_table(&old);
    let log = competition.log()?;
    let standing = Standing::of(&log);

    let (mut keyed, done) =
        synchronize(old, library.iter().map(|entry| &entry.benchmark), highest_id(competition)?, |benchmark| {
            standing.settled(&benchmark.path).map(|(status, _)| status)
        });
    let mut runs = vec![];
    for file in results {
        let (more, errors) = past_runs(file)?;
        runs.extend(more);
        left_out.extend(errors);
    }
    let mut rows: Vec<Row2014> = keyed.iter().map(|keyed| keyed.row.clone()).collect();
    let difficulties = update_table_2014(&mut rows, &records(&runs, None, &HashSet::new()));
    for (keyed, row) in keyed.iter_mut().zip(&rows) {
        keyed.row.difficulty = row.difficulty.clone();
    }
    let directory = directory(competition);
    let last = last_version(competition)?;
    let text = write_keyed_table(&keyed);
    let version = if text == before && last > 0 { last } else { last + 1 };
    let file = directory.join(format!("{version}.txt"));
    if version > last {
        write_whole(&file, write_table_2014(&rows).as_bytes()).at(&file)?;
        let current = directory.join("current.tsv");
        write_whole(&current, text.as_bytes()).at(&current)?;
    }
    Ok(DifficultyTable { rows, done, difficulties, version, file, left_out })
}

/// The rows of the table if it is in step with the library; `None` if the competition has no table. A selection from a
/// table that is not in step would be wrong (D14-8).
pub(crate) fn current_rows(competition: &Competition) -> Result<Option<Vec<Row2014>>, StepError> {
    let old = read(competition)?;
    if old.is_empty() {
        return Ok(None);
    }
    let library = index::library_of(competition)?;
    let log = competition.log()?;
    let standing = Standing::of(&log);
    let (rows, done) =
        synchronize(old, library.iter().map(|entry| &entry.benchmark), highest_id(competition)?, |benchmark| {
            standing.settled(&benchmark.path).map(|(status, _)| status)
        });
    if done.is_unchanged() {
        return Ok(Some(rows.into_iter().map(|keyed| keyed.row).collect()));
    }
    Err(StepError::Missing(format!(
        "the difficulty table is not in step with the library ({done}); run 'agon library table' (D14-8)"
    )))
}

/// What the site shows about the table, if there is one (D14-6).
pub(crate) fn difficulty_facts(competition: &Competition) -> Result<Option<DifficultyFacts>, StepError> {
    let rows: Vec<Row2014> = read(competition)?.into_iter().map(|keyed| keyed.row).collect();
    if rows.is_empty() {
        return Ok(None);
    }
    let version = last_version(competition)?;
    let file = directory(competition).join(format!("{version}.txt"));
    let modified = fs::metadata(&file).and_then(|facts| facts.modified()).at(&file)?;
    let changed =
        jiff::Timestamp::try_from(modified).map_or_else(|_| String::new(), |at| at.strftime("%F").to_string());
    let mut logics: BTreeMap<String, [usize; DIFFICULTY_CLASSES.len()]> = BTreeMap::new();
    let mut csv = csv::Writer::from_writer(vec![]);
    let mut write = |row: [&str; 7]| csv.write_record(row).expect("writing to memory cannot fail");
    write(["id", "difficulty", "expected", "status", "category", "logic", "path"]);
    for row in &rows {
        let class = match (&row.difficulty, row.difficulty.seconds()) {
            (Difficulty::Trivial, _) => 0,
            (_, None) => 6,
            (difficulty, _) if difficulty.is_unsolved() => 5,
            (_, Some(seconds)) => 1 + [1.0, 10.0, 100.0].iter().filter(|bound| seconds > **bound).count(),
        };
        logics.entry(row.logic.clone()).or_default()[class] += 1;
        let difficulty = row.difficulty.to_string();
        write([&row.id, &difficulty, &row.expected, &row.status, &row.category, &row.logic, &row.path]);
    }
    let csv = csv.into_inner().expect("writing to memory cannot fail");
    let logics = logics.into_iter().collect();
    Ok(Some(DifficultyFacts { version, changed, text: write_table_2014(&rows), csv, logics }))
}

/// The digest of the table, which a selection by difficulty depends on.
pub(crate) fn table_digest(competition: &Competition) -> Result<Digest, StepError> {
    Ok(Digest::of(write_keyed_table(&read(competition)?).as_bytes()))
}

fn directory(competition: &Competition) -> PathBuf {
    competition.directory().join("library").join("difficulty")
}

fn read(competition: &Competition) -> Result<Vec<KeyedRow>, StepError> {
    let file = directory(competition).join("current.tsv");
    let text = match fs::read_to_string(&file) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
        Err(error) => return Err(error).at(&file),
    };
    let (rows, malformed) = read_keyed_table(&text);
    match malformed.first() {
        None => Ok(rows),
        Some(line) => Err(StepError::Missing(format!(
            "{}: line {line} is malformed; delete the file and run 'agon library table --base' with its last version",
            file.display()
        ))),
    }
}

/// The highest number in any version of the table.
fn highest_id(competition: &Competition) -> Result<u64, StepError> {
    let directory = directory(competition);
    let mut highest = 0;
    for version in 1..=last_version(competition)? {
        let file = directory.join(format!("{version}.txt"));
        // A version that somebody deleted is not needed.
        let Ok(text) = fs::read_to_string(&file) else { continue };
        highest = read_table_2014(&text).0.iter().filter_map(id_of).fold(highest, u64::max);
    }
    Ok(highest)
}

/// The number of the last version; 0 if no version exists.
fn last_version(competition: &Competition) -> Result<usize, StepError> {
    let directory = directory(competition);
    let items = match fs::read_dir(&directory) {
        Ok(items) => items,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error).at(&directory),
    };
    let number = |name: &str| name.strip_suffix(".txt")?.parse().ok();
    Ok(items.filter_map(|item| number(item.ok()?.file_name().to_str()?)).max().unwrap_or(0))
}
