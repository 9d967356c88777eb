//! What was read so far, and what is made of it at the end.

use crate::ImportError;
use crate::imported::Imported;
use crate::registry::Registry;
use agon_domain::{Answer, Claim, Division, End, Evidence, Logic, Status, Time, Track, split_logic};
use agon_score::{BenchmarkFacts, BenchmarkIx, LogicIx, Measured, Run, Solver, SolverIx, TrackResults};
use rustc_hash::{FxHashMap, FxHashSet};
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

/// What our own tables say about a solver.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Stated {
    pub(crate) team: String,
    pub(crate) competing: bool,
    pub(crate) has_source: bool,
    pub(crate) is_new: bool,
    pub(crate) base: String,
    /// The solvers that it wraps and that are entered too.
    pub(crate) wraps: Vec<String>,
    pub(crate) wraps_older: bool,
    pub(crate) won: Vec<Division>,
    pub(crate) note: String,
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

/// Where a row stands.
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

/// A column that a table may lack and that scoring needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Column {
    Status,
    WallTime,
}

/// What was read so far.
#[derive(Default)]
pub(crate) struct Collected {
    files: Vec<PathBuf>,
    /// Files of directories and archives that are not results.
    skipped: Vec<PathBuf>,
    identities: Vec<Identity>,
    identity_numbers: FxHashMap<Identity, IdentityIx>,
    logics: Vec<Logic>,
    logic_numbers: FxHashMap<Box<str>, LogicIx>,
    benchmarks: Vec<BenchmarkFacts>,
    benchmark_numbers: FxHashMap<Box<str>, BenchmarkIx>,
    /// The last path and its benchmark: rows of one benchmark often follow one another.
    last: Option<(String, BenchmarkIx)>,
    rows: Vec<Row>,
    /// Where each row stands, for messages.
    places: Vec<RowPlace>,
    errors: Vec<LineError>,
    counts: Option<Counted>,
    /// Columns that a table of runs lacks, and scoring needs.
    lacks: Option<Column>,
    /// Solvers that entered a logic, as our own tables have it.
    entered: Vec<(LogicIx, IdentityIx)>,
    /// The track that the results state, and whether others state another.
    stated: Option<Track>,
    is_mixed: bool,
    /// Whether results came without ids of solvers that a registry could list.
    pub(crate) names_solvers_only: bool,
    pub(crate) registry: Registry,
    /// Facts from lists, by the path from the logic on.
    pub(crate) queries: FxHashMap<Box<str>, u64>,
    pub(crate) asserts: FxHashMap<Box<str>, u64>,
    pub(crate) statuses: FxHashMap<Box<str>, Status>,
    /// Statuses that the organizers decided on, which override all others.
    pub(crate) decided: FxHashMap<Box<str>, Status>,
    pub(crate) excluded: FxHashSet<Box<str>>,
    /// Benchmarks by the ids of the tables of 2022 and 2023, and rows that wait for them.
    pub(crate) ids: FxHashMap<u64, BenchmarkIx>,
    waiting: Vec<(u64, Row, RowPlace)>,
}

impl Collected {
    pub(crate) fn begin(&mut self, file: &Path) {
        self.files.push(file.to_owned());
    }

    /// Notes that a file is not a results file.
    pub(crate) fn skip(&mut self, file: PathBuf) {
        self.skipped.push(file);
    }

    /// The number of facts about benchmarks from lists.
    pub(crate) fn listed_facts(&self) -> usize {
        self.queries.len() + self.asserts.len() + self.statuses.len()
    }

    /// The number of rows and errors so far.
    pub(crate) fn size(&self) -> (usize, usize) {
        (self.rows.len() + self.waiting.len(), self.errors.len())
    }

    /// Reports an error in a line of the file that is being read.
    pub(crate) fn error(&mut self, line: u64, message: impl Into<String>) {
        let file = self.files.last().cloned().unwrap_or_default();
        self.errors.push(LineError { file, line, message: message.into() });
    }

    fn error_at(&mut self, place: RowPlace, message: String) {
        let file = self.files[place.file as usize].clone();
        self.errors.push(LineError { file, line: place.line.into(), message });
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
    pub(crate) fn enter(&mut self, logic: &str, identity: IdentityIx) {
        let logic = self.logic(logic);
        self.entered.push((logic, identity));
    }

    /// Notes that a table of runs lacks a column.
    pub(crate) fn lacks(&mut self, column: Column) {
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

    /// The benchmark of a path. A path without a logic counts under its first directory; `None` if it has none.
    pub(crate) fn benchmark(&mut self, path: &str) -> Option<BenchmarkIx> {
        if let Some((last, number)) = &self.last
            && last == path
        {
            return Some(*number);
        }
        let plain = path.trim_start_matches("./");
        let is_word = |part: &&str| part.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_+-".contains(&byte));
        let by_directory = || plain.split_once('/').map(|(first, _)| first).filter(is_word).map(|first| (first, plain));
        let (logic, from_logic) = split_logic(path).or_else(by_directory)?;
        let number = self.benchmark_of(from_logic, logic);
        self.last = Some((path.to_owned(), number));
        Some(number)
    }

    /// The benchmark of a path whose logic the table states. `None` if another line states another logic.
    pub(crate) fn benchmark_in(&mut self, path: &str, logic: &str) -> Option<BenchmarkIx> {
        let number = self.benchmark_of(path, logic);
        let known = &self.logics[self.benchmarks[number].logic];
        (known.0 == logic).then_some(number)
    }

    fn benchmark_of(&mut self, name: &str, logic: &str) -> BenchmarkIx {
        if let Some(found) = self.benchmark_numbers.get(name) {
            return *found;
        }
        let number = BenchmarkIx::at(self.benchmarks.len());
        let logic = self.logic(logic);
        let facts = BenchmarkFacts { name: name.into(), logic, status: Status::Unknown, queries: None, asserts: None };
        self.benchmarks.push(facts);
        self.benchmark_numbers.insert(name.into(), number);
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

    /// The facts about a benchmark.
    pub(crate) fn facts(&mut self, benchmark: BenchmarkIx) -> &mut BenchmarkFacts {
        &mut self.benchmarks[benchmark.place()]
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
    pub(crate) fn into_errors(self) -> Vec<LineError> {
        self.errors
    }

    pub(crate) fn finish(mut self) -> Result<Imported, ImportError> {
        self.place_waiting()?;
        if self.rows.is_empty() && self.errors.is_empty() && self.entered.is_empty() {
            return Err(ImportError::Empty);
        }
        self.take_listed_facts();
        let missing_asserts = self.reduce_cores();
        if !self.registry.is_empty() {
            self.reject_unknown_solvers();
        }
        self.exclude();
        let (solvers, of) = self.solvers();
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
        // The same allocation serves both.
        let runs: Vec<Run> = std::mem::take(&mut self.rows).into_iter().map(run).collect();
        let mut results = TrackResults {
            track: counts.track(),
            is_incremental: counts == Counted::Queries,
            solvers,
            logics: std::mem::take(&mut self.logics),
            benchmarks: std::mem::take(&mut self.benchmarks),
            runs,
            entered: self.entered.iter().map(|(logic, identity)| (*logic, of[identity.0 as usize])).collect(),
        };
        let again = self.take_duplicates(&mut results);
        let has_ids = self.identities.iter().any(|identity| !identity.configuration_id.is_empty());
        Ok(Imported {
            results,
            counts,
            errors: self.errors,
            again,
            skipped: self.skipped,
            lacks: self.lacks,
            missing_asserts,
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
        for facts in &mut self.benchmarks {
            let key = split_logic(&facts.name).map_or(&*facts.name, |(_, from_logic)| from_logic);
            facts.queries = self.queries.get(key).copied().or(facts.queries);
            facts.asserts = self.asserts.get(key).copied().or(facts.asserts);
            let listed = self.statuses.get(key).copied().unwrap_or(facts.status);
            facts.status = self.decided.get(key).copied().unwrap_or(listed);
        }
    }

    /// Turns the sizes of cores into reductions. Returns how many benchmarks with cores lack the number of assertions.
    fn reduce_cores(&mut self) -> usize {
        let mut missing: FxHashSet<BenchmarkIx> = FxHashSet::default();
        if self.counts != Some(Counted::CoreSizes) {
            return 0;
        }
        for row in &mut self.rows {
            let Evidence::Core(size) = row.claim.evidence else { continue };
            match self.benchmarks[row.benchmark].asserts {
                Some(all) => {
                    let left_out = if row.claim.answer == Answer::Unsat { all.saturating_sub(size.into()) } else { 0 };
                    row.claim.evidence = Evidence::Core(u32::try_from(left_out).unwrap_or(u32::MAX));
                }
                None if row.claim.answer == Answer::Unsat => _ = missing.insert(row.benchmark),
                None => row.claim.evidence = Evidence::Core(0),
            }
        }
        missing.len()
    }

    /// Keeps the rows for which `keep` holds, with their places.
    fn retain(&mut self, keep: impl Fn(&Row) -> bool) {
        let mut places = self.places.iter();
        let places = self.rows.iter().filter_map(|row| places.next().filter(|_| keep(row)).copied()).collect();
        self.rows.retain(keep);
        self.places = places;
    }

    /// Takes out the benchmarks that the organizers excluded.
    fn exclude(&mut self) {
        if self.excluded.is_empty() {
            return;
        }
        let key = |name: &str| split_logic(name).map_or(name.len(), |(_, from_logic)| from_logic.len());
        let is_excluded: Vec<bool> = self
            .benchmarks
            .iter()
            .map(|facts| self.excluded.contains(&facts.name[facts.name.len() - key(&facts.name)..]))
            .collect();
        self.retain(|row| !is_excluded[row.benchmark.place()]);
    }

    /// Takes out the rows of solvers that no registry lists. Each of them is one error, where it is first named.
    fn reject_unknown_solvers(&mut self) {
        let is_known: Vec<bool> =
            self.identities.iter().map(|identity| self.registry.find(identity).is_some()).collect();
        let mut is_reported = is_known.clone();
        for at in 0..self.rows.len() {
            let number = self.rows[at].identity.0 as usize;
            if std::mem::replace(&mut is_reported[number], true) {
                continue;
            }
            let Identity { solver, solver_id, configuration_id, .. } = &self.identities[number];
            let message =
                format!("the solver '{solver}' (id {solver_id}, configuration {configuration_id}) is in no registry");
            self.error_at(self.places[at], message);
        }
        self.retain(|row| is_known[row.identity.0 as usize]);
    }

    /// The solvers, and which one each identity is. Configurations of one solver are one, unless they were run on the same
    /// benchmarks.
    fn solvers(&mut self) -> (Vec<Solver>, Vec<SolverIx>) {
        let (mut named, mut bases): (Vec<Solver>, Vec<String>) = (vec![], vec![]);
        for identity in &self.identities {
            let (solver, base) = self.registry.find(identity).unwrap_or_else(|| plain(identity));
            named.push(solver);
            bases.push(base);
        }
        let apart = self.run_on_the_same(&named);
        let mut solvers: Vec<Solver> = vec![];
        let mut of: Vec<SolverIx> = vec![];
        let mut numbers: FxHashMap<String, SolverIx> = FxHashMap::default();
        for (identity, mut solver) in self.identities.iter().zip(named) {
            if apart.contains(&solver.name) {
                let which =
                    if identity.configuration.is_empty() { &identity.solver_id } else { &identity.configuration };
                solver.name = format!("{} ({which})", solver.name);
            }
            of.push(*numbers.entry(solver.name.clone()).or_insert_with(|| {
                solvers.push(solver);
                SolverIx::at(solvers.len() - 1)
            }));
        }
        for ((identity, own), base) in self.identities.iter().zip(&of).zip(&bases) {
            let solver = &mut solvers[own.place()];
            solver.base = numbers.get(base).copied().filter(|base| base != own);
            let wraps = identity.stated.iter().flat_map(|stated| &stated.wraps);
            solver.wraps = wraps.filter_map(|name| numbers.get(name).copied()).collect();
        }
        (solvers, of)
    }

    /// The names under which two identities were run on one benchmark.
    fn run_on_the_same(&self, named: &[Solver]) -> FxHashSet<String> {
        let mut apart: FxHashSet<String> = FxHashSet::default();
        let distinct: FxHashSet<&str> = named.iter().map(|solver| solver.name.as_str()).collect();
        if distinct.len() == named.len() {
            return apart;
        }
        let mut first: FxHashMap<(&str, BenchmarkIx), IdentityIx> = FxHashMap::default();
        for row in &self.rows {
            let name = named[row.identity.0 as usize].name.as_str();
            let other = *first.entry((name, row.benchmark)).or_insert(row.identity);
            if other != row.identity && !apart.contains(name) {
                apart.insert(name.to_owned());
            }
        }
        apart
    }

    /// Takes out all but the first of several runs of one pair; each is an error.
    fn take_duplicates(&mut self, results: &mut TrackResults) -> Vec<Run> {
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
        for (run, place) in &again {
            let (solver, benchmark) = (&results.solver_of(run).name, &results.benchmark_of(run).name);
            self.error_at(*place, format!("{solver} has another run on {benchmark}"));
        }
        again.into_iter().map(|(run, _)| run).collect()
    }
}

/// A solver that no registry lists, and the name of the solver it is derived from.
fn plain(identity: &Identity) -> (Solver, String) {
    let name = identity.solver.clone();
    let Some(stated) = &identity.stated else {
        return (Solver { team: name.clone(), name, competing: true, ..Solver::default() }, String::new());
    };
    let solver = Solver {
        team: if stated.team.is_empty() { name.clone() } else { stated.team.clone() },
        name,
        competing: stated.competing,
        has_source: stated.has_source,
        base: None,
        wraps: vec![],
        wraps_older: stated.wraps_older,
        won: stated.won.clone(),
        is_new: stated.is_new,
        note: Some(stated.note.clone()).filter(|note| !note.is_empty()),
    };
    (solver, stated.base.clone())
}
