//! The published results.
//!
//! [`write_site`] makes a folder of plain pages with their data beside them: no server, no script and no network are
//! needed to read it. The templates are in `web/`.

mod address;
mod download;
mod pages;
mod plot;
mod results;
mod site;

pub use download::scores_csv;
pub use results::Results;
pub use site::{SiteError, write_site};
