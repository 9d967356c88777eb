//! Turns errors into messages and exit codes.

use agon_competition::StepError;
use agon_contain::ContainError;
use agon_entrant::DescribeError;
use agon_import::ImportError;
use agon_library::IndexError;
use agon_rulebook::RulebookError;
use agon_store::{CompetitionError, StoreError};
use std::process::ExitCode;

/// Success, and the answer is no.
pub const NO: u8 = 1;
/// Wrong usage.
pub const USAGE: u8 = 2;
/// Something is missing or broken.
pub const ENVIRONMENT: u8 = 3;
/// Interrupted by the user.
pub const INTERRUPTED: u8 = 130;

/// `agon trace`: an answer is wrong. This and the next are the codes of the official trace executor and of `timeout`,
/// which scripts rely on.
pub const TRACE_WRONG: u8 = 2;
/// `agon trace`: the time limit was reached.
pub const TRACE_TIME_UP: u8 = 124;

/// Invalid arguments.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Usage(pub String);

/// Prints an error and returns its exit code.
pub fn report(error: &anyhow::Error) -> ExitCode {
    if is_closed_pipe(error) {
        // The reader of our output has closed it.
        return ExitCode::SUCCESS;
    }
    say!("agon: {}", without_os_codes(&format!("{error:#}")));
    ExitCode::from(code(error))
}

/// The message without the " (os error 2)" that the standard library appends to the system's message.
pub fn without_os_codes(message: &str) -> String {
    let mut parts = message.split(" (os error ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once(')').map_or("", |(_, rest)| rest))
}

fn is_closed_pipe(error: &anyhow::Error) -> bool {
    error.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

/// The one place that decides exit codes.
fn code(error: &anyhow::Error) -> u8 {
    if error.is::<Usage>() {
        return USAGE;
    }
    if let Some(error) = error.downcast_ref::<StepError>() {
        return code_of_step(error);
    }
    if let Some(error) = error.downcast_ref::<CompetitionError>() {
        return code_of_competition(error);
    }
    match error.downcast_ref() {
        Some(ContainError::Interrupted) => return INTERRUPTED,
        Some(_) => return ENVIRONMENT,
        None => {}
    }
    match error.downcast_ref() {
        Some(error) => code_of_import(error),
        None => ENVIRONMENT,
    }
}

fn code_of_import(error: &ImportError) -> u8 {
    match error {
        ImportError::Io(_, error) if error.kind() == std::io::ErrorKind::NotFound => USAGE,
        ImportError::NoBenchmarkTable(_) => USAGE,
        ImportError::NotResults(..) | ImportError::OtherTrack(_) | ImportError::Empty(_) => NO,
        ImportError::Io(..) => ENVIRONMENT,
    }
}

fn code_of_step(error: &StepError) -> u8 {
    if error.is_interruption() {
        return INTERRUPTED;
    }
    match error.root() {
        StepError::Usage(_)
        | StepError::Describe(DescribeError::Missing(_) | DescribeError::CommandsGiven(_))
        | StepError::Store(StoreError::NoPair(_) | StoreError::ManyPairs(..))
        | StepError::Index(IndexError::NoBenchmarks(_)) => USAGE,
        StepError::Describe(DescribeError::Io(..)) => ENVIRONMENT,
        StepError::Describe(_) => NO,
        StepError::Competition(error) => code_of_competition(error),
        StepError::Import(error) => code_of_import(error),
        _ => ENVIRONMENT,
    }
}

fn code_of_competition(error: &CompetitionError) -> u8 {
    match error {
        CompetitionError::Already(_) | CompetitionError::Rules(_, RulebookError::Unknown(..)) => USAGE,
        _ => ENVIRONMENT,
    }
}
