//! Parses commands, and turns each into an item of the current segment.

use crate::error::ScrambleError;
use crate::keywords::{self as w, Word};
use crate::operators::Theories;
use crate::reader::ScriptReader;
use crate::scope::Space;
use crate::segment::{Item, ItemKind};
use crate::tokens::{Literal, Token};
use crate::tree::{Node, Renaming, Tree};

type Result<T> = std::result::Result<T, ScrambleError>;

/// The largest argument of `push` and `pop` that is expanded into single levels.
const MOST_LEVELS: u64 = 20;

impl ScriptReader<'_> {
    /// Parses a command after its opening parenthesis. Returns whether it ends the segment.
    pub(crate) fn command(&mut self) -> Result<bool> {
        let word = match self.next_token()? {
            Token::Reserved(word) => word,
            Token::Name { symbol, quoted: false } if !self.options.official => match Word::of(symbol) {
                Some(word) => word,
                None => return self.unknown_command(),
            },
            _ => return self.unknown_command(),
        };
        self.commands += 1;
        self.uses_label = false;
        match word {
            w::ASSERT => {
                let term = self.term()?;
                self.expect_close()?;
                self.asserts += 1;
                self.item(ItemKind::Assert { ordinal: self.asserts }, &[Node::word(w::ASSERT), term]);
            }
            w::CHECK_SAT => {
                self.expect_close()?;
                self.item(ItemKind::CheckSat, &[Node::word(w::CHECK_SAT)]);
                self.statuses.query();
            }
            w::DECLARE_CONST => self.declare_const()?,
            w::DECLARE_FUN => self.declare_fun()?,
            w::DECLARE_SORT => self.declare_sort()?,
            w::DECLARE_DATATYPE => self.declare_datatype()?,
            w::DECLARE_DATATYPES => self.declare_datatypes()?,
            w::DEFINE_FUN => self.define_fun(word)?,
            w::DEFINE_SORT => self.define_sort()?,
            w::PUSH | w::POP => self.levels(word)?,
            w::SET_LOGIC => self.set_logic()?,
            w::SET_INFO => self.set_info()?,
            w::SET_OPTION => self.set_option()?,
            w::EXIT => self.simple(word)?,
            w::RESET => self.reset()?,
            w::ECHO => {
                if self.next_token()? != Token::Literal(Literal::String) {
                    return self.error("expected a string");
                }
                let text = self.tokens.node();
                self.expect_close()?;
                self.question(&[Node::word(w::ECHO), text]);
            }
            w::GET_UNSAT_CORE => {
                self.expect_close()?;
                self.question(&[Node::word(w::GET_UNSAT_CORE)]);
            }
            _ if self.options.official => return self.unknown_command(),
            w::CHECK_SAT_ASSUMING => {
                let terms = self.terms()?;
                self.expect_close()?;
                self.item(ItemKind::CheckSat, &[Node::word(word), terms]);
                self.statuses.query();
            }
            w::DECLARE_SORT_PARAMETER => {
                let (symbol, name) = self.expect_new_name()?;
                self.expect_close()?;
                self.names.register(symbol);
                self.scope.enter(Space::Sort, symbol);
                self.item(ItemKind::Plain, &[Node::word(word), name]);
            }
            w::DEFINE_CONST => {
                let (symbol, name) = self.expect_new_name()?;
                let sort = self.sort()?;
                let term = self.term()?;
                self.expect_close()?;
                self.declare(symbol);
                self.item(ItemKind::Plain, &[Node::word(word), name, sort, term]);
            }
            w::DEFINE_FUN_REC => self.define_fun(word)?,
            w::DEFINE_FUNS_REC => self.define_funs_rec()?,
            w::RESET_ASSERTIONS => {
                self.simple(word)?;
                self.scope.reset_assertions();
            }
            w::GET_ASSERTIONS | w::GET_ASSIGNMENT | w::GET_MODEL | w::GET_PROOF | w::GET_UNSAT_ASSUMPTIONS => {
                self.expect_close()?;
                self.question(&[Node::word(word)]);
            }
            w::GET_INFO | w::GET_OPTION => {
                if !matches!(self.next_token()?, Token::Keyword(_)) {
                    return self.error("expected a keyword");
                }
                let keyword = self.tokens.node();
                self.expect_close()?;
                self.question(&[Node::word(word), keyword]);
            }
            w::GET_VALUE => {
                let terms = self.terms()?;
                self.expect_close()?;
                self.question(&[Node::word(word), terms]);
            }
            _ => return self.unknown_command(),
        }
        Ok(matches!(word, w::CHECK_SAT | w::CHECK_SAT_ASSUMING))
    }

    fn unknown_command<T>(&self) -> Result<T> {
        match self.tokens.text() {
            b"declare-heap" => {
                self.error("separation-logic benchmarks cannot be scrambled; SL-COMP runs them unchanged")
            }
            text => self.error(format!("'{}' is not a command of SMT-LIB 2.7", String::from_utf8_lossy(text))),
        }
    }

    pub(crate) fn item(&mut self, kind: ItemKind, parts: &[Node]) {
        let node = self.tree.list(parts);
        let is_pinned = self.uses_label;
        self.items.push(Item { kind, node, is_pinned });
    }

    /// Adds a command that only makes the solver print something, such as `get-model` or `echo`, if such commands are
    /// kept.
    fn question(&mut self, parts: &[Node]) {
        if self.options.non_smtcomp && !self.options.official {
            self.item(ItemKind::Plain, parts);
        }
    }

    fn simple(&mut self, word: Word) -> Result<()> {
        self.expect_close()?;
        self.item(ItemKind::Plain, &[Node::word(word)]);
        Ok(())
    }

    /// Registers a function symbol and brings it into scope.
    pub(crate) fn declare(&mut self, symbol: agon_smtlib::Symbol) {
        self.names.register(symbol);
        self.scope.enter(Space::Function, symbol);
    }

    /// Parses `(term …)`.
    fn terms(&mut self) -> Result<Node> {
        self.expect_open()?;
        let base = self.open.len();
        loop {
            match self.next_token()? {
                Token::Close => return Ok(self.close_list(base)),
                token => {
                    let term = self.term_from(token)?;
                    self.open.push(term);
                }
            }
        }
    }

    fn declare_const(&mut self) -> Result<()> {
        let (symbol, name) = self.expect_new_name()?;
        let sort = self.sort()?;
        self.expect_close()?;
        self.declare(symbol);
        let none = self.tree.list(&[]);
        self.item(ItemKind::DeclareFun, &[Node::word(w::DECLARE_FUN), name, none, sort]);
        Ok(())
    }

    fn declare_fun(&mut self) -> Result<()> {
        let (symbol, name) = self.expect_new_name()?;
        self.expect_open()?;
        let base = self.open.len();
        loop {
            match self.next_token()? {
                Token::Close => break,
                token => {
                    let sort = self.sort_from(token)?;
                    self.open.push(sort);
                }
            }
        }
        let arguments = self.close_list(base);
        let sort = self.sort()?;
        self.expect_close()?;
        self.declare(symbol);
        self.item(ItemKind::DeclareFun, &[Node::word(w::DECLARE_FUN), name, arguments, sort]);
        Ok(())
    }

    fn declare_sort(&mut self) -> Result<()> {
        let (symbol, name) = self.expect_new_name()?;
        let (arity, is_parametric) = match self.next_token()? {
            Token::Literal(Literal::Numeral) => {
                let found = (self.tokens.node(), self.number() != 0);
                self.expect_close()?;
                found
            }
            Token::Close if !self.options.official => (Node::word(w::ZERO), false),
            _ => return self.error("expected a number"),
        };
        if is_parametric && self.options.official {
            return Err(ScrambleError::Official("ERROR: declare-sort with arity != 0".into()));
        }
        self.names.register(symbol);
        self.scope.enter(Space::Sort, symbol);
        self.item(ItemKind::Plain, &[Node::word(w::DECLARE_SORT), name, arity]);
        Ok(())
    }

    fn define_sort(&mut self) -> Result<()> {
        let (symbol, name) = self.expect_new_name()?;
        self.expect_open()?;
        let parameters = self.sort_parameters()?;
        if self.options.official && !self.tree.items(parameters).is_empty() {
            return self.error("");
        }
        let sort = self.sort()?;
        self.leave_parameters(parameters);
        self.expect_close()?;
        self.names.register(symbol);
        self.scope.enter(Space::Sort, symbol);
        self.item(ItemKind::Plain, &[Node::word(w::DEFINE_SORT), name, parameters, sort]);
        Ok(())
    }

    /// Parses sort parameters and the closing parenthesis: `X Y …)`. They are in scope until
    /// [`Self::leave_parameters`].
    pub(crate) fn sort_parameters(&mut self) -> Result<Node> {
        let base = self.open.len();
        loop {
            match self.next_token()? {
                Token::Close => return Ok(self.close_list(base)),
                Token::Name { symbol, quoted } => {
                    let name = Node::name(symbol, quoted, Renaming::Renamed);
                    self.names.register(symbol);
                    self.scope.enter_node(Space::Sort, name);
                    self.open.push(name);
                }
                _ => return self.error("expected a sort parameter or )"),
            }
        }
    }

    pub(crate) fn leave_parameters(&mut self, parameters: Node) {
        for &parameter in self.tree.items(parameters) {
            self.scope.leave_node(Space::Sort, parameter);
        }
    }

    /// Parses the rest of `define-fun` or `define-fun-rec`. A recursive function is in scope in its own body.
    fn define_fun(&mut self, word: Word) -> Result<()> {
        let is_recursive = word == w::DEFINE_FUN_REC;
        let (symbol, name) = self.expect_new_name()?;
        if is_recursive {
            self.declare(symbol);
        }
        self.expect_open()?;
        let variables = self.variables()?;
        let sort = self.sort()?;
        self.enter_all(variables);
        let term = self.term()?;
        self.leave_all(variables);
        self.expect_close()?;
        if !is_recursive {
            self.declare(symbol);
        }
        self.item(ItemKind::Plain, &[Node::word(word), name, variables, sort, term]);
        Ok(())
    }

    fn define_funs_rec(&mut self) -> Result<()> {
        self.expect_open()?;
        let base = self.open.len();
        loop {
            match self.next_token()? {
                Token::Open => {
                    let (symbol, name) = self.expect_new_name()?;
                    self.declare(symbol);
                    self.expect_open()?;
                    let variables = self.variables()?;
                    let sort = self.sort()?;
                    self.expect_close()?;
                    let signature = self.tree.list(&[name, variables, sort]);
                    self.open.push(signature);
                }
                Token::Close => break,
                _ => return self.error("expected a function signature: (name ((variable sort) …) sort)"),
            }
        }
        let signatures = self.close_list(base);
        self.expect_open()?;
        for at in Tree::range(signatures) {
            let variables = self.tree.items(self.tree.at(at))[1];
            self.enter_all(variables);
            let term = self.term()?;
            self.leave_all(variables);
            self.open.push(term);
        }
        self.expect_close()?;
        let terms = self.close_list(base);
        self.expect_close()?;
        self.item(ItemKind::Plain, &[Node::word(w::DEFINE_FUNS_REC), signatures, terms]);
        Ok(())
    }

    /// Parses the rest of `push` or `pop`. A small number of levels is expanded into single levels, as in the official
    /// tool.
    fn levels(&mut self, word: Word) -> Result<()> {
        let (count, text) = match self.next_token()? {
            Token::Literal(Literal::Numeral) => {
                let found = (self.number(), self.tokens.node());
                self.expect_close()?;
                found
            }
            Token::Close if !self.options.official => (1, Node::word(w::ONE)),
            _ => return self.error("expected a number"),
        };
        if word == w::PUSH {
            self.scope.push(count);
        } else {
            self.scope.pop(count);
        }
        if count > MOST_LEVELS && !self.options.official {
            self.item(ItemKind::Plain, &[Node::word(word), text]);
        } else if count > 10_000_000 {
            return Err(ScrambleError::Official("ERROR: more than ten million levels at once".into()));
        } else if count > 0 {
            self.item(ItemKind::Repeated { times: count }, &[Node::word(word), Node::word(w::ONE)]);
        }
        Ok(())
    }

    /// The value of the last token, which is a numeral. The official tool truncates it to 32 bits and treats negative
    /// values as zero.
    pub(crate) fn number(&self) -> u64 {
        let digits = self.tokens.text().iter().map(|digit| i64::from(digit - b'0'));
        let number = digits.fold(0, |sum: i64, digit| sum.saturating_mul(10).saturating_add(digit));
        let seen = if self.options.official { i64::from(number as i32) } else { number };
        u64::try_from(seen).unwrap_or(0)
    }

    fn set_logic(&mut self) -> Result<()> {
        let Token::Name { .. } = self.next_token()? else {
            return self.error("expected the name of a logic");
        };
        if self.theories.is_some() {
            return self.error_like("ERROR logic is already set", "the logic is already set");
        }
        self.theories = Some(Theories::of(self.tokens.text()));
        let logic = self.tokens.node();
        self.expect_close()?;
        self.item(ItemKind::Plain, &[Node::word(w::SET_LOGIC), logic]);
        Ok(())
    }

    fn set_info(&mut self) -> Result<()> {
        let Token::Keyword(key) = self.next_token()? else { return self.error("expected a keyword") };
        if self.is_reserved_keyword(key) {
            return self.error("");
        }
        match self.next_token()? {
            Token::Close => return Ok(()),
            token => {
                let word = match token {
                    Token::Name { symbol, .. } => Some(self.tokens.symbols.text(symbol).to_vec()),
                    _ => None,
                };
                let value = self.value_from(token)?;
                // Solvers read version 2.7 differently from older versions, so only this version is kept.
                if Word::of(key) == Some(w::SMT_LIB_VERSION)
                    && !self.options.official
                    && is_new(self.tokens.script_of(value))
                {
                    self.item(ItemKind::Plain, &[Node::word(w::SET_INFO), Node::word(w::SMT_LIB_VERSION), value]);
                }
                if Word::of(key) == Some(w::STATUS) {
                    self.statuses.declare(&word.unwrap_or_default());
                }
            }
        }
        self.expect_close()
    }

    fn set_option(&mut self) -> Result<()> {
        let Token::Keyword(key) = self.next_token()? else { return self.error("expected a keyword") };
        if self.is_reserved_keyword(key) {
            return self.error("");
        }
        let key_node = self.tokens.node();
        let token = self.next_token()?;
        let value_text = self.tokens.text();
        let value = self.value_from(token)?;
        self.expect_close()?;
        let key = self.tokens.symbols.text(key);
        if key == b":global-declarations" {
            self.scope.are_global = value_text == b"true";
        }
        let is_kept = match (self.options.non_smtcomp, self.options.official) {
            (true, _) => true,
            (false, true) => match (key, value_text) {
                (b":print-success", b"false") | (b":produce-unsat-cores", b"true") => false,
                _ => return self.non_smtcomp("set-option"),
            },
            // This is the only option that changes the meaning of a script. The track determines all other options.
            (false, false) => key == b":global-declarations",
        };
        if is_kept {
            self.item(ItemKind::Plain, &[Node::word(w::SET_OPTION), key_node, value]);
        }
        Ok(())
    }

    fn reset(&mut self) -> Result<()> {
        self.expect_close()?;
        if self.options.official {
            if !self.options.non_smtcomp {
                return self.non_smtcomp("reset");
            }
            self.item(ItemKind::Plain, &[Node::word(w::RESET)]);
            return Ok(());
        }
        self.theories = None;
        self.scope.clear();
        self.item(ItemKind::Reset, &[Node::word(w::RESET)]);
        Ok(())
    }

    fn non_smtcomp<T>(&self, command: &str) -> Result<T> {
        Err(ScrambleError::Official(format!(
            "ERROR: Encountered non-SMT-COMP command: '{command}'. Maybe you want to re-run with \
             '-support-non-smtcomp true'."
        )))
    }
}

/// Whether a version is 2.7 or later.
fn is_new(version: &[u8]) -> bool {
    str::from_utf8(version).ok().and_then(|text| text.parse::<f64>().ok()).is_some_and(|version| version > 2.65)
}
