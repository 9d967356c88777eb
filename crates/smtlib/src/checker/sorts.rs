//! Sorts in a script: the meanings of their names, and how they are read.

use super::cursor::Cursor;
use super::{Checked, Checker, Stop, Undo};
use crate::diagnostic::{Code, nearest};
use crate::sort::{Bindings, Constructor, Sort};
use crate::symbol::{Symbol, Symbols};
use crate::theory::{Theories, Theory};
use crate::token::Token;
use rustc_hash::FxHashSet;

/// The meaning of a name as a sort.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum SortMeaning {
    #[default]
    Free,
    BuiltIn(BuiltIn),
    /// A declared sort with this many arguments.
    Declared(u32),
    /// A datatype, by its index.
    Datatype(u32),
    /// A defined sort, by its index.
    Alias(u32),
    /// A parameter of the current declaration, or of the whole script.
    Parameter,
    /// Used without a declaration, which was reported.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BuiltIn {
    Basic(Sort, Theory),
    /// `Float16` and so on.
    Float(u64, u64),
    Built(Constructor, usize, Theory),
    BitVec,
    FloatingPoint,
}

/// The maximum size of a defined sort. Without a limit, definitions that each use the previous one twice would grow
/// exponentially.
const MOST_PARTS: u32 = 10_000;

/// The maximum number of parameters of a sort.
pub(super) const MOST_PARAMETERS: usize = 1000;

/// A defined sort.
#[derive(Clone, Debug)]
pub(super) struct Alias {
    parameters: Box<[Symbol]>,
    body: Sort,
}

/// Interns the names of the theories' sorts. Returns their meanings.
pub(super) fn built_in(symbols: &mut Symbols) -> Vec<SortMeaning> {
    use BuiltIn::{Basic, BitVec, Built, Float, FloatingPoint};
    let mut meanings = vec![];
    for (name, meaning) in [
        ("Bool", Basic(Sort::BOOL, Theory::Core)),
        ("Int", Basic(Sort::INT, Theory::Ints)),
        ("Real", Basic(Sort::REAL, Theory::Reals)),
        ("String", Basic(Sort::STRING, Theory::Strings)),
        ("RegLan", Basic(Sort::REGLAN, Theory::Strings)),
        ("RoundingMode", Basic(Sort::ROUNDING_MODE, Theory::Floats)),
        ("Float16", Float(5, 11)),
        ("Float32", Float(8, 24)),
        ("Float64", Float(11, 53)),
        ("Float128", Float(15, 113)),
        ("Array", Built(Constructor::Array, 2, Theory::Arrays)),
        ("Seq", Built(Constructor::Seq, 1, Theory::Sequences)),
        ("Set", Built(Constructor::Set, 1, Theory::Sets)),
        ("->", Built(Constructor::Arrow, 2, Theory::Maps)),
        ("BitVec", BitVec),
        ("FloatingPoint", FloatingPoint),
    ] {
        let name = symbols.intern(name.as_bytes());
        if meanings.len() <= name.index() {
            meanings.resize(name.index() + 1, SortMeaning::Free);
        }
        meanings[name.index()] = SortMeaning::BuiltIn(meaning);
    }
    meanings
}

impl BuiltIn {
    fn theory(self) -> Theory {
        match self {
            Self::Basic(_, theory) | Self::Built(_, _, theory) => theory,
            Self::Float(..) | Self::FloatingPoint => Theory::Floats,
            Self::BitVec => Theory::BitVectors,
        }
    }
}

impl Checker {
    pub(super) fn sort_meaning(&self, name: Symbol) -> SortMeaning {
        let meaning = self.sort_meanings.get(name.index()).copied().unwrap_or_default();
        match meaning {
            // Sorts of theories outside the logic can be declared.
            SortMeaning::BuiltIn(sort) if !self.available.has(sort.theory()) => SortMeaning::Free,
            meaning => meaning,
        }
    }

    pub(super) fn replace_sort(&mut self, name: Symbol, meaning: SortMeaning) -> SortMeaning {
        if self.sort_meanings.len() <= name.index() {
            self.sort_meanings.resize(name.index() + 1, SortMeaning::Free);
        }
        std::mem::replace(&mut self.sort_meanings[name.index()], meaning)
    }

    /// Declares a sort name at the current level, if it is free.
    pub(super) fn declare_sort_name(&mut self, cursor: &Cursor<'_>, place: usize, name: Symbol, meaning: SortMeaning) {
        if !matches!(self.sort_meaning(name), SortMeaning::Free | SortMeaning::Unknown) {
            let built_in = matches!(self.sort_meaning(name), SortMeaning::BuiltIn(_));
            let (code, whose) =
                if built_in { (Code::TheoryName, "of a theory of the logic") } else { (Code::Taken, "of the script") };
            let message = format!("'{}' is already a sort {whose}", self.text_of(name));
            self.report(cursor.text, place, code, message);
            return;
        }
        self.check_solver_name(cursor, place, name);
        let old = self.replace_sort(name, meaning);
        self.remember(Undo::Sort(name, old));
    }

    pub(super) fn add_alias(&mut self, parameters: Box<[Symbol]>, body: Sort) -> SortMeaning {
        self.aliases.push(Alias { parameters, body });
        SortMeaning::Alias(self.aliases.len() as u32 - 1)
    }

    /// Reads a sort.
    pub(super) fn read_sort(&mut self, cursor: &mut Cursor<'_>) -> Checked<Sort> {
        // Sorts that are being read: name, position, and where their arguments begin in `done`.
        let mut open: Vec<(Symbol, usize, usize)> = vec![];
        let mut done: Vec<Sort> = vec![];
        loop {
            let sort = match self.next(cursor)? {
                Token::Open => {
                    let place = cursor.place;
                    match self.peek(cursor)? {
                        Token::Symbol(b"_") => {
                            self.next(cursor)?;
                            self.indexed_sort(cursor, place)?
                        }
                        _ => {
                            let name = self.expect_name(cursor, "the name of a sort")?;
                            let name = self.symbols.intern(name);
                            open.push((name, place, done.len()));
                            continue;
                        }
                    }
                }
                Token::Close => {
                    let Some((name, place, base)) = open.pop() else {
                        return self.unexpected(cursor, Token::Close, "a sort");
                    };
                    if done.len() == base {
                        let message = "a sort in parentheses needs arguments";
                        self.report(cursor.text, place, Code::SortArity, message);
                        Sort::UNKNOWN
                    } else {
                        let sort = self.resolve_sort(cursor, place, name, &done[base..]);
                        done.truncate(base);
                        sort
                    }
                }
                Token::Quoted(name) => {
                    let name = self.symbols.intern(name);
                    self.resolve_sort(cursor, cursor.place, name, &[])
                }
                Token::Symbol(word) if !super::cursor::is_reserved(word) => {
                    let name = self.symbols.intern(word);
                    self.resolve_sort(cursor, cursor.place, name, &[])
                }
                other => return self.unexpected(cursor, other, "a sort"),
            };
            if open.is_empty() {
                return Ok(sort);
            }
            done.push(sort);
        }
    }

    /// Reads an indexed sort, such as `(_ BitVec 8)`, after the underscore.
    fn indexed_sort(&mut self, cursor: &mut Cursor<'_>, place: usize) -> Checked<Sort> {
        let name = self.expect_name(cursor, "the name of an indexed sort")?;
        let name = self.symbols.intern(name);
        let mut indices = vec![];
        while !self.at_close(cursor)? {
            indices.push(self.expect_number(cursor, "a number as index")?);
        }
        let SortMeaning::BuiltIn(kind @ (BuiltIn::BitVec | BuiltIn::FloatingPoint)) = self.sort_meaning(name) else {
            if self.sort_meaning(name) != SortMeaning::Unknown {
                self.unknown_sort(cursor, place, name, "indexed sort");
            }
            return Ok(Sort::UNKNOWN);
        };
        let theory = kind.theory();
        self.use_theories(Theories::of(&[theory]), cursor.text, place, "this sort");
        let wanted = if kind == BuiltIn::BitVec { 1 } else { 2 };
        if indices.len() != wanted {
            let message = format!("{} has {wanted} index{}", self.text_of(name), if wanted == 1 { "" } else { "es" });
            self.report(cursor.text, place, Code::IndexCount, message);
            return Ok(Sort::UNKNOWN);
        }
        let least = if kind == BuiltIn::BitVec { 1 } else { 2 };
        if let Some(small) = indices.iter().find(|index| **index < least) {
            let message = format!("the index {small} is too small: it must be at least {least}");
            self.report(cursor.text, place, Code::IndexRange, message);
            return Ok(Sort::UNKNOWN);
        }
        Ok(match kind {
            BuiltIn::BitVec => self.sorts.bit_vector(indices[0]),
            _ => self.sorts.make(Constructor::Float(indices[0], indices[1]), &[]),
        })
    }

    fn unknown_sort(&mut self, cursor: &Cursor<'_>, place: usize, name: Symbol, what: &str) {
        let message = format!("there is no {what} '{}'", self.text_of(name));
        let help = match self.sort_meanings.get(name.index()) {
            Some(SortMeaning::BuiltIn(sort)) if !self.available.has(sort.theory()) => Some(format!(
                "it belongs to {}, which the logic {} does not have",
                sort.theory().name(),
                self.logic_name()
            )),
            _ if !self.may_suggest() => None,
            _ => {
                let known = (0..self.sort_meanings.len() as u32).map(Symbol);
                let is_known =
                    |name: &Symbol| !matches!(self.sort_meaning(*name), SortMeaning::Free | SortMeaning::Unknown);
                let known = known.filter(is_known);
                let near = nearest(self.symbols.text(name), known.map(|name| self.symbols.text(name)));
                near.map(|near| format!("did you mean '{}'?", String::from_utf8_lossy(near)))
            }
        };
        self.report_with(cursor.text, place, Code::UnknownSort, message, help);
        let old = self.replace_sort(name, SortMeaning::Unknown);
        self.remember(Undo::Sort(name, old));
    }

    pub(super) fn resolve_sort(&mut self, cursor: &Cursor<'_>, place: usize, name: Symbol, arguments: &[Sort]) -> Sort {
        let (wanted, at_least) = match self.sort_meaning(name) {
            SortMeaning::Free => {
                self.unknown_sort(cursor, place, name, "sort");
                return Sort::UNKNOWN;
            }
            SortMeaning::Unknown => return Sort::UNKNOWN,
            SortMeaning::BuiltIn(BuiltIn::Basic(..) | BuiltIn::Float(..)) | SortMeaning::Parameter => (0, false),
            SortMeaning::BuiltIn(BuiltIn::Built(constructor, count, _)) => (count, constructor == Constructor::Arrow),
            SortMeaning::BuiltIn(BuiltIn::BitVec | BuiltIn::FloatingPoint) => {
                let message = format!("'{}' needs indices", self.text_of(name));
                let help = Some(format!("write (_ {} …)", self.text_of(name)));
                self.report_with(cursor.text, place, Code::IndexCount, message, help);
                return Sort::UNKNOWN;
            }
            SortMeaning::Declared(count) => (count as usize, false),
            SortMeaning::Datatype(at) => (self.datatypes[at as usize].arity, false),
            SortMeaning::Alias(at) => (self.aliases[at as usize].parameters.len(), false),
        };
        let given = arguments.len();
        if given < wanted || given > wanted && !at_least {
            let message = format!("the sort '{}' takes {wanted} arguments, not {given}", self.text_of(name));
            self.report(cursor.text, place, Code::SortArity, message);
            return Sort::UNKNOWN;
        }
        match self.sort_meaning(name) {
            SortMeaning::BuiltIn(sort) => {
                if sort.theory() != Theory::Core {
                    self.use_theories(Theories::of(&[sort.theory()]), cursor.text, place, "this sort");
                }
                match sort {
                    BuiltIn::Basic(sort, _) => sort,
                    BuiltIn::Float(e, s) => self.sorts.make(Constructor::Float(e, s), &[]),
                    BuiltIn::Built(Constructor::Arrow, ..) => self.arrow(arguments),
                    BuiltIn::Built(constructor, ..) => self.sorts.make(constructor, arguments),
                    BuiltIn::BitVec | BuiltIn::FloatingPoint => Sort::UNKNOWN,
                }
            }
            SortMeaning::Parameter => self.sorts.make(Constructor::Parameter(name), &[]),
            SortMeaning::Declared(_) | SortMeaning::Datatype(_) => {
                self.sorts.make(Constructor::Declared(name), arguments)
            }
            SortMeaning::Alias(at) => {
                let Alias { parameters, body } = &self.aliases[at as usize];
                let body = *body;
                let key = (at, arguments.into());
                if let Some(known) = self.expanded.get(&key) {
                    return *known;
                }
                let mut bound = Bindings::default();
                for (parameter, argument) in parameters.iter().zip(arguments) {
                    bound.bind(*parameter, *argument);
                }
                let sort = self.sorts.substitute(body, &bound);
                if self.sorts.size(sort) > MOST_PARTS {
                    let message = format!("the sort '{}' is too large here", self.text_of(name));
                    self.report(cursor.text, place, Code::SortSize, message);
                    return Sort::UNKNOWN;
                }
                self.expanded.insert(key, sort);
                sort
            }
            SortMeaning::Free | SortMeaning::Unknown => Sort::UNKNOWN,
        }
    }

    /// `(-> a b c)` is the same sort as `(-> a (-> b c))`, and is stored in that form.
    pub(super) fn arrow(&mut self, sorts: &[Sort]) -> Sort {
        let (last, front) = sorts.split_last().expect("an arrow has a result");
        front.iter().rev().fold(*last, |result, sort| self.sorts.make(Constructor::Arrow, &[*sort, result]))
    }

    /// Reads `(X Y …)`, a list of sort parameters that are in scope until `end_parameters`.
    pub(super) fn read_parameters(&mut self, cursor: &mut Cursor<'_>) -> Checked<Vec<(Symbol, SortMeaning)>> {
        self.expect_open(cursor, "the sort parameters")?;
        let mut seen = FxHashSet::default();
        let mut names = vec![];
        while !self.at_close(cursor)? {
            let name = self.expect_name(cursor, "a sort parameter")?;
            let name = self.symbols.intern(name);
            if !seen.insert(name) {
                let message = format!("the parameter '{}' occurs twice", self.text_of(name));
                self.report(cursor.text, cursor.place, Code::Twice, message);
            } else if names.len() == MOST_PARAMETERS {
                let message = format!("more than {MOST_PARAMETERS} sort parameters are not supported");
                self.report(cursor.text, cursor.place, Code::SortSize, message);
                return Err(Stop);
            } else {
                names.push(name);
            }
        }
        // The names are bound only after all of them were read, so that none stays in scope if reading fails.
        Ok(names.into_iter().map(|name| (name, self.replace_sort(name, SortMeaning::Parameter))).collect())
    }

    pub(super) fn end_parameters(&mut self, parameters: &[(Symbol, SortMeaning)]) {
        for (name, old) in parameters.iter().rev() {
            self.sort_meanings[name.index()] = *old;
        }
    }
}
