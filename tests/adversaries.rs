//! Solvers that misbehave, under `agon exec`: each ends as it should, leaves nothing, and reaches nobody. As root, and as an
//! ordinary user.
//!
//! The programs are in `tests/adversaries/adversary.c` and `escapes.c`, what is expected of each in `expected.rs`.

#[path = "adversaries/expected.rs"]
mod expected;
#[path = "adversaries/place.rs"]
#[allow(dead_code, reason = "the bench looks at more")]
mod place;

use expected::{ALL, Adversary};
use place::{Place, Who};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// Checks what holds for the measurements of all.
fn check_measured(adversary: &Adversary, run: &Value) {
    let name = adversary.name;
    let has_groups = run["isolation"]["tree_cpu"] == true;
    let used = run["cpu_s"].as_f64().unwrap();
    if let Some(cpu) = adversary.uses_cpu.filter(|_| has_groups) {
        // Nothing escapes the count; what starting and reaping processes costs depends on the machine.
        assert!((cpu * 0.98..cpu * 1.5 + 0.1).contains(&used), "{name}: {used} s of CPU time, not {cpu}");
    }
    if let Some(megabytes) = adversary.uses_memory {
        let used = run["memory_bytes"].as_u64().unwrap() as f64 / f64::from(1 << 20);
        assert!((megabytes * 0.98..megabytes * 1.02 + 0.5).contains(&used), "{name}: {used} MB, not {megabytes}");
    }
    if run["limit"] == "cpu" {
        // Without control groups a run with many processes leaves little time to find out, and much to clear away.
        let most = if has_groups { 2.0 * adversary.cpu + 1.0 } else { f64::INFINITY };
        assert!((adversary.cpu..most).contains(&used), "{name}: {used} s at a limit of {}", adversary.cpu);
    }
    if run["limit"] == "wall" {
        assert!(run["wall_s"].as_f64().unwrap() >= adversary.wall, "{name}: {run}");
    }
    assert_eq!(run["survivors"], 0, "{name}");
    assert_eq!(run["isolation"]["confined"], true, "{name}");
}

/// Runs all of a kind and checks everything that holds for all.
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
        assert_eq!(place.survivors(), 0, "{name} has survived");
        assert!(place.is_untouched(), "{name} has reached somebody outside");
        seen += 1;
    }
    assert!(seen > 0, "no adversary is of the kind {kind}");
    for directory in ["/tmp", "/var/tmp", "/dev/shm", "/etc", "/usr/local", "/run", &place.path("")] {
        assert!(!Path::new(directory).join("agon-adversary").exists(), "a file was written to {directory}");
    }
    let segments = fs::read_to_string("/proc/sysvipc/shm").unwrap();
    assert!(!segments.contains(&0x4147.to_string()), "shared memory is left: {segments}");
}

/// The same as a user without privileges, if we can become one.
fn check_as_nobody(kind: &str) {
    if fs::metadata("/proc/self").unwrap().uid() != 0 {
        return agon_testkit::skipped("only root can become another user");
    }
    check(kind, Who::Nobody);
}

#[test]
fn excessive_time() {
    check("time", Who::Us);
}

#[test]
fn leftover_processes_and_attacks_on_others() {
    check("processes", Who::Us);
}

#[test]
fn excessive_memory() {
    check("memory", Who::Us);
}

#[test]
fn excessive_output() {
    check("output", Who::Us);
}

#[test]
fn escape_attempts_fail() {
    check("ways out", Who::Us);
}

#[test]
fn forged_endings() {
    check("lies", Who::Us);
}

#[test]
fn the_second_series() {
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
    check_as_nobody("ways out");
}

#[test]
fn an_ordinary_user_confines_forged_endings() {
    check_as_nobody("lies");
}

#[test]
fn an_ordinary_user_confines_the_second_series() {
    check_as_nobody("second series");
}

#[test]
fn every_behavior_of_the_programs_is_expected_to_do_something() {
    let sources = [include_str!("adversaries/adversary.c"), include_str!("adversaries/escapes.c")];
    let behaviors = |source: &'static str| source.split("IS(\"").skip(1).filter_map(|rest| rest.split_once('"'));
    let mut known: Vec<&str> = ALL.iter().map(|adversary| adversary.name).collect();
    let mut written: Vec<&str> = sources.into_iter().flat_map(behaviors).map(|(name, _)| name).collect();
    known.sort_unstable();
    written.sort_unstable();
    assert_eq!(known, written);
    assert!(known.len() >= 100);
}
