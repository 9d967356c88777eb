//! `agon doctor`

use crate::cli::{DoctorOptions, Format};
use crate::failure::{NO, Usage};
use crate::print::print_rows;
use agon_contain::{CgroupKind, Ending, Host, Isolation, Job, Limit, Limits, Measured, Outside, attempt_escapes};
use anyhow::Context;
use serde_json::{Value, json};
use std::fs;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// One condition for trustworthy measurements.
struct Finding {
    what: String,
    is_well: bool,
    found: String,
    remedy: &'static str,
}

impl Finding {
    fn new(what: &str, is_well: bool, found: impl Into<String>, remedy: &'static str) -> Self {
        Self { what: what.into(), is_well, found: found.into(), remedy }
    }
}

const GROUPS: &str = "run as root; or, with systemd, systemd-run --user --scope -p Delegate=yes agon …";
const MEMORY: &str = "run as root; with version 2, the memory controller has to be on: \
                      echo +memory +pids +cpu > /sys/fs/cgroup/cgroup.subtree_control";
const WALLS: &str = "run as root; or allow user namespaces: sysctl user.max_user_namespaces=10000 \
                     kernel.unprivileged_userns_clone=1 kernel.apparmor_restrict_unprivileged_userns=0 (those that \
                     exist); in a container, start it with --privileged, or with --security-opt seccomp=unconfined";
const USERS: &str = "run as root; or, for pairs of competitions, have the administrator add this user to /etc/subuid and \
                     /etc/subgid (usermod --add-subuids 300000-365535 --add-subgids 300000-365535 USER) and install uidmap";
const BREACH: &str = "this should not happen; runs are not safe here";

pub fn run(options: &DoctorOptions) -> anyhow::Result<ExitCode> {
    if let [directory, port] = &options.inside[..] {
        let port = port.parse().map_err(|_| Usage(format!("invalid port '{port}'")))?;
        return inside(Outside { directory: Path::new(directory), port });
    }
    let mut findings = confinement()?;
    findings.extend(quiet());
    let rows = findings.iter().map(|finding| {
        json!({"what": finding.what, "ok": finding.is_well, "found": finding.found,
               "remedy": if finding.is_well { "" } else { finding.remedy }})
    });
    print_rows(rows.collect(), &["what", "ok", "found", "remedy"], options.format)?;
    Ok(ExitCode::from(if findings.iter().all(|finding| finding.is_well) { 0 } else { NO }))
}

/// Called inside a confined run (`--inside`): tries to escape from it and prints the results as JSON.
fn inside(outside: Outside<'_>) -> anyhow::Result<ExitCode> {
    let rows =
        attempt_escapes(outside).into_iter().map(|attempt| json!({"wall": attempt.wall, "breach": attempt.breach}));
    print_rows(rows.collect(), &[], Format::Json)?;
    Ok(ExitCode::SUCCESS)
}

/// Tests the confinement and the limits of runs, with one run for each.
fn confinement() -> anyhow::Result<Vec<Finding>> {
    let host = match Host::probe() {
        Ok(host) => host,
        Err(error) => {
            let mut findings = vec![Finding::new("confined runs", false, error.to_string(), WALLS)];
            let host = Host::unconfined()?;
            let isolation = isolation(&host)?;
            findings.extend(limits(&host, &isolation)?);
            let walls = ["no network", "read-only files", "own processes only"];
            findings.extend(walls.map(|what| Finding::new(what, false, "no: runs are not confined", WALLS)));
            return Ok(findings);
        }
    };
    let isolation = isolation(&host)?;
    let mut findings = vec![Finding::new("confined runs", true, "yes", WALLS)];
    let user = if isolation.own_user { "yes" } else { "no: they are this user's" };
    findings.push(Finding::new("runs have users of their own", isolation.own_user, user, USERS));
    findings.extend(walls(&host)?);
    findings.extend(limits(&host, &isolation)?);
    Ok(findings)
}

fn isolation(host: &Host) -> anyhow::Result<Isolation> {
    let work = host.fresh(Path::new(""), &[], &[])?;
    Ok(host.isolation(&Job::new("/bin/true", &work)))
}

/// The results of our own program's attempts to escape from a run.
fn walls(host: &Host) -> anyhow::Result<Vec<Finding>> {
    let directory = tempfile::tempdir()?;
    let secret = directory.path().join("secret");
    fs::write(&secret, "secret")?;
    fs::set_permissions(&secret, fs::Permissions::from_mode(0o600))?;
    let listener = TcpListener::bind("127.0.0.1:0").context("cannot open a port for the escape test")?;
    let port = listener.local_addr()?.port().to_string();
    let work = host.fresh(Path::new(""), &[], &[])?;
    let arguments = ["doctor", "--inside"].map(Into::into).into_iter().chain([directory.path().into(), port.into()]);
    let job = Job { arguments: arguments.collect(), ..Job::new(std::env::current_exe()?, &work) };
    let limits = Limits { wall: Some(Duration::from_secs(20)), ..Limits::default() };
    let measured = host.run(&job, &limits)?;
    let rows: Vec<Value> = serde_json::from_slice(&measured.stdout).with_context(|| {
        format!("the escape test inside the run failed: {}", String::from_utf8_lossy(&measured.stderr).trim())
    })?;
    let finding = |row: &Value| {
        let breach = row["breach"].as_str();
        let found = breach.map_or("yes".to_owned(), |breach| format!("no: {breach}"));
        Finding::new(row["wall"].as_str().unwrap_or_default(), breach.is_none(), found, BREACH)
    };
    Ok(rows.iter().map(finding).collect())
}

/// Tests whether limits apply to all processes of a run together: for each limit, it starts a run that exceeds it.
fn limits(host: &Host, isolation: &Isolation) -> anyhow::Result<Vec<Finding>> {
    let kind = match isolation.cgroup {
        CgroupKind::None => "none",
        CgroupKind::V1 => "version 1",
        CgroupKind::V2 => "version 2",
        CgroupKind::Hybrid => "version 1 and version 2",
    };
    let attempt = |script: &str, limits: Limits| -> anyhow::Result<Measured> {
        let work = host.fresh(Path::new(""), &[], &[])?;
        let job = Job { arguments: vec!["-c".into(), script.into()], ..Job::new("/bin/sh", &work) };
        Ok(host.run(&job, &limits)?)
    };
    let usual = Limits { wall: Some(Duration::from_secs(20)), ..Limits::default() };
    let quarter = Duration::from_millis(250);
    let cpu = attempt(
        "for i in 1 2; do (while :; do :; done) & done; exec sleep 30",
        Limits { cpu: Some(quarter), ..usual },
    )?;
    let memory = attempt(
        "for i in 1 2 3; do head -c 15000000 /dev/zero | tail & done; wait",
        Limits { memory: Some(32 << 20), ..usual },
    )?;
    let processes =
        attempt("for i in 1 2 3 4 5 6 7 8; do sleep 0.2 & done; wait", Limits { processes: Some(4), ..usual })?;
    let disk = attempt("head -c 5000000 /dev/zero > big", Limits { disk: Some(1 << 20), ..usual })?;
    let mark = format!("3{}", std::process::id());
    let left = attempt(&format!("setsid sleep {mark} & sleep 0.1"), usual)?;
    let survivors = processes_called(&format!("sleep\0{mark}\0"));
    let row = |what: &str, held: bool, is_tree: bool, remedy| {
        let found = match (held, is_tree) {
            (true, true) => "yes",
            (true, false) => "per process, or by polling",
            _ => "no",
        };
        Finding::new(what, held && is_tree, found, remedy)
    };
    Ok(vec![
        Finding::new("control groups", isolation.cgroup != CgroupKind::None, kind, GROUPS),
        row(
            "CPU time of the whole tree",
            cpu.limit == Some(Limit::Cpu) && cpu.cpu < 8 * quarter,
            isolation.tree_cpu,
            GROUPS,
        ),
        row("CPU time divided between run and runner", isolation.cpu_share, true, MEMORY),
        row("memory limit of the whole tree", memory.limit == Some(Limit::Memory), isolation.tree_memory, MEMORY),
        row(
            "processes counted and limited",
            processes.limit == Some(Limit::Processes),
            isolation.counted_processes,
            MEMORY,
        ),
        row("the whole tree is killed", left.ending == Ending::Exit(0) && survivors == 0, isolation.tree_kill, GROUPS),
        row("limited disk", disk.limit == Some(Limit::Disk), isolation.limited_disk, WALLS),
    ])
}

/// The number of processes on this machine with this command line.
fn processes_called(words: &str) -> usize {
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter(|process| fs::read(process.path().join("cmdline")).is_ok_and(|line| line == words.as_bytes()))
        .count()
}

/// Checks for what disturbs measurements: swap, a varying clock rate, shared cores, and other load.
fn quiet() -> Vec<Finding> {
    let read = |file: &str| fs::read_to_string(file).unwrap_or_default();
    let swaps = read("/proc/swaps").lines().skip(1).count();
    let governor = read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").trim().to_owned();
    let threads = read("/sys/devices/system/cpu/smt/active").trim() == "1";
    let cores = Host::cores().len();
    let load: f64 = read("/proc/loadavg").split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0.0);
    let is_steady = governor.is_empty() || governor == "performance";
    let governor = if governor.is_empty() { "not set by this system".into() } else { governor };
    vec![
        Finding::new(
            "no swap",
            swaps == 0,
            format!("{swaps} swap areas"),
            "swapoff -a, so that no run is slowed down by others' memory",
        ),
        Finding::new("steady clock rate", is_steady, governor, "cpupower frequency-set -g performance"),
        Finding::new(
            "whole cores",
            !threads,
            format!("{cores} to run on{}", if threads { ", two per core" } else { "" }),
            "echo off > /sys/devices/system/cpu/smt/control, or half as many slots",
        ),
        Finding::new(
            "nothing else runs",
            load < cores as f64 / 2.0 + 0.5,
            format!("load average {load}"),
            "wait, or stop the other programs",
        ),
    ]
}
