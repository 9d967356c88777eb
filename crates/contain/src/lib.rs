//! One process tree under limits, measured.
//!
//! [`Host::run`] starts a command in a control group and, where this process may, in namespaces of its own; reads its
//! output through pipes with a cap, ends it at its limits with everything that it started, and tells what it used.
//! What this machine cannot enforce is left out and said in [`Isolation`]; nothing is dropped silently.
//!
//! Three processes take part. The runner makes everything ready (`spawn.rs`) and watches (`run.rs`). The first process
//! of the run (`init.rs`) puts up the walls (`view.rs`), starts the program, and ends when it does; with it goes all that
//! is left. The program's own process (`program.rs`) enters the control groups (`cgroup.rs`), takes its limits and its
//! filter (`filter.rs`), and becomes the program.
//!
//! This crate knows nothing of competitions: commands go in, measurements come out.

mod cgroup;
mod conversation;
mod filter;
mod host;
mod init;
mod isolation;
mod job;
mod program;
mod report;
mod run;
mod spawn;
mod surroundings;
mod sys;
mod view;
mod work;

pub use conversation::{Partner, Times};
pub use host::Host;
pub use isolation::{CgroupKind, Isolation};
pub use job::{ContainError, Ending, Job, Limit, Limits, Measured};
pub use surroundings::Surroundings;
pub use work::Work;
