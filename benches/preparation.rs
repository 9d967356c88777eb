//! Measures how fast benchmarks are scrambled, indexed and selected, compared with standard tools on the same files.
//!
//! `cargo bench --bench preparation` writes a QF_BV file of 100 MB and scrambles it (compared with `wc`); writes
//! 100,000 small benchmarks and indexes them (compared with `sha256sum`); and selects from a list of 450,000 (compared
//! with `sort`). Times are CPU times, user plus system; the best of three rounds in turn counts, except for indexing,
//! which runs once. A ratio of 5 means five times the peer's time. A number after `--` is the size of the large file in
//! megabytes.

use agon_testkit::random_numbers;
use agon_testkit::{from_debian, peer};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

const AGON: &str = env!("CARGO_BIN_EXE_agon");

fn main() {
    let size = std::env::args().skip(1).find_map(|word| word.parse::<usize>().ok()).unwrap_or(100) * 1_000_000;
    let directory = tempfile::tempdir().expect("a directory for the files");
    // GNU time measures Agon too.
    if peer(from_debian("time", "time")).is_none() {
        return;
    }
    scrambling(directory.path(), size);
    indexing(directory.path());
    selection(directory.path());
}

fn scrambling(directory: &Path, size: usize) {
    let file = directory.join("large.smt2");
    fs::write(&file, bit_vectors(size)).expect("enough disk space");
    let file = file.to_str().expect("a plain name");
    println!("scrambling a QF_BV file of {} MB", size / 1_000_000);
    let ours = |seed, extra: &'static [&'static str]| {
        let mut words = vec!["scramble", file, "--seed", seed, "--track", "single-query"];
        words.extend(extra);
        words
    };
    compare(
        (&["wc"], &[file]),
        &[
            ("agon, seed 0", ours("0", &[])),
            ("agon, seed 1", ours("1", &[])),
            ("agon, seed 1, compat", ours("1", &["--compat", "smtcomp"])),
        ],
    );
}

fn indexing(directory: &Path) {
    let library = directory.join("library");
    for family in 0..100 {
        let place = library.join(format!("non-incremental/QF_LIA/family{family:03}"));
        fs::create_dir_all(&place).expect("a directory");
        for at in 0..1000 {
            let number = family * 1000 + at;
            let script = format!(
                "(set-info :smt-lib-version 2.6)\n(set-logic QF_LIA)\n(set-info :source |generated, number {number}|)\n\
                 (set-info :status sat)\n(declare-fun x () Int)\n(declare-fun y () Int)\n(assert (< x {number}))\n\
                 (assert (> (+ x y) {at}))\n(check-sat)\n(exit)\n"
            );
            fs::write(place.join(format!("b{at:03}.smt2")), script).expect("enough disk space");
        }
    }
    println!("indexing 100,000 files of 200 bytes");
    let competition = directory.join("competition");
    let (competition, library) = (competition.to_str().expect("a plain name"), library.to_str().expect("a plain name"));
    let list = directory.join("files");
    let mut names = String::new();
    for family in 0..100 {
        for at in 0..1000 {
            let _ = writeln!(names, "{library}/non-incremental/QF_LIA/family{family:03}/b{at:03}.smt2");
        }
    }
    fs::write(&list, names).expect("enough disk space");
    let peer = format!("xargs sha256sum < {}", list.display());
    let init = ["init", competition, "--rules", "smtcomp-2019"];
    let again = ["library", "add", "-C", competition, library];
    assert!(Command::new(AGON).args(init).stderr(Stdio::null()).status().expect("agon").success());
    let peer_time = time(Command::new("sh").args(["-c", &peer]));
    let first = time(Command::new(AGON).args(again));
    let second = time(Command::new(AGON).args(again));
    report("sha256sum", peer_time, None);
    report("agon library add", first, Some(peer_time));
    report("agon library add, again", second, Some(peer_time));
}

fn selection(directory: &Path) {
    let mut list = String::new();
    for at in 0..450_000 {
        let _ = writeln!(list, "QF_L{}/family{}/b{at}.smt2", at % 80, at / 300);
    }
    let file = directory.join("list.txt");
    fs::write(&file, list).expect("enough disk space");
    println!("selecting from 450,000 benchmarks in 80 logics");
    let file = file.to_str().expect("a plain name");
    let words = vec!["select", "--rules", "smtcomp-2019", "--seed", "1", "--benchmarks", file];
    compare((&["sort"], &[file]), &[("agon select", words)]);
}

/// CPU seconds, wall-clock seconds, and peak memory in megabytes.
type Cost = (f64, f64, f64);

fn compare(peer: (&[&str; 1], &[&str]), ours: &[(&str, Vec<&str>)]) {
    let mut best: Vec<Option<Cost>> = vec![None; ours.len() + 1];
    for _ in 0..3 {
        let costs = std::iter::once(time(Command::new(peer.0[0]).args(peer.1)))
            .chain(ours.iter().map(|(_, words)| time(Command::new(AGON).args(words))))
            .collect::<Vec<_>>();
        for (best, cost) in best.iter_mut().zip(costs) {
            if best.is_none_or(|best| cost.0 < best.0) {
                *best = Some(cost);
            }
        }
    }
    let best: Vec<Cost> = best.into_iter().flatten().collect();
    report(peer.0[0], best[0], None);
    for ((name, _), cost) in ours.iter().zip(&best[1..]) {
        report(name, *cost, Some(best[0]));
    }
}

fn report(name: &str, (cpu, wall, memory): Cost, peer: Option<Cost>) {
    let ratio = peer.map_or(String::new(), |(peer, ..)| format!("{:6.1} times the CPU time", cpu / peer));
    println!("  {name:28} {cpu:7.2} s CPU {wall:7.2} s wall {memory:7.0} MB {ratio}");
}

/// Runs a command under GNU time.
fn time(command: &mut Command) -> Cost {
    let figures = tempfile::NamedTempFile::new().expect("a temporary file");
    let mut timed = Command::new("/usr/bin/time");
    timed.args(["-q", "-f", "%U %S %e %M", "-o"]).arg(figures.path());
    timed.arg(command.get_program()).args(command.get_args());
    let status = timed.stdout(Stdio::null()).stderr(Stdio::null()).status().expect("GNU time (Debian: time)");
    assert!(status.success(), "{command:?}");
    let text = fs::read_to_string(figures.path()).expect("the figures");
    let numbers: Vec<f64> = text.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    (numbers[0] + numbers[1], numbers[2], numbers[3] / 1024.0)
}

/// A script with 50,000 variables and as many assertions as fit, similar to the output of a bounded model checker.
fn bit_vectors(size: usize) -> Vec<u8> {
    const VARIABLES: u64 = 50_000;
    let mut draw = random_numbers();
    let mut text = b"(set-logic QF_BV)\n(set-info :status unknown)\n".to_vec();
    let variable =
        |number: u64| if number.is_multiple_of(10) { format!("|v{number}@0|") } else { format!("v{number}") };
    for number in 0..VARIABLES {
        let _ = writeln!(text, "(declare-fun {} () (_ BitVec 32))", variable(number));
    }
    let operators = ["bvadd", "bvmul", "bvand", "bvor", "bvxor", "bvsub", "bvshl"];
    while text.len() < size {
        let mut leaf = || match draw(5) {
            0 => format!("#x{:08x}", draw(1 << 32)),
            _ => variable(draw(VARIABLES)),
        };
        let leaves: Vec<String> = (0..10).map(|_| leaf()).collect();
        let mut operator = || operators[draw(7) as usize];
        let _ = writeln!(
            text,
            "(assert (let ((?a ({} ({} {} {}) ({} {} {}))) (?b ({} {} {}))) (or (bvult ?a {}) (= ({} {} {}) ?b) \
             (not (bvsle ?a {})))))",
            operator(),
            operator(),
            leaves[0],
            leaves[1],
            operator(),
            leaves[2],
            leaves[3],
            operator(),
            leaves[4],
            leaves[5],
            leaves[6],
            operator(),
            leaves[7],
            leaves[8],
            leaves[9],
        );
    }
    text.extend_from_slice(b"(check-sat)\n(exit)\n");
    text
}
