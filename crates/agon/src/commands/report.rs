//! `agon report`

use crate::cli::ReportOptions;
use crate::failure::{NO, Usage};
use crate::opened::open_competition;
use crate::progress::observer;
use crate::reading::{check_queries, read};
use agon_competition::{Finality, report, report_results};
use agon_rulebook::Rulebook;
use agon_score::Rules;
use std::collections::BTreeSet;
use std::path::Path;
use std::process::ExitCode;

pub fn run(directory: &Path, options: &ReportOptions) -> anyhow::Result<ExitCode> {
    if !options.from.is_empty() {
        return from_files(options);
    }
    let competition = open_competition(directory)?;
    let finality = if options.is_final { Finality::Final } else { Finality::WhenComplete };
    let published = report(&competition, options.to.as_deref(), finality, &mut observer())?;
    say!("the site is in {}", published.site.display());
    Ok(ExitCode::SUCCESS)
}

/// Writes the site of results that were not run here.
fn from_files(options: &ReportOptions) -> anyhow::Result<ExitCode> {
    let (Some(name), Some(to)) = (&options.rules, &options.to) else {
        return Err(Usage("--from needs --rules RULEBOOK and --to DIR".into()).into());
    };
    let rulebook = Rulebook::named(name).map_err(|error| Usage(error.to_string()))?;
    let Some(imported) = read(&options.from, options.reading)? else {
        return Ok(ExitCode::from(NO));
    };
    let track = options.track.of_results(&imported, &rulebook)?;
    let deviations = if options.as_published { rulebook.published.clone() } else { BTreeSet::new() };
    let rules = Rules::new(&rulebook, track, &deviations).map_err(|error| Usage(error.to_string()))?;
    let (mut results, registered) = imported.into_results(track).map_err(|misfit| Usage(misfit.to_string()))?;
    if results.runs.is_empty() {
        say!("agon: there is nothing left to report");
        return Ok(ExitCode::from(NO));
    }
    registered.enter(&mut results, &rulebook);
    check_queries(&results, &rules)?;
    report_results(&rulebook.title, &results, &rules, to)?;
    say!("the site is in {}", to.display());
    Ok(ExitCode::SUCCESS)
}
