//! Determines whether the selection and the prepared benchmarks of a track are up to date.

use crate::StepError;
use crate::prepare;
use crate::select::{Written, read_selection};
use agon_domain::Track;
use agon_store::{Competition, Store};

/// Whether something is up to date.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Freshness {
    /// It does not exist yet.
    Missing,
    /// It is up to date.
    Current,
    /// It is out of date, for this reason.
    Stale(String),
}

/// Whether a track is ready to be run.
#[derive(Debug)]
pub struct Readiness {
    /// Whether the selection matches the current library, rules and seed.
    pub selection: Freshness,
    /// Whether the prepared benchmarks match the selection.
    pub preparation: Freshness,
    /// The selection, if there is one.
    pub(crate) written: Option<Written>,
}

impl Readiness {
    /// Examines the selection and the prepared benchmarks of a track.
    pub fn of(competition: &Competition, track: Track, store: &Store) -> Result<Self, StepError> {
        let written = read_selection(competition, track)?;
        let (selection, preparation) = match &written {
            None => (Freshness::Missing, Freshness::Missing),
            Some(written) => {
                (written.freshness(competition, track)?, prepare::freshness(competition, written, track, store)?)
            }
        };
        Ok(Self { selection, preparation, written })
    }

    /// Whether pairs can be run without selecting or preparing first.
    pub fn is_current(&self) -> bool {
        self.selection == Freshness::Current && self.preparation == Freshness::Current
    }

    /// The reason why the prepared benchmarks are out of date, if they are.
    pub fn stale(&self) -> Option<String> {
        match (&self.selection, &self.preparation) {
            (Freshness::Stale(why), _) => Some(format!("the selection is out of date: {why}")),
            (_, Freshness::Stale(why)) => Some(format!("the prepared benchmarks are out of date: {why}")),
            _ => None,
        }
    }
}
