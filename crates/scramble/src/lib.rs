//! Produces the bytes that a solver sees.
//!
//! [`scramble`] renames and reorders a script so that its origin cannot be recognized (R19-6.9). It reads a script
//! once: `tokens` yields words and parentheses, `commands` and `terms` permute constructs as they close, and at each
//! `check-sat` `segment` permutes commands, `names` renames symbols, and everything is printed.

mod commands;
mod core;
mod datatypes;
mod error;
mod generator;
mod keywords;
mod name_map;
mod names;
mod official_lexer;
mod operators;
mod options;
mod prepare;
mod reader;
mod scope;
mod scramble;
mod segment;
mod status_header;
mod terms;
mod tokens;
mod tree;
mod v1;
mod without_status;

pub use core::{core_names, core_symbols};
pub use error::ScrambleError;
pub use name_map::{NameMap, NameMapError};
pub use options::{Annotations, Options, Recipe, UnknownRecipe};
pub use prepare::{Ready, prepare};
pub use scramble::{Scrambled, scramble, scramble_with_statuses};
pub use v1::scramble_v1;
