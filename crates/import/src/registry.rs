//! Who the solvers are: registries of past editions, and submissions.

use crate::table::Identity;
use agon_score::Solver;
use rustc_hash::FxHashMap;

/// One line of a registry.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) competing: bool,
    /// The solver that it is a variant of, by name or id.
    pub(crate) variant_of: String,
    /// What it wraps or is derived from.
    pub(crate) wraps: String,
    pub(crate) derived_from: String,
}

/// All that is known of solvers.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    entries: Vec<Entry>,
    by_solver: FxHashMap<String, usize>,
    by_configuration: FxHashMap<String, usize>,
    by_name: FxHashMap<String, usize>,
}

impl Registry {
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Adds an entry with its ids of solvers and of configurations.
    pub(crate) fn add(&mut self, entry: Entry, solvers: &[String], configurations: &[String]) {
        let number = self.entries.len();
        for id in solvers.iter().filter(|id| !id.is_empty()) {
            self.by_solver.entry(id.clone()).or_insert(number);
        }
        for id in configurations.iter().filter(|id| !id.is_empty()) {
            self.by_configuration.entry(id.clone()).or_insert(number);
        }
        self.by_name.entry(entry.name.clone()).or_insert(number);
        self.entries.push(entry);
    }

    /// The solver that an identity is, by its configuration, its solver's id, or its name; and what it is derived from.
    pub(crate) fn find(&self, identity: &Identity) -> Option<(Solver, &str)> {
        let number = self
            .by_configuration
            .get(&identity.configuration_id)
            .or_else(|| self.by_solver.get(&identity.solver_id))
            .or_else(|| self.by_name.get(&identity.solver))?;
        let entry = &self.entries[*number];
        let variant = Some(&entry.variant_of).filter(|name| !name.is_empty());
        let team = variant.and_then(|variant| self.by_solver.get(variant).or_else(|| self.by_name.get(variant)));
        let note = |what: &str, of: &str| (!of.is_empty()).then(|| format!("{what} {of}"));
        let notes: Vec<String> = [
            (!entry.competing).then(|| "not competing".to_owned()),
            note("wraps", &entry.wraps),
            note("derived from", &entry.derived_from),
        ]
        .into_iter()
        .flatten()
        .collect();
        let solver = Solver {
            name: entry.name.clone(),
            team: team.map_or_else(|| entry.name.clone(), |team| self.entries[*team].name.clone()),
            competing: entry.competing,
            note: (!notes.is_empty()).then(|| notes.join("; ")),
            ..Solver::default()
        };
        Some((solver, &entry.derived_from))
    }
}
