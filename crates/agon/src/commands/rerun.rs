//! `agon rerun`

use super::batch::{batch, track_rules, verify};
use super::judge::{JudgeOptions, judge_all};
use super::run::refuse_beside_a_cluster;
use crate::cli::RerunOptions;
use crate::failure::INTERRUPTED;
use crate::hosts;
use crate::interrupt;
use agon_contain::{Host, Work};
use agon_dispatch::{Batch, Event, Layout, Options, Task, job};
use agon_domain::{Entrant, Outcome, Pair, PairId};
use agon_store::{Competition, Store};
use std::collections::HashSet;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub fn run(folder: &Path, options: &RerunOptions) -> anyhow::Result<ExitCode> {
    let competition = Competition::open(folder)?.on(options.track);
    let mut store = competition.store()?;
    let limits = track_rules(&competition)?.limits;
    let again: Vec<(Pair, String)> = match &options.pair {
        Some(words) => vec![(store.find(competition.track(), words)?, options.reason.clone())],
        None => {
            let runs = store.recorded(competition.track(), &limits)?.into_iter();
            runs.filter_map(|run| Some((run.pair, format!("disturbed: {}", run.outcome.disturbance?)))).collect()
        }
    };
    let entrants = competition.entrants()?;
    let entrants: Vec<&Entrant> = entrants.iter().collect();
    if !options.show {
        refuse_beside_a_cluster(&competition)?;
    }
    // Nobody else may make the same attempt.
    let _lock = if options.show { None } else { Some(competition.lock_runs()?) };
    let batch = batch(&competition, &entrants)?;
    let tasks: Vec<Task> =
        again.iter().map(|(pair, reason)| task(&store, &entrants, pair, reason)).collect::<anyhow::Result<_>>()?;
    let mut out = std::io::stdout();
    for ((pair, _), task) in again.iter().zip(&tasks) {
        writeln!(out, "pair {}: {} on {}", pair.id, pair.entrant, pair.prepared.benchmark)?;
        writeln!(out, "command: {}", command(&batch, task))?;
    }
    if options.show || tasks.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    for entrant in entrants.iter().filter(|entrant| again.iter().any(|(pair, _)| pair.entrant == entrant.name)) {
        verify(&competition, entrant)?;
    }
    hosts::admit(&competition)?;
    let mut host = hosts::this_machine_for_pairs()?;
    let stop = interrupt::listen_for(&mut host)?;
    let slots = (again.len() == 1).then_some(1);
    let layout = Layout::new(&Host::cores(), slots, limits.cores as usize);
    let (mut recorded, all) = (0, tasks.len());
    let options = Options { layout: &layout, stop: &stop };
    agon_dispatch::run(&host, &mut store, &batch, tasks.into_iter(), options, |event| {
        recorded += usize::from(matches!(event, Event::Recorded(..)));
    })?;
    for (pair, _) in &again {
        for fault in store.faults(pair.id)? {
            writeln!(out, "attempt {}: a fault of {}: {}", fault.attempt, fault.host, fault.message)?;
        }
        store.attempts(pair.id)?.iter().try_for_each(|outcome| tell(outcome, &mut out))?;
    }
    judge_all(&competition, &JudgeOptions::default())?;
    let numbers: HashSet<PairId> = again.iter().map(|(pair, _)| pair.id).collect();
    for run in store.recorded(competition.track(), &limits)?.iter().filter(|run| numbers.contains(&run.pair.id)) {
        if let Some(verdict) = run.verdict {
            let evidence = run.evidence.as_ref().map_or(String::new(), |evidence| format!(": {evidence}"));
            writeln!(out, "verdict: {} ({}){evidence}", verdict.answer, verdict.ruling)?;
        }
    }
    Ok(if recorded < all { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}

/// The next attempt at a pair.
fn task(store: &Store, entrants: &[&Entrant], pair: &Pair, reason: &str) -> anyhow::Result<Task> {
    let entered =
        entrants.iter().position(|entrant| entrant.name == pair.entrant && entrant.digest == Some(pair.version));
    let runner = entered.ok_or_else(|| {
        let (id, name) = (pair.id, &pair.entrant);
        anyhow::anyhow!("pair {id} is of a version of {name} that is no longer entered; 'agon run' runs the new one")
    })?;
    Ok(Task {
        pair: pair.id,
        attempt: store.next_attempt(pair.id)?,
        reason: reason.to_owned().into(),
        runner: runner as u32,
        benchmark: pair.prepared.digest,
    })
}

/// The command line, with a word for the folder that the run will have.
fn command(batch: &Batch, task: &Task) -> String {
    let (work, runner) = (Work::given(Path::new("WORK")), batch.runner(task));
    job(&runner.command, &runner.files, &work, &batch.benchmark(task), &batch.limits).to_string()
}

fn tell(outcome: &Outcome, out: &mut impl Write) -> std::io::Result<()> {
    let limit = outcome.limit.map_or(String::new(), |limit| format!(", {} limit", limit.name()));
    let memory = outcome.memory_bytes.map_or(String::new(), |bytes| format!(", {} MB", bytes / 1_000_000));
    let (attempt, reason) = (outcome.attempt, &outcome.reason);
    let (ending, wall, cpu) = (outcome.ending, outcome.wall, outcome.cpu);
    writeln!(out, "attempt {attempt} ({reason}): {ending}{limit}, {wall} s wall, {cpu} s CPU{memory}")
}
