//! Keeps the difficulty table of 2014 in step with the library (D14-6, D14-8).
//!
//! The number of a benchmark changes when its file is corrected, so a row is identified by path and digest.

use crate::table_2014::{Difficulty, Row2014, read_table_2014, write_table_2014};
use agon_domain::{Benchmark, Digest, Status};
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::fmt;

/// A row of the table, with the digest of the file that it describes; `None` for a row of an older table.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyedRow {
    /// The digest of the file.
    pub digest: Option<Digest>,
    /// The row.
    pub row: Row2014,
}

/// What changed in a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Synchronized {
    /// New benchmarks, whose difficulty is unknown.
    pub added: usize,
    /// Benchmarks whose file was corrected: they have a new number.
    pub corrected: usize,
    /// Files that are at another path now, for instance in another logic.
    pub moved: usize,
    /// Rows whose status, expected result or category was updated.
    pub updated: usize,
    /// Rows without a benchmark, which were removed.
    pub removed: usize,
}

impl Synchronized {
    /// Whether the table was in step with the library.
    pub fn is_unchanged(&self) -> bool {
        *self == Self::default()
    }
}

impl fmt::Display for Synchronized {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { added, corrected, moved, updated, removed } = self;
        write!(f, "{added} added, {corrected} corrected, {moved} moved, {updated} updated, {removed} removed")
    }
}

/// Brings a table into step with the non-incremental benchmarks of a library. `expected` is the result on which the
/// organizers settled, if it differs from the status in the file. New numbers are above `last_id`, the highest one that
/// was ever used.
pub fn synchronize<'a>(
    old: Vec<KeyedRow>,
    benchmarks: impl Iterator<Item = &'a Benchmark>,
    last_id: u64,
    expected: impl Fn(&Benchmark) -> Option<Status>,
) -> (Vec<KeyedRow>, Synchronized) {
    let mut done = Synchronized::default();
    let mut last_id = old.iter().filter_map(|keyed| id_of(&keyed.row)).fold(last_id, u64::max);
    let mut fresh_id = || {
        last_id = last_id.saturating_add(1);
        last_id.to_string()
    };
    let benchmarks: BTreeMap<&str, &Benchmark> = benchmarks
        .filter_map(|benchmark| Some((benchmark.path.0.strip_prefix("non-incremental/")?, benchmark)))
        .collect();
    // The row of a file that has moved; only rows whose old path is gone can have moved.
    let mut gone: HashMap<Digest, VecDeque<KeyedRow>> = HashMap::new();
    let mut by_path: HashMap<String, KeyedRow> = HashMap::new();
    let mut without_digest = 0;
    for keyed in old {
        if benchmarks.contains_key(keyed.row.path.as_str()) {
            by_path.insert(keyed.row.path.clone(), keyed);
        } else if let Some(digest) = keyed.digest {
            gone.entry(digest).or_default().push_back(keyed);
        } else {
            without_digest += 1;
        }
    }
    let rows = benchmarks.into_iter().map(|(path, benchmark)| {
        let mut row = Row2014 {
            id: String::new(),
            difficulty: Difficulty::Unknown,
            expected: expected(benchmark).unwrap_or(benchmark.status()).name().to_owned(),
            status: benchmark.status().name().to_owned(),
            category: benchmark.category.map_or("null", |category| category.name()).to_owned(),
            logic: benchmark.logic.0.clone(),
            path: path.to_owned(),
        };
        let known = by_path.remove(path);
        if let Some(known) = known {
            row.difficulty = known.row.difficulty.clone();
            if known.digest.is_none_or(|digest| digest == benchmark.digest) {
                row.id.clone_from(&known.row.id);
                done.updated += usize::from(row != known.row || known.digest.is_none());
            } else {
                row.id = fresh_id();
                done.corrected += 1;
            }
        } else if let Some(moved) = gone.get_mut(&benchmark.digest).and_then(VecDeque::pop_front) {
            (row.id, row.difficulty) = (moved.row.id, moved.row.difficulty);
            done.moved += 1;
        } else {
            row.id = fresh_id();
            done.added += 1;
        }
        KeyedRow { digest: Some(benchmark.digest), row }
    });
    let rows: Vec<KeyedRow> = rows.collect();
    done.removed = gone.values().map(VecDeque::len).sum::<usize>() + without_digest;
    (rows, done)
}

/// The number of a row; numbers beyond 2^53 are no StarExec ids, and are not counted on.
pub fn id_of(row: &Row2014) -> Option<u64> {
    row.id.parse().ok().filter(|id| *id < 1 << 53)
}

/// Parses a table with a digest and a tab before each row. Returns the malformed lines by number.
pub fn read_keyed_table(text: &str) -> (Vec<KeyedRow>, BTreeSet<usize>) {
    let (mut rows, mut malformed) = (vec![], BTreeSet::new());
    for (at, line) in text.lines().enumerate() {
        let parsed = line.split_once('\t').and_then(|(digest, row)| {
            let (mut rows, _) = read_table_2014(row);
            Some(KeyedRow { digest: Some(digest.parse().ok()?), row: rows.pop()? })
        });
        match parsed {
            Some(row) => rows.push(row),
            None => _ = malformed.insert(at + 1),
        }
    }
    (rows, malformed)
}

/// The table with a digest and a tab before each row.
pub fn write_keyed_table(rows: &[KeyedRow]) -> String {
    let line = |keyed: &KeyedRow| {
        let digest = keyed.digest.map_or_else(String::new, |digest| digest.to_string());
        format!("{digest}\t{}", write_table_2014(std::slice::from_ref(&keyed.row)))
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_domain::{BenchmarkPath, Category, Logic};

    fn benchmark(path: &str, content: &str) -> Benchmark {
        Benchmark {
            path: BenchmarkPath(format!("non-incremental/{path}")),
            digest: Digest::of(content.as_bytes()),
            shape: Digest::of(b""),
            bytes: 1,
            logic: Logic(path.split('/').next().unwrap().into()),
            statuses: vec![Status::Sat],
            category: Some(Category::Industrial),
            difficulty: None,
            source: None,
            license: None,
            asserts: 1,
        }
    }

    #[test]
    fn d14_6_and_d14_8_rows_follow_the_library_by_path_and_digest() {
        let all = [benchmark("A/f/one.smt2", "1"), benchmark("A/f/two.smt2", "2"), benchmark("A/f/three.smt2", "3")];
        let none = |_: &Benchmark| None;
        let (mut rows, done) = synchronize(vec![], all.iter(), 0, none);
        assert_eq!((done.added, rows.len(), rows[0].row.id.as_str()), (3, 3, "1"));
        assert_eq!(rows[0].row.category, "industrial");
        rows[0].row.difficulty = Difficulty::Seconds("12.5".into());
        rows[2].row.difficulty = Difficulty::Trivial;
        assert!(synchronize(rows.clone(), all.iter(), 0, none).1.is_unchanged());
        // One is corrected, two is moved to another logic, three is removed, four is new.
        let now =
            [benchmark("A/f/one.smt2", "1 corrected"), benchmark("B/f/two.smt2", "2"), benchmark("A/f/four.smt2", "4")];
        let id =
            |rows: &[KeyedRow], path: &str| rows.iter().find(|keyed| keyed.row.path == path).unwrap().row.id.clone();
        let two = id(&rows, "A/f/two.smt2");
        let (after, done) = synchronize(rows.clone(), now.iter(), 0, none);
        assert_eq!(done, Synchronized { added: 1, corrected: 1, moved: 1, updated: 0, removed: 1 });
        assert_eq!(id(&after, "B/f/two.smt2"), two);
        assert_eq!(after.iter().find(|keyed| keyed.row.path == "B/f/two.smt2").unwrap().row.logic, "B");
        assert_ne!(id(&after, "A/f/one.smt2"), id(&rows, "A/f/one.smt2"));
        let ids: BTreeSet<&str> = after.iter().map(|keyed| keyed.row.id.as_str()).collect();
        assert_eq!(ids.len(), 3);
        // A settled status is the expected result (D14-11).
        let (settled, done) = synchronize(after, now.iter(), 0, |_| Some(Status::Unsat));
        assert_eq!(
            (done.updated, settled[0].row.expected.as_str(), settled[0].row.status.as_str()),
            (3, "unsat", "sat")
        );
    }

    #[test]
    fn d14_8_moved_duplicates_keep_their_rows_and_no_number_is_used_twice() {
        let all = ["A/f/a.smt2", "A/f/b.smt2", "A/f/c.smt2"].map(|path| benchmark(path, "same"));
        let (mut rows, _) = synchronize(vec![], all.iter(), 0, |_| None);
        rows.iter_mut().for_each(|keyed| keyed.row.difficulty = Difficulty::Seconds("7.5".into()));
        let moved = ["A/g/a.smt2", "A/g/b.smt2", "A/g/c.smt2"].map(|path| benchmark(path, "same"));
        let (rows, done) = synchronize(rows, moved.iter(), 3, |_| None);
        assert_eq!(done, Synchronized { moved: 3, ..Synchronized::default() });
        assert!(rows.iter().all(|keyed| keyed.row.difficulty == Difficulty::Seconds("7.5".into())));
        let ids: Vec<&str> = rows.iter().map(|keyed| keyed.row.id.as_str()).collect();
        assert_eq!(ids, ["1", "2", "3"]);
        // The number of a removed row is not given to another file.
        let (rows, _) = synchronize(vec![rows[0].clone()], [benchmark("A/g/d.smt2", "new")].iter(), 3, |_| None);
        assert_eq!(rows[0].row.id, "4");
    }

    #[test]
    fn a_keyed_table_round_trips_and_malformed_lines_are_named() {
        let (rows, _) = synchronize(vec![], [benchmark("A/with blank.smt2", "1")].iter(), 0, |_| None);
        let text = write_keyed_table(&rows);
        assert_eq!(read_keyed_table(&text), (rows, BTreeSet::new()));
        assert_eq!(read_keyed_table(&format!("x\n{text}y\tz\n")).1, BTreeSet::from([1, 3]));
    }
}
