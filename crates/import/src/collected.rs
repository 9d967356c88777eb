//! Collects the contents of all files, and turns them into results.

use crate::imported::Imported;
use crate::inputs::Named;
use crate::registry::Registry;
use crate::{ImportError, Skipped};
use agon_domain::{Answer, Claim, Division, End, Evidence, Logic, Status, Time, Track, from_logic, split_logic};
use agon_score::{BenchmarkFacts, BenchmarkIx, LogicIx, Measured, Run, Solver, SolverIx, TrackResults};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// An error in a line: the line is malformed, or contradicts another one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}: {message}", file.display())]
pub struct LineError {
    /// The file that the line is in.
    pub file: PathBuf,
    /// The line number, from 1.
    pub line: u64,
    /// What is wrong with the line.
    pub message: String,
}

/// A solver as a table names it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
    pub(crate) solver: String,
    pub(crate) solver_id: String,
    pub(crate) configuration: String,
    pub(crate) configuration_id: String,
    /// Further facts, which only our own tables have.
    pub(crate) stated: Option<Stated>,
}

/// Facts about a solver that our own tables state. A fact is `None` if the table has no column for it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Stated {
    pub(crate) team: Option<String>,
    pub(crate) competing: Option<bool>,
    pub(crate) has_source: Option<bool>,
    pub(crate) is_new: Option<bool>,
    pub(crate) base: Option<String>,
    /// The solvers that it wraps and that are entered too.
    pub(crate) wraps: Option<Vec<String>>,
    pub(crate) wraps_older: Option<bool>,
    pub(crate) won: Option<Vec<Division>>,
    pub(crate) note: Option<String>,
    pub(crate) disqualified: Option<String>,
}

impl Stated {
    /// Adds the facts that another table states about the same solver. Returns the name of a column as the error if the
    /// two tables differ in it.
    fn join(&mut self, other: &Self) -> Result<(), &'static str> {
        fn one<T: Clone + PartialEq>(
            own: &mut Option<T>,
            other: &Option<T>,
            column: &'static str,
        ) -> Result<(), &'static str> {
            match (&*own, other) {
                (Some(own), Some(other)) if own != other => return Err(column),
                (None, Some(other)) => *own = Some(other.clone()),
                _ => {}
            }
            Ok(())
        }
        one(&mut self.team, &other.team, "team")?;
        one(&mut self.competing, &other.competing, "competing")?;
        one(&mut self.has_source, &other.has_source, "open source")?;
        one(&mut self.is_new, &other.is_new, "new entrant")?;
        one(&mut self.base, &other.base, "derived from")?;
        one(&mut self.wraps, &other.wraps, "wraps")?;
        one(&mut self.wraps_older, &other.wraps_older, "wraps older")?;
        one(&mut self.won, &other.won, "won")?;
        one(&mut self.disqualified, &other.disqualified, "disqualified")?;
        one(&mut self.note, &other.note, "note")
    }
}

/// The index of an [`Identity`]. Several identities can be the same solver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IdentityIx(u32);

/// One line of results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) identity: IdentityIx,
    pub(crate) benchmark: BenchmarkIx,
    pub(crate) claim: Claim,
    pub(crate) end: End,
    pub(crate) wall: Time,
    pub(crate) cpu: Time,
    pub(crate) measured: Measured,
}

/// The file and line of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowPlace {
    file: u32,
    line: u32,
}

/// What the rows of a table count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Counted {
    /// One answer per row.
    #[default]
    Answers,
    /// Correct and wrong answers to queries.
    Queries,
    /// The number of assertions that a core leaves out.
    Reductions,
    /// The number of assertions in a core. The number of all assertions is in another file.
    CoreSizes,
    /// The validity of models.
    Models,
    /// The validity of proofs.
    Proofs,
}

/// The numbers of benchmarks and runs that lists excluded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Exclusions {
    pub(crate) benchmarks: usize,
    pub(crate) runs: usize,
    /// The number of lines in the lists that match no benchmark.
    pub(crate) unmatched: usize,
}

/// How many errors are kept. Further ones are only counted.
const MOST_ERRORS: usize = 10_000;

/// What has been read so far. Files come in any order, so facts and rows are matched only in [`Collected::finish`].
#[derive(Default)]
pub(crate) struct Collected {
    files: Vec<PathBuf>,
    /// How the user named the file that is being read.
    named: Option<Named>,
    /// Files in directories and archives that are not results, each with the reason.
    skipped: Vec<(PathBuf, String)>,
    identities: Vec<Identity>,
    identity_numbers: FxHashMap<Identity, IdentityIx>,
    logics: Vec<Logic>,
    logic_numbers: FxHashMap<Box<str>, LogicIx>,
    benchmarks: Vec<BenchmarkFacts>,
    benchmark_numbers: FxHashMap<Box<str>, BenchmarkIx>,
    /// The last path and its benchmark, as a cache: rows of one benchmark are often adjacent.
    last: Option<(String, BenchmarkIx)>,
    rows: Vec<Row>,
    /// The position of each row, for messages.
    places: Vec<RowPlace>,
    errors: Vec<LineError>,
    more_errors: u64,
    counts: Option<Counted>,
    /// A column that a table of runs lacks and scoring needs.
    lacks: Option<&'static str>,
    /// Solvers that entered a logic, according to our own tables.
    entered: Vec<(LogicIx, IdentityIx, RowPlace)>,
    /// The track that the results state, if they do.
    stated: Option<Track>,
    /// Whether the results state several tracks.
    is_mixed: bool,
    /// Whether there are results that identify solvers by name only, as the JSON of SMT-COMP does.
    pub(crate) names_solvers_only: bool,
    pub(crate) registry: Registry,
    /// Facts from lists, by the benchmark's path from its logic on.
    queries: FxHashMap<Box<str>, u64>,
    asserts: FxHashMap<Box<str>, u64>,
    statuses: FxHashMap<Box<str>, Status>,
    /// The number of facts from lists.
    listed: usize,
    /// Statuses that the organizers decided on, which override all others.
    pub(crate) decided: FxHashMap<Box<str>, Status>,
    pub(crate) excluded: FxHashSet<Box<str>>,
    /// Benchmarks by the ids of the tables of 2022 and 2023, and rows that wait for them.
    pub(crate) ids: FxHashMap<u64, BenchmarkIx>,
    waiting: Vec<(u64, Row, RowPlace)>,
}

impl Collected {
    /// Starts a file. Errors and rows are attributed to it until the next one starts.
    pub(crate) fn begin(&mut self, file: &Path, named: Named) {
        self.files.push(file.to_owned());
        self.named = Some(named);
    }

    /// Whether the user named the file that is being read itself, and not only its directory or archive.
    pub(crate) fn is_named(&self) -> bool {
        self.named == Some(Named::Itself)
    }

    /// Records that a file is not a results file, with the reason.
    pub(crate) fn skip(&mut self, file: PathBuf, why: String) {
        self.skipped.push((file, why));
    }

    /// The number of rows, lines of lists, and errors so far.
    pub(crate) fn size(&self) -> (usize, usize, u64) {
        (self.rows.len() + self.waiting.len(), self.listed, self.errors.len() as u64 + self.more_errors)
    }

    /// Reports an error in a line of the file that is being read.
    pub(crate) fn error(&mut self, line: u64, message: impl Into<String>) {
        if self.errors.len() < MOST_ERRORS {
            let file = self.files.last().cloned().unwrap_or_default();
            self.errors.push(LineError { file, line, message: shortened(message.into()) });
        } else {
            self.more_errors += 1;
        }
    }

    fn error_at(&mut self, place: RowPlace, message: String) {
        if self.errors.len() < MOST_ERRORS {
            self.errors.push(self.line_error(place, message));
        } else {
            self.more_errors += 1;
        }
    }

    fn line_error(&self, place: RowPlace, message: String) -> LineError {
        LineError {
            file: self.files[place.file as usize].clone(),
            line: place.line.into(),
            message: shortened(message),
        }
    }

    /// Records the status of a benchmark in a list. An unknown status does not contradict a known one.
    pub(crate) fn list_status(&mut self, path: Box<str>, status: Status) -> Result<(), String> {
        self.listed += 1;
        let known = self.statuses.entry(path).or_default();
        if known.conflicts_with(status) {
            return Err(format!("the status is {status} here, but {known} in an earlier list"));
        }
        if *known == Status::Unknown {
            *known = status;
        }
        Ok(())
    }

    /// Records the number of queries of a benchmark in a list.
    pub(crate) fn list_queries(&mut self, path: Box<str>, count: u64) -> Result<(), String> {
        self.listed += 1;
        list_count(&mut self.queries, path, count, "queries")
    }

    /// Records the number of assertions of a benchmark in a list.
    pub(crate) fn list_asserts(&mut self, path: Box<str>, count: u64) -> Result<(), String> {
        self.listed += 1;
        list_count(&mut self.asserts, path, count, "assertions")
    }

    fn place(&self, line: u64) -> RowPlace {
        RowPlace { file: self.files.len() as u32 - 1, line: u32::try_from(line).unwrap_or(u32::MAX) }
    }

    /// Adds the row in this line of the file that is being read.
    pub(crate) fn add(&mut self, line: u64, row: Row) {
        self.rows.push(row);
        self.places.push(self.place(line));
    }

    /// Adds a row whose benchmark has this id. It waits if the table of benchmarks has not been read yet.
    pub(crate) fn add_by_id(&mut self, line: u64, id: u64, row: Row) {
        match self.ids.get(&id) {
            Some(benchmark) => self.add(line, Row { benchmark: *benchmark, ..row }),
            None => self.waiting.push((id, row, self.place(line))),
        }
    }

    /// Records what the following rows count. Returns false if earlier rows count something else.
    pub(crate) fn set_counts(&mut self, counts: Counted) -> bool {
        *self.counts.get_or_insert(counts) == counts
    }

    /// Records the track that a result states.
    pub(crate) fn state_track(&mut self, track: Track) {
        self.is_mixed |= *self.stated.get_or_insert(track) != track;
    }

    /// Whether results of several tracks were read.
    pub(crate) fn is_mixed(&self) -> bool {
        self.is_mixed
    }

    /// Records that a solver entered a logic.
    pub(crate) fn enter(&mut self, line: u64, logic: &str, identity: IdentityIx) {
        let logic = self.logic(logic);
        self.entered.push((logic, identity, self.place(line)));
    }

    /// Records that a table of runs lacks a column that scoring needs.
    pub(crate) fn lacks(&mut self, column: &'static str) {
        self.lacks = Some(column);
    }

    /// The index of an identity, which is added if it is new.
    pub(crate) fn identity(&mut self, identity: &Identity) -> IdentityIx {
        if let Some(found) = self.identity_numbers.get(identity) {
            return *found;
        }
        let number = IdentityIx(self.identities.len() as u32);
        self.identities.push(identity.clone());
        self.identity_numbers.insert(identity.clone(), number);
        number
    }

    /// The benchmark at a path. If no directory is a known logic, the first directory counts as the logic.
    pub(crate) fn benchmark(&mut self, path: &str) -> Result<BenchmarkIx, String> {
        if let Some((last, number)) = &self.last
            && last == path
        {
            return Ok(*number);
        }
        let normal = normalized(path);
        let plain = normal.trim_start_matches(['.', '/']);
        let is_word = |part: &&str| {
            let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"_+-".contains(&byte);
            !part.is_empty() && part.bytes().all(is_allowed)
        };
        let by_directory = || plain.split_once('/').map(|(first, _)| first).filter(is_word).map(|first| (first, plain));
        let found = split_logic(&normal).or_else(by_directory);
        let (logic, from_logic) = found.ok_or_else(|| format!("no directory of '{path}' names a logic"))?;
        let number = self.benchmark_of(from_logic, from_logic, logic);
        self.last = Some((path.to_owned(), number));
        Ok(number)
    }

    /// The benchmark at a path whose logic the table states. Returns an error if an earlier line states a different
    /// logic.
    pub(crate) fn benchmark_in(&mut self, path: &str, logic: &str) -> Result<BenchmarkIx, String> {
        let path = &*normalized(path);
        // The key starts at the logic, since other tables may have fewer directories before it.
        let is_directory = |(at, _): &(usize, &str)| {
            (*at == 0 || path.as_bytes()[at - 1] == b'/') && path.as_bytes().get(at + logic.len()) == Some(&b'/')
        };
        let key = path.match_indices(logic).find(is_directory).map_or(path, |(at, _)| &path[at..]);
        let number = self.benchmark_of(key, path, logic);
        let known = &self.logics[self.benchmarks[number].logic];
        if known.0 != logic {
            return Err(format!("'{path}' has logic {logic} here, but {known} in an earlier line"));
        }
        Ok(number)
    }

    /// The benchmark at a path in one of several divisions, whose name is that of the logic.
    pub(crate) fn benchmark_of_division(&mut self, path: &str, division: &str) -> BenchmarkIx {
        let path = &*normalized(path);
        self.benchmark_of(&format!("{division}\0{path}"), path, division)
    }

    fn benchmark_of(&mut self, key: &str, name: &str, logic: &str) -> BenchmarkIx {
        if let Some(found) = self.benchmark_numbers.get(key) {
            return *found;
        }
        let number = BenchmarkIx::at(self.benchmarks.len());
        let logic = self.logic(logic);
        let facts = BenchmarkFacts { name: name.into(), logic, status: Status::Unknown, queries: None, asserts: None };
        self.benchmarks.push(facts);
        self.benchmark_numbers.insert(key.into(), number);
        number
    }

    fn logic(&mut self, name: &str) -> LogicIx {
        if let Some(found) = self.logic_numbers.get(name) {
            return *found;
        }
        let number = LogicIx::at(self.logics.len());
        self.logics.push(Logic(name.to_owned()));
        self.logic_numbers.insert(name.into(), number);
        number
    }

    fn facts(&mut self, benchmark: BenchmarkIx) -> &mut BenchmarkFacts {
        &mut self.benchmarks[benchmark.place()]
    }

    /// Records the numbers of queries and assertions of a benchmark in a row. Returns an error if an earlier row has
    /// different numbers.
    pub(crate) fn set_sizes(
        &mut self,
        benchmark: BenchmarkIx,
        queries: Option<u32>,
        asserts: Option<u32>,
    ) -> Result<(), String> {
        let facts = self.facts(benchmark);
        for (known, count, what) in
            [(&mut facts.queries, queries, "queries"), (&mut facts.asserts, asserts, "assertions")]
        {
            let Some(count) = count.map(u64::from) else { continue };
            match known.replace(count) {
                Some(before) if before != count => {
                    return Err(format!("'{}' has {count} {what} here, but {before} in an earlier line", facts.name));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Records the status of a benchmark in a row. Returns an error if an earlier row has a contradictory status.
    pub(crate) fn set_status(&mut self, benchmark: BenchmarkIx, status: Status) -> Result<(), String> {
        let facts = self.facts(benchmark);
        if facts.status == Status::Unknown {
            facts.status = status;
        }
        if facts.status.conflicts_with(status) {
            let (name, known) = (&facts.name, facts.status);
            return Err(format!("'{name}' is expected to be {status} here, but {known} in an earlier line"));
        }
        Ok(())
    }

    /// Returns only the errors, for tables that are not results.
    pub(crate) fn into_errors(mut self) -> Vec<LineError> {
        if let (Some(last), 1..) = (self.errors.last().cloned(), self.more_errors) {
            self.errors.push(LineError { message: format!("and {} more malformed lines", self.more_errors), ..last });
        }
        self.errors
    }

    /// Matches rows with the facts of all files, and turns everything into results. Rows with impossible counts or
    /// unknown solvers become errors; then identities become solvers, and duplicates are separated from the runs.
    pub(crate) fn finish(mut self) -> Result<Imported, ImportError> {
        self.place_waiting()?;
        if self.rows.is_empty() && self.errors.is_empty() && self.entered.is_empty() {
            return Err(ImportError::Empty(Skipped(self.skipped)));
        }
        self.take_listed_facts();
        self.reject_impossible_counts();
        let (missing_asserts, large_cores) = self.reduce_cores();
        if !self.registry.is_empty() {
            self.reject_unknown_solvers();
        }
        let exclusions = self.exclude();
        let Solvers { solvers, of, split } = self.solvers();
        let counts = self.counts.unwrap_or_default();
        let solver_of = |row: &Row| of[row.identity.0 as usize];
        let run = |row: Row| Run {
            solver: solver_of(&row),
            benchmark: row.benchmark,
            claim: row.claim,
            end: row.end,
            wall: row.wall,
            cpu: row.cpu,
            measured: row.measured,
        };
        // Collected in place: runs reuse the memory of the rows.
        let runs: Vec<Run> = std::mem::take(&mut self.rows).into_iter().map(run).collect();
        let mut results = TrackResults {
            track: counts.track(),
            is_incremental: counts == Counted::Queries,
            solvers,
            logics: std::mem::take(&mut self.logics),
            benchmarks: std::mem::take(&mut self.benchmarks),
            runs,
            entered: self.entered.iter().map(|(logic, identity, _)| (*logic, of[identity.0 as usize])).collect(),
        };
        let (again, again_errors) = self.take_duplicates(&mut results);
        let has_ids = self.identities.iter().any(|identity| !identity.configuration_id.is_empty());
        Ok(Imported {
            results,
            counts,
            errors: self.errors,
            more_errors: self.more_errors,
            again,
            again_errors,
            skipped: self.skipped,
            lacks: self.lacks,
            exclusions,
            split,
            missing_asserts,
            large_cores,
            is_unregistered: (has_ids || self.names_solvers_only) && self.registry.is_empty(),
            stated: self.stated,
            registry: self.registry,
        })
    }

    /// Finds the benchmarks of rows that refer to them by id.
    fn place_waiting(&mut self) -> Result<(), ImportError> {
        let waiting = std::mem::take(&mut self.waiting);
        if let Some((_, _, place)) = waiting.first()
            && self.ids.is_empty()
        {
            return Err(ImportError::NoBenchmarkTable(self.files[place.file as usize].clone()));
        }
        for (id, row, place) in waiting {
            match self.ids.get(&id) {
                Some(benchmark) => {
                    self.rows.push(Row { benchmark: *benchmark, ..row });
                    self.places.push(place);
                }
                None => self.error_at(place, format!("benchmark {id} is not in any table of benchmarks")),
            }
        }
        Ok(())
    }

    /// Adds the facts of lists to the benchmarks. Reports an error if a list contradicts the expected status of a row,
    /// unless the organizers decided on the status; the row is kept.
    fn take_listed_facts(&mut self) {
        if self.listed == 0 && self.decided.is_empty() {
            return;
        }
        let mut contradicted: FxHashMap<BenchmarkIx, String> = FxHashMap::default();
        for (at, facts) in self.benchmarks.iter_mut().enumerate() {
            let key = from_logic(&facts.name);
            facts.queries = self.queries.get(key).copied().or(facts.queries);
            facts.asserts = self.asserts.get(key).copied().or(facts.asserts);
            let listed = self.statuses.get(key).copied().unwrap_or_default();
            let decided = self.decided.get(key).copied();
            if decided.is_none() && facts.status.conflicts_with(listed) {
                let message =
                    format!("'{}' is expected to be {} here, but {listed} in a list", facts.name, facts.status);
                contradicted.insert(BenchmarkIx::at(at), message);
            }
            if facts.status == Status::Unknown {
                facts.status = listed;
            }
            facts.status = decided.unwrap_or(facts.status);
        }
        // Each contradiction is reported once, at the first row of the benchmark.
        for at in 0..self.rows.len() {
            if contradicted.is_empty() {
                break;
            }
            if let Some(message) = contradicted.remove(&self.rows[at].benchmark) {
                self.error_at(self.places[at], message);
            }
        }
    }

    /// Removes rows with more answers than queries, or with a reduction larger than the number of assertions; each is
    /// an error. Sizes of cores are not checked: the list of 2024 has too few assertions for some benchmarks.
    fn reject_impossible_counts(&mut self) {
        let counts = self.counts.unwrap_or_default();
        if !matches!(counts, Counted::Queries | Counted::Reductions) {
            return;
        }
        let impossible = |row: &Row| {
            let facts = &self.benchmarks[row.benchmark];
            match row.claim.evidence {
                Evidence::Queries { correct, wrong } => {
                    let answers = u64::from(correct) + u64::from(wrong);
                    let queries = facts.queries.filter(|queries| answers > *queries)?;
                    Some(format!("{answers} answers, but '{}' has {queries} queries", facts.name))
                }
                Evidence::Core(count) => {
                    let asserts = facts.asserts.filter(|asserts| u64::from(count) > *asserts)?;
                    Some(format!("a reduction of {count}, but '{}' has {asserts} assertions", facts.name))
                }
                _ => None,
            }
        };
        let found: Vec<(usize, String)> =
            self.rows.iter().enumerate().filter_map(|(at, row)| Some((at, impossible(row)?))).collect();
        if found.is_empty() {
            return;
        }
        let mut is_removed = vec![false; self.rows.len()];
        for (at, message) in found {
            is_removed[at] = true;
            self.error_at(self.places[at], message);
        }
        self.retain(|at, _| !is_removed[at]);
    }

    /// Turns the sizes of cores into reductions. Returns how many benchmarks with cores lack their number of
    /// assertions, and how many cores are larger than that number.
    fn reduce_cores(&mut self) -> (usize, usize) {
        let mut missing: FxHashSet<BenchmarkIx> = FxHashSet::default();
        let mut too_large = 0;
        if self.counts != Some(Counted::CoreSizes) {
            return (0, 0);
        }
        for row in &mut self.rows {
            let Evidence::Core(size) = row.claim.evidence else { continue };
            match self.benchmarks[row.benchmark].asserts {
                Some(all) => {
                    too_large += usize::from(u64::from(size) > all && row.claim.answer == Answer::Unsat);
                    let left_out = if row.claim.answer == Answer::Unsat { all.saturating_sub(size.into()) } else { 0 };
                    row.claim.evidence = Evidence::Core(u32::try_from(left_out).unwrap_or(u32::MAX));
                }
                None if row.claim.answer == Answer::Unsat => _ = missing.insert(row.benchmark),
                None => row.claim.evidence = Evidence::Core(0),
            }
        }
        (missing.len(), too_large)
    }

    /// Keeps the rows for which `keep` returns true, and their positions in files.
    fn retain(&mut self, keep: impl Fn(usize, &Row) -> bool) {
        let is_kept: Vec<bool> = self.rows.iter().enumerate().map(|(at, row)| keep(at, row)).collect();
        let mut kept = is_kept.iter();
        self.rows.retain(|_| kept.next() == Some(&true));
        let mut kept = is_kept.iter();
        self.places.retain(|_| kept.next() == Some(&true));
    }

    /// Removes the rows of benchmarks that a list excludes. `None` if there is no such list.
    fn exclude(&mut self) -> Option<Exclusions> {
        if self.excluded.is_empty() {
            return None;
        }
        let is_excluded: Vec<bool> =
            self.benchmarks.iter().map(|facts| self.excluded.contains(from_logic(&facts.name))).collect();
        let before = self.rows.len();
        self.retain(|_, row| !is_excluded[row.benchmark.place()]);
        let benchmarks = is_excluded.iter().filter(|is_excluded| **is_excluded).count();
        let runs = before - self.rows.len();
        Some(Exclusions { benchmarks, runs, unmatched: self.excluded.len() - benchmarks.min(self.excluded.len()) })
    }

    /// Removes the rows of solvers that are not in any registry. Each such solver is one error, at its first row.
    fn reject_unknown_solvers(&mut self) {
        let is_known: Vec<bool> =
            self.identities.iter().map(|identity| self.registry.find(identity).is_some()).collect();
        let mut is_reported = is_known.clone();
        for at in 0..self.rows.len() {
            let number = self.rows[at].identity.0 as usize;
            if std::mem::replace(&mut is_reported[number], true) {
                continue;
            }
            self.error_at(self.places[at], unlisted(&self.identities[number]));
        }
        self.retain(|_, row| is_known[row.identity.0 as usize]);
        let entered = std::mem::take(&mut self.entered);
        for (_, identity, place) in entered.iter().filter(|(_, identity, _)| !is_reported[identity.0 as usize]) {
            self.error_at(*place, unlisted(&self.identities[identity.0 as usize]));
        }
        self.entered = entered.into_iter().filter(|(_, identity, _)| is_known[identity.0 as usize]).collect();
    }

    /// Turns identities into solvers. The configurations of one solver are merged, unless two of them were run on the
    /// same benchmark: in that case they compete with each other, and each configuration becomes a solver of its own.
    fn solvers(&mut self) -> Solvers {
        let listed: Vec<Option<(Solver, String)>> =
            self.identities.iter().map(|identity| self.registry.find(identity)).collect();
        let mut names: Vec<String> = self
            .identities
            .iter()
            .zip(&listed)
            .map(|(identity, listed)| listed.as_ref().map_or(&identity.solver, |(solver, _)| &solver.name).clone())
            .collect();
        let split = self.run_on_the_same(&names);
        for name in &split {
            let same: Vec<usize> = (0..names.len()).filter(|at| names[*at] == *name).collect();
            for (at, which) in same.iter().zip(self.telling_apart(&same)) {
                names[*at] = format!("{name} ({which})");
            }
        }
        let mut solvers: Vec<Solver> = vec![];
        let mut stated: Vec<Stated> = vec![];
        let mut bases: Vec<Option<String>> = vec![];
        let mut of: Vec<SolverIx> = vec![];
        let mut numbers: FxHashMap<String, SolverIx> = FxHashMap::default();
        let mut contradictions = vec![];
        for (at, (name, listed)) in names.into_iter().zip(listed).enumerate() {
            let own = *numbers.entry(name.clone()).or_insert_with(|| {
                let (solver, base) = listed.map_or_else(Default::default, |(solver, base)| (solver, Some(base)));
                solvers.push(Solver { name, ..solver });
                bases.push(base);
                stated.push(Stated::default());
                SolverIx::at(solvers.len() - 1)
            });
            if let Some(facts) = &self.identities[at].stated
                && let Err(column) = stated[own.place()].join(facts)
            {
                contradictions.push((IdentityIx(at as u32), own, column));
            }
            of.push(own);
        }
        // A registry takes precedence over what tables state.
        for ((solver, base), stated) in solvers.iter_mut().zip(&mut bases).zip(&stated) {
            if base.is_none() {
                base.clone_from(&stated.base);
                describe(solver, stated);
            }
            let wraps = stated.wraps.iter().flatten();
            solver.wraps = wraps.filter_map(|name| numbers.get(name).copied()).collect();
        }
        for (own, base) in bases.iter().enumerate() {
            let found = base.as_ref().and_then(|base| numbers.get(base)).copied();
            solvers[own].base = found.filter(|base| base.place() != own);
        }
        for (identity, own, column) in contradictions {
            let row = self.rows.iter().position(|row| row.identity == identity).map(|at| self.places[at]);
            if let Some(place) = row {
                let name = &solvers[own.place()].name;
                self.error_at(place, format!("'{column}' of the solver '{name}' differs from an earlier line"));
            }
        }
        Solvers { solvers, of, split }
    }

    /// Returns a suffix for each of these identities, which have the same name: the first of configuration,
    /// configuration id and solver id that is different for all of them, or else all three joined.
    fn telling_apart(&self, same: &[usize]) -> Vec<String> {
        let identities = same.iter().map(|at| &self.identities[*at]);
        let by: [fn(&Identity) -> &String; 3] =
            [|identity| &identity.configuration, |identity| &identity.configuration_id, |identity| &identity.solver_id];
        for which in by {
            let words: Vec<&String> = identities.clone().map(which).collect();
            let distinct: FxHashSet<&String> = words.iter().copied().filter(|word| !word.is_empty()).collect();
            if distinct.len() == same.len() {
                return words.into_iter().cloned().collect();
            }
        }
        let joined = |identity: &Identity| by.map(|which| which(identity).as_str()).join(" ").trim().to_owned();
        identities.map(joined).collect()
    }

    /// The names that two identities share although both were run on the same benchmark.
    fn run_on_the_same(&self, names: &[String]) -> FxHashSet<String> {
        let mut apart: FxHashSet<String> = FxHashSet::default();
        let distinct: FxHashSet<&str> = names.iter().map(String::as_str).collect();
        if distinct.len() == names.len() {
            return apart;
        }
        let mut first: FxHashMap<(&str, BenchmarkIx), IdentityIx> = FxHashMap::default();
        for row in &self.rows {
            let name = names[row.identity.0 as usize].as_str();
            let other = *first.entry((name, row.benchmark)).or_insert(row.identity);
            if other != row.identity && !apart.contains(name) {
                apart.insert(name.to_owned());
            }
        }
        apart
    }

    /// Removes all but the first run of each pair. Returns the others, and an error for each up to a limit.
    fn take_duplicates(&mut self, results: &mut TrackResults) -> (Vec<Run>, Vec<LineError>) {
        let mut seen: FxHashSet<(SolverIx, BenchmarkIx)> =
            FxHashSet::with_capacity_and_hasher(results.runs.len(), Default::default());
        let mut again = vec![];
        let places = std::mem::take(&mut self.places);
        let mut place = places.iter();
        results.runs.retain(|run| {
            let place = place.next();
            let is_new = seen.insert((run.solver, run.benchmark));
            if let (false, Some(place)) = (is_new, place) {
                again.push((*run, *place));
            }
            is_new
        });
        let error = |(run, place): &(Run, RowPlace)| {
            let (solver, benchmark) = (&results.solver_of(run).name, &results.benchmark_of(run).name);
            self.line_error(*place, format!("duplicate run of {solver} on {benchmark}"))
        };
        let errors = again.iter().take(MOST_ERRORS).map(error).collect();
        (again.into_iter().map(|(run, _)| run).collect(), errors)
    }
}

/// The solvers of the results.
struct Solvers {
    solvers: Vec<Solver>,
    /// The solver of each identity.
    of: Vec<SolverIx>,
    /// The names of solvers whose configurations are solvers of their own.
    split: FxHashSet<String>,
}

/// Fills in what tables state about a solver that is not in any registry.
fn describe(solver: &mut Solver, stated: &Stated) {
    let team = stated.team.clone().filter(|team| !team.is_empty());
    solver.team = team.unwrap_or_else(|| solver.name.clone());
    solver.competing = stated.competing.unwrap_or(true);
    solver.has_source = stated.has_source.unwrap_or(false);
    solver.wraps_older = stated.wraps_older.unwrap_or(false);
    solver.won = stated.won.clone().unwrap_or_default();
    solver.is_new = stated.is_new.unwrap_or(false);
    solver.note = stated.note.clone().filter(|note| !note.is_empty());
    solver.disqualified = stated.disqualified.clone().filter(|why| !why.is_empty());
}

/// The message about a solver that is not in any registry.
fn unlisted(identity: &Identity) -> String {
    let Identity { solver, solver_id, configuration_id, .. } = identity;
    let ids = [("id", solver_id), ("configuration", configuration_id)];
    let ids: Vec<String> =
        ids.into_iter().filter(|(_, id)| !id.is_empty()).map(|(what, id)| format!("{what} {id}")).collect();
    let ids = if ids.is_empty() { String::new() } else { format!(" ({})", ids.join(", ")) };
    format!("the solver '{solver}'{ids} is not in any registry")
}

/// Records a number in a list. Returns an error if an earlier list has a different number.
fn list_count(known: &mut FxHashMap<Box<str>, u64>, path: Box<str>, count: u64, what: &str) -> Result<(), String> {
    match known.insert(path, count) {
        Some(before) if before != count => Err(format!("{count} {what} here, but {before} in an earlier list")),
        _ => Ok(()),
    }
}

/// A path without empty and `.` components.
fn normalized(path: &str) -> Cow<'_, str> {
    if !path.contains("//") && !path.contains("/./") {
        return path.into();
    }
    let root = if path.starts_with('/') { "/" } else { "" };
    let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    format!("{root}{}", parts.join("/")).into()
}

/// Truncates a long message, so that it stays readable in a terminal.
fn shortened(message: String) -> String {
    const LONGEST: usize = 400;
    match message.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &message[..at]),
        None => message,
    }
}
