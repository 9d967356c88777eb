//! Scrambles benchmarks, and prepares the files that solvers get.
//!
//! [`scramble`] renames and reorders a script so that its origin cannot be recognized (R19-6.9). In one pass, `tokens`
//! splits the script, `commands` and `terms` parse it and permute each construct when it closes, and at each
//! `check-sat` `segment` permutes the commands, `names` assigns new names, and the segment is printed. A second pass is
//! necessary only if the script uses a label (`:named`) as a term.

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
pub use prepare::{Ready, prepare, prepare_without_patterns};
pub use scramble::{Scrambled, scramble, scramble_with_statuses};
pub use v1::scramble_v1;
