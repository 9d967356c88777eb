//! Solvers that misbehave, under `agon exec`: each ends as it should, leaves nothing, and reaches nobody.
//!
//! The programs are in `tests/adversaries/adversary.c`, what is expected of each in `tests/adversaries/expected.rs`.

#[path = "adversaries/expected.rs"]
mod expected;

use agon_testkit::World;
use expected::{ALL, Adversary, compiled};
use serde_json::Value;
use std::fs;
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::process::Command;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

/// Runs one, and gives what was measured and what it said.
fn exec(world: &World, program: &Path, adversary: &Adversary, argument: &str) -> (Value, String) {
    let Adversary { name, wall, cpu, memory, .. } = *adversary;
    let program = program.to_str().unwrap();
    let (wall, cpu, memory) = (wall.to_string(), cpu.to_string(), memory.to_string());
    let cores = if name == "other_cores" { "1" } else { "2" };
    let run = world.json(&[
        "exec",
        "--format",
        "json",
        "--wall",
        &wall,
        "--cpu",
        &cpu,
        "--memory",
        &memory,
        "--processes",
        "200",
        "--cores",
        cores,
        "--max-output",
        "100000",
        "--output",
        "said",
        "--stdin",
        "question",
        "--",
        program,
        name,
        argument,
    ]);
    (run, fs::read_to_string(world.path().join("said")).unwrap())
}

/// Processes that were started from this program.
fn survivors(program: &Path) -> usize {
    let output = Command::new("pgrep").arg("-f").arg(format!("^{}", program.display())).output().unwrap();
    String::from_utf8_lossy(&output.stdout).lines().count()
}

/// Runs all of a kind and checks everything that holds for all.
fn check(kind: &str) {
    let world = World::new(AGON);
    let program = compiled(world.path());
    let trial = world.json(&["exec", "--format", "json", "--", "true"]);
    if trial["isolation"]["read_only_files"] != true || trial["isolation"]["tree_memory"] != true {
        return agon_testkit::skipped("runs cannot be fully contained here");
    }
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    let hidden_name = format!("agon-adversary-{}-{kind}", std::process::id());
    let address = SocketAddr::from_abstract_name(hidden_name.as_bytes()).unwrap();
    let _abstract = UnixListener::bind_addr(&address).unwrap();
    let outside = world.path().display().to_string();
    let question = world.write("question", "(check-sat)\n");
    let mut seen = 0;
    for adversary in ALL.iter().filter(|adversary| adversary.kind == kind) {
        let argument = match adversary.name {
            "connect" => port.as_str(),
            "abstract_socket" => hidden_name.as_str(),
            "use" => "100",
            _ => outside.as_str(),
        };
        let (run, said) = exec(&world, &program, adversary, argument);
        let name = adversary.name;
        adversary
            .check(&run["limit"], &run["exit"], &run["signal"], &said)
            .unwrap_or_else(|why| panic!("{name}: {why}\n{run}"));
        if let Some(cpu) = adversary.uses_cpu {
            let used = run["cpu_s"].as_f64().unwrap();
            assert!((cpu * 0.98..cpu * 1.05 + 0.02).contains(&used), "{name}: {used} s of CPU time, not {cpu}");
        }
        if let Some(megabytes) = adversary.uses_memory {
            let used = run["memory_bytes"].as_u64().unwrap() as f64 / f64::from(1 << 20);
            assert!((megabytes * 0.98..megabytes * 1.02 + 0.5).contains(&used), "{name}: {used} MB, not {megabytes}");
        }
        if run["limit"] == "cpu" {
            let used = run["cpu_s"].as_f64().unwrap();
            assert!(
                (adversary.cpu..adversary.cpu + 0.5).contains(&used),
                "{name}: {used} s at a limit of {}",
                adversary.cpu
            );
        }
        if run["limit"] == "wall" {
            assert!(run["wall_s"].as_f64().unwrap() >= adversary.wall, "{name}: {run}");
        }
        assert_eq!(survivors(&program), 0, "{name} has survived");
        assert_eq!(run["survivors"], 0, "{name}");
        seen += 1;
    }
    assert!(seen > 0, "no adversary is of the kind {kind}");
    for folder in ["/tmp", "/var/tmp", "/dev/shm", "/etc", "/usr/local", "/run", &outside] {
        assert!(!Path::new(folder).join("agon-adversary").exists(), "a file was written to {folder}");
    }
    let segments = fs::read_to_string("/proc/sysvipc/shm").unwrap();
    assert!(!segments.contains(&0x4147.to_string()), "shared memory is left: {segments}");
    assert_eq!(fs::read_to_string(question).unwrap(), "(check-sat)\n");
    listener.set_nonblocking(true).unwrap();
    assert!(listener.accept().is_err(), "somebody has connected");
}

#[test]
fn those_that_use_more_time_than_they_may() {
    check("time");
}

#[test]
fn those_that_leave_processes_or_attack_others() {
    check("processes");
}

#[test]
fn those_that_use_more_memory_than_they_may() {
    check("memory");
}

#[test]
fn those_that_write_too_much() {
    check("output");
}

#[test]
fn those_that_want_out() {
    check("ways out");
}

#[test]
fn those_that_lie_about_their_end() {
    check("lies");
}

#[test]
fn every_behaviour_of_the_program_is_expected_to_do_something() {
    let source = include_str!("adversaries/adversary.c");
    let behaviours = source.split("IS(\"").skip(1).filter_map(|rest| rest.split_once('"')).map(|(name, _)| name);
    let mut known: Vec<&str> = ALL.iter().map(|adversary| adversary.name).collect();
    let mut written: Vec<&str> = behaviours.collect();
    known.sort_unstable();
    written.sort_unstable();
    assert_eq!(known, written);
    assert!(known.len() >= 33);
}
