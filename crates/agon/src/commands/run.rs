//! `agon run`

use crate::cli::{RunOptions, TRACK};
use crate::failure::INTERRUPTED;
use crate::interrupt;
use crate::progress::{Counts, Progress};
use agon_contain::Host;
use agon_dispatch::{Event, Options, Task};
use agon_domain::{Entrant, Limits, Pair};
use agon_entrant::tree_digest;
use agon_judge::single_answer;
use agon_store::{Competition, Store};
use std::collections::BTreeMap;
use std::path::Path;
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
    let limits = limits(competition)?;
    let pending = store.pending()?;
    let all = store.progress()?;
    if pending.is_empty() {
        eprintln!("all {} pairs are done", all.planned);
        return Ok(Finish::Done);
    }
    let makers = task_makers(competition, &entrants, &pending)?;
    let tasks: Vec<Task> =
        pending.iter().map(|pair| makers[pair.entrant.as_str()].task(competition, pair, limits)).collect();
    let slots = slots.unwrap_or_else(|| default_slots(&limits));
    warn_of_memory(slots, &limits);
    eprintln!("{} of {} pairs to run, {slots} at a time", pending.len(), all.planned);

    let host = Host::probe();
    let stop = interrupt::listen(&host)?;
    let mut progress = Progress::new(pending.len() as u64);
    let mut counts = Counts::default();
    let options = Options { slots, stop: &stop };
    let result = agon_dispatch::run(&host, &mut store, &competition.outputs(), tasks, options, |event| match event {
        Event::Recorded { task, outcome, stdout } => {
            counts.add(&task.pair.entrant, outcome, single_answer(stdout));
            progress.step(|| counts.to_string());
        }
        Event::Waiting => progress.tick(),
    });
    progress.finish();
    result?;
    let left = store.pending()?.len();
    if stop.load(Ordering::Relaxed) && left > 0 {
        eprintln!("interrupted with {left} pairs left; run the same command again to go on");
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

pub fn limits(competition: &Competition) -> anyhow::Result<Limits> {
    let rules = competition.rulebook();
    let track = rules.tracks.get(&TRACK);
    Ok(track.ok_or_else(|| anyhow::anyhow!("the rulebook '{}' has no {TRACK} track", rules.name))?.limits)
}

/// What makes tasks of an entrant's pairs.
pub struct TaskMaker<'a> {
    entrant: &'a Entrant,
}

/// A maker for every entrant that has pairs, after checking that its files are what was entered.
pub fn task_makers<'a>(
    competition: &Competition,
    entrants: &'a [Entrant],
    pairs: &[Pair],
) -> anyhow::Result<BTreeMap<&'a str, TaskMaker<'a>>> {
    let mut makers = BTreeMap::new();
    for entrant in entrants.iter().filter(|entrant| pairs.iter().any(|pair| pair.entrant == entrant.name)) {
        let digest = entrant.digest.unwrap_or_else(|| agon_domain::Digest::of(b""));
        let files = competition.entrant_folder(&digest);
        match tree_digest(&files) {
            Ok(now) if now == digest => {}
            Ok(_) => anyhow::bail!(
                "the files of {} in {} are not those that were entered; enter it again with 'agon entrant add'",
                entrant.name,
                files.display()
            ),
            Err(error) => anyhow::bail!(
                "the files of {} are not in {} ({error}); enter it again with 'agon entrant add'",
                entrant.name,
                files.display()
            ),
        }
        makers.insert(entrant.name.as_str(), TaskMaker { entrant });
    }
    Ok(makers)
}

impl TaskMaker<'_> {
    /// The first attempt at a pair.
    pub fn task(&self, competition: &Competition, pair: &Pair, limits: Limits) -> Task {
        let absolute = |path: std::path::PathBuf| std::path::absolute(&path).unwrap_or(path);
        Task {
            pair: pair.clone(),
            attempt: 1,
            reason: "first".into(),
            command: self.entrant.commands.get(&pair.prepared.track).cloned().unwrap_or_default(),
            files: absolute(competition.entrant_folder(&pair.version)),
            start_in: self.entrant.start_in.clone(),
            benchmark: absolute(competition.prepared_file(pair.prepared.track, &pair.prepared.digest)),
            limits,
        }
    }
}

fn default_slots(limits: &Limits) -> usize {
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    (cores / limits.cores.max(1) as usize).max(1)
}

/// Says so when the runs together may want more memory than there is.
fn warn_of_memory(slots: usize, limits: &Limits) {
    let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:")?.trim().strip_suffix(" kB"));
    let Some(here) = line.and_then(|number| number.parse::<u64>().ok()).map(|kilobytes| kilobytes * 1024) else {
        return;
    };
    let wanted = limits.memory_bytes.saturating_mul(slots as u64);
    if wanted > here {
        eprintln!(
            "warning: {slots} runs may use {} MB together and this machine has {} MB; lower memory_bytes or --slots",
            wanted / 1_000_000,
            here / 1_000_000
        );
    }
}
