//! `agon exec`

use crate::cli::{ExecOptions, Format};
use crate::failure::{INTERRUPTED, Usage};
use crate::interrupt;
use crate::print::print_json;
use agon_contain::{ContainError, Ending, Host, Job, Limit, Limits, Measured};
use anyhow::Context;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

pub fn run(options: &ExecOptions) -> anyhow::Result<ExitCode> {
    let host = Host::probe();
    interrupt::listen(&host)?;
    let fresh = tempfile::tempdir()?;
    let folder = options.dir.as_deref().unwrap_or(fresh.path());
    let folder = folder.canonicalize().with_context(|| folder.display().to_string())?;
    let cores = Host::cores();
    let wanted = options.cores.unwrap_or(0);
    if wanted > cores.len() {
        return Err(Usage(format!("there are {} cores here, not {wanted}", cores.len())).into());
    }
    let (program, arguments) = options.command.split_first().ok_or_else(|| Usage("there is no command".into()))?;
    let job = Job {
        program: found(program)?,
        arguments: arguments.to_vec(),
        environment: std::env::vars_os().collect(),
        folder: folder.clone(),
        writable: folder,
        cores: cores[..wanted].to_vec(),
        stdin: options.stdin.clone(),
        network: options.network,
    };
    let limits = Limits {
        wall: options.wall.map(Duration::from_secs_f64),
        cpu: options.cpu.map(Duration::from_secs_f64),
        memory: options.memory,
        output: Some(options.max_output),
        processes: Some(options.processes),
    };
    let measured = match host.run(&job, &limits) {
        Err(ContainError::Interrupted) => return Ok(ExitCode::from(INTERRUPTED)),
        measured => measured?,
    };
    match &options.output {
        Some(file) => std::fs::write(file, &measured.stdout).with_context(|| file.display().to_string())?,
        None if options.format == Format::Text => io::stdout().write_all(&measured.stdout)?,
        None => {}
    }
    if options.format == Format::Text {
        io::stderr().write_all(&measured.stderr)?;
        tell(&measured);
    } else {
        print_json(&facts(&measured))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The program with its folder: a name alone is looked for on the search path, before the walls go up.
fn found(program: &OsString) -> anyhow::Result<PathBuf> {
    let path = PathBuf::from(program);
    if path.components().count() > 1 {
        return Ok(std::path::absolute(&path)?);
    }
    let search = std::env::var_os("PATH").unwrap_or_default();
    let places = std::env::split_paths(&search).map(|folder| folder.join(&path));
    let found = places.into_iter().find(|file| file.is_file());
    found.ok_or_else(|| Usage(format!("no program '{}' is on the search path", path.display())).into())
}

fn facts(measured: &Measured) -> Value {
    let (exit, signal) = match measured.ending {
        Ending::Exit(code) => (Some(code), None),
        Ending::Signal(signal) => (None, Some(signal)),
    };
    json!({
        "exit": exit,
        "signal": signal,
        "limit": limit(measured),
        "wall_s": measured.wall.as_secs_f64(),
        "cpu_s": measured.cpu.as_secs_f64(),
        "memory_bytes": measured.memory,
        "processes": measured.processes,
        "isolation": measured.isolation,
        // A run with survivors is an error, not a result.
        "survivors": 0,
    })
}

/// The limit that was felt: the one that ended the run, or that of processes.
fn limit(measured: &Measured) -> Option<&'static str> {
    match measured.limit {
        Some(Limit::Wall) => Some("wall"),
        Some(Limit::Cpu) => Some("cpu"),
        Some(Limit::Memory) => Some("memory"),
        Some(Limit::Output) => Some("output"),
        None => (measured.refused_processes > 0).then_some("processes"),
    }
}

fn tell(measured: &Measured) {
    let ending = match measured.ending {
        Ending::Exit(code) => format!("exit code {code}"),
        Ending::Signal(signal) => format!("signal {signal}"),
    };
    let limit = limit(measured).map_or(String::new(), |limit| format!(", {limit} limit"));
    let megabytes = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
    say!("agon: {ending}{limit}");
    say!(
        "agon: {:.3} s, {:.3} s of CPU time, {} of memory, {} processes at most",
        measured.wall.as_secs_f64(),
        measured.cpu.as_secs_f64(),
        measured.memory.map_or("an unknown amount".into(), megabytes),
        measured.processes.map_or("an unknown number of".into(), |count| count.to_string()),
    );
    say!("agon: {}", measured.isolation);
}
