//! `match`: patterns, the variables that they bind, and whether they cover all constructors.

use super::application::Part;
use super::cursor::{Cursor, is_reserved};
use super::functions::FunctionKind;
use super::terms::Frame;
use super::{Checked, Checker, FunctionInfo, Meaning, Repeated, Stop};
use crate::diagnostic::Code;
use crate::sort::{Bindings, Sort};
use crate::symbol::Symbol;
use crate::term::{Binder, Case, Function, Head, Shape, Term};
use crate::token::Token;
use rustc_hash::FxHashSet;

/// The internal name of `_` in a pattern. No script can contain it, since a symbol cannot contain a backslash.
pub(crate) const WILDCARD: &[u8] = b"\\_";

/// A `match` whose cases are being read.
#[derive(Debug)]
pub(super) struct Matching {
    pub(super) place: u32,
    pub(super) base: u32,
    pub(super) scope: u32,
    pub(super) cases: Vec<Case>,
    /// Whether missing cases are not an error: the subject is not a datatype, or a case matches every value.
    pub(super) complete: bool,
    pub(super) sort: Option<Sort>,
}

/// `(head variable …)`, or `head` alone.
struct Pattern {
    head: Symbol,
    place: usize,
    /// The names of the fields, and their positions.
    variables: Vec<(Symbol, usize)>,
    is_application: bool,
}

impl Checker {
    /// Begins the cases of a match on this term.
    pub(super) fn first_case(&mut self, cursor: &mut Cursor<'_>, scrutinee: Term, place: u32) -> Checked<()> {
        let base = self.work.values.len() as u32;
        self.work.push(scrutinee);
        let sort = self.terms.sort(scrutinee);
        let is_datatype = self.constructors_of(sort).is_some();
        if !is_datatype && sort != Sort::UNKNOWN {
            let message = format!("match needs a datatype, but {} is not one", self.shown(sort));
            self.report(cursor.text, self.work.last as usize, Code::WrongSort, message);
        }
        let scope = self.work.scope.len() as u32;
        let matching = Matching { place, base, scope, cases: vec![], complete: !is_datatype, sort: None };
        self.expect_open(cursor, "the cases of match")?;
        self.case(cursor, Box::new(matching))
    }

    /// Ends a case with its result. Returns the whole term after the last case.
    pub(super) fn next_case(
        &mut self,
        cursor: &mut Cursor<'_>,
        mut matching: Box<Matching>,
        result: Term,
    ) -> Checked<Option<Term>> {
        self.expect_close(cursor, "a case")?;
        self.leave_scope(matching.scope as usize);
        match matching.sort {
            Some(wanted) => self.check_sort(cursor, result, wanted, "the result of this case"),
            None => matching.sort = Some(self.terms.sort(result)),
        }
        self.work.push(result);
        if !self.at_close(cursor)? {
            self.case(cursor, matching)?;
            return Ok(None);
        }
        self.expect_close(cursor, "the cases of match")?;
        self.work.last = matching.place;
        Ok(Some(self.matched(cursor, *matching)))
    }

    /// Reads the pattern of a case and binds its variables.
    fn case(&mut self, cursor: &mut Cursor<'_>, mut matching: Box<Matching>) -> Checked<()> {
        self.expect_open(cursor, "a case")?;
        let scrutinee = self.terms.sort(self.work.values[matching.base as usize]);
        let Pattern { head, place, mut variables, is_application } = self.pattern(cursor)?;
        let constructor = match self.meaning(head) {
            Meaning::Function(function) => {
                let function = self.choose_for(function, scrutinee, Part::Constructor);
                matches!(self.function(function).kind, FunctionKind::Constructor(_)).then_some(function)
            }
            _ => None,
        };
        let binder = match constructor {
            Some(constructor) => self.bind_fields(cursor, constructor, scrutinee, place, &variables),
            None if is_application => {
                let message = format!("there is no constructor '{}'", self.text_of(head));
                let help = self.similar_name(head);
                self.report_with(cursor.text, place, Code::Pattern, message, help);
                matching.complete = true;
                let unknown: Vec<_> =
                    variables.iter().map(|(name, _)| (*name, Sort::UNKNOWN, Shape::VARIABLE)).collect();
                self.terms.bind(unknown)
            }
            None => {
                matching.complete = true;
                variables.push((head, place));
                self.terms.bind([(head, scrutinee, Shape::VARIABLE)])
            }
        };
        let places: Vec<_> = variables.iter().map(|variable| variable.1).collect();
        self.enter_scope(cursor, binder, &places, Repeated::Shadows);
        matching.cases.push(Case { constructor, binder });
        self.work.frames.push(Frame::Result(matching));
        Ok(())
    }

    fn pattern(&mut self, cursor: &mut Cursor<'_>) -> Checked<Pattern> {
        let mut names = vec![];
        let mut is_application = false;
        let head = match self.next(cursor)? {
            Token::Open => {
                is_application = true;
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
                return self.reserved(cursor, b"lambda", "a pattern");
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
            self.report(cursor.text, place, Code::Twice, "a variable occurs twice in this pattern");
        }
        Ok(Pattern { head, place, variables: names, is_application })
    }

    /// Binds the variables of a pattern to the fields of its constructor.
    fn bind_fields(
        &mut self,
        cursor: &Cursor<'_>,
        constructor: Function,
        scrutinee: Sort,
        place: usize,
        variables: &[(Symbol, usize)],
    ) -> Binder {
        let FunctionInfo { name, parameters, result, .. } = self.function(constructor).clone();
        let mut bound = Bindings::default();
        if !self.sorts.unify(result, scrutinee, &mut bound) {
            let message = format!("'{}' is not a constructor of {}", self.text_of(name), self.shown(scrutinee));
            self.report(cursor.text, place, Code::Pattern, message);
        }
        if parameters.len() != variables.len() {
            let message = format!(
                "the constructor '{}' has {} arguments, but the pattern has {}",
                self.text_of(name),
                parameters.len(),
                variables.len()
            );
            self.report(cursor.text, place, Code::Pattern, message);
        }
        let sorts = parameters.iter().copied().chain(std::iter::repeat(Sort::UNKNOWN));
        let mut fields = vec![];
        for ((name, _), sort) in variables.iter().zip(sorts) {
            fields.push((*name, self.sorts.substitute(sort, &bound), Shape::VARIABLE));
        }
        self.terms.bind(fields)
    }

    pub(super) fn pattern_variable(&mut self, cursor: &mut Cursor<'_>) -> Checked<Symbol> {
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
    pub(super) fn check_wildcard(&mut self, cursor: &Cursor<'_>) -> Checked<()> {
        if self.version >= Some((2, 7)) {
            return Ok(());
        }
        let message = "expected a pattern, found the reserved word '_'";
        let help = Some("it is a pattern since version 2.7: add (set-info :smt-lib-version 2.7)".to_owned());
        self.report_with(cursor.text, cursor.place, Code::Reserved, message, help);
        Err(Stop)
    }

    pub(super) fn matched(&mut self, cursor: &Cursor<'_>, matching: Matching) -> Term {
        let base = matching.base as usize;
        if !matching.complete {
            let covered: FxHashSet<_> = matching.cases.iter().filter_map(|case| case.constructor).collect();
            let all = self.constructors_of(self.terms.sort(self.work.values[base])).unwrap_or_default();
            let left = all.iter().filter(|constructor| !covered.contains(constructor)).take(5);
            let names: Vec<_> = left.map(|function| self.text_of(self.function(*function).name)).collect();
            if !names.is_empty() {
                let message = format!("no case matches {}", names.join(", "));
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
}
