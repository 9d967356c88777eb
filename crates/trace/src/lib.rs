//! The trace executor: talks to a solver as an application would, and records the answers.
//!
//! A [`Trace`] is a script with the expected answers. A [`Session`] sends it to a solver one command at a time, each
//! only after the answer to the previous one (A11-2, A11-3), so that no solver can look ahead. Each command is a
//! [`Record`] with its answer and times. The [`Policy`] of a year determines how a session continues and ends.

mod policy;
mod response;
mod session;
mod trace;

pub use policy::Policy;
pub use session::{Ended, KeptRecords, Record, Request, Session};
pub use trace::{Trace, TraceError};
