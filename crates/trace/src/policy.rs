//! How a session continues and ends, by year.

use std::fmt;
use std::str::FromStr;

/// The rules for sessions in a range of years.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Policy {
    /// 2011 to 2013: stop at the first `unknown`, crash or unexpected answer, and keep the score; a wrong answer sets
    /// it to zero (A11-5, A11-11, A11-12). Queries of unknown status are run.
    Y2011,
    /// 2014: stop before the first query of unknown status; the answer `unknown` does not stop the session.
    Y2014,
    /// 2015 to 2018: as in 2014, but the executor does not count answers.
    Y2015,
    /// Since 2019: run all queries, whether their status is known or not (R19-3.8, R19-5.23).
    #[default]
    Y2019,
}

impl Policy {
    /// The policy of an edition.
    pub const fn of_year(year: u16) -> Self {
        match year {
            ..2014 => Self::Y2011,
            2014 => Self::Y2014,
            2015..2019 => Self::Y2015,
            _ => Self::Y2019,
        }
    }

    /// Whether the executor prints the number of correct answers at the end.
    pub(crate) const fn counts(self) -> bool {
        matches!(self, Self::Y2011 | Self::Y2014)
    }

    /// Whether the answer `unknown` ends the session.
    pub(crate) const fn stops_at_unknown(self) -> bool {
        matches!(self, Self::Y2011)
    }

    /// Whether the session ends before the first query of unknown status, so that the executor needs the statuses.
    pub const fn needs_statuses(self) -> bool {
        matches!(self, Self::Y2014 | Self::Y2015)
    }

    /// The first year with this policy, which is its name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Y2011 => "2011",
            Self::Y2014 => "2014",
            Self::Y2015 => "2015",
            Self::Y2019 => "2019",
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that is not a year of the application or incremental track.
#[derive(Debug, thiserror::Error)]
#[error("'{0}' is not a year from 2011 on")]
pub struct UnknownPolicy(String);

impl FromStr for Policy {
    type Err = UnknownPolicy;

    fn from_str(word: &str) -> Result<Self, UnknownPolicy> {
        let year = word.parse().ok().filter(|year| *year >= 2011);
        year.map(Self::of_year).ok_or_else(|| UnknownPolicy(word.to_owned()))
    }
}
