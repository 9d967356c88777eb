//! The tokens of one command, with one token of look-ahead.

use super::{Checked, Checker, Stop};
use crate::diagnostic::Code;
use crate::token::{Lexer, Token};

pub(crate) struct Cursor<'a> {
    pub(crate) text: &'a [u8],
    lexer: Lexer<'a>,
    /// The next token, with the offsets of its start and end.
    peeked: Option<(usize, usize, Token<'a>)>,
    /// The offset at which the last token starts.
    pub(crate) place: usize,
    /// The offset at which the last token ends.
    end: usize,
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(text: &'a [u8]) -> Self {
        Self { text, lexer: Lexer::new(text), peeked: None, place: 0, end: 0 }
    }

    /// Whether no token is left.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.peeked.is_none() && matches!(self.lexer.next_token(), Ok(None))
    }

    /// Puts back the opening parenthesis that was just taken.
    pub(super) fn unread_open(&mut self) {
        self.peeked = Some((self.place, self.end, Token::Open));
    }

    /// The text from this offset to the end of the last token.
    pub(super) fn since(&self, from: usize) -> &'a [u8] {
        &self.text[from..self.end]
    }
}

/// A token as shown in messages.
pub(super) fn shown(token: Token<'_>) -> String {
    match token {
        Token::Open => "(".to_owned(),
        Token::Close => ")".to_owned(),
        Token::String(_) => "a string".to_owned(),
        Token::Numeral(_) => "a numeral".to_owned(),
        Token::Decimal(_) => "a decimal".to_owned(),
        Token::Hexadecimal(_) | Token::Binary(_) => "a bit-vector literal".to_owned(),
        Token::Symbol(text) | Token::Quoted(text) | Token::Keyword(text) => {
            let text = &text[..text.len().min(60)];
            format!("'{}'", String::from_utf8_lossy(text))
        }
    }
}

/// Reserved words, which can be names only as quoted symbols: `|let|`.
pub(super) const RESERVED: [&[u8]; 13] = [
    b"_",
    b"!",
    b"as",
    b"let",
    b"forall",
    b"exists",
    b"match",
    b"par",
    b"BINARY",
    b"DECIMAL",
    b"HEXADECIMAL",
    b"NUMERAL",
    b"STRING",
];

pub(crate) fn is_reserved(word: &[u8]) -> bool {
    RESERVED.contains(&word)
}

impl Checker {
    pub(super) fn next<'a>(&mut self, cursor: &mut Cursor<'a>) -> Checked<Token<'a>> {
        if let Some((place, end, token)) = cursor.peeked.take() {
            cursor.place = place;
            cursor.end = end;
            return Ok(token);
        }
        match cursor.lexer.next_token() {
            Ok(Some((range, token))) => {
                cursor.place = range.start;
                cursor.end = range.end;
                Ok(token)
            }
            Ok(None) => {
                cursor.place = cursor.text.len();
                // The splitter has already reported an unclosed command, at its start.
                Err(Stop)
            }
            Err(fault) => {
                self.report(cursor.text, fault.offset, fault.kind.code(), fault.kind.to_string());
                Err(Stop)
            }
        }
    }

    pub(super) fn peek<'a>(&mut self, cursor: &mut Cursor<'a>) -> Checked<Token<'a>> {
        if let Some((_, _, token)) = cursor.peeked {
            return Ok(token);
        }
        let (place, end) = (cursor.place, cursor.end);
        let token = self.next(cursor)?;
        cursor.peeked = Some((cursor.place, cursor.end, token));
        (cursor.place, cursor.end) = (place, end);
        Ok(token)
    }

    /// Reports that `expected` was expected instead of the last token.
    pub(super) fn unexpected<T>(&mut self, cursor: &Cursor<'_>, found: Token<'_>, expected: &str) -> Checked<T> {
        let message = format!("expected {expected}, found {}", shown(found));
        self.report(cursor.text, cursor.place, Code::Unexpected, message);
        Err(Stop)
    }

    /// Reports that the last token is a reserved word, and something else was expected.
    pub(super) fn reserved<T>(&mut self, cursor: &Cursor<'_>, word: &[u8], expected: &str) -> Checked<T> {
        let message = format!("expected {expected}, found the reserved word '{}'", String::from_utf8_lossy(word));
        self.report(cursor.text, cursor.place, Code::Reserved, message);
        Err(Stop)
    }

    pub(super) fn expect_open(&mut self, cursor: &mut Cursor<'_>, what: &str) -> Checked<()> {
        match self.next(cursor)? {
            Token::Open => Ok(()),
            other => self.unexpected(cursor, other, &format!("( before {what}")),
        }
    }

    pub(super) fn expect_close(&mut self, cursor: &mut Cursor<'_>, what: &str) -> Checked<()> {
        match self.next(cursor)? {
            Token::Close => Ok(()),
            other => self.unexpected(cursor, other, &format!(") after {what}")),
        }
    }

    /// Whether the next token is `)`, which is then consumed.
    pub(super) fn at_close(&mut self, cursor: &mut Cursor<'_>) -> Checked<bool> {
        let close = self.peek(cursor)? == Token::Close;
        if close {
            self.next(cursor)?;
        }
        Ok(close)
    }

    /// A name that is not a reserved word.
    pub(super) fn expect_name<'a>(&mut self, cursor: &mut Cursor<'a>, what: &str) -> Checked<&'a [u8]> {
        match self.next(cursor)? {
            Token::Quoted(name) => Ok(name),
            Token::Symbol(name) if !self.is_reserved(name) => Ok(name),
            Token::Symbol(name) => self.reserved(cursor, name, what),
            other => self.unexpected(cursor, other, what),
        }
    }

    /// `lambda` is reserved since version 2.7. Older scripts use it as a name, so only the strict rules reject that.
    fn is_reserved(&self, word: &[u8]) -> bool {
        is_reserved(word) || self.rules.strict && word == b"lambda"
    }

    pub(super) fn expect_number(&mut self, cursor: &mut Cursor<'_>, what: &str) -> Checked<u64> {
        match self.next(cursor)? {
            Token::Numeral(digits) => match std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()) {
                Some(number) => Ok(number),
                None => {
                    let message = format!("{what} is too large: the largest number here is {}", u64::MAX);
                    self.report(cursor.text, cursor.place, Code::IndexRange, message);
                    Err(Stop)
                }
            },
            other => self.unexpected(cursor, other, what),
        }
    }

    /// Skips one s-expression and returns its offset.
    pub(super) fn skip(&mut self, cursor: &mut Cursor<'_>, what: &str) -> Checked<usize> {
        let token = self.next(cursor)?;
        let from = cursor.place;
        match token {
            Token::Open => self.skip_rest(cursor)?,
            Token::Close => return self.unexpected(cursor, Token::Close, what),
            _ => {}
        }
        Ok(from)
    }

    /// Skips to the end of the list that was just opened.
    pub(super) fn skip_rest(&mut self, cursor: &mut Cursor<'_>) -> Checked<()> {
        let mut depth = 1_u64;
        while depth > 0 {
            match self.next(cursor)? {
                Token::Open => depth += 1,
                Token::Close => depth -= 1,
                _ => {}
            }
        }
        Ok(())
    }
}
