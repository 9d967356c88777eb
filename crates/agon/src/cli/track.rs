//! The `--track` option: the tracks that a command works on.

use crate::failure::Usage;
use agon_competition::{Tracks, default_track, track_rules};
use agon_domain::Track;
use agon_import::Imported;
use agon_rulebook::Rulebook;
use agon_store::Competition;
use clap::Args;
use std::str::FromStr;

/// A track, or all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackChoice {
    All,
    One(Track),
}

impl FromStr for TrackChoice {
    type Err = <Track as FromStr>::Err;

    fn from_str(word: &str) -> Result<Self, Self::Err> {
        if word == "all" { Ok(Self::All) } else { word.parse().map(Self::One) }
    }
}

#[derive(Args, Clone, Copy, Default)]
pub struct TrackOptions {
    /// The track, or 'all'; by default the one that result files show, the rulebook's only track, or single-query
    #[arg(long, value_name = "TRACK")]
    pub track: Option<TrackChoice>,
}

impl TrackOptions {
    /// The tracks of a competition to work on.
    pub fn of(self, competition: &Competition) -> anyhow::Result<Vec<Track>> {
        let track = match self.track {
            Some(TrackChoice::All) => return Ok(Tracks::of(competition)?.runnable),
            Some(TrackChoice::One(track)) => track,
            None => default_track(competition.rulebook()),
        };
        track_rules(competition, track)?;
        Ok(vec![track])
    }

    /// Whether `--track all` was given.
    pub fn is_all(self) -> bool {
        self.track == Some(TrackChoice::All)
    }

    /// The single track to work on.
    pub fn one(self, rulebook: &Rulebook) -> Result<Track, Usage> {
        self.given().map(|given| given.unwrap_or_else(|| default_track(rulebook)))
    }

    /// The track to score imported results in: the one given, the one detected, or the rulebook's default.
    pub fn of_results(self, imported: &Imported, rulebook: &Rulebook) -> Result<Track, Usage> {
        let told = Some(imported.track()).filter(|track| rulebook.tracks.contains_key(track));
        self.given().map(|given| given.or(told).unwrap_or_else(|| default_track(rulebook)))
    }

    fn given(self) -> Result<Option<Track>, Usage> {
        match self.track {
            Some(TrackChoice::All) => Err(Usage("this takes one track at a time; name it with --track TRACK".into())),
            Some(TrackChoice::One(track)) => Ok(Some(track)),
            None => Ok(None),
        }
    }
}
