//! Tries solvers on trivial files.

use crate::enter::{Source, solver_of};
use crate::error::{At, Blame};
use crate::observer::{Tell, Work};
use crate::runner::{Solver, limits, readable_directory, run_solver};
use crate::{Event, Machine, Observer, StepError};
use agon_contain::ContainError;
use agon_domain::{Entrant, Submission};
use agon_entrant::{Details, Language, Trial, check};
use agon_store::Competition;
use std::fs;
use std::io;

/// The time limit for a trivial file, in seconds. A solver that needs longer probably hangs.
const TRIAL_S: f64 = 10.0;

/// The year of the trace executor for trial runs in the incremental track.
const EXECUTOR: u16 = 2019;

/// A solver and the results of its trials.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The description of the solver.
    pub submission: Submission,
    /// The trials, in order.
    pub findings: Vec<Trial>,
}

impl Checked {
    /// The first problem, if there is one.
    pub fn problem(&self) -> Option<&str> {
        self.findings.iter().find_map(|finding| finding.problem.as_deref())
    }
}

/// Tries an entrant of a competition.
pub fn check_entrant(
    competition: &Competition,
    entrant: &Entrant,
    machine: &Machine,
    observer: &mut Observer<'_>,
) -> Result<Checked, StepError> {
    try_out(&solver_of(competition, entrant)?, language_of(competition)?, machine, observer)
}

/// The language of a competition's benchmarks: the one that most of its files use.
fn language_of(competition: &Competition) -> Result<Language, StepError> {
    let library = competition.library()?;
    let old = library.iter().filter(|entry| entry.benchmark.path.0.ends_with(".smt")).count();
    Ok(if 2 * old > library.len() { Language::V1 } else { Language::V2 })
}

/// Tries a solver that is not entered in a competition.
pub fn check_source(source: &Source, machine: &Machine, observer: &mut Observer<'_>) -> Result<Checked, StepError> {
    let files = readable_directory()?;
    let place = files.path().join("files");
    fs::create_dir(&place).at(&place)?;
    let submission = source.open(&Details::default(), &place)?;
    try_out(&Solver { submission, files: place, digest: None }, Language::V2, machine, observer)
}

fn try_out(
    solver: &Solver,
    language: Language,
    machine: &Machine,
    observer: &mut Observer<'_>,
) -> Result<Checked, StepError> {
    let benchmarks = readable_directory()?;
    let limits = limits(TRIAL_S)?;
    let name = &solver.submission.name;
    observer.start(Work::Check, None, 0);
    let findings = check(&solver.submission, language, benchmarks.path(), |track, benchmark| {
        observer(Event::Advanced);
        match run_solver(machine, solver, track, benchmark, &limits, EXECUTOR) {
            Ok(measured) => Ok(Ok(measured)),
            Err(StepError::Contain(ContainError::Interrupted)) => Err(io::ErrorKind::Interrupted.into()),
            Err(StepError::Contain(error)) => Ok(Err(error)),
            Err(error) => Err(io::Error::other(error)),
        }
    });
    observer(Event::Finished);
    let findings = match findings {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Err(StepError::Interrupted),
        other => other.at(benchmarks.path()).during(format!("{name} could not be tried")),
    }?;
    Ok(Checked { submission: solver.submission.clone(), findings })
}
