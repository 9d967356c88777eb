//! What a competition knows, on disk.
//!
//! A [`Competition`] is a folder: its settings, entrants, library index, seed, selection. Its [`Store`] is the database
//! of pairs, outcomes and verdicts; [`Outputs`] holds what solvers wrote, by digest. Killing the program at any
//! instant leaves all three whole.

mod competition;
mod fault;
mod files;
mod outputs;
mod store;

pub use competition::{Competition, CompetitionError, Lock};
pub use fault::StoreError;
pub use files::{write_again, write_whole};
pub use outputs::Outputs;
pub use store::{Progress, Recorded, Store};
