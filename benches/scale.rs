//! Measures planning, queuing, sorting and recording of many pairs, and whether the time grows linearly.
//!
//! `cargo bench --bench scale` uses 10 million pairs (450,000 benchmarks and 22 entrants); a number after `--` replaces
//! that. It prints the time of each step, the time per pair, its ratio to the time per pair with a tenth of the pairs
//! (about 1 for a linear step), and the peak memory.

use agon_dispatch::{Priorities, RunOrder, sort};
use agon_domain::{
    BenchmarkPath, Digest, Ending, EntrantName, Limits, Logic, Outcome, PairId, Prepared, Status, Time, Track,
};
use agon_store::Store;
use std::fs;
use std::time::Instant;

const ENTRANTS: usize = 22;
/// The number of outcomes recorded in one transaction: as many as slots may hand over while the previous one commits.
const TOGETHER: usize = 64;

fn prepared(number: usize) -> Prepared {
    let division = format!("QF_D{}", number % 50);
    Prepared {
        benchmark: BenchmarkPath(format!("non-incremental/{division}/family-{}/b{number:06}.smt2", number % 997)),
        track: Track::SingleQuery,
        logic: Logic(division),
        digest: Digest::of(&number.to_le_bytes()),
        status: Status::Unknown,
    }
}

fn outcome(pair: PairId, limits: Limits) -> Outcome {
    let time = Time::from_nanos(pair.0.cast_unsigned() * 1_000_003 % 2_400_000_000_000);
    Outcome {
        pair,
        attempt: 1,
        reason: "first".into(),
        limits,
        started: 1_790_000_000,
        wall: time,
        cpu: time,
        system: Time::from_nanos(1),
        memory_bytes: Some(1 << 20),
        anonymous_bytes: Some(1 << 19),
        processes: Some(1),
        ending: Ending::Exit(0),
        limit: None,
        stdout: Digest::of(b"sat\n"),
        stderr: Digest::of(b""),
        host: "here".into(),
        isolation: "all".into(),
        surroundings: "{\"load\":1.0,\"swapped\":0,\"waited_cpu_s\":0.0}".into(),
        disturbance: None,
    }
}

/// The peak memory of this process so far, in megabytes.
fn most_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap() / 1024
}

/// Runs all steps with this many pairs; returns the seconds of each.
fn steps(pairs: usize) -> Vec<(&'static str, f64)> {
    let directory = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let mut store = Store::open(&directory.path().join("agon.db")).unwrap();
    let limits = Limits::new(Time::from_secs(2400), 60 << 30, 4);
    let benchmarks: Vec<Prepared> = (0..pairs.div_ceil(ENTRANTS)).map(prepared).collect();
    let entrants: Vec<(EntrantName, Digest)> =
        (0..ENTRANTS).map(|at| (format!("solver-{at:02}").parse().unwrap(), Digest::of(&at.to_le_bytes()))).collect();
    let ladders = benchmarks.iter().map(|one| (one.logic.clone(), vec![limits])).collect();
    let mut times = vec![];
    let mut timed = |name: &'static str, started: Instant| times.push((name, started.elapsed().as_secs_f64()));

    let start = Instant::now();
    store.set_prepared(Track::SingleQuery, &benchmarks, &[], &Digest::of(b"bench")).unwrap();
    timed("benchmarks stored", start);
    let start = Instant::now();
    let plan = (0..pairs).map(|at| (at % ENTRANTS, at / ENTRANTS));
    store.set_plan(Track::SingleQuery, &entrants, &benchmarks, plan.clone(), &ladders).unwrap();
    timed("planned", start);
    let start = Instant::now();
    store.set_plan(Track::SingleQuery, &entrants, &benchmarks, plan, &ladders).unwrap();
    timed("the same plan again", start);
    drop(benchmarks);
    let start = Instant::now();
    let mut queue = store.queue(Track::SingleQuery).unwrap();
    assert_eq!(queue.pending.len(), pairs);
    timed("queued", start);
    let start = Instant::now();
    sort(&mut queue, RunOrder::Longest, &Priorities::default(), limits.wall);
    timed("sorted", start);
    let start = Instant::now();
    for together in queue.pending.chunks(TOGETHER) {
        let outcomes: Vec<Outcome> = together.iter().map(|pending| outcome(pending.pair, limits)).collect();
        store.record(&outcomes, &[b"sat\n", b""], &[]).unwrap();
    }
    timed("recorded", start);
    let start = Instant::now();
    assert_eq!(store.progress(Track::SingleQuery).unwrap().done, pairs as u64);
    timed("counted", start);
    let start = Instant::now();
    assert!(store.queue(Track::SingleQuery).unwrap().pending.is_empty());
    timed("empty queue", start);
    times
}

fn main() {
    let numbers: Vec<usize> = std::env::args().filter_map(|word| word.parse().ok()).collect();
    let pairs = numbers.first().copied().unwrap_or(10_000_000);
    let small = steps(pairs / 10);
    let large = steps(pairs);
    println!("{pairs} pairs, {ENTRANTS} entrants");
    for ((name, small), (_, large)) in small.iter().zip(&large) {
        let ratio = large / small / 10.0;
        println!(
            "{name:26} {large:8.1} s  {:7.2} us per pair  {ratio:5.2} x that of a tenth",
            large * 1e6 / pairs as f64
        );
    }
    println!("peak memory: {} MB", most_memory());
}
