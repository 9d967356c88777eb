//! The metadata in a benchmark file.

use agon_domain::{Category, Digest, Logic, Status, UnknownCategory};
use agon_smtlib::{Commands, Lexer, Position, QueryStatuses, Seen, SyntaxError, V1Lexer, V1Token, is_version_1};

/// The metadata in a benchmark file.
#[derive(Clone, Debug, PartialEq)]
pub struct Header {
    /// The logic, from `set-logic`.
    pub logic: Logic,
    /// The status before each `check-sat`; unknown if none is declared.
    pub statuses: Vec<Status>,
    /// The category, from `:category`.
    pub category: Option<Category>,
    /// The difficulty, from `:difficulty`: a number from 0 to 5.
    pub difficulty: Option<f64>,
    /// The source, from `:source`.
    pub source: Option<String>,
    /// The license, from `:license`.
    pub license: Option<String>,
    /// The number of `assert` commands.
    pub asserts: u64,
}

/// The reason why a file cannot be used as a benchmark (A11-15).
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// The file is not a well-formed script.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// The file is not a well-formed benchmark of version 1.2: the line and the error.
    #[error("line {0}: {1}")]
    Old(u64, &'static str),
    /// The logic is not declared.
    #[error("no set-logic command")]
    NoLogic,
    /// A status is invalid.
    #[error("line {0}: invalid status '{1}'; it must be sat, unsat or unknown")]
    Status(u64, String),
    /// The category does not exist (R08-4.9).
    #[error("line {0}: {1}")]
    Category(u64, String),
    /// Two contradictory statuses are declared for the same query.
    #[error("line {0}: the status is {1}, but {2} was declared before for the same check-sat")]
    TwoStatuses(u64, Status, Status),
    /// The file is in the directory of another logic.
    #[error("line {line}: the logic is {says}, but the file is in the directory of {directory}")]
    WrongFolder {
        /// The line that declares the logic.
        line: u64,
        /// The logic that the file declares.
        says: String,
        /// The logic of the directory.
        directory: String,
    },
    /// The file is in the non-incremental part, but has several queries.
    #[error("the file is in 'non-incremental', but has {0} check-sat commands")]
    ManyQueries(usize),
    /// The file name cannot appear in tables and pages.
    #[error("the file name is not UTF-8 or has control characters; rename the file")]
    Name,
    /// Another file has the same path in the library.
    #[error("another file has the same path in the library, {0}; rename one of them")]
    SamePath(String),
    /// The file has no query.
    #[error("no check-sat command")]
    NoQuery,
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(String),
}

fn line(script: &[u8], offset: usize) -> u64 {
    Position::START.after(&script[..offset]).line
}

impl Header {
    /// Reads the metadata of a script of version 2 or 1.2.
    pub fn read(script: &[u8]) -> Result<Self, HeaderError> {
        Self::read_with_place(script).map(|(header, _)| header)
    }

    /// Reads the metadata, and the offset at which the logic is declared.
    pub(crate) fn read_with_place(script: &[u8]) -> Result<(Self, usize), HeaderError> {
        if is_version_1(script) { read_old(script) } else { read_new(script) }
    }
}

fn empty() -> Header {
    Header {
        logic: Logic(String::new()),
        statuses: vec![],
        category: None,
        difficulty: None,
        source: None,
        license: None,
        asserts: 0,
    }
}

/// Checks a status, and that it does not contradict an earlier status of the same query.
fn check_status(value: &[u8], replaced: Option<&[u8]>, script: &[u8], offset: usize) -> Result<(), HeaderError> {
    let status = Status::read(value).ok_or_else(|| HeaderError::Status(line(script, offset), text(value)))?;
    match replaced.and_then(Status::read) {
        Some(before) if status.conflicts_with(before) => {
            Err(HeaderError::TwoStatuses(line(script, offset), status, before))
        }
        _ => Ok(()),
    }
}

/// The statuses of queries; unknown where none is declared.
fn statuses(of_queries: &QueryStatuses) -> Vec<Status> {
    let status = |value: &Option<Vec<u8>>| value.as_deref().and_then(Status::read).unwrap_or_default();
    of_queries.of_queries().iter().map(status).collect()
}

fn read_new(script: &[u8]) -> Result<(Header, usize), HeaderError> {
    let mut header = empty();
    let mut logic = None;
    let mut queries = QueryStatuses::default();
    for command in Commands::new(script) {
        let command = command?;
        if let Seen::Status { replaced } = queries.see(&command) {
            let value = command.info().and_then(|(_, value)| value).unwrap_or_default();
            check_status(value, replaced.as_deref(), script, command.place.start)?;
        }
        match command.name {
            b"set-logic" if logic.is_none() => {
                let name = command.arguments().next().and_then(|word| word.text().map(text));
                logic = name.map(|name| (name, command.place.start));
            }
            b"assert" => header.asserts += 1,
            b"set-info" => match command.info() {
                Some((b":category", Some(word))) => header.category = category(word, script, command.place.start)?,
                Some((b":difficulty", Some(word))) => header.difficulty = difficulty(word),
                Some((b":source", Some(word))) => header.source = Some(text(word)),
                Some((b":license", Some(word))) => header.license = Some(text(word)),
                _ => {}
            },
            _ => {}
        }
    }
    let (name, place) = logic.ok_or(HeaderError::NoLogic)?;
    header.logic = Logic(name);
    header.statuses = statuses(&queries);
    // A separation-logic benchmark may have two check-sat commands, but counts as one query.
    if queries.is_separation() && header.statuses.len() > 1 {
        let known = header.statuses.iter().copied().find(|status| status.is_definite());
        header.statuses = vec![known.unwrap_or(Status::Unknown)];
    }
    if header.statuses.is_empty() { Err(HeaderError::NoQuery) } else { Ok((header, place)) }
}

/// Parses a category (R08-4.9). Some benchmarks state that they have none, with the words of the table of 2014
/// (D14-12).
fn category(value: &[u8], script: &[u8], offset: usize) -> Result<Option<Category>, HeaderError> {
    let word = text(value);
    match word.trim() {
        "" | "unknown" | "none" | "null" => Ok(None),
        word => match word.parse() {
            Ok(category) => Ok(Some(category)),
            Err(error) => Err(HeaderError::Category(line(script, offset), UnknownCategory::to_string(&error))),
        },
    }
}

/// Parses a difficulty. In version 1.2 the number is between braces.
fn difficulty(text: &[u8]) -> Option<f64> {
    let text = str::from_utf8(text).ok()?.trim_matches(|c: char| c.is_whitespace() || c == '{' || c == '}');
    text.parse().ok().filter(|difficulty| (0.0..=5.0).contains(difficulty))
}

/// Reads the attributes of a benchmark of version 1.2, which has one query.
fn read_old(script: &[u8]) -> Result<(Header, usize), HeaderError> {
    let mut lexer = V1Lexer::new(script);
    let mut header = empty();
    let mut queries = QueryStatuses::default();
    let mut logic = None;
    let mut attribute: &[u8] = b"";
    let mut depth = 0_u64;
    let wrong = |offset: usize, message| HeaderError::Old(line(script, offset), message);
    while let Some((place, token)) = lexer.next_token() {
        match token {
            V1Token::Open => depth += 1,
            V1Token::Close => {
                depth -= 1;
                // The benchmark ends here. Anything after it is ignored.
                if depth == 0 {
                    break;
                }
            }
            // Inside a formula, braces contain patterns and comments, which are skipped.
            V1Token::OpenBrace => {
                let value = lexer.user_text().ok_or_else(|| wrong(place, "this text has no closing }"))?;
                match attribute {
                    b":category" => header.category = category(value, script, place)?,
                    b":difficulty" => header.difficulty = difficulty(value),
                    b":source" => header.source = Some(text(value)),
                    _ => {}
                }
            }
            V1Token::Attribute(name) if depth == 1 => {
                attribute = name;
                header.asserts += u64::from(matches!(name, b":formula" | b":assumption"));
            }
            V1Token::Word(word) if depth == 1 => match attribute {
                b":logic" => logic = Some((text(word), place)),
                b":status" => {
                    let replaced = queries.declare(word);
                    check_status(word, replaced.as_deref(), script, place)?;
                }
                _ => {}
            },
            V1Token::Strange(_) => return Err(wrong(place, "unexpected character")),
            _ => {}
        }
    }
    if depth > 0 {
        return Err(wrong(script.len(), "the file ends inside the benchmark"));
    }
    let (name, place) = logic.ok_or(HeaderError::NoLogic)?;
    header.logic = Logic(name);
    if header.asserts == 0 {
        return Err(HeaderError::NoQuery);
    }
    queries.query();
    header.statuses = statuses(&queries);
    Ok((header, place))
}

/// A digest of the tokens of a script. Files that differ only in whitespace and comments have the same digest.
pub(crate) fn shape(script: &[u8]) -> Digest {
    let (mut old, mut new) = (V1Lexer::new(script), Lexer::new(script));
    let is_old = is_version_1(script);
    let words = std::iter::from_fn(move || {
        if is_old {
            let (start, _) = old.next_token()?;
            Some(&script[start..old.offset()])
        } else {
            new.next_token().ok().flatten().map(|(place, _)| &script[place])
        }
    });
    Digest::of_pieces(words.flat_map(|word| [word, b" "]))
}

fn text(word: &[u8]) -> String {
    String::from_utf8_lossy(word).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_fields_of_a_header() {
        let header = Header::read(
            b"(set-info :smt-lib-version 2.6)(set-logic QF_BV)(set-info :source |here\nand there|)\
              (set-info :license \"CC\")(set-info :category \"crafted\")(set-info :difficulty | { 3 } |)\
              (set-info :status unsat)(assert false)(assert true)(check-sat)(exit)",
        )
        .unwrap();
        assert_eq!(header.logic.0, "QF_BV");
        assert_eq!(header.statuses, [Status::Unsat]);
        assert_eq!(header.category, Some(Category::Crafted));
        assert_eq!(header.difficulty, Some(3.0));
        assert_eq!(header.source.as_deref(), Some("here\nand there"));
        assert_eq!(header.license.as_deref(), Some("CC"));
        assert_eq!(header.asserts, 2);
    }

    #[test]
    fn r08_3_3_a_header_of_version_1_2() {
        let header = Header::read(
            b"(benchmark x :logic QF_UF :status sat :category { industrial } :difficulty { 0 }\n:source { me }\n\
              :extrapreds ((p)) :assumption p :formula (and p :status unsat))",
        )
        .unwrap();
        assert_eq!((header.logic.0.as_str(), header.statuses.as_slice()), ("QF_UF", &[Status::Sat][..]));
        assert_eq!((header.category, header.difficulty), (Some(Category::Industrial), Some(0.0)));
        assert_eq!((header.source.as_deref(), header.asserts), (Some(" me "), 2));
        let cut = Header::read(b"(benchmark x\n:logic QF_UF :formula (and");
        assert_eq!(cut, Err(HeaderError::Old(2, "the file ends inside the benchmark")));
        assert_eq!(Header::read(b"(benchmark x :logic QF_UF)"), Err(HeaderError::NoQuery));
    }

    #[test]
    fn r08_4_9_categories_that_do_not_exist_are_errors() {
        let new =
            |word: &str| Header::read(format!("(set-logic X)\n(set-info :category {word})(check-sat)").as_bytes());
        let old = |word: &str| {
            Header::read(format!("(benchmark x :logic X\n:category {{ {word} }} :formula true)").as_bytes())
        };
        for read in [new("\"crafted\""), old("crafted")] {
            assert_eq!(read.unwrap().category, Some(Category::Crafted));
        }
        for read in [new("\"unknown\""), new("\"\""), old("none")] {
            assert_eq!(read.unwrap().category, None);
        }
        for read in [new("\"craftd\""), old("craftd")] {
            let error = read.unwrap_err().to_string();
            assert!(error.starts_with("line 2: unknown category 'craftd' (did you mean crafted?)"), "{error}");
        }
    }

    #[test]
    fn statuses_belong_to_the_query_they_precede() {
        let header = Header::read(
            b"(set-logic X)(set-info :status sat)(check-sat)(check-sat)(set-info :status unsat)(check-sat)",
        )
        .unwrap();
        assert_eq!(header.statuses, [Status::Sat, Status::Unknown, Status::Unsat]);
    }

    #[test]
    fn invalid_headers_are_rejected() {
        assert_eq!(Header::read(b"(check-sat)"), Err(HeaderError::NoLogic));
        assert_eq!(Header::read(b"(set-logic X)"), Err(HeaderError::NoQuery));
        assert!(matches!(Header::read(b"(set-logic X"), Err(HeaderError::Syntax(_))));
        // A misspelled status would make any answer correct.
        let misspelled = Header::read(b"(set-logic X)\n(set-info :status unsatisfiable)(check-sat)");
        assert_eq!(misspelled, Err(HeaderError::Status(2, "unsatisfiable".into())));
        let heap = Header::read(
            b"(set-logic QF_SHLS)(set-info :status unsat)(declare-heap (R R))(assert true)(check-sat)(assert true)(check-sat)",
        );
        assert_eq!(heap.unwrap().statuses, [Status::Unsat]);
        let twice = Header::read(b"(set-logic X)(set-info :status sat)\n(set-info :status unsat)(check-sat)");
        assert_eq!(twice, Err(HeaderError::TwoStatuses(2, Status::Unsat, Status::Sat)));
    }

    #[test]
    fn shapes_are_equal_up_to_formatting() {
        assert_eq!(shape(b"(a b) ; x\n(c)"), shape(b"\n( a\tb )(c)"));
        assert_ne!(shape(b"(a b)"), shape(b"(ab)"));
        assert_ne!(shape(b"(a \"b c\")"), shape(b"(a \"b  c\")"));
    }
}
