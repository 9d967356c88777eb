//! `agon rerun`

use super::batch::{batch, track_rules, verify};
use super::judge::judge_all;
use crate::cli::RerunOptions;
use crate::failure::INTERRUPTED;
use crate::interrupt;
use agon_contain::{Host, Work};
use agon_dispatch::{Event, Layout, Options, Task, job};
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
    let batch = batch(&competition, &[entrant])?;
    let task = Task {
        pair: pair.id,
        attempt: store.next_attempt(pair.id)?,
        reason: options.reason.clone().into(),
        runner: 0,
        benchmark: pair.prepared.digest,
    };
    let mut out = std::io::stdout();
    let (work, runner) = (Work::given(Path::new("WORK")), batch.runner(&task));
    writeln!(out, "pair {}: {} on {}", pair.id, pair.entrant, pair.prepared.benchmark)?;
    let command = job(&runner.command, &runner.files, &work, &batch.benchmark(&task), &limits).to_string();
    writeln!(out, "command: {command}")?;
    if options.show {
        return Ok(ExitCode::SUCCESS);
    }
    verify(&competition, entrant)?;
    let host = Host::probe();
    let stop = interrupt::listen_for(&host)?;
    let mut recorded = false;
    let layout = Layout::new(&Host::cores(), Some(1), limits.cores as usize);
    let once = Options { layout: &layout, stop: &stop };
    agon_dispatch::run(&host, &mut store, &batch, std::iter::once(task), once, |event| {
        recorded |= matches!(event, Event::Recorded(..));
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
