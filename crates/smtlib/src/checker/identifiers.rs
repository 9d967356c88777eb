//! Identifiers that are more than a name: with indices, `(_ extract 7 0)`, or with a sort, `(as nil (List Int))`.

use super::application::Part;
use super::cursor::{Cursor, is_reserved};
use super::functions::FunctionKind;
use super::terms::Callee;
use super::{Checked, Checker, Meaning, Stop};
use crate::diagnostic::Code;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Function, Head, Literal, Shape, Term};
use crate::theory::{Theories, Theory};
use crate::token::Token;

/// Whether a word always has its special meaning before an index, even if the script declares it as a name.
fn is_indexed(word: &[u8]) -> bool {
    let digits = word.strip_prefix(b"bv").unwrap_or_default();
    matches!(word, b"is" | b"update" | b"char") || !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

impl Checker {
    /// After `(_`: an indexed identifier without arguments, or the application of a map.
    pub(super) fn after_underscore(&mut self, cursor: &mut Cursor<'_>, place: usize) -> Checked<Option<Term>> {
        let token = self.next(cursor)?;
        if token == Token::Open && self.available.has(Theory::Maps) {
            // The opening parenthesis belongs to the map, which is read like any other term and becomes the first value
            // on the stack.
            self.frame(Callee::Map, None, Symbol(0), self.work.indices.len(), place);
            cursor.unread_open();
            return Ok(None);
        }
        let name = self.indexed_name(cursor, token)?;
        let is_map = match self.meaning(name) {
            Meaning::Variable(_) => true,
            Meaning::Function(function) => self.function(function).kind != FunctionKind::Unknown,
            _ => false,
        };
        if is_map && !is_indexed(self.symbols.text(name)) && self.available.has(Theory::Maps) {
            self.use_maps(cursor, place, "the application of a map");
            let map = self.map_value(cursor, name);
            self.frame(Callee::Map, None, name, self.work.indices.len(), place);
            self.work.push(map);
            return Ok(None);
        }
        let indices = self.work.indices.len();
        let (callee, term) = self.indices(cursor, name, place)?;
        if term.is_some() {
            self.work.indices.truncate(indices);
            return Ok(term);
        }
        Ok(Some(self.lone(cursor, callee, None, name, indices, place)))
    }

    /// After `((_`: an indexed identifier whose arguments follow.
    pub(super) fn indexed_head(&mut self, cursor: &mut Cursor<'_>, place: usize) -> Checked<Option<Term>> {
        let token = self.next(cursor)?;
        let name = self.indexed_name(cursor, token)?;
        let indices = self.work.indices.len();
        match self.indices(cursor, name, place)? {
            (_, Some(literal)) => {
                // A literal is not a function. Applying it as a map reports this error.
                self.frame(Callee::Map, None, name, indices, place);
                self.work.push(literal);
            }
            (callee, None) => self.frame(callee, None, name, indices, place),
        }
        Ok(None)
    }

    fn indexed_name(&mut self, cursor: &mut Cursor<'_>, token: Token<'_>) -> Checked<Symbol> {
        match token {
            Token::Symbol(name) if !is_reserved(name) => Ok(self.symbols.intern(name)),
            Token::Quoted(name) => Ok(self.symbols.intern(name)),
            other => self.unexpected(cursor, other, "the name of an indexed identifier"),
        }
    }

    /// An identifier without arguments.
    pub(super) fn lone(
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

    /// The indices of an identifier, up to its closing parenthesis. Numbers go onto the stack of indices.
    pub(super) fn indices(
        &mut self,
        cursor: &mut Cursor<'_>,
        name: Symbol,
        place: usize,
    ) -> Checked<(Callee, Option<Term>)> {
        let text = self.symbols.text(name).to_vec();
        match (&text[..], self.meaning(name)) {
            (b"is", _) => return Ok((self.part(cursor, Part::Constructor)?, None)),
            (b"update", _) => return Ok((self.part(cursor, Part::Selector)?, None)),
            (b"char", _) if self.available.has(Theory::Strings) => {
                return Ok((Callee::Unknown, Some(self.character(cursor, place)?)));
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
            self.report(cursor.text, place, Code::IndexCount, "an indexed identifier needs at least one index");
            return Ok((Callee::Unknown, None));
        }
        if let Some(digits) = literal {
            return Ok((Callee::Unknown, Some(self.bit_vector(cursor, digits, start, place))));
        }
        Ok((self.indexed_callee(cursor, name, place), None))
    }

    /// The name after `is` or `update`.
    fn part(&mut self, cursor: &mut Cursor<'_>, part: Part) -> Checked<Callee> {
        let what = match part {
            Part::Constructor => "a constructor",
            Part::Selector => "a selector",
        };
        let name = match self.peek(cursor)? {
            // Some solvers write the whole signature: (_ is (cons (Int (List Int)) (List Int))).
            Token::Open if !self.rules.strict => {
                self.next(cursor)?;
                let name = self.expect_name(cursor, what)?;
                let place = cursor.place;
                self.skip_rest(cursor)?;
                cursor.place = place;
                name
            }
            _ => self.expect_name(cursor, what)?,
        };
        let name = self.symbols.intern(name);
        let at = cursor.place;
        self.expect_close(cursor, what)?;
        let meaning = self.meaning(name);
        if let Meaning::Function(function) = meaning {
            if let Some(function) = self.overloads(function).find(|f| part.is(&self.function(*f).kind)) {
                return Ok(match part {
                    Part::Constructor => Callee::Tester(function),
                    Part::Selector => Callee::Updater(function),
                });
            }
            if self.function(function).kind == FunctionKind::Unknown {
                return Ok(Callee::Unknown);
            }
        }
        if meaning == Meaning::Free {
            self.unknown_name(cursor, at, name, &format!("there is no {}", &what[2..]));
        } else {
            let message = format!("'{}' is not {what}", self.text_of(name));
            self.report(cursor.text, at, Code::UnknownName, message);
        }
        Ok(Callee::Unknown)
    }

    /// The character after `char`.
    fn character(&mut self, cursor: &mut Cursor<'_>, place: usize) -> Checked<Term> {
        let Token::Hexadecimal(digits) = self.next(cursor)? else {
            self.report(cursor.text, cursor.place, Code::Unexpected, "expected a hexadecimal literal");
            return Err(Stop);
        };
        let significant = digits.iter().position(|digit| *digit != b'0').map_or(&b"0"[..], |at| &digits[at..]);
        if significant.len() > 5 || significant.len() == 5 && significant[0] > b'2' {
            self.report(cursor.text, cursor.place, Code::IndexRange, "the largest character code is #x2FFFF");
        }
        self.expect_close(cursor, "the character")?;
        let head = Head::Literal(Literal::Character, self.symbols.intern(digits));
        Ok(self.terms.make(head, &[], Sort::STRING, Shape::CONSTANT, place as u32))
    }

    pub(super) fn indexed_callee(&mut self, cursor: &Cursor<'_>, name: Symbol, place: usize) -> Callee {
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
    pub(super) fn bit_vector(&mut self, cursor: &Cursor<'_>, digits: &[u8], start: usize, place: usize) -> Term {
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
    pub(super) fn qualified(&mut self, cursor: &mut Cursor<'_>) -> Checked<(Callee, Symbol, usize, Option<Sort>)> {
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
                    self.report(cursor.text, inner, Code::Qualifier, "a literal cannot be qualified with 'as'");
                }
                (callee, name)
            }
            Token::Symbol(word) if is_reserved(word) => return self.reserved(cursor, word, "an identifier"),
            Token::Symbol(name) | Token::Quoted(name) => {
                let name = self.symbols.intern(name);
                let callee = match self.meaning(name) {
                    Meaning::Theory(group) => Callee::Theory(group),
                    Meaning::Function(function) => Callee::Function(function),
                    Meaning::Variable(_) => {
                        let message = format!("the variable '{}' cannot be qualified with 'as'", self.text_of(name));
                        self.report(cursor.text, cursor.place, Code::Qualifier, message);
                        Callee::Unknown
                    }
                    Meaning::Free => {
                        self.unknown_name(cursor, cursor.place, name, "undeclared name");
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

    /// The constructor of a tester in the form from before version 2.6, such as `is-cons`.
    pub(super) fn old_tester(&mut self, name: Symbol) -> Option<Function> {
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
}
