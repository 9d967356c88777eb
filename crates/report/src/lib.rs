//! Writes the site that publishes the results of a competition.
//!
//! [`write_site`] creates a directory of static pages and data files. Reading it requires no server, no scripts and no
//! network. The templates are in `web/`.

mod address;
mod download;
mod pages;
mod plot;
mod results;
mod site;

pub use results::{
    BenchmarkRuns, DIFFICULTY_CLASSES, DifficultyFacts, Results, RunFacts, RunRecord, Settlement, SolverFacts,
};
pub use site::{SiteError, Write, write_site};
