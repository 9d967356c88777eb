//! The results site.

use crate::gather::{Finality, Gathered, NOT_IN_HEATS, gather};
use crate::{Observer, StepError, observer::Tell};
use agon_domain::Track;
use agon_report::{Results, write_site};
use agon_score::Scores;
use agon_store::Competition;
use std::path::{Path, PathBuf};

/// The published results.
#[derive(Debug)]
pub struct Published {
    /// Where the site is.
    pub site: PathBuf,
    /// The scores of each track, in the rulebook's order.
    pub scores: Vec<Scores>,
}

/// Scores every track that has outcomes and writes the site.
pub fn report(
    competition: &Competition,
    to: Option<&Path>,
    finality: Finality,
    observer: &mut Observer<'_>,
) -> Result<Published, StepError> {
    let site = to.map_or_else(|| competition.site(), Path::to_owned);
    let mut tracks = vec![];
    let mut has_heats = false;
    for track in competition.rulebook().tracks.keys().copied() {
        let gathered = gather(competition, track, finality)?;
        has_heats |= gathered.is_in_heats;
        gathered.notes().into_iter().for_each(|note| observer.note(note));
        if !gathered.runs.is_empty() {
            tracks.push(gathered);
        }
    }
    if finality == Finality::Final && !has_heats {
        return Err(StepError::Usage(NOT_IN_HEATS.into()));
    }
    let Some(main) = tracks.first().map(|gathered| gathered.track) else {
        let message = format!("{} has no outcomes to report yet; run 'agon run'", competition.folder().display());
        return Err(StepError::Missing(message));
    };
    let names: Vec<Track> = tracks.iter().map(|gathered| gathered.track).collect();
    let mut scores = vec![];
    for gathered in tracks {
        let track = gathered.track;
        // The first track's pages are at the root, those of the others in directories beside them.
        let (up, place) = if track == main { ("", site.clone()) } else { ("../", site.join(track.name())) };
        let others = names.iter().filter(|other| **other != track).map(|other| {
            let folder = if *other == main { String::new() } else { format!("{other}/") };
            (*other, format!("{up}{folder}index.html"))
        });
        scores.push(report_track(competition, &gathered, &place, &others.collect::<Vec<_>>())?);
    }
    Ok(Published { site, scores })
}

fn report_track(
    competition: &Competition,
    gathered: &Gathered,
    site: &Path,
    other_tracks: &[(Track, String)],
) -> Result<Scores, StepError> {
    let scores = gathered.score(competition)?;
    let store = competition.store()?;
    let not_run: Vec<(String, usize, String)> = gathered
        .not_run
        .iter()
        .map(|(division, benchmarks, why)| (division.to_string(), *benchmarks, why.to_string()))
        .collect();
    let results = Results {
        title: competition.title(),
        rules: &competition.rulebook().title,
        track: gathered.track,
        limits: gathered.limits,
        seed: gathered.seed,
        scores: &scores,
        progress: gathered.total(),
        stale: gathered.stale.as_deref(),
        not_run: &not_run,
        entrants: &gathered.entrants,
        runs: &gathered.runs,
        settlements: &store.settlements()?,
        other_tracks,
        store: &store,
    };
    write_site(&results, site)?;
    Ok(scores)
}
