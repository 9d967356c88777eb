//! The lexer of the official scrambler.

use crate::tokens::{Literal, Shape};
use std::ops::Range;

/// Splits a script as the official tool does: symbols may start with a digit, bytes that do not start a token are
/// copied to the output, and a comment must end with a newline.
#[derive(Debug)]
pub(crate) struct OfficialLexer<'a> {
    script: &'a [u8],
    at: usize,
    /// The offset after the last newline. From here on, `;` does not start a comment, since no newline can end it.
    last_line: usize,
    /// The offset of the last chunk of input. The tool reads chunks that end at `)` or after 8192 bytes.
    last_piece: usize,
    /// Whether the last chunk has been read. The tool then stops after the current command or stray word.
    seen_end: bool,
    /// Bytes to be copied to the output.
    junk: Vec<u8>,
}

const PIECE: usize = 8192;

impl<'a> OfficialLexer<'a> {
    pub(crate) fn new(script: &'a [u8]) -> Self {
        let after_last = |byte: u8| script.iter().rposition(|&other| other == byte).map_or(0, |at| at + 1);
        let after_close = after_last(b')');
        let last_piece = after_close + (script.len() - after_close) / PIECE * PIECE;
        Self { script, at: 0, last_line: after_last(b'\n'), last_piece, seen_end: false, junk: vec![] }
    }

    pub(crate) fn seen_end(&self) -> bool {
        self.seen_end
    }

    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// Takes the bytes to be copied to the output.
    pub(crate) fn take_junk(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.junk)
    }

    pub(crate) fn next_token(&mut self) -> Option<(Range<usize>, Shape)> {
        loop {
            let start = self.at;
            let Some(&byte) = self.script.get(start) else {
                self.seen_end = true;
                return None;
            };
            let shape = match byte {
                b' ' | b'\t' | b'\r' | b'\n' => {
                    self.at += 1;
                    continue;
                }
                b';' if start < self.last_line => {
                    self.at = self.find(start, |byte| byte == b'\n') + 1;
                    continue;
                }
                b'(' => self.single(Shape::Open),
                b')' => self.single(Shape::Close),
                b'"' => self.string(start)?,
                b'|' => self.quoted(start)?,
                b'#' => self.number_sign(start),
                b':' if self.script.get(start + 1).copied().is_some_and(is_symbol) => {
                    self.at = self.find(start + 1, |byte| !is_symbol(byte));
                    Some(Shape::Keyword)
                }
                byte if is_symbol(byte) => Some(self.word(start)),
                _ => None,
            };
            // Except for parentheses and quoted symbols, the tool reads one byte past a token to find its end.
            let is_closed = matches!(shape, Some(Shape::Open | Shape::Close | Shape::Quoted));
            let asked = if is_closed { self.at - 1 } else { self.at };
            self.seen_end |= asked >= self.last_piece;
            match shape {
                Some(shape) => return Some((start..self.at, shape)),
                None => {
                    self.seen_end |= byte == b';';
                    self.junk.push(byte);
                    self.at = start + 1;
                }
            }
        }
    }

    fn single(&mut self, shape: Shape) -> Option<Shape> {
        self.at += 1;
        Some(shape)
    }

    /// Lexes a string. The outer `None` means that the script ends inside it.
    #[expect(clippy::option_option, reason = "the caller distinguishes the end of the script from junk")]
    fn string(&mut self, start: usize) -> Option<Option<Shape>> {
        let mut close = self.find(start + 1, |byte| byte == b'"');
        while self.script.get(close + 1) == Some(&b'"') {
            close = self.find(close + 2, |byte| byte == b'"');
        }
        self.close(close, Shape::Literal(Literal::String))
    }

    #[expect(clippy::option_option, reason = "the caller distinguishes the end of the script from junk")]
    fn quoted(&mut self, start: usize) -> Option<Option<Shape>> {
        let close = self.find(start + 1, |byte| byte == b'|');
        self.close(close, Shape::Quoted)
    }

    #[expect(clippy::option_option, reason = "the caller distinguishes the end of the script from junk")]
    fn close(&mut self, close: usize, shape: Shape) -> Option<Option<Shape>> {
        self.at = (close + 1).min(self.script.len());
        if close < self.script.len() {
            return Some(Some(shape));
        }
        self.seen_end = true;
        None
    }

    fn number_sign(&mut self, start: usize) -> Option<Shape> {
        let (is_digit, literal): (fn(u8) -> bool, _) = match self.script.get(start + 1) {
            Some(b'x') => (|byte| byte.is_ascii_hexdigit(), Literal::Hexadecimal),
            Some(b'b') => (|byte| matches!(byte, b'0' | b'1'), Literal::Binary),
            _ => return None,
        };
        let end = self.find(start + 2, |byte| !is_digit(byte));
        if end == start + 2 {
            return None;
        }
        self.at = end;
        Some(Shape::Literal(literal))
    }

    fn word(&mut self, start: usize) -> Shape {
        self.at = self.find(start, |byte| !is_symbol(byte));
        let text = &self.script[start..self.at];
        let is_digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
        if is_digits(text) {
            return Shape::Literal(Literal::Numeral);
        }
        let mut parts = text.splitn(2, |byte| *byte == b'.');
        match (parts.next(), parts.next()) {
            (Some(whole), Some(fraction)) if is_digits(whole) && is_digits(fraction) => {
                Shape::Literal(Literal::Decimal)
            }
            _ => Shape::Symbol,
        }
    }

    fn find(&self, from: usize, stop: impl Fn(u8) -> bool) -> usize {
        let rest = self.script.get(from..).unwrap_or_default();
        rest.iter().position(|byte| stop(*byte)).map_or(self.script.len(), |at| from + at)
    }
}

const SYMBOL: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = matches!(byte as u8, b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9'
            | b'.' | b'_' | b'+' | b'-' | b'*' | b'=' | b'%' | b'/' | b'?' | b'!' | b'$' | b'~' | b'&' | b'^' | b'<'
            | b'>' | b'@');
        byte += 1;
    }
    table
};

fn is_symbol(byte: u8) -> bool {
    SYMBOL[usize::from(byte)]
}
