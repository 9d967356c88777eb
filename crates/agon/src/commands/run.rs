//! `agon run`

use super::batch::{batch, task, track_rules, verify};
use super::cluster::{Coordinator, Followed};
use crate::cli::{Place, RunOptions};
use crate::failure::{INTERRUPTED, Usage};
use crate::heats::Heats;
use crate::hosts;
use crate::interrupt;
use crate::progress::{Counts, Progress};
use agon_contain::Host;
use agon_dispatch::{Batch, Event, Layout, Options, Priorities};
use agon_domain::{Entrant, Limits};
use agon_judge::single_answer;
use agon_store::{Competition, Queue, Store};
use anyhow::Context;
use std::path::Path;
use std::process::ExitCode;

pub fn run(folder: &Path, options: &RunOptions) -> anyhow::Result<ExitCode> {
    let competition = Competition::open(folder)?.on(options.track);
    match run_all(&competition, options)? {
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

/// The pairs to run, in order, with what is needed for it.
pub struct Ready<'a> {
    pub batch: Batch,
    pub queue: Queue,
    running: Vec<&'a Entrant>,
}

/// How many rounds on a cluster may bring nothing before we give up on it.
const VAIN_ROUNDS: usize = 3;

/// Runs every planned pair that has no outcome yet.
pub fn run_all(competition: &Competition, options: &RunOptions) -> anyhow::Result<Finish> {
    hosts::admit(competition)?;
    let _lock = competition.lock_runs()?;
    let mut store = competition.store()?;
    let entrants = competition.entrants()?;
    match options.on {
        Place::Local => {
            refuse_beside_a_cluster(competition)?;
            let Some(ready) = ready(competition, &mut store, &entrants, options)? else { return Ok(Finish::Done) };
            on_this_machine(&ready, &mut store, options)?;
            // Where files are not read-only to solvers, one may have changed its own.
            ready.running.iter().try_for_each(|entrant| verify(competition, entrant)).context("after the run")?;
        }
        Place::Slurm => on_slurm(competition, &mut store, &entrants, options)?,
    }
    let left = store.queue(competition.track(), &track_rules(competition)?.limits)?.pending.len();
    if left > 0 {
        say!("{left} pairs are left; run the same command again to go on");
        return Ok(if options.slurm.detach { Finish::Done } else { Finish::Interrupted });
    }
    Ok(Finish::Done)
}

/// Two who run the same pairs would make two outcomes of one attempt.
pub fn refuse_beside_a_cluster(competition: &Competition) -> anyhow::Result<()> {
    let is_open = std::fs::read_dir(competition.cluster_folder()).is_ok_and(|mut rounds| rounds.next().is_some());
    anyhow::ensure!(
        !is_open,
        "pairs of this competition are on a cluster; 'agon run --on slurm' goes on with them, with --cancel it ends them"
    );
    Ok(())
}

/// Plans, and gives what is to be run, if anything is.
fn ready<'a>(
    competition: &Competition,
    store: &mut Store,
    entrants: &'a [Entrant],
    options: &RunOptions,
) -> anyhow::Result<Option<Ready<'a>>> {
    plan(competition, store, entrants)?;
    let limits = track_rules(competition)?.limits;
    let mut queue = store.queue(competition.track(), &limits)?;
    let all = store.progress(competition.track(), &limits)?;
    if queue.pending.is_empty() {
        say!("all {} pairs are done", all.planned);
        return Ok(None);
    }
    let running = running(&queue, entrants)?;
    running.iter().try_for_each(|entrant| verify(competition, entrant))?;
    let priorities = Priorities {
        first: known_names(&options.first, &queue)?,
        heats: Heats::of(competition)?.of_each(&queue.prepared),
        took: store.wall_times()?,
    };
    agon_dispatch::sort(&mut queue, options.order.into(), &priorities, limits.wall);
    say!("{} of {} pairs to run", queue.pending.len(), all.planned);
    Ok(Some(Ready { batch: batch(competition, &running)?, queue, running }))
}

/// Runs the pairs as jobs of Slurm's: first those that an earlier start has submitted, then the rest, until none is left.
fn on_slurm(
    competition: &Competition,
    store: &mut Store,
    entrants: &[Entrant],
    options: &RunOptions,
) -> anyhow::Result<()> {
    let coordinator = Coordinator::new(competition, &options.slurm)?;
    if options.slurm.cancel {
        coordinator.cancel()?;
    }
    if coordinator.follow_open_rounds(store)? == Followed::No || options.slurm.cancel {
        return Ok(());
    }
    let mut in_vain = 0;
    while !coordinator.is_stopped()
        && let Some(ready) = ready(competition, store, entrants, options)?
    {
        match coordinator.run(&ready, &store.wall_times()?, store)? {
            Followed::No => return Ok(()),
            Followed::ToTheEnd { recorded: 0 } => in_vain += 1,
            Followed::ToTheEnd { .. } => in_vain = 0,
        }
        if in_vain == VAIN_ROUNDS {
            anyhow::bail!(
                "{VAIN_ROUNDS} times in a row the jobs on the cluster have done nothing; the warnings above say why"
            );
        }
    }
    Ok(())
}

/// Runs the pairs in slots on this machine.
fn on_this_machine(ready: &Ready<'_>, store: &mut Store, options: &RunOptions) -> anyhow::Result<()> {
    let Ready { batch, queue, .. } = ready;
    let mut host = hosts::this_machine_for_pairs()?;
    let threads = if options.cores.is_empty() { Host::cores() } else { options.cores.clone() };
    if let Some(core) = threads.iter().find(|core| !Host::cores().contains(core)) {
        return Err(Usage(format!("there is no core {core} here, or it is not ours to use")).into());
    }
    let layout = Layout::new(&threads, options.slots, batch.limits.cores as usize);
    warn_of_shortage(&layout, &batch.limits);
    warn_of_weak_walls(&host);
    let stop = interrupt::listen_for(&mut host)?;
    let mut progress = Progress::new(queue.pending.len() as u64);
    let mut counts = Counts::default();
    let tasks = queue.pending.iter().map(|pending| task(queue, pending));
    let options = Options { layout: &layout, stop: &stop };
    let result = agon_dispatch::run(&host, store, batch, tasks, options, |event| match event {
        Event::Recorded(task, done) => {
            counts.add(&batch.runner(task).name, single_answer(&done.stdout));
            progress.step(|| counts.to_string());
        }
        Event::Waiting => progress.tick(),
    });
    progress.finish();
    Ok(result?)
}

/// The entrants of a queue, in its order. Versions that are no longer entered are in no plan.
fn running<'a>(queue: &Queue, entrants: &'a [Entrant]) -> anyhow::Result<Vec<&'a Entrant>> {
    let entered = |(name, version): &(_, _)| {
        entrants.iter().find(|entrant| entrant.name == *name && entrant.digest == Some(*version))
    };
    queue
        .entrants
        .iter()
        .map(|entrant| entered(entrant).context("a pair is of a version that is not entered"))
        .collect()
}

/// Refuses priorities that name nothing.
fn known_names(first: &[String], queue: &Queue) -> anyhow::Result<std::collections::BTreeSet<String>> {
    let is_known = |word: &String| {
        queue.entrants.iter().any(|(name, _)| name.as_str() == word)
            || queue.prepared.iter().any(|prepared| prepared.division.0 == *word)
    };
    match first.iter().find(|word| !is_known(word)) {
        Some(word) => Err(Usage(format!("--first names '{word}', which is neither an entrant nor a division")).into()),
        None => Ok(first.iter().cloned().collect()),
    }
}

fn plan(competition: &Competition, store: &mut Store, entrants: &[Entrant]) -> anyhow::Result<()> {
    let folder = competition.folder().display();
    if entrants.is_empty() {
        anyhow::bail!("{folder} has no entrants yet; enter some with 'agon entrant add'");
    }
    let prepared = store.prepared(competition.track())?;
    if prepared.is_empty() {
        anyhow::bail!("{folder} has no prepared benchmarks yet; run 'agon select' and 'agon prepare'");
    }
    let plan = agon_dispatch::plan(competition.rulebook(), competition.track(), entrants, &prepared);
    if plan.clone().next().is_none() {
        anyhow::bail!(
            "no pair is to be run in {folder}: no division is competitive (R19-3.5); enter more solvers, \
             or set run_non_competitive = true under [rules] in agon.toml"
        );
    }
    let versions: Vec<_> =
        entrants.iter().filter_map(|entrant| Some((entrant.name.clone(), entrant.digest?))).collect();
    Ok(store.set_plan(competition.track(), &versions, &prepared, plan)?)
}

/// Says so when this machine cannot bind runs as a competition should.
pub fn warn_of_weak_walls(host: &Host) {
    if !host.limits_memory() {
        say!(
            "warning: this machine has no control groups for us, so limits hold process by process; see 'agon doctor'"
        );
    }
}

/// Says so when the runs together may want more than there is.
fn warn_of_shortage(layout: &Layout, limits: &Limits) {
    let slots = layout.slots().len();
    let here = Host::memory().unwrap_or(u64::MAX);
    let wanted = limits.memory_bytes.saturating_mul(slots as u64);
    say!("{slots} at a time, {} cores each", limits.cores);
    if wanted > here {
        say!(
            "warning: {slots} runs may use {} MB together and this machine has {} MB; lower memory_bytes or --slots",
            wanted / 1_000_000,
            here / 1_000_000
        );
    }
    if let Some(caveat) = layout.caveat {
        say!("warning: {caveat}");
    }
}
