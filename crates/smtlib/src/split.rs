//! Splits a script into its commands while reading it, so that only the current command is in memory.

use crate::diagnostic::{Code, Diagnostic, Position, excerpt};
use crate::token::{Lexer, Token};
use std::io::{self, Read};

/// The number of bytes of the current line before a command that are kept for messages.
const MOST_OF_LINE: usize = 1000;

/// The minimum number of bytes that a read requests.
const BLOCK: usize = 256 * 1024;

/// After this many unclosed commands, the rest of the file counts as part of the last one, since each search for the
/// next command may scan the whole rest.
const MOST_RECOVERED: u32 = 20;

/// A piece of a script.
#[derive(Debug)]
pub enum Piece<'a> {
    /// A command with its parentheses, and its position.
    Command(&'a [u8], Position),
    /// Text outside of commands, or an unclosed command; for the latter, its text and position.
    Wrong(Option<(&'a [u8], Position)>, Box<Diagnostic>),
}

/// The pieces of a script.
#[derive(Debug)]
pub struct Splitter<R> {
    reader: R,
    buffer: Vec<u8>,
    /// The offset of the unread part of the buffer, and its position in the script.
    start: usize,
    position: Position,
    ended: bool,
    /// The number of unclosed commands so far.
    recovered: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Inside {
    Code,
    String,
    Quoted,
    Comment,
    /// Between `#|` and `|#`.
    Block,
}

/// The offset of the first byte that ends the command or starts a string, a quoted symbol or a comment. `depth` is the
/// number of open parentheses, and is updated for the bytes before that offset.
fn end_of_code(text: &[u8], depth: &mut u64) -> Option<usize> {
    let mut at = 0;
    for block in text.chunks(32) {
        // Counting the parentheses of a whole block can be vectorized. Only a block that may contain the end is scanned
        // byte by byte.
        let count = |wanted: u8| block.iter().map(|byte| u8::from(*byte == wanted)).sum::<u8>();
        let (open, close) = (u64::from(count(b'(')), u64::from(count(b')')));
        let others = block.iter().map(|byte| u8::from(matches!(byte, b'"' | b'|' | b';'))).sum::<u8>();
        if others == 0 && close < *depth {
            *depth = *depth + open - close;
        } else {
            for (offset, byte) in block.iter().enumerate() {
                match byte {
                    b'(' => *depth += 1,
                    b')' if *depth <= 1 => return Some(at + offset),
                    b')' => *depth -= 1,
                    b'"' | b'|' | b';' => return Some(at + offset),
                    _ => {}
                }
            }
        }
        at += block.len();
    }
    None
}

impl<R: Read> Splitter<R> {
    /// Splits the script that this reader returns.
    pub fn new(reader: R) -> Self {
        Self { reader, buffer: vec![], start: 0, position: Position::START, ended: false, recovered: 0 }
    }

    /// Reads more input into the buffer. Returns false at the end of the input.
    fn fill(&mut self) -> io::Result<bool> {
        if self.ended {
            return Ok(false);
        }
        // The current line is kept, in case it has to be shown.
        let line = memchr::memrchr(b'\n', &self.buffer[..self.start]).map_or(0, |end| end + 1);
        let gone = line.max(self.start.saturating_sub(MOST_OF_LINE));
        self.buffer.drain(..gone);
        self.start -= gone;
        let before = self.buffer.len();
        // A long command is read in ever larger blocks, so that moving it stays cheap.
        let block = BLOCK.max(before);
        // A partial read is enough: a writer that sends commands one by one may be waiting for a reply.
        self.buffer.resize(before + block, 0);
        let read = loop {
            match self.reader.read(&mut self.buffer[before..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        self.buffer.truncate(before + read.as_ref().map_or(0, |count| *count));
        self.ended = read? == 0;
        Ok(self.buffer.len() > before)
    }

    /// Whether the first command has this name. Nothing is consumed.
    pub(crate) fn starts_with(&mut self, name: &[u8]) -> io::Result<bool> {
        loop {
            let more = self.fill()?;
            let mut lexer = Lexer::new(&self.buffer);
            let (first, second) = (lexer.next_token(), lexer.next_token());
            match (first, second) {
                // A word at the end of the buffer may continue.
                (Ok(Some((_, Token::Open))), Ok(Some((place, Token::Symbol(word)))))
                    if place.end < self.buffer.len() || !more =>
                {
                    return Ok(word == name);
                }
                (Ok(Some((_, Token::Open))), Ok(Some((_, Token::Symbol(_))))) => {}
                // A long comment comes first.
                (Ok(_), Ok(None)) if more => {}
                _ => return Ok(false),
            }
        }
    }

    /// Everything that was not consumed yet.
    pub(crate) fn into_rest(mut self) -> io::Result<Vec<u8>> {
        let mut rest = self.buffer.split_off(self.start);
        self.reader.read_to_end(&mut rest)?;
        Ok(rest)
    }

    /// Advances by this many bytes.
    fn advance(&mut self, bytes: usize) {
        let text = &self.buffer[self.start..self.start + bytes];
        self.position = self.position.after(text);
        self.start += bytes;
    }

    /// The next piece, or `None` at the end.
    pub fn next_piece(&mut self) -> io::Result<Option<Piece<'_>>> {
        loop {
            // The meaning of a number sign depends on what follows.
            if self.buffer[self.start..] == *b"#" {
                self.fill()?;
            }
            let rest = &self.buffer[self.start..];
            match rest.first() {
                None => {
                    if !self.fill()? {
                        return Ok(None);
                    }
                }
                Some(b' ' | b'\t' | b'\r' | b'\n') => {
                    let blanks = rest.iter().position(|byte| !b" \t\r\n".contains(byte));
                    // CR LF ends one line, even when the two arrive separately.
                    let is_open = blanks.is_none() && rest.last() == Some(&b'\r');
                    let blanks = blanks.unwrap_or(rest.len() - usize::from(is_open));
                    if blanks > 0 {
                        self.advance(blanks);
                    } else if !self.fill()? {
                        self.advance(1);
                    }
                }
                Some(b';') => match memchr::memchr2(b'\n', b'\r', rest) {
                    Some(end) => {
                        if let Some(wrong) = self.strange_comment(end) {
                            return Ok(Some(wrong));
                        }
                        self.advance(end);
                    }
                    None => {
                        if !self.fill()? {
                            let all = self.buffer.len() - self.start;
                            if let Some(wrong) = self.strange_comment(all) {
                                return Ok(Some(wrong));
                            }
                            self.advance(all);
                        }
                    }
                },
                Some(b'#') if rest.get(1) == Some(&b'|') => {
                    match rest.windows(2).skip(2).position(|pair| pair == b"|#") {
                        Some(end) => self.advance(end + 4),
                        None => {
                            if !self.fill()? {
                                let all = self.buffer.len() - self.start;
                                return Ok(Some(self.unclosed(all, Inside::Block)));
                            }
                        }
                    }
                }
                Some(b'(') => return self.command().map(Some),
                Some(_) => return self.stray().map(Some),
            }
        }
    }

    /// The error for a comment with a control character; `None` for a valid comment.
    fn strange_comment(&mut self, end: usize) -> Option<Piece<'static>> {
        let text = &self.buffer[self.start..self.start + end];
        let fault = Lexer::new(text).next_token().err()?;
        let diagnostic = self.wrong(fault.offset, fault.kind.code(), fault.kind.to_string());
        self.advance(end);
        Some(Piece::Wrong(None, diagnostic))
    }

    fn wrong(&self, offset: usize, code: Code, message: String) -> Box<Diagnostic> {
        let rest = &self.buffer[self.start..];
        let position = self.position.after(&rest[..offset]);
        let shown = excerpt(&self.buffer, self.start + offset);
        // The excerpt may begin in the middle of a line, but the column counts from the start of the line.
        Box::new(Diagnostic { line: position.line, column: position.column, code, message, help: None, excerpt: shown })
    }

    fn command(&mut self) -> io::Result<Piece<'_>> {
        let mut at = 0;
        let mut depth = 0_u64;
        let mut inside = Inside::Code;
        loop {
            let rest = &self.buffer[self.start..];
            let found = match inside {
                Inside::Code => end_of_code(&rest[at..], &mut depth),
                Inside::String => memchr::memchr(b'"', &rest[at..]),
                Inside::Quoted | Inside::Block => memchr::memchr(b'|', &rest[at..]),
                Inside::Comment => memchr::memchr2(b'\n', b'\r', &rest[at..]),
            };
            let Some(found) = found else {
                at = rest.len();
                if !self.fill()? {
                    return Ok(self.unclosed(at, inside));
                }
                continue;
            };
            at += found + 1;
            match (inside, rest[at - 1]) {
                (Inside::Code, b')') => {
                    let (start, position) = (self.start, self.position);
                    self.advance(at);
                    return Ok(Piece::Command(&self.buffer[start..start + at], position));
                }
                (Inside::Code, b'"') => inside = Inside::String,
                (Inside::Code, b'|') if at > 1 && rest[at - 2] == b'#' => inside = Inside::Block,
                (Inside::Code, b'|') => inside = Inside::Quoted,
                (Inside::Block, _) => {
                    if at == rest.len() {
                        // The comment ends here if the next byte is `#`, which has not been read yet.
                        at -= 1;
                        if !self.fill()? {
                            let end = self.buffer.len() - self.start;
                            return Ok(self.unclosed(end, inside));
                        }
                    } else if rest[at] == b'#' {
                        inside = Inside::Code;
                        at += 1;
                    }
                }
                (Inside::Code, _) => inside = Inside::Comment,
                // The second of two quotes opens a string again, so `""` needs no special treatment.
                _ => inside = Inside::Code,
            }
        }
    }

    fn unclosed(&mut self, end: usize, inside: Inside) -> Piece<'_> {
        let diagnostic = match inside {
            // The lexer's error has the position of the unclosed string, symbol or comment.
            Inside::String | Inside::Quoted | Inside::Block => {
                let mut lexer = Lexer::new(&self.buffer[self.start..]);
                let fault = std::iter::from_fn(|| lexer.next_token().transpose()).find_map(Result::err);
                fault.map(|fault| self.wrong(fault.offset, fault.kind.code(), fault.kind.to_string()))
            }
            Inside::Code | Inside::Comment => None,
        };
        let diagnostic =
            diagnostic.unwrap_or_else(|| self.wrong(0, Code::OpenCommand, "this command has no closing )".to_owned()));
        // Assume that the next line that starts with a command ends this one, so that the rest can be checked.
        let text = &self.buffer[self.start..self.start + end];
        self.recovered += 1;
        let end = if self.recovered <= MOST_RECOVERED { next_command(text).unwrap_or(end) } else { end };
        let (start, position) = (self.start, self.position);
        self.advance(end);
        Piece::Wrong(Some((&self.buffer[start..start + end], position)), diagnostic)
    }

    /// Reports text outside of commands, and skips to the next opening parenthesis.
    fn stray(&mut self) -> io::Result<Piece<'_>> {
        let mut ahead = stray_length(&self.buffer[self.start..]);
        while ahead.is_none() && self.fill()? {
            ahead = stray_length(&self.buffer[self.start..]);
        }
        let rest = &self.buffer[self.start..];
        let length = ahead.unwrap_or(rest.len());
        let (code, message) = match Lexer::new(rest).next_token() {
            Err(_) if rest.starts_with(b"\xef\xbb\xbf") => (Code::Character, "remove this byte order mark".to_owned()),
            Err(fault) => (fault.kind.code(), fault.kind.to_string()),
            Ok(_) if rest[0] == b')' => (Code::NoCommand, "this ) has no matching (".to_owned()),
            Ok(_) => (Code::NoCommand, "a command must start with (".to_owned()),
        };
        let diagnostic = self.wrong(0, code, message);
        self.advance(length);
        Ok(Piece::Wrong(None, diagnostic))
    }
}

/// The distance to the next opening parenthesis outside of strings, quoted symbols and comments.
fn stray_length(text: &[u8]) -> Option<usize> {
    let mut inside = Inside::Code;
    for (at, byte) in text.iter().enumerate() {
        inside = match (inside, byte) {
            (Inside::Code, b'(') => return Some(at),
            (Inside::Code, b'"') => Inside::String,
            (Inside::Code, b'|') => Inside::Quoted,
            (Inside::Code, b';') => Inside::Comment,
            (Inside::String, b'"') | (Inside::Quoted, b'|') | (Inside::Comment, b'\n' | b'\r') => Inside::Code,
            (same, _) => same,
        };
    }
    None
}

/// The offset of the next line that starts with a command.
fn next_command(text: &[u8]) -> Option<usize> {
    const BEGINNINGS: &[&[u8]] =
        &[b"assert", b"check-", b"declare-", b"define-", b"get-", b"set-", b"push", b"pop", b"exit", b"echo", b"reset"];
    let lines = memchr::memchr_iter(b'\n', text).map(|at| at + 1);
    lines.into_iter().find(|at| {
        let line = &text[*at..];
        line.first() == Some(&b'(') && BEGINNINGS.iter().any(|word| line[1..].starts_with(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A reader that returns one byte at a time.
    struct Slowly<'a>(&'a [u8]);

    impl Read for Slowly<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            match self.0 {
                [first, rest @ ..] if !into.is_empty() => {
                    into[0] = *first;
                    self.0 = rest;
                    Ok(1)
                }
                _ => Ok(0),
            }
        }
    }

    fn pieces(script: &str) -> Vec<String> {
        let mut splitter = Splitter::new(Slowly(script.as_bytes()));
        let mut all = vec![];
        while let Some(piece) = splitter.next_piece().unwrap() {
            all.push(match piece {
                Piece::Command(text, at) => format!("{}:{} {}", at.line, at.column, String::from_utf8_lossy(text)),
                Piece::Wrong(_, wrong) => format!("{}:{} {}", wrong.line, wrong.column, wrong.code.name()),
            });
        }
        all
    }

    #[test]
    fn commands_are_split_with_their_positions() {
        let script = "; (not\n(a \"x\"\")\" ; )\n |)|)(b)\r\n  (c (d))";
        assert_eq!(pieces(script), ["2:1 (a \"x\"\")\" ; )\n |)|)", "3:6 (b)", "4:3 (c (d))"]);
    }

    #[test]
    fn text_outside_of_commands_is_reported() {
        assert_eq!(pieces("x (a)) (b)"), ["1:1 syntax.no-command", "1:3 (a)", "1:6 syntax.no-command", "1:8 (b)"]);
        assert_eq!(pieces("(a"), ["1:1 syntax.open-command"]);
        assert_eq!(pieces("(a \"b"), ["1:4 lexical.open-string"]);
        assert_eq!(pieces("#| ( |#(a #| ) |# b) #||# (c)"), ["1:8 (a #| ) |# b)", "1:27 (c)"]);
        assert_eq!(pieces("(a #| b)"), ["1:4 lexical.open-comment"]);
        assert_eq!(pieces("#| b)"), ["1:1 lexical.open-comment"]);
        assert_eq!(pieces("(a |b"), ["1:4 lexical.open-symbol"]);
        assert_eq!(pieces("(a ; b"), ["1:1 syntax.open-command"]);
        assert_eq!(pieces("; \u{1}\n(a)"), ["1:3 lexical.control", "2:1 (a)"]);
        assert_eq!(pieces("\u{e9}(a)"), ["1:1 lexical.character", "1:3 (a)"]);
    }
}
