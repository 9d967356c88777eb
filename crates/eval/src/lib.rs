//! Evaluates terms in a model, exactly.
//!
//! [`Problem`] reads a script and keeps what a model has to satisfy. [`read_model`] parses a solver's output into an
//! [`Interpretation`]. A [`Machine`] evaluates the problem's terms in it, for all theories that `agon-smtlib` supports:
//! with exact numbers, without recursion, and each shared term once. A value that cannot be decided is reported with
//! the reason.

mod algebraic;
mod call;
mod equality;
mod float;
mod interpretation;
mod list_operations;
mod literal;
mod machine;
mod model;
mod problem;
mod quantifier;
mod regex;
mod root;
mod root_interval;
mod root_sum;
mod tabulate;
mod theory;
mod trie;
mod value;

pub use interpretation::{Body, Constant, Interpretation};
pub use machine::Machine;
pub use model::{ModelFault, read_model};
pub use problem::{Problem, ProblemError};
pub use root::Root;
pub use value::{Value, Values};
