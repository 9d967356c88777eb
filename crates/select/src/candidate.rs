//! The candidates of a selection, and the benchmarks that are new this year.

use agon_domain::{BenchmarkPath, Category, Status};
use agon_rulebook::FamilyRule;
use std::collections::HashMap;

/// A benchmark, with the metadata that a selection depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// The path of the benchmark.
    pub path: BenchmarkPath,
    /// The name it is ranked under: its logic or its division.
    pub logic: String,
    /// The family, by the edition's definition.
    pub family: String,
    /// The status; `unknown` if there are several queries.
    pub status: Status,
    /// The number of `assert`s, if known.
    pub asserts: Option<u64>,
    /// The number of `check-sat`s, if known.
    pub queries: Option<u64>,
    /// The category, if it has one.
    pub category: Option<Category>,
    /// The difficulty, if known: from 0 to 5, or seconds in 2014.
    pub difficulty: Option<f64>,
    /// Whether all earlier runs solved it within the edition's bound for trivial benchmarks.
    pub is_trivial: bool,
    /// What earlier solvers achieved on it.
    pub past: Past,
    /// Whether it was nominated for the challenge (R19-5.24).
    pub nominated: bool,
    /// The organizers' reason for excluding it, if they do (R19-6.4).
    pub excluded: Option<String>,
    /// The number that identifies it in the lists of old editions.
    pub id: Option<String>,
}

impl Candidate {
    /// A candidate whose path, which starts with the logic, is all that is known.
    pub fn at(path: &str, family: FamilyRule) -> Self {
        let logic = path.split('/').next().unwrap_or_default().to_owned();
        let path = BenchmarkPath(path.to_owned());
        Self {
            logic,
            family: family.of(&path.0).to_owned(),
            path,
            status: Status::Unknown,
            asserts: None,
            queries: None,
            category: None,
            difficulty: None,
            is_trivial: false,
            past: Past::Unknown,
            nominated: true,
            excluded: None,
            id: None,
        }
    }
}

/// What the solvers of earlier years achieved on a benchmark.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Past {
    /// No results are known.
    #[default]
    Unknown,
    /// The fastest solver needed this many seconds of CPU time.
    Solved(f64),
    /// No solver solved it.
    Unsolved,
}

/// The benchmarks that are new this year, by family.
#[derive(Clone, Debug, Default)]
pub struct NewBenchmarks {
    /// The families, in the order in which the organizers' list names them first.
    pub families: Vec<NewFamily>,
}

/// A family with benchmarks that are new this year.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFamily {
    /// The logic of the family.
    pub logic: String,
    /// The name of the family.
    pub name: String,
    /// The new benchmarks of the family, sorted by path.
    pub members: Vec<BenchmarkPath>,
}

impl NewBenchmarks {
    /// Groups the logic, family and path of listed benchmarks by family.
    pub fn of(listed: impl IntoIterator<Item = (String, String, BenchmarkPath)>) -> Self {
        let mut places = HashMap::new();
        let mut families: Vec<NewFamily> = vec![];
        for (logic, name, path) in listed {
            let at = *places.entry((logic.clone(), name.clone())).or_insert_with(|| {
                families.push(NewFamily { logic, name, members: vec![] });
                families.len() - 1
            });
            families[at].members.push(path);
        }
        for family in &mut families {
            family.members.sort_unstable();
            family.members.dedup();
        }
        Self { families }
    }
}
