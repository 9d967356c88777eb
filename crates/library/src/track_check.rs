//! The commands that a benchmark may contain in each track (R19-5.7).

use agon_domain::{Track, UnknownTrack};
use agon_smtlib::{Attribute, Checker, Code, Command, Diagnostic, Head, Plain, Position, Summary, Term, Theory, logic};
use std::fmt;
use std::str::FromStr;

/// The kinds of benchmark files that tracks use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackShape {
    /// One query: single query, parallel and cloud tracks.
    SingleQuery,
    /// Many queries, one after the other.
    Incremental,
    /// One query and its unsat core.
    UnsatCore,
    /// One query and its model.
    ModelValidation,
    /// Either kind: one query, or many.
    IndustryChallenge,
    /// SL-COMP's: a heap, predicates, one or two assertions.
    Separation,
}

impl From<Track> for TrackShape {
    fn from(track: Track) -> Self {
        match track {
            Track::SingleQuery | Track::Parallel | Track::Cloud | Track::Proof => Self::SingleQuery,
            Track::Incremental => Self::Incremental,
            Track::UnsatCore => Self::UnsatCore,
            Track::ModelValidation => Self::ModelValidation,
            Track::IndustryChallenge => Self::IndustryChallenge,
        }
    }
}

/// A word that does not name a track.
#[derive(Debug, thiserror::Error)]
#[error("{0}, and SL-COMP's separation")]
pub struct UnknownShape(#[from] UnknownTrack);

impl FromStr for TrackShape {
    type Err = UnknownShape;

    /// Reads the name of a track, or the names of 2018 and before; `separation` is SL-COMP's only track.
    fn from_str(word: &str) -> Result<Self, UnknownShape> {
        match word {
            "main" => Ok(Self::SingleQuery),
            "application" => Ok(Self::Incremental),
            "separation" | "sl" => Ok(Self::Separation),
            track => Ok(track.parse::<Track>()?.into()),
        }
    }
}

impl fmt::Display for TrackShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::SingleQuery => "single-query",
            Self::Incremental => "incremental",
            Self::UnsatCore => "unsat-core",
            Self::ModelValidation => "model-validation",
            Self::IndustryChallenge => "industry-challenge",
            Self::Separation => "separation",
        })
    }
}

/// After this many errors, further ones are only counted.
const MOST_ERRORS: usize = 1000;

/// Observes the commands of a script, and reports what its track does not allow.
#[derive(Debug)]
pub struct TrackCheck {
    shape: TrackShape,
    errors: Vec<Diagnostic>,
    more_errors: u64,
    last: Position,
    logic: bool,
    datatypes: bool,
    print_success: u32,
    produce_models: u32,
    produce_cores: u32,
    queries: u64,
    asserts: u64,
    questions: u32,
    heaps: u32,
    /// Whether there was a status.
    status: bool,
    exit: Option<Position>,
    after_exit: bool,
}

/// Where a named term is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NamedIn {
    Assertion,
    Definition,
}

impl TrackCheck {
    /// A check for one script.
    pub fn new(shape: TrackShape) -> Self {
        Self {
            shape,
            errors: vec![],
            more_errors: 0,
            last: Position::START,
            logic: false,
            datatypes: true,
            print_success: 0,
            produce_models: 0,
            produce_cores: 0,
            queries: 0,
            asserts: 0,
            questions: 0,
            heaps: 0,
            status: false,
            exit: None,
            after_exit: false,
        }
    }

    fn wrong(&mut self, at: Position, code: Code, message: impl Into<String>) {
        if self.errors.len() >= MOST_ERRORS {
            self.more_errors += 1;
            return;
        }
        let message = message.into();
        self.errors.push(Diagnostic { line: at.line, column: at.column, code, message, help: None, excerpt: None });
    }

    fn many(&self) -> bool {
        matches!(self.shape, TrackShape::Incremental | TrackShape::IndustryChallenge)
    }

    /// Observes one command.
    pub fn see(&mut self, checker: &Checker, command: &Command, at: Position) {
        self.last = at;
        if self.exit.is_some() && !self.after_exit {
            self.after_exit = true;
            // R19-5.18: exit is the last command.
            self.wrong(at, Code::TrackOrder, "nothing may come after exit");
        }
        // R19-5.8: set-logic comes first, with only set-option before it. The rules do not say where set-info may be
        // (R19-5.9).
        let before_logic = matches!(
            command,
            Command::SetLogic(_) | Command::SetOption(..) | Command::SetInfo(..) | Command::Extension(..)
        );
        if !self.logic && !before_logic {
            self.logic = true;
            self.wrong(at, Code::TrackOrder, "set-logic must be the first command after set-option and set-info");
        }
        match command {
            Command::SetLogic(name) => {
                self.logic = true;
                let name = String::from_utf8_lossy(checker.symbols.text(*name)).into_owned();
                self.datatypes = logic::features(&name).is_none_or(|logic| logic.theories.has(Theory::Datatypes));
            }
            Command::SetOption(key, value) => self.option(checker.symbols.text(*key), value.as_deref(), at),
            Command::SetInfo(key, _) => self.status |= checker.symbols.text(*key) == b":status",
            // R19-5.12
            Command::DeclareSort(_, arity) if *arity > 0 => {
                self.wrong(at, Code::TrackArity, "sorts must have no arguments");
            }
            Command::DefineSort(_, parameters, _) if !parameters.is_empty() => {
                self.wrong(at, Code::TrackArity, "defined sorts must have no parameters");
            }
            // R19-5.13: any number of them.
            Command::DeclareSort(..) | Command::DefineSort(..) | Command::DeclareFun(_) => {}
            Command::DefineFun(definition) => self.names(checker, definition.body, NamedIn::Definition, at),
            Command::DeclareDatatypes(_) => {
                if !self.datatypes {
                    self.wrong(at, Code::TrackCommand, "the logic has no datatypes, so none may be declared");
                }
            }
            Command::DefineFunsRec(_) | Command::DeclareConst(_) if self.shape == TrackShape::Separation => {}
            Command::DeclareHeap(_) if self.shape == TrackShape::Separation => self.heaps += 1,
            Command::CheckUnsat if self.shape == TrackShape::Separation => self.query(at),
            // R19-5.14: the checker verifies that it is in the logic, with all symbols declared.
            Command::Assert(term) => {
                self.asserts += 1;
                self.names(checker, *term, NamedIn::Assertion, at);
            }
            Command::CheckSat => self.query(at),
            Command::Push(count) | Command::Pop(count) if self.many() => {
                if *count != 1 {
                    self.wrong(at, Code::TrackCommand, "levels are pushed and popped one by one: (push 1), (pop 1)");
                }
            }
            Command::Plain(Plain::Exit) => self.exit = self.exit.or(Some(at)),
            // R19-5.17
            Command::Plain(Plain::GetModel) if self.shape == TrackShape::ModelValidation => {
                self.question(at, "get-model");
            }
            Command::Plain(Plain::GetUnsatCore) if self.shape == TrackShape::UnsatCore => {
                self.question(at, "get-unsat-core");
            }
            other => {
                // R19-5.18: no other commands.
                let message = format!("'{}' is not allowed in the {} track", name_of(checker, other), self.shape);
                self.wrong(at, Code::TrackCommand, message);
            }
        }
    }

    /// R19-5.16
    fn query(&mut self, at: Position) {
        self.queries += 1;
        let most = if self.shape == TrackShape::Separation { 2 } else { 1 };
        if !self.many() && self.queries == most + 1 {
            let times = if most == 1 { "exactly one query" } else { "at most two queries" };
            self.wrong(at, Code::TrackCount, format!("there may be {times} in the {} track", self.shape));
        }
    }

    fn question(&mut self, at: Position, what: &str) {
        self.questions += 1;
        if self.questions > 1 || self.queries == 0 {
            self.wrong(at, Code::TrackOrder, format!("{what} must come once, after the check-sat"));
        }
    }

    /// R19-5.10, R19-5.11
    fn option(&mut self, key: &[u8], value: Option<&[u8]>, at: Position) {
        match (key, self.shape) {
            (b":print-success", _) => {
                self.print_success += 1;
                if self.many() && value == Some(b"false") {
                    self.wrong(at, Code::TrackOption, "print-success must not be disabled here");
                } else if !self.many() && self.print_success == 2 {
                    self.wrong(at, Code::TrackOption, "print-success may be set once");
                }
            }
            (b":produce-models", TrackShape::ModelValidation) => {
                self.produce_models += 1;
                if value != Some(b"true") || self.produce_models > 1 {
                    self.wrong(at, Code::TrackOption, "produce-models must be set once, to true");
                }
            }
            (b":produce-unsat-cores", TrackShape::UnsatCore) => {
                self.produce_cores += 1;
                if value != Some(b"true") || self.produce_cores > 1 {
                    self.wrong(at, Code::TrackOption, "produce-unsat-cores must be set once, to true");
                }
            }
            _ => {
                let key = String::from_utf8_lossy(key);
                self.wrong(
                    at,
                    Code::TrackOption,
                    format!("the option {key} must not be set in the {} track", self.shape),
                );
            }
        }
    }

    /// R19-5.15: names of terms are for the unsat-core track, and there for whole assertions.
    fn names(&mut self, checker: &Checker, term: Term, place: NamedIn, at: Position) {
        let is_name = |term: Term| match checker.terms.head(term) {
            Head::Annotated(attributes) => {
                checker.terms.attributes(attributes).iter().any(|attribute| matches!(attribute, Attribute::Named(_)))
            }
            _ => false,
        };
        let allowed = place == NamedIn::Assertion && self.shape == TrackShape::UnsatCore;
        let mut seen = std::collections::HashSet::new();
        let mut left = vec![term];
        while let Some(next) = left.pop() {
            if !seen.insert(next) {
                continue;
            }
            if is_name(next) && !(allowed && next == term) {
                let message = if allowed {
                    "only whole assertions may be named"
                } else {
                    "terms are named in the unsat-core track only"
                };
                self.wrong(at, Code::TrackNamed, message);
                return;
            }
            left.extend(checker.terms.arguments(next));
        }
    }

    /// Adds the errors of the script as a whole to those of its commands.
    pub fn finish(mut self, summary: &mut Summary) {
        let end = self.last;
        if !self.logic && summary.logic.is_none() {
            self.wrong(end, Code::TrackOrder, "there is no set-logic");
        }
        if self.queries == 0 {
            self.wrong(end, Code::TrackCount, "there is no check-sat");
        }
        match self.shape {
            TrackShape::Incremental if self.exit.is_none() => {
                self.wrong(end, Code::TrackCount, "an incremental benchmark ends with exit");
            }
            TrackShape::ModelValidation => {
                if self.produce_models == 0 {
                    self.wrong(end, Code::TrackOption, "produce-models must be set once, to true");
                }
                if self.questions == 0 {
                    self.wrong(end, Code::TrackCount, "there is no get-model after the check-sat");
                }
            }
            TrackShape::UnsatCore => {
                if self.produce_cores == 0 {
                    self.wrong(end, Code::TrackOption, "produce-unsat-cores must be set once, to true");
                }
                if self.questions == 0 {
                    self.wrong(end, Code::TrackCount, "there is no get-unsat-core after the check-sat");
                }
            }
            // SL19-10, SL19-12
            TrackShape::Separation => {
                if self.heaps != 1 {
                    self.wrong(end, Code::TrackCount, "there must be one declare-heap");
                }
                if self.asserts == 0 {
                    self.wrong(end, Code::TrackCount, "there must be an assertion");
                }
                if !self.status {
                    self.wrong(end, Code::TrackCount, "there must be a status");
                }
            }
            _ => {}
        }
        summary.errors.append(&mut self.errors);
        summary.errors.sort_by_key(|error| (error.line, error.column));
        summary.more_errors += self.more_errors;
    }
}

fn name_of(checker: &Checker, command: &Command) -> String {
    let name = match command {
        Command::SetLogic(_) => "set-logic",
        Command::SetOption(..) => "set-option",
        Command::SetInfo(..) => "set-info",
        Command::DeclareSort(..) => "declare-sort",
        Command::DefineSort(..) => "define-sort",
        Command::DeclareSortParameter(_) => "declare-sort-parameter",
        Command::DeclareFun(_) => "declare-fun",
        Command::DeclareConst(_) => "declare-const",
        Command::DefineFun(_) => "define-fun",
        Command::DefineConst(_) => "define-const",
        Command::DefineFunsRec(_) => "define-fun-rec",
        Command::DeclareDatatypes(_) => "declare-datatypes",
        Command::DeclareHeap(_) => "declare-heap",
        Command::Assert(_) => "assert",
        Command::CheckSat => "check-sat",
        Command::CheckUnsat => "check-unsat",
        Command::CheckSatAssuming(_) => "check-sat-assuming",
        Command::Push(_) => "push",
        Command::Pop(_) => "pop",
        Command::GetValue(_) => "get-value",
        Command::GetInfo(_) => "get-info",
        Command::GetOption(_) => "get-option",
        Command::Echo(_) => "echo",
        Command::Plain(plain) => plain.name(),
        Command::Extension(name, _) => return String::from_utf8_lossy(checker.symbols.text(*name)).into_owned(),
    };
    name.to_owned()
}
