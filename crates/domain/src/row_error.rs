//! A malformed line of a table.

/// A line of a table that was skipped because it is malformed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct RowError {
    /// The line number, from 1.
    pub line: u64,
    /// The reason why the line was skipped.
    pub message: String,
}

impl RowError {
    /// Builds an error for this line.
    pub fn new(line: u64, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}
