//! A script and the answers that are expected of it.

use agon_domain::Status;
use agon_smtlib::{Commands, SyntaxError};

/// Between the statuses and the script in the files that the official scrambler makes.
const SEPARATOR: &[u8] = b"--- BENCHMARK BEGINS HERE ---";

/// Why a file is no trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceError {
    /// A line before the script is no status.
    #[error("BAD expected result: '{0}\n'")]
    Status(String),
    /// There is no script behind the statuses.
    #[error("BAD benchmark: the line '--- BENCHMARK BEGINS HERE ---' is missing")]
    Separator,
}

/// A command of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Command<'a> {
    pub(crate) text: &'a [u8],
    pub(crate) kind: CommandKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CommandKind {
    Query,
    Exit,
    Other,
}

/// A script with the statuses of its queries.
#[derive(Clone, Debug)]
pub struct Trace<'a> {
    /// The commands that are sent; the last may be where the script is broken.
    commands: Vec<Result<Command<'a>, SyntaxError>>,
    /// The statuses in the order of the queries.
    pub statuses: Vec<Status>,
}

impl<'a> Trace<'a> {
    /// Reads a trace: a script with `(set-info :status …)` before its queries, or statuses and a line before a script
    /// without them, as the competition's scrambler makes it.
    pub fn read(text: &'a [u8]) -> Result<Self, TraceError> {
        let first = text.iter().find(|byte| !byte.is_ascii_whitespace());
        if matches!(first, None | Some(b'(' | b';')) {
            return Ok(Self::of_script(text));
        }
        let mut statuses = vec![];
        let mut rest = text;
        while !rest.is_empty() {
            let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
            let line = rest[..end].trim_ascii();
            rest = rest.get(end + 1..).unwrap_or_default();
            match line {
                b"sat" => statuses.push(Status::Sat),
                b"unsat" => statuses.push(Status::Unsat),
                b"unknown" => statuses.push(Status::Unknown),
                SEPARATOR => {
                    // Places are those of the file.
                    let header = text[..text.len() - rest.len()].iter().filter(|byte| **byte == b'\n').count();
                    let placed = |error: SyntaxError| SyntaxError { line: error.line + header, ..error };
                    let commands = Commands::new(rest).map(|one| one.map(|one| sent(&one)).map_err(placed));
                    return Ok(Self { commands: commands.collect(), statuses });
                }
                other => return Err(TraceError::Status(String::from_utf8_lossy(other).into_owned())),
            }
        }
        Err(TraceError::Separator)
    }

    /// Each status belongs to the query that it precedes, and to no other. The statuses are not sent.
    fn of_script(script: &'a [u8]) -> Self {
        let (mut commands, mut statuses) = (vec![], vec![]);
        let mut next = Status::Unknown;
        for command in Commands::new(script) {
            let command = match command {
                Ok(command) => command,
                Err(error) => {
                    commands.push(Err(error));
                    break;
                }
            };
            if let Some((b":status", value)) = command.info() {
                next = match value {
                    Some(b"sat") => Status::Sat,
                    Some(b"unsat") => Status::Unsat,
                    _ => Status::Unknown,
                };
                continue;
            }
            let command = sent(&command);
            if command.kind == CommandKind::Query {
                statuses.push(std::mem::replace(&mut next, Status::Unknown));
            }
            commands.push(Ok(command));
        }
        Self { commands, statuses }
    }

    /// The same script with these statuses of its queries in place of its own.
    #[must_use]
    pub fn with_statuses(self, statuses: Vec<Status>) -> Self {
        Self { statuses, ..self }
    }

    /// How many commands there are.
    #[allow(clippy::len_without_is_empty, reason = "nobody asks for a script without commands")]
    pub fn len(&self) -> usize {
        self.commands.len()
    }

    /// The commands that are sent.
    pub(crate) fn commands(&self) -> &[Result<Command<'a>, SyntaxError>] {
        &self.commands
    }
}

fn sent<'a>(command: &agon_smtlib::Command<'a>) -> Command<'a> {
    let kind = match command.name {
        b"check-sat" => CommandKind::Query,
        b"exit" => CommandKind::Exit,
        _ => CommandKind::Other,
    };
    Command { text: command.text, kind }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statuses_belong_to_the_queries_that_they_precede() {
        let script = b"(set-logic QF_UF)(set-info :status sat)(push 1)(check-sat)(check-sat)\n\
            (set-info :status unsat)(set-info :status\n  unsat )(echo \"(set-info :status sat)\")(check-sat)";
        let trace = Trace::read(script).unwrap();
        assert_eq!(trace.statuses, [Status::Sat, Status::Unknown, Status::Unsat]);
        assert!(
            trace.commands().iter().all(|command| !command.as_ref().unwrap().text.starts_with(b"(set-info :status"))
        );
    }

    #[test]
    fn headers_are_read_with_blanks_and_refused_with_anything_else() {
        let trace = Trace::read(b"sat \r\n unknown\n--- BENCHMARK BEGINS HERE ---\n(check-sat)\n").unwrap();
        assert_eq!(trace.statuses, [Status::Sat, Status::Unknown]);
        assert_eq!(trace.commands().len(), 1);
        assert_eq!(Trace::read(b"sat\nmaybe\n").unwrap_err(), TraceError::Status("maybe".into()));
        assert_eq!(Trace::read(b"sat\n").unwrap_err(), TraceError::Separator);
    }
}
