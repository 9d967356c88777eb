//! Reads and checks commands: names, sorts, arities, indices, and what the script's logic allows.
//!
//! There is no syntax tree between the tokens and the terms. A term is checked while it is read, with an explicit stack
//! of open parentheses instead of recursion, so that deep nesting cannot overflow the call stack.

mod application;
mod arithmetic;
mod build;
mod commands;
mod cursor;
mod datatypes;
mod functions;
mod heap;
mod identifiers;
mod matching;
mod model;
mod ranks;
mod sorts;
mod terms;

use crate::command::Command;
use crate::diagnostic::{Code, Diagnostic, Position, excerpt, nearest};
use crate::logic::{Arithmetic, EVERYTHING, Features};
use crate::sort::{Sort, Sorts};
use crate::symbol::{Symbol, Symbols};
use crate::term::{Function, Operator, Terms, Variable};
use crate::theory::{Signatures, Theories, Theory};
pub(crate) use cursor::{Cursor, is_reserved as is_reserved_word};
pub use functions::{FunctionInfo, FunctionKind};
use heap::Heap;
pub(crate) use matching::WILDCARD;
pub use model::{DefinitionForm, DefinitionPart, FunctionSignature};
use rustc_hash::FxHashMap;
use sorts::SortMeaning;
use std::collections::HashMap;
pub(crate) use terms::Callee;
use terms::Workspace;

/// The errors of a command were reported, and the rest of it cannot be read.
#[derive(Debug)]
pub(crate) struct Stop;

type Checked<T> = Result<T, Stop>;

/// After this many errors in a file, further ones are only counted.
const MOST_DIAGNOSTICS: usize = 1000;

/// The maximum number of bytes of a sort that a message shows.
const MOST_OF_SORT: usize = 200;

/// After this many errors, no more similar names are suggested.
const MOST_SUGGESTIONS: usize = 50;

/// How a script is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// Reject what the standard does not allow, even if solvers accept it.
    pub strict: bool,
    /// The language of the script.
    pub dialect: Dialect,
}

/// The languages that scripts are written in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Detected from the script.
    #[default]
    Auto,
    /// SMT-LIB 2.
    V2,
    /// SMT-LIB 1.2.
    V1,
    /// SMT-LIB 2 with the separation logic of SL-COMP.
    Sl,
}

/// The meaning of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Free,
    /// A group of theory functions.
    Theory(u32),
    Function(Function),
    Variable(Variable),
}

/// What to restore at the end of a scope.
#[derive(Clone, Copy, Debug)]
enum Undo {
    Name(Symbol, Meaning),
    Sort(Symbol, SortMeaning),
    Heap,
}

/// How a name that is bound twice in one list of variables is treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Repeated {
    /// An error, as in every definition.
    Error,
    /// The later variable hides the earlier one.
    Shadows,
}

/// Whether functions count that solvers support but the standard theories do not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extensions {
    Included,
    Excluded,
}

/// The state after the last query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Start,
    /// Assertions changed since the last query.
    Assert,
    /// A query was answered, with this answer if it is obvious.
    Answered(Option<bool>),
}

/// The reader and checker of a script.
#[derive(Debug)]
pub struct Checker {
    /// All names and literals.
    pub symbols: Symbols,
    /// All sorts.
    pub sorts: Sorts,
    /// All terms that were not released.
    pub terms: Terms,
    rules: Rules,
    meanings: Vec<Meaning>,
    sort_meanings: Vec<SortMeaning>,
    functions: Vec<FunctionInfo>,
    aliases: Vec<sorts::Alias>,
    /// The expansions of defined sorts with arguments.
    expanded: HashMap<(u32, Box<[Sort]>), Sort>,
    datatypes: Vec<datatypes::DatatypeInfo>,
    operators: Vec<(u32, Box<[u64]>)>,
    operator_numbers: HashMap<(u32, Box<[u64]>), Operator>,
    /// The last fit of each group of theory functions.
    fits: Vec<Option<ranks::Fit>>,
    heap: Heap,
    /// What to undo at `pop`, and where each level starts.
    trail: Vec<Undo>,
    levels: Vec<usize>,
    /// The logic that was set. `allowed` is what it allows, or everything if none is set.
    logic: Option<Symbol>,
    allowed: Features,
    available: Theories,
    used: Features,
    reported: Reported,
    global_declarations: bool,
    options: FxHashMap<Symbol, bool>,
    version: Option<(u32, u32)>,
    mode: Mode,
    /// Whether all assertions are obviously true, and whether one is obviously false.
    plain: [bool; 2],
    plain_levels: Vec<[bool; 2]>,
    work: Workspace,
    /// Whether terms stay in memory after their command.
    pub(crate) keep: bool,
    /// Whether the rest of the script is ignored, except for its queries.
    pub(crate) has_heard_enough: bool,
    /// Whether `lambda` makes an array instead of a map, as in solvers without higher-order logic.
    lambdas_are_arrays: bool,
    /// Whether the commands and functions of separation logic are available.
    separation: bool,
    /// Whether the body of a recursive definition is being read, where separation logics allow quantifiers.
    in_recursion: bool,
    /// The first symbol of the reserved words, which are consecutive.
    reserved: Symbol,
    /// The state before any script.
    base_symbols: u32,
    base_meanings: Vec<Meaning>,
    base_sort_meanings: Vec<SortMeaning>,
    /// The position of the current command, and an offset in it whose position was already computed.
    start: Position,
    known: (usize, Position),
    diagnostics: Vec<Diagnostic>,
    more_diagnostics: u64,
}

/// The restrictions of the logic that were already reported. Each is reported once per script.
#[derive(Clone, Copy, Debug, Default)]
struct Reported {
    theories: Theories,
    quantifiers: bool,
    functions: bool,
    sorts: bool,
    nonlinear: bool,
    difference: bool,
    missing_logic: bool,
}

impl Checker {
    /// A checker, which can read any number of scripts one after another.
    pub fn new(rules: Rules) -> Self {
        let mut symbols = Symbols::default();
        let mut meanings = vec![];
        for (group, name) in Signatures::get().names().enumerate() {
            let symbol = symbols.intern(name.as_bytes());
            debug_assert_eq!(symbol.index(), group);
            meanings.push(Meaning::Theory(group as u32));
        }
        let sort_meanings = sorts::built_in(&mut symbols);
        let reserved = cursor::RESERVED.map(|word| symbols.intern(word))[0];
        debug_assert_eq!(symbols.len() - reserved.0, cursor::RESERVED.len() as u32);
        let mut checker = Self {
            reserved,
            base_symbols: symbols.len(),
            base_meanings: meanings.clone(),
            base_sort_meanings: sort_meanings.clone(),
            symbols,
            sorts: Sorts::default(),
            terms: Terms::default(),
            rules,
            meanings,
            sort_meanings,
            functions: vec![],
            aliases: vec![],
            expanded: HashMap::default(),
            datatypes: vec![],
            operators: vec![],
            operator_numbers: HashMap::default(),
            fits: vec![],
            heap: Heap::default(),
            trail: vec![],
            levels: vec![],
            logic: None,
            allowed: EVERYTHING,
            available: EVERYTHING.theories,
            used: Features::default(),
            reported: Reported::default(),
            global_declarations: false,
            options: FxHashMap::default(),
            version: None,
            mode: Mode::Start,
            plain: [true, false],
            plain_levels: vec![],
            work: Workspace::default(),
            keep: false,
            has_heard_enough: false,
            lambdas_are_arrays: false,
            separation: false,
            in_recursion: false,
            start: Position::START,
            known: (0, Position::START),
            diagnostics: vec![],
            more_diagnostics: 0,
        };
        checker.reset();
        checker
    }

    /// Forgets the script, to read another one.
    pub fn clear(&mut self) {
        self.reset();
        self.terms.clear();
        self.functions.clear();
        self.aliases.clear();
        self.expanded.clear();
        self.datatypes.clear();
        self.operators.clear();
        self.operator_numbers.clear();
        self.fits.clear();
        self.sorts.clear();
        self.symbols.truncate(self.base_symbols);
        self.meanings.clone_from(&self.base_meanings);
        self.sort_meanings.clone_from(&self.base_sort_meanings);
        self.used = Features::default();
        self.reported = Reported::default();
        self.diagnostics.clear();
        self.more_diagnostics = 0;
        self.version = None;
        self.has_heard_enough = false;
        self.lambdas_are_arrays = false;
    }

    /// Ignores the rest of the script, except for its queries.
    pub fn stop_listening(&mut self) {
        self.has_heard_enough = true;
    }

    /// Executes `(reset)`: removes all declarations and settings, but keeps the terms.
    fn reset(&mut self) {
        self.undo_to(0);
        self.levels.clear();
        self.logic = None;
        self.separation = self.rules.dialect == Dialect::Sl;
        let extra: &[Theory] = if self.separation { &[Theory::Separation, Theory::Maps] } else { &[Theory::Maps] };
        self.allowed = Features { theories: EVERYTHING.theories.with(Theories::of(extra)), ..EVERYTHING };
        self.available = self.allowed.available();
        self.global_declarations = false;
        self.options.clear();
        self.mode = Mode::Start;
        self.plain = [true, false];
        self.plain_levels.clear();
    }

    /// Reads one command, including its parentheses, which begins at this position. Errors are reported. A command with
    /// errors in its terms is still returned; the result is `None` only if the command cannot be parsed.
    pub fn read(&mut self, text: &[u8], start: Position) -> Option<Command> {
        self.start = start;
        self.known = (0, start);
        self.work.clear();
        let mut cursor = Cursor::new(text);
        let command = self.command(&mut cursor);
        if !self.work.is_clean() {
            // Reading stopped inside binders, whose variables are still bound.
            self.leave_scope(0);
        }
        command.ok()
    }

    /// The errors so far, and the number of further errors that were only counted.
    pub fn diagnostics(&self) -> (&[Diagnostic], u64) {
        (&self.diagnostics, self.more_diagnostics)
    }

    /// The logic that the script sets.
    pub fn logic(&self) -> Option<&[u8]> {
        self.logic.map(|name| self.symbols.text(name))
    }

    /// The features that the script uses, of those that logics allow or forbid.
    pub fn used(&self) -> Features {
        self.used
    }

    /// A function of the script.
    pub fn function(&self, function: Function) -> &FunctionInfo {
        &self.functions[function.0 as usize]
    }

    /// The name and the indices of a theory function.
    pub fn operator(&self, operator: Operator) -> (&'static str, &[u64]) {
        let signatures = Signatures::get();
        match operator.0.checked_sub(signatures.len()) {
            None => (signatures.row(operator.0).name, &[]),
            Some(at) => {
                let (row, indices) = &self.operators[at as usize];
                (signatures.row(*row).name, indices)
            }
        }
    }

    /// Whether the script uses separation logic.
    pub fn is_separation(&self) -> bool {
        self.separation
    }

    /// Makes the functions of separation logic available from here on.
    fn start_separation(&mut self) {
        self.separation = true;
        self.allowed.theories = self.allowed.theories.with(Theories::of(&[Theory::Separation]));
        self.available = self.allowed.available();
    }

    /// The pairs of location and data sorts of the heap.
    pub fn heap(&self) -> &[(Sort, Sort)] {
        self.heap.pairs()
    }

    /// Reports an error at an offset in the current command.
    pub(crate) fn report(&mut self, text: &[u8], offset: usize, code: Code, message: impl Into<String>) {
        self.report_with(text, offset, code, message, None);
    }

    fn report_with(
        &mut self,
        text: &[u8],
        offset: usize,
        code: Code,
        message: impl Into<String>,
        help: Option<String>,
    ) {
        if self.diagnostics.len() >= MOST_DIAGNOSTICS {
            self.more_diagnostics += 1;
            return;
        }
        let offset = offset.min(text.len());
        let (from, position) = if offset >= self.known.0 { self.known } else { (0, self.start) };
        let position = position.after(&text[from..offset]);
        self.known = (offset, position);
        let excerpt = excerpt(text, offset);
        let message = message.into();
        let diagnostic = Diagnostic { line: position.line, column: position.column, code, message, help, excerpt };
        self.add(diagnostic);
    }

    /// Adds an error, unless it repeats the last one: the splitter and the reader both find unclosed tokens.
    pub(crate) fn add(&mut self, diagnostic: Diagnostic) {
        let known = self.diagnostics.last().map(|last| (last.line, last.column, last.code, last.message.as_str()));
        if known == Some((diagnostic.line, diagnostic.column, diagnostic.code, diagnostic.message.as_str())) {
            return;
        }
        if self.diagnostics.len() < MOST_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        } else {
            self.more_diagnostics += 1;
        }
    }

    pub(crate) fn meaning(&self, name: Symbol) -> Meaning {
        self.meanings.get(name.index()).copied().unwrap_or(Meaning::Free)
    }

    /// Whether a symbol is a reserved word when it is written without bars.
    fn is_reserved_symbol(&self, name: Symbol) -> bool {
        name.0.wrapping_sub(self.reserved.0) < cursor::RESERVED.len() as u32
    }

    /// Gives a name a meaning, and returns the previous one.
    fn replace(&mut self, name: Symbol, meaning: Meaning) -> Meaning {
        if self.meanings.len() <= name.index() {
            self.meanings.resize(name.index() + 1, Meaning::Free);
        }
        std::mem::replace(&mut self.meanings[name.index()], meaning)
    }

    /// Whether an available theory has a function of this name.
    fn is_theory_name(&self, group: u32, extensions: Extensions) -> bool {
        let signatures = Signatures::get();
        signatures.rows_of(group).iter().any(|row| {
            let signature = signatures.row(*row);
            self.available.contains(signature.theories) && (extensions == Extensions::Included || !signature.extension)
        })
    }

    fn undo_to(&mut self, length: usize) {
        while self.trail.len() > length {
            match self.trail.pop() {
                Some(Undo::Name(name, meaning)) => {
                    self.meanings[name.index()] = meaning;
                }
                Some(Undo::Sort(name, meaning)) => self.sort_meanings[name.index()] = meaning,
                Some(Undo::Heap) => self.heap.clear(),
                None => {}
            }
        }
    }

    fn remember(&mut self, undo: Undo) {
        self.trail.push(undo);
    }

    fn text_of(&self, name: Symbol) -> String {
        String::from_utf8_lossy(self.symbols.text(name)).into_owned()
    }

    /// Whether to search for similar names. The search takes time, and after many errors nobody reads the suggestions.
    fn may_suggest(&self) -> bool {
        self.diagnostics.len() < MOST_SUGGESTIONS
    }

    /// Suggests a known name that is similar to an unknown one.
    fn similar_name(&self, name: Symbol) -> Option<String> {
        if !self.may_suggest() {
            return None;
        }
        let known = self.meanings.iter().enumerate().filter(|(_, meaning)| match meaning {
            Meaning::Free => false,
            Meaning::Theory(group) => self.is_theory_name(*group, Extensions::Included),
            Meaning::Function(function) => self.function(*function).kind != FunctionKind::Unknown,
            Meaning::Variable(_) => true,
        });
        let names = known.map(|(at, _)| self.symbols.text(Symbol(at as u32)));
        let near = nearest(self.symbols.text(name), names)?;
        Some(format!("did you mean '{}'?", String::from_utf8_lossy(near)))
    }

    /// Records that theories are used, and reports at this offset those that the logic does not have.
    fn use_theories(&mut self, theories: Theories, text: &[u8], offset: usize, what: &str) {
        self.used.theories = self.used.theories.with(theories);
        let missing = theories.without(self.available).without(self.reported.theories);
        if !missing.is_empty() {
            self.reported.theories = self.reported.theories.with(missing);
            let names: Vec<_> = missing.iter().map(Theory::name).collect();
            let message = format!("the logic {} does not have {what}: {}", self.logic_name(), names.join(", "));
            self.report(text, offset, Code::OutsideLogic, message);
        }
    }

    pub(crate) fn use_quantifier(&mut self, text: &[u8], offset: usize) {
        self.used.quantifiers = true;
        if !self.allowed.quantifiers && !self.reported.quantifiers {
            self.reported.quantifiers = true;
            let message = format!("the logic {} has no quantifiers", self.logic_name());
            self.report(text, offset, Code::Quantifier, message);
        }
    }

    fn use_nonlinear(&mut self, text: &[u8], offset: usize, message: &str) {
        self.used.arithmetic = Arithmetic::Nonlinear;
        if self.allowed.arithmetic < Arithmetic::Nonlinear && !self.reported.nonlinear {
            self.reported.nonlinear = true;
            let message = format!("{message}, but the logic {} is linear", self.logic_name());
            self.report(text, offset, Code::Nonlinear, message);
        }
    }

    fn use_linear(&mut self, text: &[u8], offset: usize) {
        self.used.arithmetic = self.used.arithmetic.max(Arithmetic::Linear);
        if self.allowed.arithmetic < Arithmetic::Linear && !self.reported.difference {
            self.reported.difference = true;
            let message = format!("the logic {} allows only differences of two variables", self.logic_name());
            let help = Some("write it as (op x y), (op (- x y) c) or (op x c), where c is a constant".to_owned());
            self.report_with(text, offset, Code::Difference, message, help);
        }
    }

    fn logic_name(&self) -> String {
        self.logic.map_or_else(|| "of this script".to_owned(), |name| self.text_of(name))
    }

    /// A sort in SMT-LIB syntax for messages, truncated if it is long.
    fn shown(&self, sort: Sort) -> String {
        let mut text = vec![];
        let complete = crate::print::write_sort(self, sort, MOST_OF_SORT, &mut text);
        if complete && text.len() <= MOST_OF_SORT {
            return String::from_utf8_lossy(&text).into_owned();
        }
        text.truncate(MOST_OF_SORT);
        String::from_utf8_lossy(&text).into_owned() + "…"
    }
}
