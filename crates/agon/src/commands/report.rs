//! `agon report`

use super::{batch, prepare};
use crate::cli::ReportOptions;
use crate::scoring::gather;
use agon_domain::Track;
use agon_report::{Results, write_site};
use agon_score::Scores;
use agon_store::Competition;
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

pub fn run(folder: &Path, options: &ReportOptions) -> anyhow::Result<ExitCode> {
    let competition = Competition::open(folder)?;
    let (_, site) = publish(competition, options.to.as_deref())?;
    say!("the site is in {}", site.display());
    Ok(ExitCode::SUCCESS)
}

/// Scores everything and writes the site, a part of it for each track that has outcomes; gives the scores of the first track
/// and where the site is.
pub fn publish(mut competition: Competition, to: Option<&Path>) -> anyhow::Result<(Scores, PathBuf)> {
    let site = to.map_or_else(|| competition.site(), Path::to_owned);
    let mut tracks = vec![];
    for track in competition.rulebook().tracks.keys().copied().collect::<Vec<_>>() {
        competition = competition.on(track);
        if !gather(&competition)?.runs.is_empty() {
            tracks.push(track);
        }
    }
    let Some(main) = tracks.first().copied() else {
        anyhow::bail!("{} has no outcomes yet; run 'agon run'", competition.folder().display());
    };
    let mut first = None;
    for track in &tracks {
        competition = competition.on(*track);
        // The first track's pages are at the root, those of the others in folders beside them.
        let (up, place) = if *track == main { ("", site.clone()) } else { ("../", site.join(track.name())) };
        let others = tracks.iter().filter(|other| *other != track).map(|other| {
            let folder = if *other == main { String::new() } else { format!("{other}/") };
            (*other, format!("{up}{folder}index.html"))
        });
        let scores = publish_track(&competition, &place, &others.collect::<Vec<_>>())?;
        first.get_or_insert(scores);
    }
    first.map(|scores| (scores, site)).context("a track has scores")
}

fn publish_track(competition: &Competition, site: &Path, other_tracks: &[(Track, String)]) -> anyhow::Result<Scores> {
    let gathered = gather(competition)?;
    gathered.tell_what_is_left_out();
    let scores = gathered.score(competition)?;
    let store = competition.store()?;
    let results = Results {
        title: competition.title(),
        rules: &competition.rulebook().title,
        track: competition.track(),
        limits: batch::track_rules(competition)?.limits,
        seed: prepare::selection(competition).ok().map(|chosen| chosen.seed),
        scores: &scores,
        entrants: &gathered.entrants,
        runs: &gathered.runs,
        settlements: &store.settlements()?,
        other_tracks,
        store: &store,
    };
    write_site(&results, site)?;
    Ok(scores)
}
