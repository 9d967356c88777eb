//! Solvers that misbehave, under `agon exec`, as root and as an ordinary user: each ends as expected, leaves nothing
//! behind, and reaches nothing outside.
//!
//! The programs are in `tests/adversaries/adversary.c` and `escapes.c`; `expected.rs` lists how each has to end.

#[path = "adversaries/expected.rs"]
mod expected;
#[path = "adversaries/place.rs"]
#[allow(dead_code, reason = "the benchmark uses the rest")]
mod place;

use expected::{ALL, Adversary};
use place::{Place, Who};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Checks the measurements of a run.
fn check_measured(adversary: &Adversary, run: &Value) {
    let name = adversary.name;
    let has_groups = run["isolation"]["tree_cpu"] == true;
    let used = run["cpu_s"].as_f64().unwrap();
    if let Some(cpu) = adversary.uses_cpu.filter(|_| has_groups) {
        // No CPU time is missed; the cost of starting and reaping processes depends on the machine.
        assert!((cpu * 0.98..cpu * 1.5 + 0.1).contains(&used), "{name}: {used} s of CPU time, not {cpu}");
    }
    if let Some(megabytes) = adversary.uses_memory {
        let used = run["memory_bytes"].as_u64().unwrap() as f64 / f64::from(1 << 20);
        assert!((megabytes * 0.98..megabytes * 1.02 + 0.5).contains(&used), "{name}: {used} MB, not {megabytes}");
    }
    if run["limit"] == "cpu" {
        // Without control groups, a run with many processes can exceed the limit by far before it is noticed and
        // killed.
        let most = if has_groups { 2.0 * adversary.cpu + 1.0 } else { f64::INFINITY };
        assert!((adversary.cpu..most).contains(&used), "{name}: {used} s at a limit of {}", adversary.cpu);
    }
    if run["limit"] == "wall" {
        assert!(run["wall_s"].as_f64().unwrap() >= adversary.wall, "{name}: {run}");
    }
    assert_eq!(run["survivors"], 0, "{name}");
    assert_eq!(run["isolation"]["confined"], true, "{name}");
}

/// Runs all adversaries of a kind and checks how they end and that they leave nothing behind.
fn check(kind: &str, who: Who) {
    // One kind at a time: programs that burn every core would spoil each other's measurements.
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut place = Place::new(who);
    if who == Who::Us && !place.limits_memory() {
        return agon_testkit::skipped("memory cannot be limited here");
    }
    let mut seen = 0;
    for adversary in ALL.iter().filter(|adversary| adversary.kind == kind) {
        let name = adversary.name;
        let (run, said) = place.exec(who, adversary);
        adversary
            .check(&run["limit"], &run["exit"], &run["signal"], &said)
            .unwrap_or_else(|why| panic!("{name}: {why}\n{run}"));
        check_measured(adversary, &run);
        assert_eq!(place.survivors(), 0, "{name} survived");
        assert!(place.is_untouched(), "{name} reached something outside");
        seen += 1;
    }
    assert!(seen > 0, "no adversary of kind {kind}");
    for directory in ["/tmp", "/var/tmp", "/dev/shm", "/etc", "/usr/local", "/run", &place.path("")] {
        assert!(!Path::new(directory).join("agon-adversary").exists(), "a file was written to {directory}");
    }
    let segments = fs::read_to_string("/proc/sysvipc/shm").unwrap();
    assert!(!segments.contains(&0x4147.to_string()), "shared memory is left: {segments}");
}

/// Runs [`check`] as an unprivileged user, which only root can do.
fn check_as_nobody(kind: &str) {
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        return agon_testkit::skipped("only root can become another user");
    }
    check(kind, Who::Nobody);
}

#[test]
fn solvers_that_exceed_time_limits_are_stopped() {
    check("time", Who::Us);
}

#[test]
fn leftover_processes_are_killed_and_attacks_on_others_fail() {
    check("processes", Who::Us);
}

#[test]
fn solvers_that_exceed_the_memory_limit_are_stopped() {
    check("memory", Who::Us);
}

#[test]
fn solvers_that_exceed_the_output_limit_are_stopped() {
    check("output", Who::Us);
}

#[test]
fn escape_attempts_fail() {
    check("escape", Who::Us);
}

#[test]
fn forged_endings_are_recognized() {
    check("forged ending", Who::Us);
}

#[test]
fn attacks_on_shared_kernel_resources_fail() {
    check("second series", Who::Us);
}

#[test]
fn an_ordinary_user_confines_attacks_on_others() {
    check_as_nobody("processes");
}

#[test]
fn an_ordinary_user_confines_excessive_output() {
    check_as_nobody("output");
}

#[test]
fn an_ordinary_user_confines_escape_attempts() {
    check_as_nobody("escape");
}

#[test]
fn an_ordinary_user_confines_forged_endings() {
    check_as_nobody("forged ending");
}

#[test]
fn an_ordinary_user_confines_attacks_on_shared_kernel_resources() {
    check_as_nobody("second series");
}

#[test]
fn every_behavior_of_the_programs_is_listed() {
    let sources = [include_str!("adversaries/adversary.c"), include_str!("adversaries/escapes.c")];
    let behaviors = |source: &'static str| source.split("IS(\"").skip(1).filter_map(|rest| rest.split_once('"'));
    let mut known: Vec<&str> = ALL.iter().map(|adversary| adversary.name).collect();
    let mut written: Vec<&str> = sources.into_iter().flat_map(behaviors).map(|(name, _)| name).collect();
    known.sort_unstable();
    written.sort_unstable();
    assert_eq!(known, written);
    // The number in docs/execution.md, docs/why.md and the README.
    assert_eq!(known.len(), 106);
}
