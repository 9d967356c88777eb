//! The adversaries, their limits, and how each of them is expected to end.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The program that implements a behavior.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Series {
    /// `adversary.c`: exceeds limits, leaves processes behind, floods its output, forges endings.
    First,
    /// `escapes.c`: tries to escape, and to misuse resources that it shares with other runs.
    Second,
}

/// One behavior, the limits it gets, and how it has to end.
pub struct Adversary {
    pub name: &'static str,
    pub series: Series,
    pub kind: &'static str,
    pub wall: f64,
    pub cpu: f64,
    pub memory: u64,
    /// It has to reach one of these limits; empty if it has to exit by itself.
    pub limits: &'static [&'static str],
    /// Its exit code, or minus the signal that kills it. Ignored if it reaches a limit.
    pub ending: i64,
    /// Its stdout, or the start of it if it is long.
    pub says: &'static str,
    /// Its CPU time in seconds, if known.
    pub uses_cpu: Option<f64>,
    /// Its peak memory in megabytes, if known.
    pub uses_memory: Option<f64>,
}

const TIME: Adversary = Adversary {
    name: "",
    series: Series::First,
    kind: "time",
    wall: 30.0,
    cpu: 1.0,
    memory: 200 << 20,
    limits: &[],
    ending: 0,
    says: "",
    uses_cpu: None,
    uses_memory: None,
};

const fn over_cpu(name: &'static str) -> Adversary {
    Adversary { name, limits: &["cpu"], ..TIME }
}

const fn over_wall(name: &'static str) -> Adversary {
    Adversary { name, wall: 1.5, limits: &["wall"], ..TIME }
}

/// Exits by itself after using this much CPU time.
const fn uses(name: &'static str, cpu: f64) -> Adversary {
    Adversary { name, cpu: 20.0, says: "sat\n", uses_cpu: Some(cpu), ..TIME }
}

/// Exits by itself and prints `sat`: it reached nothing outside.
const fn harmless(kind: &'static str, name: &'static str) -> Adversary {
    Adversary { name, kind, cpu: 10.0, says: "sat\n", ..TIME }
}

const fn out_of_memory(name: &'static str) -> Adversary {
    Adversary { name, kind: "memory", limits: &["memory"], uses_memory: Some(200.0), cpu: 10.0, ..TIME }
}

/// One of the second series that prints `sat`: its attempt was refused or had no effect.
const fn refused(name: &'static str) -> Adversary {
    Adversary { series: Series::Second, ..harmless("second series", name) }
}

/// One of the second series that tries to answer after its wall-clock limit of one second.
const fn late(name: &'static str) -> Adversary {
    Adversary { wall: 1.0, cpu: 10.0, limits: &["wall"], says: "", ..refused(name) }
}

pub const ALL: [Adversary; 106] = [
    uses("exact", 0.3),
    over_cpu("burn"),
    over_cpu("ignore_term"),
    over_cpu("threads"),
    over_cpu("two_cores"),
    over_wall("sleep"),
    over_wall("stop_itself"),
    over_cpu("orphan_burns"),
    uses("short_orphans", 1.0),
    uses("zombies", 1.0),
    uses("unwaited", 1.0),
    uses("vanishing_threads", 1.0),
    Adversary { kind: "processes", limits: &["wall", "cpu"], ..over_wall("fork_bomb") },
    harmless("processes", "daemon"),
    Adversary { kind: "processes", ..over_cpu("escape_session") },
    harmless("processes", "kill_all"),
    harmless("processes", "kill_parent"),
    Adversary { kind: "processes", ..over_cpu("stop_parent") },
    harmless("processes", "trace_parent"),
    Adversary { says: "", ..harmless("processes", "fork_on_term") },
    out_of_memory("hog"),
    out_of_memory("spike"),
    out_of_memory("many_hogs"),
    Adversary { uses_memory: Some(120.0), ..harmless("memory", "share") },
    harmless("memory", "reserve"),
    Adversary { uses_memory: Some(100.0), ..harmless("memory", "use") },
    harmless("memory", "shared_segment"),
    harmless("memory", "read_much"),
    Adversary { name: "flood", kind: "output", says: "xxxx", limits: &["output"], ..TIME },
    Adversary { name: "flood_errors", kind: "output", says: "sat\n", limits: &["output"], ..TIME },
    Adversary { limits: &["disk"], ..harmless("output", "flood_files") },
    Adversary { memory: 1 << 30, ..harmless("output", "many_files") },
    Adversary { kind: "output", says: "sat\n", ..over_wall("sat_then_hang") },
    Adversary { kind: "output", ..over_wall("sat_after_term") },
    Adversary { kind: "output", says: "uns", ..over_wall("half_line") },
    Adversary { kind: "output", says: "sat\n", ..over_cpu("close_output") },
    Adversary { name: "no_reader", kind: "output", says: "sat\n", limits: &["output"], ..TIME },
    harmless("escape", "write_outside"),
    harmless("escape", "remount"),
    harmless("escape", "new_namespace"),
    harmless("escape", "devices"),
    harmless("escape", "kernel_settings"),
    harmless("escape", "write_input"),
    harmless("escape", "rights_of_devices"),
    harmless("escape", "rise"),
    harmless("escape", "other_sockets"),
    harmless("escape", "connect"),
    harmless("escape", "abstract_socket"),
    Adversary { kind: "escape", ..over_cpu("leave_group") },
    harmless("escape", "spoof"),
    harmless("escape", "privileges"),
    harmless("escape", "other_cores"),
    harmless("escape", "keyring"),
    Adversary { name: "fake_timeout", kind: "forged ending", ending: -24, ..TIME },
    Adversary { name: "fake_memory", kind: "forged ending", ending: -9, ..TIME },
    Adversary { name: "crash", kind: "forged ending", ending: -11, says: "sat\n", ..TIME },
    Adversary { name: "abort", kind: "forged ending", ending: -6, ..TIME },
    refused("socket_filter"),
    refused("reuseport_filter"),
    refused("stacked_filters"),
    refused("unnamed_file_rises"),
    refused("deep_tree"),
    refused("lease"),
    refused("directory_notice"),
    refused("inotify"),
    refused("read_secrets"),
    Adversary { memory: 40 << 20, ..refused("file_locks") },
    Adversary { memory: 40 << 20, ..refused("open_file_locks") },
    refused("few_locks"),
    Adversary { memory: 40 << 20, ..refused("locks_again") },
    refused("host_fifo"),
    refused("mounted_twice"),
    refused("sync_disks"),
    refused("drop_cache"),
    refused("other_groups"),
    refused("limit_first_process"),
    refused("limits_of_others"),
    refused("signal_first"),
    refused("signal_by_io"),
    refused("other_processes"),
    refused("trace_me"),
    Adversary { wall: 1.5, limits: &["wall"], says: "", ..refused("trace_me_and_stop") },
    refused("trace_child"),
    refused("trace_to_the_end"),
    refused("orphan_storm"),
    late("many_sessions"),
    Adversary { cpu: 1.0, limits: &["cpu"], says: "", ..refused("sessions_cpu") },
    late("late_end"),
    Adversary { says: "xxxx", ..refused("single_bytes") },
    refused("raise_nice"),
    refused("timers"),
    refused("aio"),
    refused("queues"),
    refused("pipes"),
    refused("memory_policy"),
    refused("named_memory"),
    refused("huge_pages"),
    Adversary { ending: -6, says: "", ..refused("core_helper") },
    refused("raised_core"),
    refused("rare_sockets"),
    refused("datagram_out"),
    refused("many_sockets"),
    refused("sockets_again"),
    refused("socket_options"),
    refused("new_calls"),
    refused("ordinary"),
];

impl Adversary {
    /// Checks that a run ended as expected.
    pub fn check(&self, limit: &Value, exit: &Value, signal: &Value, said: &str) -> Result<(), String> {
        let reached = limit.as_str();
        let is_expected = match reached {
            // On a busy machine, orphans start faster than they are reaped. Reaching this limit does not end the run.
            Some("processes") if self.name == "orphan_storm" => true,
            Some(limit) => self.limits.contains(&limit),
            None => self.limits.is_empty(),
        };
        if !is_expected {
            return Err(format!("the limit reached is {reached:?}, not one of {:?}", self.limits));
        }
        let ending = exit.as_i64().or(signal.as_i64().map(|signal| -signal));
        if self.limits.is_empty() && ending != Some(self.ending) {
            return Err(format!("it ended with {ending:?}, not {}", self.ending));
        }
        let is_long = reached == Some("output") || self.name == "single_bytes" && said.ends_with("\nsat\n");
        if said == self.says || is_long && said.starts_with(self.says) {
            Ok(())
        } else {
            Err(format!("it printed {:?}, not {:?}", &said[..said.len().min(80)], self.says))
        }
    }
}

/// Both programs, compiled into a directory.
pub struct Programs {
    first: PathBuf,
    second: PathBuf,
}

impl Programs {
    pub fn compiled(directory: &Path) -> Self {
        Self { first: compiled(directory, "adversary"), second: compiled(directory, "escapes") }
    }

    /// The program that implements a behavior.
    pub fn of(&self, adversary: &Adversary) -> &Path {
        match adversary.series {
            Series::First => &self.first,
            Series::Second => &self.second,
        }
    }
}

fn compiled(directory: &Path, name: &str) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/adversaries").join(format!("{name}.c"));
    let program = directory.join(name);
    let status = Command::new("cc").args(["-O1", "-pthread", "-o"]).arg(&program).arg(source).status();
    assert!(status.expect("a C compiler (scripts/test installs one)").success());
    program
}
