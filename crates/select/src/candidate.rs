//! What a selection knows about a benchmark.

use agon_domain::{BenchmarkPath, Category, Status};
use agon_rulebook::FamilyRule;
use std::collections::HashMap;

/// What a selection knows about a benchmark.
#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Its path; the last component is the file.
    pub path: BenchmarkPath,
    /// The name it is ranked under: its logic, or its division.
    pub logic: String,
    /// Its family, by the edition's definition.
    pub family: String,
    /// Its status, if it has one query.
    pub status: Status,
    /// The number of its `assert`s, if known.
    pub asserts: Option<u64>,
    /// The number of its `check-sat`s, if known.
    pub queries: Option<u64>,
    /// Its category, if it has one.
    pub category: Option<Category>,
    /// Its difficulty, if known: from 0 to 5, or seconds in 2014.
    pub difficulty: Option<f64>,
    /// Whether all earlier runs solved it at once.
    pub is_trivial: bool,
    /// Why the organizers remove it, if they do (R19-6.4).
    pub excluded: Option<String>,
    /// Its name in lists of old editions: a number.
    pub id: Option<String>,
}

impl Candidate {
    /// A candidate of which only the path from its logic on is known.
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
            excluded: None,
            id: None,
        }
    }
}

/// What is new this year.
#[derive(Clone, Debug, Default)]
pub struct NewBenchmarks {
    /// Families in the order of the list that names them.
    pub families: Vec<NewFamily>,
}

/// A family with benchmarks that are new this year.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewFamily {
    /// Its logic.
    pub logic: String,
    /// Its name.
    pub name: String,
    /// Its new benchmarks, in the order of their paths.
    pub members: Vec<BenchmarkPath>,
}

impl NewBenchmarks {
    /// From the benchmarks of a list, in its order: logic, family and path of each.
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
