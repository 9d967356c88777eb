//! The selection of 2019: a share of each logic, with every new family in (R19-6.6, R19-6.7).

use crate::CRandom;
use agon_domain::{Benchmark, BenchmarkPath, Logic, Track};
use agon_rulebook::SelectionRules;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Why a benchmark is in or out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// In: its logic is small enough to be taken whole (R19-6.6 a).
    WholeLogic,
    /// In: drawn as the one of its new family (R19-6.7).
    NewFamily,
    /// In: drawn from the rest of its logic (R19-6.6 b, c).
    Drawn,
    /// Out: not drawn.
    NotDrawn,
    /// Out: it stands in the other part of the library.
    WrongPart,
    /// Out: it does not have exactly one `check-sat` (R19-5.16).
    NotOneQuery,
}

impl Reason {
    /// Whether the benchmark is run.
    pub const fn is_in(self) -> bool {
        matches!(self, Self::WholeLogic | Self::NewFamily | Self::Drawn)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::WholeLogic => "whole logic taken",
            Self::NewFamily => "drawn for its new family",
            Self::Drawn => "drawn",
            Self::NotDrawn => "not drawn",
            Self::WrongPart => "not in the library's non-incremental part",
            Self::NotOneQuery => "does not have exactly one check-sat",
        })
    }
}

/// The decision on one benchmark.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// Which benchmark.
    pub path: BenchmarkPath,
    /// Its logic.
    pub logic: Logic,
    /// In or out, and why.
    pub reason: Reason,
}

/// What is run in a track, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    /// For which track.
    pub track: Track,
    /// The seed that decided.
    pub seed: u32,
    /// One line per benchmark of the library, in the library's order.
    pub choices: Vec<Choice>,
}

impl Selection {
    /// The benchmarks that are run.
    pub fn chosen(&self) -> impl Iterator<Item = &Choice> {
        self.choices.iter().filter(|choice| choice.reason.is_in())
    }

    /// The selection as a table: the seed in front, then one line per benchmark with `in` or `out` and the reason.
    pub fn to_table(&self) -> Vec<u8> {
        let seed = format!("# seed {}\n", self.seed);
        let mut writer = csv::WriterBuilder::new().delimiter(b'\t').from_writer(seed.into_bytes());
        let mut write = |row: [&str; 4]| writer.write_record(row).expect("writing to memory cannot fail");
        write(COLUMNS);
        for Choice { path, logic, reason } in &self.choices {
            write([&path.0, &logic.0, if reason.is_in() { "in" } else { "out" }, &reason.to_string()]);
        }
        writer.into_inner().expect("writing to memory cannot fail")
    }

    /// The seed and the benchmarks that a table of [`Self::to_table`] selects.
    pub fn chosen_in(table: &[u8]) -> Result<(u32, Vec<BenchmarkPath>), String> {
        let line = table.split(|byte| *byte == b'\n').next().unwrap_or_default();
        let seed = str::from_utf8(line).ok().and_then(|line| line.strip_prefix("# seed ")?.trim().parse().ok());
        let seed = seed.ok_or("line 1 has to be '# seed' and a number")?;
        let mut reader = csv::ReaderBuilder::new().delimiter(b'\t').comment(Some(b'#')).from_reader(table);
        if reader.headers().map_err(|error| error.to_string())?.iter().ne(COLUMNS) {
            return Err(format!("line 2 has to be {}", COLUMNS.join(", ")));
        }
        let mut chosen = vec![];
        for (at, row) in reader.records().enumerate() {
            let row = row.map_err(|error| error.to_string())?;
            match (row.get(0), row.get(2)) {
                (Some(path), Some("in")) => chosen.push(BenchmarkPath(path.to_owned())),
                (Some(_), Some("out")) => {}
                _ => return Err(format!("line {}: the third column has to be 'in' or 'out'", at + 3)),
            }
        }
        Ok((seed, chosen))
    }
}

const COLUMNS: [&str; 4] = ["benchmark", "logic", "selected", "reason"];

/// Selects for the single-query track. The library's order and the seed decide alone: logics are drawn from in the
/// order of their names, benchmarks stand in the order of their paths.
pub fn select(
    rules: &SelectionRules,
    benchmarks: &[Benchmark],
    new_families: &BTreeSet<String>,
    seed: u32,
) -> Selection {
    let mut reasons: BTreeMap<&BenchmarkPath, (&Logic, Reason)> = BTreeMap::new();
    let mut pools: BTreeMap<&Logic, Vec<&BenchmarkPath>> = BTreeMap::new();
    for benchmark in benchmarks {
        let reason = if !benchmark.path.is_non_incremental() {
            Reason::WrongPart
        } else if benchmark.statuses.len() != 1 {
            Reason::NotOneQuery
        } else {
            pools.entry(&benchmark.logic).or_default().push(&benchmark.path);
            Reason::NotDrawn
        };
        reasons.insert(&benchmark.path, (&benchmark.logic, reason));
    }
    let mut random = CRandom::new(seed);
    for (logic, mut pool) in pools {
        pool.sort_unstable();
        for (path, reason) in draw(rules, &pool, new_families, &mut random) {
            reasons.insert(path, (logic, reason));
        }
    }
    let choices = reasons
        .into_iter()
        .map(|(path, (logic, reason))| Choice { path: path.clone(), logic: logic.clone(), reason })
        .collect();
    Selection { track: Track::SingleQuery, seed, choices }
}

/// The benchmarks taken of one logic.
fn draw<'a>(
    rules: &SelectionRules,
    pool: &[&'a BenchmarkPath],
    new_families: &BTreeSet<String>,
    random: &mut CRandom,
) -> Vec<(&'a BenchmarkPath, Reason)> {
    if pool.len() <= rules.all_up_to {
        return pool.iter().map(|path| (*path, Reason::WholeLogic)).collect();
    }
    let wanted = rules.at_least.max(pool.len() * rules.percent / 100);
    let mut rest: Vec<_> = pool.to_vec();
    let mut taken = vec![];
    for family in new_families {
        let members: Vec<usize> = (0..rest.len()).filter(|at| rest[*at].family() == family).collect();
        if !members.is_empty() && taken.len() < wanted {
            let drawn = rest.remove(members[random.below(members.len())]);
            taken.push((drawn, Reason::NewFamily));
        }
    }
    while taken.len() < wanted && !rest.is_empty() {
        let drawn = rest.swap_remove(random.below(rest.len()));
        taken.push((drawn, Reason::Drawn));
    }
    taken
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_domain::{Digest, Status};

    const RULES: SelectionRules = SelectionRules { all_up_to: 300, at_least: 300, percent: 50 };

    fn library(logic: &str, families: usize, each: usize) -> Vec<Benchmark> {
        let paths =
            (0..families * each).map(|at| format!("non-incremental/{logic}/f{}/b{:04}.smt2", at / each, at % each));
        paths.map(|path| benchmark(&path, logic, 1)).collect()
    }

    fn benchmark(path: &str, logic: &str, queries: usize) -> Benchmark {
        Benchmark {
            path: BenchmarkPath(path.into()),
            digest: Digest::of(path.as_bytes()),
            bytes: 1,
            logic: Logic(logic.into()),
            statuses: vec![Status::Sat; queries],
            category: None,
            licence: None,
            asserts: 1,
        }
    }

    #[test]
    fn r19_6_6_caps_by_size_of_the_logic() {
        for (size, chosen) in [(1, 1), (300, 300), (301, 300), (600, 300), (602, 301), (1000, 500)] {
            let selection = select(&RULES, &library("QF_BV", 1, size), &BTreeSet::new(), 7);
            assert_eq!(selection.chosen().count(), chosen, "of {size}");
            assert_eq!(selection.choices.len(), size);
        }
    }

    #[test]
    fn r19_6_7_every_new_family_is_in() {
        let benchmarks = library("QF_BV", 400, 2);
        let new: BTreeSet<String> = (100..130).map(|at| format!("non-incremental/QF_BV/f{at}")).collect();
        let selection = select(&RULES, &benchmarks, &new, 3);
        for family in &new {
            assert!(selection.chosen().any(|choice| choice.path.family() == family), "{family}");
        }
        let drawn_first = selection.choices.iter().filter(|choice| choice.reason == Reason::NewFamily).count();
        assert_eq!(drawn_first, 30);
        assert_eq!(selection.chosen().count(), 400);
    }

    #[test]
    fn r19_5_16_other_benchmarks_are_out_with_a_reason() {
        let benchmarks = [
            benchmark("incremental/QF_BV/f/a.smt2", "QF_BV", 1),
            benchmark("non-incremental/QF_BV/f/a.smt2", "QF_BV", 2),
            benchmark("non-incremental/QF_BV/f/b.smt2", "QF_BV", 1),
        ];
        let selection = select(&RULES, &benchmarks, &BTreeSet::new(), 1);
        let reasons: Vec<Reason> = selection.choices.iter().map(|choice| choice.reason).collect();
        assert_eq!(reasons, [Reason::WrongPart, Reason::NotOneQuery, Reason::WholeLogic]);
    }

    #[test]
    fn a_table_tells_what_was_selected() {
        let selection = select(&RULES, &library("QF_BV", 2, 400), &BTreeSet::new(), 5);
        let chosen: Vec<BenchmarkPath> = selection.chosen().map(|choice| choice.path.clone()).collect();
        assert_eq!(Selection::chosen_in(&selection.to_table()).unwrap(), (5, chosen));
        for (table, word) in [
            ("", "line 1"),
            ("# seed 5\n", "line 2"),
            ("# seed 5\nbenchmark\tlogic\tselected\treason\na\tb\tmaybe\tc\n", "line 3"),
        ] {
            assert!(Selection::chosen_in(table.as_bytes()).unwrap_err().contains(word), "{table}");
        }
    }

    #[test]
    fn the_order_of_the_input_does_not_matter_and_the_seed_does() {
        let mut benchmarks = library("QF_BV", 4, 200);
        benchmarks.extend(library("QF_UF", 2, 300));
        let selection = select(&RULES, &benchmarks, &BTreeSet::new(), 11);
        benchmarks.reverse();
        assert_eq!(select(&RULES, &benchmarks, &BTreeSet::new(), 11), selection);
        assert_ne!(select(&RULES, &benchmarks, &BTreeSet::new(), 12).choices, selection.choices);
    }
}
