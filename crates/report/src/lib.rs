//! The published results.
//!
//! [`write_site`] creates a directory of static pages and their data: no server, no script and no network are needed to
//! read it. The templates are in `web/`.

mod address;
mod download;
mod pages;
mod plot;
mod results;
mod site;

pub use results::{BenchmarkRuns, Results, RunFacts, RunRecord, Settlement, SolverFacts};
pub use site::{SiteError, Write, write_site};
