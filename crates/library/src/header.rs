//! What a benchmark file says about itself.

use agon_domain::{Category, Logic, Status};
use agon_smtlib::{Commands, SyntaxError};

/// The metadata in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// From `set-logic`.
    pub logic: Logic,
    /// The status before each `check-sat`; unknown where none stands before it.
    pub statuses: Vec<Status>,
    /// From `:category`.
    pub category: Option<Category>,
    /// From `:source`.
    pub source: Option<String>,
    /// From `:license`.
    pub licence: Option<String>,
    /// How many `assert`s there are.
    pub asserts: u64,
}

/// Why a file is no benchmark.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// It is not a script.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// It names no logic.
    #[error("no set-logic command names its logic")]
    NoLogic,
    /// It has a status that is none.
    #[error("its status is '{0}', which is none of sat, unsat, unknown")]
    Status(String),
    /// Its name cannot stand in tables and pages.
    #[error("its name is not UTF-8 or has control characters; rename it")]
    Name,
    /// It asks nothing.
    #[error("no check-sat command asks anything")]
    NoQuery,
}

impl Header {
    /// Reads the metadata of a script.
    pub fn read(script: &[u8]) -> Result<Self, HeaderError> {
        let mut logic = None;
        let mut header = Self {
            logic: Logic(String::new()),
            statuses: vec![],
            category: None,
            source: None,
            licence: None,
            asserts: 0,
        };
        let mut status = Status::Unknown;
        for command in Commands::new(script) {
            let command = command?;
            match command.name {
                b"set-logic" => {
                    logic = logic.or(command.arguments().next().and_then(|word| word.text().map(text)));
                }
                b"assert" => header.asserts += 1,
                b"check-sat" | b"check-sat-assuming" => {
                    header.statuses.push(status);
                    status = Status::Unknown;
                }
                b"set-info" => match command.info() {
                    Some((b":status", word)) => {
                        let word = text(word.unwrap_or_default());
                        status = word.parse().map_err(|_| HeaderError::Status(word))?;
                    }
                    Some((b":category", Some(word))) => header.category = text(word).parse().ok(),
                    Some((b":source", Some(word))) => header.source = Some(text(word)),
                    Some((b":license", Some(word))) => header.licence = Some(text(word)),
                    _ => {}
                },
                _ => {}
            }
        }
        header.logic = Logic(logic.ok_or(HeaderError::NoLogic)?);
        if header.statuses.is_empty() {
            return Err(HeaderError::NoQuery);
        }
        Ok(header)
    }
}

fn text(word: &[u8]) -> String {
    String::from_utf8_lossy(word).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_header() {
        let header = Header::read(
            b"(set-info :smt-lib-version 2.6)(set-logic QF_BV)(set-info :source |here\nand there|)\
              (set-info :license \"CC\")(set-info :category \"crafted\")(set-info :status unsat)\
              (assert false)(assert true)(check-sat)(exit)",
        )
        .unwrap();
        assert_eq!(header.logic.0, "QF_BV");
        assert_eq!(header.statuses, [Status::Unsat]);
        assert_eq!(header.category, Some(Category::Crafted));
        assert_eq!(header.source.as_deref(), Some("here\nand there"));
        assert_eq!(header.licence.as_deref(), Some("CC"));
        assert_eq!(header.asserts, 2);
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
    fn what_is_no_benchmark() {
        assert_eq!(Header::read(b"(check-sat)"), Err(HeaderError::NoLogic));
        assert_eq!(Header::read(b"(set-logic X)"), Err(HeaderError::NoQuery));
        assert!(matches!(Header::read(b"(set-logic X"), Err(HeaderError::Syntax(_))));
        // A misspelt status would make any answer right.
        let misspelt = Header::read(b"(set-logic X)(set-info :status unsatisfiable)(check-sat)");
        assert_eq!(misspelt, Err(HeaderError::Status("unsatisfiable".into())));
    }
}
