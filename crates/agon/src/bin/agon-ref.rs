//! `agon-ref`: the reference solver as a program. It reads a file, or standard input command by command.

use agon_reference::Session;
use std::fs::File;
use std::io::{self, BufReader};
use std::process::ExitCode;

/// Terms are taken apart by calls, up to a depth that this is enough for.
const STACK: usize = 1 << 30;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
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
