//! Measures how fast scripts are parsed and checked, compared with other parsers on the same files.
//!
//! `cargo bench --bench front_end` writes two files of 100 MB (one deep term with `let`s; many small commands), reads
//! each with every parser, and prints megabytes per second of CPU time, peak memory, and how many times as fast Agon
//! is. Crates that only parse are compared with splitting into commands and tokens; solvers, which also check sorts,
//! are compared with `agon check`, and are fetched by Agon. A number after `--` is the size in megabytes.

use agon_smtlib::{Lexer, Piece, Splitter};
use agon_testkit::{MissingPeer, fetched, peer};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

fn main() {
    let size = std::env::args().skip(1).find_map(|word| word.parse::<usize>().ok()).unwrap_or(100) * 1_000_000;
    let directory = std::env::temp_dir().join(format!("agon-front-end-{}", std::process::id()));
    fs::create_dir_all(&directory).expect("a directory for the files");
    let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/peers");
    let built = Command::new("cargo").args(["build", "--release", "--quiet"]).current_dir(&peers).status();
    let crates = "yaspar, smt2parser, smtlib-lowlevel";
    let peers = peer(match built {
        Ok(status) if status.success() => Ok(peers.join("target/release/peers")),
        _ => Err(MissingPeer::new(crates, "'cargo build' in benches/peers failed; it needs crates from the registry")),
    });
    let solvers = ["z3", "cvc5"].map(|solver| (solver, peer(fetched(AGON, solver))));
    for (name, text) in [("deep", deep(size)), ("commands", commands(size))] {
        let file = directory.join(format!("{name}.smt2"));
        fs::write(&file, &text).expect("enough disk space");
        println!("{name}: {:.0} MB", text.len() as f64 / 1e6);
        let reading = tokens(&file);
        println!("  {:28} {reading:8.1} MB/s", "agon, tokens and commands");
        if let Some(peers) = &peers {
            for peer in ["yaspar", "smt2parser", "smtlib-lowlevel"] {
                measured(peers, &[peer, file.to_str().unwrap()], text.len(), peer, reading);
            }
        }
        let checking =
            measured(Path::new(AGON), &["check", "-j1", file.to_str().unwrap()], text.len(), "agon check", f64::NAN);
        for (solver, program) in &solvers {
            let Some(program) = program else { continue };
            measured(program, &[file.to_str().unwrap()], text.len(), solver, checking);
        }
    }
    small_files(&directory);
    let _ = fs::remove_dir_all(directory);
}

/// Splits a file into commands and tokens; returns megabytes per second.
fn tokens(file: &Path) -> f64 {
    let started = Instant::now();
    let mut splitter = Splitter::new(File::open(file).expect("the file"));
    let (mut count, mut bytes) = (0_u64, 0_usize);
    while let Some(piece) = splitter.next_piece().expect("a readable file") {
        let Piece::Command(text, _) = piece else { panic!("the files are well-formed") };
        bytes += text.len();
        let mut lexer = Lexer::new(text);
        while lexer.next_token().expect("tokens").is_some() {
            count += 1;
        }
    }
    assert!(count > 0);
    bytes as f64 / 1e6 / started.elapsed().as_secs_f64()
}

/// Runs a parser; returns its megabytes per second of CPU time.
fn measured(program: &Path, words: &[&str], bytes: usize, name: &str, ours: f64) -> f64 {
    let child = Command::new(program).args(words).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let Ok(mut child) = child else {
        println!("  {name:28}        - (not installed)");
        return f64::NAN;
    };
    let mut usage = (0.0, 0);
    let ended = loop {
        // Polls, because the counters are no longer available once the process is reaped; the last poll is close to the
        // end.
        if let Some(now) = processor_time(child.id()) {
            usage = now;
        }
        if let Some(status) = child.try_wait().expect("a child") {
            break status;
        }
        std::thread::sleep(std::time::Duration::from_millis(2));
    };
    let speed = bytes as f64 / 1e6 / usage.0;
    let ratio = if ours.is_nan() { String::new() } else { format!(", agon is {:.1} times as fast", ours / speed) };
    let failed = if ended.success() { "" } else { " (it failed)" };
    println!("  {name:28} {speed:8.1} MB/s, {:5} MB{ratio}{failed}", usage.1 / 1000);
    speed
}

/// CPU seconds and peak memory in kB of a running process.
fn processor_time(process: u32) -> Option<(f64, u64)> {
    let stat = fs::read_to_string(format!("/proc/{process}/stat")).ok()?;
    let fields: Vec<&str> = stat.rsplit_once(") ")?.1.split(' ').collect();
    let ticks: f64 = fields[11].parse::<f64>().ok()? + fields[12].parse::<f64>().ok()?;
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some((ticks / 100.0, peak.trim().trim_end_matches(" kB").parse().ok()?))
}

/// Measures how many small files one thread checks per second.
fn small_files(directory: &Path) {
    let mut paths: Vec<PathBuf> = vec![];
    for at in 0..20_000 {
        let path = directory.join(format!("{at}.smt2"));
        let script = format!(
            "(set-logic QF_LIA)\n(set-info :status sat)\n(declare-fun x () Int)\n(declare-fun y () Int)\n(assert (and (< x {at}) (> (+ x y) 3) (not (= x (* 2 y)))))\n(check-sat)\n(exit)\n"
        );
        fs::write(&path, script).expect("enough disk space");
        paths.push(path);
    }
    let started = Instant::now();
    let status = Command::new(AGON).args(["check", "-j1", "--quiet"]).args(&paths).stderr(Stdio::null()).status();
    assert!(status.expect("agon").success());
    println!("small files: {:.0} per second on one core", paths.len() as f64 / started.elapsed().as_secs_f64());
}

/// A script with one assertion, a chain of `let`s.
fn deep(size: usize) -> String {
    let mut script = "(set-logic QF_BV)\n".to_owned();
    for at in 0..200 {
        let _ = writeln!(script, "(declare-fun x{at} () (_ BitVec 32))");
    }
    script += "(assert ";
    let operators = ["bvadd", "bvmul", "bvand", "bvor", "bvxor", "bvshl"];
    let mut count = 0_usize;
    let mut state = 1_usize;
    while script.len() < size {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let one =
            if count > 0 { format!("?v_{}", count - 1 - (state >> 40) % count.min(100)) } else { "x0".to_owned() };
        let other = format!("x{}", (state >> 33) % 200);
        let operator = operators[(state >> 50) % operators.len()];
        let _ = write!(
            script,
            "(let ((?v_{count} ({operator} {one} (bvadd {other} ((_ extract 31 0) (concat {one} #x0000000{}))))))\n ",
            count % 10
        );
        count += 1;
    }
    let _ = writeln!(script, "(= ?v_{} x0){})", count - 1, ")".repeat(count));
    script
}

/// A script of many small commands.
fn commands(size: usize) -> String {
    let mut script = "(set-logic QF_UFLIA)\n(declare-fun f (Int Int) Int)\n".to_owned();
    for at in 0..500 {
        let _ = writeln!(script, "(declare-fun x{at} () Int)");
    }
    let mut state = 1_usize;
    while script.len() < size {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let [a, b, c] = [20, 32, 44].map(|shift| (state >> shift) % 500);
        let _ = writeln!(
            script,
            "(assert (or (<= (+ x{a} (* 3 x{b}) (- {a})) (f x{c} (- x{a} x{b}))) (not (= x{a} (ite (< x{b} x{c}) x{a} (+ x{c} 1))))))"
        );
    }
    script
}
