//! The difficulty table of 2014: seven columns separated by single spaces (D14-7).

use crate::difficulty::Record;
use agon_domain::{BenchmarkPath, RowError};
use std::collections::BTreeMap;
use std::fmt::{self, Write};

/// The difficulty of a benchmark (D14-9).
#[derive(Clone, Debug, PartialEq)]
pub enum Difficulty {
    /// The seconds that the fastest solver took, as written in the table; 1500 or more if no solver solved it.
    Seconds(String),
    /// All solvers were fast (D14-2).
    Trivial,
    /// No solver was run on the benchmark.
    Unknown,
}

impl Difficulty {
    /// The seconds, if known; 0 for a trivial benchmark.
    pub fn seconds(&self) -> Option<f64> {
        match self {
            Self::Seconds(text) => text.parse().ok(),
            Self::Trivial => Some(0.0),
            Self::Unknown => None,
        }
    }

    /// Whether no solver answered within the 25 minutes of 2013. The table then has 1500 or 1600 seconds.
    pub fn is_unsolved(&self) -> bool {
        matches!(self, Self::Seconds(_)) && self.seconds().is_some_and(|seconds| seconds >= UNSOLVED_2014_S)
    }

    fn text(&self) -> &str {
        match self {
            Self::Seconds(text) => text,
            Self::Trivial => "trivial",
            Self::Unknown => "unknown",
        }
    }
}

impl fmt::Display for Difficulty {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.text())
    }
}

/// The time limit of 2013 in seconds. Unsolved benchmarks have at least this difficulty.
pub const UNSOLVED_2014_S: f64 = 1500.0;
/// The time in seconds within which all solvers must solve a trivial benchmark.
pub const TRIVIAL_2014_S: f64 = 5.0;

/// One row of the table, with the cells as written.
#[derive(Clone, Debug, PartialEq)]
pub struct Row2014 {
    /// The number of the benchmark, which changes when it is corrected (D14-8).
    pub id: String,
    /// The difficulty of the benchmark.
    pub difficulty: Difficulty,
    /// The expected result: `sat`, `unsat`, `unknown` or `null` (D14-10).
    pub expected: String,
    /// The status in the file, which should equal the expected result (D14-11).
    pub status: String,
    /// The category: `industrial`, `crafted`, `random`, `check`, `null`, `unknown` or `none` (D14-12).
    pub category: String,
    /// The logic of the benchmark (D14-13).
    pub logic: String,
    /// The path below the non-incremental part. It may contain spaces.
    pub path: String,
}

impl Row2014 {
    /// Whether the file has the expected status (D14-11).
    pub fn is_consistent(&self) -> bool {
        self.expected == self.status
    }
}

/// Parses a table. Errors in malformed rows are returned separately.
pub fn read_table_2014(text: &str) -> (Vec<Row2014>, Vec<RowError>) {
    let (mut rows, mut errors) = (vec![], vec![]);
    for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        match row_of(line) {
            Ok(row) => rows.push(row),
            Err(message) => errors.push(RowError { line: at as u64 + 1, message }),
        }
    }
    (rows, errors)
}

fn row_of(line: &str) -> Result<Row2014, String> {
    let fields: Vec<&str> = line.splitn(7, ' ').collect();
    let &[id, difficulty, expected, status, category, logic, path] = &fields[..] else {
        return Err(format!("expected 7 columns separated by single spaces, found {}", fields.len()));
    };
    let one_of = |word: &str, known: &[&str], what: &str| {
        if known.contains(&word) {
            Ok(word.to_owned())
        } else {
            Err(format!("invalid {what} '{word}'; it must be one of {}", known.join(", ")))
        }
    };
    let difficulty = match difficulty {
        "trivial" => Difficulty::Trivial,
        "unknown" => Difficulty::Unknown,
        text if text.parse().is_ok_and(|seconds: f64| seconds.is_finite() && seconds >= 0.0) => {
            Difficulty::Seconds(text.to_owned())
        }
        text => return Err(format!("invalid difficulty '{text}'; it must be seconds, trivial or unknown")),
    };
    let results = ["sat", "unsat", "unknown", "null"];
    let categories = ["industrial", "crafted", "random", "check", "null", "unknown", "none"];
    if logic.is_empty() || path.is_empty() {
        return Err("the logic or the path is missing".into());
    }
    Ok(Row2014 {
        id: id.to_owned(),
        difficulty,
        expected: one_of(expected, &results, "result")?,
        status: one_of(status, &results, "status")?,
        category: one_of(category, &categories, "category")?,
        logic: logic.to_owned(),
        path: path.to_owned(),
    })
}

/// The table as text.
pub fn write_table_2014(rows: &[Row2014]) -> String {
    let mut text = String::new();
    for row in rows {
        let Row2014 { id, difficulty, expected, status, category, logic, path } = row;
        let _ = writeln!(text, "{id} {} {expected} {status} {category} {logic} {path}", difficulty.text());
    }
    text
}

/// Updates the difficulties with new results (D14-4): the fastest time, `trivial` if all solvers were fast, 1500 if
/// none solved the benchmark. A benchmark without runs keeps its difficulty; a new one needs a trial run first (D14-5).
/// Returns the number of changed rows.
pub fn update_table_2014(rows: &mut [Row2014], records: &BTreeMap<BenchmarkPath, Record>) -> usize {
    let mut changed = 0;
    for row in rows {
        let key = BenchmarkPath::from_logic(&row.path)
            .unwrap_or_else(|| BenchmarkPath(format!("{}/{}", row.logic, row.path)));
        let Some(record) = records.get(&key).filter(|record| record.total > 0) else { continue };
        let difficulty = match record.fastest_s() {
            _ if record.is_solved_by_all_within(TRIVIAL_2014_S) => Difficulty::Trivial,
            Some(seconds) => Difficulty::Seconds(format!("{seconds:.2}")),
            None => Difficulty::Seconds(format!("{UNSOLVED_2014_S:.2}")),
        };
        changed += usize::from(row.difficulty != difficulty);
        row.difficulty = difficulty;
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "101 trivial sat sat industrial QF_BV QF_BV/a/one.smt2\n\
        102 12.34 unsat unknown crafted QF_BV QF_BV/a/with blank.smt2\n\
        103 unknown null null null QF_LIA QF_LIA/b.smt2\n\
        104 1600.00 sat sat none QF_LIA QF_LIA/c.smt2\n";

    #[test]
    fn d14_7_and_d14_13_the_table_round_trips() {
        let (rows, errors) = read_table_2014(TABLE);
        assert!(errors.is_empty(), "{errors:?}");
        assert_eq!(write_table_2014(&rows), TABLE);
        assert_eq!(rows[1].path, "QF_BV/a/with blank.smt2");
    }

    #[test]
    fn d14_9_1500_and_1600_mean_unsolved() {
        let (rows, _) = read_table_2014(TABLE);
        let unsolved: Vec<bool> = rows.iter().map(|row| row.difficulty.is_unsolved()).collect();
        assert_eq!(unsolved, [false, false, false, true]);
        let (rows, _) = read_table_2014(&TABLE.replace("12.34", "1500"));
        assert!(rows[1].difficulty.is_unsolved());
    }

    #[test]
    fn d14_11_status_should_equal_expected() {
        let (rows, _) = read_table_2014(TABLE);
        let consistent: Vec<bool> = rows.iter().map(Row2014::is_consistent).collect();
        assert_eq!(consistent, [true, false, true, true]);
    }

    #[test]
    fn d14_10_d14_12_malformed_rows_are_reported() {
        let table = format!(
            "{TABLE}x\n105 soon sat sat industrial L L/p\n106 1 maybe sat industrial L L/p\n107 1 sat sat odd L L/p\n108 -1 sat sat none L L/p\n"
        );
        let (rows, errors) = read_table_2014(&table);
        assert_eq!(rows.len(), 4);
        assert_eq!(errors.iter().map(|error| error.line).collect::<Vec<_>>(), [5, 6, 7, 8, 9]);
    }

    #[test]
    fn d14_4_the_fastest_solver_decides() {
        let (mut rows, _) = read_table_2014(TABLE);
        let record = |times: &[Option<f64>]| Record {
            total: times.len(),
            solved: times.iter().flatten().count(),
            times: times.to_vec(),
            slowest_s: times.iter().flatten().copied().fold(0.0, f64::max),
        };
        let records = BTreeMap::from([
            (BenchmarkPath("QF_BV/a/one.smt2".into()), record(&[Some(7.5), None])),
            (BenchmarkPath("QF_BV/a/with blank.smt2".into()), record(&[None, None])),
            (BenchmarkPath("QF_LIA/c.smt2".into()), record(&[Some(0.1), Some(4.9)])),
        ]);
        assert_eq!(update_table_2014(&mut rows, &records), 3);
        let difficulties: Vec<&str> = rows.iter().map(|row| row.difficulty.text()).collect();
        assert_eq!(difficulties, ["7.50", "1500.00", "unknown", "trivial"]);
    }
}
