//! Why a script is not scrambled.

use agon_smtlib::{Position, SyntaxError};

/// Why a script is not scrambled.
#[derive(Debug, thiserror::Error)]
pub enum ScrambleError {
    /// It is refused at some place.
    #[error("{}:{}: {message}", position.line, position.column)]
    At {
        /// Where.
        position: Position,
        /// Why.
        message: String,
    },
    /// It is refused in the official scrambler's words, which name no place.
    #[error("{0}")]
    Official(String),
    /// Its commands cannot be told apart.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// It is longer than a gigabyte.
    #[error("the file has more than 2^30 bytes")]
    TooLong,
    /// The output cannot be written.
    #[error("the scrambled file cannot be written: {0}")]
    Io(#[from] std::io::Error),
}

impl ScrambleError {
    pub(crate) fn at(script: &[u8], offset: usize, message: String) -> Self {
        Self::At { position: Position::START.after(&script[..offset]), message }
    }
}
