//! Selects the benchmarks of a competition, reproducibly from its seed.
//!
//! [`select`] determines which [`Candidate`]s are eligible and applies the edition's policy to them: a share of each
//! logic (`share`), quotas (`cells`), difficulty (`quintiles`), the number of queries (`most_queries`), or everything.
//! The result depends only on the input, the rules and the seed.

mod c_random;
mod candidate;
mod candidate_lists;
mod cells;
mod cut;
mod eligibility;
mod generator;
mod hard;
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
pub use candidate::{Candidate, NewBenchmarks, NewFamily, Past};
pub use candidate_lists::{is_tool_format, read_list, read_paths, read_tool_input};
pub use cut::FamilyCut;
pub use mersenne::PythonRandom;
pub use reason::Reason;
pub use seed::{Contribution, IndexQuote, IndexValue, MalformedIndex, SeedLedger, SeedLedgerError};
pub use selection::{Choice, Chosen, ChosenError, Input, Selection, select};
