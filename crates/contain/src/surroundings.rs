//! Other activity on the machine during a run, to determine whether the run was disturbed.

use crate::group::Pressure;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs;
use std::sync::Mutex;
use std::time::Duration;

/// Other activity on the machine during a run. A field is `None` if the machine does not report it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Surroundings {
    /// The load average of the last minute, at the end.
    pub load: Option<f64>,
    /// The clock rate of its first core in MHz, at the end.
    pub clock_mhz: Option<u32>,
    /// How often a processor was throttled because of its temperature.
    pub throttled: Option<u64>,
    /// Pages of memory swapped in or out.
    pub swapped: Option<u64>,
    /// CPU time stolen by other virtual machines, in seconds, over all cores.
    pub stolen_s: Option<f64>,
    /// How long some thread of the run waited for a core, in seconds, even if another thread of the run occupied it.
    pub waited_cpu_s: Option<f64>,
    /// How long no thread of the run could run because other processes had all the cores, in seconds.
    pub displaced_s: Option<f64>,
    /// How long the run waited for memory, in seconds.
    pub waited_memory_s: Option<f64>,
    /// How long the run waited for disks, in seconds.
    pub waited_io_s: Option<f64>,
}

impl Surroundings {
    /// Why a run of this length should be repeated, if something else on the machine slowed it down.
    pub fn disturbance(&self, wall: Duration, has_own_cores: bool) -> Option<&'static str> {
        let share = |seconds: Option<f64>| seconds.is_some_and(|seconds| seconds > 0.05 + 0.05 * wall.as_secs_f64());
        if self.throttled.is_some_and(|count| count > 0) {
            Some("a processor was throttled")
        } else if self.swapped.is_some_and(|pages| pages > 0) {
            Some("the machine was swapping")
        } else if share(self.stolen_s) {
            Some("other virtual machines stole CPU time")
        } else if has_own_cores && share(self.displaced_s) {
            Some("other processes used its cores")
        } else {
            None
        }
    }
}

impl fmt::Display for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let facts = [
            ("load", self.load),
            ("MHz", self.clock_mhz.map(f64::from)),
            ("throttled", self.throttled.map(|count| count as f64)),
            ("pages swapped", self.swapped.map(|count| count as f64)),
            ("s stolen", self.stolen_s),
            ("s waited for cores", self.waited_cpu_s),
            ("s displaced", self.displaced_s),
            ("s for memory", self.waited_memory_s),
            ("s for disks", self.waited_io_s),
        ];
        for (at, (name, value)) in facts.iter().filter_map(|(name, value)| Some((name, (*value)?))).enumerate() {
            let separator = if at == 0 { "" } else { ", " };
            write!(f, "{separator}{} {name}", (value * 1000.0).round() / 1000.0)?;
        }
        Ok(())
    }
}

/// Counters of the machine at one moment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counters {
    at: Duration,
    load: Option<f64>,
    throttled: Option<u64>,
    swapped: Option<u64>,
    stolen: Option<f64>,
}

/// Reads the counters, and caches them so that not every short run has to.
#[derive(Debug, Default)]
pub(crate) struct Observer(Mutex<Counters>);

impl Observer {
    /// The maximum age of cached counters.
    const AGE: Duration = Duration::from_millis(500);

    /// The counters, possibly from the cache.
    pub(crate) fn recent(&self, now: Duration) -> Counters {
        self.no_older_than(Self::AGE, now)
    }

    /// The counters now.
    pub(crate) fn current(&self, now: Duration) -> Counters {
        self.no_older_than(Duration::ZERO, now)
    }

    fn no_older_than(&self, age: Duration, now: Duration) -> Counters {
        let mut last = self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if last.at == Duration::ZERO || now.saturating_sub(last.at) > age {
            *last = Counters::read(now);
        }
        *last
    }
}

impl Counters {
    fn read(at: Duration) -> Self {
        let first_word = |text: String| text.split(' ').next()?.parse().ok();
        let memory = fs::read_to_string("/proc/vmstat").unwrap_or_default();
        let pages = |key: &str| memory.lines().find_map(|line| line.strip_prefix(key)?.trim().parse::<u64>().ok());
        Self {
            at,
            load: fs::read_to_string("/proc/loadavg").ok().and_then(first_word),
            throttled: throttled(),
            swapped: pages("pswpin ").and_then(|into| Some(into + pages("pswpout ")?)),
            stolen: stolen(),
        }
    }

    /// What happened between two readings, together with the run's own pressure.
    pub(crate) fn until(&self, end: &Self, pressure: Pressure, core: usize) -> Surroundings {
        let more = |before: Option<u64>, after: Option<u64>| Some(after?.saturating_sub(before?));
        let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64());
        Surroundings {
            load: end.load,
            clock_mhz: clock_rate(core),
            throttled: more(self.throttled, end.throttled),
            swapped: more(self.swapped, end.swapped),
            stolen_s: end.stolen.and_then(|after| Some((after - self.stolen?).max(0.0))),
            waited_cpu_s: seconds(pressure.cpu),
            displaced_s: seconds(pressure.cpu_full),
            waited_memory_s: seconds(pressure.memory),
            waited_io_s: seconds(pressure.io),
        }
    }
}

/// How often cores were throttled, summed over all cores. `None` if the processor does not count it.
fn throttled() -> Option<u64> {
    let count = |core: usize| -> Option<u64> {
        let file = format!("/sys/devices/system/cpu/cpu{core}/thermal_throttle/core_throttle_count");
        fs::read_to_string(file).ok()?.trim().parse().ok()
    };
    let first = count(0)?;
    Some(first + (1..).map_while(count).sum::<u64>())
}

/// CPU time stolen by other virtual machines, in seconds: the eighth number of `/proc/stat`, in hundredths.
fn stolen() -> Option<f64> {
    let text = fs::read_to_string("/proc/stat").ok()?;
    let ticks: f64 = text.lines().next()?.split_whitespace().nth(8)?.parse().ok()?;
    Some(ticks / 100.0)
}

fn clock_rate(core: usize) -> Option<u32> {
    let file = format!("/sys/devices/system/cpu/cpu{core}/cpufreq/scaling_cur_freq");
    fs::read_to_string(file).ok()?.trim().parse::<u32>().ok().map(|kilohertz| kilohertz / 1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn disturbed_runs_are_detected() {
        let second = Duration::from_secs(1);
        let quiet = Surroundings { load: Some(9.0), swapped: Some(0), waited_cpu_s: Some(0.04), ..Default::default() };
        assert_eq!(quiet.disturbance(second, true), None);
        // Waiting for the run's own threads is not a disturbance.
        assert_eq!(Surroundings { waited_cpu_s: Some(0.9), ..quiet }.disturbance(second, true), None);
        let waited = Surroundings { displaced_s: Some(0.3), ..quiet };
        assert!(waited.disturbance(second, true).is_some());
        // Without cores of its own, a run shares them by design; and a longer run may wait longer.
        assert_eq!(waited.disturbance(second, false), None);
        assert_eq!(waited.disturbance(10 * second, true), None);
        assert!(Surroundings { swapped: Some(1), ..quiet }.disturbance(second, false).is_some());
        assert!(Surroundings { throttled: Some(1), ..quiet }.disturbance(second, false).is_some());
        assert!(Surroundings { stolen_s: Some(0.2), ..quiet }.disturbance(second, false).is_some());
    }

    #[test]
    fn surroundings_have_a_text_form() {
        let some = Surroundings { load: Some(1.5), waited_cpu_s: Some(0.25), ..Default::default() };
        assert_eq!(some.to_string(), "1.5 load, 0.25 s waited for cores");
    }
}
