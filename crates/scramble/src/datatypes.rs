//! Parses declarations of datatypes, and permutes constructors.

use crate::error::ScrambleError;
use crate::keywords::{self as w, Word};
use crate::reader::ScriptReader;
use crate::scope::Space;
use crate::segment::ItemKind;
use crate::tokens::Token;
use crate::tree::{Node, Renaming};

type Result<T> = std::result::Result<T, ScrambleError>;

impl ScriptReader<'_> {
    pub(crate) fn declare_datatype(&mut self) -> Result<()> {
        let (symbol, name) = self.expect_new_name()?;
        self.scope.enter(Space::Sort, symbol);
        let (datatype, is_parametric) = self.datatype()?;
        self.expect_close()?;
        self.names.register(symbol);
        if is_parametric {
            self.item(ItemKind::Plain, &[Node::word(w::DECLARE_DATATYPE), name, datatype]);
        } else {
            let arity = self.tree.list(&[name, Node::word(w::ZERO)]);
            let (arities, datatypes) = (self.tree.list(&[arity]), self.tree.list(&[datatype]));
            self.item(ItemKind::Plain, &[Node::word(w::DECLARE_DATATYPES), arities, datatypes]);
        }
        Ok(())
    }

    pub(crate) fn declare_datatypes(&mut self) -> Result<()> {
        self.expect_open()?;
        let base = self.open.len();
        let mut is_parametric = false;
        match self.next_token()? {
            Token::Open => {}
            token if !self.options.official => return self.declare_datatypes_of_2_5(token),
            _ => return self.error(""),
        }
        loop {
            let (symbol, name) = self.expect_new_name()?;
            let arity = self.expect_numeral()?;
            is_parametric |= self.number() != 0;
            self.expect_close()?;
            self.names.register(symbol);
            self.scope.enter(Space::Sort, symbol);
            let arity = self.tree.list(&[name, arity]);
            self.open.push(arity);
            match self.next_token()? {
                Token::Open => {}
                Token::Close => break,
                _ => return self.error("expected another sort with its arity, or )"),
            }
        }
        let arities = self.close_list(base);
        if is_parametric && self.options.official {
            let message = "ERROR: declare-datatypes contains a sort with arity != 0";
            return Err(ScrambleError::Official(message.into()));
        }
        self.expect_open()?;
        let (first, _) = self.datatype()?;
        self.open.push(first);
        loop {
            match self.next_token()? {
                Token::Close => break,
                token => {
                    let (datatype, _) = self.datatype_from(token)?;
                    self.open.push(datatype);
                }
            }
        }
        let datatypes = self.close_list(base);
        self.expect_close()?;
        self.item(ItemKind::Plain, &[Node::word(w::DECLARE_DATATYPES), arities, datatypes]);
        Ok(())
    }

    /// Parses `X Y) ((name constructor …) …))` of version 2.5, whose first token was read. A sort is registered when
    /// its declaration is reached, but an earlier constructor may already have used it, so
    /// [`crate::tree::Tree::own_names_from`] marks those uses afterwards.
    fn declare_datatypes_of_2_5(&mut self, mut token: Token) -> Result<()> {
        let (base, first) = (self.open.len(), self.tree.len());
        while let Token::Name { symbol, quoted } = token {
            let name = Node::name(symbol, quoted, Renaming::Renamed);
            self.names.register(symbol);
            self.scope.enter_node(Space::Sort, name);
            self.open.push(name);
            token = self.next_token()?;
        }
        if token != Token::Close {
            return self.error("expected a sort parameter or )");
        }
        let parameters = self.close_list(base);
        self.expect_open()?;
        loop {
            match self.next_token()? {
                Token::Close => break,
                Token::Open => {}
                _ => return self.error("expected a datatype: (name constructor …)"),
            }
            let (symbol, name) = self.expect_new_name()?;
            self.names.register(symbol);
            self.scope.enter(Space::Sort, symbol);
            let inner = self.open.len();
            self.open.push(name);
            loop {
                match self.next_token()? {
                    Token::Close => break,
                    Token::Open => {
                        let constructor = self.constructor()?;
                        self.open.push(constructor);
                    }
                    Token::Name { symbol, quoted } => {
                        self.declare(symbol);
                        self.open.push(Node::name(symbol, quoted, Renaming::Renamed));
                    }
                    _ => return self.error("expected a constructor or )"),
                }
            }
            if let Some(random) = &mut self.random {
                random.shuffle(&mut self.open[inner + 1..]);
            }
            let datatype = self.close_list(inner);
            self.open.push(datatype);
        }
        let datatypes = self.close_list(base);
        self.expect_close()?;
        let scope = &self.scope;
        self.tree.own_names_from(first, |symbol| scope.has(Space::Sort, symbol), &self.tokens.symbols);
        self.leave_parameters(parameters);
        self.item(ItemKind::Plain, &[Node::word(w::DECLARE_DATATYPES), parameters, datatypes]);
        Ok(())
    }

    /// Parses the constructors of a datatype. Returns them, and whether the datatype has parameters.
    fn datatype(&mut self) -> Result<(Node, bool)> {
        let token = self.next_token()?;
        self.datatype_from(token)
    }

    fn datatype_from(&mut self, token: Token) -> Result<(Node, bool)> {
        if token != Token::Open {
            return self.error("expected the constructors: ((constructor (selector sort) …) …)");
        }
        match self.next_token()? {
            Token::Name { symbol, quoted: false } if !self.options.official && Word::of(symbol) == Some(w::PAR) => {
                self.expect_open()?;
                let parameters = self.sort_parameters()?;
                self.expect_open()?;
                let token = self.next_token()?;
                let constructors = self.constructors(token)?;
                self.leave_parameters(parameters);
                self.expect_close()?;
                Ok((self.tree.list(&[Node::word(w::PAR), parameters, constructors]), true))
            }
            token => Ok((self.constructors(token)?, false)),
        }
    }

    /// Parses constructors up to the closing parenthesis and permutes them. The first token was read.
    fn constructors(&mut self, mut token: Token) -> Result<Node> {
        let base = self.open.len();
        loop {
            let constructor = match token {
                Token::Open => self.constructor()?,
                // Some solvers accept a constructor without selectors that has no parentheses.
                Token::Name { symbol, quoted } if !self.options.official => {
                    self.declare(symbol);
                    self.tree.list(&[Node::name(symbol, quoted, Renaming::Renamed)])
                }
                _ => return self.error("expected a constructor: (name (selector sort) …)"),
            };
            self.open.push(constructor);
            token = self.next_token()?;
            if token == Token::Close {
                break;
            }
        }
        let constructors = self.close_list(base);
        if let Some(random) = &mut self.random {
            random.shuffle(self.tree.items_mut(constructors));
        }
        Ok(constructors)
    }

    fn constructor(&mut self) -> Result<Node> {
        let base = self.open.len();
        let (constructor, name) = self.expect_new_name()?;
        self.open.push(name);
        loop {
            match self.next_token()? {
                Token::Close => break,
                Token::Open => {
                    let (selector, name) = self.expect_new_name()?;
                    let sort = self.sort()?;
                    self.expect_close()?;
                    self.declare(selector);
                    let selector = self.tree.list(&[name, sort]);
                    self.open.push(selector);
                }
                _ => return self.error("expected a selector with its sort: (name sort)"),
            }
        }
        self.declare(constructor);
        Ok(self.close_list(base))
    }
}
