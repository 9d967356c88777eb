//! A small solver that is meant to be right, not to win.
//!
//! It decides propositional logic, bit-vectors, uninterpreted functions and sorts, and arrays over these, by writing all
//! of it as one propositional formula; everything else is `unknown`. It gives models and minimised unsat cores and may be
//! talked to command by command. A model is evaluated before `sat` is said, so that a fault in the encoding can cost an
//! answer but not make one wrong on that side.
//!
//! `circuit.rs` is gates over a SAT solver, `words.rs` arithmetic with them, `encode.rs` terms as gates,
//! `arrays.rs` and `functions.rs` what has to be said about those, `model.rs` the way back, `session.rs` the commands.

mod arrays;
mod bit_vectors;
mod circuit;
mod encode;
mod functions;
mod model;
mod session;

pub use session::Session;
