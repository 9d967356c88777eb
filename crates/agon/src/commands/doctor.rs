//! `agon doctor`

use crate::cli::Format;
use crate::failure::NO;
use crate::print::print_rows;
use agon_contain::{CgroupKind, Host, Job};
use serde_json::json;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// One thing that makes measurements trustworthy, or does not.
struct Finding {
    what: &'static str,
    is_well: bool,
    found: String,
    remedy: &'static str,
}

pub fn run(format: Format) -> anyhow::Result<ExitCode> {
    let host = Host::probe();
    let findings: Vec<Finding> = enforced(&host)?.into_iter().chain(quiet()).collect();
    let rows = findings.iter().map(|finding| {
        json!({"what": finding.what, "ok": finding.is_well, "found": finding.found,
               "remedy": if finding.is_well { "" } else { finding.remedy }})
    });
    print_rows(rows.collect(), &["what", "ok", "found", "remedy"], format)?;
    Ok(ExitCode::from(if findings.iter().all(|finding| finding.is_well) { 0 } else { NO }))
}

/// What this machine can enforce on a run.
fn enforced(host: &Host) -> anyhow::Result<Vec<Finding>> {
    let work = host.fresh(Path::new(""), &[], &[])?;
    let trial = Job::new("/bin/true", &work);
    let isolation = host.isolation(&trial);
    let kind = match isolation.cgroup {
        CgroupKind::None => "none",
        CgroupKind::V1 => "version 1",
        CgroupKind::V2 => "version 2",
        CgroupKind::Hybrid => "version 1 and version 2",
    };
    let groups = "run as root; or, with systemd, systemd-run --user --scope -p Delegate=yes agon …";
    let memory = "run as root; with version 2, the memory controller has to be on: \
                  echo +memory +pids > /sys/fs/cgroup/cgroup.subtree_control";
    let walls = "allow user namespaces: sysctl user.max_user_namespaces=10000 kernel.unprivileged_userns_clone=1 \
                 kernel.apparmor_restrict_unprivileged_userns=0 (those that exist); in a container, start it with \
                 --security-opt seccomp=unconfined";
    let yes = |is_so: bool| if is_so { "yes" } else { "no" }.to_owned();
    let shut_in = |is_so: bool| match host.shortcoming() {
        Some(why) if !is_so => format!("no: {why}"),
        _ => yes(is_so),
    };
    let finding = |what, is_well, found, remedy| Finding { what, is_well, found, remedy };
    let rows = [
        ("CPU time of the whole tree", isolation.tree_cpu, groups),
        ("memory limit of the whole tree", isolation.tree_memory, memory),
        ("processes counted and limited", isolation.counted_processes, memory),
        ("the whole tree is killed", isolation.tree_kill, groups),
    ];
    let walled = [
        ("own processes only", isolation.own_processes),
        ("no network", isolation.no_network),
        ("read-only files", isolation.read_only_files),
        ("limited disk", isolation.limited_disk),
        ("filtered system calls", isolation.filtered_calls),
    ];
    let mut findings = vec![finding("control groups", isolation.cgroup != CgroupKind::None, kind.to_owned(), groups)];
    findings.extend(rows.map(|(what, is_so, remedy)| finding(what, is_so, yes(is_so), remedy)));
    findings.extend(walled.map(|(what, is_so)| finding(what, is_so, shut_in(is_so), walls)));
    Ok(findings)
}

/// What disturbs measurements.
fn quiet() -> Vec<Finding> {
    let read = |file: &str| fs::read_to_string(file).unwrap_or_default();
    let swaps = read("/proc/swaps").lines().skip(1).count();
    let governor = read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor").trim().to_owned();
    let threads = read("/sys/devices/system/cpu/smt/active").trim() == "1";
    let cores = Host::cores().len();
    let load: f64 = read("/proc/loadavg").split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0.0);
    let is_steady = governor.is_empty() || governor == "performance";
    vec![
        Finding {
            what: "no swap",
            is_well: swaps == 0,
            found: format!("{swaps} swap areas"),
            remedy: "swapoff -a, so that no run is slowed down by others' memory",
        },
        Finding {
            what: "steady clock rate",
            is_well: is_steady,
            found: if governor.is_empty() { "not set by this system".into() } else { governor },
            remedy: "cpupower frequency-set -g performance",
        },
        Finding {
            what: "whole cores",
            is_well: !threads,
            found: format!("{cores} to run on{}", if threads { ", two to a core" } else { "" }),
            remedy: "echo off > /sys/devices/system/cpu/smt/control, or half as many slots",
        },
        Finding {
            what: "nothing else runs",
            is_well: load < cores as f64 / 2.0 + 0.5,
            found: format!("load average {load}"),
            remedy: "wait, or stop what runs beside it",
        },
    ]
}
