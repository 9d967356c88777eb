//! Reads a whole script, command by command, and reports its properties and errors.

use crate::checker::{Checker, Dialect};
use crate::command::Command;
use crate::diagnostic::{Diagnostic, Position};
use crate::logic;
use crate::separation::Classifier;
use crate::split::{Piece, Splitter};
use crate::statuses::QueryStatuses;
use crate::token::{Lexer, Token};
use crate::v1;
use std::io::{self, Read};

/// The properties of a script.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// The language it is written in.
    pub dialect: Dialect,
    /// The logic that it sets.
    pub logic: Option<String>,
    /// The smallest standard logic that allows everything in it.
    pub smallest_logic: Option<&'static str>,
    /// The divisions of SL-COMP that it fits into, the best fit first.
    pub divisions: Vec<&'static str>,
    /// The status of each query, as written.
    pub statuses: Vec<Option<String>>,
    /// The number of assertions.
    pub asserts: u64,
    /// The errors in the script.
    pub errors: Vec<Diagnostic>,
    /// The number of further errors, which were only counted.
    pub more_errors: u64,
}

impl Summary {
    /// Whether there are no errors.
    pub fn is_right(&self) -> bool {
        self.errors.is_empty()
    }
}

/// How long the terms of a script are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptTerms {
    /// Until the next command, so that a script of any length needs memory for one command only.
    OfCommand,
    /// Until the checker is cleared or dropped.
    OfScript,
}

/// Reads a script with this checker, which is cleared first. `on` is called for each command that was understood.
pub fn read_script(
    reader: impl Read,
    checker: &mut Checker,
    kept: KeptTerms,
    mut on: impl FnMut(&mut Checker, &Command, Position),
) -> io::Result<Summary> {
    checker.clear();
    let mut summary = Summary::default();
    let mut statuses = QueryStatuses::default();
    let mut classifier = Classifier::default();
    checker.keep = kept == KeptTerms::OfScript;
    let mut splitter = Splitter::new(reader);
    if checker.is_v1(&mut splitter)? {
        let text = splitter.into_rest()?;
        v1::read(&text, checker, &mut |checker, command| {
            summary.count(checker, command, &mut statuses);
            on(checker, command, Position::START);
        });
        summary.dialect = Dialect::V1;
        summary.conclude(checker, &statuses);
        return Ok(summary);
    }
    while let Some(piece) = splitter.next_piece()? {
        let (text, position) = match piece {
            Piece::Command(text, position) => (text, position),
            Piece::Wrong(text, diagnostic) => {
                checker.add(*diagnostic);
                match text {
                    Some(found) => found,
                    None => continue,
                }
            }
        };
        // After `stop_listening`, only queries are reported.
        if checker.has_heard_enough {
            if let Some(command) = question(text) {
                on(checker, &command, position);
            }
            continue;
        }
        let mark = checker.terms.mark();
        if let Some(command) = checker.read(text, position) {
            summary.count(checker, &command, &mut statuses);
            if checker.is_separation() {
                classifier.see(checker, &command);
            }
            on(checker, &command, position);
        }
        if kept == KeptTerms::OfCommand {
            checker.terms.release(mark);
        }
    }
    summary.dialect = if checker.is_separation() { Dialect::Sl } else { Dialect::V2 };
    if checker.is_separation() {
        summary.divisions = classifier.divisions(checker);
    }
    summary.conclude(checker, &statuses);
    Ok(summary)
}

/// Recognizes a query by its name, without parsing its arguments; `None` for other commands.
fn question(text: &[u8]) -> Option<Command> {
    let mut lexer = Lexer::new(text);
    match (lexer.next_token().ok()??.1, lexer.next_token().ok()??.1) {
        (Token::Open, Token::Symbol(b"check-sat")) => Some(Command::CheckSat),
        (Token::Open, Token::Symbol(b"check-sat-assuming")) => Some(Command::CheckSatAssuming([].into())),
        _ => None,
    }
}

impl Summary {
    fn conclude(&mut self, checker: &Checker, statuses: &QueryStatuses) {
        let text = |status: &Vec<u8>| String::from_utf8_lossy(status).into_owned();
        self.statuses = statuses.of_queries().iter().map(|status| status.as_ref().map(text)).collect();
        self.logic = checker.logic().map(|name| String::from_utf8_lossy(name).into_owned());
        self.smallest_logic = logic::smallest(checker.used());
        let (errors, more) = checker.diagnostics();
        self.errors = errors.to_vec();
        self.errors.sort_by_key(|error| (error.line, error.column));
        self.more_errors = more;
    }

    fn count(&mut self, checker: &Checker, command: &Command, statuses: &mut QueryStatuses) {
        match command {
            Command::Assert(_) => self.asserts += 1,
            Command::CheckSat | Command::CheckSatAssuming(_) | Command::CheckUnsat => statuses.query(),
            Command::SetInfo(key, Some(value)) if checker.symbols.text(*key) == b":status" => {
                statuses.declare(value);
            }
            _ => {}
        }
    }
}
