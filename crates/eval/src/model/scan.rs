//! A first scan of a model's tokens, before any of it is parsed.

use crate::model::{ModelFault, lossy, malformed};
use agon_smtlib::{Code, Lexer, Position, Token};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// An item of a model, such as a definition: its first word, and its ranges in the text.
pub(crate) struct Item<'a> {
    pub(crate) word: &'a [u8],
    /// The range from the opening parenthesis to the closing one.
    pub(crate) all: Range<usize>,
    /// The range after the first word, up to and including the closing parenthesis.
    pub(crate) rest: Range<usize>,
}

/// The result of scanning a model's tokens.
pub(crate) struct Scan<'a> {
    pub(crate) items: Vec<Item<'a>>,
    /// Names after `as`, each with the range of its sort.
    pub(crate) qualified: Vec<(&'a [u8], Range<usize>)>,
    /// Names that look like elements of declared sorts, but are used without `as`.
    pub(crate) loose: Vec<&'a [u8]>,
}

impl<'a> Scan<'a> {
    pub(crate) fn of(text: &'a [u8]) -> Result<Self, ModelFault> {
        let mut lexer = Lexer::new(text);
        let mut scan = Self { items: vec![], qualified: vec![], loose: vec![] };
        let mut seen_qualified: FxHashSet<(&[u8], &[u8])> = FxHashSet::default();
        let mut seen_loose: FxHashSet<&[u8]> = FxHashSet::default();
        let mut depth = 0_usize;
        let mut from = 0;
        // `after_as` is set after `(as`. `sort` has the name that follows, the start of its sort (0 until it is known),
        // and the depth at the name.
        let mut after_as = false;
        let mut sort: Option<(&[u8], usize, usize)> = None;
        let mut previous = Token::Close;
        loop {
            let (place, token) = next(&mut lexer, text)?;
            if let Some((name, start, outer)) = sort {
                let start = if start == 0 { place.start } else { start };
                sort = Some((name, start, outer));
                let ends = match token {
                    Token::Open => false,
                    Token::Close => depth == outer + 1,
                    _ => depth == outer,
                };
                if ends {
                    let range = start..place.end;
                    if seen_qualified.insert((name, &text[range.clone()])) {
                        scan.qualified.push((name, range));
                    }
                    sort = None;
                }
            }
            match token {
                Token::Open => {
                    depth += 1;
                    if depth == 2 {
                        from = place.start;
                    }
                    if depth == 1 && !only_comments(&text[..place.start]) {
                        return malformed("there is text before it");
                    }
                }
                Token::Close => {
                    if depth == 0 {
                        return malformed("it begins with a closing parenthesis");
                    }
                    depth -= 1;
                    if depth == 0 {
                        return Ok(scan);
                    }
                    if depth == 1 {
                        let Some(item) = scan.items.last_mut().filter(|item| item.all.start == from) else {
                            return malformed("an item does not begin with a command");
                        };
                        item.all.end = place.end;
                        item.rest.end = place.end;
                    }
                }
                Token::Symbol(word) | Token::Quoted(word) => {
                    if depth == 0 {
                        return malformed("it does not begin with a parenthesis");
                    }
                    if depth == 1 && !(word == b"model" && scan.items.is_empty()) {
                        return malformed(format!("'{}' does not belong in a model", lossy(word)));
                    }
                    if depth == 2 && previous == Token::Open {
                        scan.items.push(Item { word, all: from..from, rest: place.end..place.end });
                    } else if after_as {
                        sort = Some((word, 0, depth));
                    } else if (word.first() == Some(&b'@') || word.windows(5).any(|part| part == b"!val!"))
                        && seen_loose.insert(word)
                    {
                        scan.loose.push(word);
                    }
                }
                _ if depth <= 1 => return malformed("it has a literal where a definition is expected"),
                _ => {}
            }
            after_as = previous == Token::Open && matches!(token, Token::Symbol(b"as")) && depth > 2;
            previous = token;
        }
    }
}

/// The next token. A model that ends in the middle of one is cut off.
fn next<'a>(lexer: &mut Lexer<'a>, text: &[u8]) -> Result<(Range<usize>, Token<'a>), ModelFault> {
    match lexer.next_token() {
        Ok(Some(found)) => Ok(found),
        Ok(None) => Err(ModelFault::Cut),
        Err(error) => {
            let is_open = matches!(error.kind.code(), Code::OpenString | Code::OpenQuoted | Code::OpenComment);
            // An invalid token at the end of the text may be a truncated literal.
            let ends = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b'(' | b')');
            if is_open || !text[error.offset..].trim_ascii_end().iter().any(ends) {
                return Err(ModelFault::Cut);
            }
            let position = Position::START.after(&text[..error.offset]);
            malformed(format!("line {}, column {}: {}", position.line, position.column, error.kind))
        }
    }
}

/// Whether a text contains only white space and comments.
fn only_comments(text: &[u8]) -> bool {
    matches!(Lexer::new(text).next_token(), Ok(None))
}
