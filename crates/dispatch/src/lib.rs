//! Runs all pairs of a competition.
//!
//! [`plan`] says which pairs there are and [`sort`] in which order they come. A [`Slot`] does one [`Task`] after the
//! other; [`run`] has slots on this machine and records each outcome exactly once. Nothing here knows what a right answer
//! is.

mod command;
mod cores;
mod local;
mod order;
mod plan;
mod slot;
mod task;
mod work;

pub use command::job;
pub use cores::Layout;
pub use local::{DispatchError, Event, Options, run};
pub use order::{Expected, Order, Priorities, sort};
pub use plan::plan;
pub use slot::{Slot, SlotError, contained};
pub use task::{Batch, Done, Runner, Task};
pub use work::work_folder;
