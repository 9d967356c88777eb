//! `agon report`

use super::{batch, prepare};
use crate::cli::ReportOptions;
use crate::scoring::gather;
use agon_report::{Results, write_site};
use agon_score::Scores;
use agon_store::Competition;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub fn run(folder: &Path, options: &ReportOptions) -> anyhow::Result<ExitCode> {
    let competition = Competition::open(folder)?;
    let (_, site) = publish(&competition, options.to.as_deref())?;
    say!("the site is in {}", site.display());
    Ok(ExitCode::SUCCESS)
}

/// Scores everything and writes the site; gives the scores and where it is.
pub fn publish(competition: &Competition, to: Option<&Path>) -> anyhow::Result<(Scores, PathBuf)> {
    let gathered = gather(competition)?;
    if gathered.runs.is_empty() {
        anyhow::bail!("{} has no outcomes yet; run 'agon run'", competition.folder().display());
    }
    gathered.tell_what_is_left_out();
    let scores = gathered.score(competition)?;
    let site = to.map_or_else(|| competition.site(), Path::to_owned);
    let results = Results {
        title: competition.title(),
        rules: &competition.rulebook().title,
        track: competition.track(),
        limits: batch::track_rules(competition)?.limits,
        seed: prepare::selection(competition).ok().map(|chosen| chosen.seed),
        scores: &scores,
        entrants: &gathered.entrants,
        runs: &gathered.runs,
        store: &competition.store()?,
    };
    write_site(&results, &site)?;
    Ok((scores, site))
}
