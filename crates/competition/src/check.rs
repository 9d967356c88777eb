//! Tries solvers on trivial files.

use crate::enter::{Source, solver_of};
use crate::error::{At, Blame};
use crate::observer::{Tell, Work};
use crate::runner::{Solver, limits, readable_directory, run_solver};
use crate::{Event, Machine, Observer, StepError};
use agon_contain::ContainError;
use agon_domain::{Entrant, Logic, Submission};
use agon_entrant::{Details, Language, Trial, check};
use agon_rulebook::LanguageName;
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
    try_in(competition, solver_of(competition, entrant)?, machine, observer)
}

/// The language of a competition's benchmarks: that of its rules, unless most of its files use another version.
fn language_of(competition: &Competition) -> Result<Language, StepError> {
    let of_rules = competition.rulebook().language;
    let library = competition.library()?;
    let old = library.iter().filter(|entry| entry.benchmark.path.0.ends_with(".smt")).count();
    Ok(match of_rules {
        LanguageName::Separation => Language::Separation,
        LanguageName::V1 if library.is_empty() => Language::V1,
        LanguageName::V1 | LanguageName::V2 if 2 * old > library.len() => Language::V1,
        LanguageName::V1 | LanguageName::V2 => Language::V2,
    })
}

/// The submission with the classes of separation-logic problems instead of the divisions that contain them.
fn by_class(competition: &Competition, mut submission: Submission) -> Submission {
    for (track, entered) in &mut submission.logics {
        let Some(table) = competition.rulebook().divisions.get(track) else { continue };
        let content = |logic: &Logic| match table.of_logic(logic) {
            Some(rules) if !rules.content.is_empty() => rules.content.iter().cloned().map(Logic).collect(),
            _ => vec![logic.clone()],
        };
        *entered = entered.iter().flat_map(content).collect();
    }
    submission
}

/// Tries a solver that is not entered, in the language and the tracks of a competition if there is one.
pub fn check_source(
    source: &Source,
    competition: Option<&Competition>,
    machine: &Machine,
    observer: &mut Observer<'_>,
) -> Result<Checked, StepError> {
    let files = readable_directory()?;
    let place = files.path().join("files");
    fs::create_dir(&place).at(&place)?;
    let submission = source.open(&Details::default(), &place)?;
    let solver = Solver { submission, files: place, digest: None };
    match competition {
        Some(competition) => try_in(competition, solver, machine, observer),
        None => try_out(&solver, Language::V2, machine, observer),
    }
}

/// Tries a solver in the language and the tracks of a competition.
fn try_in(
    competition: &Competition,
    mut solver: Solver,
    machine: &Machine,
    observer: &mut Observer<'_>,
) -> Result<Checked, StepError> {
    let language = language_of(competition)?;
    let tracks = &competition.rulebook().tracks;
    solver.submission.commands.retain(|track, _| tracks.contains_key(track));
    if solver.submission.commands.is_empty() {
        let all = tracks.keys().map(|track| track.name()).collect::<Vec<_>>().join(", ");
        let name = &solver.submission.name;
        return Err(StepError::Usage(format!("{name} has no command for the tracks of this competition: {all}")));
    }
    if language == Language::Separation {
        solver.submission = by_class(competition, solver.submission);
    }
    try_out(&solver, language, machine, observer)
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
