//! The state of a competition on disk.
//!
//! A [`Competition`] is a directory with settings, entrants, library index, seed and selections. Its [`Store`] is the
//! database of pairs, outcomes, outputs and verdicts; long outputs are files next to it. The state stays consistent if
//! the program is killed at any time.

mod competition;
mod error;
mod files;
mod nominations;
mod outcomes;
mod outputs;
mod plan;
mod queue;
mod releases;
mod rows;
mod store;
mod verdicts;

pub use competition::{Competition, CompetitionError, Confinement, Lock, prepared_in};
pub use error::StoreError;
pub use files::{write_again, write_whole};
pub use nominations::Nomination;
pub use outcomes::{Judgement, Recorded};
pub use plan::{Ladders, Progress, Repeats, SetAside};
pub use queue::{EntrantIx, LimitsIx, Pending, PreparedIx, Queue};
pub use releases::ChangeRow;
pub use store::Store;
pub use verdicts::{Judged, Settlement, Vote};
