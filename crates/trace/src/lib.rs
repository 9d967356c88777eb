//! The trace executor: talks to a solver as an application would, and records the answers.
//!
//! [`Trace`] is a script with the expected answers. [`Session`] sends it to a solver, one command at a time and the
//! next one only after the answer to the last (A11-2, A11-3): no solver can look ahead. Each answer and its time is a
//! [`Record`]; the [`Policy`] of a year determines how a session continues and ends.

mod policy;
mod response;
mod session;
mod trace;

pub use policy::Policy;
pub use session::{Ended, KeptRecords, Record, Request, Session};
pub use trace::{Trace, TraceError};
