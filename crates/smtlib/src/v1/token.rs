//! The tokens of SMT-LIB 1.2.

/// A token of version 1.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// `(`
    Open,
    /// `)`
    Close,
    /// `{`, where terms follow.
    OpenBrace,
    /// `}`
    CloseBrace,
    /// `:status`, with its colon.
    Attribute(&'a [u8]),
    /// A name, with its indices if it has any: `x`, `?x`, `$p`, `<=`, `extract[7:0]`.
    Word(&'a [u8]),
    /// `12`
    Numeral(&'a [u8]),
    /// `1.5`
    Rational(&'a [u8]),
    /// The text between quotes.
    String(&'a [u8]),
    /// A character that is not allowed here.
    Strange(u8),
}

/// Splits a benchmark of version 1.2 into tokens, skipping white space and comments.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    pub(super) text: &'a [u8],
    offset: usize,
}

impl<'a> Lexer<'a> {
    /// The tokens of this text.
    pub fn new(text: &'a [u8]) -> Self {
        Self { text, offset: 0 }
    }

    fn skip_blanks(&mut self) {
        while let Some(byte) = self.text.get(self.offset) {
            match byte {
                b';' => {
                    let rest = &self.text[self.offset..];
                    self.offset += memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len());
                }
                b' ' | b'\t' | b'\r' | b'\n' => self.offset += 1,
                _ => return,
            }
        }
    }

    /// The next token and where it begins, or `None` at the end.
    pub fn next_token(&mut self) -> Option<(usize, Token<'a>)> {
        self.skip_blanks();
        let start = self.offset;
        let first = *self.text.get(start)?;
        self.offset += 1;
        let token = match first {
            b'(' => Token::Open,
            b')' => Token::Close,
            b'{' => Token::OpenBrace,
            b'}' => Token::CloseBrace,
            b'"' => {
                let rest = &self.text[self.offset..];
                let mut end = 0;
                while let Some(byte) = rest.get(end) {
                    match byte {
                        b'\\' => end += 2,
                        b'"' => break,
                        _ => end += 1,
                    }
                }
                let end = end.min(rest.len());
                self.offset = (self.offset + end + 1).min(self.text.len());
                Token::String(&rest[..end])
            }
            b':' => {
                self.word();
                Token::Attribute(&self.text[start..self.offset])
            }
            b'0'..=b'9' => {
                self.word();
                let text = &self.text[start..self.offset];
                if text.iter().all(u8::is_ascii_digit) {
                    Token::Numeral(text)
                } else if is_rational(text) {
                    Token::Rational(text)
                } else {
                    Token::Word(text)
                }
            }
            byte if byte < 0x20 || byte == 0x7f || byte >= 0x80 || byte == b',' => Token::Strange(byte),
            _ => {
                self.offset = start;
                self.word();
                if self.offset == start {
                    self.offset += 1;
                    Token::Strange(first)
                } else {
                    Token::Word(&self.text[start..self.offset])
                }
            }
        };
        Some((start, token))
    }

    /// The offset at which the last token ends.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Continues from this offset.
    pub(super) fn skip_to(&mut self, offset: usize) {
        self.offset = offset;
    }

    /// Consumes a word, including its indices in brackets. An arithmetic symbol ends where a name begins.
    fn word(&mut self) {
        const SYMBOLS: &[u8] = b"=<>&@#+-/*%|~";
        if self.text.get(self.offset).is_some_and(|first| SYMBOLS.contains(first)) {
            while self.text.get(self.offset).is_some_and(|byte| SYMBOLS.contains(byte)) {
                self.offset += 1;
            }
            return;
        }
        let mut inside = false;
        while let Some(byte) = self.text.get(self.offset) {
            match byte {
                b'[' => inside = true,
                b']' => inside = false,
                b'(' | b')' | b'{' | b'}' | b';' | b'"' | b' ' | b'\t' | b'\r' | b'\n' => return,
                b':' if !inside => return,
                byte if *byte < 0x20 || *byte >= 0x7f => return,
                _ => {}
            }
            self.offset += 1;
        }
    }

    /// The text after `{`, up to its `}`. `\{` and `\}` are escaped braces. `None` if the text has no end or contains a
    /// brace that is not escaped.
    pub fn user_text(&mut self) -> Option<&'a [u8]> {
        let start = self.offset;
        loop {
            match self.text.get(self.offset)? {
                b'\\' => self.offset += 2,
                b'{' => return None,
                b'}' => {
                    self.offset += 1;
                    return Some(&self.text[start..self.offset - 1]);
                }
                _ => self.offset += 1,
            }
        }
    }
}

fn is_rational(text: &[u8]) -> bool {
    let mut parts = text.split(|byte| *byte == b'.');
    let digits = |part: Option<&[u8]>| part.is_some_and(|part| !part.is_empty() && part.iter().all(u8::is_ascii_digit));
    digits(parts.next()) && digits(parts.next()) && parts.next().is_none()
}
