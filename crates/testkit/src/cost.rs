//! Measures the cost of commands.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// The time of a command, including all children that it waited for.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Wall-clock time in seconds.
    pub wall_s: f64,
    /// CPU time in milliseconds.
    pub cpu_ms: f64,
}

impl Cost {
    /// Runs a command, which has to succeed, and returns its cost.
    pub fn of(command: &mut Command) -> Self {
        let (cpu, started) = (children_cpu(), Instant::now());
        let output = command.stdin(Stdio::null()).output().expect("the command starts");
        let cost = Self { wall_s: started.elapsed().as_secs_f64(), cpu_ms: children_cpu() - cpu };
        assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
        cost
    }

    /// The minimum of each time over several runs.
    pub fn best(costs: &[Self]) -> Self {
        let least = |value: fn(&Self) -> f64| costs.iter().map(value).fold(f64::INFINITY, f64::min);
        Self { wall_s: least(|cost| cost.wall_s), cpu_ms: least(|cost| cost.cpu_ms) }
    }
}

/// CPU milliseconds of all children that this process has waited for.
fn children_cpu() -> f64 {
    let stat = fs::read_to_string("/proc/self/stat").expect("/proc is mounted");
    let fields: Vec<&str> = stat[stat.rfind(')').expect("a process name") + 2..].split(' ').collect();
    let ticks = |at: usize| fields[at].parse::<u64>().expect("a number");
    // cutime and cstime of proc(5), in ticks. USER_HZ is 100 on every Linux that this runs on.
    (ticks(13) + ticks(14)) as f64 * 10.0
}

/// Runs a contained command, which has to succeed, and returns its CPU seconds, peak megabytes and output.
pub fn contained_cost(agon: &str, program: &Path, words: &[&str]) -> (f64, f64, String) {
    let directory = tempfile::tempdir().expect("a directory");
    let said = directory.path().join("output");
    let output = Command::new(agon)
        .args(["exec", "--format", "json", "--memory", "16000000000", "--max-output", "4000000000", "--show", "/tmp"])
        // Python finds its packages relative to the directory of its program.
        .arg("--show")
        .arg(program.parent().and_then(Path::parent).expect("an absolute path"))
        .arg("--output")
        .arg(&said)
        .arg("--")
        .arg(program)
        .args(words)
        .output()
        .expect("agon starts");
    let facts: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a JSON report");
    let said = String::from_utf8_lossy(&fs::read(said).expect("its output")).into_owned();
    assert_eq!(facts["exit"], 0, "{program:?} {words:?}: {said}");
    (facts["cpu_s"].as_f64().expect("a time"), facts["memory_bytes"].as_f64().expect("a size") / 1e6, said)
}

/// A pseudorandom generator of numbers below a bound, with the same sequence in every run.
pub fn random_numbers() -> impl FnMut(u64) -> u64 {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    move |below| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    }
}
