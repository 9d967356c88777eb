//! The state of the scrambler, and parsers for the small constructs that are used throughout the grammar.

use crate::error::ScrambleError;
use crate::generator::Generator;
use crate::keywords::{self as w, Word};
use crate::names::Names;
use crate::operators::Theories;
use crate::options::Options;
use crate::scope::{Label, Scope, Space};
use crate::segment::Item;
use crate::terms::OpenTerm;
use crate::tokens::{Literal, Token, Tokens};
use crate::tree::{Node, NodeKind, Renaming, Tree};
use agon_smtlib::{QueryStatuses, Symbol};
use std::collections::BTreeSet;
use std::ops::ControlFlow;

type Result<T> = std::result::Result<T, ScrambleError>;

/// The labels (`:named`) that are used as terms. They cannot be dropped like other annotations.
#[derive(Clone, Debug, Default)]
pub(crate) struct UsedLabels {
    /// The labels, by the index of their symbol.
    pub(crate) symbols: BTreeSet<usize>,
    /// The commands that use a label of their own. Their terms are not permuted, since the use must stay after the
    /// label.
    pub(crate) unmoved: BTreeSet<u32>,
}

impl UsedLabels {
    /// Whether the label in a node is used as a term.
    pub(crate) fn has(&self, label: Node) -> bool {
        matches!(label.kind(), NodeKind::Name { symbol, .. } if self.symbols.contains(&(symbol as usize)))
    }
}

/// Parses a script. Scrambles each term when it closes, and the commands of a segment when it ends.
pub(crate) struct ScriptReader<'a> {
    pub(crate) options: &'a Options,
    pub(crate) tokens: Tokens<'a>,
    /// The random number generator; `None` if the seed is 0.
    pub(crate) random: Option<Generator>,
    pub(crate) names: Names,
    pub(crate) scope: Scope,
    /// The theories of the logic, once it is set.
    pub(crate) theories: Option<Theories>,
    /// The closed lists of the current segment.
    pub(crate) tree: Tree,
    /// A stack of nodes whose list is not closed yet.
    pub(crate) open: Vec<Node>,
    /// A stack of terms that are not closed yet.
    pub(crate) frames: Vec<OpenTerm>,
    /// The commands of the current segment.
    pub(crate) items: Vec<Item>,
    /// The number of commands read.
    pub(crate) commands: u32,
    /// The number of assertions read.
    pub(crate) asserts: u64,
    /// Whether the current command uses a label.
    pub(crate) uses_label: bool,
    /// The labels known to be used as terms. A second pass starts with all that the first pass found.
    pub(crate) labels: UsedLabels,
    /// Whether this pass found a use of a label that was not known, so that a second pass is necessary.
    pub(crate) found_label: bool,
    /// The statuses of the script's queries.
    pub(crate) statuses: QueryStatuses,
    /// The scrambled text.
    pub(crate) out: Vec<u8>,
    /// Numbers that must not be used in names of assertions, since the script already contains such names.
    pub(crate) taken_numbers: BTreeSet<u64>,
    /// The number in the last name that was assigned to an assertion.
    pub(crate) last_assertion: u64,
    /// The new names of assertions and the original ones.
    pub(crate) assertions: Vec<(String, Vec<u8>)>,
}

impl<'a> ScriptReader<'a> {
    pub(crate) fn new(script: &'a [u8], options: &'a Options, labels: UsedLabels) -> Self {
        Self {
            options,
            tokens: if options.official { Tokens::official(script) } else { Tokens::standard(script) },
            random: (options.seed != 0).then(|| Generator::new(options.seed)),
            names: Names::default(),
            scope: Scope::default(),
            theories: None,
            tree: Tree::default(),
            open: vec![],
            frames: vec![],
            items: vec![],
            commands: 0,
            asserts: 0,
            uses_label: false,
            labels,
            found_label: false,
            statuses: QueryStatuses::default(),
            out: vec![],
            taken_numbers: if options.unsat_core && !options.official {
                taken_numbers(script)
            } else {
                BTreeSet::new()
            },
            last_assertion: 0,
            assertions: vec![],
        }
    }

    pub(crate) fn next_token(&mut self) -> Result<Token> {
        self.tokens.next_token()
    }

    pub(crate) fn error<T>(&self, message: impl Into<String>) -> Result<T> {
        Err(self.tokens.error(message))
    }

    /// Returns an error with a different message in official mode.
    pub(crate) fn error_like<T>(&self, official: &str, message: impl Into<String>) -> Result<T> {
        if self.options.official { Err(ScrambleError::Official(official.to_owned())) } else { self.error(message) }
    }

    pub(crate) fn expect_open(&mut self) -> Result<()> {
        if self.next_token()? == Token::Open { Ok(()) } else { self.error("expected (") }
    }

    pub(crate) fn expect_close(&mut self) -> Result<()> {
        if self.next_token()? == Token::Close { Ok(()) } else { self.error("expected )") }
    }

    pub(crate) fn expect_numeral(&mut self) -> Result<Node> {
        match self.next_token()? {
            Token::Literal(Literal::Numeral) => Ok(self.tokens.node()),
            _ => self.error("expected a number"),
        }
    }

    /// Parses a symbol that is declared or bound here. Returns it, and its node.
    pub(crate) fn expect_new_name(&mut self) -> Result<(Symbol, Node)> {
        match self.next_token()? {
            Token::Name { symbol, quoted } => Ok((symbol, Node::name(symbol, quoted, Renaming::Renamed))),
            _ => self.error("expected a name"),
        }
    }

    /// The node for a use of a name. Only names that the script declares are renamed; labels that are used are
    /// recorded.
    pub(crate) fn name(&mut self, space: Space, symbol: Symbol, quoted: bool) -> Node {
        if self.options.official {
            return Node::name(symbol, quoted, Renaming::Renamed);
        }
        if self.scope.has(space, symbol) {
            return Node::name(symbol, quoted, Renaming::Renamed);
        }
        if space == Space::Sort {
            return Node::name(symbol, quoted, Renaming::Kept);
        }
        if let Some(constructor) = self.tested_constructor(symbol) {
            // A tester with its old name is-C becomes (_ is C), so that C can be renamed.
            let name = Node::name(constructor, false, Renaming::Renamed);
            return self.tree.list(&[Node::word(w::UNDERSCORE), Node::word(w::IS), name]);
        }
        let Some(Label { command, renaming }) = self.scope.label(symbol) else {
            return Node::name(symbol, quoted, Renaming::Kept);
        };
        self.uses_label = true;
        self.found_label |= self.labels.symbols.insert(symbol.index());
        if command == self.commands {
            self.found_label |= self.labels.unmoved.insert(command);
        }
        Node::name(symbol, quoted, renaming)
    }

    /// The constructor `C` that a tester `is-C` tests for, if the script declares it.
    fn tested_constructor(&self, symbol: Symbol) -> Option<Symbol> {
        let name = self.tokens.symbols.text(symbol).strip_prefix(b"is-")?;
        self.tokens.symbols.find(name).filter(|constructor| self.scope.has(Space::Function, *constructor))
    }

    /// Whether terms may be permuted in the current command.
    pub(crate) fn may_move(&self) -> bool {
        self.labels.unmoved.is_empty() || !self.labels.unmoved.contains(&self.commands)
    }

    /// Closes the list of the open nodes from index `base` on.
    pub(crate) fn close_list(&mut self, base: usize) -> Node {
        let list = self.tree.list(&self.open[base..]);
        self.open.truncate(base);
        list
    }

    /// Parses the rest of `(_ symbol index+)` after the underscore.
    pub(crate) fn indexed(&mut self) -> Result<Node> {
        let base = self.open.len();
        self.open.push(Node::word(w::UNDERSCORE));
        match self.next_token()? {
            Token::Name { .. } => self.open.push(self.tokens.node()),
            _ => return self.error("expected a name"),
        }
        let mut token = self.next_token()?;
        loop {
            let index = match token {
                Token::Literal(Literal::Numeral) => self.tokens.node(),
                Token::Name { symbol, quoted } if self.scope.has(Space::Sort, symbol) => {
                    Node::name(symbol, quoted, Renaming::Renamed)
                }
                Token::Name { symbol, quoted } => self.name(Space::Function, symbol, quoted),
                Token::Literal(_) if !self.options.official => self.tokens.node(),
                Token::Open if !self.options.official => self.index_list()?,
                _ => return self.error("expected an index: a number or a symbol"),
            };
            self.open.push(index);
            token = self.next_token()?;
            if token == Token::Close {
                return Ok(self.close_list(base));
            }
        }
    }

    /// Parses an index that is a list of names, after its opening parenthesis. Some solvers print a constructor with
    /// its rank this way.
    fn index_list(&mut self) -> Result<Node> {
        let mut bases = vec![self.open.len()];
        loop {
            match self.next_token()? {
                Token::Open => bases.push(self.open.len()),
                Token::Name { symbol, quoted } => {
                    let is_own = [Space::Function, Space::Sort].iter().any(|space| self.scope.has(*space, symbol));
                    let renaming = if is_own { Renaming::Renamed } else { Renaming::Kept };
                    self.open.push(Node::name(symbol, quoted, renaming));
                }
                Token::Literal(_) | Token::Reserved(_) => self.open.push(self.tokens.node()),
                Token::Close => {
                    let base = bases.pop().expect("one is left until the last parenthesis");
                    let list = self.close_list(base);
                    if bases.is_empty() {
                        return Ok(list);
                    }
                    self.open.push(list);
                }
                _ => return self.error("expected a name or )"),
            }
        }
    }

    /// Parses a sort.
    pub(crate) fn sort(&mut self) -> Result<Node> {
        let token = self.next_token()?;
        self.sort_from(token)
    }

    /// Parses a sort whose first token was read. Does not recurse, since sorts can be deep.
    pub(crate) fn sort_from(&mut self, mut token: Token) -> Result<Node> {
        let mut bases = vec![];
        loop {
            let sort = match token {
                Token::Name { symbol, quoted } => self.name(Space::Sort, symbol, quoted),
                Token::Open => match self.next_token()? {
                    Token::Reserved(w::UNDERSCORE) => self.indexed()?,
                    first => {
                        let head = self.sort_head(first)?;
                        bases.push(self.open.len());
                        self.open.push(head);
                        token = self.next_token()?;
                        continue;
                    }
                },
                _ => return self.error("expected a sort"),
            };
            match self.put(&mut bases, sort)? {
                ControlFlow::Break(sort) => return Ok(sort),
                ControlFlow::Continue(next) => token = next,
            }
        }
    }

    /// Parses the head of a sort with arguments: a name, or `(_ name index …)`.
    fn sort_head(&mut self, first: Token) -> Result<Node> {
        match first {
            Token::Name { symbol, quoted } => Ok(self.name(Space::Sort, symbol, quoted)),
            Token::Open if self.next_token()? == Token::Reserved(w::UNDERSCORE) => self.indexed(),
            _ => self.error("expected the name of a sort"),
        }
    }

    /// Adds a complete part to the innermost open list, and closes lists that end after it. Returns the next token, or
    /// the complete node if no list is open.
    fn put(&mut self, bases: &mut Vec<usize>, mut part: Node) -> Result<ControlFlow<Node, Token>> {
        while let Some(&base) = bases.last() {
            self.open.push(part);
            let token = self.next_token()?;
            if token != Token::Close {
                return Ok(ControlFlow::Continue(token));
            }
            bases.pop();
            part = self.close_list(base);
        }
        Ok(ControlFlow::Break(part))
    }

    /// Parses `((name sort) …)` after the first parenthesis. Each name is registered when its parenthesis closes, which
    /// determines its number.
    pub(crate) fn variables(&mut self) -> Result<Node> {
        let base = self.open.len();
        let mut token = self.next_token()?;
        while token != Token::Close {
            if token != Token::Open {
                return self.error("expected a variable with its sort: (name sort)");
            }
            let (symbol, name) = self.expect_new_name()?;
            let sort = self.sort()?;
            self.expect_close()?;
            self.names.register(symbol);
            let pair = self.tree.list(&[name, sort]);
            self.open.push(pair);
            token = self.next_token()?;
        }
        Ok(self.close_list(base))
    }

    /// Brings the names in a list of variables or of bindings of a `let` into scope.
    pub(crate) fn enter_all(&mut self, list: Node) {
        if !self.options.official {
            for &pair in self.tree.items(list) {
                self.scope.enter_node(Space::Function, self.tree.items(pair)[0]);
            }
        }
    }

    /// Ends the scope that [`Self::enter_all`] began.
    pub(crate) fn leave_all(&mut self, list: Node) {
        if !self.options.official {
            for &pair in self.tree.items(list) {
                self.scope.leave_node(Space::Function, self.tree.items(pair)[0]);
            }
        }
    }

    /// Parses the value of an attribute or option, whose first token was read. Nothing in it is renamed.
    pub(crate) fn value_from(&mut self, mut token: Token) -> Result<Node> {
        let mut bases: Vec<usize> = vec![];
        loop {
            let value = match token {
                Token::Literal(_) | Token::Name { .. } => self.tokens.node(),
                Token::Reserved(_) if !self.options.official => self.tokens.node(),
                Token::Keyword(symbol) if !bases.is_empty() && !self.is_reserved_keyword(symbol) => self.tokens.node(),
                Token::Open => {
                    bases.push(self.open.len());
                    token = self.next_token()?;
                    if token != Token::Close {
                        continue;
                    }
                    let base = bases.pop().expect("it was pushed just now");
                    self.close_list(base)
                }
                _ => return self.error("expected a value"),
            };
            match self.put(&mut bases, value)? {
                ControlFlow::Break(value) => return Ok(value),
                ControlFlow::Continue(next) => token = next,
            }
        }
    }

    pub(crate) fn is_reserved_keyword(&self, symbol: Symbol) -> bool {
        self.options.official && Word::of(symbol).is_some_and(|word| (w::NAMED..=w::WEIGHT).contains(&word))
    }
}

/// The numbers N of all occurrences of `smtcompN` in a script, even in comments and strings.
fn taken_numbers(script: &[u8]) -> BTreeSet<u64> {
    let number = |at: usize| {
        let digits: Vec<u8> =
            script[at + b"smtcomp".len()..].iter().copied().take_while(u8::is_ascii_digit).take(20).collect();
        String::from_utf8(digits).ok()?.parse().ok()
    };
    memchr::memmem::find_iter(script, b"smtcomp").filter_map(number).collect()
}
