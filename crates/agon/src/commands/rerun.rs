//! `agon rerun`

use super::judge::judge_all;
use super::run::{task, track_rules, verify};
use crate::cli::RerunOptions;
use crate::failure::INTERRUPTED;
use crate::interrupt;
use agon_contain::Host;
use agon_dispatch::{Event, Options, Place, Task, job};
use agon_store::Competition;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub fn run(folder: &Path, options: &RerunOptions) -> anyhow::Result<ExitCode> {
    let competition = Competition::open(folder)?;
    let mut store = competition.store()?;
    let pair = store.find(&options.pair)?;
    let entrants = competition.entrants()?;
    let entered = entrants.iter().find(|entrant| entrant.name == pair.entrant && entrant.digest == Some(pair.version));
    let entrant = entered.ok_or_else(|| {
        let (id, name) = (pair.id, &pair.entrant);
        anyhow::anyhow!("pair {id} is of a version of {name} that is no longer entered; 'agon run' runs the new one")
    })?;
    // Nobody else may make the same attempt.
    let _lock = if options.show { None } else { Some(competition.lock_runs()?) };
    let limits = track_rules(&competition)?.limits;
    let first = task(&competition, entrant, &pair, store.next_attempt(pair.id)?, limits);
    let task = Task { reason: options.reason.clone(), ..first };
    let mut out = std::io::stdout();
    let work = Place { root: "WORK".into(), start: "WORK".into(), output: "WORK/output".into() };
    writeln!(out, "pair {}: {} on {}", pair.id, pair.entrant, pair.prepared.benchmark)?;
    writeln!(out, "command: {}", job(&task.command, &task.files, &work, &task.benchmark, &task.limits))?;
    if options.show {
        return Ok(ExitCode::SUCCESS);
    }
    verify(&competition, entrant)?;
    let host = Host::probe();
    let stop = interrupt::listen(&host)?;
    let mut recorded = false;
    let once = Options { slots: 1, stop: &stop };
    agon_dispatch::run(&host, &mut store, vec![task], once, |event| {
        recorded |= matches!(event, Event::Recorded { .. });
    })?;
    if !recorded {
        return Ok(ExitCode::from(INTERRUPTED));
    }
    for outcome in store.attempts(pair.id)? {
        let limit = outcome.limit.map_or(String::new(), |limit| format!(", {} limit", limit.name()));
        let memory = outcome.memory_bytes.map_or(String::new(), |bytes| format!(", {} MB", bytes / 1_000_000));
        let (attempt, reason) = (outcome.attempt, &outcome.reason);
        let (ending, wall, cpu) = (outcome.ending, outcome.wall, outcome.cpu);
        writeln!(out, "attempt {attempt} ({reason}): {ending}{limit}, {wall} s wall, {cpu} s CPU{memory}")?;
    }
    judge_all(&competition)?;
    for run in store.recorded(&limits)?.iter().filter(|run| run.pair.id == pair.id) {
        if let Some(verdict) = run.verdict {
            writeln!(out, "verdict: {} ({})", verdict.answer, verdict.ruling)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
