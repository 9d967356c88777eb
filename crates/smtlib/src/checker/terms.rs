//! Reads and checks terms in one pass, with a stack of open parentheses.

use super::cursor::Cursor;
use super::functions::{FunctionInfo, FunctionKind};
use super::matching::Matching;
use super::{Checked, Checker, Meaning, Stop};
use crate::diagnostic::Code;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Attribute, Binder, Function, Head, Literal, Shape, Term};
use crate::theory::{Theories, Theory};
use crate::token::Token;

/// Buffers that are reused for every term, to save allocations.
#[derive(Debug, Default)]
pub(super) struct Workspace {
    pub(super) frames: Vec<Frame>,
    pub(super) values: Vec<Term>,
    /// The offset of each value. It is not part of the term, which is stored once and may occur at many offsets.
    pub(super) places: Vec<u32>,
    /// The offset of the last term that was read.
    pub(super) last: u32,
    pub(super) indices: Vec<u64>,
    pub(super) sorts: Vec<Sort>,
    /// The names and the positions of the bindings of open `let`s.
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

/// The head of an application.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Callee {
    /// A group of theory functions.
    Theory(u32),
    Function(Function),
    Tester(Function),
    Updater(Function),
    /// The first value after `base` is a map.
    Map,
    /// An identifier with an error, which was reported. The application is an unknown term.
    Unknown,
    /// `(_ emp L D)`, whose pair was already checked.
    Emp,
}

/// An open parenthesis.
#[derive(Debug)]
pub(super) enum Frame {
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
    /// The body of a binder.
    Body {
        binder: Binder,
        kind: BinderKind,
        base: u32,
        scope: u32,
        place: u32,
    },
    /// The subject of a `match`.
    Scrutinee {
        place: u32,
    },
    /// The result of a case.
    Result(Box<Matching>),
    /// The term that attributes belong to.
    Annotated {
        place: u32,
    },
    /// The terms of a pattern.
    Pattern(Box<Annotation>),
}

#[derive(Clone, Copy, Debug)]
pub(super) enum BinderKind {
    Let,
    Forall,
    Exists,
    Lambda,
    Choice,
}

#[derive(Debug)]
pub(super) struct Annotation {
    place: u32,
    base: u32,
    attributes: Vec<Attribute>,
    count: u32,
}

impl Checker {
    /// Reads one term.
    pub(super) fn read_term(&mut self, cursor: &mut Cursor<'_>) -> Checked<Term> {
        let bottom = self.work.frames.len();
        loop {
            let token = self.next(cursor)?;
            let term = match token {
                Token::Open => match self.open(cursor)? {
                    Some(term) => term,
                    None => continue,
                },
                Token::Close => self.close(cursor)?,
                Token::Symbol(word) | Token::Quoted(word) => {
                    let name = self.symbols.intern(word);
                    if self.is_reserved_symbol(name) && matches!(token, Token::Symbol(_)) {
                        return self.reserved(cursor, word, "a term");
                    }
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
    pub(super) fn read_formula(&mut self, cursor: &mut Cursor<'_>, what: &str) -> Checked<Term> {
        self.peek(cursor)?;
        let term = self.read_term(cursor)?;
        self.check_sort(cursor, term, Sort::BOOL, what);
        Ok(term)
    }

    /// Reports an error if the last term that was read does not have the required sort.
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

    /// Whether an integer may be used as a real. By the standard, only the logics with both allow it.
    pub(super) fn may_coerce(&self) -> bool {
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

    /// A name without arguments.
    pub(crate) fn atom(&mut self, cursor: &Cursor<'_>, name: Symbol) -> Term {
        let place = cursor.place;
        match self.meaning(name) {
            Meaning::Variable(variable) => self.terms.variable(variable, place as u32),
            Meaning::Function(function) => {
                if let Some(term) = self.terms.known_constant(function) {
                    return term;
                }
                let info = &self.functions[function.0 as usize];
                if info.parameters.is_empty() && info.overloaded.is_none() && !self.sorts.is_open(info.result) {
                    let (sort, shape) = (info.result, info.shape);
                    return self.terms.constant(function, sort, shape, place as u32);
                }
                self.apply(cursor, Callee::Function(function), None, name, &[], self.work.values.len(), place)
            }
            Meaning::Theory(group) => {
                self.apply(cursor, Callee::Theory(group), None, name, &[], self.work.values.len(), place)
            }
            Meaning::Free => self.unknown_name(cursor, place, name, "undeclared name"),
        }
    }

    /// Reports an unknown name, and declares it with the unknown sort so that it is reported only once.
    pub(crate) fn unknown_name(&mut self, cursor: &Cursor<'_>, place: usize, name: Symbol, what: &str) -> Term {
        let message = format!("{what} '{}'", self.text_of(name));
        let help = if self.sort_meaning(name) == super::SortMeaning::Free {
            self.similar_name(name)
        } else {
            Some("it is the name of a sort, but a term is needed".to_owned())
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

    pub(super) fn frame(&mut self, callee: Callee, said: Option<Sort>, name: Symbol, indices: usize, place: usize) {
        let base = self.work.values.len() as u32;
        let indices = indices as u32;
        self.work.frames.push(Frame::Apply { callee, said, name, indices, base, place: place as u32 });
    }

    /// Reads on after an opening parenthesis. Returns a term if the parentheses contain only an identifier, as in
    /// `(_ bv5 8)`; otherwise opens a frame.
    fn open(&mut self, cursor: &mut Cursor<'_>) -> Checked<Option<Term>> {
        let place = cursor.place;
        let token = self.next(cursor)?;
        match token {
            Token::Symbol(word) | Token::Quoted(word) => {
                let name = self.symbols.intern(word);
                let is_plain = matches!(token, Token::Symbol(_));
                if is_plain && self.is_reserved_symbol(name) {
                    return self.open_reserved(cursor, word, place);
                }
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
                    Meaning::Free if is_plain && self.is_binder(cursor, word)? => {
                        return self.open_binder(cursor, word, place);
                    }
                    Meaning::Free => {
                        if let Some(constructor) = self.old_tester(name) {
                            self.frame(Callee::Tester(constructor), None, name, indices, place);
                        } else {
                            self.unknown_name(cursor, at, name, "undeclared function");
                            self.frame(Callee::Unknown, None, name, indices, place);
                        }
                    }
                }
                Ok(None)
            }
            Token::Open => {
                let inner = cursor.place;
                match self.next(cursor)? {
                    Token::Symbol(b"_") => self.indexed_head(cursor, inner),
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

    /// Reads on after an opening parenthesis and a reserved word.
    fn open_reserved(&mut self, cursor: &mut Cursor<'_>, word: &[u8], place: usize) -> Checked<Option<Term>> {
        match word {
            b"let" => {
                self.expect_open(cursor, "the bindings of let")?;
                let (base, names) = (self.work.values.len() as u32, self.work.names.len() as u32);
                self.work.frames.push(Frame::Values { base, names, place: place as u32 });
                self.binding(cursor)?;
                Ok(None)
            }
            b"forall" | b"exists" => {
                let kind = if word == b"forall" { BinderKind::Forall } else { BinderKind::Exists };
                if !self.in_recursion {
                    self.use_quantifier(cursor.text, place);
                }
                self.quantifier(cursor, kind, place)
            }
            b"match" => {
                self.work.frames.push(Frame::Scrutinee { place: place as u32 });
                Ok(None)
            }
            b"!" => {
                self.work.frames.push(Frame::Annotated { place: place as u32 });
                Ok(None)
            }
            b"_" => self.after_underscore(cursor, place),
            b"as" => {
                let (callee, name, indices, said) = self.qualified(cursor)?;
                let term = self.lone(cursor, callee, said, name, indices, place);
                Ok(Some(term))
            }
            _ => self.reserved(cursor, word, "a function"),
        }
    }

    /// Reads on after an opening parenthesis and `lambda`, `choice` or `witness`.
    fn open_binder(&mut self, cursor: &mut Cursor<'_>, word: &[u8], place: usize) -> Checked<Option<Term>> {
        if word == b"lambda" {
            self.use_maps(cursor, place, "lambda");
            return self.quantifier(cursor, BinderKind::Lambda, place);
        }
        if self.rules.strict {
            let message = format!("'{}' is not in the standard", String::from_utf8_lossy(word));
            self.report(cursor.text, place, Code::Extension, message);
        }
        self.quantifier(cursor, BinderKind::Choice, place)
    }

    /// Whether a word is a binder: `lambda`, or the `choice` or `witness` of some solvers, followed by a list of
    /// variables.
    fn is_binder(&mut self, cursor: &mut Cursor<'_>, word: &[u8]) -> Checked<bool> {
        Ok(matches!(word, b"lambda" | b"choice" | b"witness") && self.peek(cursor)? == Token::Open)
    }

    pub(super) fn use_maps(&mut self, cursor: &Cursor<'_>, place: usize, what: &str) {
        self.use_theories(Theories::of(&[Theory::Maps]), cursor.text, place, what);
    }

    fn quantifier(&mut self, cursor: &mut Cursor<'_>, kind: BinderKind, place: usize) -> Checked<Option<Term>> {
        let scope = self.work.scope.len() as u32;
        self.peek(cursor)?;
        let binder = self.read_variables(cursor, self.repeated())?;
        if self.terms.variables(binder).len() == 0 {
            self.report(cursor.text, cursor.place, Code::Unexpected, "expected at least one variable, found none");
        }
        let base = self.work.values.len() as u32;
        self.work.frames.push(Frame::Body { binder, kind, base, scope, place: place as u32 });
        Ok(None)
    }

    /// Reads the name of the next binding of a `let`. After the last binding, binds all names for the body.
    fn binding(&mut self, cursor: &mut Cursor<'_>) -> Checked<()> {
        if self.at_close(cursor)? {
            let Some(Frame::Values { base, names, place }) = self.work.frames.pop() else { return Err(Stop) };
            if self.work.names.len() == names as usize {
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
            self.enter_scope(cursor, binder, &places, self.repeated());
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

    /// Adds a complete term to the innermost open frame. Returns it if no frame above `bottom` is open.
    fn deliver(&mut self, cursor: &mut Cursor<'_>, mut term: Term, bottom: usize) -> Checked<Option<Term>> {
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
                    self.binding(cursor)?;
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
                    self.first_case(cursor, term, place)?;
                    return Ok(None);
                }
                Frame::Result(_) => {
                    let Some(Frame::Result(matching)) = self.work.frames.pop() else { return Err(Stop) };
                    match self.next_case(cursor, matching, term)? {
                        Some(matched) => term = matched,
                        None => return Ok(None),
                    }
                }
                Frame::Annotated { place } => {
                    self.work.frames.pop();
                    let base = self.work.values.len() as u32;
                    self.work.push(term);
                    let annotation = Annotation { place, base, attributes: vec![], count: 0 };
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
                    annotation.attributes.push(Attribute::Pattern(annotation.count));
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
                let sort = match sorts[..] {
                    [index, element] if self.lambdas_are_arrays => self.sorts.array(index, element),
                    _ => self.arrow(&sorts),
                };
                (Head::Lambda(binder), sort)
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

    /// Reads attributes up to the closing parenthesis. Returns `None` at a pattern, whose terms have to be read first.
    fn attributes(&mut self, cursor: &mut Cursor<'_>, mut annotation: Box<Annotation>) -> Checked<Option<Term>> {
        loop {
            match self.next(cursor)? {
                Token::Close => break,
                Token::Keyword(b":pattern") => {
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

    /// Handles the closing parenthesis of an application.
    fn close(&mut self, cursor: &mut Cursor<'_>) -> Checked<Term> {
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
}
