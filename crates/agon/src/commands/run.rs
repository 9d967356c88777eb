//! `agon run`

use crate::cli::{RunOptions, TRACK};
use crate::failure::INTERRUPTED;
use crate::heats::Heats;
use crate::interrupt;
use crate::progress::{Counts, Progress};
use agon_contain::Host;
use agon_dispatch::{Event, Options, Task};
use agon_domain::{Digest, Entrant, Limits, Pair};
use agon_entrant::tree_digest;
use agon_judge::single_answer;
use agon_rulebook::TrackRules;
use agon_store::{Competition, Store};
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;

pub fn run(folder: &Path, options: &RunOptions) -> anyhow::Result<ExitCode> {
    let competition = Competition::open(folder)?;
    match run_all(&competition, options.slots)? {
        Finish::Done => Ok(ExitCode::SUCCESS),
        Finish::Interrupted => Ok(ExitCode::from(INTERRUPTED)),
    }
}

/// How a run of all pairs ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Finish {
    Done,
    Interrupted,
}

/// Runs every planned pair that has no outcome yet.
pub fn run_all(competition: &Competition, slots: Option<usize>) -> anyhow::Result<Finish> {
    let _lock = competition.lock_runs()?;
    let mut store = competition.store()?;
    let entrants = competition.entrants()?;
    plan(competition, &mut store, &entrants)?;
    let limits = track_rules(competition)?.limits;
    let mut pending = store.pending(&limits)?;
    Heats::of(competition)?.sort(&mut pending);
    let all = store.progress(&limits)?;
    if pending.is_empty() {
        say!("all {} pairs are done", all.planned);
        return Ok(Finish::Done);
    }
    let running: Vec<&Entrant> =
        entrants.iter().filter(|entrant| pending.iter().any(|(pair, _)| pair.entrant == entrant.name)).collect();
    running.iter().try_for_each(|entrant| verify(competition, entrant))?;
    let entrant_of = |pair: &Pair| running.iter().find(|entrant| entrant.name == pair.entrant);
    let tasks: Vec<Task> = pending
        .iter()
        .filter_map(|(pair, attempt)| Some(task(competition, entrant_of(pair)?, pair, *attempt, limits)))
        .collect();
    let slots = slots.unwrap_or_else(|| default_slots(&limits));
    warn_of_shortage(slots, &limits);
    say!("{} of {} pairs to run, {slots} at a time", pending.len(), all.planned);

    let host = Host::probe();
    let stop = interrupt::listen(&host)?;
    let mut progress = Progress::new(pending.len() as u64);
    let mut counts = Counts::default();
    let options = Options { slots, stop: &stop };
    let result = agon_dispatch::run(&host, &mut store, tasks, options, |event| match event {
        Event::Recorded { task, stdout, .. } => {
            counts.add(&task.pair.entrant, single_answer(stdout));
            progress.step(|| counts.to_string());
        }
        Event::Waiting => progress.tick(),
    });
    progress.finish();
    result?;
    // Where files are not read-only to solvers, one may have changed its own.
    running.iter().try_for_each(|entrant| verify(competition, entrant)).context("after the run")?;
    let left = store.pending(&limits)?.len();
    if stop.load(Ordering::Relaxed) && left > 0 {
        say!("interrupted with {left} pairs left; run the same command again to go on");
        return Ok(Finish::Interrupted);
    }
    Ok(Finish::Done)
}

fn plan(competition: &Competition, store: &mut Store, entrants: &[Entrant]) -> anyhow::Result<()> {
    let folder = competition.folder().display();
    if entrants.is_empty() {
        anyhow::bail!("{folder} has no entrants yet; enter some with 'agon entrant add'");
    }
    let prepared = store.prepared(TRACK)?;
    if prepared.is_empty() {
        anyhow::bail!("{folder} has no prepared benchmarks yet; run 'agon select' and 'agon prepare'");
    }
    let plan = agon_dispatch::plan(competition.rulebook(), TRACK, entrants, &prepared);
    if plan.is_empty() {
        anyhow::bail!(
            "no pair is to be run in {folder}: no division is competitive (R19-3.5); enter more solvers, \
             or set run_non_competitive = true under [rules] in agon.toml"
        );
    }
    Ok(store.set_plan(TRACK, plan)?)
}

/// The rules of the track that is run.
pub fn track_rules(competition: &Competition) -> anyhow::Result<&TrackRules> {
    let rules = competition.rulebook();
    rules.tracks.get(&TRACK).ok_or_else(|| anyhow::anyhow!("the rulebook '{}' has no {TRACK} track", rules.name))
}

/// Whether an entrant's files, and a program of the machine that it uses, are what was entered.
pub fn verify(competition: &Competition, entrant: &Entrant) -> anyhow::Result<()> {
    let digest = entrant.digest.unwrap_or_else(|| Digest::of(b""));
    let (name, files) = (&entrant.name, competition.entrant_folder(&digest));
    let remedy = "enter it again with 'agon entrant add'";
    match tree_digest(&files) {
        Ok(now) if now == digest => {}
        Ok(_) => anyhow::bail!("the files of {name} in {} are not those that were entered; {remedy}", files.display()),
        Err(error) => anyhow::bail!("the files of {name} are not in {} ({error}); {remedy}", files.display()),
    }
    if entrant.program_digest != program_digest(entrant)? {
        anyhow::bail!("{name} runs a program of this machine that is not the one that was entered; {remedy}");
    }
    Ok(())
}

/// The digest of the program of the machine that an entrant runs, where it runs one.
pub fn program_digest(entrant: &Entrant) -> anyhow::Result<Option<Digest>> {
    let mut programs = entrant.commands.values().filter_map(|command| command.first());
    let Some(program) = programs.find(|word| word.starts_with('/')) else { return Ok(None) };
    let bytes = std::fs::read(program).with_context(|| format!("{program}, the program of {}", entrant.name))?;
    Ok(Some(Digest::of(&bytes)))
}

/// An attempt at a pair of this entrant's.
pub fn task(competition: &Competition, entrant: &Entrant, pair: &Pair, attempt: u32, limits: Limits) -> Task {
    let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
    Task {
        pair: pair.clone(),
        attempt,
        reason: if attempt == 1 { "first".into() } else { "limits changed".into() },
        command: entrant.commands.get(&pair.prepared.track).cloned().unwrap_or_default(),
        files: absolute(competition.entrant_folder(&pair.version)),
        start_in: entrant.start_in.clone(),
        benchmark: absolute(competition.prepared_file(pair.prepared.track, &pair.prepared.digest)),
        limits,
    }
}

fn default_slots(limits: &Limits) -> usize {
    (Host::cores().len() / limits.cores.max(1) as usize).max(1)
}

/// Says so when the runs together may want more than there is.
fn warn_of_shortage(slots: usize, limits: &Limits) {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB"));
    let here = line.and_then(|number| number.parse::<u64>().ok()).map_or(u64::MAX, |kilobytes| kilobytes * 1024);
    let wanted = limits.memory_bytes.saturating_mul(slots as u64);
    if wanted > here {
        say!(
            "warning: {slots} runs may use {} MB together and this machine has {} MB; lower memory_bytes or --slots",
            wanted / 1_000_000,
            here / 1_000_000
        );
    }
    let (wanted, here) = (slots * limits.cores as usize, Host::cores().len());
    if wanted > here {
        say!("warning: {slots} runs want {wanted} cores together and there are {here}, so they share them");
    }
}
