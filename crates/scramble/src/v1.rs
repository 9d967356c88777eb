//! Scrambles benchmarks of SMT-LIB 1.2 (R08-3.3, R08-4.22).
//!
//! As in version 2, declared and bound names are replaced, and declarations, assumptions and the arguments of
//! commutative connectives are permuted. Everything that reveals the origin of a benchmark is removed: its name, its
//! status and its texts. Patterns are kept or removed: `+p` and `-p` of the 2008 rules (R08-4.3).

use crate::error::ScrambleError;
use crate::generator::Generator;
use crate::keywords::{self as w, Word};
use crate::name_map::NameMap;
use crate::names::Names;
use crate::operators::{Moves, Theories};
use crate::options::{Annotations, Options};
use crate::scope::{Scope, Space};
use crate::scramble::{Scrambled, check_length};
use crate::tree::{Node, NodeKind, Renaming, Tree};
use agon_domain::Status;
use agon_smtlib::{Symbols, V1Lexer, V1Token as Token};
use std::io::Write;

type Result<T> = std::result::Result<T, ScrambleError>;

/// Scrambles a benchmark of version 1.2. Writes nothing to `out` if the benchmark is rejected.
pub fn scramble_v1(script: &[u8], options: &Options, out: &mut impl Write) -> Result<Scrambled> {
    check_length(script)?;
    if options.unsat_core || options.model || options.proof {
        return Err(ScrambleError::at(
            script,
            0,
            "SMT-LIB 1.2 has no command for an unsat core, a model or a proof".into(),
        ));
    }
    let mut reader = V1Scrambler {
        script,
        lexer: V1Lexer::new(script),
        place: 0,
        random: (options.seed != 0).then(|| Generator::new(options.seed)),
        keep_patterns: options.annotations != Annotations::None,
        theories: Theories::default(),
        symbols: Word::table(),
        names: Names::default(),
        scope: Scope::default(),
        tree: Tree::default(),
        open: vec![],
        attributes: vec![],
        status: Status::Unknown,
    };
    reader.benchmark()?;
    let asserts = reader.attributes.iter().filter(|(kind, _)| *kind >= Kept::Assumption).count() as u64;
    let text = reader.finish();
    if !options.count_asserts {
        out.write_all(&text)?;
    }
    let names = match reader.random {
        Some(_) => NameMap::of_symbols(&reader.names, &reader.symbols, sigil),
        None => NameMap::default(),
    };
    Ok(Scrambled { names, asserts, statuses: vec![reader.status] })
}

/// The attributes of a benchmark that are kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kept {
    Logic,
    Sorts,
    Functions,
    Predicates,
    Assumption,
    Formula,
}

struct V1Scrambler<'a> {
    script: &'a [u8],
    lexer: V1Lexer<'a>,
    /// The offset of the last token.
    place: usize,
    random: Option<Generator>,
    keep_patterns: bool,
    theories: Theories,
    symbols: Symbols,
    names: Names,
    scope: Scope,
    tree: Tree,
    open: Vec<Node>,
    attributes: Vec<(Kept, Node)>,
    status: Status,
}

/// The prefix `?` or `$` of a variable, which is kept; empty for other names.
fn sigil(spelling: &[u8]) -> &[u8] {
    if matches!(spelling.first(), Some(b'?' | b'$')) { &spelling[..1] } else { &[] }
}

impl<'a> V1Scrambler<'a> {
    fn error<T>(&self, message: &str) -> Result<T> {
        Err(ScrambleError::at(self.script, self.place, message.into()))
    }

    fn next_token(&mut self) -> Result<Token<'a>> {
        match self.lexer.next_token() {
            Some((place, token)) => {
                self.place = place;
                Ok(token)
            }
            None => {
                self.place = self.script.len();
                self.error("the file ends inside the benchmark")
            }
        }
    }

    fn word(&mut self) -> Result<&'a [u8]> {
        match self.next_token()? {
            Token::Word(word) => Ok(word),
            _ => self.error("expected a name"),
        }
    }

    /// The last token, to be printed as written.
    fn text(&self) -> Node {
        Node::text(self.place..self.lexer.offset())
    }

    fn benchmark(&mut self) -> Result<()> {
        if self.next_token()? != Token::Open || self.word()? != b"benchmark" {
            return self.error("a benchmark of SMT-LIB 1.2 must start with (benchmark");
        }
        if !matches!(self.next_token()?, Token::Word(_) | Token::Numeral(_) | Token::Rational(_)) {
            return self.error("expected the name of the benchmark");
        }
        let mut token = self.next_token()?;
        loop {
            let attribute = match token {
                Token::Close => break,
                Token::Attribute(attribute) => attribute,
                _ => return self.error("expected an attribute such as :formula"),
            };
            token = self.next_token()?;
            let kept = match attribute {
                b":logic" => {
                    let Token::Word(logic) = token else { return self.error("expected the name of a logic") };
                    self.theories = Theories::of(logic);
                    (Kept::Logic, self.text())
                }
                b":extrasorts" => (Kept::Sorts, self.declared_sorts(token)?),
                b":extrafuns" => (Kept::Functions, self.declared_functions(token)?),
                b":extrapreds" => (Kept::Predicates, self.declared_functions(token)?),
                b":assumption" => (Kept::Assumption, self.expression(token)?),
                b":formula" => (Kept::Formula, self.expression(token)?),
                _ => {
                    match token {
                        Token::Attribute(_) | Token::Close => continue,
                        Token::OpenBrace if self.lexer.user_text().is_none() => {
                            return self.error("this text has no closing }");
                        }
                        Token::Word(word) if attribute == b":status" => {
                            self.status = Status::read(word).unwrap_or_default();
                        }
                        _ => {}
                    }
                    token = self.next_token()?;
                    continue;
                }
            };
            self.attributes.push(kept);
            token = self.next_token()?;
        }
        // Solvers stop reading here, and some files end with a superfluous parenthesis, so the rest is ignored.
        Ok(())
    }

    fn close(&mut self, base: usize) -> Node {
        let list = self.tree.list(&self.open[base..]);
        self.open.truncate(base);
        list
    }

    /// Declares a name, and returns its node.
    fn declare(&mut self, space: Space, name: &[u8]) -> Node {
        let symbol = self.symbols.intern(name);
        self.names.register(symbol);
        self.scope.enter(space, symbol);
        Node::name(symbol, false, Renaming::Renamed)
    }

    /// The node for a use of a name.
    fn name(&mut self, space: Space, name: &[u8]) -> Node {
        let symbol = self.symbols.intern(name);
        let renaming = if self.scope.has(space, symbol) { Renaming::Renamed } else { Renaming::Kept };
        Node::name(symbol, false, renaming)
    }

    fn declared_sorts(&mut self, token: Token<'_>) -> Result<Node> {
        if token != Token::Open {
            return self.error("expected (");
        }
        let base = self.open.len();
        loop {
            let sort = match self.next_token()? {
                Token::Close => return Ok(self.shuffled(base)),
                Token::Word(name) => self.declare(Space::Sort, name),
                _ => return self.error("expected the name of a sort or )"),
            };
            self.open.push(sort);
        }
    }

    /// Parses `((name sort …) …)`, whose first token was read. Annotations are dropped.
    fn declared_functions(&mut self, token: Token<'_>) -> Result<Node> {
        if token != Token::Open {
            return self.error("expected (");
        }
        let base = self.open.len();
        loop {
            match self.next_token()? {
                Token::Close => return Ok(self.shuffled(base)),
                Token::Open => {}
                _ => return self.error("expected a declaration (name sort …) or )"),
            }
            let inner = self.open.len();
            let name = self.word()?;
            let name = self.declare(Space::Function, name);
            self.open.push(name);
            loop {
                match self.next_token()? {
                    Token::Close => break,
                    Token::Word(sort) => {
                        let sort = self.name(Space::Sort, sort);
                        self.open.push(sort);
                    }
                    Token::Attribute(_) => {}
                    Token::OpenBrace if self.lexer.user_text().is_some() => {}
                    _ => return self.error("expected a sort or )"),
                }
            }
            let declaration = self.close(inner);
            self.open.push(declaration);
        }
    }

    fn shuffled(&mut self, base: usize) -> Node {
        if let Some(random) = &mut self.random {
            random.shuffle(&mut self.open[base..]);
        }
        self.close(base)
    }

    /// Parses a term or formula, whose first token was read. Does not recurse, since terms can be deep.
    fn expression(&mut self, mut token: Token<'a>) -> Result<Node> {
        // For each open list, the index of its first open node, and whether it is a pattern in braces.
        let mut lists: Vec<(usize, bool)> = vec![];
        loop {
            let node = match token {
                Token::Open => {
                    lists.push((self.open.len(), false));
                    token = self.next_token()?;
                    continue;
                }
                Token::Attribute(attribute) if !lists.is_empty() => {
                    let is_pattern = matches!(attribute, b":pat" | b":nopat");
                    let keyword = self.text();
                    token = self.next_token()?;
                    if token != Token::OpenBrace {
                        continue;
                    }
                    if is_pattern && self.keep_patterns {
                        self.open.push(keyword);
                        lists.push((self.open.len(), true));
                        self.open.push(Node::word(w::BRACES));
                    } else if self.lexer.user_text().is_none() {
                        return self.error("this text has no closing }");
                    }
                    token = self.next_token()?;
                    continue;
                }
                Token::Close if lists.last().is_some_and(|(base, braces)| !braces && self.open.len() > *base) => {
                    let (base, _) = lists.pop().expect("it was looked at");
                    self.apply(base)
                }
                Token::CloseBrace if lists.last().is_some_and(|(_, braces)| *braces) => {
                    let (base, _) = lists.pop().expect("it was looked at");
                    self.close(base)
                }
                Token::Word(word) => self.atom(word, &lists),
                Token::Numeral(_) | Token::Rational(_) | Token::String(_) => self.text(),
                _ => return self.error("expected a term or formula"),
            };
            if lists.is_empty() {
                return Ok(node);
            }
            self.open.push(node);
            token = self.next_token()?;
        }
    }

    /// The node for a word in a term. Every occurrence of a variable is renamed, since it starts with `?` or `$`.
    fn atom(&mut self, word: &[u8], lists: &[(usize, bool)]) -> Node {
        if !sigil(word).is_empty() {
            return self.declare(Space::Function, word);
        }
        // In (forall (?x Sort) …), the word after the variable is a sort.
        let is_sort = match lists {
            [.., (outer, false), (inner, false)] if outer < inner && self.open.len() == inner + 1 => {
                let quantifier = [w::FORALL, w::EXISTS].contains(&self.word_of(self.open[*outer]).unwrap_or(w::LET));
                quantifier && self.is_variable(self.open[*inner])
            }
            _ => false,
        };
        self.name(if is_sort { Space::Sort } else { Space::Function }, word)
    }

    fn is_variable(&self, node: Node) -> bool {
        matches!(node.kind(), NodeKind::Name { symbol, .. } if !sigil(self.spelling(symbol)).is_empty())
    }

    fn spelling(&self, symbol: u32) -> &[u8] {
        self.symbols.at(symbol as usize).map_or(&[], |symbol| self.symbols.text(symbol))
    }

    /// The word of a node, unless the benchmark declares a symbol of that name.
    fn word_of(&self, node: Node) -> Option<Word> {
        match node.kind() {
            NodeKind::Name { symbol, renaming: Renaming::Kept, .. } => Word::of(self.symbols.at(symbol as usize)?),
            _ => None,
        }
    }

    /// Closes a list and permutes its arguments. Annotations at its end are not moved.
    fn apply(&mut self, base: usize) -> Node {
        let head = self.open[base];
        let arguments = self.open[base..].iter().position(|node| self.is_annotation(*node));
        let end = arguments.map_or(self.open.len(), |at| base + at);
        let moves = match self.word_of(head) {
            Some(w::LET | w::FLET | w::FORALL | w::EXISTS) => return self.close(base),
            Some(w::IFF) => Moves::Shuffle { from: 0 },
            Some(word) => self.theories.moves(word),
            None if self.is_variable(head) => return self.close(base),
            None => Moves::None,
        };
        if let Some(random) = &mut self.random {
            let arguments = &mut self.open[base + 1..end.max(base + 1)];
            match moves {
                Moves::Shuffle { from } if from < arguments.len() => random.shuffle(&mut arguments[from..]),
                Moves::Mirror(mirrored) if random.draw(2) == 1 => {
                    arguments.reverse();
                    self.open[base] = Node::word(mirrored);
                }
                _ => {}
            }
        }
        self.close(base)
    }

    fn is_annotation(&self, node: Node) -> bool {
        matches!(node.kind(), NodeKind::Text { start, .. } if self.script[start as usize] == b':')
    }

    /// Permutes consecutive assumptions, assigns the new names, and prints the benchmark.
    fn finish(&mut self) -> Vec<u8> {
        if let Some(random) = &mut self.random {
            for run in self.attributes.chunk_by_mut(|(a, _), (b, _)| *a == Kept::Assumption && a == b) {
                random.shuffle(run);
            }
            self.names.permute(random);
        }
        let mut out = b"(benchmark scrambled\n:status unknown\n".to_vec();
        for &(kept, node) in &self.attributes {
            out.extend_from_slice(match kept {
                Kept::Logic => b":logic ",
                Kept::Sorts => b":extrasorts ",
                Kept::Functions => b":extrafuns ",
                Kept::Predicates => b":extrapreds ",
                Kept::Assumption => b":assumption ",
                Kept::Formula => b":formula ",
            });
            self.print(node, &mut out);
            out.push(b'\n');
        }
        out.extend_from_slice(b")\n");
        out
    }

    fn print(&self, root: Node, out: &mut Vec<u8>) {
        // For each open list, the positions of its next item and of its end, and its closing character.
        let mut open: Vec<(usize, usize, u8)> = vec![];
        let mut node = root;
        loop {
            match node.kind() {
                NodeKind::List { .. } => {
                    let place = Tree::range(node);
                    if self.tree.items(node).first() == Some(&Node::word(w::BRACES)) {
                        out.push(b'{');
                        open.push((place.start + 1, place.end, b'}'));
                    } else {
                        out.push(b'(');
                        open.push((place.start, place.end, b')'));
                    }
                }
                NodeKind::Text { start, len } => {
                    out.extend_from_slice(&self.script[start as usize..start as usize + len as usize]);
                }
                NodeKind::Word(word) => out.extend_from_slice(word.text().as_bytes()),
                NodeKind::Name { symbol, renaming, .. } => {
                    let spelling = self.spelling(symbol);
                    match self.names.number(symbol).filter(|_| renaming == Renaming::Renamed && self.random.is_some()) {
                        Some(number) => {
                            out.extend_from_slice(sigil(spelling));
                            let _ = write!(out, "x{number}");
                        }
                        None => out.extend_from_slice(spelling),
                    }
                }
                NodeKind::Bare { .. } => unreachable!("annotations are dropped while reading"),
            }
            loop {
                match open.last_mut() {
                    None => return,
                    Some((next, end, _)) if *next < *end => {
                        if !matches!(out.last(), Some(b'(' | b'{')) {
                            out.push(b' ');
                        }
                        node = self.tree.at(*next);
                        *next += 1;
                        break;
                    }
                    Some((_, _, close)) => {
                        out.push(*close);
                        open.pop();
                    }
                }
            }
        }
    }
}
