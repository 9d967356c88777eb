//! A competition killed at any moment loses nothing and counts nothing twice.

use agon_testkit::{World, fake_solver, trivial_library};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::thread;
use std::time::Duration;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

/// The number of the last attempt of each pair; 0 if it has not run.
fn attempts(world: &World) -> BTreeMap<String, u64> {
    let pairs = world.json(&["status", "-C", "c", "--pairs", "--format", "json"]);
    let attempt = |pair: &Value| (pair["pair"].to_string(), pair["attempt"].as_u64().unwrap_or(0));
    pairs.as_array().unwrap().iter().map(attempt).collect()
}

fn prepared(world: &World) {
    world.steps(&["seed --index 1", "select", "prepare"]);
}

/// Restarts `agon run` until it succeeds, killing it after a different delay each time. Returns the number of kills.
fn run_under_fire(world: &World, first_pause: u64, options: &[&str]) -> u32 {
    let mut kills = 0;
    loop {
        let log = fs::File::create(world.path().join("stderr")).unwrap();
        let mut run =
            world.command(&[&["run", "-C", "c", "--slots", "3"], options].concat()).stderr(log).spawn().unwrap();
        // An odd increment, to hit all phases of a run: starting, planning, running, recording. On a busy machine even
        // one run takes longer than these pauses, so they grow.
        let kill = u64::from(kills);
        thread::sleep(Duration::from_millis(first_pause + kill * 37 % 400 + (kill / 20).pow(2) * 100));
        match run.try_wait().unwrap() {
            Some(status) => {
                let log = fs::read_to_string(world.path().join("stderr")).unwrap();
                assert!(status.success(), "after {kills} kills: {status}\n{log}");
                return kills;
            }
            None => {
                run.kill().unwrap();
                run.wait().unwrap();
                kills += 1;
            }
        }
        assert!(kills < 400, "the run does not finish");
    }
}

/// Polls a condition for a minute; returns whether it became true.
fn within_a_minute(happened: impl Fn() -> bool) -> bool {
    (0..1200).any(|_| {
        thread::sleep(Duration::from_millis(50));
        happened()
    })
}

#[test]
fn killed_at_random_moments_a_run_with_real_solvers_has_the_same_scores() {
    let world = World::with_solvers(AGON);
    let set_up = || {
        world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
        world.ok(&[
            "library", "generate", "pack", "--family", "pigeons", "--family", "diamonds", "--size", "4", "--size", "5",
            "--size", "6",
        ]);
        world.ok(&["library", "add", "-C", "c", "pack"]);
        for solver in ["z3", "yices", "cvc5"] {
            world.ok(&["entrant", "add", "-C", "c", solver]);
        }
        prepared(&world);
    };
    set_up();
    world.ok(&["run", "-C", "c"]);
    let undisturbed = world.scores("c");
    assert!(!undisturbed.is_empty());

    fs::remove_dir_all(world.path().join("c")).unwrap();
    set_up();
    let kills = run_under_fire(&world, 60, &[]);
    assert!(kills > 0, "the run was over before it could be killed");
    assert_eq!(world.scores("c"), undisturbed);
    assert!(attempts(&world).values().all(|attempt| *attempt == 1), "{:?}", attempts(&world));
}

#[test]
fn killed_at_random_moments_no_run_is_repeated_once_recorded() {
    let world = World::new(AGON);
    trivial_library(&world.path().join("library"), 60);
    // Each solver start appends a line to a file. A confined solver could not do that.
    world.ok(&["init", "c", "--rules", "smtcomp-2019", "--unconfined"]);
    world.ok(&["library", "add", "-C", "c", "library"]);
    let starts = world.write("starts", "");
    for name in ["a", "b"] {
        let script = format!(
            "echo start >> {}; sleep 0.02; grep -q 'assert false' $1 && echo unsat || echo sat",
            starts.display()
        );
        let directory = fake_solver(&world.path().join("solvers"), name, name, &script);
        world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    }
    prepared(&world);
    let kills = run_under_fire(&world, 40, &["--unconfined"]);
    assert!(kills > 2, "only {kills} kills");
    assert!(attempts(&world).values().all(|attempt| *attempt == 1));
    assert_eq!(attempts(&world).len(), 120);
    // A kill loses at most two runs of each of the three slots: one in progress, and one not yet recorded.
    let starts = fs::read_to_string(starts).unwrap().lines().count();
    assert!(starts >= 120 && starts <= 120 + 6 * kills as usize, "{starts} starts, {kills} kills");
    for line in world.scores("c").values() {
        assert_eq!(line["error"], 0);
        assert_eq!(line["unsolved"], 0);
    }
}

#[test]
fn killed_two_hundred_times_nothing_is_lost_or_duplicated() {
    let world = World::new(AGON);
    trivial_library(&world.path().join("library"), 600);
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    world.ok(&["library", "add", "-C", "c", "library"]);
    for name in ["a", "b"] {
        let script = "sleep 0.02; grep -q 'assert false' $1 && echo unsat || echo sat";
        let directory = fake_solver(&world.path().join("solvers"), name, name, script);
        world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    }
    prepared(&world);
    let mut number = 88_172_645_463_325_252_u64;
    let mut recorded = 0;
    for kill in 0..200 {
        number ^= number << 13;
        number ^= number >> 7;
        number ^= number << 17;
        let mut run = world.start(&["run", "-C", "c", "--slots", "2"]);
        thread::sleep(Duration::from_millis(20 + number % 250));
        let _ = run.kill();
        run.wait().unwrap();
        if kill % 20 == 0 {
            let done = attempts(&world).values().filter(|attempt| **attempt > 0).count();
            assert!(done >= recorded, "{done} pairs are recorded, but {recorded} were before");
            recorded = done;
        }
    }
    world.ok(&["run", "-C", "c"]);
    assert!(attempts(&world).len() == 600 && attempts(&world).values().all(|attempt| *attempt == 1));
    for line in world.scores("c").values() {
        assert_eq!((&line["error"], &line["unsolved"]), (&0.into(), &0.into()));
    }
}

#[test]
fn a_solver_does_not_outlive_a_killed_agon_for_long() {
    let world = World::new(AGON);
    trivial_library(&world.path().join("library"), 2);
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    world.ok(&["library", "add", "-C", "c", "library"]);
    let marker = format!("4{}.5", std::process::id());
    for name in ["a", "b"] {
        let script = format!("setsid sleep {marker} & sleep {marker}");
        let directory = fake_solver(&world.path().join("solvers"), name, name, &script);
        world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    }
    prepared(&world);
    let sleepers = || {
        let output = Command::new("pgrep").args(["-f", &format!("^sleep {marker}")]).output().unwrap();
        String::from_utf8_lossy(&output.stdout).lines().count()
    };
    let mut run = world.start(&["run", "-C", "c", "--slots", "2"]);
    assert!(within_a_minute(|| sleepers() >= 2), "{} sleepers; stderr: {}", sleepers(), world.said());
    run.kill().unwrap();
    run.wait().unwrap();
    let run = world.json(&["exec", "--format", "json", "--", "true"]);
    if run["isolation"]["tree_kill"] != true {
        agon_testkit::skipped("this machine cannot kill a whole tree");
        return;
    }
    assert!(within_a_minute(|| sleepers() == 0), "{} sleepers are left", sleepers());
}

#[test]
fn a_concurrent_run_is_refused() {
    let world = World::new(AGON);
    trivial_library(&world.path().join("library"), 4);
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    world.ok(&["library", "add", "-C", "c", "library"]);
    for name in ["a", "b"] {
        let directory = fake_solver(&world.path().join("solvers"), name, name, "sleep 1; echo sat");
        world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    }
    prepared(&world);
    let mut run = world.start(&["run", "-C", "c", "--slots", "1"]);
    assert!(within_a_minute(|| {
        let status = world.json(&["status", "-C", "c", "--format", "json"]);
        status["running"] == true && status["planned"].as_u64() > Some(0)
    }));
    world.fails(&["run", "-C", "c"], 3, &["another agon"]);
    run.kill().unwrap();
    run.wait().unwrap();
}

#[test]
fn a_rerun_is_a_new_attempt_with_its_command_shown() {
    let world = World::new(AGON);
    trivial_library(&world.path().join("library"), 2);
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    world.ok(&["library", "add", "-C", "c", "library"]);
    for name in ["a", "b"] {
        let script = "grep -q 'assert false' $1 && echo unsat || echo sat";
        let directory = fake_solver(&world.path().join("solvers"), name, name, script);
        world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    }
    prepared(&world);
    world.ok(&["run", "-C", "c"]);
    let before = world.scores("c");
    let shown = world.ok(&["rerun", "-C", "c", "a:b0001", "--show"]);
    assert!(shown.contains("bin/solver") && shown.contains(".smt2"), "{shown}");
    assert!(attempts(&world).values().all(|attempt| *attempt == 1));
    let printed = world.ok(&["rerun", "-C", "c", "a:b0001", "--reason", "curious"]);
    assert!(printed.contains("attempt 1 (first)") && printed.contains("attempt 2 (curious)"), "{printed}");
    assert!(printed.contains("verdict: unsat (solved)"), "{printed}");
    assert_eq!(attempts(&world).values().filter(|attempt| **attempt == 2).count(), 1);
    assert_eq!(world.scores("c"), before);
    world.fails(&["rerun", "-C", "c", "c:b0001"], 2, &["no planned pair", "agon status --pairs"]);
    world.fails(&["rerun", "-C", "c", "a:b00"], 2, &["matches 2 pairs"]);
}
