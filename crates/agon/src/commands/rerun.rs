//! `agon rerun`

use super::judge::judge_all;
use super::run::{limits, task_makers};
use crate::cli::RerunOptions;
use crate::failure::INTERRUPTED;
use crate::interrupt;
use agon_contain::Host;
use agon_dispatch::{Event, Invocation, Options, Task};
use agon_store::Competition;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub fn run(folder: &Path, options: &RerunOptions) -> anyhow::Result<ExitCode> {
    let competition = Competition::open(folder)?;
    let mut store = competition.store()?;
    let pair = store.find(&options.pair)?;
    let entrants = competition.entrants()?;
    let makers = task_makers(&competition, &entrants, std::slice::from_ref(&pair))?;
    let maker = makers.get(pair.entrant.as_str()).ok_or_else(|| {
        anyhow::anyhow!("{} is no longer among the entrants; enter it again with 'agon entrant add'", pair.entrant)
    })?;
    let task = Task {
        attempt: store.next_attempt(pair.id)?,
        reason: options.reason.clone(),
        ..maker.task(&competition, &pair, limits(&competition)?)
    };
    let shown = |folder: &Path| {
        Invocation::new(&task.command, &task.files, folder, folder, &task.benchmark, &task.limits).to_string()
    };
    let mut out = std::io::stdout();
    writeln!(out, "pair {}: {} on {}", pair.id, pair.entrant, pair.prepared.benchmark)?;
    writeln!(out, "command: {}", shown(Path::new("WORK")))?;
    if options.show {
        return Ok(ExitCode::SUCCESS);
    }
    let _lock = competition.lock_runs()?;
    let host = Host::probe();
    let stop = interrupt::listen(&host)?;
    let mut recorded = false;
    let once = Options { slots: 1, stop: &stop };
    agon_dispatch::run(&host, &mut store, &competition.outputs(), vec![task], once, |event| {
        recorded |= matches!(event, Event::Recorded { .. });
    })?;
    if !recorded {
        return Ok(ExitCode::from(INTERRUPTED));
    }
    judge_all(&competition)?;
    for run in store.recorded()?.iter().filter(|run| run.pair.id == pair.id) {
        let outcome = &run.outcome;
        let ruling =
            run.verdict.map_or("not judged".into(), |verdict| format!("{} ({})", verdict.answer, verdict.ruling));
        let limit = outcome.limit.map_or(String::new(), |limit| format!(", {} limit", limit.name()));
        writeln!(
            out,
            "attempt {}: {ruling}, {}{limit}, {} s wall, {} s CPU, {} MB",
            outcome.attempt,
            outcome.ending,
            outcome.wall,
            outcome.cpu,
            outcome.memory_bytes.unwrap_or(0) / 1_000_000
        )?;
    }
    Ok(ExitCode::SUCCESS)
}
