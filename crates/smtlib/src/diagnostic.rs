//! Errors in a script and their positions: each kind of error has a stable code.

use std::fmt;

macro_rules! codes {
    ($($variant:ident $name:literal,)*) => {
        /// The kinds of errors. Each has a page in `docs/errors/`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs, reason = "their pages are the documentation")]
        pub enum Code {
            $($variant,)*
        }

        impl Code {
            /// All codes.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The stable name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)*
                }
            }
        }
    };
}

codes! {
    OpenString "lexical.open-string",
    OpenQuoted "lexical.open-symbol",
    OpenComment "lexical.open-comment",
    Backslash "lexical.backslash",
    Number "lexical.number",
    LeadingZero "lexical.leading-zero",
    Hash "lexical.hash",
    Keyword "lexical.keyword",
    Character "lexical.character",
    Control "lexical.control",
    NoCommand "syntax.no-command",
    OpenCommand "syntax.open-command",
    NoName "syntax.no-name",
    Unexpected "syntax.unexpected",
    Reserved "syntax.reserved",
    UnknownCommand "command.unknown",
    OptionValue "command.option-value",
    InfoValue "command.info-value",
    Pop "command.pop",
    Mode "command.mode",
    UnknownLogic "logic.unknown",
    MissingLogic "logic.missing",
    LateLogic "logic.late",
    OutsideLogic "logic.theory",
    Quantifier "logic.quantifier",
    Nonlinear "logic.nonlinear",
    Difference "logic.difference",
    Uninterpreted "logic.uninterpreted",
    Extension "logic.extension",
    UnknownName "name.unknown",
    UnknownSort "name.unknown-sort",
    Taken "name.taken",
    TheoryName "name.theory",
    Twice "name.twice",
    SolverName "name.solver",
    OpenNamed "name.open-term",
    WrongSort "sort.expected",
    Argument "sort.argument",
    Coercion "sort.coercion",
    Ambiguous "sort.ambiguous",
    Qualifier "sort.qualifier",
    NotFunction "sort.not-function",
    Parameter "sort.parameter",
    Arity "arity.function",
    SortArity "arity.sort",
    SortSize "sort.size",
    ListLength "arity.list",
    IndexCount "index.count",
    IndexRange "index.range",
    Unfounded "datatype.unfounded",
    Pattern "datatype.pattern",
    Cases "datatype.cases",
    HeapPair "heap.pair",
    HeapTwice "heap.twice",
    HeapMissing "heap.missing",
    HeapNil "heap.nil",
    OldSyntax "v1.syntax",
    TrackCommand "track.command",
    TrackOrder "track.order",
    TrackCount "track.count",
    TrackOption "track.option",
    TrackArity "track.arity",
    TrackNamed "track.named",
}

impl Code {
    /// Whether the script can be interpreted despite the error: it only violates the logic, the rules of a track or
    /// the order of commands, or has an invalid option or attribute value.
    pub fn is_harmless(self) -> bool {
        let name = self.name();
        name.starts_with("logic.")
            || name.starts_with("track.")
            || matches!(self, Self::Mode | Self::OptionValue | Self::InfoValue)
    }
}

/// One error, with its position and a message for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The line, from 1.
    pub line: u64,
    /// The column in bytes, from 1.
    pub column: u64,
    /// The kind of error.
    pub code: Code,
    /// The error message.
    pub message: String,
    /// How to fix the error, if known.
    pub help: Option<String>,
    /// The source around the position, and the position in it, in characters.
    pub excerpt: Option<(String, usize)>,
}

/// `3:14: error[name.unknown]: …`, then the source with a caret, then the help.
impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: error[{}]: {}", self.line, self.column, self.code.name(), self.message)?;
        if let Some((source, at)) = &self.excerpt {
            let margin = self.line.to_string().len();
            write!(f, "\n {} | {source}", self.line)?;
            write!(f, "\n {:margin$} | {:at$}^", "", "")?;
        }
        if let Some(help) = &self.help {
            write!(f, "\n   help: {help}")?;
        }
        Ok(())
    }
}

/// A position in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// The line, from 1.
    pub line: u64,
    /// The column in bytes, from 1.
    pub column: u64,
}

impl Position {
    /// The beginning of a file.
    pub const START: Self = Self { line: 1, column: 1 };

    /// The position after this text.
    #[must_use]
    pub fn after(self, text: &[u8]) -> Self {
        if memchr::memchr(b'\r', text).is_some() {
            return self.after_returns(text);
        }
        match memchr::memrchr(b'\n', text) {
            None => Self { line: self.line, column: self.column + text.len() as u64 },
            Some(last) => Self {
                line: self.line + memchr::memchr_iter(b'\n', text).count() as u64,
                column: (text.len() - last) as u64,
            },
        }
    }
}

impl Position {
    /// The position after this text, where a carriage return alone may also end a line.
    fn after_returns(self, text: &[u8]) -> Self {
        let mut position = self;
        for (at, byte) in text.iter().enumerate() {
            let ends = *byte == b'\n' || *byte == b'\r' && text.get(at + 1) != Some(&b'\n');
            if ends {
                position = Self { line: position.line + 1, column: 1 };
            } else {
                position.column += 1;
            }
        }
        position
    }
}

/// The number of bytes of a line that are shown on each side of an error.
const SHOWN: usize = 60;

/// The line around `offset` for messages, and the position of `offset` in it.
pub(crate) fn excerpt(text: &[u8], offset: usize) -> Option<(String, usize)> {
    let offset = offset.min(text.len());
    // Lines may be as long as files, so only the part that is shown is inspected.
    let (low, high) = (offset.saturating_sub(SHOWN), text.len().min(offset + SHOWN));
    let start = memchr::memrchr2(b'\n', b'\r', &text[low..offset]).map(|at| low + at + 1);
    let end = memchr::memchr2(b'\n', b'\r', &text[offset..high]).map(|at| offset + at);
    let (from, to) = (start.unwrap_or(low), end.unwrap_or(high));
    let clean = |bytes: &[u8]| -> String {
        String::from_utf8_lossy(bytes).chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
    };
    let before = clean(&text[from..offset]);
    let after = clean(&text[offset..to]);
    let (cut_left, cut_right) = (start.is_none() && low > 0, end.is_none() && high < text.len());
    let (left, right) = (if cut_left { "…" } else { "" }, if cut_right { "…" } else { "" });
    let at = left.chars().count() + before.chars().count();
    let line = format!("{left}{before}{after}{right}");
    (!line.trim().is_empty()).then_some((line, at))
}

/// Names that are longer than this are not compared.
const LONGEST: usize = 60;

/// The most similar of these names; `None` if none is similar enough.
pub(crate) fn nearest<'a>(name: &[u8], candidates: impl Iterator<Item = &'a [u8]>) -> Option<&'a [u8]> {
    if name.len() > LONGEST {
        return None;
    }
    let most = (name.len() / 3).min(3);
    let is_word = |name: &[u8]| name.first().is_some_and(u8::is_ascii_alphabetic);
    let near = |other: &&'a [u8]| {
        other.len().abs_diff(name.len()) <= most && *other != name && is_word(other) == is_word(name)
    };
    candidates
        .filter(near)
        .map(|other| (distance(name, other), other))
        .filter(|(far, _)| *far <= most)
        .min()
        .map(|(_, other)| other)
}

/// The edit distance: insertions, deletions, substitutions and transpositions of characters.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut rows = [[0; 2 * LONGEST]; 3];
    for (at, cell) in rows[1].iter_mut().enumerate() {
        *cell = at;
    }
    for i in 0..a.len() {
        rows[2][0] = i + 1;
        for j in 0..b.len() {
            let same = a[i].eq_ignore_ascii_case(&b[j]);
            let mut best = (rows[1][j] + usize::from(!same)).min(rows[1][j + 1] + 1).min(rows[2][j] + 1);
            if i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j] {
                best = best.min(rows[0][j - 1] + 1);
            }
            rows[2][j + 1] = best;
        }
        rows.rotate_left(1);
    }
    rows[1][b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_names_are_suggested() {
        let names = [&b"bvadd"[..], b"bvand", b"declare-fun", b"define-fun"];
        let near = |name: &str| nearest(name.as_bytes(), names.into_iter());
        assert_eq!(near("bvad"), Some(&b"bvadd"[..]));
        assert_eq!(near("bvdad"), Some(&b"bvadd"[..]));
        assert_eq!(near("declare-func"), Some(&b"declare-fun"[..]));
        assert_eq!(near("BVADD"), Some(&b"bvadd"[..]));
        assert_eq!(near("something"), None);
        assert_eq!(distance(b"ab", b"ba"), 1);
        assert_eq!(distance(b"", b"abc"), 3);
    }

    #[test]
    fn excerpts_are_truncated_and_point_to_the_error() {
        assert_eq!(excerpt(b"(a\n (bc)\n", 5), Some((" (bc)".to_owned(), 2)));
        let long = [b"x".repeat(100), b"!".to_vec(), b"y".repeat(100)].concat();
        let (line, at) = excerpt(&long, 100).unwrap();
        assert_eq!(line.chars().nth(at), Some('!'));
        assert!(line.starts_with('…') && line.ends_with('…'));
        assert_eq!(excerpt("é\té!".as_bytes(), 5).unwrap(), ("é é!".to_owned(), 3));
    }

    #[test]
    fn positions_count_lines_and_columns() {
        assert_eq!(Position::START.after(b"ab"), Position { line: 1, column: 3 });
        assert_eq!(Position::START.after(b"ab\nc\n"), Position { line: 3, column: 1 });
        assert_eq!(Position::START.after(b"\nab"), Position { line: 2, column: 3 });
    }
}
