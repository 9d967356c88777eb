//! Measures the cost of one contained run of `/bin/true`: Agon, its peers, and a C program with the same system calls.
//!
//! `cargo bench --bench contained_runs` runs them in turn and prints milliseconds per run and ratios. It needs root, a
//! C compiler, `runlim` and `bwrap` (Debian: runlim, bubblewrap) and Python, with which it installs BenchExec.
//!
//! Called with a number N, the program itself makes N contained runs in one process, as `agon run` does.

use agon_contain::{Host, Job, Limits};
use agon_testkit::{Cost, compiled, from_debian, from_pypi, peer};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const AGON: &str = env!("CARGO_BIN_EXE_agon");
const ROUNDS: usize = 5;
const RUNS: usize = 100;
/// Runs of a slow tool, which takes a fifth of a second for each.
const FEW: usize = 10;

fn ours(runs: usize) {
    let host = Host::probe().expect("runs can be confined here");
    let limits = Limits {
        wall: Some(Duration::from_secs(10)),
        cpu: Some(Duration::from_secs(10)),
        memory: Some(1_000_000_000),
        output: Some(1 << 20),
        processes: Some(4096),
        ..Limits::default()
    };
    for _ in 0..runs {
        let work = host.fresh(Path::new(""), &[], &[]).unwrap();
        let job = Job::new("/bin/true", &work);
        host.run(&job, &limits).unwrap();
    }
}

/// The name of the peer that makes the same system calls.
const IN_C: &str = "the same calls in C";

/// Compiles the C program and returns its command line, with the control groups that this process uses.
fn bare_runner() -> Option<Vec<String>> {
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/../../benches/peers/bare_runner.c");
    let program = Path::new(AGON).with_file_name("bare_runner");
    let program = peer(compiled("the same calls in C", Path::new(source), &program))?;
    let own = fs::read_to_string("/proc/self/cgroup").unwrap();
    let group = |controller: &str| {
        let line = own.lines().find(|line| line.split(':').nth(1) == Some(controller));
        let path = line.map(|line| line.rsplit(':').next().unwrap().trim_start_matches('/'));
        let directory = PathBuf::from("/sys/fs/cgroup").join(controller).join(path?);
        directory.is_dir().then(|| directory.display().to_string())
    };
    let unified =
        ["/sys/fs/cgroup/unified/agon", "/sys/fs/cgroup/agon"].iter().find(|directory| Path::new(directory).is_dir());
    let mut words = vec![program.display().to_string(), RUNS.to_string()];
    words.push(unified.map_or("-".into(), |directory| (*directory).to_owned()));
    words.extend(["memory", "cpu", "pids"].map(|controller| group(controller).unwrap_or("-".into())));
    words.push("/bin/true".into());
    Some(words)
}

fn main() {
    let numbers: Vec<usize> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    if let [runs] = numbers[..] {
        return ours(runs);
    }
    let this = std::env::current_exe().unwrap().display().to_string();
    let each = |count: usize, command: &str| -> Vec<String> {
        let script = format!("i=0; while [ $i -lt {count} ]; do {command} >/dev/null || exit 1; i=$((i+1)); done");
        vec!["sh".into(), "-c".into(), script]
    };
    let limits = "--timelimit 10 --walltimelimit 10 --memlimit 1GB --output /dev/null";
    let bwrap = "bwrap --ro-bind / / --dev /dev --proc /proc --tmpfs /tmp --unshare-all --die-with-parent /bin/true";
    let exec = format!("{AGON} exec --wall 10 --cpu 10 --memory 1G --format json -- /bin/true");
    let mut tools: Vec<(&str, usize, Vec<String>)> =
        vec![("agon, many in one process", RUNS, vec![this, RUNS.to_string()])];
    tools.extend(bare_runner().map(|words| (IN_C, RUNS, words)));
    tools.push(("agon exec", RUNS, each(RUNS, &exec)));
    tools.push(("plain shell", RUNS, each(RUNS, "/bin/true")));
    if peer(from_debian("bwrap", "bubblewrap")).is_some() {
        tools.push(("bwrap", RUNS, each(RUNS, bwrap)));
    }
    if peer(from_debian("runlim", "runlim")).is_some() {
        tools.push(("runlim", RUNS, each(RUNS, "runlim -t 10 -r 10 -s 1000 -o /dev/null /bin/true")));
    }
    if let Some(runexec) = peer(from_pypi(AGON, "benchexec", "runexec")) {
        let runexec = runexec.display();
        let outside = format!("{runexec} --no-container {limits} -- /bin/true");
        let inside = format!("{runexec} --read-only-dir / --hidden-dir /home {limits} -- /bin/true");
        tools.push(("runexec --no-container", FEW, each(FEW, &outside)));
        tools.push(("runexec in a container", FEW, each(FEW, &inside)));
    }
    let mut costs = vec![vec![]; tools.len()];
    for _ in 0..ROUNDS {
        for ((_, _, words), costs) in tools.iter().zip(&mut costs) {
            costs.push(Cost::of(Command::new(&words[0]).args(&words[1..])));
        }
    }
    println!("runs of /bin/true, best of {ROUNDS} rounds in turn");
    let per_run: Vec<(f64, f64)> = tools
        .iter()
        .zip(&costs)
        .map(|((_, runs, _), costs)| {
            let best = Cost::best(costs);
            (best.wall_s * 1000.0 / *runs as f64, best.cpu_ms / *runs as f64)
        })
        .collect();
    for ((name, ..), (wall, cpu)) in tools.iter().zip(&per_run) {
        println!("{name:26} {wall:8.2} ms  {cpu:8.2} ms CPU  {:6.2} x the CPU of agon", cpu / per_run[0].1);
    }
    if let Some(at) = tools.iter().position(|(name, ..)| *name == IN_C) {
        println!("agon is at {:.2} times the same calls in C", per_run[0].1 / per_run[at].1);
    }
}
