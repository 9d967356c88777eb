//! Checks that a benchmark contains only the commands that its track allows (R19-5.7).

use agon_domain::{Track, UnknownTrack};
use agon_smtlib::{Attribute, Checker, Code, Command, Diagnostic, Head, Plain, Position, Summary, Term, Theory, logic};
use std::fmt;
use std::str::FromStr;

/// The kind of benchmark files that a track uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackShape {
    /// One query: the single-query, parallel, cloud and proof tracks.
    SingleQuery,
    /// Any number of queries.
    Incremental,
    /// One query and `get-unsat-core`.
    UnsatCore,
    /// One query and `get-model`.
    ModelValidation,
    /// One query or many.
    IndustryChallenge,
    /// SL-COMP's benchmarks: a heap, predicates, and one or two queries.
    Separation,
}

impl From<Track> for TrackShape {
    fn from(track: Track) -> Self {
        match track {
            Track::SingleQuery | Track::Parallel | Track::Cloud | Track::Proof => Self::SingleQuery,
            Track::Incremental | Track::IndustryChallengeIncremental => Self::Incremental,
            Track::UnsatCore => Self::UnsatCore,
            Track::ModelValidation => Self::ModelValidation,
            Track::IndustryChallenge => Self::IndustryChallenge,
        }
    }
}

/// The error for an unknown track name.
#[derive(Debug, thiserror::Error)]
#[error("{0}, and separation (SL-COMP)")]
pub struct UnknownShape(#[from] UnknownTrack);

impl FromStr for TrackShape {
    type Err = UnknownShape;

    /// Parses the name of a track, including the names used until 2018. `separation` is SL-COMP's only track.
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

/// The number of errors that are kept. Further errors are only counted.
const MOST_ERRORS: usize = 1000;

/// Observes the commands of a script, and reports those that its track does not allow.
#[derive(Debug)]
pub struct TrackCheck {
    shape: TrackShape,
    errors: Vec<Diagnostic>,
    more_errors: u64,
    last: Position,
    logic: bool,
    datatypes: bool,
    /// Whether the logic allows Boolean combinations of separation-logic formulas: SL-COMP's BSL.
    is_boolean: bool,
    print_success: u32,
    produce_models: u32,
    produce_cores: u32,
    queries: u64,
    /// The queries after the first assertion: a separation-logic problem has one, at its end.
    queries_after_assert: u64,
    asserts: u64,
    questions: u32,
    heaps: u32,
    /// Whether a status was declared.
    status: bool,
    /// Whether the team and the kind of problem were declared (SL19-12).
    source: bool,
    category: bool,
    exit: Option<Position>,
    after_exit: bool,
}

/// The kind of command that contains a named term.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NamedIn {
    Assertion,
    Definition,
}

impl TrackCheck {
    /// Starts the check of one script.
    pub fn new(shape: TrackShape) -> Self {
        Self {
            shape,
            errors: vec![],
            more_errors: 0,
            last: Position::START,
            logic: false,
            datatypes: true,
            is_boolean: false,
            print_success: 0,
            produce_models: 0,
            produce_cores: 0,
            queries: 0,
            queries_after_assert: 0,
            asserts: 0,
            questions: 0,
            heaps: 0,
            status: false,
            source: false,
            category: false,
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
            self.wrong(at, Code::TrackOrder, "no command may follow exit");
        }
        // R19-5.8: set-logic is the first command, except for set-option. The rules do not restrict where set-info may
        // be (R19-5.9).
        let before_logic = matches!(
            command,
            Command::SetLogic(_) | Command::SetOption(..) | Command::SetInfo(..) | Command::Extension(..)
        );
        if !self.logic && !before_logic {
            self.logic = true;
            self.wrong(at, Code::TrackOrder, "set-logic must be the first command after set-option and set-info");
        }
        // SL19-13: the problem ends with its query.
        let may_follow_query = matches!(command, Command::Plain(Plain::Exit));
        if self.shape == TrackShape::Separation
            && self.asserts > 0
            && self.queries_after_assert == 1
            && !may_follow_query
        {
            self.queries_after_assert = 2;
            self.wrong(at, Code::TrackOrder, "no command except exit may follow the query");
        }
        match command {
            Command::SetLogic(name) => {
                self.logic = true;
                let name = String::from_utf8_lossy(checker.symbols.text(*name)).into_owned();
                self.is_boolean = name.contains("BSL");
                self.datatypes = logic::features(&name).is_none_or(|logic| logic.theories.has(Theory::Datatypes));
            }
            Command::SetOption(key, value) => self.option(checker.symbols.text(*key), value.as_deref(), at),
            Command::SetInfo(key, _) => {
                let key = checker.symbols.text(*key);
                self.status |= key == b":status";
                self.source |= key == b":source";
                self.category |= key == b":category";
            }
            // R19-5.12: sorts without arguments or parameters only.
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
            // R19-5.14: the checker verifies that the term is in the logic and all symbols are declared.
            Command::Assert(term) => {
                self.asserts += 1;
                // SL19-13, SL19-21: one problem with one assertion, or two for an entailment. The published problems in
                // Boolean logics have more.
                if self.shape == TrackShape::Separation && self.asserts == 3 && !self.is_boolean {
                    self.wrong(at, Code::TrackCount, "the separation track allows one or two assertions");
                }
                self.names(checker, *term, NamedIn::Assertion, at);
            }
            Command::CheckSat => self.query(at),
            Command::Push(count) | Command::Pop(count) if self.many() => {
                if *count != 1 {
                    self.wrong(at, Code::TrackCommand, "only (push 1) and (pop 1) are allowed");
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
                let message = format!("'{}' is not allowed in this track", name_of(checker, other));
                self.wrong(at, Code::TrackCommand, message);
            }
        }
    }

    /// Counts a query (R19-5.16): only some tracks allow more than one.
    fn query(&mut self, at: Position) {
        self.queries += 1;
        if self.asserts > 0 {
            self.queries_after_assert += 1;
        }
        let most = if self.shape == TrackShape::Separation { 2 } else { 1 };
        if !self.many() && self.queries == most + 1 {
            let times = if most == 1 { "exactly one query" } else { "at most two queries" };
            self.wrong(at, Code::TrackCount, format!("the {} track allows {times}", self.shape));
        }
    }

    /// Counts the command that asks for a model or a core (R19-5.17): exactly one is allowed, after the query.
    fn question(&mut self, at: Position, what: &str) {
        self.questions += 1;
        if self.questions > 1 || self.queries == 0 {
            self.wrong(at, Code::TrackOrder, format!("{what} must appear exactly once, after the check-sat"));
        }
    }

    /// Checks that a track allows an option and its value (R19-5.10, R19-5.11).
    fn option(&mut self, key: &[u8], value: Option<&[u8]>, at: Position) {
        match (key, self.shape) {
            (b":print-success", _) => {
                self.print_success += 1;
                if self.many() && value == Some(b"false") {
                    self.wrong(at, Code::TrackOption, "print-success must not be disabled in this track");
                } else if !self.many() && self.print_success == 2 {
                    self.wrong(at, Code::TrackOption, "print-success may be set only once");
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
                self.wrong(at, Code::TrackOption, format!("the option {key} must not be set in this track"));
            }
        }
    }

    /// R19-5.15: terms may be named only in the unsat-core track, and there only whole assertions.
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
                    "terms may be named in the unsat-core track only"
                };
                self.wrong(at, Code::TrackNamed, message);
                return;
            }
            left.extend(checker.terms.arguments(next));
        }
    }

    /// Checks the script as a whole, and adds all errors to the summary.
    pub fn finish(mut self, summary: &mut Summary) {
        let end = self.last;
        if !self.logic && summary.logic.is_none() {
            self.wrong(end, Code::TrackOrder, "no set-logic command");
        }
        if self.queries == 0 {
            self.wrong(end, Code::TrackCount, "no check-sat command");
        }
        match self.shape {
            TrackShape::Incremental if self.exit.is_none() => {
                self.wrong(end, Code::TrackCount, "an incremental benchmark must end with exit");
            }
            TrackShape::ModelValidation => {
                if self.produce_models == 0 {
                    self.wrong(end, Code::TrackOption, "produce-models must be set once, to true");
                }
                if self.questions == 0 {
                    self.wrong(end, Code::TrackCount, "no get-model after the check-sat");
                }
            }
            TrackShape::UnsatCore => {
                if self.produce_cores == 0 {
                    self.wrong(end, Code::TrackOption, "produce-unsat-cores must be set once, to true");
                }
                if self.questions == 0 {
                    self.wrong(end, Code::TrackCount, "no get-unsat-core after the check-sat");
                }
            }
            // SL19-10, SL19-12
            TrackShape::Separation => {
                if self.heaps != 1 {
                    self.wrong(end, Code::TrackCount, "there must be exactly one declare-heap");
                }
                if self.asserts == 0 {
                    self.wrong(end, Code::TrackCount, "there must be at least one assertion");
                }
                if self.asserts > 0 && self.queries_after_assert == 0 {
                    self.wrong(end, Code::TrackCount, "the problem must end with a query");
                }
                for (is_declared, what) in [
                    (self.status, "the status must be declared with (set-info :status …)"),
                    (self.source, "the team must be declared with (set-info :source …)"),
                    (self.category, "the kind of problem must be declared with (set-info :category …)"),
                ] {
                    if !is_declared {
                        self.wrong(end, Code::TrackCount, what);
                    }
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
