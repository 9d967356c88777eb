//! Runs all pairs of a competition.
//!
//! [`plan`] says which pairs there are; [`run`] takes those that have no outcome yet through this machine's slots and
//! records each exactly once. Nothing here knows what a right answer is.

mod command;
mod local;
mod plan;
mod work;

pub use command::job;
pub use local::{DispatchError, Event, Options, Task, contained, run};
pub use plan::plan;
pub use work::{Place, WorkFolder};
