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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Benchmark {
    /// Its place below the library's root.
    pub path: BenchmarkPath,
    /// The digest of the file.
    pub digest: Digest,
    /// Its size in bytes.
    pub bytes: u64,
    /// The logic that it declares.
    pub logic: Logic,
    /// What is known of each of its `check-sat`s, in order.
    pub statuses: Vec<Status>,
    /// Its category, where the header names one.
    pub category: Option<Category>,
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
    }
}
