//! The SMT-LIB language.
//!
//! For now only its outermost layer: the commands of a script, where each one stands, and its words. That is
//! what metadata and preparation need; terms are not looked into.

mod script;

pub use script::{Command, Commands, SyntaxError, Word, Words};
