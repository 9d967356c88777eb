//! Reads a benchmark of version 1.2.

use super::token::{Lexer, Token};
use crate::checker::{Callee, Checker, Cursor, Meaning, Repeated, Stop};
use crate::command::{Command, Plain};
use crate::diagnostic::{Code, Position};
use crate::sort::{Constructor, Sort};
use crate::symbol::Symbol;
use crate::term::{Attribute, Binder, Head, Literal, Shape, Term};
use crate::theory::Theory;
use rustc_hash::{FxHashMap, FxHashSet};
use std::borrow::Cow;

type Checked<T> = Result<T, Stop>;

/// Reads a benchmark; `on` is called for the equivalent commands of version 2.
pub(crate) fn read(text: &[u8], checker: &mut Checker, on: &mut dyn FnMut(&mut Checker, &Command)) {
    checker.begin(Position::START);
    let mut reader = V1Reader {
        cursor: Cursor::new(text),
        lexer: Lexer::new(text),
        peeked: None,
        place: 0,
        names: FxHashMap::default(),
        taken: FxHashSet::default(),
        renamed: 0,
        declared: false,
        frames: vec![],
        logic: vec![],
        on,
    };
    let _ = reader.benchmark(checker);
    checker.leave_all();
}

struct V1Reader<'a, 'f> {
    cursor: Cursor<'a>,
    lexer: Lexer<'a>,
    peeked: Option<(usize, Token<'a>)>,
    /// The offset at which the last token starts.
    place: usize,
    /// The names that functions of the benchmark have in version 2.
    names: FxHashMap<&'a [u8], Symbol>,
    /// The names that are already used in version 2.
    taken: FxHashSet<Vec<u8>>,
    renamed: u64,
    declared: bool,
    frames: Vec<OpenFormula<'a>>,
    logic: Vec<u8>,
    on: &'f mut dyn FnMut(&mut Checker, &Command),
}

/// What an attribute declares. `:extrafuns` states the sort of each result; predicates of `:extrapreds` have sort Bool.
#[derive(Clone, Copy)]
enum Declares {
    Functions,
    Predicates,
}

/// An open parenthesis.
enum OpenFormula<'a> {
    Apply {
        name: &'a [u8],
        callee: Callee,
        indices: Vec<u64>,
        symbol: Symbol,
        base: usize,
        place: usize,
    },
    /// The value of a `let` or `flet`.
    Value {
        name: &'a [u8],
        place: usize,
        at: usize,
    },
    Body {
        binder: Binder,
        quantifier: Option<bool>,
        base: usize,
        scope: usize,
        place: usize,
        patterns: Vec<u32>,
    },
    /// The terms of a pattern of the quantifier below.
    Pattern {
        base: usize,
    },
}

fn shown(token: Option<Token<'_>>) -> String {
    match token {
        None => "the end of the file".to_owned(),
        Some(Token::Open) => "(".to_owned(),
        Some(Token::Close) => ")".to_owned(),
        Some(Token::OpenBrace) => "{".to_owned(),
        Some(Token::CloseBrace) => "}".to_owned(),
        Some(Token::String(_)) => "a string".to_owned(),
        Some(Token::Strange(byte)) => format!("the character with code {byte}"),
        Some(Token::Attribute(text) | Token::Word(text) | Token::Numeral(text) | Token::Rational(text)) => {
            format!("'{}'", String::from_utf8_lossy(&text[..text.len().min(60)]))
        }
    }
}

impl<'a> V1Reader<'a, '_> {
    fn next(&mut self) -> Option<Token<'a>> {
        let (place, token) = self.peeked.take().or_else(|| self.lexer.next_token())?;
        self.place = place;
        self.cursor.place = place;
        Some(token)
    }

    fn peek(&mut self) -> Option<Token<'a>> {
        if self.peeked.is_none() {
            self.peeked = self.lexer.next_token();
        }
        self.peeked.map(|peeked| peeked.1)
    }

    fn wrong<T>(&mut self, checker: &mut Checker, message: impl Into<String>) -> Checked<T> {
        checker.report(self.cursor.text, self.place, Code::OldSyntax, message);
        Err(Stop)
    }

    fn unexpected<T>(&mut self, checker: &mut Checker, found: Option<Token<'_>>, expected: &str) -> Checked<T> {
        if found.is_none() {
            self.place = self.cursor.text.len();
        }
        self.wrong(checker, format!("expected {expected}, found {}", shown(found)))
    }

    fn expect_open(&mut self, checker: &mut Checker, what: &str) -> Checked<()> {
        match self.next() {
            Some(Token::Open) => Ok(()),
            other => self.unexpected(checker, other, &format!("( before {what}")),
        }
    }

    fn expect_close(&mut self, checker: &mut Checker, what: &str) -> Checked<()> {
        match self.next() {
            Some(Token::Close) => Ok(()),
            other => self.unexpected(checker, other, &format!(") after {what}")),
        }
    }

    fn at_close(&mut self) -> bool {
        let close = self.peek() == Some(Token::Close);
        if close {
            self.next();
        }
        close
    }

    fn word(&mut self, checker: &mut Checker, what: &str) -> Checked<&'a [u8]> {
        match self.next() {
            Some(Token::Word(word)) => Ok(word),
            other => self.unexpected(checker, other, what),
        }
    }

    /// `{text}`, after the attribute.
    fn user_text(&mut self, checker: &mut Checker) -> Checked<&'a [u8]> {
        match self.next() {
            Some(Token::OpenBrace) => match self.lexer.user_text() {
                Some(text) => Ok(text),
                None => {
                    self.wrong(checker, "this text has no closing }, or a brace inside that is not escaped with \\")
                }
            },
            Some(Token::String(text) | Token::Word(text) | Token::Numeral(text) | Token::Rational(text)) => Ok(text),
            other => self.unexpected(checker, other, "a text in braces"),
        }
    }

    fn benchmark(&mut self, checker: &mut Checker) -> Checked<()> {
        self.expect_open(checker, "benchmark")?;
        if self.word(checker, "the word benchmark")? != b"benchmark" {
            return self.wrong(checker, "a file of version 1.2 begins with (benchmark");
        }
        match self.next() {
            Some(Token::Word(_) | Token::Numeral(_)) => {}
            other => return self.unexpected(checker, other, "the name of the benchmark"),
        }
        loop {
            match self.next() {
                Some(Token::Close) => break,
                Some(Token::Attribute(key)) => self.attribute(checker, key)?,
                other => return self.unexpected(checker, other, "an attribute of the benchmark"),
            }
        }
        // The tools of the time stopped reading here, so some files end with extra parentheses.
        while !checker.is_strict() && self.peek() == Some(Token::Close) {
            self.next();
        }
        if let Some(more) = self.next() {
            return self.unexpected(checker, Some(more), "the end of the file");
        }
        if self.logic.is_empty() {
            self.place = 0;
            checker.report(self.cursor.text, 0, Code::MissingLogic, "the benchmark has no :logic");
        }
        checker.query();
        (self.on)(checker, &Command::CheckSat);
        (self.on)(checker, &Command::Plain(Plain::Exit));
        Ok(())
    }

    fn attribute(&mut self, checker: &mut Checker, key: &[u8]) -> Checked<()> {
        match key {
            b":logic" => {
                let name = self.word(checker, "the name of a logic")?;
                if self.declared || !self.logic.is_empty() {
                    let message = "the logic must be set once, before all declarations and formulas";
                    checker.report(self.cursor.text, self.place, Code::LateLogic, message);
                } else {
                    self.set_logic(checker, name);
                }
            }
            b":status" => {
                let status = self.word(checker, "sat, unsat or unknown")?;
                if !matches!(status, b"sat" | b"unsat" | b"unknown") {
                    checker.report(
                        self.cursor.text,
                        self.place,
                        Code::InfoValue,
                        "the status must be sat, unsat or unknown",
                    );
                }
                self.info(checker, b":status", status);
            }
            b":formula" | b":assumption" => {
                self.declared = true;
                if self.logic.is_empty() {
                    checker.report(
                        self.cursor.text,
                        self.place,
                        Code::MissingLogic,
                        "the logic must be set before this",
                    );
                    self.set_logic(checker, b"ALL");
                }
                let mark = checker.terms.mark();
                let term = self.term(checker)?;
                checker.check_sort(&self.cursor, term, Sort::BOOL, "a formula");
                (self.on)(checker, &Command::Assert(term));
                checker.forget(mark);
            }
            b":extrasorts" => {
                self.declared = true;
                self.extra_sorts(checker)?;
            }
            b":extrafuns" | b":extrapreds" => {
                self.declared = true;
                let declares = if key == b":extrafuns" { Declares::Functions } else { Declares::Predicates };
                self.extra_functions(checker, declares)?;
            }
            b":source" | b":notes" | b":category" | b":difficulty" => {
                let text = self.user_text(checker)?;
                let quoted = match key {
                    b":source" | b":notes" => between_bars(text),
                    _ => as_string(text),
                };
                self.info(checker, key, &quoted);
            }
            _ => {
                if matches!(self.peek(), Some(Token::OpenBrace)) {
                    self.user_text(checker)?;
                } else if matches!(
                    self.peek(),
                    Some(Token::Word(_) | Token::Numeral(_) | Token::Rational(_) | Token::String(_))
                ) {
                    self.next();
                }
            }
        }
        Ok(())
    }

    fn info(&mut self, checker: &mut Checker, key: &[u8], value: &[u8]) {
        let key = checker.symbols.intern(key);
        (self.on)(checker, &Command::SetInfo(key, Some(value.into())));
    }

    fn set_logic(&mut self, checker: &mut Checker, name: &[u8]) {
        self.logic = name.to_vec();
        // Names that version 2 no longer has.
        let new: &[u8] = match name {
            b"QF_UFBV[32]" => b"QF_UFBV",
            b"QF_SAT" => b"QF_UF",
            other => other,
        };
        let symbol = checker.symbols.intern(new);
        checker.choose_logic(&self.cursor, symbol);
        (self.on)(checker, &Command::SetLogic(symbol));
        if matches!(new, b"QF_AX") {
            for name in [&b"Index"[..], b"Element"] {
                self.declare_sort(checker, name);
            }
        }
    }

    fn declare_sort(&mut self, checker: &mut Checker, name: &[u8]) {
        let symbol = checker.symbols.intern(&cleaned(name));
        if checker.declare_plain_sort(&self.cursor, self.place, symbol) {
            (self.on)(checker, &Command::DeclareSort(symbol, 0));
        }
    }

    fn extra_sorts(&mut self, checker: &mut Checker) -> Checked<()> {
        self.expect_open(checker, "the sorts")?;
        while !self.at_close() {
            let name = self.word(checker, "the name of a sort")?;
            self.declare_sort(checker, name);
        }
        Ok(())
    }

    fn extra_functions(&mut self, checker: &mut Checker, declares: Declares) -> Checked<()> {
        self.expect_open(checker, "the declarations")?;
        while !self.at_close() {
            self.expect_open(checker, "a declaration")?;
            let name = self.word(checker, "the name of a function or predicate")?;
            let place = self.place;
            let mut sorts = vec![];
            while !matches!(self.peek(), Some(Token::Close)) {
                match self.peek() {
                    Some(Token::Attribute(_)) => {
                        self.next();
                        if matches!(self.peek(), Some(Token::OpenBrace)) {
                            self.user_text(checker)?;
                        }
                    }
                    _ => sorts.push(self.sort(checker)?),
                }
            }
            self.next();
            let result = match declares {
                Declares::Functions => sorts.pop(),
                Declares::Predicates => Some(Sort::BOOL),
            };
            let Some(result) = result else {
                return self.wrong(checker, "the sort of the function's result is missing");
            };
            let symbol = self.own_name(checker, name);
            let function = checker.declare_function(&self.cursor, place, symbol, sorts, result);
            (self.on)(checker, &Command::DeclareFun(function));
        }
        Ok(())
    }

    /// The name that a function of the benchmark has in version 2: a new one if it is the name of a theory function.
    fn own_name(&mut self, checker: &mut Checker, name: &'a [u8]) -> Symbol {
        if let Some(known) = self.names.get(name) {
            return *known;
        }
        let clean = cleaned(name);
        let mut text = clean.to_vec();
        while checker.is_theory_word(&text) || !self.taken.insert(text.clone()) {
            self.renamed += 1;
            text = [&clean, format!("_{}", self.renamed).as_bytes()].concat();
        }
        let symbol = checker.symbols.intern(&text);
        self.names.insert(name, symbol);
        symbol
    }

    fn sort(&mut self, checker: &mut Checker) -> Checked<Sort> {
        let word = self.word(checker, "a sort")?;
        let (name, indices) = self.indexed(checker, word)?;
        let has = |theory| checker.allowed_theories().has(theory);
        Ok(match (name, &indices[..]) {
            (b"Int", []) if has(Theory::Ints) => checker.basic_sort(Sort::INT, Theory::Ints),
            (b"Real", []) if has(Theory::Reals) => checker.basic_sort(Sort::REAL, Theory::Reals),
            (b"BitVec", [width]) if has(Theory::BitVectors) && *width > 0 => {
                checker.basic_sort(Sort::BOOL, Theory::BitVectors);
                checker.sorts.bit_vector(*width)
            }
            (b"Array", []) if has(Theory::Ints) && has(Theory::Arrays) => self.array(checker, Sort::INT, Sort::INT),
            (b"Array1", []) if has(Theory::Reals) && has(Theory::Arrays) => self.array(checker, Sort::INT, Sort::REAL),
            (b"Array2", []) if has(Theory::Reals) && has(Theory::Arrays) => {
                let inner = self.array(checker, Sort::INT, Sort::REAL);
                self.array(checker, Sort::INT, inner)
            }
            (b"Array", []) if self.logic == b"QF_AX" => {
                let [index, element] =
                    [&b"Index"[..], b"Element"].map(|name| Constructor::Declared(checker.symbols.intern(name)));
                let (index, element) = (checker.sorts.make(index, &[]), checker.sorts.make(element, &[]));
                self.array(checker, index, element)
            }
            (b"Array", [index, element]) if has(Theory::Arrays) && *index > 0 && *element > 0 => {
                let (index, element) = (checker.sorts.bit_vector(*index), checker.sorts.bit_vector(*element));
                self.array(checker, index, element)
            }
            (name, []) => {
                let symbol = checker.symbols.intern(&cleaned(name));
                // The sort U is predeclared in QF_UF.
                if name == b"U" && self.logic == b"QF_UF" && !checker.has_sort(symbol) {
                    self.declare_sort(checker, name);
                }
                checker.plain_sort(&self.cursor, self.place, symbol)
            }
            _ => {
                let message = format!("there is no sort '{}'", String::from_utf8_lossy(word));
                checker.report(self.cursor.text, self.place, Code::UnknownSort, message);
                Sort::UNKNOWN
            }
        })
    }

    fn array(&self, checker: &mut Checker, index: Sort, element: Sort) -> Sort {
        checker.basic_sort(Sort::BOOL, Theory::Arrays);
        checker.sorts.make(Constructor::Array, &[index, element])
    }

    /// Splits `extract[7:0]` into its name and its indices.
    fn indexed(&mut self, checker: &mut Checker, word: &'a [u8]) -> Checked<(&'a [u8], Vec<u64>)> {
        let Some(open) = memchr::memchr(b'[', word) else { return Ok((word, vec![])) };
        let inside = word[open..].strip_prefix(b"[").and_then(|rest| rest.strip_suffix(b"]"));
        let numbers = inside.map(|inside| {
            let parse = |number: &[u8]| std::str::from_utf8(number).ok().and_then(|number| number.parse().ok());
            inside.split(|byte| *byte == b':').map(parse).collect::<Option<Vec<u64>>>()
        });
        match numbers {
            Some(Some(indices)) => Ok((&word[..open], indices)),
            _ => self.wrong(checker, "indices must be numbers in brackets, separated by colons"),
        }
    }

    /// Reads a formula or a term.
    fn term(&mut self, checker: &mut Checker) -> Checked<Term> {
        let bottom = self.frames.len();
        loop {
            let term = match self.next() {
                Some(Token::Open) => {
                    self.open(checker)?;
                    continue;
                }
                Some(Token::Close) => self.close(checker)?,
                Some(Token::CloseBrace) => {
                    let Some(OpenFormula::Pattern { base }) = self.frames.pop() else {
                        return self.unexpected(checker, Some(Token::CloseBrace), "a term");
                    };
                    let count = (checker.values().len() - base) as u32;
                    match self.frames.last_mut() {
                        Some(OpenFormula::Body { patterns, quantifier: Some(_), .. }) if count > 0 => {
                            patterns.push(count);
                        }
                        // An empty pattern, or a pattern of a `let`, has no meaning and is dropped.
                        _ => checker.truncate_values(base),
                    }
                    match self.end_of_body(checker)? {
                        Some(term) => term,
                        None => continue,
                    }
                }
                Some(Token::Word(word)) => {
                    checker.at(self.place);
                    self.atom(checker, word)?
                }
                Some(Token::Numeral(digits)) => {
                    checker.at(self.place);
                    self.number(checker, digits, Literal::Numeral)
                }
                Some(Token::Rational(digits)) => {
                    checker.at(self.place);
                    self.number(checker, digits, Literal::Decimal)
                }
                // Annotations of applications do not change their meaning.
                Some(Token::Attribute(_)) if matches!(self.frames.last(), Some(OpenFormula::Apply { .. })) => {
                    if matches!(self.peek(), Some(Token::OpenBrace)) {
                        self.user_text(checker)?;
                    }
                    continue;
                }
                other => return self.unexpected(checker, other, "a formula or a term"),
            };
            if let Some(term) = self.deliver(checker, term, bottom)? {
                return Ok(term);
            }
        }
    }

    fn number(&mut self, checker: &mut Checker, digits: &[u8], written: Literal) -> Term {
        let theories = checker.allowed_theories();
        let real = written == Literal::Decimal || !theories.has(Theory::Ints) && theories.has(Theory::Reals);
        let digits = match memchr::memchr(b'.', digits) {
            Some(point) => trimmed(&digits[..point.max(1)], &digits[point..]),
            None => trimmed(digits, b""),
        };
        let mut text = digits;
        if real && written == Literal::Numeral {
            text.extend_from_slice(b".0");
        }
        let (kind, sort) = if real { (Literal::Decimal, Sort::REAL) } else { (Literal::Numeral, Sort::INT) };
        let text = checker.symbols.intern(&text);
        checker.terms.make(Head::Literal(kind, text), &[], sort, Shape::CONSTANT, self.place as u32)
    }

    /// A bit-vector constant, if the word is one.
    fn bits(&mut self, checker: &mut Checker, word: &'a [u8]) -> Checked<Option<Term>> {
        if !checker.allowed_theories().has(Theory::BitVectors) {
            return Ok(None);
        }
        let (name, indices) = self.indexed(checker, word)?;
        let is = |digits: &[u8], allowed: fn(&u8) -> bool| !digits.is_empty() && digits.iter().all(allowed);
        let (kind, digits, width) = if name == b"bit0" || name == b"bit1" {
            (Literal::Binary, &name[3..], 1)
        } else if let Some(digits) = name.strip_prefix(b"bvbin").filter(|digits| is(digits, |d| b"01".contains(d))) {
            (Literal::Binary, digits, digits.len() as u64)
        } else if let Some(digits) = name.strip_prefix(b"bvhex").filter(|digits| is(digits, u8::is_ascii_hexdigit)) {
            (Literal::Hexadecimal, digits, 4 * digits.len() as u64)
        } else if let Some(digits) = name.strip_prefix(b"bv").filter(|digits| is(digits, u8::is_ascii_digit)) {
            (Literal::BitVector, digits, indices.first().copied().unwrap_or(32))
        } else {
            return Ok(None);
        };
        if width == 0 {
            return self.wrong(checker, "a bit-vector has at least one bit");
        }
        let sort = checker.sorts.bit_vector(width);
        let text = checker.symbols.intern(digits);
        Ok(Some(checker.terms.make(Head::Literal(kind, text), &[], sort, Shape::CONSTANT, self.place as u32)))
    }

    /// The meaning of a name: a variable, a function of the benchmark, or one of a theory.
    fn meaning(&mut self, checker: &mut Checker, name: &'a [u8]) -> (Symbol, Meaning) {
        if let Some(renamed) = self.names.get(name) {
            return (*renamed, checker.meaning(*renamed));
        }
        let symbol = checker.symbols.intern(&cleaned(name));
        match checker.meaning(symbol) {
            Meaning::Theory(_) => {
                // Functions of version 2 that version 1.2 does not have.
                if matches!(name, b"=>" | b"pto" | b"sep" | b"wand" | b"emp" | b"nil" | b"const") {
                    return (symbol, Meaning::Free);
                }
                (symbol, checker.meaning(symbol))
            }
            Meaning::Free => {
                let new: &[u8] = match name {
                    b"implies" => b"=>",
                    b"iff" => b"=",
                    b"if_then_else" => b"ite",
                    b"~" => b"-",
                    _ => return (symbol, Meaning::Free),
                };
                let symbol = checker.symbols.intern(new);
                (symbol, checker.meaning(symbol))
            }
            meaning => (symbol, meaning),
        }
    }

    fn atom(&mut self, checker: &mut Checker, word: &'a [u8]) -> Checked<Term> {
        if let Some(bits) = self.bits(checker, word)? {
            return Ok(bits);
        }
        let (symbol, meaning) = self.meaning(checker, word);
        if meaning == Meaning::Free && checker.meaning(symbol) != Meaning::Free {
            return self.wrong(checker, format!("'{}' is not in version 1.2", String::from_utf8_lossy(word)));
        }
        Ok(checker.atom(&self.cursor, symbol))
    }

    /// Reads on after an opening parenthesis.
    fn open(&mut self, checker: &mut Checker) -> Checked<()> {
        let place = self.place;
        let word = self.word(checker, "a connective, a function or a predicate")?;
        match word {
            b"let" | b"flet" => {
                self.expect_open(checker, "a variable and its value")?;
                let name = self.word(checker, "a variable")?;
                let wanted = if word == b"let" { b'?' } else { b'$' };
                if name.first() != Some(&wanted) {
                    let message =
                        format!("a variable of {} begins with {}", String::from_utf8_lossy(word), char::from(wanted));
                    return self.wrong(checker, message);
                }
                let at = self.place;
                self.frames.push(OpenFormula::Value { name, place, at });
                Ok(())
            }
            b"forall" | b"exists" => {
                checker.use_quantifier(self.cursor.text, place);
                let scope = checker.scope_length();
                let mut variables = vec![];
                // A variable in parentheses is a declaration; anything else is the body.
                while matches!(self.peek(), Some(Token::Open)) && self.declares() {
                    let name = self.word(checker, "a variable")?;
                    let name = checker.symbols.intern(&cleaned(name));
                    let sort = self.sort(checker)?;
                    self.expect_close(checker, "the sort of a variable")?;
                    variables.push((name, sort, Shape::VARIABLE));
                }
                if variables.is_empty() {
                    return self.wrong(checker, "a quantifier binds at least one variable: (?x Sort)");
                }
                let binder = checker.terms.bind(variables);
                checker.enter_scope(&self.cursor, binder, &[], Repeated::Shadows);
                let (base, patterns) = (checker.values().len(), vec![]);
                let quantifier = Some(word == b"forall");
                self.frames.push(OpenFormula::Body { binder, quantifier, base, scope, place, patterns });
                Ok(())
            }
            _ => {
                let (name, indices) = self.indexed(checker, word)?;
                let (symbol, meaning) = self.meaning(checker, name);
                let callee = match meaning {
                    Meaning::Theory(group) => Callee::Theory(group),
                    Meaning::Function(function) => Callee::Function(function),
                    Meaning::Variable(_) => return self.wrong(checker, "a variable is not a function"),
                    Meaning::Free => {
                        checker.unknown_name(&self.cursor, self.place, symbol, "undeclared function or predicate");
                        Callee::Unknown
                    }
                };
                let base = checker.values().len();
                self.frames.push(OpenFormula::Apply { name, callee, indices, symbol, base, place });
                Ok(())
            }
        }
    }

    /// Whether `(?x Sort)` begins here. If so, the parenthesis is consumed; if not, nothing is.
    fn declares(&mut self) -> bool {
        let Some((place, Token::Open)) = self.peeked else { return false };
        let mut ahead = Lexer::new(self.lexer.text);
        ahead.skip_to(place + 1);
        let is = matches!(ahead.next_token(), Some((_, Token::Word([b'?', ..]))));
        if is {
            self.next();
        }
        is
    }

    fn close(&mut self, checker: &mut Checker) -> Checked<Term> {
        let Some(OpenFormula::Apply { name, callee, indices, symbol, base, place }) = self.frames.pop() else {
            return self.unexpected(checker, Some(Token::Close), "a formula or a term");
        };
        let given = checker.values().len() - base;
        if given == 0 {
            // A propositional variable may be in parentheses.
            return Ok(checker.atom(&self.cursor, symbol));
        }
        if matches!(name, b"iff") && given > 2 {
            return Ok(self.fold(checker, callee, symbol, base, place));
        }
        // Some benchmarks use = between formulas for iff; the = of version 2 covers both.
        let term = checker.apply(&self.cursor, callee, None, symbol, &indices, base, place);
        checker.truncate_values(base);
        checker.at(place);
        Ok(term)
    }

    /// Applies `iff` to more than two arguments. It is left-associative, not chainable like `=` in version 2.
    fn fold(&mut self, checker: &mut Checker, callee: Callee, symbol: Symbol, base: usize, place: usize) -> Term {
        let arguments = checker.values()[base..].to_vec();
        checker.truncate_values(base);
        let mut folded = arguments[0];
        for argument in &arguments[1..] {
            checker.push_value(folded);
            checker.push_value(*argument);
            folded = checker.apply(&self.cursor, callee, None, symbol, &[], base, place);
            checker.truncate_values(base);
        }
        folded
    }

    fn deliver(&mut self, checker: &mut Checker, mut term: Term, bottom: usize) -> Checked<Option<Term>> {
        loop {
            if self.frames.len() == bottom {
                return Ok(Some(term));
            }
            match self.frames.last() {
                Some(OpenFormula::Apply { .. } | OpenFormula::Pattern { .. }) => {
                    checker.push_value(term);
                    return Ok(None);
                }
                Some(&OpenFormula::Value { name, place, at }) => {
                    self.frames.pop();
                    self.expect_close(checker, "the value of a variable")?;
                    let is_formula = checker.terms.sort(term) == Sort::BOOL;
                    let known = checker.terms.sort(term) != Sort::UNKNOWN;
                    if known && is_formula != name.starts_with(b"$") {
                        let message = if is_formula {
                            "let binds terms; use flet for formulas"
                        } else {
                            "flet binds formulas; use let for terms"
                        };
                        checker.report(self.cursor.text, at, Code::OldSyntax, message);
                    }
                    let name = checker.symbols.intern(&cleaned(name));
                    let (sort, shape) = (checker.terms.sort(term), checker.terms.shape(term));
                    let binder = checker.terms.bind([(name, sort, shape)]);
                    let scope = checker.scope_length();
                    let base = checker.values().len();
                    checker.push_value(term);
                    checker.enter_scope(&self.cursor, binder, &[at], Repeated::Shadows);
                    self.frames.push(OpenFormula::Body {
                        binder,
                        quantifier: None,
                        base,
                        scope,
                        place,
                        patterns: vec![],
                    });
                    return Ok(None);
                }
                Some(OpenFormula::Body { .. }) => {
                    checker.push_value(term);
                    match self.end_of_body(checker)? {
                        Some(done) => term = done,
                        None => return Ok(None),
                    }
                }
                None => return Err(Stop),
            }
        }
    }

    /// Reads the annotations after the body of a binder, up to its closing parenthesis.
    fn end_of_body(&mut self, checker: &mut Checker) -> Checked<Option<Term>> {
        loop {
            match self.next() {
                Some(Token::Close) => break,
                Some(Token::Attribute(b":pat")) => {
                    match self.next() {
                        Some(Token::OpenBrace) => {}
                        other => return self.unexpected(checker, other, "{ before the terms of a pattern"),
                    }
                    let base = checker.values().len();
                    self.frames.push(OpenFormula::Pattern { base });
                    return Ok(None);
                }
                Some(Token::Attribute(_)) => {
                    if matches!(self.peek(), Some(Token::OpenBrace)) {
                        self.user_text(checker)?;
                    }
                }
                other => return self.unexpected(checker, other, ") after the body"),
            }
        }
        let Some(OpenFormula::Body { binder, quantifier, base, scope, place, patterns }) = self.frames.pop() else {
            return Err(Stop);
        };
        checker.leave_scope(scope);
        checker.at(place);
        let place = place as u32;
        let Some(universal) = quantifier else {
            let body = checker.values()[base + 1];
            let (sort, shape) = (checker.terms.sort(body), checker.terms.shape(body));
            let arguments = checker.values()[base..].to_vec();
            checker.truncate_values(base);
            return Ok(Some(checker.terms.make(Head::Let(binder), &arguments, sort, shape, place)));
        };
        let arguments = checker.values()[base..].to_vec();
        checker.truncate_values(base);
        let mut body = arguments[0];
        checker.check_sort(&self.cursor, body, Sort::BOOL, "the body of a quantifier");
        if !patterns.is_empty() {
            let attributes = patterns.into_iter().map(Attribute::Pattern).collect();
            let attributes = checker.terms.add_attributes(attributes);
            body = checker.terms.make(Head::Annotated(attributes), &arguments, Sort::BOOL, Shape::VARIABLE, place);
        }
        let head = if universal { Head::Forall(binder) } else { Head::Exists(binder) };
        Ok(Some(checker.terms.make(head, &[body], Sort::BOOL, Shape::VARIABLE, place)))
    }
}

/// A name with `_` in place of `|` and `\`, which symbols of version 2 cannot contain.
fn cleaned(name: &[u8]) -> Cow<'_, [u8]> {
    if !name.iter().any(|byte| b"|\\".contains(byte)) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(name.iter().map(|byte| if b"|\\".contains(byte) { b'_' } else { *byte }).collect())
}

/// Digits without leading zeros, which version 2 does not allow.
fn trimmed(whole: &[u8], fraction: &[u8]) -> Vec<u8> {
    let first = whole.iter().position(|digit| *digit != b'0').unwrap_or(whole.len() - 1);
    [&whole[first..], fraction].concat()
}

/// A long text as a quoted symbol of version 2. It cannot contain a bar, so bars become exclamation marks.
fn between_bars(text: &[u8]) -> Vec<u8> {
    [b"|", &replaced(text, b'|', b"!")[..], b"|"].concat()
}

/// A short text as a string of version 2, in which quotes are doubled.
fn as_string(text: &[u8]) -> Vec<u8> {
    [b"\"", replaced(text, b'"', b"\"\"").trim_ascii(), b"\""].concat()
}

/// The text without its escapes, with `mark` replaced by `by`, and without characters that version 2 forbids.
fn replaced(text: &[u8], mark: u8, by: &[u8]) -> Vec<u8> {
    let mut plain = vec![];
    let mut escaped = false;
    for &byte in text {
        match byte {
            b'\\' if !escaped => {
                escaped = true;
                continue;
            }
            byte if byte == mark => plain.extend_from_slice(by),
            b'\\' => plain.push(b'/'),
            byte if byte.is_ascii_control() && !b"\t\r\n".contains(&byte) => plain.push(b' '),
            byte => plain.push(byte),
        }
        escaped = false;
    }
    plain
}
