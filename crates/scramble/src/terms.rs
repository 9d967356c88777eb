//! Parses terms, and permutes their parts when they close.
//!
//! Terms can be too deep for recursion, so there are two explicit stacks: `frames` has the unfinished terms, and `open`
//! the parts of each that are already complete. When a term is complete, its parts are moved from `open` to a list in
//! the tree, and that list becomes a part of the enclosing term.

use crate::error::ScrambleError;
use crate::keywords::{self as w, Word};
use crate::operators::Moves;
use crate::options::Annotations;
use crate::reader::ScriptReader;
use crate::scope::{Label, Space};
use crate::tokens::Token;
use crate::tree::{Node, NodeKind, Renaming, Tree};

type Result<T> = std::result::Result<T, ScrambleError>;

/// An unfinished term. `base` is the index in `open` of its first part; the variants describe the parts from there on.
#[derive(Clone, Copy, Debug)]
pub(crate) enum OpenTerm {
    /// The head and the arguments.
    Application { base: usize },
    /// `let` and the complete bindings, then the variable whose term is being read.
    Bindings { base: usize },
    /// `let` and the list of bindings. The body is being read.
    LetBody { base: usize },
    /// `forall`, `exists`, `lambda` or `choice`, and the list of variables. The body is being read.
    Binder { base: usize },
    /// `match`. The matched term is being read.
    Subject { base: usize },
    /// `match`, the matched term and the complete cases, then the pattern whose term is being read.
    Case { base: usize },
    /// `!`, the term, and the attributes.
    Annotation { base: usize },
    /// The terms of a pattern in an annotation.
    Pattern { base: usize },
}

/// How an unfinished term continues.
enum Next {
    /// Another term follows, of which this is the first token.
    Term(Token),
    /// The unfinished term is complete, and is now a part of the enclosing one.
    Closed(Node),
}

impl ScriptReader<'_> {
    /// Parses a term.
    pub(crate) fn term(&mut self) -> Result<Node> {
        let token = self.next_token()?;
        self.term_from(token)
    }

    /// Parses a term whose first token was read.
    pub(crate) fn term_from(&mut self, mut token: Token) -> Result<Node> {
        loop {
            let Some(mut term) = self.begin(token)? else {
                token = self.next_token()?;
                continue;
            };
            loop {
                let Some(&frame) = self.frames.last() else { return Ok(term) };
                match self.resume(frame, term)? {
                    Next::Closed(closed) => term = closed,
                    Next::Term(first) => {
                        token = first;
                        break;
                    }
                }
            }
        }
    }

    /// Begins a term. Returns the node of a term without subterms. For any other term, pushes a frame and returns
    /// `None`; the first subterm follows.
    fn begin(&mut self, token: Token) -> Result<Option<Node>> {
        match token {
            Token::Literal(_) => return Ok(Some(self.tokens.node())),
            Token::Name { symbol, quoted } => return Ok(Some(self.name(Space::Function, symbol, quoted))),
            Token::Open => {}
            _ => return self.error("expected a term"),
        }
        let base = self.open.len();
        match self.next_token()? {
            Token::Reserved(w::LET) => {
                self.open.push(Node::word(w::LET));
                self.expect_open()?;
                self.expect_open()?;
                let (_, variable) = self.expect_new_name()?;
                self.open.push(variable);
                self.frames.push(OpenTerm::Bindings { base });
            }
            Token::Reserved(word @ (w::FORALL | w::EXISTS)) => self.binder(word)?,
            Token::Reserved(w::MATCH) => {
                self.open.push(Node::word(w::MATCH));
                self.frames.push(OpenTerm::Subject { base });
            }
            Token::Reserved(w::BANG) => {
                self.open.push(Node::word(w::BANG));
                self.frames.push(OpenTerm::Annotation { base });
            }
            Token::Reserved(w::UNDERSCORE) => return self.indexed().map(Some),
            Token::Reserved(w::AS) => return self.qualified().map(Some),
            Token::Name { symbol, quoted } => {
                let head = self.name(Space::Function, symbol, quoted);
                let is_own = matches!(head.kind(), NodeKind::Name { renaming: Renaming::Renamed, .. });
                if let Some(binder @ (w::LAMBDA | w::CHOICE)) = Word::of(symbol)
                    && !is_own
                {
                    self.binder(binder)?;
                } else {
                    self.open.push(head);
                    self.frames.push(OpenTerm::Application { base });
                }
            }
            Token::Open => {
                let head = match self.next_token()? {
                    Token::Reserved(w::UNDERSCORE) => self.indexed()?,
                    Token::Reserved(w::AS) => self.qualified()?,
                    _ => return self.error("expected a function: a name, (_ name index) or (as name sort)"),
                };
                self.open.push(head);
                self.frames.push(OpenTerm::Application { base });
            }
            _ => return self.error("expected a function or the start of a term"),
        }
        Ok(None)
    }

    fn binder(&mut self, word: Word) -> Result<()> {
        let base = self.open.len();
        self.expect_open()?;
        self.open.push(Node::word(word));
        let variables = self.variables()?;
        if self.tree.items(variables).is_empty() {
            return self.error("expected a variable");
        }
        self.enter_all(variables);
        self.open.push(variables);
        self.frames.push(OpenTerm::Binder { base });
        Ok(())
    }

    /// Parses the rest of `(as identifier sort)` after `as`.
    fn qualified(&mut self) -> Result<Node> {
        let identifier = match self.next_token()? {
            Token::Name { symbol, quoted } => self.name(Space::Function, symbol, quoted),
            Token::Open if self.next_token()? == Token::Reserved(w::UNDERSCORE) => self.indexed()?,
            _ => return self.error("expected a name"),
        };
        let sort = self.sort()?;
        self.expect_close()?;
        Ok(self.tree.list(&[Node::word(w::AS), identifier, sort]))
    }

    /// Continues the innermost unfinished term after its subterm `term`.
    fn resume(&mut self, frame: OpenTerm, term: Node) -> Result<Next> {
        match frame {
            OpenTerm::Application { base } => {
                self.open.push(term);
                match self.next_token()? {
                    Token::Close => {
                        self.frames.pop();
                        self.apply(base).map(Next::Closed)
                    }
                    token => Ok(Next::Term(token)),
                }
            }
            OpenTerm::Bindings { base } => self.next_binding(base, term),
            OpenTerm::LetBody { base } => {
                let bindings = self.open[base + 1];
                self.leave_all(bindings);
                let closed = self.close_with(base, term)?;
                if self.may_move()
                    && !self.binds_twice(bindings)
                    && let Some(random) = &mut self.random
                {
                    random.shuffle(self.tree.items_mut(bindings));
                }
                Ok(Next::Closed(closed))
            }
            OpenTerm::Binder { base } => {
                self.leave_all(self.open[base + 1]);
                self.close_with(base, term).map(Next::Closed)
            }
            OpenTerm::Subject { base } => {
                self.open.push(term);
                self.expect_open()?;
                self.expect_open()?;
                self.frames.pop();
                self.frames.push(OpenTerm::Case { base });
                self.pattern_of_case()
            }
            OpenTerm::Case { base } => self.next_case(base, term),
            OpenTerm::Annotation { base } => {
                self.open.push(term);
                let token = self.next_token()?;
                if token == Token::Close {
                    return self.error("expected an attribute");
                }
                self.attributes(base, token)
            }
            OpenTerm::Pattern { base } => {
                self.open.push(term);
                match self.next_token()? {
                    Token::Close => {
                        let terms = self.close_list(base);
                        self.open.push(terms);
                        self.frames.pop();
                        let Some(&OpenTerm::Annotation { base }) = self.frames.last() else {
                            unreachable!("patterns are in annotations")
                        };
                        let token = self.next_token()?;
                        self.attributes(base, token)
                    }
                    token => Ok(Next::Term(token)),
                }
            }
        }
    }

    /// Whether a `let` binds a name twice. In that case the last binding counts, so the bindings must not be permuted.
    fn binds_twice(&self, bindings: Node) -> bool {
        if self.options.official {
            return false;
        }
        let symbol = |binding: &Node| match self.tree.items(*binding)[0].kind() {
            NodeKind::Name { symbol, .. } => Some(symbol),
            _ => None,
        };
        let bindings = self.tree.items(bindings);
        let mut symbols: Vec<_> = bindings.iter().map(symbol).collect();
        symbols.sort_unstable();
        symbols.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// Closes the innermost unfinished term after its last part.
    fn close_with(&mut self, base: usize, last: Node) -> Result<Node> {
        self.expect_close()?;
        self.frames.pop();
        self.open.push(last);
        Ok(self.close_list(base))
    }

    fn next_binding(&mut self, base: usize, term: Node) -> Result<Next> {
        self.expect_close()?;
        let variable = self.open.pop().expect("a binding begins with its variable");
        let binding = self.tree.list(&[variable, term]);
        self.open.push(binding);
        match self.next_token()? {
            Token::Open => {
                let (_, variable) = self.expect_new_name()?;
                self.open.push(variable);
            }
            Token::Close => {
                let bindings = self.close_list(base + 1);
                for &binding in self.tree.items(bindings) {
                    if let NodeKind::Name { symbol, .. } = self.tree.items(binding)[0].kind() {
                        self.names.register_index(symbol);
                    }
                }
                self.enter_all(bindings);
                self.open.push(bindings);
                self.frames.pop();
                self.frames.push(OpenTerm::LetBody { base });
            }
            _ => return self.error("expected another binding or )"),
        }
        self.next_token().map(Next::Term)
    }

    /// Parses the pattern of a case, after the parenthesis that opens the case. The term of the case follows.
    fn pattern_of_case(&mut self) -> Result<Next> {
        let pattern = match self.next_token()? {
            Token::Name { symbol, quoted } => {
                self.names.register(symbol);
                Node::name(symbol, quoted, Renaming::Renamed)
            }
            Token::Reserved(w::UNDERSCORE) if !self.options.official => self.tokens.node(),
            Token::Open => self.constructor_pattern()?,
            _ => return self.error("expected a pattern: a name, or (constructor variable …)"),
        };
        self.each_variable(pattern, |reader, variable| reader.scope.enter_node(Space::Function, variable));
        self.open.push(pattern);
        self.next_token().map(Next::Term)
    }

    /// Parses a pattern `(c a b)` after its parenthesis. The variables are registered before the constructor, as in the
    /// official tool, since the order determines the numbers.
    fn constructor_pattern(&mut self) -> Result<Node> {
        let base = self.open.len();
        let (constructor, name) = self.expect_new_name()?;
        self.open.push(name);
        loop {
            match self.next_token()? {
                Token::Name { symbol, quoted } => {
                    self.names.register(symbol);
                    self.open.push(Node::name(symbol, quoted, Renaming::Renamed));
                }
                Token::Reserved(w::UNDERSCORE) if !self.options.official => self.open.push(self.tokens.node()),
                Token::Close if self.open.len() > base + 1 => break,
                _ => return self.error("expected a variable"),
            }
        }
        self.names.register(constructor);
        Ok(self.close_list(base))
    }

    /// Calls `act` for each variable that a pattern of `match` binds.
    fn each_variable(&mut self, pattern: Node, act: impl Fn(&mut Self, Node)) {
        if self.options.official {
            return;
        }
        match pattern.kind() {
            // A single name is a constructor or a variable. Either way the script declares it.
            NodeKind::Name { .. } => act(self, pattern),
            _ => {
                for at in Tree::range(pattern).skip(1) {
                    act(self, self.tree.at(at));
                }
            }
        }
    }

    fn next_case(&mut self, base: usize, term: Node) -> Result<Next> {
        self.expect_close()?;
        let pattern = self.open.pop().expect("a case begins with its pattern");
        self.each_variable(pattern, |reader, variable| reader.scope.leave_node(Space::Function, variable));
        let case = self.tree.list(&[pattern, term]);
        self.open.push(case);
        match self.next_token()? {
            Token::Open => self.pattern_of_case(),
            Token::Close => {
                let cases = self.close_list(base + 2);
                self.close_with(base, cases).map(Next::Closed)
            }
            _ => self.error("expected another case or )"),
        }
    }

    /// Parses attributes, of which the first token was read, until the annotation closes or the first term of a pattern
    /// follows.
    fn attributes(&mut self, base: usize, mut token: Token) -> Result<Next> {
        loop {
            let keyword = match token {
                Token::Close => {
                    self.frames.pop();
                    return Ok(Next::Closed(self.annotate(base)));
                }
                Token::Keyword(symbol) => Word::of(symbol).filter(|word| (w::NAMED..=w::WEIGHT).contains(word)),
                _ => return self.error("expected an attribute such as :named or :pattern"),
            };
            let node = keyword.map_or_else(|| self.tokens.node(), Node::word);
            self.open.push(node);
            if self.options.official && !self.options.z3 && keyword.is_some_and(|word| word > w::PATTERN) {
                let word = keyword.map_or("", Word::text);
                return Err(ScrambleError::Official(format!(
                    "ERROR: Encountered z3-specific attribute: '{word}'. Maybe you want to re-run with '-support-z3 true'."
                )));
            }
            match keyword {
                Some(w::PATTERN | w::NO_PATTERN) => {
                    self.expect_open()?;
                    self.frames.push(OpenTerm::Pattern { base: self.open.len() });
                    return self.next_token().map(Next::Term);
                }
                Some(w::NAMED) => self.label()?,
                Some(w::QID | w::SKOLEMID) => {
                    let (symbol, name) = self.expect_new_name()?;
                    self.names.register(symbol);
                    self.open.push(name);
                }
                Some(w::LBLPOS | w::LBLNEG) => {
                    self.expect_new_name()?;
                    self.open.push(self.tokens.node());
                }
                Some(w::WEIGHT) if self.options.official => {
                    let weight = self.expect_numeral()?;
                    self.open.push(weight);
                }
                None if self.options.official => return self.error(""),
                // A nonstandard attribute may have any value, or none.
                _ => {
                    token = self.next_token()?;
                    if !matches!(token, Token::Keyword(_) | Token::Close) {
                        let value = self.value_from(token)?;
                        self.open.push(value);
                        token = self.next_token()?;
                    }
                    continue;
                }
            }
            token = self.next_token()?;
        }
    }

    /// Parses the name after `:named`.
    fn label(&mut self) -> Result<()> {
        let Token::Name { symbol, quoted } = self.next_token()? else {
            return self.error("expected a name");
        };
        if self.options.official {
            self.open.push(self.tokens.node());
            return Ok(());
        }
        // Labels keep their names, unless they could clash with new names.
        let text = self.tokens.symbols.text(symbol);
        let looks_new = [&b"x"[..], b"smtcomp"].iter().any(|prefix| {
            text.strip_prefix(*prefix).is_some_and(|rest| !rest.is_empty() && rest.iter().all(u8::is_ascii_digit))
        });
        let renaming = if looks_new { Renaming::Renamed } else { Renaming::Kept };
        if looks_new {
            self.names.register(symbol);
        }
        self.scope.set_label(symbol, Label { command: self.commands, renaming });
        self.open.push(Node::name(symbol, quoted, renaming));
        Ok(())
    }

    /// Closes an annotation, or drops it: see [`Annotations`].
    fn annotate(&mut self, base: usize) -> Node {
        let parts = &self.open[base..];
        let is_kept = match self.options.annotations {
            Annotations::All => true,
            Annotations::None => false,
            Annotations::Patterns => parts.len() == 4 && parts[2] == Node::word(w::PATTERN),
        };
        if is_kept {
            return self.close_list(base);
        }
        // A label that is used as a term must be kept.
        let used = parts.windows(2).filter(|pair| pair[0] == Node::word(w::NAMED) && self.labels.has(pair[1]));
        let labels: Vec<Node> = used.flatten().copied().collect();
        let node = if labels.is_empty() {
            self.tree.bare(parts)
        } else {
            let kept = [&parts[..2], &labels].concat();
            self.tree.list(&kept)
        };
        self.open.truncate(base);
        node
    }

    /// Closes an application and permutes its arguments.
    fn apply(&mut self, base: usize) -> Result<Node> {
        let moves = match self.operator(self.open[base]) {
            Some(operator @ (w::AND | w::OR | w::XOR | w::DISTINCT)) => {
                self.theories.unwrap_or_default().moves(operator)
            }
            operator => {
                if self.theories.is_none() && self.options.official {
                    return Err(ScrambleError::Official("ERROR logic has not been set".into()));
                }
                operator.map_or(Moves::None, |operator| self.theories.unwrap_or_default().moves(operator))
            }
        };
        if self.may_move()
            && let Some(random) = &mut self.random
        {
            let arguments = &mut self.open[base + 1..];
            match moves {
                Moves::Shuffle { from } if from < arguments.len() => random.shuffle(&mut arguments[from..]),
                Moves::Shuffle { .. } if self.options.official => {
                    return Err(ScrambleError::Official("ERROR: the official scrambler divides by zero here".into()));
                }
                Moves::Shuffle { .. } => {}
                Moves::Mirror(mirrored) => {
                    if random.draw(2) == 1 {
                        arguments.reverse();
                        self.open[base] = Node::word(mirrored);
                    }
                }
                // The official tool draws a number here too. To produce its output, the same numbers must be drawn.
                Moves::None => _ = random.draw(2),
            }
        }
        Ok(self.close_list(base))
    }

    /// The theory operator that is the head of an application. A declared or quoted symbol is not an operator.
    fn operator(&self, head: Node) -> Option<Word> {
        let name = match head.kind() {
            NodeKind::List { .. } => {
                let parts = self.tree.items(head);
                (parts[0] == Node::word(w::AS)).then(|| parts[1])?
            }
            _ => head,
        };
        match name.kind() {
            NodeKind::Name { symbol, quoted: false, renaming }
                if self.options.official || renaming == Renaming::Kept =>
            {
                Word::of(self.tokens.symbols.at(symbol as usize)?).filter(|word| *word >= w::AND)
            }
            _ => None,
        }
    }
}
