//! Which benchmarks are run, and the randomness that decides it.
//!
//! [`select`] looks at every [`Candidate`], leaves out what the rules do not allow, and lets the edition's policy decide
//! on the rest: a share of each logic (`share`), quotas (`cells`), by difficulty (`quintiles`), or everything. Nothing but
//! the input, the rules and the seed has an influence.

mod c_random;
mod candidate;
mod candidate_lists;
mod cells;
mod eligibility;
mod generator;
mod heats;
mod mersenne;
mod most_queries;
mod quintiles;
mod reason;
mod remaining;
mod seed;
mod selection;
mod share;

pub use c_random::CRandom;
pub use candidate::{Candidate, NewBenchmarks, NewFamily};
pub use candidate_lists::{is_tool_format, read_list, read_paths, read_tool_input};
pub use mersenne::PythonRandom;
pub use reason::Reason;
pub use seed::{Contribution, IndexValue, MalformedIndex, SeedLedger, SeedLedgerError};
pub use selection::{Choice, Chosen, ChosenError, Input, Selection, select};
