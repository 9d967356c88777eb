//! The bytes a solver sees.
//!
//! For now preparation removes what would give the answer away; renaming and reordering follow.

mod prepare;

pub use prepare::prepare;
