//! Runs one process tree under limits, and measures it.
//!
//! [`Host::run`] starts a command as a user of its own (`identity.rs`), in namespaces and control groups; reads its
//! output through pipes up to a cap, kills the whole tree at its limits, and reports what it used. A run that cannot be
//! confined is an error. Whatever else this machine cannot enforce is recorded in [`Isolation`].
//!
//! Three processes take part. The runner prepares everything (`spawn.rs`) and watches (`watch.rs`). The run's init
//! process (`init.rs`) sets up namespaces and mounts (`mounts.rs`), starts the program, and ends when it does, which
//! kills whatever is left. The program's own process (`program.rs`) enters the control groups (`group.rs`), sets its
//! limits, its user and its filter (`filter.rs`, `calls.rs`), and executes the program.
//!
//! This crate knows nothing of competitions: commands go in, measurements come out.

mod attempts;
mod budget;
mod calls;
mod ceiling;
mod conversation;
mod filter;
mod group;
mod hierarchies;
mod host;
mod identity;
mod init;
mod isolation;
mod job;
mod leftovers;
mod loan;
mod messages;
mod mounts;
mod named;
mod pace;
mod program;
mod run;
mod spawn;
mod stream;
mod subordinate;
mod surroundings;
mod survey;
mod sys;
mod watch;
mod work_directory;

pub use attempts::{Attempt, Outside, attempt_escapes};
pub use conversation::{EndedBy, Partner, Times};
pub use host::{Host, Unhealthy};
pub use isolation::{CgroupKind, Isolation};
pub use job::{ContainError, Ending, Job, Limit, Limits, Measured};
pub use named::{Named, called_by, needed_by};
pub use subordinate::use_subordinate_ids;
pub use surroundings::Surroundings;
pub use work_directory::Work;
