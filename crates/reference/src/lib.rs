//! A small solver that favors soundness over speed.
//!
//! It decides propositional logic, bit-vectors, uninterpreted functions and sorts, and arrays over these, by encoding
//! everything as one propositional formula; everything else is `unknown`. It produces models and minimized unsat cores,
//! and works incrementally. A model is evaluated before `sat` is printed, so that a bug in the encoding can cost an
//! answer but not make a `sat` wrong.
//!
//! `circuit.rs` has gates over a SAT solver, `bit_vectors.rs` arithmetic with them, `encode.rs` terms as gates,
//! `arrays.rs` and `functions.rs` their axioms, `model.rs` the way back to values, `session.rs` the commands.

mod arrays;
mod bit_vectors;
mod circuit;
mod encode;
mod functions;
mod model;
mod session;

pub use session::Session;
