//! How often a run may wake a process outside it.

use std::time::Duration;

/// The interval in which wakeups are counted, and how many of them are acceptable.
const MOMENT: Duration = Duration::from_millis(50);
const MOST: u32 = 64;

/// How long to ignore events that come too often.
pub(crate) const REST: Duration = Duration::from_millis(1);

/// Counts wakeups within a short interval.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Pace {
    since: Duration,
    count: u32,
}

impl Pace {
    /// Counts one more wakeup. Returns whether there were too many.
    pub(crate) fn is_too_fast(&mut self, now: Duration) -> bool {
        if now.saturating_sub(self.since) > MOMENT {
            *self = Self { since: now, count: 0 };
        }
        self.count += 1;
        self.count > MOST
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bursts_are_allowed_and_storms_are_not() {
        let mut pace = Pace::default();
        let millis = Duration::from_millis;
        assert!((0..60).all(|at| !pace.is_too_fast(millis(100 + at / 10))));
        assert!((0..60).any(|at| pace.is_too_fast(millis(106 + at / 10))));
        assert!(!pace.is_too_fast(millis(1000)), "forgotten after a moment");
        assert!((2..20).all(|at| !pace.is_too_fast(millis(at * 1000))), "now and then is fine");
    }
}
