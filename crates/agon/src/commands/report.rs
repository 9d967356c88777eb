//! `agon report`

use crate::cli::ReportOptions;
use crate::progress::observer;
use agon_competition::{Finality, report};
use agon_store::Competition;
use std::path::Path;
use std::process::ExitCode;

pub fn run(folder: &Path, options: &ReportOptions) -> anyhow::Result<ExitCode> {
    let competition = Competition::open(folder)?;
    let finality = if options.is_final { Finality::Final } else { Finality::WhenComplete };
    let published = report(&competition, options.to.as_deref(), finality, &mut observer())?;
    say!("the site is in {}", published.site.display());
    Ok(ExitCode::SUCCESS)
}
