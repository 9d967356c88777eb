//! Compares how `agon exec` and BenchExec's `runexec` contain programs that misbehave.
//!
//! `cargo bench --bench adversaries` needs root, a C compiler and Python, with which it installs BenchExec. It prints
//! each program that one of the tools does not contain as expected, and the number of programs that each tool contains.

#[path = "../tests/adversaries/expected.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod expected;
#[path = "../tests/adversaries/place.rs"]
#[allow(dead_code, reason = "the tests use the rest")]
mod place;

use agon_testkit::{from_pypi, peer};
use expected::{ALL, Adversary};
use place::{Place, Who};
use serde_json::{Value, json};
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::process::Command;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

/// Checks that a program ends as expected; the error states how it ended instead.
fn under_agon(place: &Place, who: Who, adversary: &Adversary) -> Result<(), String> {
    let ran = catch_unwind(AssertUnwindSafe(|| place.exec(who, adversary)));
    let (run, said) = ran.map_err(|_| "no outcome".to_owned())?;
    adversary.check(&run["limit"], &run["exit"], &run["signal"], &said)
}

fn under_runexec(place: &Place, runexec: &Path, adversary: &Adversary) -> Result<(), String> {
    let said = place.path("said/runexec");
    let mut words = place.start(Who::Us, adversary);
    words.extend([runexec.display().to_string(), "--read-only-dir=/".into(), "--hidden-dir=/home".into()]);
    // runexec accepts whole seconds only.
    let (cpu, wall) = (adversary.cpu.ceil(), adversary.wall.ceil());
    words.extend([format!("--timelimit={cpu}"), format!("--walltimelimit={wall}")]);
    words.extend([format!("--memlimit={}", adversary.memory), format!("--output={said}"), "--cores=0-1".into()]);
    // The program is in /tmp, which runexec hides.
    words.extend([format!("--input={}", place.path("question")), format!("--read-only-dir={}", place.path(""))]);
    if adversary.name == "mounted_twice" {
        words.push(format!("--hidden-dir={}", place.path("hidden")));
    }
    words.extend(["--".into(), place.program(adversary), adversary.name.into(), place.argument(adversary)]);
    let output =
        Command::new(&words[0]).args(&words[1..]).current_dir("/").output().map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let fact = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix('='));
    if !output.status.success() || fact("walltime").is_none() {
        return Err("no outcome".into());
    }
    let limit = match fact("terminationreason") {
        Some("walltime") => json!("wall"),
        Some("cputime" | "cputime-soft") => json!("cpu"),
        Some("memory") => json!("memory"),
        Some(other) => json!(other),
        None => Value::Null,
    };
    let number = |key: &str| fact(key).and_then(|value| value.parse::<i64>().ok()).map_or(Value::Null, Value::from);
    let (exit, signal) = (number("returnvalue"), number("exitsignal"));
    // The file starts with a header: the command line and some empty lines.
    let said = String::from_utf8_lossy(&fs::read(&said).unwrap_or_default()).into_owned();
    let said = said.splitn(7, '\n').nth(6).unwrap_or_default().to_owned();
    adversary.check(&limit, &exit, &signal, &said)
}

fn main() {
    let runexec = peer(from_pypi(AGON, "benchexec", "runexec"));
    let (mut root, mut user) = (Place::new(Who::Us), Place::new(Who::Nobody));
    let mut right = [0; 3];
    // With the argument `runexec`, Agon is left out.
    let is_asked = !std::env::args().any(|word| word == "runexec");
    let agon =
        |place: &Place, who, adversary: &Adversary| if is_asked { under_agon(place, who, adversary) } else { Ok(()) };
    for adversary in &ALL {
        let mut results = [
            agon(&root, Who::Us, adversary),
            agon(&user, Who::Nobody, adversary),
            match &runexec {
                Some(runexec) => under_runexec(&root, runexec, adversary),
                None => Err("not measured".into()),
            },
        ];
        for (place, result) in [(&mut root, 2), (&mut user, 1)] {
            if !place.is_untouched() {
                results[result] = Err("it reached something outside".into());
                place.restore();
            }
        }
        for (right, result) in right.iter_mut().zip(&results) {
            *right += usize::from(result.is_ok());
        }
        if results.iter().any(Result::is_err) {
            println!("{}", adversary.name);
            for (who, result) in ["agon as root", "agon as an ordinary user", "runexec as root"].iter().zip(&results) {
                println!("    {who:26}{}", result.as_ref().err().map_or("as expected", String::as_str));
            }
        }
        assert_eq!(root.survivors() + user.survivors(), 0, "{} survived", adversary.name);
    }
    let all = ALL.len();
    println!(
        "as expected, of {all}: agon as root {}, as an ordinary user {}, runexec {}",
        right[0], right[1], right[2]
    );
}
