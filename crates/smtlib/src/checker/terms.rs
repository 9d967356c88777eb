//! Terms: read and checked in one pass, with a stack of what is open.

use super::cursor::{Cursor, is_reserved};
use super::functions::{FunctionInfo, FunctionKind};
use super::{Checker, Meaning, Outcome, Stop};
use crate::diagnostic::Code;
use crate::logic::Arithmetic;
use crate::sort::{Bindings, Constructor, Sort};
use crate::symbol::Symbol;
use crate::term::{Attribute, Binder, Case, Function, Head, Literal, Shape, Term};
use crate::theory::{Calculation, Misfit, Signatures, Theories, Theory};
use crate::token::Token;
use rustc_hash::FxHashSet;

/// What is kept from one term to the next, so that nothing is allocated anew.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    frames: Vec<Frame>,
    pub(super) values: Vec<Term>,
    /// Where each of the values stands. A term is stored once and may stand in many places.
    pub(super) places: Vec<u32>,
    /// Where the last term that was read begins.
    pub(super) last: u32,
    indices: Vec<u64>,
    sorts: Vec<Sort>,
    /// The names and the places of the bindings of open `let`s.
    names: Vec<(Symbol, usize)>,
    /// Names that are bound, with the meanings they had before.
    pub(super) scope: Vec<(Symbol, Meaning)>,
}

impl Workspace {
    pub(super) fn clear(&mut self) {
        self.frames.clear();
        self.values.clear();
        self.places.clear();
        self.indices.clear();
        self.names.clear();
    }

    pub(super) fn is_clean(&self) -> bool {
        self.scope.is_empty()
    }

    /// Puts the last term that was read on the stack.
    pub(super) fn push(&mut self, value: Term) {
        self.values.push(value);
        self.places.push(self.last);
    }

    pub(super) fn truncate(&mut self, length: usize) {
        self.values.truncate(length);
        self.places.truncate(length);
    }
}

/// What is applied to arguments.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Callee {
    /// A group of theory functions.
    Theory(u32),
    Function(Function),
    Tester(Function),
    Updater(Function),
    /// The first value after `base` is a map.
    Map,
    /// It could not be understood; whatever it is applied to gives something unknown.
    Unknown,
    /// `(_ emp L D)`, whose pair was checked already.
    Emp,
}

/// Something whose closing parenthesis has not been seen.
#[derive(Debug)]
enum Frame {
    Apply {
        callee: Callee,
        said: Option<Sort>,
        name: Symbol,
        indices: u32,
        base: u32,
        place: u32,
    },
    /// The values of a `let`.
    Values {
        base: u32,
        names: u32,
        place: u32,
    },
    /// What a binder is about.
    Body {
        binder: Binder,
        kind: BinderKind,
        base: u32,
        scope: u32,
        place: u32,
    },
    /// What a `match` looks at.
    Scrutinee {
        place: u32,
    },
    /// The result of a case.
    Result(Box<Matching>),
    /// What attributes are about.
    Annotated {
        place: u32,
    },
    /// The terms of a pattern.
    Pattern(Box<Annotation>),
}

#[derive(Clone, Copy, Debug)]
enum BinderKind {
    Let,
    Forall,
    Exists,
    Lambda,
    Choice,
}

#[derive(Debug)]
struct Matching {
    place: u32,
    base: u32,
    scope: u32,
    cases: Vec<Case>,
    /// What is looked at is no datatype, or a case takes all that is left.
    complete: bool,
    sort: Option<Sort>,
}

#[derive(Debug)]
struct Annotation {
    place: u32,
    base: u32,
    attributes: Vec<Attribute>,
    keyword: Symbol,
    count: u32,
}

/// Whether a function is a constructor, or a selector.
fn is_part(kind: &FunctionKind, constructor: bool) -> bool {
    if constructor { matches!(kind, FunctionKind::Constructor(_)) } else { matches!(kind, FunctionKind::Selector(..)) }
}

/// Words that mean something of their own with an index behind them, whatever they mean without one.
fn is_indexed(word: &[u8]) -> bool {
    let digits = word.strip_prefix(b"bv").unwrap_or_default();
    matches!(word, b"is" | b"update" | b"char") || !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

/// What stands for `_` in a pattern: a name that cannot be written.
pub(crate) const WILDCARD: &[u8] = b"\\_";

impl Checker {
    /// Reads one term.
    pub(super) fn read_term(&mut self, cursor: &mut Cursor<'_>) -> Outcome<Term> {
        let bottom = self.work.frames.len();
        loop {
            let token = self.next(cursor)?;
            let term = match token {
                Token::Open => match self.open(cursor)? {
                    Some(term) => term,
                    None => continue,
                },
                Token::Close => self.close(cursor)?,
                Token::Symbol(word) if is_reserved(word) => {
                    let message =
                        format!("expected a term, found the reserved word '{}'", String::from_utf8_lossy(word));
                    self.report(cursor.text, cursor.place, Code::Reserved, message);
                    return Err(Stop);
                }
                Token::Symbol(name) | Token::Quoted(name) => {
                    let name = self.symbols.intern(name);
                    self.work.last = cursor.place as u32;
                    self.atom(cursor, name)
                }
                Token::Keyword(_) => return self.unexpected(cursor, token, "a term"),
                literal => {
                    self.work.last = cursor.place as u32;
                    self.literal(cursor, literal)
                }
            };
            if let Some(term) = self.deliver(cursor, term, bottom)? {
                return Ok(term);
            }
        }
    }

    /// Reads a term that must be a formula.
    pub(super) fn read_formula(&mut self, cursor: &mut Cursor<'_>, what: &str) -> Outcome<Term> {
        self.peek(cursor)?;
        let term = self.read_term(cursor)?;
        self.check_sort(cursor, term, Sort::BOOL, what);
        Ok(term)
    }

    /// Reports the last term that was read, if it has not the sort that is needed.
    pub(crate) fn check_sort(&mut self, cursor: &Cursor<'_>, term: Term, wanted: Sort, what: &str) {
        let sort = self.terms.sort(term);
        if sort == wanted || sort == Sort::UNKNOWN || wanted == Sort::UNKNOWN {
            return;
        }
        if wanted == Sort::REAL && sort == Sort::INT && self.may_coerce() {
            return;
        }
        let message = format!("{what} has sort {}, but {} is needed", self.shown(sort), self.shown(wanted));
        self.report(cursor.text, self.work.last as usize, Code::WrongSort, message);
    }

    /// Whether an integer may stand for a real. The logics with both allow it, and others are read as if they did.
    fn may_coerce(&self) -> bool {
        !self.rules.strict || self.logic.is_some_and(|logic| self.symbols.text(logic).ends_with(b"IRA"))
    }

    fn literal(&mut self, cursor: &Cursor<'_>, token: Token<'_>) -> Term {
        let (kind, text, sort, theory) = match token {
            Token::Numeral(text) => {
                let integer = self.available.has(Theory::Ints) || !self.available.has(Theory::Reals);
                let there = self.available.has(Theory::Ints) || self.available.has(Theory::Reals);
                if !there && self.rules.strict {
                    self.use_theories(Theories::of(&[Theory::Ints]), cursor.text, cursor.place, "numerals");
                }
                (Literal::Numeral, text, if integer { Sort::INT } else { Sort::REAL }, None)
            }
            Token::Decimal(text) => {
                let there = self.available.has(Theory::Floats);
                (Literal::Decimal, text, Sort::REAL, if there { None } else { Some(Theory::Reals) })
            }
            Token::Hexadecimal(text) => {
                let sort = self.sorts.bit_vector(4 * text.len() as u64);
                (Literal::Hexadecimal, text, sort, Some(Theory::BitVectors))
            }
            Token::Binary(text) => {
                let sort = self.sorts.bit_vector(text.len() as u64);
                (Literal::Binary, text, sort, Some(Theory::BitVectors))
            }
            Token::String(text) => (Literal::String, text, Sort::STRING, Some(Theory::Strings)),
            _ => return Term::UNKNOWN,
        };
        if let Some(theory) = theory
            && !self.available.has(theory)
        {
            self.use_theories(Theories::of(&[theory]), cursor.text, cursor.place, "this literal");
        }
        let text = self.symbols.intern(text);
        self.terms.make(Head::Literal(kind, text), &[], sort, Shape::CONSTANT, cursor.place as u32)
    }

    /// A name that stands alone.
    pub(crate) fn atom(&mut self, cursor: &Cursor<'_>, name: Symbol) -> Term {
        let place = cursor.place;
        match self.meaning(name) {
            Meaning::Variable(variable) => self.terms.variable(variable, place as u32),
            Meaning::Function(function) => {
                let info = &self.functions[function.0 as usize];
                if info.parameters.is_empty() && info.overloaded.is_none() && !self.sorts.is_open(info.result) {
                    let (sort, shape) = (info.result, info.shape);
                    return self.terms.make(Head::Function(function), &[], sort, shape, place as u32);
                }
                self.apply(cursor, Callee::Function(function), None, name, &[], self.work.values.len(), place)
            }
            Meaning::Theory(group) => {
                self.apply(cursor, Callee::Theory(group), None, name, &[], self.work.values.len(), place)
            }
            Meaning::Free => self.unknown_name(cursor, place, name, "there is nothing called"),
        }
    }

    /// Reports a name without meaning, once.
    pub(crate) fn unknown_name(&mut self, cursor: &Cursor<'_>, place: usize, name: Symbol, what: &str) -> Term {
        let message = format!("{what} '{}'", self.text_of(name));
        let help = if self.sort_meaning(name) == super::SortMeaning::Free {
            self.similar_name(name)
        } else {
            Some("it is the name of a sort, and a term is needed".to_owned())
        };
        self.report_with(cursor.text, place, Code::UnknownName, message, help);
        let function = self.add_function(FunctionInfo {
            name,
            parameters: [].into(),
            result: Sort::UNKNOWN,
            kind: FunctionKind::Unknown,
            overloaded: None,
            shape: Shape::VARIABLE,
        });
        self.declare(name, function);
        Term::UNKNOWN
    }

    fn frame(&mut self, callee: Callee, said: Option<Sort>, name: Symbol, indices: usize, place: usize) {
        let base = self.work.values.len() as u32;
        let indices = indices as u32;
        self.work.frames.push(Frame::Apply { callee, said, name, indices, base, place: place as u32 });
    }

    /// After an opening parenthesis. Gives a term if what it opens is an identifier that stands for one.
    fn open(&mut self, cursor: &mut Cursor<'_>) -> Outcome<Option<Term>> {
        let place = cursor.place;
        match self.next(cursor)? {
            Token::Symbol(b"let") => {
                self.expect_open(cursor, "the bindings of let")?;
                let (base, names) = (self.work.values.len() as u32, self.work.names.len() as u32);
                self.work.frames.push(Frame::Values { base, names, place: place as u32 });
                self.binding(cursor, true)?;
                Ok(None)
            }
            Token::Symbol(word @ (b"forall" | b"exists")) => {
                let kind = if word == b"forall" { BinderKind::Forall } else { BinderKind::Exists };
                if !self.in_recursion {
                    self.use_quantifier(cursor.text, place);
                }
                self.quantifier(cursor, kind, place)
            }
            Token::Symbol(word @ (b"lambda" | b"choice")) if self.is_binder(cursor, word)? => {
                if word == b"choice" && self.rules.strict {
                    self.report(cursor.text, place, Code::Extension, "'choice' is not in the standard");
                }
                if word == b"lambda" {
                    self.use_maps(cursor, place, "lambda");
                }
                self.quantifier(cursor, if word == b"lambda" { BinderKind::Lambda } else { BinderKind::Choice }, place)
            }
            Token::Symbol(b"match") => {
                self.work.frames.push(Frame::Scrutinee { place: place as u32 });
                Ok(None)
            }
            Token::Symbol(b"!") => {
                self.work.frames.push(Frame::Annotated { place: place as u32 });
                Ok(None)
            }
            Token::Symbol(b"_") => self.after_underscore(cursor, place, false),
            Token::Symbol(b"as") => {
                let (callee, name, indices, said) = self.qualified(cursor)?;
                let term = self.lone(cursor, callee, said, name, indices, place);
                Ok(Some(term))
            }
            Token::Symbol(word) if is_reserved(word) => {
                let message =
                    format!("expected a function, found the reserved word '{}'", String::from_utf8_lossy(word));
                self.report(cursor.text, cursor.place, Code::Reserved, message);
                Err(Stop)
            }
            Token::Symbol(name) | Token::Quoted(name) => {
                let name = self.symbols.intern(name);
                let at = cursor.place;
                let indices = self.work.indices.len();
                match self.meaning(name) {
                    Meaning::Theory(group) => self.frame(Callee::Theory(group), None, name, indices, place),
                    Meaning::Function(function) => self.frame(Callee::Function(function), None, name, indices, place),
                    Meaning::Variable(_) => {
                        self.work.last = at as u32;
                        let map = self.atom(cursor, name);
                        self.frame(Callee::Map, None, name, indices, place);
                        self.work.push(map);
                    }
                    Meaning::Free => {
                        if let Some(constructor) = self.old_tester(name) {
                            self.frame(Callee::Tester(constructor), None, name, indices, place);
                        } else {
                            self.unknown_name(cursor, at, name, "there is no function called");
                            self.frame(Callee::Unknown, None, name, indices, place);
                        }
                    }
                }
                Ok(None)
            }
            Token::Open => {
                let inner = cursor.place;
                match self.next(cursor)? {
                    Token::Symbol(b"_") => self.after_underscore(cursor, inner, true),
                    Token::Symbol(b"as") => {
                        let (callee, name, indices, said) = self.qualified(cursor)?;
                        self.frame(callee, said, name, indices, place);
                        Ok(None)
                    }
                    Token::Symbol(b"lambda") if self.available.has(Theory::Maps) => {
                        self.frame(Callee::Map, None, Symbol(0), self.work.indices.len(), place);
                        self.use_maps(cursor, inner, "lambda");
                        self.quantifier(cursor, BinderKind::Lambda, inner)
                    }
                    other => self.unexpected(cursor, other, "_ or as after (("),
                }
            }
            Token::Close => {
                self.report(cursor.text, place, Code::Unexpected, "expected a term, found ()");
                Err(Stop)
            }
            other => self.unexpected(cursor, other, "a function"),
        }
    }

    /// `lambda` and `choice` are binders if a list of variables follows and they have no other meaning.
    fn is_binder(&mut self, cursor: &mut Cursor<'_>, word: &[u8]) -> Outcome<bool> {
        let name = self.symbols.intern(word);
        Ok(self.meaning(name) == Meaning::Free && self.peek(cursor)? == Token::Open)
    }

    fn use_maps(&mut self, cursor: &Cursor<'_>, place: usize, what: &str) {
        self.use_theories(Theories::of(&[Theory::Maps]), cursor.text, place, what);
    }

    fn quantifier(&mut self, cursor: &mut Cursor<'_>, kind: BinderKind, place: usize) -> Outcome<Option<Term>> {
        let scope = self.work.scope.len() as u32;
        self.peek(cursor)?;
        let binder = self.read_variables(cursor, false)?;
        if self.terms.variables(binder).len() == 0 {
            self.report(cursor.text, cursor.place, Code::Unexpected, "expected at least one variable, found none");
        }
        let base = self.work.values.len() as u32;
        self.work.frames.push(Frame::Body { binder, kind, base, scope, place: place as u32 });
        Ok(None)
    }

    /// The next binding of a `let`, up to its value; or the body.
    fn binding(&mut self, cursor: &mut Cursor<'_>, first: bool) -> Outcome<()> {
        if self.at_close(cursor)? {
            let Some(Frame::Values { base, names, place }) = self.work.frames.pop() else { return Err(Stop) };
            if first {
                self.report(cursor.text, cursor.place, Code::Unexpected, "expected at least one binding, found none");
            }
            let values = &self.work.values[base as usize..];
            let variables = self.work.names[names as usize..].iter().zip(values);
            let variables: Vec<_> = variables
                .map(|((name, _), value)| (*name, self.terms.sort(*value), self.terms.shape(*value)))
                .collect();
            let binder = self.terms.bind(variables);
            let places: Vec<_> = self.work.names.drain(names as usize..).map(|name| name.1).collect();
            let scope = self.work.scope.len() as u32;
            self.enter_scope(cursor, binder, &places, self.rules.strict);
            self.work.frames.push(Frame::Body { binder, kind: BinderKind::Let, base, scope, place });
            return Ok(());
        }
        self.expect_open(cursor, "a binding")?;
        let name = self.expect_name(cursor, "the name of a variable")?;
        let place = cursor.place;
        let name = self.symbols.intern(name);
        self.work.names.push((name, place));
        Ok(())
    }

    /// Puts a term where it belongs. Gives it back if nothing is open.
    fn deliver(&mut self, cursor: &mut Cursor<'_>, mut term: Term, bottom: usize) -> Outcome<Option<Term>> {
        loop {
            if self.work.frames.len() == bottom {
                return Ok(Some(term));
            }
            let Some(frame) = self.work.frames.last() else { return Err(Stop) };
            match *frame {
                Frame::Apply { .. } => {
                    self.work.push(term);
                    return Ok(None);
                }
                Frame::Values { .. } => {
                    self.work.push(term);
                    self.expect_close(cursor, "the value of a binding")?;
                    self.binding(cursor, false)?;
                    return Ok(None);
                }
                Frame::Body { binder, kind, base, scope, place } => {
                    self.expect_close(cursor, "the body of a binder")?;
                    self.work.frames.pop();
                    self.leave_scope(scope as usize);
                    term = self.bound(cursor, binder, kind, base as usize, term, place);
                    self.work.last = place;
                }
                Frame::Scrutinee { place } => {
                    self.work.frames.pop();
                    let base = self.work.values.len() as u32;
                    self.work.push(term);
                    let is_datatype = self.constructors_of(self.terms.sort(term)).is_some();
                    if !is_datatype && self.terms.sort(term) != Sort::UNKNOWN {
                        let message =
                            format!("match looks at datatypes, and {} is none", self.shown(self.terms.sort(term)));
                        self.report(cursor.text, self.work.last as usize, Code::WrongSort, message);
                    }
                    let complete = !is_datatype;
                    let scope = self.work.scope.len() as u32;
                    let matching = Matching { place, base, scope, cases: vec![], complete, sort: None };
                    self.expect_open(cursor, "the cases of match")?;
                    self.case(cursor, Box::new(matching))?;
                    return Ok(None);
                }
                Frame::Result(_) => {
                    let Some(Frame::Result(mut matching)) = self.work.frames.pop() else { return Err(Stop) };
                    self.expect_close(cursor, "a case")?;
                    self.leave_scope(matching.scope as usize);
                    let sort = self.terms.sort(term);
                    match matching.sort {
                        Some(wanted) => self.check_sort(cursor, term, wanted, "the result of this case"),
                        None => matching.sort = Some(sort),
                    }
                    self.work.push(term);
                    if !self.at_close(cursor)? {
                        self.case(cursor, matching)?;
                        return Ok(None);
                    }
                    self.expect_close(cursor, "the cases of match")?;
                    self.work.last = matching.place;
                    term = self.matched(cursor, *matching);
                }
                Frame::Annotated { place } => {
                    self.work.frames.pop();
                    let base = self.work.values.len() as u32;
                    self.work.push(term);
                    let annotation = Annotation { place, base, attributes: vec![], keyword: Symbol(0), count: 0 };
                    if !matches!(self.peek(cursor)?, Token::Keyword(_)) {
                        let found = self.next(cursor)?;
                        return self.unexpected(cursor, found, "an attribute");
                    }
                    match self.attributes(cursor, Box::new(annotation))? {
                        Some(annotated) => term = annotated,
                        None => return Ok(None),
                    }
                }
                Frame::Pattern(_) => {
                    let Some(Frame::Pattern(mut annotation)) = self.work.frames.pop() else { return Err(Stop) };
                    self.work.push(term);
                    annotation.count += 1;
                    if !self.at_close(cursor)? {
                        self.work.frames.push(Frame::Pattern(annotation));
                        return Ok(None);
                    }
                    let Annotation { keyword, count, .. } = *annotation;
                    annotation.attributes.push(Attribute::Terms(keyword, count));
                    match self.attributes(cursor, annotation)? {
                        Some(annotated) => term = annotated,
                        None => return Ok(None),
                    }
                }
            }
        }
    }

    fn bound(
        &mut self,
        cursor: &Cursor<'_>,
        binder: Binder,
        kind: BinderKind,
        base: usize,
        body: Term,
        place: u32,
    ) -> Term {
        let sort = self.terms.sort(body);
        let (head, sort) = match kind {
            BinderKind::Let => (Head::Let(binder), sort),
            BinderKind::Forall | BinderKind::Exists => {
                self.check_sort(cursor, body, Sort::BOOL, "the body of a quantifier");
                let head = if matches!(kind, BinderKind::Forall) { Head::Forall } else { Head::Exists };
                (head(binder), Sort::BOOL)
            }
            BinderKind::Lambda => {
                let mut sorts: Vec<_> =
                    self.terms.variables(binder).map(|variable| self.terms.variable_sort(variable)).collect();
                sorts.push(sort);
                (Head::Lambda(binder), self.arrow(&sorts))
            }
            BinderKind::Choice => {
                self.check_sort(cursor, body, Sort::BOOL, "the body of choice");
                let first = self.terms.variables(binder).next();
                (Head::Choice(binder), first.map_or(Sort::UNKNOWN, |variable| self.terms.variable_sort(variable)))
            }
        };
        let shape = if matches!(kind, BinderKind::Let) { self.terms.shape(body) } else { Shape::VARIABLE };
        self.work.push(body);
        let term = self.terms.make(head, &self.work.values[base..], sort, shape, place);
        self.work.truncate(base);
        term
    }

    /// The pattern of the next case.
    fn case(&mut self, cursor: &mut Cursor<'_>, mut matching: Box<Matching>) -> Outcome<()> {
        self.expect_open(cursor, "a case")?;
        let scrutinee = self.terms.sort(self.work.values[matching.base as usize]);
        let mut names = vec![];
        let mut in_parentheses = false;
        let head = match self.next(cursor)? {
            Token::Open => {
                in_parentheses = true;
                let head = self.expect_name(cursor, "a constructor")?;
                let head = self.symbols.intern(head);
                let place = cursor.place;
                while !self.at_close(cursor)? {
                    let name = self.pattern_variable(cursor)?;
                    names.push((name, cursor.place));
                }
                cursor.place = place;
                head
            }
            Token::Symbol(b"_") => {
                self.check_wildcard(cursor)?;
                self.symbols.intern(WILDCARD)
            }
            Token::Symbol(b"lambda") if self.rules.strict => {
                self.report(
                    cursor.text,
                    cursor.place,
                    Code::Reserved,
                    "expected a pattern, found the reserved word 'lambda'",
                );
                return Err(Stop);
            }
            Token::Quoted(name) => self.symbols.intern(name),
            Token::Symbol(name) if !is_reserved(name) => self.symbols.intern(name),
            other => return self.unexpected(cursor, other, "a pattern"),
        };
        let place = cursor.place;
        let mut unique: Vec<_> =
            names.iter().map(|name| name.0).filter(|name| self.symbols.text(*name) != WILDCARD).collect();
        unique.sort_unstable();
        if unique.windows(2).any(|pair| pair[0] == pair[1]) {
            self.report(cursor.text, place, Code::Twice, "a variable is there twice in this pattern");
        }
        let constructor = match self.meaning(head) {
            Meaning::Function(function) => {
                let function = self.choose_for(function, scrutinee, true);
                matches!(self.function(function).kind, FunctionKind::Constructor(_)).then_some(function)
            }
            _ => None,
        };
        let case = match constructor {
            Some(constructor) => {
                let FunctionInfo { parameters, result, .. } = self.function(constructor).clone();
                let mut bound = Bindings::default();
                if !self.sorts.unify(result, scrutinee, &mut bound) {
                    let message = format!("'{}' is no constructor of {}", self.text_of(head), self.shown(scrutinee));
                    self.report(cursor.text, place, Code::Pattern, message);
                }
                if parameters.len() != names.len() {
                    let message = format!(
                        "the constructor '{}' has {} arguments, and the pattern has {}",
                        self.text_of(head),
                        parameters.len(),
                        names.len()
                    );
                    self.report(cursor.text, place, Code::Pattern, message);
                }
                let padded = parameters.iter().copied().chain(std::iter::repeat(Sort::UNKNOWN));
                let sorts: Vec<_> = padded.take(names.len()).collect();
                let mut variables = vec![];
                for ((name, _), sort) in names.iter().zip(sorts) {
                    variables.push((*name, self.sorts.substitute(sort, &bound), Shape::VARIABLE));
                }
                Case { constructor: Some(constructor), binder: self.terms.bind(variables) }
            }
            None if in_parentheses => {
                let message = format!("there is no constructor '{}'", self.text_of(head));
                let help = self.similar_name(head);
                self.report_with(cursor.text, place, Code::Pattern, message, help);
                let variables = names.iter().map(|name| (name.0, Sort::UNKNOWN, Shape::VARIABLE)).collect::<Vec<_>>();
                matching.complete = true;
                Case { constructor: None, binder: self.terms.bind(variables) }
            }
            None => {
                matching.complete = true;
                names.push((head, place));
                Case { constructor: None, binder: self.terms.bind([(head, scrutinee, Shape::VARIABLE)]) }
            }
        };
        let places: Vec<_> = names.iter().map(|name| name.1).collect();
        self.enter_scope(cursor, case.binder, &places, false);
        matching.cases.push(case);
        self.work.frames.push(Frame::Result(matching));
        Ok(())
    }

    fn pattern_variable(&mut self, cursor: &mut Cursor<'_>) -> Outcome<Symbol> {
        if self.peek(cursor)? == Token::Symbol(b"_") {
            self.next(cursor)?;
            self.check_wildcard(cursor)?;
            return Ok(self.symbols.intern(WILDCARD));
        }
        let name = self.expect_name(cursor, "a variable")?;
        if self.rules.strict && name == b"lambda" {
            self.report(
                cursor.text,
                cursor.place,
                Code::Reserved,
                "expected a variable, found the reserved word 'lambda'",
            );
        }
        Ok(self.symbols.intern(name))
    }

    /// `_` is a pattern since version 2.7.
    fn check_wildcard(&mut self, cursor: &Cursor<'_>) -> Outcome<()> {
        if self.version >= Some((2, 7)) {
            return Ok(());
        }
        let message = "expected a pattern, found the reserved word '_'";
        let help = Some("it is a pattern since version 2.7: say (set-info :smt-lib-version 2.7)".to_owned());
        self.report_with(cursor.text, cursor.place, Code::Reserved, message, help);
        Err(Stop)
    }

    fn matched(&mut self, cursor: &Cursor<'_>, matching: Matching) -> Term {
        let base = matching.base as usize;
        if !matching.complete {
            let covered: FxHashSet<_> = matching.cases.iter().filter_map(|case| case.constructor).collect();
            let all = self.constructors_of(self.terms.sort(self.work.values[base])).unwrap_or_default();
            let left = all.iter().filter(|constructor| !covered.contains(constructor)).take(5);
            let names: Vec<_> = left.map(|function| self.text_of(self.function(*function).name)).collect();
            if !names.is_empty() {
                let message = format!("no case is for {}", names.join(", "));
                self.report(cursor.text, matching.place as usize, Code::Cases, message);
            }
        }
        let sort = matching.sort.unwrap_or(Sort::UNKNOWN);
        let cases = self.terms.add_cases(matching.cases);
        let values = &self.work.values[base..];
        let term = self.terms.make(Head::Match(cases), values, sort, Shape::VARIABLE, matching.place);
        self.work.truncate(base);
        term
    }

    /// Attributes up to the closing parenthesis; nothing if the terms of a pattern come first.
    fn attributes(&mut self, cursor: &mut Cursor<'_>, mut annotation: Box<Annotation>) -> Outcome<Option<Term>> {
        loop {
            match self.next(cursor)? {
                Token::Close => break,
                Token::Keyword(b":pattern") => {
                    annotation.keyword = self.symbols.intern(b":pattern");
                    annotation.count = 0;
                    self.expect_open(cursor, "the terms of a pattern")?;
                    if self.peek(cursor)? == Token::Close {
                        let found = self.next(cursor)?;
                        return self.unexpected(cursor, found, "a term");
                    }
                    self.work.frames.push(Frame::Pattern(annotation));
                    return Ok(None);
                }
                Token::Keyword(b":named") => {
                    let name = self.expect_name(cursor, "a name for the term")?;
                    let name = self.symbols.intern(name);
                    self.name_term(cursor, self.work.values[annotation.base as usize], name);
                    annotation.attributes.push(Attribute::Named(name));
                }
                Token::Keyword(key) => {
                    let key = self.symbols.intern(key);
                    let value = match self.peek(cursor)? {
                        Token::Keyword(_) | Token::Close => None,
                        _ => {
                            self.next(cursor)?;
                            let from = cursor.place;
                            let open = cursor.text[from] == b'(';
                            if open {
                                self.skip_rest(cursor)?;
                            }
                            Some(cursor.since(from).into())
                        }
                    };
                    annotation.attributes.push(Attribute::Other(key, value));
                }
                other => return self.unexpected(cursor, other, "an attribute or )"),
            }
        }
        let base = annotation.base as usize;
        let about = self.work.values[base];
        let (sort, shape) = (self.terms.sort(about), self.terms.shape(about));
        let attributes = self.terms.add_attributes(annotation.attributes);
        let term =
            self.terms.make(Head::Annotated(attributes), &self.work.values[base..], sort, shape, annotation.place);
        self.work.truncate(base);
        self.work.last = annotation.place;
        Ok(Some(term))
    }

    fn name_term(&mut self, cursor: &Cursor<'_>, term: Term, name: Symbol) {
        if !self.terms.is_closed(term) {
            let message = format!("the term that is named '{}' has free variables", self.text_of(name));
            self.report(cursor.text, cursor.place, Code::OpenNamed, message);
        }
        if matches!(self.meaning(name), Meaning::Variable(_)) {
            let message = format!("'{}' is a bound variable here", self.text_of(name));
            self.report(cursor.text, cursor.place, Code::Taken, message);
        } else if self.check_free(cursor, cursor.place, name) {
            let (result, shape) = (self.terms.sort(term), self.terms.shape(term));
            let function = self.add_function(FunctionInfo {
                name,
                parameters: [].into(),
                result,
                kind: FunctionKind::Named,
                overloaded: None,
                shape,
            });
            self.declare(name, function);
        }
    }

    /// After `(_`: an indexed identifier, or the application of a map. `head` if arguments follow behind it.
    fn after_underscore(&mut self, cursor: &mut Cursor<'_>, place: usize, head: bool) -> Outcome<Option<Term>> {
        let name = match self.next(cursor)? {
            // What opens here is the map; it is read like any other term, and lands on the stack as the first value.
            Token::Open if !head && self.available.has(Theory::Maps) => {
                self.frame(Callee::Map, None, Symbol(0), self.work.indices.len(), place);
                cursor.unread_open();
                return Ok(None);
            }
            Token::Symbol(name) if !is_reserved(name) => name,
            Token::Quoted(name) => name,
            other => return self.unexpected(cursor, other, "the name of an indexed identifier"),
        };
        let name = self.symbols.intern(name);
        let is_map = match self.meaning(name) {
            Meaning::Variable(_) => true,
            Meaning::Function(function) => self.function(function).kind != FunctionKind::Unknown,
            _ => false,
        };
        if !head && is_map && !is_indexed(self.symbols.text(name)) && self.available.has(Theory::Maps) {
            self.use_maps(cursor, place, "the application of a map");
            let map = self.map_value(cursor, name);
            self.frame(Callee::Map, None, name, self.work.indices.len(), place);
            self.work.push(map);
            return Ok(None);
        }
        let indices = self.work.indices.len();
        let (callee, term) = self.indices(cursor, name, place)?;
        if head {
            if let Some(term) = term {
                // A literal is no function.
                self.frame(Callee::Map, None, name, indices, place);
                self.work.push(term);
            } else {
                self.frame(callee, None, name, indices, place);
            }
            return Ok(None);
        }
        if term.is_some() {
            self.work.indices.truncate(indices);
            return Ok(term);
        }
        Ok(Some(self.lone(cursor, callee, None, name, indices, place)))
    }

    /// An identifier that stands alone, without arguments.
    fn lone(
        &mut self,
        cursor: &Cursor<'_>,
        callee: Callee,
        said: Option<Sort>,
        name: Symbol,
        indices: usize,
        place: usize,
    ) -> Term {
        let values = self.work.indices.split_off(indices);
        self.work.last = place as u32;
        self.apply(cursor, callee, said, name, &values, self.work.values.len(), place)
    }

    /// The indices of an identifier, up to its closing parenthesis. Numbers are put on the stack of indices.
    fn indices(&mut self, cursor: &mut Cursor<'_>, name: Symbol, place: usize) -> Outcome<(Callee, Option<Term>)> {
        let text = self.symbols.text(name).to_vec();
        match (&text[..], self.meaning(name)) {
            (b"is" | b"update", _) => {
                let what = if text == b"is" { "a constructor" } else { "a selector" };
                let inner = match self.peek(cursor)? {
                    // Some write the whole signature: (_ is (cons (Int (List Int)) (List Int))).
                    Token::Open if !self.rules.strict => {
                        self.next(cursor)?;
                        let inner = self.expect_name(cursor, what)?;
                        let place = cursor.place;
                        self.skip_rest(cursor)?;
                        cursor.place = place;
                        inner
                    }
                    _ => self.expect_name(cursor, what)?,
                };
                let inner = self.symbols.intern(inner);
                let at = cursor.place;
                self.expect_close(cursor, what)?;
                let tester = text == b"is";
                let found = match self.meaning(inner) {
                    Meaning::Function(function) => {
                        let mut all = self.overloads(function);
                        all.find(|function| is_part(&self.function(*function).kind, tester))
                    }
                    _ => None,
                };
                let unknown = matches!(self.meaning(inner), Meaning::Function(function)
                    if self.function(function).kind == FunctionKind::Unknown);
                return Ok(match found {
                    Some(function) if tester => (Callee::Tester(function), None),
                    Some(function) => (Callee::Updater(function), None),
                    None if unknown => (Callee::Unknown, None),
                    None if self.meaning(inner) == Meaning::Free => {
                        self.unknown_name(cursor, at, inner, &format!("there is no {}", &what[2..]));
                        (Callee::Unknown, None)
                    }
                    _ => {
                        let message = format!("'{}' is not {what}", self.text_of(inner));
                        self.report(cursor.text, at, Code::UnknownName, message);
                        (Callee::Unknown, None)
                    }
                });
            }
            (b"char", _) if self.available.has(Theory::Strings) => {
                let Token::Hexadecimal(digits) = self.next(cursor)? else {
                    self.report(cursor.text, cursor.place, Code::Unexpected, "expected a hexadecimal literal");
                    return Err(Stop);
                };
                let significant = digits.iter().position(|digit| *digit != b'0').map_or(&b"0"[..], |at| &digits[at..]);
                if significant.len() > 5 || significant.len() == 5 && significant[0] > b'2' {
                    self.report(cursor.text, cursor.place, Code::IndexRange, "the last character is #x2FFFF");
                }
                self.expect_close(cursor, "the character")?;
                let digits = self.symbols.intern(digits);
                let head = Head::Literal(Literal::Character, digits);
                let term = self.terms.make(head, &[], Sort::STRING, Shape::CONSTANT, place as u32);
                return Ok((Callee::Unknown, Some(term)));
            }
            (b"emp", Meaning::Theory(_)) if self.available.has(Theory::Separation) => {
                let location = self.read_sort(cursor)?;
                let data = self.read_sort(cursor)?;
                self.expect_close(cursor, "the sorts of emp")?;
                self.use_theories(Theories::of(&[Theory::Separation]), cursor.text, place, "heaps");
                self.check_heap_pair(cursor, place, "emp", (location, data));
                return Ok((Callee::Emp, None));
            }
            _ => {}
        }
        let literal = text.strip_prefix(b"bv").filter(|_| is_indexed(&text));
        let start = self.work.indices.len();
        while !self.at_close(cursor)? {
            let index = self.expect_number(cursor, "a number as index")?;
            self.work.indices.push(index);
        }
        if self.work.indices.len() == start {
            self.report(cursor.text, place, Code::IndexCount, "an indexed identifier has at least one index");
            return Ok((Callee::Unknown, None));
        }
        if let Some(digits) = literal {
            return Ok((Callee::Unknown, Some(self.bit_vector(cursor, digits, start, place))));
        }
        Ok((self.indexed_callee(cursor, name, place), None))
    }

    fn indexed_callee(&mut self, cursor: &Cursor<'_>, name: Symbol, place: usize) -> Callee {
        match self.meaning(name) {
            Meaning::Theory(group) => Callee::Theory(group),
            Meaning::Function(function) if self.function(function).kind == FunctionKind::Unknown => Callee::Unknown,
            Meaning::Free => {
                self.unknown_name(cursor, place, name, "there is no indexed identifier");
                Callee::Unknown
            }
            _ => {
                let message = format!("'{}' takes no indices", self.text_of(name));
                self.report(cursor.text, place, Code::IndexCount, message);
                Callee::Unknown
            }
        }
    }

    /// `(_ bv5 8)`
    fn bit_vector(&mut self, cursor: &Cursor<'_>, digits: &[u8], start: usize, place: usize) -> Term {
        let indices: Vec<u64> = self.work.indices.drain(start..).collect();
        if !self.available.has(Theory::BitVectors) {
            self.use_theories(Theories::of(&[Theory::BitVectors]), cursor.text, place, "this literal");
        }
        let [width] = indices[..] else {
            self.report(cursor.text, place, Code::IndexCount, "a bit-vector literal has one index, its width");
            return Term::UNKNOWN;
        };
        if width == 0 {
            self.report(cursor.text, place, Code::IndexRange, "a bit-vector has at least one bit");
            return Term::UNKNOWN;
        }
        if self.rules.strict && width < 64 {
            let value: Option<u64> = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
            if value.is_none_or(|value| value >> width != 0) {
                let message = format!("this number does not fit into {width} bits");
                self.report(cursor.text, place, Code::IndexRange, message);
            }
        }
        let digits = self.symbols.intern(digits);
        let sort = self.sorts.bit_vector(width);
        self.terms.make(Head::Literal(Literal::BitVector, digits), &[], sort, Shape::CONSTANT, place as u32)
    }

    /// After `(as`: an identifier and the sort of its result.
    fn qualified(&mut self, cursor: &mut Cursor<'_>) -> Outcome<(Callee, Symbol, usize, Option<Sort>)> {
        let indices = self.work.indices.len();
        let (callee, name) = match self.next(cursor)? {
            Token::Open => {
                let inner = cursor.place;
                match self.next(cursor)? {
                    Token::Symbol(b"_") => {}
                    other => return self.unexpected(cursor, other, "_ after (as ("),
                }
                let name = self.expect_name(cursor, "the name of an indexed identifier")?;
                let name = self.symbols.intern(name);
                let (callee, literal) = self.indices(cursor, name, inner)?;
                if literal.is_some() {
                    self.report(cursor.text, inner, Code::Qualifier, "a literal has one sort, which needs no 'as'");
                }
                (callee, name)
            }
            Token::Symbol(word) if is_reserved(word) => {
                let message =
                    format!("expected an identifier, found the reserved word '{}'", String::from_utf8_lossy(word));
                self.report(cursor.text, cursor.place, Code::Reserved, message);
                return Err(Stop);
            }
            Token::Symbol(name) | Token::Quoted(name) => {
                let name = self.symbols.intern(name);
                let callee = match self.meaning(name) {
                    Meaning::Theory(group) => Callee::Theory(group),
                    Meaning::Function(function) => Callee::Function(function),
                    Meaning::Variable(_) => {
                        let message = format!("'{}' is a variable, which has one sort", self.text_of(name));
                        self.report(cursor.text, cursor.place, Code::Qualifier, message);
                        Callee::Unknown
                    }
                    Meaning::Free => {
                        self.unknown_name(cursor, cursor.place, name, "there is nothing called");
                        Callee::Unknown
                    }
                };
                (callee, name)
            }
            other => return self.unexpected(cursor, other, "an identifier"),
        };
        let said = self.read_sort(cursor)?;
        self.expect_close(cursor, "the sort")?;
        Ok((callee, name, indices, Some(said)))
    }

    /// The closing parenthesis of an application.
    fn close(&mut self, cursor: &mut Cursor<'_>) -> Outcome<Term> {
        match self.work.frames.pop() {
            Some(Frame::Apply { callee, said, name, indices, base, place }) => {
                let first = base as usize + usize::from(matches!(callee, Callee::Map));
                if self.work.values.len() == first {
                    self.report(cursor.text, cursor.place, Code::Unexpected, "expected an argument, found )");
                    return Err(Stop);
                }
                let values = if self.work.indices.len() > indices as usize {
                    self.work.indices.split_off(indices as usize)
                } else {
                    vec![]
                };
                let term = self.apply(cursor, callee, said, name, &values, base as usize, place as usize);
                self.work.truncate(base as usize);
                self.work.last = place;
                Ok(term)
            }
            Some(_) | None => self.unexpected(cursor, Token::Close, "a term"),
        }
    }

    /// `is-cons`, as testers were written before version 2.6.
    fn old_tester(&mut self, name: Symbol) -> Option<Function> {
        if self.rules.strict {
            return None;
        }
        let constructor = self.symbols.find(self.symbols.text(name).strip_prefix(b"is-")?)?;
        match self.meaning(constructor) {
            Meaning::Function(function) if matches!(self.function(function).kind, FunctionKind::Constructor(_)) => {
                Some(function)
            }
            _ => None,
        }
    }

    /// A function as a value, for maps.
    fn map_value(&mut self, cursor: &Cursor<'_>, name: Symbol) -> Term {
        match self.meaning(name) {
            Meaning::Function(function) => self.function_value(function, cursor.place),
            _ => self.atom(cursor, name),
        }
    }

    fn function_value(&mut self, function: Function, place: usize) -> Term {
        let info = &self.functions[function.0 as usize];
        let sorts = [&info.parameters[..], &[info.result]].concat();
        let sort = self.arrow(&sorts);
        self.terms.make(Head::Function(function), &[], sort, Shape::VARIABLE, place as u32)
    }

    /// The application of an identifier to the values from `base` on.
    #[allow(clippy::too_many_arguments, reason = "it is called from three places, and a struct would say no more")]
    pub(crate) fn apply(
        &mut self,
        cursor: &Cursor<'_>,
        callee: Callee,
        said: Option<Sort>,
        name: Symbol,
        indices: &[u64],
        base: usize,
        place: usize,
    ) -> Term {
        match callee {
            Callee::Theory(group) => self.apply_theory(cursor, group, said, name, indices, base, place),
            Callee::Function(function) => self.apply_function(cursor, function, said, base, place),
            Callee::Map => self.apply_map(cursor, base, place),
            Callee::Tester(function) | Callee::Updater(function) => {
                self.apply_datatype(cursor, function, matches!(callee, Callee::Tester(_)), base, place)
            }
            Callee::Unknown => Term::UNKNOWN,
            Callee::Emp => {
                if self.work.values.len() > base {
                    self.report(cursor.text, place, Code::Arity, "emp takes no arguments");
                }
                let rows = self.symbols.find(b"emp").map_or(&[][..], |emp| Signatures::get().rows_of(emp.0));
                let row = rows.first().copied().unwrap_or_default();
                let operator = self.operator_of(row, &[]);
                // The pair is not needed to know what it means: the whole heap is empty.
                self.terms.make(Head::Operator(operator), &[], Sort::BOOL, Shape::VARIABLE, place as u32)
            }
        }
    }

    fn apply_datatype(
        &mut self,
        cursor: &Cursor<'_>,
        function: Function,
        tester: bool,
        base: usize,
        place: usize,
    ) -> Term {
        let function = match self.work.values.get(base) {
            Some(subject) => self.choose_for(function, self.terms.sort(*subject), tester),
            None => function,
        };
        let info = self.function(function).clone();
        let given = self.work.values.len() - base;
        let wanted = if tester { 1 } else { 2 };
        if given != wanted {
            let message =
                format!("a {} takes {wanted} arguments, not {given}", if tester { "tester" } else { "updater" });
            self.report(cursor.text, place, Code::Arity, message);
            return Term::UNKNOWN;
        }
        let subject = self.work.values[base];
        let sort = self.terms.sort(subject);
        let datatype = if tester { info.result } else { info.parameters[0] };
        let mut bound = Bindings::default();
        if !self.sorts.unify(datatype, sort, &mut bound) {
            let message = format!("expected a value of {}, found one of {}", self.shown(datatype), self.shown(sort));
            self.report(cursor.text, self.work.places[base] as usize, Code::Argument, message);
        }
        let (head, sort) = if tester { (Head::Tester(function), Sort::BOOL) } else { (Head::Updater(function), sort) };
        if !tester {
            let field = self.sorts.substitute(info.result, &bound);
            self.check_argument(cursor, base + 1, field, 1, "the updater");
        }
        self.terms.make(head, &self.work.values[base..], sort, Shape::VARIABLE, place as u32)
    }

    fn apply_map(&mut self, cursor: &Cursor<'_>, base: usize, place: usize) -> Term {
        let map = self.work.values[base];
        let sort = self.terms.sort(map);
        if sort == Sort::UNKNOWN {
            return Term::UNKNOWN;
        }
        if self.sorts.constructor(sort) != Constructor::Arrow {
            let message = format!("this is no function: it has sort {}", self.shown(sort));
            self.report(cursor.text, self.work.places[base] as usize, Code::NotFunction, message);
            return Term::UNKNOWN;
        }
        self.use_maps(cursor, place, "the application of a map");
        let given = self.work.values.len() - base - 1;
        let mut result = sort;
        for at in 0..given {
            if self.sorts.constructor(result) != Constructor::Arrow {
                let message = format!("this map takes {at} arguments, not {given}");
                self.report(cursor.text, place, Code::Arity, message);
                return Term::UNKNOWN;
            }
            let (wanted, rest) = (self.sorts.arguments(result)[0], self.sorts.arguments(result)[1]);
            self.check_argument(cursor, base + 1 + at, wanted, at, "the map");
            result = rest;
        }
        self.terms.make(Head::Apply, &self.work.values[base..], result, Shape::VARIABLE, place as u32)
    }

    /// Checks the value at this place of the stack, which is argument `at` of something.
    fn check_argument(&mut self, cursor: &Cursor<'_>, value: usize, wanted: Sort, at: usize, whose: &str) -> bool {
        let sort = self.terms.sort(self.work.values[value]);
        if sort == wanted || sort == Sort::UNKNOWN || wanted == Sort::UNKNOWN {
            return true;
        }
        if sort == Sort::INT && wanted == Sort::REAL && self.may_coerce() {
            return true;
        }
        let message = format!(
            "argument {} of {whose} has sort {}, but {} is needed",
            at + 1,
            self.shown(sort),
            self.shown(wanted)
        );
        self.report(cursor.text, self.work.places[value] as usize, Code::Argument, message);
        false
    }

    fn apply_function(
        &mut self,
        cursor: &Cursor<'_>,
        function: Function,
        said: Option<Sort>,
        base: usize,
        place: usize,
    ) -> Term {
        let function = match self.functions[function.0 as usize].overloaded {
            None => function,
            Some(_) => match self.choose(cursor, function, said, base, place) {
                Some(function) => function,
                None => return Term::UNKNOWN,
            },
        };
        let info = &self.functions[function.0 as usize];
        if info.kind == FunctionKind::Unknown {
            return Term::UNKNOWN;
        }
        let given = self.work.values.len() - base;
        let wanted = info.parameters.len();
        let open = self.sorts.is_open(info.result) || info.parameters.iter().any(|sort| self.sorts.is_open(*sort));
        let (name, shape) = (info.name, info.shape);
        if !open && given == wanted {
            let result = info.result;
            for at in 0..given {
                let argument = self.work.values[base + at];
                let needed = self.functions[function.0 as usize].parameters[at];
                if self.terms.sort(argument) != needed {
                    let whose = format!("'{}'", self.text_of(name));
                    self.check_argument(cursor, base + at, needed, at, &whose);
                }
                self.use_shape(cursor, base + at);
            }
            if let Some(said) = said
                && said != result
                && said != Sort::UNKNOWN
                && result != Sort::UNKNOWN
            {
                let message =
                    format!("'{}' has sort {}, not {}", self.text_of(name), self.shown(result), self.shown(said));
                self.report(cursor.text, place, Code::Qualifier, message);
            }
            let head = if said.is_some() { Head::QualifiedFunction(function) } else { Head::Function(function) };
            let shape = if given == 0 { shape } else { Shape::VARIABLE };
            return self.terms.make(head, &self.work.values[base..], result, shape, place as u32);
        }
        if given != wanted {
            let info = &self.functions[function.0 as usize];
            let maps = self.available.has(Theory::Maps) && (self.logic.is_some() || given > 0);
            let is_map = self.sorts.constructor(info.result) == Constructor::Arrow;
            if !open && maps && (given < wanted || is_map) {
                self.use_maps(cursor, place, "a function as a value");
                let value = self.function_value(function, place);
                if given == 0 {
                    return value;
                }
                self.work.values.insert(base, value);
                self.work.places.insert(base, place as u32);
                return self.apply_map(cursor, base, place);
            }
            let message = match (given, wanted) {
                (_, 0) => format!("'{}' is a constant and takes no arguments", self.text_of(name)),
                (0, _) => format!("the function '{}' needs {wanted} arguments", self.text_of(name)),
                _ => format!("'{}' takes {wanted} arguments, not {given}", self.text_of(name)),
            };
            self.report(cursor.text, place, Code::Arity, message);
            return Term::UNKNOWN;
        }
        self.apply_open(cursor, function, said, base, place)
    }

    /// The one of several functions of a name that fits these arguments; the last one if none does.
    fn choose(
        &mut self,
        cursor: &Cursor<'_>,
        last: Function,
        said: Option<Sort>,
        base: usize,
        place: usize,
    ) -> Option<Function> {
        let given = &self.work.values[base..];
        let fits =
            |function: &Function| {
                let info = self.function(*function);
                let mut bound = Bindings::default();
                info.parameters.len() == given.len()
                    && said.is_none_or(|said| self.sorts.unify(info.result, said, &mut bound))
                    && info.parameters.iter().zip(given).all(|(parameter, argument)| {
                        self.sorts.unify(*parameter, self.terms.sort(*argument), &mut bound)
                    })
            };
        let fitting: Vec<_> = self.overloads(last).filter(fits).take(2).collect();
        match fitting[..] {
            [] => Some(last),
            [only] => Some(only),
            _ => {
                let name = self.text_of(self.function(last).name);
                let message = format!("'{name}' is declared several times, and this can be any of them");
                let help = Some(format!("say which: (as {name} …), where … is the sort of the result"));
                self.report_with(cursor.text, place, Code::Ambiguous, message, help);
                None
            }
        }
    }

    /// The one of several constructors or selectors of a name that belongs to this datatype.
    fn choose_for(&self, last: Function, datatype: Sort, constructor: bool) -> Function {
        let belongs = |function: &Function| {
            let info = self.function(*function);
            if !is_part(&info.kind, constructor) {
                return false;
            }
            let own = if constructor { info.result } else { info.parameters[0] };
            self.sorts.constructor(own) == self.sorts.constructor(datatype)
        };
        self.overloads(last).find(belongs).unwrap_or(last)
    }

    /// A function whose sorts have parameters: what they stand for comes from the arguments, or from `as`.
    fn apply_open(
        &mut self,
        cursor: &Cursor<'_>,
        function: Function,
        said: Option<Sort>,
        base: usize,
        place: usize,
    ) -> Term {
        let FunctionInfo { name, parameters, result, .. } = self.function(function).clone();
        let mut bound = Bindings::default();
        if let Some(said) = said
            && !self.sorts.unify(result, said, &mut bound)
        {
            let message = format!("'{}' gives {}, not {}", self.text_of(name), self.shown(result), self.shown(said));
            self.report(cursor.text, place, Code::Qualifier, message);
            return Term::UNKNOWN;
        }
        for (at, parameter) in parameters.iter().enumerate() {
            let argument = self.work.values[base + at];
            let sort = self.terms.sort(argument);
            if !self.sorts.unify(*parameter, sort, &mut bound) {
                let needed = self.sorts.substitute(*parameter, &bound);
                let whose = format!("'{}'", self.text_of(name));
                if !self.check_argument(cursor, base + at, needed, at, &whose) {
                    return Term::UNKNOWN;
                }
            }
        }
        let result_sort = self.sorts.substitute(result, &bound);
        let is_constructor = matches!(self.function(function).kind, FunctionKind::Constructor(_));
        if self.sorts.is_open(result_sort) && is_constructor && !self.parameters_are_rigid(result_sort) {
            let message =
                format!("the sort of '{}' cannot be known here: {}", self.text_of(name), self.shown(result_sort));
            let help = Some(format!("say it: (as {} …), where … is the sort of the result", self.text_of(name)));
            self.report_with(cursor.text, place, Code::Ambiguous, message, help);
            return Term::UNKNOWN;
        }
        let head = if said.is_some() { Head::QualifiedFunction(function) } else { Head::Function(function) };
        self.terms.make(head, &self.work.values[base..], result_sort, Shape::VARIABLE, place as u32)
    }

    /// Whether all parameters in a sort are in scope, so that they are sorts of their own.
    fn parameters_are_rigid(&self, sort: Sort) -> bool {
        let mut left = vec![sort];
        let mut seen = FxHashSet::default();
        while let Some(sort) = left.pop() {
            match self.sorts.constructor(sort) {
                Constructor::Parameter(name) if self.sort_meaning(name) != super::SortMeaning::Parameter => {
                    return false;
                }
                _ => {
                    let open = self.sorts.arguments(sort).iter().filter(|sort| self.sorts.is_open(**sort));
                    left.extend(open.filter(|sort| seen.insert(**sort)));
                }
            }
        }
        true
    }

    #[allow(clippy::too_many_arguments, reason = "see apply")]
    fn apply_theory(
        &mut self,
        cursor: &Cursor<'_>,
        group: u32,
        said: Option<Sort>,
        name: Symbol,
        indices: &[u64],
        base: usize,
        place: usize,
    ) -> Term {
        let mut sorts = std::mem::take(&mut self.work.sorts);
        sorts.clear();
        sorts.extend(self.work.values[base..].iter().map(|value| self.terms.sort(*value)));
        let term = self.fit_theory(cursor, group, said, name, indices, &mut sorts, base, place);
        self.work.sorts = sorts;
        term
    }

    #[allow(clippy::too_many_arguments, reason = "see apply")]
    fn fit_theory(
        &mut self,
        cursor: &Cursor<'_>,
        group: u32,
        said: Option<Sort>,
        name: Symbol,
        indices: &[u64],
        given: &mut [Sort],
        base: usize,
        place: usize,
    ) -> Term {
        let signatures = Signatures::get();
        let rows = signatures.rows_of(group);
        // A nil that does not say its sort is the one location sort, if there is only one.
        let is_nil = self.separation && given.is_empty() && matches!(self.symbols.text(name), b"nil" | b"sep.nil");
        let said = said.or_else(|| if is_nil { self.only_location() } else { None });
        let single = !self.rules.strict && matches!(self.symbols.text(name), b"and" | b"or" | b"+" | b"*");
        let mut found = None;
        let mut misfit: Option<(u32, Misfit)> = None;
        let mut extension = None;
        for &row in rows {
            let signature = signatures.row(row);
            if !self.available.contains(signature.theories) {
                continue;
            }
            match signature.apply(indices, given, said, single, &mut self.sorts) {
                Ok(_) if signature.extension && self.rules.strict => extension = Some(row),
                Ok(sort) => {
                    found = Some((row, sort));
                    break;
                }
                Err(why) => {
                    // The row that fits best says what is wrong.
                    if misfit.is_none_or(|(_, before)| why.rank() > before.rank()) {
                        misfit = Some((row, why));
                    }
                }
            }
        }
        if found.is_none() && misfit.is_some() && given.contains(&Sort::INT) {
            found = self.coerced(rows, indices, given, single);
        }
        let Some((row, sort)) = found else {
            self.report_misfit(cursor, rows, misfit, extension, name, base, place);
            return Term::UNKNOWN;
        };
        let signature = signatures.row(row);
        if signature.theories != Theories::of(&[Theory::Core]) {
            self.used.theories = self.used.theories.with(signature.theories);
        }
        if signature.theories.has(Theory::Separation) {
            match signature.name {
                "pto" => self.check_heap_pair(cursor, place, "pto", (given[0], given[1])),
                "nil" | "sep.nil" => self.check_nil(cursor, place, sort),
                _ => {}
            }
        }
        let shape = self.calculate(cursor, row, given, base, place);
        let operator = self.operator_of(row, indices);
        let head = if said.is_some() { Head::QualifiedOperator(operator) } else { Head::Operator(operator) };
        self.terms.make(head, &self.work.values[base..], sort, shape, place as u32)
    }

    /// The row that fits if integers count as reals.
    fn coerced(&mut self, rows: &[u32], indices: &[u64], given: &mut [Sort], single: bool) -> Option<(u32, Sort)> {
        let signatures = Signatures::get();
        let mixes = |row: &u32| signatures.row(*row).mixes();
        if !self.may_coerce() || !self.available.has(Theory::Reals) || !rows.iter().any(mixes) {
            return None;
        }
        for sort in given.iter_mut().filter(|sort| **sort == Sort::INT) {
            *sort = Sort::REAL;
        }
        rows.iter().find_map(|&row| {
            let signature = signatures.row(row);
            let allowed = signature.mixes() && self.available.contains(signature.theories);
            let sort = signature.apply(indices, given, None, single, &mut self.sorts).ok()?;
            allowed.then_some((row, sort))
        })
    }

    #[allow(clippy::too_many_arguments, reason = "all of it goes into the message")]
    fn report_misfit(
        &mut self,
        cursor: &Cursor<'_>,
        rows: &[u32],
        misfit: Option<(u32, Misfit)>,
        extension: Option<u32>,
        name: Symbol,
        base: usize,
        place: usize,
    ) {
        let signatures = Signatures::get();
        let shown = self.text_of(name);
        if let Some(row) = extension {
            let message = format!("{} is not in the standard", signatures.row(row).text);
            self.report(cursor.text, place, Code::Extension, message);
            return;
        }
        let Some((row, misfit)) = misfit else {
            let theory = rows.iter().find_map(|row| signatures.row(*row).missing(self.available));
            let theory = theory.unwrap_or(Theory::Core);
            if theory == Theory::Separation {
                self.unknown_name(cursor, place, name, "there is nothing called");
                return;
            }
            let message = format!("the logic {} does not have '{shown}'", self.logic_name());
            let help = Some(format!("it belongs to {}", theory.name()));
            self.report_with(cursor.text, place, Code::OutsideLogic, message, help);
            return;
        };
        let signature = signatures.row(row);
        let several = rows.iter().filter(|row| self.available.contains(signatures.row(**row).theories)).count() > 1;
        let help = if several {
            let all = rows.iter().map(|row| signatures.row(*row));
            let all = all.filter(|row| self.available.contains(row.theories) && !row.extension);
            Some(format!("it is one of {}", all.map(|row| row.text.as_str()).collect::<Vec<_>>().join(", ")))
        } else {
            Some(format!("it is {}", signature.shown()))
        };
        let given = self.work.values.len() - base;
        match misfit {
            Misfit::IndexCount(0) => {
                self.report_with(cursor.text, place, Code::IndexCount, format!("'{shown}' takes no indices"), help);
            }
            Misfit::IndexCount(count) => {
                let message = format!("'{shown}' needs {count} ind{}", if count == 1 { "ex" } else { "ices" });
                self.report_with(cursor.text, place, Code::IndexCount, message, help);
            }
            Misfit::Index => {
                let message = format!("the indices of '{shown}' are out of range");
                self.report_with(cursor.text, place, Code::IndexRange, message, help);
            }
            Misfit::Count(count, more) => {
                let at_least = if more { "at least " } else { "" };
                let message = format!("'{shown}' takes {at_least}{count} arguments, not {given}");
                self.report_with(cursor.text, place, Code::Arity, message, help);
            }
            Misfit::Argument(at) => {
                let argument = self.work.values[base + at];
                let before = (at > 0).then(|| self.shown(self.terms.sort(self.work.values[base + at - 1])));
                let sort = self.shown(self.terms.sort(argument));
                let message = match before {
                    Some(before) => {
                        format!("argument {} of '{shown}' has sort {sort}, which does not fit after {before}", at + 1)
                    }
                    None => format!("argument 1 of '{shown}' has sort {sort}, which does not fit"),
                };
                let mixed = self.terms.sort(argument);
                let mixed = self.rules.strict && matches!(mixed, Sort::INT | Sort::REAL) && signature.mixes();
                let code = if mixed { Code::Coercion } else { Code::Argument };
                self.report_with(cursor.text, self.work.places[base + at] as usize, code, message, help);
            }
            Misfit::Ambiguous => {
                let message = format!("the sort of '{shown}' cannot be known here");
                let help = Some(format!("say it: (as {shown} …), where … is the sort of the result"));
                self.report_with(cursor.text, place, Code::Ambiguous, message, help);
            }
            Misfit::Result => {
                let message = format!("'{shown}' does not give the sort that 'as' says");
                self.report_with(cursor.text, place, Code::Qualifier, message, help);
            }
        }
    }

    /// What a theory term is as a polynomial; reports what the logic's arithmetic does not have.
    fn calculate(&mut self, cursor: &Cursor<'_>, row: u32, given: &[Sort], base: usize, place: usize) -> Shape {
        let values = &self.work.values[base..];
        let shapes = || values.iter().map(|value| self.terms.shape(*value));
        match Signatures::get().row(row).calculation {
            Calculation::Sum => shapes().fold(Shape::CONSTANT, Shape::plus),
            Calculation::Difference => {
                let mut shapes = shapes();
                let first = shapes.next().unwrap_or(Shape::CONSTANT);
                if values.len() == 1 {
                    first.negated()
                } else {
                    shapes.fold(first, |sum, next| sum.plus(next.negated()))
                }
            }
            Calculation::Product => {
                let variables = shapes().filter(|shape| *shape != Shape::CONSTANT).count();
                match variables {
                    0 => Shape::CONSTANT,
                    1 => {
                        self.use_linear(cursor.text, place);
                        Shape::OTHER
                    }
                    _ => {
                        self.use_nonlinear(cursor.text, place, "this multiplies variables");
                        Shape::OTHER
                    }
                }
            }
            Calculation::Quotient => {
                let divisors = &values[1.min(values.len())..];
                let simple = divisors.iter().all(|d| self.terms.shape(*d) == Shape::CONSTANT && !self.is_zero(*d));
                if !simple {
                    self.use_nonlinear(
                        cursor.text,
                        place,
                        "this divides by something that is not a constant, or by zero",
                    );
                    return Shape::OTHER;
                }
                if self.terms.shape(values[0]) == Shape::CONSTANT {
                    return Shape::CONSTANT;
                }
                self.use_linear(cursor.text, place);
                Shape::OTHER
            }
            Calculation::Conversion => self.terms.shape(values[0]),
            Calculation::Power => {
                self.use_nonlinear(cursor.text, place, "this is a power");
                Shape::OTHER
            }
            Calculation::Comparison => {
                if self.used.arithmetic == Arithmetic::Difference
                    && matches!(given.first(), Some(&(Sort::INT | Sort::REAL)))
                {
                    let is_difference = |pair: &[Term]| {
                        self.terms.shape(pair[0]).plus(self.terms.shape(pair[1]).negated()).is_difference()
                    };
                    if !values.windows(2).all(is_difference) {
                        self.use_linear(cursor.text, place);
                    }
                }
                Shape::VARIABLE
            }
            Calculation::Choice => {
                let (then, otherwise) = (self.terms.shape(values[1]), self.terms.shape(values[2]));
                then.or(otherwise)
            }
            Calculation::None => {
                for at in base..self.work.values.len() {
                    self.use_shape(cursor, at);
                }
                Shape::VARIABLE
            }
        }
    }

    /// A number that is an argument of something else than arithmetic must be a variable and a constant at most.
    fn use_shape(&mut self, cursor: &Cursor<'_>, value: usize) {
        let argument = self.work.values[value];
        if self.used.arithmetic == Arithmetic::Difference
            && matches!(self.terms.sort(argument), Sort::INT | Sort::REAL)
            && !self.terms.shape(argument).is_difference()
        {
            self.use_linear(cursor.text, self.work.places[value] as usize);
        }
    }

    fn is_zero(&self, term: Term) -> bool {
        match self.terms.head(term) {
            Head::Literal(_, text) => self.symbols.text(text).iter().all(|digit| matches!(digit, b'0' | b'.')),
            _ => false,
        }
    }
}
