//! The files that selections were made from: lists of paths, and the input of the 2012 program. A malformed row is
//! reported with its line, and the rest is read.

use crate::candidate::Candidate;
use agon_domain::{BenchmarkPath, RowError};
use agon_rulebook::FamilyRule;
use std::collections::HashSet;

/// The paths of a list, one per line.
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

/// The candidates of a list of paths, with the edition's definition of a family. A path that is listed twice is one
/// candidate.
pub fn read_list(text: &str, family: FamilyRule) -> (Vec<Candidate>, Vec<RowError>) {
    let (paths, errors) = read_paths(text);
    let mut seen = HashSet::new();
    let candidates =
        paths.iter().filter(|path| seen.insert(path.as_str())).map(|path| Candidate::at(path, family)).collect();
    (candidates, errors)
}

/// Whether a text is input of the 2012 program: it begins with a number.
pub fn is_tool_format(text: &str) -> bool {
    text.lines()
        .next()
        .map(str::trim)
        .is_some_and(|line| !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The candidates in input of the 2012 program: their number, then for each its division, family, category, difficulty,
/// solution, number and file. A record of division `END` ends it. Where families are top-level directories (2010 to
/// 2012), the family is the first component of its path.
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
                            FamilyRule::BottomFolder => family,
                            FamilyRule::TopFolder => family.split('/').next().unwrap_or(family),
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
    fn paths_begin_with_their_logic() {
        let (paths, errors) = read_paths("./QF_BV/a/b.smt2\n/non-incremental/ALL/x.smt2\n\nno/logic/here\nQF_BV\n");
        assert_eq!(paths, ["QF_BV/a/b.smt2", "ALL/x.smt2"]);
        assert_eq!(errors.iter().map(|error| error.line).collect::<Vec<_>>(), [4, 5]);
    }

    #[test]
    fn malformed_rows_are_named_and_the_others_are_read() {
        let input = "3\nA f industrial 1.0 sat 1 a\nA f odd 1.0 sat 2 b\nA f\nA f crafted x sat 3 c\nA f random 2 unsat 4 d\nEND x\nrest";
        assert!(is_tool_format(input));
        let (candidates, errors) = read_tool_input(input, FamilyRule::BottomFolder);
        assert_eq!(candidates.len(), 2);
        assert_eq!(errors.iter().map(|error| error.line).collect::<Vec<_>>(), [3, 4, 5]);
        let (candidates, _) = read_list("QF_BV/a.smt2\nQF_BV/b.smt2\nQF_BV/a.smt2\n", FamilyRule::BottomFolder);
        assert_eq!(candidates.len(), 2);
    }

    #[test]
    fn in_2010_to_2012_a_family_is_the_first_component_of_its_path() {
        let input = "1\nQF_BV sage/app1 industrial 1.0 sat 1 a.smt2\nEND";
        let family = |rule| read_tool_input(input, rule).0.remove(0).family;
        assert_eq!(
            (family(FamilyRule::TopFolder), family(FamilyRule::BottomFolder)),
            ("sage".into(), "sage/app1".into())
        );
        let listed = |rule| read_list("QF_BV/sage/app1/a.smt2\n", rule).0.remove(0).family;
        assert_eq!(listed(FamilyRule::TopFolder), "QF_BV/sage");
        assert_eq!(listed(FamilyRule::BottomFolder), "QF_BV/sage/app1");
    }
}
