//! A problem: the assertions that a model has to satisfy.

use crate::interpretation::Body;
use agon_smtlib::{
    Checker, Command, Definition, Diagnostic, Function, KeptTerms, Plain, Position, Rules, Symbol, Term, read_script,
};
use rustc_hash::FxHashMap;
use std::io::{self, Read};

/// Why a problem cannot be used to judge a model.
#[derive(Debug, thiserror::Error)]
pub enum ProblemError {
    /// The script cannot be read.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The script is not well-formed.
    #[error("{0}")]
    IllFormed(Box<Diagnostic>),
    /// The script has more than one query, or none.
    #[error("it has {0} queries, but a model answers exactly one")]
    Queries(usize),
    /// The script has a command that is not supported: `reset`, a separation-logic command or an extension.
    #[error("the command '{0}' is not supported")]
    Command(String),
}

/// A script with one query.
#[derive(Debug)]
pub struct Problem {
    /// All names, sorts and terms.
    pub checker: Checker,
    /// The assertions, and their positions.
    pub assertions: Vec<(Term, Position)>,
    /// The functions that the script declares.
    pub declared: Vec<Function>,
    /// The functions that the script defines.
    pub definitions: FxHashMap<Function, Body>,
    /// The terms that the script names with `:named`.
    pub named: FxHashMap<Symbol, Term>,
    /// The first `:status` in the script.
    pub status: Option<String>,
}

/// The state that `pop` returns to.
struct Level {
    assertions: usize,
    declared: usize,
}

impl Problem {
    /// Reads a script. Returns an error unless it has exactly one query.
    pub fn read(reader: impl Read) -> Result<Self, ProblemError> {
        let mut problem = Self {
            checker: Checker::new(Rules::default()),
            assertions: vec![],
            declared: vec![],
            definitions: FxHashMap::default(),
            named: FxHashMap::default(),
            status: None,
        };
        let mut checker = Checker::new(Rules::default());
        let mut levels: Vec<Level> = vec![];
        let mut queries = 0;
        let mut refused = None;
        let mut seen = 0;
        let mut global = false;
        let summary = read_script(reader, &mut checker, KeptTerms::OfScript, |checker, command, position| {
            problem.note_names(checker, &mut seen);
            match command {
                Command::Assert(term) => problem.assertions.push((*term, position)),
                Command::DeclareFun(function) | Command::DeclareConst(function) => {
                    problem.declared.push(*function);
                }
                Command::DefineFun(definition) | Command::DefineConst(definition) => {
                    problem.define(definition);
                }
                Command::DefineFunsRec(definitions) => definitions.iter().for_each(|one| problem.define(one)),
                Command::CheckSat => {
                    queries += 1;
                    // Later commands do not matter: a `pop` after the query must not remove assertions.
                    checker.stop_listening();
                }
                Command::CheckSatAssuming(terms) => {
                    queries += 1;
                    checker.stop_listening();
                    problem.assertions.extend(terms.iter().map(|term| (*term, position)));
                }
                Command::Push(count) => {
                    for _ in 0..*count {
                        levels.push(Level { assertions: problem.assertions.len(), declared: problem.declared.len() });
                    }
                }
                Command::Pop(count) => {
                    for _ in 0..*count {
                        if let Some(level) = levels.pop() {
                            problem.assertions.truncate(level.assertions);
                            if !global {
                                problem.declared.truncate(level.declared);
                            }
                        }
                    }
                }
                Command::SetOption(key, value) if checker.symbols.text(*key) == b":global-declarations" => {
                    global = value.as_deref().is_some_and(|value| value.trim_ascii() == b"true");
                }
                Command::Plain(plain @ (Plain::Reset | Plain::ResetAssertions)) => {
                    refused = Some(plain.name().to_owned());
                }
                Command::Extension(name, _) => {
                    refused = Some(String::from_utf8_lossy(checker.symbols.text(*name)).into_owned());
                }
                Command::CheckUnsat | Command::DeclareHeap(_) => refused = Some("declare-heap".into()),
                _ => {}
            }
        })?;
        let mut errors = summary.errors.into_iter();
        if let Some(error) = errors.find(|error| !error.code.is_harmless()) {
            return Err(ProblemError::IllFormed(Box::new(error)));
        }
        if let Some(name) = refused {
            return Err(ProblemError::Command(name));
        }
        if queries != 1 {
            return Err(ProblemError::Queries(queries));
        }
        checker.take_diagnostics();
        problem.status = summary.statuses.into_iter().flatten().next();
        problem.checker = checker;
        Ok(problem)
    }

    fn define(&mut self, Definition { function, binder, body }: &Definition) {
        self.definitions.insert(*function, Body { binder: *binder, term: *body });
    }

    /// Records the terms that were named since the last call.
    fn note_names(&mut self, checker: &Checker, seen: &mut usize) {
        self.named.extend(checker.terms.named_since(*seen));
        *seen = checker.terms.len();
    }
}
