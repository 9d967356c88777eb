//! A malformed line of a table.

/// A line of a table that was left out, and why.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct RowError {
    /// The line, from 1.
    pub line: u64,
    /// What is wrong with it.
    pub message: String,
}

impl RowError {
    /// An error in this line.
    pub fn new(line: u64, message: impl Into<String>) -> Self {
        Self { line, message: message.into() }
    }
}
