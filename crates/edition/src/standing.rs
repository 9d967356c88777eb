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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::log::Proposal;

    fn log(decisions: &[Decision]) -> Log {
        let mut log = Log::default();
        for (second, decision) in (1..).zip(decisions.iter().cloned()) {
            let proposal = Proposal { by: vec!["Ada".into()], recused: vec![], decision, reason: "because".into() };
            log.append(proposal, jiff::Timestamp::from_second(second).unwrap()).unwrap();
        }
        log
    }

    fn path(name: &str) -> BenchmarkPath {
        BenchmarkPath(name.into())
    }

    #[test]
    fn r19_8_1_a_benchmark_is_removed_in_its_track_until_the_decision_is_revoked() {
        let remove = |name: &str, track| Decision::RemoveBenchmark { benchmark: path(name), track };
        let decisions = [remove("a", None), remove("b", Some(Track::Incremental)), Decision::Revoke { entry: 1 }];
        let before = log(&decisions[..2]);
        let standing = Standing::of(&before);
        let removed = |name: &str, track| standing.removal(&path(name), track).map(|entry| entry.number);
        assert_eq!((removed("a", Track::SingleQuery), removed("a", Track::Incremental)), (Some(1), Some(1)));
        assert_eq!((removed("b", Track::SingleQuery), removed("b", Track::Incremental)), (None, Some(2)));
        let after = log(&decisions);
        assert!(Standing::of(&after).removal(&path("a"), Track::SingleQuery).is_none());
    }

    #[test]
    fn r08_4_24_the_last_decision_on_an_entrant_holds() {
        let name: EntrantName = "x".parse().unwrap();
        let decisions = [
            Decision::Accept { entrant: name.clone() },
            Decision::Disqualify { entrant: name.clone() },
            Decision::Revoke { entry: 2 },
        ];
        let state = |count: usize| Standing::of(&log(&decisions[..count])).state(&name);
        let states = [EntryState::Submitted, EntryState::Accepted, EntryState::Disqualified, EntryState::Accepted];
        assert_eq!([state(0), state(1), state(2), state(3)], states);
    }

    #[test]
    fn sl19_18_and_r19_6_4_the_last_status_and_the_last_cut_hold() {
        let settle = |status| Decision::SettleStatus { benchmark: path("a"), status };
        let cut = |to, track| Decision::CutFamily { family: "f".into(), to, track };
        let log =
            log(&[settle(Status::Sat), cut(9, None), settle(Status::Unsat), cut(3, None), cut(1, Some(Track::Proof))]);
        let standing = Standing::of(&log);
        assert_eq!(
            standing.settled(&path("a")).map(|(status, entry)| (status, entry.number)),
            Some((Status::Unsat, 3))
        );
        assert!(standing.settled(&path("b")).is_none());
        let cuts = |track| standing.cuts(track).map(|cut| cut.to).collect::<Vec<_>>();
        assert_eq!((cuts(Track::SingleQuery), cuts(Track::Proof)), (vec![3], vec![3, 1]));
    }
}
