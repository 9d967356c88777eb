//! The trace executor: talks to a solver as an application would, and keeps what it says.
//!
//! [`Trace`] is a script with the answers that are expected of it. [`Session`] sends it to a solver, one command at a time
//! and the next one only after the answer to the last (A11-2, A11-3): no solver can look ahead. What it answered, and when,
//! is a [`Record`]; how a session ends by the rules of a year is its [`Policy`].

mod policy;
mod response;
mod session;
mod trace;

pub use policy::Policy;
pub use session::{Ended, KeptRecords, Record, Request, Session};
pub use trace::{Trace, TraceError};
