//! Measured times.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};
use std::time::Duration;

/// A span of wall or CPU time in whole nanoseconds, so that sums do not depend on their order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Time(u64);

impl Time {
    /// A span of zero length.
    pub const ZERO: Self = Self(0);

    /// From whole nanoseconds.
    pub const fn from_nanos(nanos: u64) -> Self {
        Self(nanos)
    }

    /// From whole seconds.
    pub const fn from_secs(secs: u64) -> Self {
        Self(secs * 1_000_000_000)
    }

    /// From seconds. Negative values and NaN become zero; values that are too large saturate.
    pub fn from_secs_f64(secs: f64) -> Self {
        // A float-to-integer cast saturates at both ends and maps NaN to zero.
        Self((secs * 1e9).round() as u64)
    }

    /// The time in whole nanoseconds.
    pub const fn as_nanos(self) -> u64 {
        self.0
    }

    /// The time in seconds, for printing and for arithmetic where rounding does not matter.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / 1e9
    }
}

impl From<Duration> for Time {
    fn from(duration: Duration) -> Self {
        Self(u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX))
    }
}

impl From<Time> for Duration {
    fn from(time: Time) -> Self {
        Self::from_nanos(time.0)
    }
}

impl Add for Time {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Time {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for Time {
    fn sum<I: Iterator<Item = Self>>(times: I) -> Self {
        times.fold(Self::ZERO, Add::add)
    }
}

/// Prints seconds with three decimals, unless a precision such as `{:.1}` is given.
impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match f.precision().unwrap_or(3) {
            // Avoids floats, which lack the digits to print long times exactly.
            9.. => write!(f, "{}.{:09}", self.0 / 1_000_000_000, self.0 % 1_000_000_000),
            digits => write!(f, "{:.*}", digits, self.as_secs_f64()),
        }
    }
}

/// Serializes as seconds, rounded to the microsecond: no clock used here is more precise.
impl Serialize for Time {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let micros = self.0.saturating_add(500) / 1000;
        serializer.serialize_f64(micros as f64 / 1e6)
    }
}

/// Rounds to the microsecond as well, so that a serialized time reads back as the same value.
impl<'de> Deserialize<'de> for Time {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let time = f64::deserialize(deserializer).map(Self::from_secs_f64)?;
        Ok(Self((time.0.saturating_add(500) / 1000).saturating_mul(1000)))
    }
}

/// Serializes times as whole nanoseconds, for records that must round-trip exactly: `#[serde(with = "nanos")]`.
pub(crate) mod nanos {
    use super::Time;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(time: &Time, serializer: S) -> Result<S::Ok, S::Error> {
        time.0.serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Time, D::Error> {
        u64::deserialize(deserializer).map(Time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_exact_and_saturate() {
        let tenth = Time::from_secs_f64(0.1);
        assert_eq!(std::iter::repeat_n(tenth, 10).sum::<Time>(), Time::from_secs(1));
        assert_eq!(Time::from_nanos(u64::MAX) + tenth, Time::from_nanos(u64::MAX));
    }

    #[test]
    fn negative_and_nan_seconds_become_zero() {
        assert_eq!(Time::from_secs_f64(-1.0), Time::ZERO);
        assert_eq!(Time::from_secs_f64(f64::NAN), Time::ZERO);
    }

    #[test]
    fn three_decimals_by_default() {
        assert_eq!(Time::from_nanos(1_234_567_890).to_string(), "1.235");
        assert_eq!(format!("{:.1}", Time::from_secs(2)), "2.0");
        assert_eq!(format!("{:.9}", Time::from_nanos(20_000_000_000_000_001)), "20000000.000000001");
    }
}
