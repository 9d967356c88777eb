//! What a competition knows, on disk.
//!
//! A [`Competition`] is a folder: its settings, entrants, library index, seed, selection. Its [`Store`] is the database
//! of pairs, outcomes, outputs and verdicts, with long outputs in files beside it. Killing the program at any instant leaves
//! everything whole.

mod competition;
mod fault;
mod files;
mod outputs;
mod queue;
mod releases;
mod store;

pub use competition::{Competition, CompetitionError, Confinement, Lock, prepared_in};
pub use fault::StoreError;
pub use files::{write_again, write_whole};
pub use queue::{Pending, Queue};
pub use releases::ChangeRow;
pub use store::{Judged, Progress, Recorded, Repeats, SetAside, Settlement, Store, Vote};
