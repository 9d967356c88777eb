//! `agon run --on slurm` on a real Slurm cluster: several nodes on this machine, from Debian's packages.

#[path = "adversaries/expected.rs"]
#[allow(dead_code, reason = "some expectations cannot be checked on a cluster")]
mod expected;

use agon_testkit::{CONFIGURATION, Slurm, World, fake_solver, trivial_library};
use serde_json::Value;
use std::fs;
use std::path::Path;
use std::process::{Child, Command};
use std::thread;
use std::time::Duration;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

/// Sets up a competition with two solvers that take a moment. The nodes can access the world's directory.
fn competition(world: &World, name: &str, benchmarks: usize) {
    let library = world.path().join("library");
    if !library.exists() {
        trivial_library(&library, benchmarks);
        for solver in ["a", "b"] {
            let script = "sleep 0.01; grep -q 'assert false' $1 && echo unsat || echo sat";
            fake_solver(&world.path().join("solvers"), solver, solver, script);
        }
    }
    world.ok(&["init", name, "--rules", "smtcomp-2019"]);
    let file = world.path().join(name).join("agon.toml");
    let limits = "\n[rules.tracks.single-query.limits]\nwall_s = 10\nmemory_bytes = 200_000_000\ncores = 1\n";
    fs::write(&file, fs::read_to_string(&file).unwrap() + limits).unwrap();
    world.ok(&["library", "add", "-C", name, "library"]);
    for solver in ["solvers/a", "solvers/b"] {
        world.ok(&["entrant", "add", "-C", name, solver]);
    }
    world.ok(&["seed", "-C", name, "--index", "1"]);
    world.ok(&["select", "-C", name]);
    world.ok(&["prepare", "-C", name]);
}

fn on_slurm(world: &World, slurm: &Slurm, words: &[&str]) -> Command {
    let mut command = world.command(&[&["run", "--on", "slurm"], words].concat());
    command.env(CONFIGURATION, slurm.configuration());
    command
}

fn pairs(world: &World, name: &str) -> Vec<Value> {
    world.json(&["status", "-C", name, "--pairs", "--format", "json"]).as_array().unwrap().clone()
}

fn done(world: &World, name: &str) -> usize {
    pairs(world, name).iter().filter(|pair| pair["state"] != "to be run").count()
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let came = (0..600).any(|_| {
        thread::sleep(Duration::from_millis(200));
        is_so()
    });
    assert!(came, "no {what} after two minutes");
}

/// Runs a command that has to succeed within five minutes.
fn finish(command: &mut Command, log: &Path) {
    let mut child = command.stderr(fs::File::create(log).unwrap()).spawn().unwrap();
    for _ in 0..1500 {
        if let Some(status) = child.try_wait().unwrap() {
            return assert!(status.success(), "{}", fs::read_to_string(log).unwrap());
        }
        thread::sleep(Duration::from_millis(200));
    }
    kill(child);
    panic!("still running after five minutes: {}", fs::read_to_string(log).unwrap());
}

fn kill(mut child: Child) {
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn r08_2_2_a_node_the_controller_and_the_coordinator_die_and_every_pair_is_recorded_once() {
    let Some(mut slurm) = Slurm::start(4) else { return };
    let world = World::new(AGON);
    // Half of the benchmarks are selected.
    competition(&world, "here", 2000);
    competition(&world, "there", 2000);
    world.ok(&["run", "-C", "here"]);
    let expected = world.scores("here");

    let words = ["-C", "there", "--most-jobs", "80", "--sbatch=--comment=test"];
    let log = || fs::File::create(world.path().join("log")).unwrap();
    let run = on_slurm(&world, &slurm, &words).stderr(log()).spawn().unwrap();
    until("a hundred pairs", || done(&world, "there") >= 100);
    // The node is killed with SIGKILL in the middle of its runs.
    slurm.kill_node(1);
    until("two hundred pairs", || done(&world, "there") >= 200);
    kill(run);
    let run = on_slurm(&world, &slurm, &words).stderr(log()).spawn().unwrap();
    until("three hundred pairs", || done(&world, "there") >= 300);
    slurm.restart_controller();
    slurm.start_node(1);
    until("five hundred pairs", || done(&world, "there") >= 500);
    kill(run);
    // The last coordinator runs to the end, however often Slurm has to requeue jobs.
    finish(&mut on_slurm(&world, &slurm, &words), &world.path().join("log"));

    let pairs = pairs(&world, "there");
    assert_eq!(pairs.len(), 2000);
    assert!(pairs.iter().all(|pair| pair["attempt"] == 1), "an attempt was counted twice");
    assert_eq!(world.scores("there"), expected);
    let hosts: std::collections::BTreeSet<&str> = pairs.iter().filter_map(|pair| pair["host"].as_str()).collect();
    assert!(hosts.len() >= 3, "{hosts:?}");
    // The files of the rounds are removed.
    assert_eq!(fs::read_dir(world.path().join("there/slurm")).unwrap().count(), 0);
}

#[test]
fn detached_rounds_are_collected_and_canceled() {
    let Some(slurm) = Slurm::start(2) else { return };
    let world = World::new(AGON);
    competition(&world, "c", 60);
    let run = |words: &[&str]| {
        on_slurm(&world, &slurm, &[&["-C", "c", "--job-length", "60"], words].concat()).output().unwrap()
    };
    let submitted = run(&["--detach"]);
    assert!(submitted.status.success(), "{}", String::from_utf8_lossy(&submitted.stderr));
    until("recorded pairs", || {
        run(&["--detach"]);
        done(&world, "c") >= 10
    });
    let canceled = run(&["--cancel"]);
    assert_eq!(canceled.status.code(), Some(130), "{}", String::from_utf8_lossy(&canceled.stderr));
    let after = done(&world, "c");
    assert!((10..120).contains(&after), "{after}");
    assert_eq!(slurm.jobs("RUNNING") + slurm.jobs("PENDING"), 0);
    let rest = run(&[]);
    assert!(rest.status.success(), "{}", String::from_utf8_lossy(&rest.stderr));
    assert!(pairs(&world, "c").iter().all(|pair| pair["attempt"] == 1));
    assert_eq!(done(&world, "c"), 120);
}

#[test]
fn adversaries_end_on_a_cluster_as_in_local_slots() {
    let Some(slurm) = Slurm::start(2) else { return };
    let world = World::new(AGON);
    trivial_library(&world.path().join("library"), 1);
    let programs = expected::Programs::compiled(world.path());
    let seen: Vec<&expected::Adversary> = expected::ALL
        .iter()
        // Some need a peer in the test or limits of their own; those with a known CPU time test its measurement, and on
        // a busy machine take longer than the wall-clock limit here.
        .filter(|adversary| {
            let elsewhere = ["connect", "abstract_socket", "use", "many_files", "fork_bomb"];
            let timed = ["file_locks", "open_file_locks", "many_sessions", "late_end"];
            let name = adversary.name;
            !elsewhere.contains(&name) && !timed.contains(&name) && adversary.uses_cpu.is_none()
        })
        .collect();
    for name in ["here", "there"] {
        world.ok(&["init", name, "--rules", "smtcomp-2019"]);
        let file = world.path().join(name).join("agon.toml");
        let limits = "\n[rules]\nrun_non_competitive = true\n[rules.tracks.single-query.limits]\nwall_s = 5\n\
                      memory_bytes = 209_715_200\ncores = 1\noutput_bytes = 100_000\n";
        fs::write(&file, fs::read_to_string(&file).unwrap() + limits).unwrap();
        world.ok(&["library", "add", "-C", name, "library"]);
        for adversary in &seen {
            let directory = world.path().join("adversaries").join(adversary.name.replace('_', "-"));
            fs::create_dir_all(directory.join("bin")).unwrap();
            fs::copy(programs.of(adversary), directory.join("bin/adversary")).unwrap();
            let description = format!(
                "name = '{0}'\nversion = '1'\nteam = '{0}'\n[commands]\nsingle-query = ['bin/adversary', '{1}', '{{benchmark}}']\n",
                adversary.name.replace('_', "-"),
                adversary.name
            );
            fs::write(directory.join("entrant.toml"), description).unwrap();
            world.ok(&["entrant", "add", "-C", name, directory.to_str().unwrap()]);
        }
        world.ok(&["seed", "-C", name, "--index", "1"]);
        world.ok(&["select", "-C", name]);
        world.ok(&["prepare", "-C", name]);
    }
    world.ok(&["run", "-C", "here", "--slots", "2"]);
    finish(&mut on_slurm(&world, &slurm, &["-C", "there", "--job-length", "10"]), &world.path().join("log"));
    for name in ["here", "there"] {
        let pairs = pairs(&world, name);
        assert_eq!(pairs.len(), seen.len());
        for adversary in &seen {
            let pair = pairs.iter().find(|pair| pair["solver"] == adversary.name.replace('_', "-")).unwrap();
            // Either time limit may be reached first: they are equal here.
            let limit = pair["limit"].as_str();
            let is_time = |limit: &str| limit == "wall" || limit == "cpu";
            let is_expected = match limit {
                Some("processes") if adversary.name == "orphan_storm" => true,
                None => adversary.limits.is_empty(),
                Some(limit) => {
                    adversary.limits.contains(&limit) || is_time(limit) && adversary.limits.iter().any(|l| is_time(l))
                }
            };
            assert!(is_expected, "{name}: {} ended at {limit:?}: {pair}", adversary.name);
            let ending = if adversary.ending < 0 { format!("signal {}", -adversary.ending) } else { "exit 0".into() };
            assert!(limit.is_some() || pair["ending"] == ending.as_str(), "{name}: {}: {pair}", adversary.name);
        }
    }
    let left = Command::new("pgrep").args(["-f", "bin/adversary"]).output().unwrap();
    assert!(left.stdout.is_empty(), "{}", String::from_utf8_lossy(&left.stdout));
}

#[test]
fn missing_slurm_commands_are_named() {
    let world = World::new(AGON);
    competition(&world, "c", 2);
    let mut command = world.command(&["run", "-C", "c", "--on", "slurm"]);
    let output = command.env("PATH", "/nonexistent").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    assert!(said.contains("Slurm's commands"), "{said}");
}
