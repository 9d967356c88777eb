//! Executes commands and prints responses.

use crate::encode::{Encoder, Refused};
use crate::model::model_text;
use agon_eval::{Machine, Problem, Value, read_model};
use agon_smtlib::{
    Checker, Code, Command, Definition, Function, Piece, Plain, Printer, Rules, Splitter, Symbol, Term, symbol_text,
};
use batsat::Lit;
use rustc_hash::FxHashMap;
use std::io::{self, Read, Write};

/// The maximum number of conflicts when testing whether an assertion can be left out of a core.
const PATIENCE: u64 = 2000;

/// The maximum size of a core that is minimized.
const MOST_MINIMISED: usize = 400;

/// The fuel of the evaluator that checks a model.
const FUEL: u64 = 4_000_000_000;

/// A command that is needed to check a model.
struct Said {
    text: Vec<u8>,
    is_assertion: bool,
}

impl Said {
    fn assertion(text: &[u8]) -> Self {
        Self { text: text.to_vec(), is_assertion: true }
    }

    fn declaration(text: &[u8]) -> Self {
        Self { text: text.to_vec(), is_assertion: false }
    }
}

/// A solver that reads commands and writes responses.
pub struct Session<W: Write> {
    out: W,
    checker: Checker,
    prints_success: bool,
    assertions: Vec<Term>,
    /// The `set-logic` command, used to check models.
    logic: Vec<u8>,
    /// The declarations and assertions, used to check models.
    script: Vec<Said>,
    /// Whether declarations are global: they are not removed by `pop`.
    keeps_declarations: bool,
    declared: Vec<Function>,
    definitions: FxHashMap<Function, Definition>,
    named: FxHashMap<Symbol, Term>,
    seen_terms: usize,
    /// The numbers of assertions, commands and declarations at each `push`.
    levels: Vec<(usize, usize, usize)>,
    /// The model, after `sat`.
    model: Option<String>,
    /// The unsat core, after `unsat`.
    core: Option<Vec<Symbol>>,
    /// Whether a command was not understood, so that all further answers are `unknown`.
    refused: bool,
}

impl<W: Write> Session<W> {
    /// A session that writes its responses to `out`.
    pub fn new(out: W) -> Self {
        Self {
            out,
            checker: Checker::new(Rules::default()),
            prints_success: false,
            assertions: vec![],
            logic: vec![],
            script: vec![],
            keeps_declarations: false,
            declared: vec![],
            definitions: FxHashMap::default(),
            named: FxHashMap::default(),
            seen_terms: 0,
            levels: vec![],
            model: None,
            core: None,
            refused: false,
        }
    }

    /// Executes commands until the end of the input or `(exit)`.
    pub fn run(&mut self, reader: impl Read) -> io::Result<()> {
        let mut splitter = Splitter::new(reader);
        while let Some(piece) = splitter.next_piece()? {
            let (text, position) = match piece {
                Piece::Command(text, position) => (text.to_vec(), position),
                Piece::Wrong(_, error) => {
                    self.refused = true;
                    self.error(&error.message)?;
                    continue;
                }
            };
            let command = self.checker.read(&text, position);
            let mut errors = self
                .checker
                .take_diagnostics()
                .into_iter()
                .filter(|error| !error.code.is_harmless() || error.code == Code::UnknownLogic);
            if let Some(error) = errors.next() {
                // The malformed command may have been an assertion, so nothing can be decided from here on.
                self.refused = true;
                self.error(&error.message)?;
                continue;
            }
            let Some(command) = command else { continue };
            self.note_names();
            if !self.obey(&command, &text)? {
                break;
            }
        }
        self.out.flush()
    }

    fn say(&mut self, text: &str) -> io::Result<()> {
        writeln!(self.out, "{text}")?;
        self.out.flush()
    }

    fn success(&mut self) -> io::Result<()> {
        if self.prints_success { self.say("success") } else { Ok(()) }
    }

    fn error(&mut self, message: &str) -> io::Result<()> {
        let text = format!("(error \"{}\")", message.replace('"', "\"\""));
        self.say(&text)
    }

    /// Executes a command. Returns whether to continue.
    fn obey(&mut self, command: &Command, text: &[u8]) -> io::Result<bool> {
        match command {
            Command::SetOption(key, value) => self.set_option(*key, value.as_deref())?,
            Command::Assert(term) => {
                self.assertions.push(*term);
                self.keep(Said::assertion(text))?;
            }
            Command::DeclareFun(function) | Command::DeclareConst(function) => {
                self.declared.push(*function);
                self.keep(Said::declaration(text))?;
            }
            Command::DefineFun(definition) | Command::DefineConst(definition) => {
                self.definitions.insert(definition.function, definition.clone());
                self.keep(Said::declaration(text))?;
            }
            Command::DeclareSort(..) | Command::DefineSort(..) => self.keep(Said::declaration(text))?,
            Command::SetLogic(_) => {
                self.logic = text.to_vec();
                self.success()?;
            }
            Command::SetInfo(..) => self.success()?,
            Command::Push(count) => {
                for _ in 0..*count {
                    self.levels.push((self.assertions.len(), self.script.len(), self.declared.len()));
                }
                self.success()?;
            }
            Command::Pop(count) => {
                for _ in 0..*count {
                    if let Some(level) = self.levels.pop() {
                        self.go_back(level);
                    }
                }
                self.success()?;
            }
            Command::CheckSat => {
                let answer = self.check();
                self.say(answer)?;
            }
            Command::CheckSatAssuming(terms) => self.check_assuming(terms)?,
            Command::Plain(Plain::ResetAssertions) => {
                self.levels.clear();
                self.go_back((0, 0, 0));
                self.success()?;
            }
            Command::Plain(Plain::Reset) => {
                self.levels.clear();
                (self.keeps_declarations, self.prints_success, self.refused) = (false, false, false);
                self.go_back((0, 0, 0));
                self.logic.clear();
                self.success()?;
            }
            Command::GetInfo(key) => self.get_info(*key)?,
            // These do not change the state, so later answers are still sound.
            Command::GetValue(_)
            | Command::GetOption(_)
            | Command::Plain(
                Plain::GetAssertions | Plain::GetAssignment | Plain::GetProof | Plain::GetUnsatAssumptions,
            ) => self.say("unsupported")?,
            Command::Echo(words) => {
                let words = String::from_utf8_lossy(self.checker.symbols.text(*words)).into_owned();
                self.say(&format!("\"{words}\""))?;
            }
            Command::Plain(Plain::Exit) => {
                self.success()?;
                return Ok(false);
            }
            Command::Plain(Plain::GetModel) => match self.model.clone() {
                Some(model) => self.say(model.trim_end())?,
                None => self.error("no model is available")?,
            },
            Command::Plain(Plain::GetUnsatCore) => self.get_core()?,
            _ => {
                self.refused = true;
                self.say("unsupported")?;
            }
        }
        Ok(true)
    }

    fn set_option(&mut self, key: Symbol, value: Option<&[u8]>) -> io::Result<()> {
        let is_true = value.is_some_and(|value| value.trim_ascii() == b"true");
        match self.checker.symbols.text(key) {
            b":print-success" => self.prints_success = is_true,
            b":global-declarations" => self.keeps_declarations = is_true,
            _ => {}
        }
        self.success()
    }

    /// Checks satisfiability under these assumptions. A model is checked against them as well.
    fn check_assuming(&mut self, terms: &[Term]) -> io::Result<()> {
        let (assertions, script) = (self.assertions.len(), self.script.len());
        for term in terms {
            let mut text = b"(assert ".to_vec();
            Printer::new(&self.checker).term(*term, &mut text);
            text.push(b')');
            self.assertions.push(*term);
            self.script.push(Said { text, is_assertion: true });
        }
        let answer = self.check();
        self.assertions.truncate(assertions);
        self.script.truncate(script);
        self.say(answer)
    }

    fn get_info(&mut self, key: Symbol) -> io::Result<()> {
        let answer = match self.checker.symbols.text(key) {
            b":name" => "(:name \"agon-ref\")",
            b":authors" => "(:authors \"the authors of Agon\")",
            b":version" => concat!("(:version \"", env!("CARGO_PKG_VERSION"), "\")"),
            b":error-behavior" => "(:error-behavior continued-execution)",
            b":reason-unknown" => "(:reason-unknown incomplete)",
            _ => "unsupported",
        };
        self.say(answer)
    }

    fn get_core(&mut self) -> io::Result<()> {
        let Some(core) = self.core.clone() else { return self.error("no unsat core is available") };
        let mut names = vec![];
        for (at, name) in core.iter().enumerate() {
            if at > 0 {
                names.push(b' ');
            }
            symbol_text(self.checker.symbols.text(*name), &mut names);
        }
        let names = String::from_utf8_lossy(&names).into_owned();
        self.say(&format!("({names})"))
    }

    /// Drops everything beyond these numbers of assertions, commands and declarations. Global declarations are kept.
    fn go_back(&mut self, (assertions, script, declared): (usize, usize, usize)) {
        self.assertions.truncate(assertions);
        if self.keeps_declarations {
            let since = self.script.split_off(script);
            self.script.extend(since.into_iter().filter(|said| !said.is_assertion));
        } else {
            self.script.truncate(script);
            self.declared.truncate(declared);
        }
        self.forget_answer();
    }

    fn keep(&mut self, said: Said) -> io::Result<()> {
        self.script.push(said);
        self.forget_answer();
        self.success()
    }

    fn forget_answer(&mut self) {
        self.model = None;
        self.core = None;
    }

    /// Records the terms that were named with `:named` since the last call.
    fn note_names(&mut self) {
        self.named.extend(self.checker.terms.named_since(self.seen_terms));
        self.seen_terms = self.checker.terms.len();
    }

    fn check(&mut self) -> &'static str {
        self.forget_answer();
        if self.refused {
            return "unknown";
        }
        match self.decide() {
            Ok(Found::Model(model)) => {
                if !self.is_model(&model) {
                    return "unknown";
                }
                self.model = Some(model);
                "sat"
            }
            Ok(Found::Core(core)) => {
                self.core = Some(core);
                "unsat"
            }
            Err(Refused) => "unknown",
        }
    }

    /// Decides the assertions. Returns a model or a minimized unsat core.
    fn decide(&self) -> Result<Found, Refused> {
        let mut encoder = Encoder::new(&self.checker, &self.definitions, &self.named, &self.assertions);
        // Each named assertion holds only under its own assumption, so that the core is a set of assumptions.
        let mut guards: Vec<(Lit, Symbol)> = vec![];
        for term in &self.assertions {
            let formula = encoder.formula(*term)?;
            match self.checker.terms.labels(*term).next() {
                Some(name) => {
                    let guard = encoder.circuit.fresh();
                    encoder.circuit.add(&[!guard, formula]);
                    guards.push((guard, name));
                }
                None => encoder.circuit.add(&[formula]),
            }
        }
        encoder.conclude()?;
        let literals: Vec<Lit> = guards.iter().map(|(guard, _)| *guard).collect();
        if encoder.solve(&literals, None).ok_or(Refused)? {
            return Ok(Found::Model(model_text(&self.checker, &encoder, &self.declared)?));
        }
        guards.retain(|(guard, _)| encoder.circuit.needs(*guard));
        // Leave out one assertion after another, as long as the others stay unsatisfiable.
        if guards.len() <= MOST_MINIMISED {
            let mut at = 0;
            while at < guards.len() {
                let others: Vec<Lit> =
                    guards.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, (guard, _))| *guard).collect();
                if encoder.solve(&others, Some(PATIENCE)) == Some(false) {
                    let gone = guards[at].0;
                    guards.retain(|(guard, _)| *guard != gone && encoder.circuit.needs(*guard));
                } else {
                    at += 1;
                }
            }
        }
        Ok(Found::Core(guards.into_iter().map(|(_, name)| name).collect()))
    }

    /// Whether every assertion is true in a model. The evaluator is independent of the encoding.
    fn is_model(&self, model: &str) -> bool {
        let said = self.script.iter().map(|said| &said.text[..]);
        let script: Vec<&[u8]> = [&self.logic[..]].into_iter().chain(said).chain([&b"(check-sat)"[..]]).collect();
        let script = script.concat();
        let Ok(mut problem) = Problem::read(&script[..]) else { return false };
        let Ok(interpretation) = read_model(&mut problem, model.as_bytes()) else { return false };
        let mut machine = Machine::new(&problem.checker, &interpretation, FUEL);
        problem.assertions.iter().all(|(term, _)| machine.value(*term) == Value::TRUE)
    }
}

enum Found {
    Model(String),
    Core(Vec<Symbol>),
}

impl<W: Write> std::fmt::Debug for Session<W> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("assertions", &self.assertions.len()).finish_non_exhaustive()
    }
}
