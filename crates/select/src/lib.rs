//! Which benchmarks are run, and the randomness that decides it.

mod c_random;
mod seed;
mod selection;

pub use c_random::CRandom;
pub use seed::{Contribution, SeedLedger};
pub use selection::{Choice, Reason, Selection, select};
