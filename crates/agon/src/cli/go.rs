//! The options of `agon go`.

use super::PlaceOptions;
use agon_competition::Step;
use clap::Args;
use std::path::PathBuf;

#[derive(Args, Default)]
pub struct GoOptions {
    #[command(flatten)]
    pub track: GoTracks,
    /// The last step to perform: seed, select, prepare, run, judge or report
    #[arg(long, value_name = "STEP")]
    pub until: Option<Step>,
    /// The opening value of the stock index, if the seed is still to be drawn
    #[arg(long, value_name = "VALUE", allow_hyphen_values = true)]
    pub index: Option<String>,
    /// Where to write the site; by default site/ in the competition
    #[arg(long, value_name = "DIR")]
    pub to: Option<PathBuf>,
    #[command(flatten)]
    pub run: PlaceOptions,
}

/// The tracks of `agon go`: all of them unless some are named.
#[derive(Args, Clone, Default)]
pub struct GoTracks {
    /// Only this track; may be repeated. By default all tracks that can be run
    #[arg(long = "track", value_name = "TRACK")]
    pub tracks: Vec<super::TrackChoice>,
}

impl GoTracks {
    /// The named tracks; empty means all.
    pub fn named(&self) -> Vec<agon_domain::Track> {
        let named = self.tracks.iter().map(|track| match track {
            super::TrackChoice::All => None,
            super::TrackChoice::One(track) => Some(*track),
        });
        named.collect::<Option<Vec<_>>>().unwrap_or_default()
    }
}
