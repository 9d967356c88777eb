//! The calendar of an edition, and what may be done when.

use crate::decision::Publication;
use crate::moment::{MalformedMoment, Moment, Zone};
use agon_domain::{Milestone, Track};
use jiff::Timestamp;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fmt;

/// The dates of an edition (SL19-1, SL19-8). A track may have dates of its own.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(try_from = "Written")]
pub struct Calendar {
    dates: BTreeMap<Milestone, Moment>,
    tracks: BTreeMap<Track, BTreeMap<Milestone, Moment>>,
}

/// The calendar as written in a file.
#[derive(Deserialize)]
struct Written {
    zone: Option<String>,
    #[serde(default)]
    tracks: BTreeMap<Track, BTreeMap<Milestone, String>>,
    #[serde(flatten)]
    dates: BTreeMap<Milestone, String>,
}

/// The reason why a calendar is invalid.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum CalendarError {
    /// A date is malformed.
    #[error("calendar.{0}: {1}")]
    Date(String, MalformedMoment),
    /// The default zone is unknown.
    #[error("calendar.zone: {0}")]
    Zone(MalformedMoment),
    /// Two dates are in the wrong order.
    #[error("calendar: {later} ({later_at}) is before {earlier} ({earlier_at}){of}", of = .track.map_or(String::new(), |track| format!(" in the {track} track")))]
    Order {
        /// The date that must be earlier.
        earlier: Milestone,
        /// Its value.
        earlier_at: String,
        /// The date that must be later.
        later: Milestone,
        /// Its value.
        later_at: String,
        /// The track whose own dates are in the wrong order.
        track: Option<Track>,
    },
}

/// An action that has a window in the calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Adds benchmarks to the library.
    AddBenchmarks,
    /// Corrects benchmarks of a release (R08-4.6).
    CorrectBenchmarks,
    /// Enters a new solver (R19-4.15).
    Enter,
    /// Replaces an entrant by another version, or changes its magic number (R08-2.33, R19-4.15).
    Update,
    /// Draws the seed (R08-4.21, R19-6.10).
    DrawSeed,
    /// Runs solvers (R08-2.34).
    Run,
    /// Publishes something.
    Publish(Publication),
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::AddBenchmarks => "add benchmarks",
            Self::CorrectBenchmarks => "correct benchmarks",
            Self::Enter => "enter a solver",
            Self::Update => "change an entrant",
            Self::DrawSeed => "draw the seed",
            Self::Run => "run",
            Self::Publish(what) => return write!(f, "publish the {what}"),
        })
    }
}

/// An action outside its window.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("it is too {when} to {action}: {milestone} is {at} ({title})", title = .milestone.title())]
pub struct Closed {
    /// The action.
    pub action: Action,
    /// `early` or `late`.
    when: &'static str,
    /// The milestone that closes the window.
    pub milestone: Milestone,
    /// Its date.
    at: String,
}

impl Calendar {
    /// Whether the calendar has no dates.
    pub fn is_empty(&self) -> bool {
        self.dates.is_empty() && self.tracks.is_empty()
    }

    /// The date of a milestone in a track, or in the edition as a whole.
    pub fn date(&self, milestone: Milestone, track: Option<Track>) -> Option<&Moment> {
        let own = track.and_then(|track| self.tracks.get(&track)?.get(&milestone));
        own.or_else(|| self.dates.get(&milestone))
    }

    /// All dates by time, each with its track if it is one of that track alone.
    pub fn all(&self) -> Vec<(Milestone, Option<Track>, &Moment)> {
        let common = self.dates.iter().map(|(milestone, at)| (*milestone, None, at));
        let own = self
            .tracks
            .iter()
            .flat_map(|(track, dates)| dates.iter().map(move |(milestone, at)| (*milestone, Some(*track), at)));
        let mut all: Vec<_> = common.chain(own).collect();
        all.sort_by_key(|(milestone, track, at)| (at.first(), *milestone, *track));
        all
    }

    /// Whether an action is allowed at this time. An action without a date in the calendar always is.
    pub fn allows(&self, action: Action, track: Option<Track>, now: Timestamp) -> Result<(), Closed> {
        // The first of these milestones that has a date decides.
        let milestones: &[Milestone] = match action {
            Action::AddBenchmarks => &[Milestone::Benchmarks],
            Action::CorrectBenchmarks => &[Milestone::Corrections],
            Action::Enter => &[Milestone::FirstDeadline, Milestone::SecondDeadline],
            Action::Update => &[Milestone::SecondDeadline, Milestone::FirstDeadline],
            Action::DrawSeed => &[Milestone::Seed, Milestone::SecondDeadline, Milestone::FirstDeadline],
            Action::Run | Action::Publish(Publication::Selection) => &[Milestone::Start],
            Action::Publish(Publication::Checksums) => &[Milestone::FirstDeadline],
            Action::Publish(Publication::Results) => &[Milestone::Results],
            Action::Publish(Publication::Submissions) => &[Milestone::Release, Milestone::Results],
        };
        let dated = milestones.iter().find_map(|milestone| Some((*milestone, self.date(*milestone, track)?)));
        let Some((milestone, at)) = dated else { return Ok(()) };
        let closed = |when| Err(Closed { action, when, milestone, at: at.to_string() });
        match action {
            Action::AddBenchmarks | Action::CorrectBenchmarks | Action::Enter | Action::Update => {
                if now >= at.end() {
                    closed("late")
                } else {
                    Ok(())
                }
            }
            // Numbers may change until the deadline, so the seed is drawn after it.
            Action::DrawSeed | Action::Run | Action::Publish(_) => {
                let opens = if milestone.is_deadline() { at.end() } else { at.first() };
                if now < opens { closed("early") } else { Ok(()) }
            }
        }
    }

    /// The first two dates that are in the wrong order, for a track or the edition as a whole.
    fn disorder(&self, track: Option<Track>) -> Option<CalendarError> {
        let dated = |milestone: &Milestone| Some((*milestone, self.date(*milestone, track)?));
        let after = |from: Milestone| Milestone::ALL.into_iter().filter(move |milestone| *milestone > from);
        for (earlier, before) in Milestone::ALL.iter().filter_map(dated) {
            // New benchmarks may come after the deadlines of solvers, but not after the runs have started.
            let is_of_benchmarks = |milestone: Milestone| milestone <= Milestone::Corrections;
            let later = after(earlier)
                .filter(|later| !is_of_benchmarks(earlier) || is_of_benchmarks(*later) || *later >= Milestone::Start);
            for (later, at) in later.filter_map(|milestone| dated(&milestone)) {
                if at.end() < before.end() || at.first() < before.first() {
                    let (earlier_at, later_at) = (before.to_string(), at.to_string());
                    return Some(CalendarError::Order { earlier, earlier_at, later, later_at, track });
                }
            }
        }
        None
    }
}

impl TryFrom<Written> for Calendar {
    type Error = CalendarError;

    fn try_from(written: Written) -> Result<Self, CalendarError> {
        let unknown = |name: String| CalendarError::Zone(MalformedMoment::Zone(name));
        let zone = match written.zone {
            Some(name) => Zone::named(&name).ok_or_else(|| unknown(name))?,
            None => Zone::anywhere_on_earth(),
        };
        let read = |dates: BTreeMap<Milestone, String>, prefix: &str| {
            let read = |(milestone, text): (Milestone, String)| {
                let wrong = |error| CalendarError::Date(format!("{prefix}{milestone}"), error);
                Ok((milestone, Moment::parse(&text, &zone).map_err(wrong)?))
            };
            dates.into_iter().map(read).collect::<Result<BTreeMap<_, _>, CalendarError>>()
        };
        let dates = read(written.dates, "")?;
        let tracks = written.tracks.into_iter();
        let tracks = tracks.map(|(track, dates)| Ok((track, read(dates, &format!("tracks.{track}."))?)));
        let calendar = Self { dates, tracks: tracks.collect::<Result<_, CalendarError>>()? };
        let of_tracks = calendar.tracks.keys().copied().map(Some);
        match std::iter::once(None).chain(of_tracks).find_map(|track| calendar.disorder(track)) {
            Some(error) => Err(error),
            None => Ok(calendar),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn calendar(value: serde_json::Value) -> Result<Calendar, String> {
        serde_json::from_value(value).map_err(|error| error.to_string())
    }

    fn at(text: &str) -> Timestamp {
        text.parse().unwrap()
    }

    #[test]
    fn r08_1_5_and_r19_4_15_no_new_entrants_after_the_first_deadline_and_no_new_versions_after_the_second() {
        let calendar =
            calendar(json!({"first-deadline": "2019-05-25", "second-deadline": "2019-06-15", "seed": "2019-06-17"}))
                .unwrap();
        let allows = |action, now| calendar.allows(action, None, at(now)).is_ok();
        assert!(allows(Action::Enter, "2019-05-26T11:59:59Z"));
        assert!(!allows(Action::Enter, "2019-05-26T12:00:00Z"));
        assert!(allows(Action::Update, "2019-06-16T11:59:59Z"));
        assert!(!allows(Action::Update, "2019-06-16T12:00:00Z"));
        assert!(!allows(Action::DrawSeed, "2019-06-17T11:59:59Z"));
        assert!(allows(Action::DrawSeed, "2019-06-17T12:00:00Z"));
        assert!(allows(Action::Run, "2000-01-01T00:00:00Z"));
        let late = calendar.allows(Action::Enter, None, at("2019-06-01T00:00:00Z")).unwrap_err();
        assert_eq!(
            late.to_string(),
            "it is too late to enter a solver: first-deadline is 2019-05-25 anywhere on earth (last day for new entrants)"
        );
    }

    #[test]
    fn r08_2_34_runs_start_on_their_day_and_tracks_may_have_their_own() {
        let calendar = calendar(json!({
            "zone": "Eastern", "start": "2008-07-07 09:00",
            "tracks": {"incremental": {"start": "2008-07-10"}},
        }))
        .unwrap();
        let allows = |track, now| calendar.allows(Action::Run, Some(track), at(now)).is_ok();
        assert!(!allows(Track::SingleQuery, "2008-07-07T12:59:59Z"));
        assert!(allows(Track::SingleQuery, "2008-07-07T13:00:00Z"));
        assert!(!allows(Track::Incremental, "2008-07-10T03:59:59Z"));
        assert!(allows(Track::Incremental, "2008-07-10T04:00:00Z"));
        assert_eq!(calendar.all().len(), 2);
    }

    #[test]
    fn r08_4_21_without_a_day_of_the_index_the_seed_is_drawn_after_the_deadline() {
        let calendar = calendar(json!({"second-deadline": "2019-06-15"})).unwrap();
        assert!(calendar.allows(Action::DrawSeed, None, at("2019-06-16T11:00:00Z")).is_err());
        assert!(calendar.allows(Action::DrawSeed, None, at("2019-06-16T12:00:00Z")).is_ok());
    }

    #[test]
    fn r08_4_6_and_r08_2_8_releases_and_publications_have_dates_of_their_own() {
        let calendar = calendar(json!({
            "zone": "UTC", "benchmarks": "2008-05-01", "corrections": "2008-06-01", "first-deadline": "2008-07-04",
            "start": "2008-07-07", "results": "2008-07-14", "release": "2008-08-01",
        }))
        .unwrap();
        let allows = |action, now: &str| calendar.allows(action, None, at(&format!("2008-{now}T12:00:00Z"))).is_ok();
        assert!(!allows(Action::AddBenchmarks, "05-02") && allows(Action::CorrectBenchmarks, "05-02"));
        assert!(allows(Action::CorrectBenchmarks, "06-01") && !allows(Action::CorrectBenchmarks, "06-02"));
        for (what, early, open) in [
            (Publication::Checksums, "07-04", "07-05"),
            (Publication::Selection, "07-06", "07-07"),
            (Publication::Results, "07-13", "07-14"),
            (Publication::Submissions, "07-31", "08-01"),
        ] {
            assert!(!allows(Action::Publish(what), early) && allows(Action::Publish(what), open), "{what}");
        }
    }

    #[test]
    fn dates_in_the_wrong_order_and_unknown_names_are_errors() {
        for (value, words) in [
            (
                json!({"first-deadline": "2019-06-15", "second-deadline": "2019-05-25"}),
                &["second-deadline", "2019-05-25"],
            ),
            (json!({"start": "2019-06-15", "tracks": {"cloud": {"results": "2019-06-01"}}}), &["cloud", "2019-06-01"]),
            (json!({"benchmarks": "2019-08-15", "start": "2019-06-15"}), &["start", "benchmarks"]),
            (json!({"benchmarks": "2019-05-15", "corrections": "2019-05-01"}), &["corrections", "2019-05-01"]),
            (json!({"strat": "2019-06-15"}), &["strat", "start"]),
            (json!({"start": "someday"}), &["calendar.start", "someday"]),
            (json!({"zone": "Mars", "start": "2019-06-15"}), &["calendar.zone", "Mars"]),
        ] {
            let error = calendar(value).unwrap_err();
            assert!(words.iter().all(|word| error.contains(word)), "{error}");
        }
        // The index of the day after the deadline, and benchmarks after the first deadline, are in order.
        assert!(
            calendar(json!({"benchmarks": "2019-06-01", "first-deadline": "2019-05-25", "seed": "2019-05-25"})).is_ok()
        );
    }
}
