//! A small solver that favors soundness over speed.
//!
//! It decides propositional logic, bit-vectors, uninterpreted functions and sorts, and arrays over these, by encoding
//! them as one propositional formula. For anything else it answers `unknown`. It produces models and minimized unsat
//! cores, and supports incremental scripts. Every model is evaluated before `sat` is printed, so that a bug in the
//! encoding can lose an answer but cannot make a `sat` wrong.
//!
//! `circuit.rs` builds gates over a SAT solver and `bit_vectors.rs` arithmetic from gates. `encode.rs` turns terms into
//! gates, `arrays.rs` and `functions.rs` add axioms, `model.rs` turns an assignment into a model, and `session.rs`
//! executes commands.

mod arrays;
mod bit_vectors;
mod circuit;
mod encode;
mod functions;
mod model;
mod session;

pub use session::Session;
