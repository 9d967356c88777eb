//! A script and its expected answers.

use agon_domain::{BENCHMARK_BEGINS, Status};
use agon_smtlib::{CommandText, Commands, QueryStatuses, Seen, SyntaxError};

/// Why a file is not a trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TraceError {
    /// A line before the script is not a status.
    #[error("BAD expected result: '{0}\n'")]
    Status(String),
    /// No script follows the statuses.
    #[error("BAD benchmark: the line '{BENCHMARK_BEGINS}' is missing")]
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

/// A script with the statuses of its queries, in the order of the queries (A11-1).
#[derive(Clone, Debug)]
pub struct Trace<'a> {
    /// The commands to send. If the script is malformed, the last one is the error.
    commands: Vec<Result<Command<'a>, SyntaxError>>,
    /// The statuses in the order of the queries.
    pub statuses: Vec<Status>,
}

impl<'a> Trace<'a> {
    /// Reads a trace: a script with `(set-info :status …)` before its queries, or a header of statuses before a script
    /// without them, as the competition's scrambler writes it.
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
            if line == BENCHMARK_BEGINS.as_bytes() {
                // Lines in errors are counted from the start of the file, including the header.
                let header = text[..text.len() - rest.len()].iter().filter(|byte| **byte == b'\n').count();
                let placed = |error: SyntaxError| SyntaxError { line: error.line + header, ..error };
                let commands = Commands::new(rest).map(|one| one.map(|one| sent(&one)).map_err(placed));
                return Ok(Self { commands: commands.collect(), statuses });
            }
            let status = Status::read(line);
            statuses.push(status.ok_or_else(|| TraceError::Status(String::from_utf8_lossy(line).into_owned()))?);
        }
        Err(TraceError::Separator)
    }

    /// Reads a script. Each status belongs only to the query that it precedes; statuses are not sent to the solver.
    fn of_script(script: &'a [u8]) -> Self {
        let mut commands = vec![];
        let mut queries = QueryStatuses::default();
        for command in Commands::new(script) {
            match command {
                // The official executor does not treat this as a query.
                Ok(command) if command.name == b"check-sat-assuming" => commands.push(Ok(sent(&command))),
                Ok(command) if matches!(queries.see(&command), Seen::Status { .. }) => {}
                Ok(command) => commands.push(Ok(sent(&command))),
                Err(error) => commands.push(Err(error)),
            }
        }
        let status = |value: &Option<Vec<u8>>| value.as_deref().and_then(Status::read).unwrap_or_default();
        let statuses = queries.of_queries().iter().map(status).collect();
        Self { commands, statuses }
    }

    /// Returns the trace with other statuses.
    #[must_use]
    pub fn with_statuses(self, statuses: Vec<Status>) -> Self {
        Self { statuses, ..self }
    }

    /// The number of commands.
    #[allow(clippy::len_without_is_empty, reason = "no caller needs it")]
    pub fn len(&self) -> usize {
        self.commands.len()
    }

    /// The commands that are sent.
    pub(crate) fn commands(&self) -> &[Result<Command<'a>, SyntaxError>] {
        &self.commands
    }
}

/// A command as it is sent, with its kind.
fn sent<'a>(command: &CommandText<'a>) -> Command<'a> {
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
    fn headers_may_contain_blanks_but_only_statuses() {
        let trace = Trace::read(b"sat \r\n unknown\n--- BENCHMARK BEGINS HERE ---\n(check-sat)\n").unwrap();
        assert_eq!(trace.statuses, [Status::Sat, Status::Unknown]);
        assert_eq!(trace.commands().len(), 1);
        assert_eq!(Trace::read(b"sat\nmaybe\n").unwrap_err(), TraceError::Status("maybe".into()));
        assert_eq!(Trace::read(b"sat\n").unwrap_err(), TraceError::Separator);
    }
}
