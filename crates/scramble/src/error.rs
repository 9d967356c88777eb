//! Errors of scrambling.

use agon_smtlib::{Position, SyntaxError};

/// The reason why a script cannot be scrambled.
#[derive(Debug, thiserror::Error)]
pub enum ScrambleError {
    /// The script is malformed at this position.
    #[error("{}:{}: {message}", position.line, position.column)]
    At {
        /// The position of the error.
        position: Position,
        /// The error message.
        message: String,
    },
    /// The official scrambler rejects the script with this message, which has no position.
    #[error("{0}")]
    Official(String),
    /// The script cannot be split into commands.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// The script is longer than a gigabyte.
    #[error("the file has more than 2^30 bytes")]
    TooLong,
    /// The output could not be written.
    #[error("the scrambled file could not be written: {0}")]
    Io(#[from] std::io::Error),
}

impl ScrambleError {
    pub(crate) fn at(script: &[u8], offset: usize, message: String) -> Self {
        Self::At { position: Position::START.after(&script[..offset]), message }
    }
}
