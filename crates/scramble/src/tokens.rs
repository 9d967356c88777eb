//! The tokens of a script, with interned names.

use crate::error::ScrambleError;
use crate::keywords::Word;
use crate::official_lexer::OfficialLexer;
use crate::tree::{LONGEST, Node, NodeKind};
use agon_smtlib::{Lexer, Symbol, Symbols, Token as Standard};
use std::ops::Range;

/// The kind of a literal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Literal {
    Numeral,
    Decimal,
    Hexadecimal,
    Binary,
    String,
}

/// The kind of a token, as a lexer reports it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Open,
    Close,
    Symbol,
    Quoted,
    Keyword,
    Literal(Literal),
}

/// A token of the grammar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Open,
    Close,
    /// A name that is not a reserved word.
    Name {
        symbol: Symbol,
        quoted: bool,
    },
    /// A reserved word.
    Reserved(Word),
    Keyword(Symbol),
    Literal(Literal),
    /// The end of the script.
    End,
}

/// The lexer that is used.
#[derive(Debug)]
enum Source<'a> {
    Standard(Lexer<'a>),
    Official(OfficialLexer<'a>),
}

/// Reads a script token by token, without lookahead.
#[derive(Debug)]
pub(crate) struct Tokens<'a> {
    script: &'a [u8],
    source: Source<'a>,
    pub(crate) symbols: Symbols,
    /// The range of the last token.
    pub(crate) place: Range<usize>,
}

impl<'a> Tokens<'a> {
    /// Reads a script as SMT-LIB defines it.
    pub(crate) fn standard(script: &'a [u8]) -> Self {
        Self { script, source: Source::Standard(Lexer::new(script)), symbols: Word::table(), place: 0..0 }
    }

    /// Reads a script as the official scrambler does.
    pub(crate) fn official(script: &'a [u8]) -> Self {
        Self { script, source: Source::Official(OfficialLexer::new(script)), symbols: Word::table(), place: 0..0 }
    }

    /// Reads the next token. Its range is then in `place`.
    pub(crate) fn next_token(&mut self) -> Result<Token, ScrambleError> {
        let (place, shape) = match &mut self.source {
            Source::Official(lexer) => match lexer.next_token() {
                Some(found) => found,
                None => return Ok(self.end(lexer_offset(&self.source))),
            },
            Source::Standard(lexer) => match lexer.next_token() {
                Err(fault) => return Err(ScrambleError::at(self.script, fault.offset, fault.kind.to_string())),
                Ok(None) => return Ok(self.end(self.script.len())),
                Ok(Some((place, token))) => (place, shape(token)),
            },
        };
        if place.len() > LONGEST {
            return Err(ScrambleError::at(self.script, place.start, "this token is longer than 512 MB".into()));
        }
        self.place = place.clone();
        let text = &self.script[place];
        Ok(match shape {
            Shape::Open => Token::Open,
            Shape::Close => Token::Close,
            Shape::Literal(literal) => Token::Literal(literal),
            Shape::Keyword => Token::Keyword(self.symbols.intern(text)),
            Shape::Quoted => Token::Name { symbol: self.symbols.intern(&text[1..text.len() - 1]), quoted: true },
            Shape::Symbol => {
                let symbol = self.symbols.intern(text);
                let is_reserved = match self.source {
                    Source::Standard(_) => Word::is_reserved,
                    Source::Official(_) => Word::is_reserved_officially,
                };
                match Word::of(symbol) {
                    Some(word) if is_reserved(word) => Token::Reserved(word),
                    _ => Token::Name { symbol, quoted: false },
                }
            }
        })
    }

    fn end(&mut self, offset: usize) -> Token {
        self.place = offset..offset;
        Token::End
    }

    pub(crate) fn is_official(&self) -> bool {
        matches!(self.source, Source::Official(_))
    }

    /// Whether the official tool would stop after the current command.
    pub(crate) fn seen_end(&self) -> bool {
        matches!(&self.source, Source::Official(lexer) if lexer.seen_end())
    }

    /// Takes the bytes that the official tool copies to its output.
    pub(crate) fn take_junk(&mut self) -> Vec<u8> {
        match &mut self.source {
            Source::Standard(_) => vec![],
            Source::Official(lexer) => lexer.take_junk(),
        }
    }

    /// The last token as a node that is printed as written.
    pub(crate) fn node(&self) -> Node {
        Node::text(self.place.clone())
    }

    /// The text of the last token.
    pub(crate) fn text(&self) -> &'a [u8] {
        &self.script[self.place.clone()]
    }

    /// The text in this range of the script.
    pub(crate) fn script_at(&self, place: Range<usize>) -> &'a [u8] {
        &self.script[place]
    }

    /// The text of a node that is a part of the script; empty for other nodes.
    pub(crate) fn script_of(&self, node: Node) -> &'a [u8] {
        match node.kind() {
            NodeKind::Text { start, len } => self.script_at(start as usize..start as usize + len as usize),
            _ => &[],
        }
    }

    /// The spelling of the symbol with this index.
    pub(crate) fn spelling(&self, symbol: u32) -> &[u8] {
        self.symbols.at(symbol as usize).map_or(&[], |symbol| self.symbols.text(symbol))
    }

    /// The spelling of the name in a node.
    pub(crate) fn name_of(&self, node: Node) -> Option<Vec<u8>> {
        match node.kind() {
            NodeKind::Name { symbol, .. } => Some(self.spelling(symbol).to_vec()),
            _ => None,
        }
    }

    /// An error at the last token.
    pub(crate) fn error(&self, message: impl Into<String>) -> ScrambleError {
        if self.is_official() {
            return ScrambleError::Official("ERROR: syntax error".into());
        }
        let message = message.into();
        let message =
            if self.place.start == self.script.len() { format!("{message}; the file ends here") } else { message };
        ScrambleError::at(self.script, self.place.start, message)
    }
}

fn lexer_offset(source: &Source<'_>) -> usize {
    match source {
        Source::Standard(_) => 0,
        Source::Official(lexer) => lexer.offset(),
    }
}

fn shape(token: Standard<'_>) -> Shape {
    match token {
        Standard::Open => Shape::Open,
        Standard::Close => Shape::Close,
        Standard::Numeral(_) => Shape::Literal(Literal::Numeral),
        Standard::Decimal(_) => Shape::Literal(Literal::Decimal),
        Standard::Hexadecimal(_) => Shape::Literal(Literal::Hexadecimal),
        Standard::Binary(_) => Shape::Literal(Literal::Binary),
        Standard::String(_) => Shape::Literal(Literal::String),
        Standard::Symbol(_) => Shape::Symbol,
        Standard::Quoted(_) => Shape::Quoted,
        Standard::Keyword(_) => Shape::Keyword,
    }
}
