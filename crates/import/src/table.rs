//! What was read so far, and what is made of it at the end.

use crate::ImportError;
use crate::imported::Imported;
use crate::registry::Registry;
use agon_domain::{Answer, Logic, Status, Time};
use agon_score::{End, Solver};
use rustc_hash::{FxHashMap, FxHashSet};
use std::path::{Path, PathBuf};

/// A line that makes no sense, or contradicts another.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}", file = file.display())]
pub struct Fault {
    /// The file.
    pub file: PathBuf,
    /// The line, from 1; or the number of the entry, where a file has no lines.
    pub line: u64,
    /// What is wrong with it.
    pub message: String,
}

/// Who was run, as a table names it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Identity {
    pub(crate) solver: String,
    pub(crate) solver_id: String,
    pub(crate) configuration: String,
    pub(crate) configuration_id: String,
    /// Its team and whether it competes, where a table says so itself.
    pub(crate) team: String,
    pub(crate) is_out: bool,
}

/// What a validator said of a model, or a checker of a proof.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Evidence {
    /// Nothing, or there is no such thing in this track.
    #[default]
    None,
    Valid,
    Invalid,
    /// Invalid, because the output broke off where the answer or the model should begin.
    CutOff,
    /// A word for a failure stands in place of an answer.
    Failure,
}

/// One line of results.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    pub(crate) identity: u32,
    pub(crate) benchmark: u32,
    pub(crate) answer: Answer,
    pub(crate) end: End,
    pub(crate) evidence: Evidence,
    /// Wrong answers to queries; whether a core is wrong.
    pub(crate) wrong: u32,
    /// Correct answers to queries, the reduction of a core, or the size of a core.
    pub(crate) count: u64,
    pub(crate) wall: Time,
    pub(crate) cpu: Time,
    pub(crate) file: u32,
    pub(crate) line: u32,
}

/// What the rows of a table count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Counts {
    /// Nothing: one answer each.
    #[default]
    Answers,
    Queries,
    Reductions,
    CoreSizes,
    Models,
    Proofs,
}

#[derive(Clone, Debug)]
pub(crate) struct Benchmark {
    pub(crate) path: Box<str>,
    pub(crate) logic: u32,
    pub(crate) status: Status,
    pub(crate) queries: u64,
    pub(crate) asserts: u64,
}

/// What was read so far.
#[derive(Default)]
pub(crate) struct Table {
    files: Vec<PathBuf>,
    identities: Vec<Identity>,
    identity_numbers: FxHashMap<Identity, u32>,
    pub(crate) logics: Vec<Logic>,
    logic_numbers: FxHashMap<Box<str>, u32>,
    pub(crate) benchmarks: Vec<Benchmark>,
    benchmark_numbers: FxHashMap<Box<str>, u32>,
    /// The last path and its benchmark: rows of one benchmark often follow one another.
    last: (String, u32),
    pub(crate) rows: Vec<Row>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) counts: Option<Counts>,
    pub(crate) registry: Registry,
    /// By the path from the logic on.
    pub(crate) queries: FxHashMap<Box<str>, u64>,
    pub(crate) asserts: FxHashMap<Box<str>, u64>,
    pub(crate) statuses: FxHashMap<Box<str>, Status>,
    /// Statuses that the organizers decided on, which are above all others.
    pub(crate) decided: FxHashMap<Box<str>, Status>,
    pub(crate) excluded: FxHashSet<Box<str>>,
    /// Benchmarks by the ids of split tables, and rows that wait for them.
    pub(crate) ids: FxHashMap<u64, u32>,
    pub(crate) waiting: Vec<(u64, Row)>,
}

impl Table {
    pub(crate) fn begin(&mut self, file: &Path) {
        self.files.push(file.to_owned());
    }

    /// How much is known of benchmarks beside the runs.
    pub(crate) fn known_benchmarks(&self) -> usize {
        self.queries.len() + self.asserts.len() + self.statuses.len()
    }

    pub(crate) fn file(&self) -> u32 {
        self.files.len() as u32 - 1
    }

    pub(crate) fn fault(&mut self, line: u64, message: impl Into<String>) {
        let file = self.files.last().cloned().unwrap_or_default();
        self.faults.push(Fault { file, line, message: message.into() });
    }

    /// Notes what rows to come count. Says whether that is what all others count.
    pub(crate) fn set_counts(&mut self, counts: Counts) -> bool {
        *self.counts.get_or_insert(counts) == counts
    }

    pub(crate) fn identity(&mut self, identity: &Identity) -> u32 {
        if let Some(found) = self.identity_numbers.get(identity) {
            return *found;
        }
        let number = self.identities.len() as u32;
        self.identities.push(identity.clone());
        self.identity_numbers.insert(identity.clone(), number);
        number
    }

    /// The benchmark of a path; nothing if the path has no logic in it.
    pub(crate) fn benchmark(&mut self, path: &str) -> Option<u32> {
        if !self.last.0.is_empty() && self.last.0 == path {
            return Some(self.last.1);
        }
        let (logic, from_logic) = crate::words::logic(path)?;
        let number = match self.benchmark_numbers.get(from_logic) {
            Some(found) => *found,
            None => {
                let number = self.benchmarks.len() as u32;
                let logic = self.logic(logic);
                self.benchmarks.push(Benchmark {
                    path: from_logic.into(),
                    logic,
                    status: Status::Unknown,
                    queries: 0,
                    asserts: 0,
                });
                self.benchmark_numbers.insert(from_logic.into(), number);
                number
            }
        };
        self.last = (path.to_owned(), number);
        Some(number)
    }

    fn logic(&mut self, name: &str) -> u32 {
        if let Some(found) = self.logic_numbers.get(name) {
            return *found;
        }
        let number = self.logics.len() as u32;
        self.logics.push(Logic(name.to_owned()));
        self.logic_numbers.insert(name.into(), number);
        number
    }

    /// Notes how many queries a benchmark has.
    pub(crate) fn set_queries(&mut self, benchmark: u32, count: u64) {
        self.benchmarks[benchmark as usize].queries = count;
    }

    /// Notes how many assertions a benchmark has.
    pub(crate) fn set_asserts(&mut self, benchmark: u32, count: u64) {
        self.benchmarks[benchmark as usize].asserts = count;
    }

    /// Notes what a row says of a benchmark's status. Says whether it contradicts what another said.
    pub(crate) fn set_status(&mut self, benchmark: u32, status: Status) -> bool {
        let known = &mut self.benchmarks[benchmark as usize].status;
        if *known == Status::Unknown {
            *known = status;
        }
        status.is_definite() && *known != status
    }

    pub(crate) fn finish(mut self) -> Result<Imported, ImportError> {
        for (id, row) in std::mem::take(&mut self.waiting) {
            match self.ids.get(&id) {
                Some(benchmark) => self.rows.push(Row { benchmark: *benchmark, ..row }),
                None => {
                    let file = self.files[row.file as usize].clone();
                    let message = format!("benchmark {id} is in no list of benchmarks");
                    self.faults.push(Fault { file, line: row.line.into(), message });
                }
            }
        }
        if self.rows.is_empty() && self.faults.is_empty() {
            return Err(ImportError::Empty);
        }
        for at in 0..self.benchmarks.len() {
            let path = &self.benchmarks[at].path;
            let queries = self.queries.get(path).copied().unwrap_or(self.benchmarks[at].queries);
            let listed = self.statuses.get(path).copied().unwrap_or(self.benchmarks[at].status);
            let status = self.decided.get(path).copied().unwrap_or(listed);
            let benchmark = &mut self.benchmarks[at];
            (benchmark.queries, benchmark.status) = (queries, status);
        }
        if !self.registry.is_empty() {
            self.refuse_unknown_solvers();
        }
        if !self.excluded.is_empty() {
            let Self { rows, benchmarks, excluded, .. } = &mut self;
            rows.retain(|row| !excluded.contains(&benchmarks[row.benchmark as usize].path));
        }
        let (solvers, of) = self.solvers();
        let mut rows = std::mem::take(&mut self.rows);
        rows.iter_mut().for_each(|row| row.identity = of[row.identity as usize]);
        let again = self.duplicates(&mut rows, &solvers);
        Ok(Imported { table: self, solvers, rows, again })
    }

    /// Takes out the rows of solvers that no registry knows. Each solver is a fault, where it stands first.
    fn refuse_unknown_solvers(&mut self) {
        let mut is_known: Vec<bool> =
            self.identities.iter().map(|identity| self.registry.find(identity).is_some()).collect();
        for row in &self.rows {
            if std::mem::replace(&mut is_known[row.identity as usize], true) {
                continue;
            }
            let Identity { solver, solver_id, configuration_id, .. } = &self.identities[row.identity as usize];
            let message =
                format!("the solver '{solver}' (id {solver_id}, configuration {configuration_id}) is in no registry");
            self.faults.push(Fault { file: self.files[row.file as usize].clone(), line: row.line.into(), message });
        }
        let Self { rows, identities, registry, .. } = self;
        let is_known: Vec<bool> = identities.iter().map(|identity| registry.find(identity).is_some()).collect();
        rows.retain(|row| is_known[row.identity as usize]);
    }

    /// The solvers, and which one each identity is. Configurations of one solver are one, unless they were run on the same
    /// benchmarks.
    fn solvers(&mut self) -> (Vec<Solver>, Vec<u32>) {
        let (mut found, mut bases): (Vec<Option<Solver>>, Vec<String>) = (vec![], vec![]);
        for identity in &self.identities {
            let (solver, base) = self.registry.find(identity).unzip();
            found.push(solver);
            bases.push(base.unwrap_or_default().to_owned());
        }
        let plain = |identity: &Identity| Solver {
            name: identity.solver.clone(),
            team: if identity.team.is_empty() { &identity.solver } else { &identity.team }.clone(),
            competing: !identity.is_out,
            ..Solver::default()
        };
        let named: Vec<Solver> = self
            .identities
            .iter()
            .zip(found)
            .map(|(identity, found)| found.unwrap_or_else(|| plain(identity)))
            .collect();
        // Whether two identities of one name were run on one benchmark.
        let mut first: FxHashMap<(&str, u32), u32> = FxHashMap::default();
        let mut apart: FxHashSet<String> = FxHashSet::default();
        if named.iter().map(|solver| &solver.name).collect::<FxHashSet<_>>().len() < named.len() {
            for row in &self.rows {
                let name = named[row.identity as usize].name.as_str();
                let other = *first.entry((name, row.benchmark)).or_insert(row.identity);
                if other != row.identity && !apart.contains(name) {
                    apart.insert(name.to_owned());
                }
            }
        }
        let mut solvers: Vec<Solver> = vec![];
        let mut of: Vec<u32> = vec![];
        let mut numbers: FxHashMap<String, u32> = FxHashMap::default();
        for (identity, mut solver) in self.identities.iter().zip(named) {
            if apart.contains(&solver.name) {
                let which =
                    if identity.configuration.is_empty() { &identity.solver_id } else { &identity.configuration };
                solver.name = format!("{} ({which})", solver.name);
            }
            of.push(*numbers.entry(solver.name.clone()).or_insert_with(|| {
                solvers.push(solver);
                solvers.len() as u32 - 1
            }));
        }
        for (own, base) in of.iter().zip(&bases) {
            let base = numbers.get(base).copied();
            solvers[*own as usize].base = base.filter(|base| base != own);
        }
        (solvers, of)
    }

    /// Takes out all but the first of several rows for one pair; each is a fault.
    fn duplicates(&mut self, rows: &mut Vec<Row>, solvers: &[Solver]) -> Vec<Row> {
        let mut seen: FxHashSet<(u32, u32)> = FxHashSet::with_capacity_and_hasher(rows.len(), Default::default());
        let mut again = vec![];
        rows.retain(|row| {
            let is_new = seen.insert((row.identity, row.benchmark));
            if !is_new {
                again.push(*row);
            }
            is_new
        });
        for row in &again {
            let solver = &solvers[row.identity as usize].name;
            let message = format!("{solver} has another run on {}", self.benchmarks[row.benchmark as usize].path);
            self.faults.push(Fault { file: self.files[row.file as usize].clone(), line: row.line.into(), message });
        }
        again
    }
}
