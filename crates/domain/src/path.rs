//! The paths of benchmarks, and their components: the part of the library, the logic, the family.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A benchmark's path below the root of the library, with `/` between the parts:
/// `non-incremental/QF_BV/factoring/factoring_unsat_10.smt2`. Paths sort in the library's order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BenchmarkPath(pub String);

impl BenchmarkPath {
    /// The directory of the file, which is its family by R08-4.8 and R19-6.3.
    pub fn family(&self) -> &str {
        bottom_directory(&self.0)
    }

    /// `incremental` or `non-incremental`, if the path starts with one of them.
    pub fn part(&self) -> Option<&str> {
        part(&self.0)
    }

    /// The directory of the logic, if the path has one directly below the library's root or part.
    pub fn logic_directory(&self) -> Option<&str> {
        let mut parts = self.0.split('/').skip(usize::from(self.part().is_some()));
        let directory = parts.next().filter(|directory| looks_like_a_logic(directory))?;
        parts.next().map(|_| directory)
    }

    /// The first two components of the path: `non-incremental/QF_BV`.
    pub fn part_and_logic(&self) -> String {
        self.0.split('/').take(2).collect::<Vec<_>>().join("/")
    }

    /// The path starting at its logic, or `None` if no directory in it names a logic. See [`split_logic`].
    pub fn from_logic(path: &str) -> Option<Self> {
        split_logic(path).map(|(_, rest)| Self(rest.to_owned()))
    }

    /// Whether the file is in the library's non-incremental part.
    pub fn is_non_incremental(&self) -> bool {
        self.part() == Some("non-incremental")
    }
}

impl fmt::Display for BenchmarkPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

fn part(path: &str) -> Option<&str> {
    path.split('/').next().filter(|part| ["incremental", "non-incremental"].contains(part))
}

/// The logic in a path, and the path starting there. Lists and results put StarExec spaces and other directories before
/// the logic.
///
/// The first directory that is spelled like a known logic is taken. Failing that, it is the first of the first three
/// directories that is all capitals (a logic with a theory unknown here) or a division of SL-COMP (`qf_shls_entl`).
pub fn split_logic(path: &str) -> Option<(&str, &str)> {
    let first = |matches: fn(&str) -> bool, most: usize| {
        let mut start = 0;
        let mut seen = 0;
        while let Some(length) = path[start..].find('/') {
            let directory = &path[start..start + length];
            if matches(directory) {
                return Some((directory, &path[start..]));
            }
            start += length + 1;
            seen += usize::from(!matches!(directory, "" | "." | ".."));
            if seen >= most {
                break;
            }
        }
        None
    };
    first(looks_like_a_logic, usize::MAX).or_else(|| first(may_be_a_logic, 3))
}

/// The path starting at its logic, or all of it if no directory names a logic. Lists, results and libraries put
/// different directories before the logic; only the rest identifies the benchmark in all of them.
pub fn from_logic(path: &str) -> &str {
    split_logic(path).map_or(path, |(_, rest)| rest)
}

/// The directory that contains a file; empty for a bare file name.
pub fn bottom_directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// The first directory below that of the logic; for a file in the logic's own directory, that directory. For a path
/// without a logic, the first directory.
pub fn top_directory(path: &str) -> &str {
    let start = match split_logic(path) {
        Some((logic, rest)) => path.len() - rest.len() + logic.len() + 1,
        None => part(path).map_or(0, |part| part.len() + 1),
    };
    let end = path.get(start..).and_then(|below| below.find('/'));
    end.map_or_else(|| bottom_directory(path), |end| &path[..start + end])
}

/// Whether a directory is named like a logic: `QF_` and capital letters, or a sequence of theory names.
fn looks_like_a_logic(part: &str) -> bool {
    const THEORIES: [&str; 20] = [
        "AX", "A", "UF", "DT", "BV", "FP", "FF", "NIRA", "NIA", "NRA", "LIRA", "LIA", "LRA", "IDL", "RDL", "SEQ", "S",
        "ALL", "HORN", "T",
    ];
    if !part.starts_with(|first: char| first.is_ascii_uppercase()) {
        return false;
    }
    if let Some(rest) = part.strip_prefix("QF_") {
        return rest.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    }
    // The longest match wins, so that AX is not read as A followed by an unknown X.
    let mut rest = part;
    let mut has_long_name = false;
    while let Some(theory) =
        THEORIES.iter().filter(|theory| rest.starts_with(**theory)).max_by_key(|theory| theory.len())
    {
        rest = &rest[theory.len()..];
        has_long_name |= theory.len() > 1;
    }
    // A directory named T or SAT is not a logic, although T, S and A are theory names.
    rest.is_empty() && has_long_name
}

/// Whether a directory may be a logic that is unknown here, or is a division of SL-COMP.
fn may_be_a_logic(part: &str) -> bool {
    let is_capital = part.bytes().any(|byte| byte.is_ascii_uppercase())
        && part.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"_+".contains(&byte));
    let kind = part.strip_suffix("_sat").or_else(|| part.strip_suffix("_entl"));
    let is_fragment = |name: &str| name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_capital || kind.is_some_and(|name| !name.is_empty() && is_fragment(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r08_4_8_and_r19_6_3_family_is_the_bottom_directory() {
        let path = BenchmarkPath("non-incremental/QF_BV/submitter/part/a.smt2".into());
        assert_eq!(path.family(), "non-incremental/QF_BV/submitter/part");
        assert!(path.is_non_incremental());
        assert_eq!(path.logic_directory(), Some("QF_BV"));
        assert_eq!(BenchmarkPath("non-incremental/mine/a.smt2".into()).logic_directory(), None);
    }

    #[test]
    fn the_top_directory_is_below_the_logic() {
        for (path, family) in [
            ("non-incremental/QF_BV/submitter/part/a.smt2", "non-incremental/QF_BV/submitter"),
            ("QF_BV/submitter/part/a.smt2", "QF_BV/submitter"),
            ("incremental/QF_BV/a.smt2", "incremental/QF_BV"),
            ("mine/more/a.smt2", "mine"),
            ("non-incremental/mine/more/a.smt2", "non-incremental/mine"),
            ("a.smt2", ""),
        ] {
            assert_eq!(top_directory(path), family, "{path}");
        }
    }

    #[test]
    fn the_logic_is_below_spaces_and_directories() {
        for (path, found) in [
            ("./Main Track/QF_BV/x/a.smt2", Some(("QF_BV", "QF_BV/x/a.smt2"))),
            ("Competition - Unsat Core Track/QF_BV/x/a.smt2", Some(("QF_BV", "QF_BV/x/a.smt2"))),
            ("/data/SMTLIB/non-incremental/QF_BV/x/a.smt2", Some(("QF_BV", "QF_BV/x/a.smt2"))),
            ("HOME/QF_LRA/my-incremental/ABC/x.smt2", Some(("QF_LRA", "QF_LRA/my-incremental/ABC/x.smt2"))),
            ("AUFBVDTLIA/20172804-Barrett/x", Some(("AUFBVDTLIA", "AUFBVDTLIA/20172804-Barrett/x"))),
            ("Track/NEWLOGIC/a.smt2", Some(("NEWLOGIC", "NEWLOGIC/a.smt2"))),
            ("non-incremental/qf_shls_entl/a.smt2", Some(("qf_shls_entl", "qf_shls_entl/a.smt2"))),
            ("no/logic/QF_BV", None),
            ("no/logic/here", None),
            ("a.smt2", None),
            ("Some space/a.smt2", None),
        ] {
            assert_eq!(split_logic(path), found, "{path}");
        }
    }
}
