//! The bytes a solver sees.
//!
//! [`scramble`] renames and reorders a script so that its origin cannot be recognised (R19-6.9). It goes through a
//! script once: `tokens` gives words and parentheses, `commands` and `terms` read and move as constructs close, and at
//! each `check-sat` `segment` moves commands, `names` renames and all is printed.

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
