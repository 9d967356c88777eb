//! The benchmark pack: families of generated benchmarks of any size, whose status is known by construction.
//!
//! Each [`Family`] is a function from a size and a status to the body of a script. [`write()`] adds headers and writes
//! the files in SMT-LIB's layout.

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
