//! `agon rerun`

use crate::cli::RerunOptions;
use crate::failure::INTERRUPTED;
use crate::machine::machine_for_pairs;
use crate::opened::open_competition;
use crate::progress::observer;
use agon_competition::{Again, JudgeOptions, Repetition, judge};
use agon_domain::{Outcome, PairId};
use agon_store::Judgement;
use std::collections::HashSet;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub fn run(directory: &Path, options: &RerunOptions) -> anyhow::Result<ExitCode> {
    let competition = open_competition(directory)?;
    let track = options.track.one(competition.rulebook())?;
    let again = match &options.pair {
        Some(words) => Again::Pair(words.clone(), options.reason.clone()),
        None => Again::Disturbed,
    };
    let mut repetition = Repetition::of(&competition, track, &again)?;
    let mut out = std::io::stdout();
    for repeat in &repetition.repeats {
        let pair = &repeat.pair;
        writeln!(out, "pair {}: {} on {}", pair.id, pair.entrant, pair.prepared.benchmark)?;
        writeln!(out, "command: {}", repeat.command)?;
    }
    if options.show || repetition.repeats.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    let machine = machine_for_pairs()?;
    let recorded = repetition.run(&competition, machine, &mut observer())?;
    let store = competition.store()?;
    for repeat in &repetition.repeats {
        for fault in store.faults(repeat.pair.id)? {
            writeln!(out, "attempt {}: the machine {} failed: {}", fault.attempt, fault.host, fault.message)?;
        }
        store.attempts(repeat.pair.id)?.iter().try_for_each(|outcome| tell(outcome, &mut out))?;
    }
    if recorded < repetition.repeats.len() {
        return Ok(ExitCode::from(INTERRUPTED));
    }
    judge(&competition, track, &JudgeOptions::default(), machine, &mut observer())?;
    let numbers: HashSet<PairId> = repetition.repeats.iter().map(|repeat| repeat.pair.id).collect();
    for run in store.recorded(track)?.iter().filter(|run| numbers.contains(&run.pair.id)) {
        if let Some(Judgement { verdict, evidence, .. }) = &run.judgement {
            let evidence = evidence.as_ref().map_or(String::new(), |evidence| format!(": {evidence}"));
            writeln!(out, "verdict: {} ({}){evidence}", verdict.answer(), verdict.ruling)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn tell(outcome: &Outcome, out: &mut impl Write) -> std::io::Result<()> {
    let limit = outcome.limit.map_or(String::new(), |limit| format!(", {} limit", limit.name()));
    let memory = outcome.memory_bytes.map_or(String::new(), |bytes| format!(", {} MB", bytes / 1_000_000));
    let (attempt, reason) = (outcome.attempt, &outcome.reason);
    let (ending, wall, cpu) = (outcome.ending, outcome.wall, outcome.cpu);
    writeln!(out, "attempt {attempt} ({reason}): {ending}{limit}, {wall} s wall, {cpu} s CPU{memory}")
}
