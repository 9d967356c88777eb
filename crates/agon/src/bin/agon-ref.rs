//! `agon-ref`: the reference solver as a program. It reads a file, or stdin command by command.

use agon_reference::Session;
use std::fs::File;
use std::io::{self, BufReader};
use std::process::ExitCode;

/// Terms are encoded recursively; this is enough for the maximum depth.
const STACK: usize = 1 << 30;

const HELP: &str =
    "A small, sound solver: propositional logic, bit-vectors, uninterpreted functions and sorts, arrays over
these; 'unknown' for everything else. It prints models and unsat cores.

Usage: agon-ref [FILE]

Reads FILE, or standard input command by command.

Example:
  agon-ref file.smt2";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("--help" | "-h") => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Some("--version" | "-V") => {
            println!("agon-ref {}", env!("CARGO_PKG_VERSION"));
            return ExitCode::SUCCESS;
        }
        Some(word) if word.len() > 1 && word.starts_with('-') || arguments.len() > 1 => {
            eprintln!("agon-ref: unexpected argument '{word}': pass at most one file\n\n{HELP}");
            return ExitCode::from(2);
        }
        _ => {}
    }
    let work = move || -> io::Result<()> {
        let mut session = Session::new(io::stdout());
        match arguments.first().map(String::as_str) {
            None | Some("-") => session.run(io::stdin()),
            Some(file) => session.run(BufReader::new(File::open(file)?)),
        }
    };
    let done = std::thread::Builder::new().stack_size(STACK).spawn(work).map(std::thread::JoinHandle::join);
    match done {
        Ok(Ok(Ok(()))) => ExitCode::SUCCESS,
        Ok(Ok(Err(error))) => {
            eprintln!("agon-ref: {error}");
            ExitCode::FAILURE
        }
        _ => ExitCode::FAILURE,
    }
}
