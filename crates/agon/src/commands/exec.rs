//! `agon exec`

use crate::cli::{ExecFormat, ExecOptions};
use crate::failure::Usage;
use crate::interrupt;
use crate::machine::{host_for_one_run, is_unconfined};
use crate::print::print_json;
use agon_competition::{REMEDY, Source, StepError, counted};
use agon_contain::{ContainError, Ending, Host, Job, Limit, Limits, Measured, Named, Work, needed_by};
use agon_dispatch::{Layout, starexec_limits};
use anyhow::Context;
use serde_json::{Value, json};
use std::ffi::{OsStr, OsString};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

pub fn run(options: &ExecOptions) -> anyhow::Result<ExitCode> {
    // Opened before the run, which may replace the file.
    let output = match &options.output {
        Some(file) => Some(std::fs::File::create(file).with_context(|| file.display().to_string())?),
        None => None,
    };
    let measured = if is_unconfined() {
        measure(&mut host_for_one_run()?, options)?
    } else {
        // The run itself shows whether it can be confined, which saves probing the host. If it cannot, the probe may
        // still find another kind of confinement.
        match measure(&mut Host::untried(), options) {
            Err(error) if matches!(error.downcast_ref(), Some(ContainError::Wall(..) | ContainError::Cgroup(_))) => {
                measure(&mut host_for_one_run()?, options).context(REMEDY)?
            }
            measured => measured?,
        }
    };
    match output {
        Some(mut file) => file.write_all(&measured.stdout).context("the output could not be written")?,
        None if options.format == ExecFormat::Text => io::stdout().write_all(&measured.stdout)?,
        None => {}
    }
    match options.format {
        ExecFormat::Text => {
            io::stderr().write_all(&measured.stderr)?;
            tell(&measured);
        }
        ExecFormat::Json => print_json(&facts(&measured))?,
        ExecFormat::Runexec => as_runexec(&measured)?,
        ExecFormat::Runsolver => as_runsolver(&measured)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn measure(host: &mut Host, options: &ExecOptions) -> anyhow::Result<Measured> {
    interrupt::stop_at_once(host)?;
    let absolute = |path: &PathBuf| path.canonicalize().with_context(|| path.display().to_string());
    let (program, arguments) = options.command.split_first().ok_or_else(|| Usage("no command was given".into()))?;
    let program = find_program(program)?;
    let named = Named::find(arguments, &std::env::current_dir()?);
    let work = match &options.dir {
        Some(directory) => given(&absolute(directory)?)?,
        None => host.fresh(Path::new(""), &[], &named.links)?,
    };
    let piped = match &options.stdin {
        Some(file) if file == Path::new("-") => Some(spooled(&mut io::stdin().lock())?),
        _ => None,
    };
    let limits = Limits {
        wall: options.wall.map(Duration::from_secs_f64),
        cpu: options.cpu.map(Duration::from_secs_f64),
        memory: options.memory,
        output: Some(options.max_output),
        processes: Some(options.processes),
        disk: options.disk,
        address_space: options.address_space,
        grace: Duration::from_secs_f64(options.grace),
    };
    let shown: Vec<PathBuf> =
        options.show.iter().map(|path| can_be_shown(absolute(path)?)).collect::<anyhow::Result<_>>()?;
    let job = Job {
        shown: shown.into_iter().chain(needed_by(&program)).collect(),
        named: named.files,
        program,
        arguments: arguments.to_vec(),
        environment: environment(options, &limits, &work),
        work: &work,
        hidden: options.hide.iter().map(|path| can_be_hidden(absolute(path)?)).collect::<anyhow::Result<_>>()?,
        cores: cores(options)?,
        stdin: piped
            .as_ref()
            .map(|file| file.path().to_owned())
            .map_or_else(|| options.stdin.as_ref().map(absolute).transpose(), |file| Ok(Some(file)))?,
        network: options.network,
    };
    Ok(host.run(&job, &limits)?)
}

/// Copies our stdin to a file, so that the time until the input arrives is not measured as part of the run.
fn spooled(input: &mut impl io::Read) -> anyhow::Result<tempfile::NamedTempFile> {
    let mut file = tempfile::NamedTempFile::new()?;
    io::copy(input, &mut file)?;
    Ok(file)
}

/// The directory of `--dir` as a work directory. Refuses `/` and directories that every run needs.
fn given(directory: &Path) -> anyhow::Result<Work> {
    let is_needed = directory.components().count() < 2
        || ["/dev", "/proc", "/run", "/sys", "/usr"].iter().any(|needed| directory == Path::new(needed));
    if is_needed {
        return Err(Usage(format!("{} cannot be made writable for a run", directory.display())).into());
    }
    Ok(Work::given(directory))
}

/// Refuses `/`, which would show all files to the run.
fn can_be_shown(path: PathBuf) -> anyhow::Result<PathBuf> {
    if path.components().count() < 2 {
        return Err(Usage("/ cannot be shown as a whole; name the directories in it that the run needs".into()).into());
    }
    Ok(path)
}

/// Refuses anything that is not a directory, and directories that every run needs.
fn can_be_hidden(directory: PathBuf) -> anyhow::Result<PathBuf> {
    let needed = ["/", "/dev", "/proc", "/run", "/sys", "/usr"].map(Path::new);
    if !directory.is_dir() || needed.contains(&&*directory) {
        return Err(
            Usage(format!("{} cannot be hidden: it is not a directory, or runs need it", directory.display())).into()
        );
    }
    Ok(directory)
}

/// The hardware threads of as many neighboring whole cores as `--cores` asks for; empty without the option.
fn cores(options: &ExecOptions) -> anyhow::Result<Vec<usize>> {
    let Some(wanted) = options.cores else { return Ok(vec![]) };
    let all = Host::cores();
    if wanted > all.len() {
        return Err(Usage(format!("this machine has {} cores for runs, not {wanted}", all.len())).into());
    }
    Ok(Layout::new(&all, Some(1), wanted).slots().concat())
}

/// The run's environment: ours, with `HOME` and `TMPDIR` in the work directory; or the variables that StarExec sets.
fn environment(options: &ExecOptions, limits: &Limits, work: &Work) -> Vec<(OsString, OsString)> {
    let mut environment: Vec<(OsString, OsString)> = vec![];
    if options.starexec {
        let ours = |name: &str| std::env::var_os(name).map(|value| (OsString::from(name), value));
        environment.extend(["PATH", "LANG"].iter().filter_map(|name| ours(name)));
        environment.extend(starexec_limits(limits));
    } else {
        // Our own home does not exist for a confined run.
        let home = (!is_unconfined()).then(|| ("HOME".into(), work.start().into()));
        let is_replaced = |name: &OsStr| name == "TMPDIR" || name == "HOME" && home.is_some();
        environment.extend(std::env::vars_os().filter(|(name, _)| !is_replaced(name)).chain(home.clone()));
    }
    environment.push(("TMPDIR".into(), work.root().into()));
    environment
}

/// The program: by path, by name on the search path, or else a fetched solver of that name.
pub fn find_program(program: &OsStr) -> anyhow::Result<PathBuf> {
    if let Some(found) = agon_competition::find_program(program) {
        return Ok(found);
    }
    let name = program.to_string_lossy();
    match Source::find(&name) {
        Ok(source) => {
            source.program().ok_or_else(|| Usage(format!("{name} has no program that runs by itself")).into())
        }
        Err(StepError::Usage(why)) => {
            Err(Usage(format!("no program '{name}' is on the search path, and it is not a fetched solver: {why}"))
                .into())
        }
        Err(error) => Err(error.into()),
    }
}

fn facts(measured: &Measured) -> Value {
    let (exit, signal) = match measured.ending {
        Ending::Exit(code) => (Some(code), None),
        Ending::Signal(signal) => (None, Some(signal)),
    };
    json!({
        "exit": exit,
        "signal": signal,
        "limit": measured.limit.map(Limit::name),
        "wall_s": measured.wall.as_secs_f64(),
        "cpu_s": measured.cpu.as_secs_f64(),
        "user_s": measured.user.as_secs_f64(),
        "system_s": measured.system.as_secs_f64(),
        "memory_bytes": measured.memory,
        "anonymous_bytes": measured.anonymous,
        "largest_process_bytes": measured.largest_process,
        "processes": measured.processes,
        "stdout_bytes": measured.stdout.len(),
        "stderr_bytes": measured.stderr.len(),
        "isolation": measured.isolation,
        "surroundings": measured.surroundings,
        "disturbance": measured.surroundings.disturbance(measured.wall, measured.isolation.own_cores),
        // A run with survivors is an error, not a result.
        "survivors": 0,
    })
}

fn as_runexec(measured: &Measured) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let reason = measured.limit.and_then(|limit| match limit {
        Limit::Wall => Some("walltime"),
        Limit::Cpu => Some("cputime"),
        Limit::Memory => Some("memory"),
        Limit::Output | Limit::Disk => Some("files-size"),
        Limit::Processes => None,
    });
    if let Some(reason) = reason {
        writeln!(out, "terminationreason={reason}")?;
    }
    match measured.ending {
        Ending::Exit(code) => writeln!(out, "returnvalue={code}")?,
        Ending::Signal(signal) => writeln!(out, "exitsignal={signal}")?,
    }
    writeln!(out, "walltime={:.9}s", measured.wall.as_secs_f64())?;
    writeln!(out, "cputime={:.9}s", measured.cpu.as_secs_f64())?;
    if let Some(bytes) = measured.memory {
        writeln!(out, "memory={bytes}B")?;
    }
    let waited = &measured.surroundings;
    for (name, seconds) in
        [("cpu", waited.waited_cpu_s), ("io", waited.waited_io_s), ("memory", waited.waited_memory_s)]
    {
        if let Some(seconds) = seconds {
            writeln!(out, "pressure-{name}-some={seconds:.6}s")?;
        }
    }
    Ok(())
}

fn as_runsolver(measured: &Measured) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let (wall, cpu) = (measured.wall.as_secs_f64(), measured.cpu.as_secs_f64());
    writeln!(out, "WCTIME={wall:.6}\nCPUTIME={cpu:.6}")?;
    writeln!(out, "USERTIME={:.6}", measured.user.as_secs_f64())?;
    writeln!(out, "SYSTEMTIME={:.6}", measured.system.as_secs_f64())?;
    writeln!(out, "CPUUSAGE={:.2}", if wall > 0.0 { 100.0 * cpu / wall } else { 0.0 })?;
    if let Some(bytes) = measured.memory {
        writeln!(out, "MAXMM={}", bytes / 1024)?;
    }
    if let Ending::Exit(code) = measured.ending {
        writeln!(out, "EXITSTATUS={code}")?;
    }
    writeln!(out, "TIMEOUT={}", matches!(measured.limit, Some(Limit::Wall | Limit::Cpu)))?;
    writeln!(out, "MEMOUT={}", measured.limit == Some(Limit::Memory))
}

fn tell(measured: &Measured) {
    let ending = match measured.ending {
        Ending::Exit(code) => format!("exit code {code}"),
        Ending::Signal(signal) => format!("signal {signal}"),
    };
    let limit = measured.limit.map_or(String::new(), |limit| format!(", {} limit", limit.name()));
    let processes = |count| counted(count, "process", "processes");
    let megabytes = |bytes: u64| format!("{:.1} MB", bytes as f64 / 1e6);
    say!("agon: {ending}{limit}");
    say!(
        "agon: {:.3} s, {:.3} s of CPU time ({:.3} s of it in the kernel), {} of memory, {} at most",
        measured.wall.as_secs_f64(),
        measured.cpu.as_secs_f64(),
        measured.system.as_secs_f64(),
        measured.memory.map_or("an unknown amount".into(), megabytes),
        measured.processes.map_or("an unknown number of processes".into(), processes),
    );
    say!("agon: {}", measured.isolation);
    if let Some(disturbance) = measured.surroundings.disturbance(measured.wall, measured.isolation.own_cores) {
        say!("agon: disturbed: {disturbance} ({})", measured.surroundings);
    }
}
