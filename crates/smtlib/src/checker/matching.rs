//! `match`: patterns, what they bind, and whether they cover all constructors.

use super::cursor::{Cursor, is_reserved};
use super::functions::FunctionKind;
use super::terms::Frame;
use super::{Checked, Checker, FunctionInfo, Meaning, Stop};
use crate::diagnostic::Code;
use crate::sort::{Bindings, Sort};
use crate::symbol::Symbol;
use crate::term::{Case, Head, Shape, Term};
use crate::token::Token;
use rustc_hash::FxHashSet;

/// What stands for `_` in a pattern: a name that cannot be written.
pub(crate) const WILDCARD: &[u8] = b"\\_";

/// A `match` whose cases are being read.
#[derive(Debug)]
pub(super) struct Matching {
    pub(super) place: u32,
    pub(super) base: u32,
    pub(super) scope: u32,
    pub(super) cases: Vec<Case>,
    /// What is looked at is no datatype, or a case takes all that is left.
    pub(super) complete: bool,
    pub(super) sort: Option<Sort>,
}

impl Checker {
    /// The pattern of the next case.
    pub(super) fn case(&mut self, cursor: &mut Cursor<'_>, mut matching: Box<Matching>) -> Checked<()> {
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
        let help = Some("it is a pattern since version 2.7: say (set-info :smt-lib-version 2.7)".to_owned());
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
}
