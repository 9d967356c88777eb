//! Why a script is not scrambled.

use agon_smtlib::{Position, SyntaxError};

/// Why a script is not scrambled.
#[derive(Debug, thiserror::Error)]
pub enum ScrambleError {
    /// It is rejected at this position.
    #[error("{}:{}: {message}", position.line, position.column)]
    At {
        /// The position.
        position: Position,
        /// The reason.
        message: String,
    },
    /// It is rejected with the official scrambler's message, which has no position.
    #[error("{0}")]
    Official(String),
    /// It cannot be split into commands.
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
