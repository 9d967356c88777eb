//! Real processes under real limits, with and without control groups.

#![allow(clippy::print_stderr)] // a test tells its reader what it did not do

use agon_contain::{CgroupKind, ContainError, Ending, Host, Job, Limit, Limits, Measured};
use std::time::{Duration, Instant};

fn shell(script: &str) -> Job {
    Job {
        program: "/bin/sh".into(),
        arguments: vec!["-c".into(), script.into()],
        environment: vec![("PATH".into(), "/usr/bin:/bin".into())],
        folder: std::env::temp_dir(),
    }
}

fn run(host: &Host, script: &str, limits: &Limits) -> Measured {
    host.run(&shell(script), limits).unwrap()
}

fn limits() -> Limits {
    Limits { wall: Some(Duration::from_secs(20)), output: Some(1 << 20), ..Limits::default() }
}

fn both() -> [Host; 2] {
    [Host::probe(), Host::without_cgroups()]
}

#[test]
fn output_and_exit_code() {
    for host in both() {
        let run = run(&host, "echo sat; echo warning >&2; exit 3", &limits());
        assert_eq!(run.stdout, b"sat\n");
        assert_eq!(run.stderr, b"warning\n");
        assert_eq!(run.ending, Ending::Exit(3));
        assert_eq!(run.limit, None);
        assert_eq!(run.survivors, 0);
    }
}

#[test]
fn a_signal_is_not_an_exit() {
    for host in both() {
        assert_eq!(run(&host, "kill -SEGV $$", &limits()).ending, Ending::Signal(11));
    }
}

#[test]
fn r19_7_3_an_answer_before_the_wall_limit_is_kept() {
    for host in both() {
        let started = Instant::now();
        let run = run(&host, "echo unsat; sleep 60", &Limits { wall: Some(Duration::from_millis(300)), ..limits() });
        assert_eq!(run.limit, Some(Limit::Wall));
        assert_eq!(run.stdout, b"unsat\n");
        assert!(run.wall >= Duration::from_millis(300));
        assert!(started.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn cpu_of_the_whole_tree_counts() {
    let host = Host::probe();
    if !host.isolation().tree_cpu {
        eprintln!("skipped: this host counts no CPU time per control group");
        return;
    }
    let burn = "(while :; do :; done) & (while :; do :; done) & sleep 60";
    let run = run(&host, burn, &Limits { cpu: Some(Duration::from_millis(400)), ..limits() });
    assert_eq!(run.limit, Some(Limit::Cpu));
    assert!(run.cpu >= Duration::from_millis(400), "{:?}", run.cpu);
}

#[test]
fn memory_of_the_whole_tree_is_limited() {
    let host = Host::probe();
    if !host.isolation().tree_memory {
        eprintln!("skipped: this host limits no memory per control group");
        return;
    }
    let limit = 64 << 20;
    let hog = "head -c 300000000 /dev/zero | tail";
    let run = run(&host, hog, &Limits { memory: Some(limit), ..limits() });
    assert_eq!(run.limit, Some(Limit::Memory));
    assert!(run.memory.unwrap() <= limit);
}

#[test]
fn without_control_groups_address_space_is_limited() {
    let run = run(
        &Host::without_cgroups(),
        "head -c 300000000 /dev/zero | tail; echo done",
        &Limits { memory: Some(64 << 20), ..limits() },
    );
    assert!(run.memory.unwrap() < 64 << 20, "{:?}", run.memory);
}

#[test]
fn a_flood_is_cut() {
    for host in both() {
        let run = run(&host, "echo sat; yes", &Limits { output: Some(10_000), ..limits() });
        assert_eq!(run.limit, Some(Limit::Output));
        assert_eq!(run.stdout.len(), 10_000);
        assert!(run.stdout.starts_with(b"sat\n"));
    }
}

#[test]
fn nothing_survives_not_even_a_daemon() {
    let host = Host::probe();
    if !host.isolation().tree_kill {
        eprintln!("skipped: this host has no control groups");
        return;
    }
    let marker = format!("3{}.25", std::process::id());
    let run = run(&host, &format!("setsid sh -c 'sleep {marker} & sleep {marker}' & sleep 0.2; echo sat"), &limits());
    assert_eq!(run.ending, Ending::Exit(0));
    assert_eq!(run.stdout, b"sat\n");
    assert_eq!(run.survivors, 0);
    let running = std::process::Command::new("pgrep").args(["-f", &format!("^sleep {marker}")]).output();
    assert!(running.unwrap().stdout.is_empty());
}

#[test]
fn a_missing_program_is_no_run() {
    let job = Job { program: "/nonexistent/solver".into(), ..shell("") };
    let error = Host::probe().run(&job, &limits()).unwrap_err();
    assert!(matches!(&error, ContainError::Start(..)), "{error}");
    assert!(error.to_string().contains("/nonexistent/solver"));
}

#[test]
fn the_environment_is_what_was_given() {
    let mut job = shell("env");
    job.environment = vec![("STAREXEC_WALLCLOCK_LIMIT".into(), "5".into())];
    let run = Host::without_cgroups().run(&job, &limits()).unwrap();
    let text = String::from_utf8(run.stdout).unwrap();
    assert!(text.contains("STAREXEC_WALLCLOCK_LIMIT=5\n"));
    assert!(!text.contains("HOME="), "{text}");
}

#[test]
fn no_descriptor_of_ours_is_inherited() {
    let run = run(&Host::probe(), "ls /proc/self/fd", &limits());
    // Standard input, output and error, and the one that ls itself has open on the folder.
    assert_eq!(String::from_utf8(run.stdout).unwrap().split_whitespace().collect::<Vec<_>>(), ["0", "1", "2", "3"]);
}

#[test]
fn isolation_says_what_is_there() {
    let isolation = Host::without_cgroups().isolation();
    assert_eq!(isolation.cgroup, CgroupKind::None);
    assert!(!isolation.tree_kill && !isolation.tree_cpu && !isolation.tree_memory);
}
