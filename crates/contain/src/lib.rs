//! One process tree under limits, measured.
//!
//! [`Host::run`] starts a command in a control group, a session and, where this process may, namespaces of its own;
//! reads its output through pipes with a cap, ends it at its limits by killing the whole group, and tells what it used.
//! What this machine cannot enforce is left out and said in [`Isolation`]; nothing is dropped silently.
//!
//! This crate knows nothing of competitions: commands go in, measurements come out.

mod cgroup;
mod host;
mod isolation;
mod job;
mod run;
mod spawn;

pub use host::Host;
pub use isolation::{CgroupKind, Isolation};
pub use job::{ContainError, Ending, Job, Limit, Limits, Measured};
