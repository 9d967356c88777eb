//! The benchmark pack: families of our own, with a size to turn and a status known by construction.
//!
//! Each [`Family`] is one function from a size and a wanted status to a script's body; [`write()`] puts a header
//! around it and lays the files out as SMT-LIB does.

mod arithmetic;
mod arrays;
mod bit_vectors;
mod datatypes;
mod equality;
mod family;
mod floats;
mod incremental;
mod quantified;
mod random;
mod strings;

pub use family::{Family, Member, Wanted, families, write};
