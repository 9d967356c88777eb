//! Reads the files that accompany results: registries of solvers, numbers of queries and decided statuses. Also reads
//! the tables of facts and difficulties that benchmark selection uses.

use crate::ImportError;
use crate::cells::{self, shown};
use crate::collected::{Collected, LineError};
use crate::inputs::each_file;
use crate::registry::{Entry, Logics, Registration};
use crate::table::{Columns, Lines};
use agon_domain::{BenchmarkPath, Status, Track};
use csv::ByteRecord;
use std::collections::HashMap;
use std::path::Path;

/// The columns of a registry that list the logics of a track: heading, track, and whether it is incremental.
const TRACKS: [(&str, Track, bool); 10] = [
    ("single query track", Track::SingleQuery, false),
    ("incremental track", Track::Incremental, true),
    ("unsat core track", Track::UnsatCore, false),
    ("model validation track", Track::ModelValidation, false),
    ("challenge track (single query)", Track::IndustryChallenge, false),
    ("challenge track (incremental)", Track::IndustryChallenge, true),
    ("proof exhibition track", Track::Proof, false),
    ("cloud track", Track::Cloud, false),
    ("parallel track", Track::Parallel, false),
    ("proof track", Track::Proof, false),
];

/// Reads a registry: the solvers of an edition, with their ids of that year.
pub(crate) fn registry(collected: &mut Collected, columns: &Columns, lines: &mut Lines) -> Result<(), ImportError> {
    let with = |word: &str| -> Vec<usize> {
        let found = columns.0.iter().enumerate().filter(|(_, name)| name.contains(word));
        found.map(|(at, _)| at).collect()
    };
    let (mut solver_ids, configuration_ids) = (with("solver id"), with("config id"));
    // The id of the final version takes precedence over that of a preliminary one.
    solver_ids.sort_by_key(|at| columns.0[*at].contains("preliminary"));
    let at = |name: &str| columns.at(name);
    let (name, competing) = (at("solver name"), at("competing"));
    let (variant, wrapper, derived) = (at("variant of"), at("wrapper tool"), at("derived tool"));
    lines.each(collected, |collected, _, record| {
        columns.check_width(record)?;
        let cell = |at: Option<usize>| at.and_then(|at| record.get(at)).unwrap_or(b"");
        let text = |at: Option<usize>| String::from_utf8_lossy(cell(at)).into_owned();
        let registrations = TRACKS.iter().filter_map(|(column, track, is_incremental)| {
            let logics = text(Some(at(column)?));
            let names: Vec<String> =
                logics.split(';').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
            let is_incremental = *is_incremental;
            (!names.is_empty()).then_some(Registration { track: *track, is_incremental, logics: Logics::Names(names) })
        });
        let entry = Entry {
            name: cells::name(cell(name), "solver")?,
            competing: cells::yes_or_no(cell(competing), "Competing")?.unwrap_or(false),
            variant_of: text(variant),
            wraps: text(wrapper),
            derived_from: text(derived),
            registrations: registrations.collect(),
        };
        let ids = |columns: &[usize]| -> Vec<String> { columns.iter().map(|at| text(Some(*at))).collect() };
        collected.registry.add(entry, &ids(&solver_ids), &ids(&configuration_ids));
        Ok(())
    })
}

/// Reads a list of benchmarks with their numbers of queries.
pub(crate) fn queries(collected: &mut Collected, columns: &Columns, lines: &mut Lines) -> Result<(), ImportError> {
    lines.each(collected, |collected, _, record| {
        columns.check_width(record)?;
        let count = record.get(1).and_then(cells::number).filter(|count| *count <= u64::from(u32::MAX));
        let count = count.ok_or("num_check_sat is not a number below 2^32")?;
        collected.list_queries(cells::from_logic(&record[0]), count)
    })
}

/// Reads a list of statuses that the organizers decided on.
pub(crate) fn decided(collected: &mut Collected, columns: &Columns, lines: &mut Lines) -> Result<(), ImportError> {
    lines.each(collected, |collected, _, record| {
        columns.check_width(record)?;
        let status = cells::status(&record[1])?;
        match collected.decided.insert(cells::from_logic(&record[0]), status) {
            Some(other) if other != status => {
                Err(format!("the status is {status} here, but {other} in an earlier line"))
            }
            _ => Ok(()),
        }
    })
}

/// Facts about a benchmark in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The benchmark's status.
    pub status: Status,
    /// The number of assertions in the benchmark.
    pub asserts: u64,
}

/// Reads statuses and numbers of assertions from a table with the columns `benchmark`, `status` and `number of
/// asserts`, in this order if the table has no headings. Returns them with the malformed lines.
pub fn read_facts(file: &Path) -> Result<(HashMap<BenchmarkPath, Facts>, Vec<LineError>), ImportError> {
    let columns = ["benchmark", "status", "number of asserts"];
    read_table(file, columns, |[_, status, asserts]| {
        let number = cells::number(asserts);
        let asserts = number.ok_or_else(|| format!("the number of asserts '{}' is not a number", shown(asserts)))?;
        let status = Status::read(status).ok_or_else(|| format!("unknown status '{}'", shown(status)))?;
        Ok(Facts { status, asserts })
    })
}

/// Reads difficulties from a table with the columns `benchmark` and `difficulty`, as printed by
/// `agon library difficulty`. Returns them with the malformed lines.
pub fn read_difficulties(file: &Path) -> Result<(HashMap<BenchmarkPath, f64>, Vec<LineError>), ImportError> {
    read_table(file, ["benchmark", "difficulty"], |[_, difficulty]| {
        let number = std::str::from_utf8(difficulty).ok().and_then(|text| text.parse().ok());
        number.ok_or_else(|| format!("the difficulty '{}' is not a number", shown(difficulty)))
    })
}

/// Reads a table of facts about benchmarks. The first column is the benchmark; `read` parses the cells of a line.
fn read_table<T, const N: usize>(
    file: &Path,
    names: [&str; N],
    read: impl Fn([&[u8]; N]) -> Result<T, String>,
) -> Result<(HashMap<BenchmarkPath, T>, Vec<LineError>), ImportError> {
    let mut known = HashMap::new();
    let mut collected = Collected::default();
    let mut read_one = |file: &Path, named, source| {
        collected.begin(file, named);
        let mut lines = Lines::new(source, file);
        let headings = lines.headings()?;
        let columns = Columns::new(&headings);
        let has_headings = names.iter().any(|name| columns.at(name).is_some());
        let places: [Option<usize>; N] =
            std::array::from_fn(|at| if has_headings { columns.at(names[at]) } else { Some(at) });
        if let Some(missing) = names.iter().zip(places).find(|(_, place)| place.is_none()) {
            collected.error(1, format!("there is no column '{}'", missing.0));
            return Ok(());
        }
        let mut take = |record: &ByteRecord| -> Result<(), String> {
            let cells = places.map(|at| at.and_then(|at| record.get(at)).unwrap_or(b""));
            let path = String::from_utf8_lossy(cells[0]);
            let path = BenchmarkPath::from_logic(&path)
                .ok_or_else(|| format!("no directory of '{path}' names a logic, such as QF_BV"))?;
            known.insert(path, read(cells)?);
            Ok(())
        };
        if !has_headings && let Err(message) = take(&headings) {
            collected.error(1, message);
        }
        lines.each(&mut collected, |_, _, record| take(record))
    };
    each_file(file, &mut read_one, &mut vec![])?;
    Ok((known, collected.into_errors()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn malformed_rows_are_reported_and_the_others_are_read() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("facts.csv");
        let read = |text: &str| {
            std::fs::write(&file, text).unwrap();
            let (facts, errors) = read_facts(&file).unwrap();
            (facts, errors.iter().map(|error| error.line).collect::<Vec<_>>())
        };
        let (facts, lines) = read(
            "benchmark,number of asserts,status\r\n./QF_BV/a.smt2,3,sat\r\n\r\nx,1,sat\r\nQF_BV/b.smt2,?,sat\r\nQF_BV/b.smt2,1,maybe\r\n",
        );
        assert_eq!(lines, [4, 5, 6]);
        assert_eq!(facts[&BenchmarkPath("QF_BV/a.smt2".into())], Facts { status: Status::Sat, asserts: 3 });
        let (facts, lines) = read("QF_BV/b.smt2,unsat,2\n");
        assert_eq!((facts[&BenchmarkPath("QF_BV/b.smt2".into())].asserts, lines.len()), (2, 0));
        assert_eq!(read("benchmark,status\n").1, [1]);
    }
}
