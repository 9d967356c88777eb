//! The SMT-LIB language: read, checked and printed.
//!
//! From the outside in: [`Lexer`] gives the tokens, [`Commands`] and [`Splitter`] the commands as text, [`Checker`] the
//! commands as [`Command`]s whose terms and sorts are numbers in arenas, [`Printer`] the text again. [`read_script`]
//! does a whole script. Nothing here recurses over its input.

mod check;
mod checker;
mod command;
mod diagnostic;
mod hash;
pub mod logic;
mod print;
mod script;
mod separation;
mod sort;
mod split;
mod symbol;
mod term;
mod theory;
mod token;
mod v1;

pub use check::{Summary, read_script};
pub use checker::{Checker, Dialect, FunctionInfo, FunctionKind, Rules, Signature};
pub use command::{Command as ScriptCommand, Datatype, Definition, Plain};
pub use diagnostic::{Code, Diagnostic, Position};
pub use hash::Hash;
pub use print::{Printer, symbol_text};
pub use script::{Command, Commands, SyntaxError};
pub use sort::{Constructor, Sort, Sorts};
pub use split::{Piece, Splitter};
pub use symbol::{Symbol, Symbols};
pub use term::{
    Attribute, Attributes, Binder, Case, Cases, Function, Head, Literal, Mark, Operator, Term, Terms, Variable,
};
pub use theory::{Theories, Theory};
pub use token::{Fault, FaultKind, Lexer, Token};
pub use v1::{V1Error, V1Lexer, V1Printer, V1Token, is_version_1};
