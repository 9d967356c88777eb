//! The CPU time of a run without control groups, by polling its processes.
//!
//! Processes that start and end between two polls without being waited for are missed, so this only serves to stop a
//! run at its limit.

use std::collections::HashMap;
use std::fs;
use std::time::Duration;

/// The kernel counts in hundredths of a second here, whatever its own tick is.
const TICK: Duration = Duration::from_millis(10);

/// The CPU time that the processes of a run were seen to use, in ticks.
#[derive(Debug, Default)]
pub(crate) struct Survey {
    /// The CPU time of each process itself when it was last seen, by pid and start time.
    seen: HashMap<(u64, u64), u64>,
    /// The largest total of any poll.
    most: u64,
    /// How many processes there were at the last poll.
    pub(crate) processes: usize,
}

/// The CPU time of one process, in ticks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Used {
    own: u64,
    /// The CPU time of the children that it has waited for.
    by_children: u64,
    /// When it started, which distinguishes processes with the same pid.
    started: u64,
}

impl Survey {
    /// Polls all processes of a run, given the pid of its init process as the runner sees it. Returns the CPU time that
    /// they were seen to use so far.
    pub(crate) fn look(&mut self, first: i32) -> Option<Duration> {
        let processes = fs::read_dir(format!("/proc/{first}/root/proc")).ok()?;
        let found = processes.flatten().filter_map(|process| {
            let number = process.file_name().to_str()?.parse().ok()?;
            Some((number, Used::read(&fs::read_to_string(process.path().join("stat")).ok()?)?))
        });
        Some(self.count(found))
    }

    fn count(&mut self, found: impl Iterator<Item = (u64, Used)>) -> Duration {
        let mut waited_for = 0;
        self.processes = 0;
        for (number, Used { own, by_children, started }) in found {
            // The init process works for the runner, and is counted by its own clock.
            let own = if number == 1 { 0 } else { own };
            self.seen.insert((number, started), own);
            waited_for += own + by_children;
            self.processes += 1;
        }
        // Each sum misses processes: the first those that ended without being waited for, the second those that started
        // and ended between polls.
        self.most = self.most.max(waited_for).max(self.seen.values().sum());
        TICK * u32::try_from(self.most).unwrap_or(u32::MAX)
    }
}

impl Used {
    /// Parses fields 14 to 17 and 22 of `/proc/PID/stat`.
    fn read(stat: &str) -> Option<Self> {
        // The second field is the program's name in parentheses, which may contain anything.
        let after_name = &stat[stat.rfind(')')? + 1..];
        let fields: Vec<u64> = after_name.split_whitespace().skip(11).map_while(|field| field.parse().ok()).collect();
        match fields[..] {
            [user, system, user_below, system_below, _, _, _, _, started, ..] => {
                Some(Self { own: user + system, by_children: user_below + system_below, started })
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn start_times_are_found_after_any_program_name() {
        let stat = "7 (a) b (c) S 1 7 7 0 -1 4194560 1 2 3 4 100 20 3000 4 20 0 1 0 500 6 7";
        assert_eq!(Used::read(stat), Some(Used { own: 120, by_children: 3004, started: 500 }));
        assert_eq!(Used::read("nonsense"), None);
    }

    #[test]
    fn peaks_are_remembered() {
        let used = |own, by_children, started| Used { own, by_children, started };
        let mut survey = Survey::default();
        survey.count([(1, used(9, 0, 1)), (2, used(10, 0, 2)), (3, used(50, 0, 3))].into_iter());
        // One ended without being waited for, and another process has its pid.
        let now = survey.count([(2, used(10, 0, 2)), (3, used(5, 0, 9))].into_iter());
        assert_eq!(now, TICK * 65);
        // One started and ended between the polls, and its parent waited for it.
        let now = survey.count([(2, used(10, 300, 2))].into_iter());
        assert_eq!(now, TICK * 310);
    }
}
