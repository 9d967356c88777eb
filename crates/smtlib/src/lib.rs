//! Reads, checks and prints the SMT-LIB language.
//!
//! From the outside in: [`Lexer`] yields the tokens, [`Commands`] and [`Splitter`] the commands as text, [`Checker`]
//! the commands as [`Command`]s whose terms and sorts are indices into arenas, [`Printer`] the text again.
//! [`read_script`] reads a whole script. Nothing here recurses over its input.

mod checker;
mod command;
mod command_text;
mod diagnostic;
mod hash;
pub mod logic;
mod print;
mod read;
mod separation;
mod sort;
mod split;
mod statuses;
mod symbol;
mod term;
mod theory;
mod token;
mod v1;

pub use checker::{
    Checker, DefinitionForm, DefinitionPart, Dialect, FunctionInfo, FunctionKind, FunctionSignature, Rules,
};
pub use command::{Command, Datatype, Definition, Plain};
pub use command_text::{CommandText, Commands, SyntaxError};
pub use diagnostic::{Code, Diagnostic, Position};
pub use hash::Hash;
pub use print::{Printer, symbol_text};
pub use read::{KeptTerms, Summary, read_script};
pub use separation::separation_classes;
pub use sort::{Constructor, Sort, Sorts};
pub use split::{Piece, Splitter};
pub use statuses::{QueryStatuses, Seen};
pub use symbol::{Symbol, Symbols};
pub use term::{
    Attribute, Attributes, Binder, Case, Cases, Function, Head, Literal, Mark, Operator, Term, Terms, Variable,
};
pub use theory::{Theories, Theory};
pub use token::{Lexer, Token, TokenError, TokenErrorKind};
pub use v1::{V1Error, V1Lexer, V1Printer, V1Token, is_version_1};
