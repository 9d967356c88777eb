//! What the decisions in force mean for benchmarks and entrants.

use crate::decision::Decision;
use crate::log::{Entry, Log};
use agon_domain::{BenchmarkPath, EntrantName, Status, Track};
use std::collections::BTreeMap;

/// The state of an entry.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EntryState {
    /// Submitted; it takes part unless it is refused.
    #[default]
    Submitted,
    /// Accepted by the organizers.
    Accepted,
    /// Refused by the organizers: it does not take part (R08-2.20, R19-4.12).
    Refused,
    /// Withdrawn: it does not take part.
    Withdrawn,
    /// Disqualified: its results are shown without a rank (R08-4.24, R19-6.9).
    Disqualified,
}

impl EntryState {
    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Submitted => "submitted",
            Self::Accepted => "accepted",
            Self::Refused => "refused",
            Self::Withdrawn => "withdrawn",
            Self::Disqualified => "disqualified",
        }
    }

    /// Whether the entrant is run and its results are shown.
    pub const fn takes_part(self) -> bool {
        !matches!(self, Self::Refused | Self::Withdrawn)
    }
}

/// A family that is cut to a size (R19-6.4).
#[derive(Clone, Copy, Debug)]
pub struct Cut<'a> {
    /// The directory of the family.
    pub family: &'a str,
    /// The number of benchmarks that stay eligible.
    pub to: usize,
    track: Option<Track>,
    /// The decision.
    pub entry: &'a Entry,
}

/// What the decisions in force mean.
#[derive(Debug, Default)]
pub struct Standing<'a> {
    removed: BTreeMap<&'a BenchmarkPath, Vec<(Option<Track>, &'a Entry)>>,
    settled: BTreeMap<&'a BenchmarkPath, (Status, &'a Entry)>,
    cuts: Vec<Cut<'a>>,
    states: BTreeMap<&'a EntrantName, (EntryState, &'a Entry)>,
}

impl<'a> Standing<'a> {
    /// Reads the decisions in force; the last one on an entrant holds.
    pub fn of(log: &'a Log) -> Self {
        let mut standing = Self::default();
        for entry in log.in_force() {
            let (entrant, state) = match &entry.decision {
                Decision::RemoveBenchmark { benchmark, track } => {
                    standing.removed.entry(benchmark).or_default().push((*track, entry));
                    continue;
                }
                Decision::SettleStatus { benchmark, status } => {
                    standing.settled.insert(benchmark, (*status, entry));
                    continue;
                }
                Decision::CutFamily { family, to, track } => {
                    // The last decision on a family in a track holds.
                    standing.cuts.retain(|cut| cut.family != family || cut.track != *track);
                    standing.cuts.push(Cut { family, to: *to, track: *track, entry });
                    continue;
                }
                Decision::Accept { entrant } => (entrant, EntryState::Accepted),
                Decision::Refuse { entrant } => (entrant, EntryState::Refused),
                Decision::Withdraw { entrant } => (entrant, EntryState::Withdrawn),
                Decision::Disqualify { entrant } => (entrant, EntryState::Disqualified),
                _ => continue,
            };
            standing.states.insert(entrant, (state, entry));
        }
        standing
    }

    /// The decision that removed a benchmark from the results of a track (R19-8.1).
    pub fn removal(&self, benchmark: &BenchmarkPath, track: Track) -> Option<&'a Entry> {
        let all = self.removed.get(benchmark)?;
        all.iter().find(|(of, _)| of.is_none_or(|of| of == track)).map(|(_, entry)| *entry)
    }

    /// The status on which the organizers settled for a benchmark, and their decision (SL19-18). The last one holds.
    pub fn settled(&self, benchmark: &BenchmarkPath) -> Option<(Status, &'a Entry)> {
        self.settled.get(benchmark).copied()
    }

    /// The families that are cut in a track (R19-6.4).
    pub fn cuts(&self, track: Track) -> impl Iterator<Item = &Cut<'a>> {
        self.cuts.iter().filter(move |cut| cut.track.is_none_or(|of| of == track))
    }

    /// The state of an entrant.
    pub fn state(&self, entrant: &EntrantName) -> EntryState {
        self.states.get(entrant).map(|(state, _)| *state).unwrap_or_default()
    }

    /// The decision that put an entrant into its state; `None` for an entrant without one.
    pub fn decision(&self, entrant: &EntrantName) -> Option<&'a Entry> {
        self.states.get(entrant).map(|(_, entry)| *entry)
    }
}
