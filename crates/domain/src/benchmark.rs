//! Benchmarks and their metadata.

use crate::{Digest, Status};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// The logic a benchmark declares with `set-logic`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Logic(pub String);

impl fmt::Display for Logic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// A benchmark's place in the library, below its root, with `/` between the parts:
/// `non-incremental/QF_BV/factoring/factoring_unsat_10.smt2`. Sorting by it is the library's order.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BenchmarkPath(pub String);

impl BenchmarkPath {
    /// The folder part: the bottom-level folder that the submitter made, which is the family (R19-6.3).
    pub fn family(&self) -> &str {
        self.0.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// The folder right below the logic's, which was the family in some years.
    pub fn top_folder(&self) -> &str {
        let mut ends = self.0.match_indices('/').map(|(at, _)| at);
        let parts_before = if self.part().is_some() { 2 } else { 1 };
        ends.nth(parts_before).map_or_else(|| self.family(), |end| &self.0[..end])
    }

    /// `incremental` or `non-incremental`, if the path begins with one of them.
    pub fn part(&self) -> Option<&str> {
        self.0.split('/').next().filter(|part| ["incremental", "non-incremental"].contains(part))
    }

    /// The folder that the library has for a logic, if the path has one in its place and it looks like one.
    pub fn logic_folder(&self) -> Option<&str> {
        let mut parts = self.0.split('/').skip(usize::from(self.part().is_some()));
        let folder = parts.next().filter(|folder| looks_like_a_logic(folder))?;
        parts.next().map(|_| folder)
    }

    /// The path down to the logic: `non-incremental/QF_BV`.
    pub fn part_and_logic(&self) -> String {
        self.0.split('/').take(2).collect::<Vec<_>>().join("/")
    }

    /// A path from its logic on. Lists and results have all sorts of things before it; nothing if no part looks like a
    /// logic.
    pub fn from_logic(path: &str) -> Option<Self> {
        let mut rest = path;
        loop {
            let (part, below) = rest.split_once('/')?;
            if looks_like_a_logic(part) {
                return Some(Self(rest.to_owned()));
            }
            rest = below;
        }
    }

    /// Whether the file stands in the library's non-incremental part.
    pub fn is_non_incremental(&self) -> bool {
        self.0.starts_with("non-incremental/")
    }
}

impl fmt::Display for BenchmarkPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// Whether a folder is named as a logic is: `QF_` and capital letters, or the names of theories one after the other.
fn looks_like_a_logic(part: &str) -> bool {
    const THEORIES: [&str; 20] = [
        "AX", "A", "UF", "DT", "BV", "FP", "FF", "NIRA", "NIA", "NRA", "LIRA", "LIA", "LRA", "IDL", "RDL", "SEQ", "S",
        "ALL", "HORN", "T",
    ];
    if let Some(rest) = part.strip_prefix("QF_") {
        return rest.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_');
    }
    // Longer names first: LIRA is not L, I and RA.
    let mut rest = part;
    while let Some(theory) =
        THEORIES.iter().filter(|theory| rest.starts_with(**theory)).max_by_key(|theory| theory.len())
    {
        rest = &rest[theory.len()..];
    }
    rest.is_empty() && !part.is_empty()
}

/// Where a benchmark comes from (R08-4.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// From an application.
    Industrial,
    /// Made by hand to be difficult or telling.
    Crafted,
    /// Made at random.
    Random,
    /// A simple test of conformance.
    Check,
}

impl Category {
    /// The word in `(set-info :category …)`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Industrial => "industrial",
            Self::Crafted => "crafted",
            Self::Random => "random",
            Self::Check => "check",
        }
    }
}

/// A word that names no category.
#[derive(Debug, thiserror::Error)]
#[error("no category is called '{0}'; the categories are industrial, crafted, random, check")]
pub struct UnknownCategory(String);

impl FromStr for Category {
    type Err = UnknownCategory;

    fn from_str(word: &str) -> Result<Self, UnknownCategory> {
        match word {
            "industrial" => Ok(Self::Industrial),
            "crafted" => Ok(Self::Crafted),
            "random" => Ok(Self::Random),
            "check" => Ok(Self::Check),
            other => Err(UnknownCategory(other.to_owned())),
        }
    }
}

/// One benchmark of a library: its identity and what its header says.
#[derive(Clone, Debug, PartialEq)]
pub struct Benchmark {
    /// Its place below the library's root.
    pub path: BenchmarkPath,
    /// The digest of the file.
    pub digest: Digest,
    /// The digest of its words, the same for files that differ in formatting only.
    pub shape: Digest,
    /// Its size in bytes.
    pub bytes: u64,
    /// The logic that it declares.
    pub logic: Logic,
    /// What is known of each of its `check-sat`s, in order.
    pub statuses: Vec<Status>,
    /// Its category, where the header names one.
    pub category: Option<Category>,
    /// The difficulty that its header declares, from 0 to 5 (R08-4.10).
    pub difficulty: Option<f64>,
    /// The first line of what its header says of its source.
    pub source: Option<String>,
    /// The licence in its header.
    pub licence: Option<String>,
    /// How many `assert` commands it has.
    pub asserts: u64,
}

impl Benchmark {
    /// The status of a benchmark with a single query; unknown where there are several.
    pub fn status(&self) -> Status {
        match self.statuses.as_slice() {
            [status] => *status,
            _ => Status::Unknown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r19_6_3_family_is_the_bottom_folder() {
        let path = BenchmarkPath("non-incremental/QF_BV/submitter/part/a.smt2".into());
        assert_eq!(path.family(), "non-incremental/QF_BV/submitter/part");
        assert!(path.is_non_incremental());
        assert_eq!(path.top_folder(), "non-incremental/QF_BV/submitter");
        assert_eq!(path.logic_folder(), Some("QF_BV"));
        assert_eq!(BenchmarkPath("QF_BV/submitter/part/a.smt2".into()).top_folder(), "QF_BV/submitter");
        assert_eq!(BenchmarkPath("incremental/QF_BV/a.smt2".into()).top_folder(), "incremental/QF_BV");
        assert_eq!(BenchmarkPath("non-incremental/mine/a.smt2".into()).logic_folder(), None);
        assert_eq!(BenchmarkPath::from_logic("./Main Track/QF_BV/x/a.smt2").unwrap().0, "QF_BV/x/a.smt2");
        assert_eq!(BenchmarkPath::from_logic("no/logic/QF_BV"), None);
        let full = BenchmarkPath::from_logic("/data/SMTLIB/non-incremental/QF_BV/x/a.smt2").unwrap();
        assert_eq!(full.0, "QF_BV/x/a.smt2");
        for path in
            ["QF_LRA/my-incremental/ABC/x.smt2", "QF_LRA/other/incremental/y.smt2", "AUFBVDTLIA/20172804-Barrett/x"]
        {
            assert_eq!(BenchmarkPath::from_logic(path).unwrap().0, path);
            assert_eq!(BenchmarkPath::from_logic(&format!("HOME/{path}")).unwrap().0, path);
        }
    }
}
