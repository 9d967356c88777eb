//! What was read so far, and how it becomes results.

use crate::imported::Imported;
use crate::inputs::Named;
use crate::registry::Registry;
use crate::{ImportError, Skipped};
use agon_domain::{Answer, Claim, Division, End, Evidence, Logic, Status, Time, Track, from_logic, split_logic};
use agon_score::{BenchmarkFacts, BenchmarkIx, LogicIx, Measured, Run, Solver, SolverIx, TrackResults};
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// A line that is malformed, or contradicts another.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}:{line}: {message}", file.display())]
pub struct LineError {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub message: String,
}

/// A solver as a table names it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
    pub(crate) solver: String,
    pub(crate) solver_id: String,
    pub(crate) configuration: String,
    pub(crate) configuration_id: String,
    /// What our own tables say about it.
    pub(crate) stated: Option<Stated>,
}

/// What our own tables say about a solver. What a table has no column for is `None`.
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
}

impl Stated {
    /// Adds what another table says about the same solver. Returns the name of a column in which the two differ.
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
        one(&mut self.note, &other.note, "note")
    }
}

/// The number of an [`Identity`]. Several of them can be one solver.
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

/// The position of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowPlace {
    file: u32,
    line: u32,
}

/// What the rows of a table count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Counted {
    /// One answer each.
    #[default]
    Answers,
    /// Correct and wrong answers to queries.
    Queries,
    /// The assertions that a core leaves out.
    Reductions,
    /// The assertions of a core. The number of all assertions is in another file.
    CoreSizes,
    Models,
    Proofs,
}

/// What the exclusions of a list did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Exclusions {
    pub(crate) benchmarks: usize,
    pub(crate) runs: usize,
    /// Lines that match no benchmark.
    pub(crate) unmatched: usize,
}

/// How many errors are kept. Of further ones only the number is.
const MOST_ERRORS: usize = 10_000;

/// What was read so far.
#[derive(Default)]
pub(crate) struct Collected {
    files: Vec<PathBuf>,
    named: Option<Named>,
    /// Files of directories and archives that are not results, and why.
    skipped: Vec<(PathBuf, String)>,
    identities: Vec<Identity>,
    identity_numbers: FxHashMap<Identity, IdentityIx>,
    logics: Vec<Logic>,
    logic_numbers: FxHashMap<Box<str>, LogicIx>,
    benchmarks: Vec<BenchmarkFacts>,
    benchmark_numbers: FxHashMap<Box<str>, BenchmarkIx>,
    /// The last path and its benchmark: rows of one benchmark are often adjacent.
    last: Option<(String, BenchmarkIx)>,
    rows: Vec<Row>,
    /// The position of each row, for messages.
    places: Vec<RowPlace>,
    errors: Vec<LineError>,
    more_errors: u64,
    counts: Option<Counted>,
    /// A column that a table of runs lacks and scoring needs.
    lacks: Option<&'static str>,
    /// Solvers that entered a logic, as our own tables have it.
    entered: Vec<(LogicIx, IdentityIx, RowPlace)>,
    /// The track that the results state, and whether they state several.
    stated: Option<Track>,
    is_mixed: bool,
    /// Whether results came without ids of solvers that a registry could list.
    pub(crate) names_solvers_only: bool,
    pub(crate) registry: Registry,
    /// Facts from lists, by the path from the logic on.
    queries: FxHashMap<Box<str>, u64>,
    asserts: FxHashMap<Box<str>, u64>,
    statuses: FxHashMap<Box<str>, Status>,
    /// How many lines of lists were read.
    listed: usize,
    /// Statuses that the organizers decided on, which override all others.
    pub(crate) decided: FxHashMap<Box<str>, Status>,
    pub(crate) excluded: FxHashSet<Box<str>>,
    /// Benchmarks by the ids of the tables of 2022 and 2023, and rows that wait for them.
    pub(crate) ids: FxHashMap<u64, BenchmarkIx>,
    waiting: Vec<(u64, Row, RowPlace)>,
}

impl Collected {
    pub(crate) fn begin(&mut self, file: &Path, named: Named) {
        self.files.push(file.to_owned());
        self.named = Some(named);
    }

    /// Whether the user named the file that is being read, and not only its directory or archive.
    pub(crate) fn is_named(&self) -> bool {
        self.named == Some(Named::Itself)
    }

    /// Notes that a file is not a results file, and why.
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

    /// Notes the status of a benchmark in a list. A list that knows less than another is no contradiction.
    pub(crate) fn list_status(&mut self, path: Box<str>, status: Status) -> Result<(), String> {
        self.listed += 1;
        let known = self.statuses.entry(path).or_default();
        if known.conflicts_with(status) {
            return Err(format!("the status is {status} here, and {known} in a list before"));
        }
        if *known == Status::Unknown {
            *known = status;
        }
        Ok(())
    }

    /// Notes the number of queries of a benchmark in a list.
    pub(crate) fn list_queries(&mut self, path: Box<str>, count: u64) -> Result<(), String> {
        self.listed += 1;
        list_count(&mut self.queries, path, count, "queries")
    }

    /// Notes the number of assertions of a benchmark in a list.
    pub(crate) fn list_asserts(&mut self, path: Box<str>, count: u64) -> Result<(), String> {
        self.listed += 1;
        list_count(&mut self.asserts, path, count, "assertions")
    }

    fn place(&self, line: u64) -> RowPlace {
        RowPlace { file: self.files.len() as u32 - 1, line: u32::try_from(line).unwrap_or(u32::MAX) }
    }

    /// Adds a row that stands in this line of the file that is being read.
    pub(crate) fn add(&mut self, line: u64, row: Row) {
        self.rows.push(row);
        self.places.push(self.place(line));
    }

    /// Adds a row whose benchmark has this id.
    pub(crate) fn add_by_id(&mut self, line: u64, id: u64, row: Row) {
        match self.ids.get(&id) {
            Some(benchmark) => self.add(line, Row { benchmark: *benchmark, ..row }),
            None => self.waiting.push((id, row, self.place(line))),
        }
    }

    /// Notes what the rows to come count. False if other rows count something else.
    pub(crate) fn set_counts(&mut self, counts: Counted) -> bool {
        *self.counts.get_or_insert(counts) == counts
    }

    /// Notes the track that a result states.
    pub(crate) fn state_track(&mut self, track: Track) {
        self.is_mixed |= *self.stated.get_or_insert(track) != track;
    }

    /// Whether results of several tracks were read.
    pub(crate) fn is_mixed(&self) -> bool {
        self.is_mixed
    }

    /// Notes that a solver entered a logic.
    pub(crate) fn enter(&mut self, line: u64, logic: &str, identity: IdentityIx) {
        let logic = self.logic(logic);
        self.entered.push((logic, identity, self.place(line)));
    }

    /// Notes that a table of runs lacks a column.
    pub(crate) fn lacks(&mut self, column: &'static str) {
        self.lacks = Some(column);
    }

    pub(crate) fn identity(&mut self, identity: &Identity) -> IdentityIx {
        if let Some(found) = self.identity_numbers.get(identity) {
            return *found;
        }
        let number = IdentityIx(self.identities.len() as u32);
        self.identities.push(identity.clone());
        self.identity_numbers.insert(identity.clone(), number);
        number
    }

    /// The benchmark of a path. A path without a logic counts under its first directory.
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

    /// The benchmark of a path whose logic the table states. An error if another line states another logic.
    pub(crate) fn benchmark_in(&mut self, path: &str, logic: &str) -> Result<BenchmarkIx, String> {
        let path = &*normalized(path);
        // Other tables may name it from its logic on.
        let is_directory = |(at, _): &(usize, &str)| {
            (*at == 0 || path.as_bytes()[at - 1] == b'/') && path.as_bytes().get(at + logic.len()) == Some(&b'/')
        };
        let key = path.match_indices(logic).find(is_directory).map_or(path, |(at, _)| &path[at..]);
        let number = self.benchmark_of(key, path, logic);
        let known = &self.logics[self.benchmarks[number].logic];
        if known.0 != logic {
            return Err(format!("'{path}' has logic {logic} here, and {known} before"));
        }
        Ok(number)
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

    /// Notes the numbers of queries and assertions of a benchmark in a row. An error if another row has others.
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
                    return Err(format!("'{}' has {count} {what} here, and {before} before", facts.name));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Notes the status of a benchmark in a row. An error if another row has another one.
    pub(crate) fn set_status(&mut self, benchmark: BenchmarkIx, status: Status) -> Result<(), String> {
        let facts = self.facts(benchmark);
        if facts.status == Status::Unknown {
            facts.status = status;
        }
        if facts.status.conflicts_with(status) {
            return Err(format!("'{}' is expected to be {status} here, and {} before", facts.name, facts.status));
        }
        Ok(())
    }

    /// The errors alone, for files that are not results.
    pub(crate) fn into_errors(mut self) -> Vec<LineError> {
        if let (Some(last), 1..) = (self.errors.last().cloned(), self.more_errors) {
            self.errors.push(LineError { message: format!("and {} more malformed lines", self.more_errors), ..last });
        }
        self.errors
    }

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
        // One allocation serves both.
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

    /// Finds the benchmarks of rows that name them by id.
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
                None => self.error_at(place, format!("benchmark {id} is in no table of benchmarks")),
            }
        }
        Ok(())
    }

    /// Adds what lists say about the benchmarks.
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
                    format!("'{}' is expected to be {} here, and {listed} in a list", facts.name, facts.status);
                contradicted.insert(BenchmarkIx::at(at), message);
            }
            if facts.status == Status::Unknown {
                facts.status = listed;
            }
            facts.status = decided.unwrap_or(facts.status);
        }
        for at in 0..self.rows.len() {
            if contradicted.is_empty() {
                break;
            }
            if let Some(message) = contradicted.remove(&self.rows[at].benchmark) {
                self.error_at(self.places[at], message);
            }
        }
    }

    /// Removes rows with more answers than queries, or a reduction by more than all assertions; each is an error. Sizes of
    /// cores are not among them: the list of 2024 has too few assertions for some benchmarks.
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
                    Some(format!("{answers} answers to {queries} queries of '{}'", facts.name))
                }
                Evidence::Core(count) => {
                    let asserts = facts.asserts.filter(|asserts| u64::from(count) > *asserts)?;
                    Some(format!("a reduction by {count} of {asserts} assertions of '{}'", facts.name))
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

    /// Keeps the rows, and their positions, for which `keep` holds, given the index and the row.
    fn retain(&mut self, keep: impl Fn(usize, &Row) -> bool) {
        let is_kept: Vec<bool> = self.rows.iter().enumerate().map(|(at, row)| keep(at, row)).collect();
        let mut kept = is_kept.iter();
        self.rows.retain(|_| kept.next() == Some(&true));
        let mut kept = is_kept.iter();
        self.places.retain(|_| kept.next() == Some(&true));
    }

    /// Removes the benchmarks that the organizers excluded.
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

    /// Removes the rows of solvers that no registry lists. Each of these solvers is one error, where it is first named.
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

    /// Configurations of one solver are one, unless they were run on the same benchmarks.
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
                self.error_at(place, format!("'{column}' of the solver '{name}' is different before"));
            }
        }
        Solvers { solvers, of, split }
    }

    /// What tells these identities apart, which have the same name: their configurations, or else ids.
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

    /// The names under which two identities were run on one benchmark.
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

    /// Removes all but the first of several runs of one pair. Returns the others, with an error for each of the first
    /// ones.
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
            self.line_error(*place, format!("{solver} has another run on {benchmark}"))
        };
        let errors = again.iter().take(MOST_ERRORS).map(error).collect();
        (again.into_iter().map(|(run, _)| run).collect(), errors)
    }
}

/// The solvers of the results.
struct Solvers {
    solvers: Vec<Solver>,
    /// Which one each identity is.
    of: Vec<SolverIx>,
    /// The names of solvers whose configurations are solvers of their own.
    split: FxHashSet<String>,
}

/// Fills in what tables state about a solver that no registry lists.
fn describe(solver: &mut Solver, stated: &Stated) {
    let team = stated.team.clone().filter(|team| !team.is_empty());
    solver.team = team.unwrap_or_else(|| solver.name.clone());
    solver.competing = stated.competing.unwrap_or(true);
    solver.has_source = stated.has_source.unwrap_or(false);
    solver.wraps_older = stated.wraps_older.unwrap_or(false);
    solver.won = stated.won.clone().unwrap_or_default();
    solver.is_new = stated.is_new.unwrap_or(false);
    solver.note = stated.note.clone().filter(|note| !note.is_empty());
}

/// The message about a solver that no registry lists.
fn unlisted(identity: &Identity) -> String {
    let Identity { solver, solver_id, configuration_id, .. } = identity;
    let ids = [("id", solver_id), ("configuration", configuration_id)];
    let ids: Vec<String> =
        ids.into_iter().filter(|(_, id)| !id.is_empty()).map(|(what, id)| format!("{what} {id}")).collect();
    let ids = if ids.is_empty() { String::new() } else { format!(" ({})", ids.join(", ")) };
    format!("the solver '{solver}'{ids} is in no registry")
}

fn list_count(known: &mut FxHashMap<Box<str>, u64>, path: Box<str>, count: u64, what: &str) -> Result<(), String> {
    match known.insert(path, count) {
        Some(before) if before != count => Err(format!("{count} {what} here, and {before} in a list before")),
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

/// A message that a terminal can show.
fn shortened(message: String) -> String {
    const LONGEST: usize = 400;
    match message.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{}…", &message[..at]),
        None => message,
    }
}
