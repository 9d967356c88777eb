//! The data read from all files, ready to become the results of a track.

use crate::collected::{Counted, Exclusions, LineError};
use crate::registry::{Logics, Registry};
use agon_domain::{Division, Logic, Status, Track};
use agon_rulebook::Rulebook;
use agon_score::{LogicIx, Measured, Run, SolverIx, TrackResults};
use rustc_hash::FxHashSet;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Why results cannot be used as those of a track.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// They are results of another track.
    #[error("these are results of the {0} track, not of the {1} track; pass --track {0}")]
    OtherTrack(Track, Track),
    /// A file or column that scoring needs is missing.
    #[error(transparent)]
    Missing(#[from] Missing),
}

/// A file or column that scoring needs and that is missing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Missing {
    /// The numbers of assertions of this many benchmarks.
    #[error(
        "the results have the sizes of unsat cores, but the number of assertions of {0} benchmarks is not known; add \
         the list of benchmarks (benchmarks-YEAR.json of SMT-COMP)"
    )]
    Assertions(usize),
    /// A column of the table.
    #[error("a table of results has no column '{0}'")]
    Column(&'static str),
}

/// The runs that were read, with all that is known about their solvers and benchmarks, and all errors.
pub struct Imported {
    pub(crate) results: TrackResults,
    pub(crate) counts: Counted,
    pub(crate) errors: Vec<LineError>,
    /// The number of further errors, which were not kept.
    pub(crate) more_errors: u64,
    /// Duplicates: further runs of pairs that already have one.
    pub(crate) again: Vec<Run>,
    /// An error for each duplicate, up to a limit.
    pub(crate) again_errors: Vec<LineError>,
    pub(crate) skipped: Vec<(PathBuf, String)>,
    pub(crate) exclusions: Option<Exclusions>,
    /// The names of solvers whose configurations are solvers of their own.
    pub(crate) split: FxHashSet<String>,
    /// The track that the results state, if they do.
    pub(crate) stated: Option<Track>,
    /// A column that scoring needs and that a table lacks.
    pub(crate) lacks: Option<&'static str>,
    /// How many benchmarks with cores lack their number of assertions.
    pub(crate) missing_asserts: usize,
    /// How many cores have more assertions than their benchmarks.
    pub(crate) large_cores: usize,
    /// Whether the results need a registry of solvers that was not imported.
    pub(crate) is_unregistered: bool,
    pub(crate) registry: Registry,
}

impl std::fmt::Debug for Imported {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Imported").field("runs", &self.results.runs.len()).finish_non_exhaustive()
    }
}

impl Counted {
    /// The track whose tables count this, unless they state another.
    pub(crate) const fn track(self) -> Track {
        match self {
            Self::Answers => Track::SingleQuery,
            Self::Queries => Track::Incremental,
            Self::Reductions | Self::CoreSizes => Track::UnsatCore,
            Self::Models => Track::ModelValidation,
            Self::Proofs => Track::Proof,
        }
    }
}

impl Imported {
    /// The errors in lines, up to a limit. Malformed lines and duplicates are not among the runs. A run whose status
    /// only a list contradicts, or whose solver another line describes differently, is an error too but is kept.
    pub fn errors(&self) -> impl Iterator<Item = &LineError> {
        self.errors.iter().chain(&self.again_errors)
    }

    /// The number of all errors, including those beyond the limit of [`Self::errors`].
    pub fn error_count(&self) -> u64 {
        self.errors.len() as u64 + self.more_errors + self.again.len() as u64
    }

    /// How many of the errors are duplicates: further runs of a pair that already has one.
    pub fn duplicates(&self) -> u64 {
        self.again.len() as u64
    }

    /// Adds duplicates to the runs, so that they are no longer errors.
    pub fn count_duplicates(&mut self) {
        self.again_errors.clear();
        self.results.runs.append(&mut self.again);
    }

    /// Files in directories and archives that are not results, each with the reason.
    pub fn skipped(&self) -> impl Iterator<Item = (&Path, &str)> {
        self.skipped.iter().map(|(file, why)| (file.as_path(), why.as_str()))
    }

    /// The number of runs.
    pub fn run_count(&self) -> usize {
        self.results.runs.len()
    }

    /// The track of these results: the one they state, or else the one that their columns suggest.
    pub fn track(&self) -> Track {
        self.stated.unwrap_or_else(|| self.counts.track())
    }

    /// Notes for the user about the results, one line each.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = vec![];
        if self.is_unregistered {
            notes.push(
                "no registry of solvers was given: every solver counts as competing, under its name or number in the \
                 tables; add the registry (solvers_YEAR.csv) or the submissions"
                    .to_owned(),
            );
        }
        if let Some(Exclusions { benchmarks, runs, unmatched }) = self.exclusions {
            notes.push(format!("{runs} runs on {benchmarks} benchmarks are left out because a list excludes them"));
            if unmatched > 0 {
                notes.push(format!("{unmatched} lines of the list match no benchmark"));
            }
        }
        if self.large_cores > 0 {
            notes.push(format!(
                "{} unsat cores are larger than the list of benchmarks allows; their reduction counts as 0",
                self.large_cores
            ));
        }
        let runs = &self.results.runs;
        let count = |is_absent: fn(Measured) -> bool| runs.iter().filter(|run| is_absent(run.measured)).count();
        let absent =
            [(count(|measured| !measured.has_wall()), "wall-clock"), (count(|measured| !measured.has_cpu()), "CPU")];
        for (count, what) in absent.into_iter().filter(|(count, _)| *count > 0) {
            notes.push(format!("{count} runs have no {what} time (-1); it counts as 0"));
        }
        let is_asked = matches!(self.counts, Counted::Answers) && !runs.is_empty();
        if is_asked && self.results.benchmarks.iter().all(|facts| facts.status == Status::Unknown) {
            notes.push(
                "no benchmark has a known status, so no answer counts as wrong; add the list of benchmarks if there is \
                 one"
                    .to_owned(),
            );
        }
        notes
    }

    /// Whether the results can be those of a track.
    fn fits(&self, track: Track) -> bool {
        if let Some(stated) = self.stated {
            return track == stated;
        }
        let also: &[Track] = match self.counts {
            Counted::Answers => &[Track::IndustryChallenge, Track::Parallel, Track::Cloud],
            Counted::Queries => &[Track::IndustryChallenge, Track::IndustryChallengeIncremental],
            Counted::Reductions | Counted::CoreSizes | Counted::Models | Counted::Proofs => &[],
        };
        track == self.track() || also.contains(&track)
    }

    /// Turns everything into the results of a track, and the solvers that are registered for it.
    pub fn into_results(self, track: Track) -> Result<(TrackResults, Registered), Misfit> {
        if !self.fits(track) {
            return Err(Misfit::OtherTrack(self.track(), track));
        }
        if let Some(column) = self.lacks {
            return Err(Missing::Column(column).into());
        }
        if self.missing_asserts > 0 {
            return Err(Missing::Assertions(self.missing_asserts).into());
        }
        let results = TrackResults { track, ..self.results };
        let entered = results.entered.len();
        Ok((results, Registered { registry: self.registry, entered, split: self.split }))
    }

    /// Turns everything into results for statistics of past runs, which need neither wall-clock times nor statuses.
    pub fn past_runs(mut self) -> TrackResults {
        self.count_duplicates();
        self.results
    }
}

/// The solvers that registries and submissions list.
#[derive(Debug)]
pub struct Registered {
    registry: Registry,
    /// The number of entries that came from the results and not from registrations.
    entered: usize,
    split: FxHashSet<String>,
}

impl Registered {
    /// The divisions that submissions name for a track.
    pub fn divisions(&self, track: Track) -> BTreeSet<&Division> {
        let registrations = self.registry.registered().flat_map(|(_, registrations)| registrations);
        let own = registrations.filter(|registration| registration.track == track);
        let named = own.filter_map(|registration| match &registration.logics {
            Logics::Divisions(divisions) => Some(divisions),
            Logics::Names(_) | Logics::Pattern(_) => None,
        });
        named.flatten().collect()
    }

    /// Enters the solvers that are registered for logics of the results, so that they have a row there even without
    /// runs. The rulebook defines the logics of the divisions that submissions name. Entries of an earlier call with
    /// another rulebook are replaced.
    pub fn enter(&self, results: &mut TrackResults, rulebook: &Rulebook) {
        results.entered.truncate(self.entered);
        let mut has_runs = vec![false; results.logics.len()];
        for run in &results.runs {
            has_runs[results.benchmark_of(run).logic.place()] = true;
        }
        for (solver, registrations) in self.registry.registered() {
            let (track, is_incremental) = (results.track, results.is_incremental);
            let enters = |logic: &Logic| {
                registrations.iter().any(|registration| registration.enters(track, is_incremental, logic, rulebook))
            };
            let all = (0..results.logics.len()).map(LogicIx::at).filter(|at| has_runs[at.place()]);
            let logics: Vec<LogicIx> = all.filter(|at| enters(&results.logics[*at])).collect();
            // The configurations of a split solver have rows of their own, under other names.
            if logics.is_empty() || self.split.contains(&solver.name) {
                continue;
            }
            let place = results.solvers.iter().position(|other| other.name == solver.name);
            let number = SolverIx::at(place.unwrap_or_else(|| {
                results.solvers.push(solver);
                results.solvers.len() - 1
            }));
            results.entered.extend(logics.into_iter().map(|logic| (logic, number)));
        }
    }
}
