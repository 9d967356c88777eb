//! Splits a script into commands and a command into words, with one loop and no tree.

use std::ops::Range;

/// A script that cannot be split into commands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct SyntaxError {
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: &'static str,
}

impl SyntaxError {
    fn at(script: &[u8], offset: usize, message: &'static str) -> Self {
        let before = &script[..offset];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let column = offset - before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1) + 1;
        Self { line, column, message }
    }
}

/// One word of a script: the smallest piece that has a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word<'a> {
    /// `(`
    Open,
    /// `)`
    Close,
    /// A symbol, keyword, numeral or other plain word.
    Plain(&'a [u8]),
    /// The inside of `|…|`.
    Quoted(&'a [u8]),
    /// The inside of `"…"`, with `""` as it stands in the file.
    String(&'a [u8]),
}

impl<'a> Word<'a> {
    /// The text of a word that is a symbol, a keyword, a number, a quoted symbol or a string.
    pub fn text(self) -> Option<&'a [u8]> {
        match self {
            Self::Open | Self::Close => None,
            Self::Plain(text) | Self::Quoted(text) | Self::String(text) => Some(text),
        }
    }
}

/// The words of a script or of a part of one, with comments and white space left out.
#[derive(Clone, Debug)]
pub struct Words<'a> {
    script: &'a [u8],
    offset: usize,
}

impl<'a> Words<'a> {
    /// The words of this text.
    pub fn new(script: &'a [u8]) -> Self {
        Self { script, offset: 0 }
    }

    /// Advances to the next word and gives it with its place, or nothing at the end.
    fn step(&mut self) -> Result<Option<(Range<usize>, Word<'a>)>, SyntaxError> {
        let script = self.script;
        let start = loop {
            match script.get(self.offset) {
                None => return Ok(None),
                Some(b' ' | b'\t' | b'\r' | b'\n') => self.offset += 1,
                Some(b';') => self.offset = find(script, self.offset, |b| b == b'\n' || b == b'\r'),
                Some(_) => break self.offset,
            }
        };
        let (end, word) = match script[start] {
            b'(' => (start + 1, Word::Open),
            b')' => (start + 1, Word::Close),
            b'|' => {
                let close = find(script, start + 1, |b| b == b'|');
                if close == script.len() {
                    return Err(SyntaxError::at(script, start, "this quoted symbol has no closing |"));
                }
                (close + 1, Word::Quoted(&script[start + 1..close]))
            }
            b'"' => {
                let mut close = find(script, start + 1, |b| b == b'"');
                while script.get(close + 1) == Some(&b'"') {
                    close = find(script, close + 2, |b| b == b'"');
                }
                if close >= script.len() {
                    return Err(SyntaxError::at(script, start, "this string has no closing \""));
                }
                (close + 1, Word::String(&script[start + 1..close]))
            }
            _ => {
                let end = find(script, start, |b| b" \t\r\n();|\"".contains(&b));
                (end, Word::Plain(&script[start..end]))
            }
        };
        self.offset = end;
        Ok(Some((start..end, word)))
    }
}

impl<'a> Iterator for Words<'a> {
    type Item = Result<Word<'a>, SyntaxError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.step().transpose().map(|step| step.map(|(_, word)| word))
    }
}

/// The first place from `from` on whose byte satisfies `stop`, or the end.
fn find(script: &[u8], from: usize, stop: impl Fn(u8) -> bool) -> usize {
    let rest = script.get(from..).unwrap_or_default();
    rest.iter().position(|byte| stop(*byte)).map_or(script.len(), |at| from + at)
}

/// One command of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command<'a> {
    /// Where it stands in the script, parentheses included.
    pub place: Range<usize>,
    /// Its name: `assert`, `set-info` and so on.
    pub name: &'a [u8],
    /// All of its text.
    pub text: &'a [u8],
}

impl<'a> Command<'a> {
    /// The words after the name, up to the command's closing parenthesis.
    pub fn arguments(&self) -> impl Iterator<Item = Word<'a>> + use<'a> {
        // The command was split without error, so its words have none; the first two are `(` and the name.
        let inside = self.text.get(1..self.text.len() - 1).unwrap_or_default();
        Words::new(inside).flatten().skip(1)
    }

    /// The attribute of a `set-info` and its value's text, where the value is a single word.
    pub fn info(&self) -> Option<(&'a [u8], Option<&'a [u8]>)> {
        if self.name != b"set-info" {
            return None;
        }
        let mut arguments = self.arguments();
        let key = arguments.next()?.text()?;
        Some((key, arguments.next().and_then(Word::text)))
    }
}

/// The commands of a script, in order. It ends at the first error.
#[derive(Clone, Debug)]
pub struct Commands<'a> {
    words: Words<'a>,
    failed: bool,
}

impl<'a> Commands<'a> {
    /// The commands of this script.
    pub fn new(script: &'a [u8]) -> Self {
        Self { words: Words::new(script), failed: false }
    }

    fn step(&mut self) -> Result<Option<Command<'a>>, SyntaxError> {
        let script = self.words.script;
        let Some((open, word)) = self.words.step()? else { return Ok(None) };
        if word != Word::Open {
            return Err(SyntaxError::at(script, open.start, "a command has to start with ("));
        }
        let unclosed = || SyntaxError::at(script, open.start, "this command has no closing )");
        let (place, name) = self.words.step()?.ok_or_else(unclosed)?;
        let Word::Plain(name) = name else {
            return Err(SyntaxError::at(script, place.start, "a command has to start with its name"));
        };
        let mut depth = 1_u64;
        loop {
            match self.words.step()?.ok_or_else(unclosed)? {
                (_, Word::Open) => depth += 1,
                (close, Word::Close) => {
                    depth -= 1;
                    if depth == 0 {
                        let place = open.start..close.end;
                        return Ok(Some(Command { text: &script[place.clone()], place, name }));
                    }
                }
                _ => {}
            }
        }
    }
}

impl<'a> Iterator for Commands<'a> {
    type Item = Result<Command<'a>, SyntaxError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let step = self.step();
        self.failed = step.is_err();
        step.transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(script: &str) -> Result<Vec<String>, SyntaxError> {
        Commands::new(script.as_bytes())
            .map(|command| command.map(|c| String::from_utf8_lossy(c.name).into_owned()))
            .collect()
    }

    #[test]
    fn comments_strings_and_quoted_symbols_hide_parentheses() {
        let script = "; (not a command\n(set-info :source |a ) ; b|)\r\n(echo \"x\"\") ;\")(check-sat); end";
        assert_eq!(names(script).unwrap(), ["set-info", "echo", "check-sat"]);
    }

    #[test]
    fn info_gives_key_and_value() {
        let script = b"(set-info :status sat)(set-info :source |a b|)(assert true)(set-info :x (1 2))(set-info)";
        let infos: Vec<_> = Commands::new(script).map(|c| c.unwrap().info()).collect();
        assert_eq!(infos[0], Some((&b":status"[..], Some(&b"sat"[..]))));
        assert_eq!(infos[1], Some((&b":source"[..], Some(&b"a b"[..]))));
        assert_eq!(infos[2], None);
        assert_eq!(infos[3], Some((&b":x"[..], None)));
        assert_eq!(infos[4], None);
    }

    #[test]
    fn errors_name_line_and_column() {
        for (script, line, column, word) in [
            ("(assert true", 1, 1, "closing )"),
            ("\n  )", 2, 3, "start with ("),
            ("(assert true)\nfoo", 2, 1, "start with ("),
            ("(())", 1, 2, "name"),
            ("(echo \"a\"\")", 1, 7, "closing \""),
            ("(echo |a", 1, 7, "closing |"),
            ("(", 1, 1, "closing )"),
        ] {
            let error = names(script).unwrap_err();
            assert_eq!((error.line, error.column), (line, column), "{script}: {error}");
            assert!(error.message.contains(word), "{script}: {error}");
        }
    }

    #[test]
    fn nesting_a_million_deep_is_flat_work() {
        let deep = format!("(assert {}x{})", "(not ".repeat(1_000_000), ")".repeat(1_000_000));
        assert_eq!(names(&deep).unwrap(), ["assert"]);
    }
}
