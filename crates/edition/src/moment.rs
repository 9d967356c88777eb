//! Dates with a time zone, as calls for solvers write them.

use jiff::civil::{Date, DateTime, Time};
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, ToSpan, Zoned};
use std::fmt;

/// A time zone: `anywhere on earth`, `Eastern`, `UTC`, or a name of the time zone database.
#[derive(Clone, Debug, PartialEq)]
pub struct Zone {
    name: String,
    rules: TimeZone,
}

impl Zone {
    /// The zone in which a day ends last. The default of calendars (R19-4.15).
    pub fn anywhere_on_earth() -> Self {
        Self { name: "anywhere on earth".into(), rules: TimeZone::fixed(Offset::constant(-12)) }
    }

    /// The zone with this name.
    pub fn named(name: &str) -> Option<Self> {
        let database = match name.to_ascii_lowercase().as_str() {
            "anywhere on earth" | "aoe" => return Some(Self::anywhere_on_earth()),
            // The time of New York, as the rules of 2008 have it, in summer and winter (R08-2.30).
            "eastern" => "America/New_York",
            "utc" => return Some(Self { name: "UTC".into(), rules: TimeZone::UTC }),
            _ => name,
        };
        let rules = TimeZone::get(database).ok()?;
        Some(Self { name: name.to_owned(), rules })
    }
}

impl fmt::Display for Zone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.name)
    }
}

/// A day, or a minute of a day, in a time zone.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    date: Date,
    time: Option<Time>,
    zone: Zone,
}

/// A text that is not a date.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum MalformedMoment {
    /// The date or the time is malformed, or there is no such day.
    #[error("'{0}' is not a date: write 2026-05-31, optionally with a time and a zone, as in 2026-05-31 17:00 Eastern")]
    Date(String),
    /// The zone is unknown.
    #[error("unknown time zone '{0}': write 'anywhere on earth', Eastern, UTC, or a name such as Europe/Vienna")]
    Zone(String),
}

impl Moment {
    /// Parses `2026-05-31`, `2026-05-31 17:00` or `2026-05-31 17:00 Eastern`. Without a zone, `default` is used.
    pub fn parse(text: &str, default: &Zone) -> Result<Self, MalformedMoment> {
        let wrong = || MalformedMoment::Date(text.to_owned());
        let mut words = text.split_whitespace();
        let date: Date = words.next().ok_or_else(wrong)?.parse().map_err(|_| wrong())?;
        let rest: Vec<&str> = words.collect();
        let (time, zone) = match rest.split_first() {
            Some((first, zone)) if first.contains(':') => (Some(minute(first).ok_or_else(wrong)?), zone),
            _ => (None, rest.as_slice()),
        };
        let zone = match zone {
            [] => default.clone(),
            words => {
                let name = words.join(" ");
                Zone::named(&name).ok_or(MalformedMoment::Zone(name))?
            }
        };
        let moment = Self { date, time, zone };
        // The last days of the calendar have no next one.
        moment.zoned(date.to_datetime(Time::midnight())).and(date.tomorrow().ok()).ok_or_else(wrong)?;
        Ok(moment)
    }

    /// The first instant: the beginning of the day, or the minute.
    pub fn first(&self) -> Timestamp {
        self.instant(self.date.to_datetime(self.time.unwrap_or(Time::midnight())))
    }

    /// The first instant after a deadline: the end of the day, or the end of the minute.
    pub fn end(&self) -> Timestamp {
        match self.time {
            Some(time) => self.instant(self.date.to_datetime(time)) + 1.minute(),
            None => self.instant(self.date.tomorrow().unwrap_or(self.date).to_datetime(Time::midnight())),
        }
    }

    /// The date, without the time.
    pub fn date(&self) -> Date {
        self.date
    }

    /// Whether the moment is a whole day.
    pub fn is_day(&self) -> bool {
        self.time.is_none()
    }

    fn zoned(&self, at: DateTime) -> Option<Zoned> {
        at.to_zoned(self.zone.rules.clone()).ok()
    }

    fn instant(&self, at: DateTime) -> Timestamp {
        self.zoned(at).map_or(Timestamp::MAX, |zoned| zoned.timestamp())
    }
}

/// A time of day in hours and minutes.
fn minute(text: &str) -> Option<Time> {
    let (hour, minute) = text.split_once(':')?;
    let number = |text: &str| if text.len() == 2 { text.parse::<i8>().ok() } else { None };
    Time::new(number(hour)?, number(minute)?, 0, 0).ok()
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self.time {
            Some(time) => format!("{} {:02}:{:02} {}", self.date, time.hour(), time.minute(), self.zone),
            None => format!("{} {}", self.date, self.zone),
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Moment {
        Moment::parse(text, &Zone::anywhere_on_earth()).unwrap()
    }

    #[test]
    fn r19_4_15_a_day_ends_where_it_ends_last() {
        let day = parsed("2019-06-15");
        assert_eq!(day.first().to_string(), "2019-06-15T12:00:00Z");
        assert_eq!(day.end().to_string(), "2019-06-16T12:00:00Z");
        assert_eq!(day.to_string(), "2019-06-15 anywhere on earth");
    }

    #[test]
    fn r08_2_30_eastern_time_follows_the_season() {
        assert_eq!(parsed("2008-06-30 12:00 Eastern").first().to_string(), "2008-06-30T16:00:00Z");
        assert_eq!(parsed("2008-12-30 12:00 Eastern").first().to_string(), "2008-12-30T17:00:00Z");
        assert_eq!(parsed("2008-06-30 12:00 Eastern").end().to_string(), "2008-06-30T16:01:00Z");
        assert_eq!(parsed("2026-03-29 02:30 Europe/Vienna").first().to_string(), "2026-03-29T01:30:00Z");
    }

    #[test]
    fn malformed_dates_and_zones_are_named() {
        for text in
            ["", "soon", "2019-02-29", "2019-06-31", "15.6.2019", "2019-06-15 25:00", "2019-06-15 7:00", "9999-12-31"]
        {
            assert_eq!(
                Moment::parse(text, &Zone::anywhere_on_earth()),
                Err(MalformedMoment::Date(text.to_owned())),
                "{text}"
            );
        }
        let zone = Moment::parse("2019-06-15 12:00 Middle Earth", &Zone::anywhere_on_earth());
        assert_eq!(zone, Err(MalformedMoment::Zone("Middle Earth".into())));
    }
}
