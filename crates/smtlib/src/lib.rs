//! The SMT-LIB language.
//!
//! So far its two outermost layers: [`Lexer`] gives the tokens of a script, by the letter of the standard, and
//! [`Commands`] its commands and where each one stands. That is what metadata and preparation need; terms are not
//! looked into yet.

mod script;
mod token;

pub use script::{Command, Commands, SyntaxError};
pub use token::{Fault, FaultKind, Lexer, Token};
