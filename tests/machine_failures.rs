//! Failures of the machine: full and read-only disks, clock jumps, reused process ids, many leftover files. Agon
//! survives them or stops with a clear error, and loses nothing.

use agon_testkit::{World, fake_solver, trivial_library};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

const ANSWER: &str = "grep -q 'assert false' $1 && echo unsat || echo sat";

/// Sets up a competition in the directory `c`, ready to run.
fn ready(world: &World, benchmarks: usize, script: &str) {
    trivial_library(&world.path().join("library"), benchmarks);
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    let limits = "\n[rules.tracks.single-query.limits]\nwall_s = 20\nmemory_bytes = 500_000_000\ncores = 1\n";
    let file = world.path().join("c/agon.toml");
    fs::write(&file, fs::read_to_string(&file).unwrap() + limits).unwrap();
    world.ok(&["library", "add", "-C", "c", "library"]);
    for name in ["a", "b"] {
        let directory = fake_solver(&world.path().join("solvers"), name, name, script);
        world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    }
    world.steps(&["seed --index 1", "select", "prepare"]);
}

/// Whether every pair has exactly one outcome.
fn is_done_once(world: &World) -> bool {
    let pairs = world.json(&["status", "-C", "c", "--pairs", "--format", "json"]);
    pairs.as_array().unwrap().iter().all(|pair| pair["attempt"] == 1)
}

/// A small file system, mounted on a directory and unmounted on drop.
struct Mount<'a>(&'a Path);

impl<'a> Mount<'a> {
    fn new(directory: &'a Path, options: &str) -> Option<Self> {
        fs::create_dir_all(directory).unwrap();
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", options, "none"]).arg(directory).output();
        if mount.is_ok_and(|output| output.status.success()) {
            return Some(Self(directory));
        }
        agon_testkit::skipped("file systems cannot be mounted here");
        None
    }

    fn again(&self, options: &str) {
        let status = Command::new("mount").args(["-o", &format!("remount,{options}")]).arg(self.0).status();
        assert!(status.unwrap().success());
    }
}

impl Drop for Mount<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.0).status();
    }
}

#[test]
fn a_full_disk_stops_the_run_and_nothing_is_lost() {
    let world = World::new(AGON);
    let directory = world.path().join("c");
    let Some(disk) = Mount::new(&directory, "size=3m") else { return };
    // Outputs that are all different and hardly compressible.
    ready(&world, 20, &format!("head -c 300000 /dev/urandom | base64 -w0 >&2; {ANSWER}"));
    let output = world.run(&["run", "-C", "c"]);
    assert_eq!(output.code, 3, "{}", output.stderr);
    assert!(output.stderr.contains("no space left"), "{}", output.stderr);
    disk.again("size=200m");
    world.ok(&["run", "-C", "c"]);
    assert!(is_done_once(&world));
}

#[test]
fn a_read_only_directory_is_a_clear_error() {
    let world = World::new(AGON);
    let directory = world.path().join("c");
    let Some(disk) = Mount::new(&directory, "size=50m") else { return };
    ready(&world, 4, ANSWER);
    disk.again("ro");
    let output = world.run(&["run", "-C", "c"]);
    assert_eq!(output.code, 3, "{}", output.stderr);
    assert!(output.stderr.to_lowercase().contains("read-only"), "{}", output.stderr);
    disk.again("rw");
    world.ok(&["run", "-C", "c"]);
    assert!(is_done_once(&world));
}

#[test]
fn clock_jumps_do_not_change_measurements() {
    let world = World::new(AGON);
    // Every reading of the real-time clock jumps an hour forward or back.
    let source = world.write(
        "jump.c",
        "#define _GNU_SOURCE\n#include <dlfcn.h>\n#include <time.h>\n\
         int clock_gettime(clockid_t clock, struct timespec *time) {\n\
           static int (*real)(clockid_t, struct timespec *), jumps;\n\
           if (!real) *(void **)&real = dlsym(RTLD_NEXT, \"clock_gettime\");\n\
           int result = real(clock, time);\n\
           if (clock == CLOCK_REALTIME) time->tv_sec += ++jumps % 2 ? 3600 : -3600;\n\
           return result;\n}\n",
    );
    let library = world.path().join("jump.so");
    let compiled = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(source).arg("-ldl").status();
    assert!(compiled.unwrap().success());
    let mut command = world.command(&["exec", "--wall", "0.7", "--format", "json", "--", "sleep", "30"]);
    let output = command.env("LD_PRELOAD", &library).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let run: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(run["limit"], "wall");
    let wall = run["wall_s"].as_f64().unwrap();
    assert!((0.7..30.0).contains(&wall), "{wall}");
}

#[test]
fn reused_pids_do_not_affect_a_run() {
    let world = World::new(AGON);
    let last = "/proc/sys/kernel/ns_last_pid";
    let most: u32 = fs::read_to_string("/proc/sys/kernel/pid_max").unwrap().trim().parse().unwrap();
    for round in 0..10 {
        if fs::write(last, (most - 2 - round % 5).to_string()).is_err() {
            return agon_testkit::skipped("process ids cannot be set here");
        }
        let run =
            world.json(&["exec", "--wall", "20", "--format", "json", "--", "sh", "-c", "sleep 0.01 & wait; exit 7"]);
        assert_eq!((&run["exit"], &run["survivors"]), (&7.into(), &0.into()), "{run}");
    }
}

#[test]
fn a_hundred_thousand_leftover_files_are_removed() {
    let world = World::new(AGON);
    ready(&world, 2, ANSWER);
    let left = world.path().join("tmp/agon-run-4711-0");
    fs::create_dir_all(&left).unwrap();
    for number in 0..100_000 {
        fs::write(left.join(number.to_string()), "").unwrap();
    }
    let output = world.command(&["run", "-C", "c"]).env("TMPDIR", world.path().join("tmp")).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(!left.exists());
    assert!(is_done_once(&world));
}

/// A control group that limits processes, removed on drop.
struct Pids(std::path::PathBuf);

impl Pids {
    fn new() -> Option<Self> {
        let directory = Path::new("/sys/fs/cgroup/pids").join(format!("trouble-{}", std::process::id()));
        if fs::create_dir(&directory).is_err() {
            agon_testkit::skipped("the pids controller of cgroup v1 is not available");
            return None;
        }
        Some(Self(directory))
    }

    fn limit(&self, most: &str) {
        fs::write(self.0.join("pids.max"), most).unwrap();
    }
}

impl Drop for Pids {
    fn drop(&mut self) {
        let gone = || fs::remove_dir(&self.0).is_ok();
        (0..50).any(|_| gone() || (std::thread::sleep(Duration::from_millis(100)), false).1);
    }
}

#[test]
fn a_machine_failure_is_retried_and_not_blamed_on_the_solver() {
    let world = World::new(AGON);
    let Some(pids) = Pids::new() else { return };
    // A unique duration, so that the solver of another test is not mistaken for this one.
    ready(&world, 2, &format!("sleep 2.0625; {ANSWER}"));
    let join = format!("echo $$ > {}/cgroup.procs; exec \"$@\"", pids.0.display());
    let mut command = Command::new("sh");
    command.args(["-c", &join, "sh", AGON, "run", "-C", "c", "--slots", "1"]).current_dir(world.path());
    let mut run = command.stderr(fs::File::create(world.path().join("log")).unwrap()).spawn().unwrap();
    let is_running = || {
        let found = Command::new("pgrep").args(["-f", "^sleep 2.0625$"]).output().unwrap();
        !found.stdout.is_empty()
    };
    assert!((0..300).any(|_| is_running() || (std::thread::sleep(Duration::from_millis(50)), false).1));
    // No new processes while the first pair runs: long enough for the next pair to fail, too short for agon to give up.
    pids.limit("1");
    std::thread::sleep(Duration::from_millis(2600));
    pids.limit("max");
    let status = run.wait().unwrap();
    assert!(status.success(), "{}", fs::read_to_string(world.path().join("log")).unwrap());
    let pairs = world.json(&["status", "-C", "c", "--pairs", "--format", "json"]);
    let again: Vec<_> = pairs.as_array().unwrap().iter().filter(|pair| pair["attempt"].as_u64() > Some(1)).collect();
    assert!(!again.is_empty(), "{pairs}");
    assert!(again[0]["reason"].as_str().unwrap().contains("a machine failure"), "{pairs}");
    world.ok(&["judge", "-C", "c"]);
    let judged = world.json(&["status", "-C", "c", "--pairs", "--format", "json"]);
    assert!(judged.as_array().unwrap().iter().all(|pair| pair["state"] == "solved"), "{judged}");
}
