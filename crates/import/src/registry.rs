//! The solvers of an edition: registries of past years, and submissions.

use crate::collected::Identity;
use agon_domain::{Division, Logic, Track};
use agon_rulebook::Rulebook;
use agon_score::Solver;
use rustc_hash::FxHashMap;

/// One line of a registry, or one submission.
#[derive(Clone, Debug, Default)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) competing: bool,
    /// The solver that it is a variant of, by name or id.
    pub(crate) variant_of: String,
    /// The solver that it wraps, as free text that is only shown in notes.
    pub(crate) wraps: String,
    /// The solver that it is derived from, by name.
    pub(crate) derived_from: String,
    /// The tracks and logics that it is registered for.
    pub(crate) registrations: Vec<Registration>,
}

/// The logics or divisions of a track that a solver is registered for.
#[derive(Clone, Debug)]
pub(crate) struct Registration {
    pub(crate) track: Track,
    /// Whether it is for incremental benchmarks. Only relevant in the industry challenge, which has both kinds.
    pub(crate) is_incremental: bool,
    pub(crate) logics: Logics,
}

/// How a registration names logics.
#[derive(Clone, Debug)]
pub(crate) enum Logics {
    Names(Vec<String>),
    /// A regular expression that matches whole names.
    Pattern(regex_lite::Regex),
    Divisions(Vec<Division>),
}

impl Registration {
    /// Whether the registration covers this logic of this track.
    pub(crate) fn enters(&self, track: Track, is_incremental: bool, logic: &Logic, rulebook: &Rulebook) -> bool {
        let is_kind = !track.is_nominated() || self.is_incremental == is_incremental;
        // Registries have one name for both kinds of challenge.
        let own = if track.is_nominated() { Track::IndustryChallenge } else { track };
        let names = match &self.logics {
            Logics::Names(names) => names.contains(&logic.0),
            Logics::Pattern(pattern) => pattern.is_match(&logic.0),
            Logics::Divisions(divisions) => {
                let groups = rulebook.divisions.get(&track);
                let group = |name: &Division| groups.map(|groups| groups.logics(name)).unwrap_or_default();
                divisions.iter().any(|name| group(name).contains(logic))
            }
        };
        self.track == own && is_kind && names
    }
}

/// All entries of registries and submissions, with indices by which tables refer to them.
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

    /// Adds an entry with its solver ids and configuration ids.
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

    /// The solver of an identity, by configuration id, solver id or name, and the name of the solver it is derived
    /// from.
    pub(crate) fn find(&self, identity: &Identity) -> Option<(Solver, String)> {
        let number = self
            .by_configuration
            .get(&identity.configuration_id)
            .or_else(|| self.by_solver.get(&identity.solver_id))
            .or_else(|| self.by_name.get(&identity.solver))?;
        let entry = &self.entries[*number];
        Some((self.solver(entry), entry.derived_from.clone()))
    }

    /// All solvers, with their registrations.
    pub(crate) fn registered(&self) -> impl Iterator<Item = (Solver, &[Registration])> {
        self.entries.iter().map(|entry| (self.solver(entry), entry.registrations.as_slice()))
    }

    /// The solver of an entry. A variant belongs to the team of the solver it is a variant of.
    fn solver(&self, entry: &Entry) -> Solver {
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
        Solver {
            disqualified: None,
            name: entry.name.clone(),
            team: team.map_or_else(|| entry.name.clone(), |team| self.entries[*team].name.clone()),
            competing: entry.competing,
            note: (!notes.is_empty()).then(|| notes.join("; ")),
            ..Solver::default()
        }
    }
}
