//! The files that selections have been made from: lists of paths, tables of facts, and the input of the 2012 program. A row that makes no sense is reported with its line, and the rest is read.

use crate::candidate::Candidate;
use agon_domain::{BenchmarkPath, RowError, Status};
use std::collections::{HashMap, HashSet};

/// The paths of a list, one to a line.
pub fn read_paths(text: &str) -> (Vec<String>, Vec<RowError>) {
    let (mut paths, mut errors) = (vec![], vec![]);
    for (line, path) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match BenchmarkPath::from_logic(path.trim()) {
            Some(path) => paths.push(path.0),
            None => {
                errors.push(RowError::new(line as u64 + 1, format!("no part of '{path}' is a logic, such as QF_BV")));
            }
        }
    }
    (paths, errors)
}

/// The candidates of a list of paths. A path that stands there twice is one candidate.
pub fn read_list(text: &str) -> (Vec<Candidate>, Vec<RowError>) {
    let (paths, errors) = read_paths(text);
    let mut seen = HashSet::new();
    let candidates = paths.iter().filter(|path| seen.insert(path.as_str())).map(|path| Candidate::at(path)).collect();
    (candidates, errors)
}

/// Whether a text is input of the 2012 program: it begins with a number.
pub fn is_tool_format(text: &str) -> bool {
    text.lines()
        .next()
        .map(str::trim)
        .is_some_and(|line| !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The candidates in input of the 2012 program: how many there are, then for each its division, family, category,
/// difficulty, solution, number and file. A record of division `END` ends it.
pub fn read_tool_input(text: &str) -> (Vec<Candidate>, Vec<RowError>) {
    let (mut candidates, mut errors) = (vec![], vec![]);
    for (at, line) in text.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        match fields[..] {
            ["END", ..] => break,
            [division, family, category, difficulty, solution, id, file] => {
                let row = (|| -> Result<Candidate, String> {
                    Ok(Candidate {
                        logic: division.to_owned(),
                        family: family.to_owned(),
                        category: Some(category.parse().map_err(|error| format!("{error}"))?),
                        difficulty: Some(difficulty.parse().map_err(|_| format!("'{difficulty}' is no difficulty"))?),
                        status: solution.parse()?,
                        id: Some(id.to_owned()),
                        ..Candidate::at(&format!("{division}/{family}/{file}"))
                    })
                })();
                match row {
                    Ok(candidate) => candidates.push(candidate),
                    Err(message) => errors.push(RowError::new(at as u64 + 1, message)),
                }
            }
            _ => errors.push(RowError::new(at as u64 + 1, format!("expected 7 fields, found {}", fields.len()))),
        }
    }
    (candidates, errors)
}

/// Adds statuses and numbers of assertions from a table with the columns `benchmark`, `status` and `number of asserts`.
/// Without a line that names them they stand in this order.
pub fn add_facts(candidates: &mut [Candidate], table: &str) -> Vec<RowError> {
    let mut errors = vec![];
    let mut facts: HashMap<BenchmarkPath, (Status, u64)> = HashMap::new();
    let (columns, rows) = match rows(table, &["benchmark", "status", "number of asserts"]) {
        Ok(found) => found,
        Err(error) => return vec![error],
    };
    for (line, row) in rows {
        let read = row.map_err(|error| error.to_string()).and_then(|row| {
            let cell = |at: usize| row.get(columns[at]).unwrap_or_default();
            let path =
                BenchmarkPath::from_logic(cell(0)).ok_or_else(|| format!("no part of '{}' is a logic", cell(0)))?;
            let asserts = cell(2).trim().parse().map_err(|_| format!("'{}' is no number of assertions", cell(2)))?;
            Ok((path, (cell(1).trim().parse()?, asserts)))
        });
        match read {
            Ok((path, fact)) => _ = facts.insert(path, fact),
            Err(message) => errors.push(RowError::new(line, message)),
        }
    }
    for candidate in candidates {
        if let Some((status, asserts)) = facts.get(&candidate.path) {
            (candidate.status, candidate.asserts) = (*status, Some(*asserts));
        }
    }
    errors
}

/// Sets difficulties from a table with the columns `benchmark` and `difficulty`, as `agon library difficulty` prints it.
pub fn add_difficulties(candidates: &mut [Candidate], table: &str) -> Vec<RowError> {
    let mut errors = vec![];
    let mut known: HashMap<BenchmarkPath, f64> = HashMap::new();
    let (columns, rows) = match rows(table, &["benchmark", "difficulty"]) {
        Ok(found) => found,
        Err(error) => return vec![error],
    };
    for (line, row) in rows {
        let read = row.map_err(|error| error.to_string()).and_then(|row| {
            let cell = |at: usize| row.get(columns[at]).unwrap_or_default().trim();
            let path =
                BenchmarkPath::from_logic(cell(0)).ok_or_else(|| format!("no part of '{}' is a logic", cell(0)))?;
            let difficulty = cell(1).parse().map_err(|_| format!("'{}' is no difficulty", cell(1)))?;
            Ok((path, difficulty))
        });
        match read {
            Ok((path, difficulty)) => _ = known.insert(path, difficulty),
            Err(message) => errors.push(RowError::new(line, message)),
        }
    }
    for candidate in candidates {
        let path = BenchmarkPath::from_logic(&candidate.path.0);
        if let Some(difficulty) = path.and_then(|path| known.get(&path).copied()) {
            candidate.difficulty = Some(difficulty);
        }
    }
    errors
}

fn headings(table: &str) -> Vec<String> {
    let mut reader = csv::ReaderBuilder::new().from_reader(table.as_bytes());
    reader.headers().map(|row| row.iter().map(|cell| cell.trim().to_owned()).collect()).unwrap_or_default()
}

/// The places of these columns, and the rows of a table with their lines. A table whose first line names none of them has
/// them in this order.
#[expect(clippy::type_complexity, reason = "two things that belong together, used here only")]
fn rows<'a>(
    table: &'a str,
    wanted: &[&str],
) -> Result<(Vec<usize>, impl Iterator<Item = (u64, csv::Result<csv::StringRecord>)> + 'a), RowError> {
    let headings = headings(table);
    let has_headings = headings.iter().any(|heading| wanted.contains(&heading.as_str()));
    let mut columns = vec![];
    for (at, name) in wanted.iter().enumerate() {
        let found = if has_headings { headings.iter().position(|heading| heading == name) } else { Some(at) };
        columns.push(found.ok_or_else(|| RowError::new(1, format!("there is no column '{name}'")))?);
    }
    let reader = csv::ReaderBuilder::new().has_headers(has_headings).flexible(true).from_reader(table.as_bytes());
    let rows = reader.into_records().map(move |row| {
        let line = match &row {
            Ok(row) => row.position().map_or(0, csv::Position::line),
            Err(error) => error.position().map_or(0, csv::Position::line),
        };
        (line, row)
    });
    Ok((columns, rows))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_begin_with_their_logic() {
        let (paths, errors) = read_paths("./QF_BV/a/b.smt2\n/non-incremental/ALL/x.smt2\n\nno/logic/here\nQF_BV\n");
        assert_eq!(paths, ["QF_BV/a/b.smt2", "ALL/x.smt2"]);
        assert_eq!(errors.iter().map(|error| error.line).collect::<Vec<_>>(), [4, 5]);
    }

    #[test]
    fn broken_rows_are_named_and_the_rest_is_read() {
        let input = "3\nA f industrial 1.0 sat 1 a\nA f odd 1.0 sat 2 b\nA f\nA f crafted x sat 3 c\nA f random 2 unsat 4 d\nEND x\nrest";
        assert!(is_tool_format(input));
        let (candidates, errors) = read_tool_input(input);
        assert_eq!(candidates.len(), 2);
        assert_eq!(errors.iter().map(|error| error.line).collect::<Vec<_>>(), [3, 4, 5]);
        let (mut candidates, _) = read_list("QF_BV/a.smt2\nQF_BV/b.smt2\nQF_BV/a.smt2\n");
        assert_eq!(candidates.len(), 2);
        let errors = add_facts(
            &mut candidates,
            "benchmark,number of asserts,status\n./QF_BV/a.smt2,3,sat\nx,1,sat\nQF_BV/b.smt2,?,sat\nQF_BV/b.smt2,1,maybe\n",
        );
        assert_eq!(errors.iter().map(|error| error.line).collect::<Vec<_>>(), [3, 4, 5]);
        assert_eq!((candidates[0].status, candidates[0].asserts), (Status::Sat, Some(3)));
        assert!(add_facts(&mut candidates, "QF_BV/b.smt2,unsat,2\n").is_empty());
        assert_eq!((candidates[1].status, candidates[1].asserts), (Status::Unsat, Some(2)));
        assert_eq!(add_facts(&mut candidates, "benchmark,status\n").len(), 1);
    }
}
