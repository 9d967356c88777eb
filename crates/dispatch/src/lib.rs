//! Runs all pairs of a competition.
//!
//! [`plan`] determines the pairs and [`sort`] their order. A [`Slot`] performs one [`Task`] after another. [`run`] uses
//! slots on this machine and records each outcome exactly once. On a Slurm [`Cluster`] each job is a [`work`]er with a
//! slot and a journal, and the coordinator records the entries of the journals. Nothing in this crate judges answers.

mod chunk;
mod cluster;
mod command;
mod cores;
mod journal;
mod local;
mod order;
mod plan;
mod record;
mod slot;
mod slurm;
mod task;
mod work_directory;
mod worker;

pub use cluster::{Cluster, ClusterError, ClusterEvent, Collected, Orders, Round};
pub use command::{job, starexec_limits};
pub use cores::Layout;
pub use local::{DispatchError, Event, Options, run};
pub use order::{Expected, Priorities, RunOrder, sort};
pub use plan::{NotRun, not_run, plan};
pub use slot::{Slot, SlotError, contained, converse};
pub use slurm::SlurmError;
pub use task::{Batch, Done, Runner, RunnerIx, Task};
pub use work_directory::work_directory;
pub use worker::{Worked, WorkerError, work};
