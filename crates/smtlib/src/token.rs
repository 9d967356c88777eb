//! The tokens of SMT-LIB 2.6 and 2.7, exactly as in the standard (section 3.1): white space, comments, numbers,
//! strings, symbols and keywords, each with its position.

use crate::diagnostic::Code;
use std::ops::Range;

/// A token of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Token<'a> {
    /// `(`
    Open,
    /// `)`
    Close,
    /// `0`, `42`
    Numeral(&'a [u8]),
    /// `0.5`
    Decimal(&'a [u8]),
    /// The digits after `#x`.
    Hexadecimal(&'a [u8]),
    /// The digits after `#b`.
    Binary(&'a [u8]),
    /// The text between the quotes, with `""` as written.
    String(&'a [u8]),
    /// A simple symbol, or a reserved word.
    Symbol(&'a [u8]),
    /// The inside of `|…|`, which is another way to write the symbol of that name.
    Quoted(&'a [u8]),
    /// `:status`, with its colon.
    Keyword(&'a [u8]),
}

impl<'a> Token<'a> {
    /// The text of a token that is not a parenthesis, without the characters that mark its kind.
    pub fn text(self) -> Option<&'a [u8]> {
        match self {
            Self::Open | Self::Close => None,
            Self::Numeral(text)
            | Self::Decimal(text)
            | Self::Hexadecimal(text)
            | Self::Binary(text)
            | Self::String(text)
            | Self::Symbol(text)
            | Self::Quoted(text)
            | Self::Keyword(text) => Some(text),
        }
    }
}

/// An error in the characters of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenError {
    /// The offset of the first invalid byte, or of the token that contains it.
    pub offset: usize,
    /// The kind of error.
    pub kind: TokenErrorKind,
}

/// The kinds of errors in the characters of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenErrorKind {
    /// An unclosed string.
    #[error("this string has no closing \"")]
    OpenString,
    /// An unclosed quoted symbol.
    #[error("this quoted symbol has no closing |")]
    OpenQuoted,
    /// An unclosed block comment.
    #[error("this comment has no closing |#")]
    OpenComment,
    /// A backslash in a quoted symbol.
    #[error("a quoted symbol cannot contain a \\")]
    Backslash,
    /// A number directly followed by a symbol, or a decimal without digits after its point.
    #[error("this is neither a number nor a symbol: numbers contain only digits, and symbols do not start with one")]
    Number,
    /// `007`.
    #[error("a number must not have leading zeros")]
    LeadingZero,
    /// `#` without `x` or `b` and digits after it.
    #[error("# must be followed by x and hexadecimal digits, or by b and binary digits")]
    Hash,
    /// A colon alone.
    #[error("a keyword needs a name after its colon")]
    Keyword,
    /// A character that is not allowed outside of strings, quoted symbols and comments.
    #[error("the character {} is not allowed here", shown(*.0))]
    Character(u8),
    /// A control character.
    #[error("the control character {} is not allowed anywhere in a script", shown(*.0))]
    Control(u8),
}

impl TokenErrorKind {
    /// The code of this kind of error.
    pub const fn code(self) -> Code {
        match self {
            Self::OpenString => Code::OpenString,
            Self::OpenQuoted => Code::OpenQuoted,
            Self::OpenComment => Code::OpenComment,
            Self::Backslash => Code::Backslash,
            Self::Number => Code::Number,
            Self::LeadingZero => Code::LeadingZero,
            Self::Hash => Code::Hash,
            Self::Keyword => Code::Keyword,
            Self::Character(_) => Code::Character,
            Self::Control(_) => Code::Control,
        }
    }
}

fn shown(byte: u8) -> String {
    if byte.is_ascii_graphic() { format!("'{}'", char::from(byte)) } else { format!("with code {byte}") }
}

/// The classes of bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Letters and `~ ! @ $ % ^ & * _ - + = < > . ? /`.
    Letter,
    Digit,
    Blank,
    /// Punctuation that starts a token, or a byte that is allowed only in strings, quoted symbols and comments.
    Other,
    /// Forbidden even in strings.
    Control,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0;
    while byte < 256 {
        classes[byte] = match byte as u8 {
            b' ' | b'\t' | b'\r' | b'\n' => Class::Blank,
            b'0'..=b'9' => Class::Digit,
            b'a'..=b'z'
            | b'A'..=b'Z'
            | b'~'
            | b'!'
            | b'@'
            | b'$'
            | b'%'
            | b'^'
            | b'&'
            | b'*'
            | b'_'
            | b'-'
            | b'+'
            | b'='
            | b'<'
            | b'>'
            | b'.'
            | b'?'
            | b'/' => Class::Letter,
            0..=31 | 127 => Class::Control,
            _ => Class::Other,
        };
        byte += 1;
    }
    classes
};

fn class(byte: u8) -> Class {
    CLASSES[usize::from(byte)]
}

/// Splits a script into tokens, skipping white space and comments.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    script: &'a [u8],
    offset: usize,
}

impl<'a> Lexer<'a> {
    /// The tokens of this script.
    pub fn new(script: &'a [u8]) -> Self {
        Self { script, offset: 0 }
    }

    /// The current offset.
    pub(crate) fn offset(&self) -> usize {
        self.offset
    }

    /// The next token with its position, or `None` at the end of the script. After an error, the next call continues
    /// after the invalid text.
    #[inline]
    pub fn next_token(&mut self) -> Result<Option<(Range<usize>, Token<'a>)>, TokenError> {
        let Some(start) = self.skip_blanks()? else { return Ok(None) };
        let token = match self.script[start] {
            b'(' => self.single(Token::Open),
            b')' => self.single(Token::Close),
            b'"' => self.string(start)?,
            b'|' => self.quoted(start)?,
            b'#' => self.hash(start)?,
            b':' => self.keyword(start)?,
            byte => match class(byte) {
                Class::Digit => self.number(start)?,
                Class::Letter => Token::Symbol(self.word(start)),
                _ => {
                    self.offset += 1;
                    return Err(strange(start, byte));
                }
            },
        };
        Ok(Some((start..self.offset, token)))
    }

    /// Advances to the next byte that is not white space and not in a comment.
    #[inline]
    fn skip_blanks(&mut self) -> Result<Option<usize>, TokenError> {
        while let Some(byte) = self.script.get(self.offset) {
            match byte {
                b' ' | b'\n' | b'\t' | b'\r' => self.offset += 1,
                b';' | b'#' if self.skip_comment()? => {}
                _ => return Ok(Some(self.offset)),
            }
        }
        Ok(None)
    }

    /// Skips a comment. Returns whether there was one.
    #[cold]
    fn skip_comment(&mut self) -> Result<bool, TokenError> {
        let start = self.offset;
        if self.script[start] == b';' {
            self.offset = self.find(start, |byte| byte == b'\n' || byte == b'\r');
            forbid_control(self.script, start..self.offset)?;
            return Ok(true);
        }
        // A block comment, as in version 2.7.
        let Some(rest) = self.script[start..].strip_prefix(b"#|") else { return Ok(false) };
        match rest.windows(2).position(|pair| pair == b"|#") {
            Some(end) => {
                self.offset = start + 2 + end + 2;
                Ok(true)
            }
            None => {
                self.offset = self.script.len();
                Err(TokenError { offset: start, kind: TokenErrorKind::OpenComment })
            }
        }
    }

    fn single(&mut self, token: Token<'a>) -> Token<'a> {
        self.offset += 1;
        token
    }

    fn string(&mut self, start: usize) -> Result<Token<'a>, TokenError> {
        let mut close = self.find(start + 1, |byte| byte == b'"');
        while self.script.get(close + 1) == Some(&b'"') {
            close = self.find(close + 2, |byte| byte == b'"');
        }
        self.offset = (close + 1).min(self.script.len());
        if close >= self.script.len() {
            return Err(TokenError { offset: start, kind: TokenErrorKind::OpenString });
        }
        forbid_control(self.script, start + 1..close)?;
        Ok(Token::String(&self.script[start + 1..close]))
    }

    fn quoted(&mut self, start: usize) -> Result<Token<'a>, TokenError> {
        let close = self.find(start + 1, |byte| byte == b'|');
        self.offset = (close + 1).min(self.script.len());
        if close == self.script.len() {
            return Err(TokenError { offset: start, kind: TokenErrorKind::OpenQuoted });
        }
        let inside = &self.script[start + 1..close];
        if let Some(at) = inside.iter().position(|byte| *byte == b'\\') {
            return Err(TokenError { offset: start + 1 + at, kind: TokenErrorKind::Backslash });
        }
        forbid_control(self.script, start + 1..close)?;
        Ok(Token::Quoted(inside))
    }

    fn hash(&mut self, start: usize) -> Result<Token<'a>, TokenError> {
        let text = self.word(start + 1);
        match text {
            [b'x', digits @ ..] if !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit) => {
                Ok(Token::Hexadecimal(digits))
            }
            [b'b', digits @ ..] if !digits.is_empty() && digits.iter().all(|digit| b"01".contains(digit)) => {
                Ok(Token::Binary(digits))
            }
            _ => Err(TokenError { offset: start, kind: TokenErrorKind::Hash }),
        }
    }

    fn keyword(&mut self, start: usize) -> Result<Token<'a>, TokenError> {
        if self.word(start + 1).is_empty() {
            return Err(TokenError { offset: start, kind: TokenErrorKind::Keyword });
        }
        Ok(Token::Keyword(&self.script[start..self.offset]))
    }

    fn number(&mut self, start: usize) -> Result<Token<'a>, TokenError> {
        let text = self.word(start);
        let (whole, fraction) = match text.iter().position(|byte| *byte == b'.') {
            Some(point) => (&text[..point], Some(&text[point + 1..])),
            None => (text, None),
        };
        let is_digits = |part: &[u8]| !part.is_empty() && part.iter().all(u8::is_ascii_digit);
        if !is_digits(whole) || !fraction.is_none_or(is_digits) {
            return Err(TokenError { offset: start, kind: TokenErrorKind::Number });
        }
        if whole.len() > 1 && whole[0] == b'0' {
            return Err(TokenError { offset: start, kind: TokenErrorKind::LeadingZero });
        }
        Ok(if fraction.is_some() { Token::Decimal(text) } else { Token::Numeral(text) })
    }

    /// Consumes letters and digits, starting at `start`.
    #[inline]
    fn word(&mut self, start: usize) -> &'a [u8] {
        let rest = &self.script[start..];
        let is_end = |byte: &u8| !matches!(class(*byte), Class::Letter | Class::Digit);
        let length = rest.iter().position(is_end).unwrap_or(rest.len());
        self.offset = start + length;
        &rest[..length]
    }

    /// The first offset at or after `from` whose byte satisfies `stop`, or the end.
    fn find(&self, from: usize, stop: impl Fn(u8) -> bool) -> usize {
        let rest = self.script.get(from..).unwrap_or_default();
        rest.iter().position(|byte| stop(*byte)).map_or(self.script.len(), |at| from + at)
    }
}

fn forbid_control(script: &[u8], place: Range<usize>) -> Result<(), TokenError> {
    let start = place.start;
    match script[place].iter().position(|byte| class(*byte) == Class::Control) {
        Some(at) => Err(strange(start + at, script[start + at])),
        None => Ok(()),
    }
}

fn strange(offset: usize, byte: u8) -> TokenError {
    let kind =
        if class(byte) == Class::Control { TokenErrorKind::Control(byte) } else { TokenErrorKind::Character(byte) };
    TokenError { offset, kind }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(script: &str) -> Vec<Result<Token<'_>, TokenErrorKind>> {
        let mut lexer = Lexer::new(script.as_bytes());
        let next =
            || lexer.next_token().map_err(|fault| fault.kind).map(|token| token.map(|(_, token)| token)).transpose();
        std::iter::from_fn(next).collect()
    }

    #[test]
    fn every_kind_of_token_is_recognized() {
        use Token::{Binary, Close, Decimal, Hexadecimal, Keyword, Numeral, Open, Quoted, String, Symbol};
        let script = "(a|b c|:k 0 42 0.50#xAf09#b01\"x\"\"y\")<= ; c\n- ._ +1 ~!@$%^&*_-+=<>.?/";
        let expected = [
            Open,
            Symbol(b"a"),
            Quoted(b"b c"),
            Keyword(b":k"),
            Numeral(b"0"),
            Numeral(b"42"),
            Decimal(b"0.50"),
            Hexadecimal(b"Af09"),
            Binary(b"01"),
            String(b"x\"\"y"),
            Close,
            Symbol(b"<="),
            Symbol(b"-"),
            Symbol(b"._"),
            Symbol(b"+1"),
            Symbol(b"~!@$%^&*_-+=<>.?/"),
        ];
        assert_eq!(tokens(script), expected.map(Ok));
    }

    #[test]
    fn every_error_has_its_code_and_the_rest_is_still_read() {
        for (script, code) in [
            ("\"abc", "lexical.open-string"),
            ("|abc", "lexical.open-symbol"),
            ("#| a", "lexical.open-comment"),
            ("|a\\b| x", "lexical.backslash"),
            ("12ab x", "lexical.number"),
            ("1. x", "lexical.number"),
            ("1.2.3 x", "lexical.number"),
            ("007 x", "lexical.leading-zero"),
            ("00.5 x", "lexical.leading-zero"),
            ("# x", "lexical.hash"),
            ("#x x", "lexical.hash"),
            ("#b012 x", "lexical.hash"),
            (": x", "lexical.keyword"),
            ("[ x", "lexical.character"),
            ("\u{1} x", "lexical.control"),
            ("\"a\u{c}\" x", "lexical.control"),
        ] {
            let all = tokens(script);
            assert_eq!(all[0].unwrap_err().code().name(), code, "{script:?}");
            let rest: &[_] = if script.contains(" x") { &[Ok(Token::Symbol(b"x"))] } else { &[] };
            assert_eq!(&all[1..], rest, "{script:?}");
        }
    }

    #[test]
    fn letters_of_other_alphabets_are_text_and_not_symbols() {
        assert_eq!(tokens("\"é\" |é| ; é"), [Ok(Token::String("é".as_bytes())), Ok(Token::Quoted("é".as_bytes()))]);
        assert!(matches!(tokens("é")[0], Err(TokenErrorKind::Character(195))));
    }

    #[test]
    fn the_lexer_terminates_on_any_bytes_with_increasing_positions() {
        // Whatever the bytes, the lexer terminates, moves forward, and its positions are in order.
        let mut seed = 1_u32;
        for _ in 0..2000 {
            let script: Vec<u8> = (0..40)
                .map(|_| {
                    seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    b"()|\";:#x b01.2a\n\\-\x01\xc3"[(seed >> 24) as usize % 20]
                })
                .collect();
            let mut lexer = Lexer::new(&script);
            let mut end = 0;
            loop {
                let before = lexer.offset;
                match lexer.next_token() {
                    Ok(None) => break,
                    Ok(Some((place, _))) => {
                        assert!(place.start >= end && place.end > place.start && place.end <= script.len());
                        end = place.end;
                    }
                    Err(fault) => assert!(fault.offset < script.len()),
                }
                assert!(lexer.offset > before, "{script:?}");
            }
        }
    }
}
