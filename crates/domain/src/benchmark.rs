//! Benchmarks and their metadata.

use crate::{BenchmarkPath, Digest, Status, did_you_mean};
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

/// The unit of ranking in a track: one logic, or a group of logics (R19-3.2, R19-6.1). A division of one logic is named
/// after it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Division(pub String);

impl Division {
    /// The division of a single logic.
    pub fn of(logic: &Logic) -> Self {
        Self(logic.0.clone())
    }

    /// Whether the division is named after this logic.
    pub fn is_logic(&self, logic: &Logic) -> bool {
        self.0 == logic.0
    }
}

impl fmt::Display for Division {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// The origin of a benchmark (R08-4.9).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Category {
    /// From an application.
    Industrial,
    /// Made by hand to be difficult or instructive.
    Crafted,
    /// Generated at random.
    Random,
    /// A simple conformance test.
    Check,
}

impl Category {
    /// The names of all categories.
    const NAMES: [&str; 4] = ["industrial", "crafted", "random", "check"];

    /// The value in `(set-info :category …)`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Industrial => "industrial",
            Self::Crafted => "crafted",
            Self::Random => "random",
            Self::Check => "check",
        }
    }
}

/// A word that does not name a category.
#[derive(Debug, thiserror::Error)]
#[error("unknown category '{0}'{hint}; the categories are industrial, crafted, random, check", hint = did_you_mean(.0, Category::NAMES))]
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

/// One benchmark of a library: its identity and its header.
#[derive(Clone, Debug, PartialEq)]
pub struct Benchmark {
    /// The path below the library's root.
    pub path: BenchmarkPath,
    /// The digest of the file.
    pub digest: Digest,
    /// The digest of the tokens, equal for files that differ only in formatting.
    pub shape: Digest,
    /// The size of the file in bytes.
    pub bytes: u64,
    /// The logic that the benchmark declares.
    pub logic: Logic,
    /// The status of each `check-sat`, in order.
    pub statuses: Vec<Status>,
    /// The category, if the header declares one.
    pub category: Option<Category>,
    /// The difficulty that the header declares, from 0 to 5 (R08-4.10).
    pub difficulty: Option<f64>,
    /// The first line of `:source` in the header.
    pub source: Option<String>,
    /// The license that the header declares.
    pub license: Option<String>,
    /// The number of `assert` commands.
    pub asserts: u64,
}

impl Benchmark {
    /// The status of a benchmark with a single query; `unknown` if it has several.
    pub fn status(&self) -> Status {
        match self.statuses.as_slice() {
            [status] => *status,
            _ => Status::Unknown,
        }
    }
}
