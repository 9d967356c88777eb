//! The input files of past selections: lists of paths, and the input of the 2012 tool. A malformed row is reported with
//! its line number, and the other rows are read.

use crate::candidate::Candidate;
use agon_domain::{BenchmarkPath, RowError};
use agon_rulebook::FamilyRule;
use std::collections::HashSet;

/// Reads a list of paths, one per line, and shortens each to start with its logic.
pub fn read_paths(text: &str) -> (Vec<String>, Vec<RowError>) {
    let (mut paths, mut errors) = (vec![], vec![]);
    for (line, path) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match BenchmarkPath::from_logic(path.trim()) {
            Some(path) => paths.push(path.0),
            None => {
                errors.push(RowError::new(
                    line as u64 + 1,
                    format!("no directory of '{path}' names a logic, such as QF_BV"),
                ));
            }
        }
    }
    (paths, errors)
}

/// Reads candidates from a list of paths, with the edition's definition of a family. Duplicate paths are ignored.
pub fn read_list(text: &str, family: FamilyRule) -> (Vec<Candidate>, Vec<RowError>) {
    let (paths, errors) = read_paths(text);
    let mut seen = HashSet::new();
    let candidates =
        paths.iter().filter(|path| seen.insert(path.as_str())).map(|path| Candidate::at(path, family)).collect();
    (candidates, errors)
}

/// Whether a text is input of the 2012 tool: its first line is a number.
pub fn is_tool_format(text: &str) -> bool {
    text.lines()
        .next()
        .map(str::trim)
        .is_some_and(|line| !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Reads candidates from input of the 2012 tool: the number of records, then one record per line with division, family,
/// category, difficulty, solution, id and file. A record with division `END` ends the input. If families are top-level
/// directories (2010 to 2012), only the first component of the family field is used.
pub fn read_tool_input(text: &str, rule: FamilyRule) -> (Vec<Candidate>, Vec<RowError>) {
    let (mut candidates, mut errors) = (vec![], vec![]);
    for (at, line) in text.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty()) {
        let fields: Vec<&str> = line.split_whitespace().collect();
        match fields[..] {
            ["END", ..] => break,
            [division, family, category, difficulty, solution, id, file] => {
                let row = (|| -> Result<Candidate, String> {
                    Ok(Candidate {
                        logic: division.to_owned(),
                        family: match rule {
                            FamilyRule::BottomDirectory => family,
                            FamilyRule::TopDirectory => family.split('/').next().unwrap_or(family),
                        }
                        .to_owned(),
                        category: Some(category.parse().map_err(|error| format!("{error}"))?),
                        difficulty: Some(
                            difficulty.parse().map_err(|_| format!("'{difficulty}' is not a difficulty"))?,
                        ),
                        status: solution.parse().map_err(|error| format!("{error}"))?,
                        id: Some(id.to_owned()),
                        ..Candidate::at(&format!("{division}/{family}/{file}"), rule)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_shortened_to_start_with_their_logic() {
        let (paths, errors) = read_paths("./QF_BV/a/b.smt2\n/non-incremental/ALL/x.smt2\n\nno/logic/here\nQF_BV\n");
        assert_eq!(paths, ["QF_BV/a/b.smt2", "ALL/x.smt2"]);
        assert_eq!(errors.iter().map(|error| error.line).collect::<Vec<_>>(), [4, 5]);
    }

    #[test]
    fn malformed_rows_are_reported_and_the_others_are_read() {
        let input = "3\nA f industrial 1.0 sat 1 a\nA f odd 1.0 sat 2 b\nA f\nA f crafted x sat 3 c\nA f random 2 unsat 4 d\nEND x\nrest";
        assert!(is_tool_format(input));
        let (candidates, errors) = read_tool_input(input, FamilyRule::BottomDirectory);
        assert_eq!(candidates.len(), 2);
        assert_eq!(errors.iter().map(|error| error.line).collect::<Vec<_>>(), [3, 4, 5]);
        let (candidates, _) = read_list("QF_BV/a.smt2\nQF_BV/b.smt2\nQF_BV/a.smt2\n", FamilyRule::BottomDirectory);
        assert_eq!(candidates.len(), 2);
    }

    #[test]
    fn in_2010_to_2012_a_family_is_the_first_component_of_its_path() {
        let input = "1\nQF_BV sage/app1 industrial 1.0 sat 1 a.smt2\nEND";
        let family = |rule| read_tool_input(input, rule).0.remove(0).family;
        assert_eq!(
            (family(FamilyRule::TopDirectory), family(FamilyRule::BottomDirectory)),
            ("sage".into(), "sage/app1".into())
        );
        let listed = |rule| read_list("QF_BV/sage/app1/a.smt2\n", rule).0.remove(0).family;
        assert_eq!(listed(FamilyRule::TopDirectory), "QF_BV/sage");
        assert_eq!(listed(FamilyRule::BottomDirectory), "QF_BV/sage/app1");
    }
}
