//! Splits a script into the texts of its commands, without building a syntax tree.

use crate::diagnostic::Code;
use crate::token::{Lexer, Token, TokenError};
use std::ops::Range;

/// A script that cannot be split into commands.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct SyntaxError {
    /// The line, from 1.
    pub line: usize,
    /// The column in bytes, from 1.
    pub column: usize,
    /// The kind of error.
    pub code: Code,
    /// The error message.
    pub message: String,
}

impl SyntaxError {
    fn at(script: &[u8], offset: usize, code: Code, message: String) -> Self {
        let before = &script[..offset];
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let column = offset - before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1) + 1;
        Self { line, column, code, message }
    }

    /// Whether the script ends in the middle of a command, a string, a quoted symbol or a comment.
    pub const fn is_unfinished(&self) -> bool {
        matches!(self.code, Code::OpenCommand | Code::OpenString | Code::OpenQuoted | Code::OpenComment)
    }

    fn of(script: &[u8], fault: TokenError) -> Self {
        Self::at(script, fault.offset, fault.kind.code(), fault.kind.to_string())
    }
}

/// The text of one command of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandText<'a> {
    /// Its range in the script, including its parentheses.
    pub place: Range<usize>,
    /// Its name: `assert`, `set-info` and so on.
    pub name: &'a [u8],
    /// The whole text, including the parentheses.
    pub text: &'a [u8],
}

impl<'a> CommandText<'a> {
    /// The tokens after the name, up to the command's closing parenthesis.
    pub fn arguments(&self) -> impl Iterator<Item = Token<'a>> + use<'a> {
        // The command was split without an error, so its tokens have none.
        let inside = self.text.get(1..self.text.len() - 1).unwrap_or_default();
        let mut lexer = Lexer::new(inside);
        std::iter::from_fn(move || lexer.next_token().ok()?.map(|(_, token)| token)).skip(1)
    }

    /// The attribute of a `set-info` and the text of its value, if the value is a single token.
    pub fn info(&self) -> Option<(&'a [u8], Option<&'a [u8]>)> {
        if self.name != b"set-info" {
            return None;
        }
        let mut arguments = self.arguments();
        let Token::Keyword(key) = arguments.next()? else { return None };
        Some((key, arguments.next().and_then(Token::text)))
    }
}

/// The commands of a script, in order. The iterator ends at the first error.
#[derive(Clone, Debug)]
pub struct Commands<'a> {
    script: &'a [u8],
    lexer: Lexer<'a>,
    failed: bool,
}

impl<'a> Commands<'a> {
    /// The commands of this script.
    pub fn new(script: &'a [u8]) -> Self {
        Self { script, lexer: Lexer::new(script), failed: false }
    }

    fn token(&mut self) -> Result<Option<(Range<usize>, Token<'a>)>, SyntaxError> {
        self.lexer.next_token().map_err(|fault| SyntaxError::of(self.script, fault))
    }

    fn step(&mut self) -> Result<Option<CommandText<'a>>, SyntaxError> {
        let script = self.script;
        let error = |offset, code, message: &str| SyntaxError::at(script, offset, code, message.to_owned());
        let Some((open, token)) = self.token()? else { return Ok(None) };
        if token != Token::Open {
            return Err(error(open.start, Code::NoCommand, "a command must start with ("));
        }
        let unclosed = || error(open.start, Code::OpenCommand, "this command has no closing )");
        let (place, name) = self.token()?.ok_or_else(unclosed)?;
        let Token::Symbol(name) = name else {
            return Err(error(place.start, Code::NoName, "a command must start with its name"));
        };
        let mut depth = 1_u64;
        loop {
            match self.token()?.ok_or_else(unclosed)? {
                (_, Token::Open) => depth += 1,
                (close, Token::Close) => {
                    depth -= 1;
                    if depth == 0 {
                        let place = open.start..close.end;
                        return Ok(Some(CommandText { text: &script[place.clone()], place, name }));
                    }
                }
                _ => {}
            }
        }
    }
}

impl<'a> Iterator for Commands<'a> {
    type Item = Result<CommandText<'a>, SyntaxError>;

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
    fn info_returns_key_and_value() {
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
    fn input_nested_a_million_deep_is_split_without_recursion() {
        let deep = format!("(assert {}x{})", "(not ".repeat(1_000_000), ")".repeat(1_000_000));
        assert_eq!(names(&deep).unwrap(), ["assert"]);
    }
}
