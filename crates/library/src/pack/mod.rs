//! The benchmark pack: families of our own, with a variable size and a status known by construction.
//!
//! Each [`Family`] is one function from a size and a wanted status to a script's body; [`write()`] adds a header and
//! writes the files in SMT-LIB layout.

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
