//! Runs the pairs of the plan.

use crate::cluster::{Coordinator, Followed};
use crate::enter::{files_of, verify};
use crate::error::Blame;
use crate::freeze::check_frozen;
use crate::gate::gate;
use crate::heats::Heats;
use crate::observer::{Tell, Work};
use crate::plan::{Plan, counted, repeated_because, track_rules};
use crate::preprocess::Inputs;
use crate::readiness::Readiness;
use crate::{Event, Machine, Observer, StepError};
use agon_contain::Host;
use agon_dispatch::{Batch, Layout, Options, Priorities, RunOrder, Runner, RunnerIx, Task};
use agon_domain::{Entrant, Limits, Status, Track, did_you_mean};
use agon_edition::Action;
use agon_judge::single_answer;
use agon_store::{Competition, Pending, Queue, Store};
use agon_trace::Policy;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// The options of [`run`].
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    /// The number of concurrent runs; by default as many as the available whole cores allow.
    pub slots: Option<usize>,
    /// The hardware threads to use; empty means all.
    pub cores: Vec<usize>,
    /// The order of pairs within a heat.
    pub order: RunOrder,
    /// The divisions and entrants that run before all others.
    pub first: Vec<String>,
    /// The options for a Slurm cluster; `None` runs on this machine.
    pub slurm: Option<SlurmOptions>,
}

/// The options for runs on a Slurm cluster.
#[derive(Clone, Debug)]
pub struct SlurmOptions {
    /// The intended duration of a job, in seconds.
    pub job_length: u64,
    /// The maximum number of jobs in the queue at a time.
    pub most_jobs: usize,
    /// Additional options for `sbatch`.
    pub sbatch: Vec<String>,
    /// Submit jobs and collect finished ones, but do not wait for them.
    pub detach: bool,
    /// Cancel all jobs.
    pub cancel: bool,
}

/// The result of running a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunSummary {
    /// The number of pairs in the plan.
    pub planned: u64,
    /// The number of outcomes that this call has added.
    pub added: u64,
    /// The number of pairs without an outcome.
    pub left: u64,
}

/// The pairs to run, in order, and everything that is needed to run them.
pub(crate) struct Ready<'a> {
    pub(crate) batch: Batch,
    pub(crate) queue: Queue,
    /// The statuses of the queries of each prepared benchmark, if the trace executor needs them.
    statuses: Vec<Vec<Status>>,
    track: Track,
    inputs: Inputs,
    running: Vec<&'a Entrant>,
}

/// The number of consecutive rounds on a cluster without a recorded outcome after which the run fails.
const VAIN_ROUNDS: usize = 3;

/// Runs every planned pair of a track that has no outcome under the current limits. After an interruption, another call
/// continues.
pub fn run(
    competition: &Competition,
    track: Track,
    options: &RunOptions,
    machine: &Machine,
    observer: &mut Observer<'_>,
) -> Result<RunSummary, StepError> {
    machine.admit(competition)?;
    gate(competition, Action::Run, Some(track))?;
    let _lock = competition.lock_runs()?;
    let mut store = competition.store()?;
    let plan = Plan::refresh(competition, track, &mut store)?;
    check_frozen(competition, &plan.entrants)?;
    let before = store.progress(track)?;
    match &options.slurm {
        None => {
            refuse_beside_a_cluster(competition)?;
            while !machine.is_stopped()
                && let Some(ready) = ready(competition, &mut store, &plan, options, machine, observer)?
            {
                on_this_machine(&ready, track, &mut store, options, machine, observer)?;
                // Without confinement, a solver may have changed its own files.
                ready.running.iter().try_for_each(|entrant| verify(competition, entrant)).during("after the run")?;
            }
        }
        Some(slurm) => on_slurm(competition, &plan, &mut store, (options, slurm), machine, observer)?,
    }
    let after = store.progress(track)?;
    let left = after.planned.saturating_sub(after.done);
    Ok(RunSummary { planned: after.planned, added: after.done.saturating_sub(before.done), left })
}

/// Fails if pairs are running on a cluster, since two coordinators would run the same attempt.
pub(crate) fn refuse_beside_a_cluster(competition: &Competition) -> Result<(), StepError> {
    let is_open = std::fs::read_dir(competition.cluster_folder()).is_ok_and(|mut rounds| rounds.next().is_some());
    if is_open {
        let message = "pairs of this competition are running on a cluster; continue with 'agon run --on slurm', or \
                       cancel them with 'agon run --on slurm --cancel'";
        return Err(StepError::Missing(message.into()));
    }
    Ok(())
}

/// The next pairs to run, all under the same limits; `None` if all are done.
fn ready<'a>(
    competition: &Competition,
    store: &mut Store,
    plan: &'a Plan,
    options: &RunOptions,
    machine: &Machine,
    observer: &mut Observer<'_>,
) -> Result<Option<Ready<'a>>, StepError> {
    let readiness = Readiness::of(competition, plan.track, store)?;
    plan.can_run(competition, &readiness)?;
    if let Some(why) = readiness.stale() {
        observer.warn(format!("{}: {why}; 'agon go' selects and prepares again", plan.track));
    }
    let Plan { track, .. } = plan;
    store.climb(*track, &plan.ladders)?;
    let mut queue = store.queue(*track)?;
    let all = store.progress(*track)?;
    for (division, benchmarks, why) in &plan.not_run {
        let benchmarks = counted(*benchmarks as u64, "benchmark", "benchmarks");
        observer.note(format!("{track}: {division} is not run ({benchmarks}): {why}"));
    }
    if queue.pending.is_empty() {
        observer.note(format!("{track}: all {} are done", counted(all.planned, "pair", "pairs")));
        return Ok(None);
    }
    let running: Vec<&Entrant> = queue
        .entrants
        .iter()
        .filter_map(|(name, version)| {
            plan.entrants.iter().find(|entrant| entrant.name == *name && entrant.version_in(*track) == *version)
        })
        .collect();
    running.iter().try_for_each(|entrant| verify(competition, entrant))?;
    let priorities = Priorities {
        first: known_names(&options.first, &queue)?,
        heats: Heats::of(readiness.written.as_ref()).of_each(&queue.prepared),
        took: store.wall_times()?,
    };
    agon_dispatch::sort(&mut queue, options.order, &priorities, plan.limits.wall);
    observer.note(format!("{track}: {} of {} pairs to run", queue.pending.len(), all.planned));
    let first = queue.pending[0].limits;
    let limits = *queue.limits(&queue.pending[0]);
    let together = queue.pending.len();
    queue.pending.retain(|pending| pending.limits == first);
    if queue.pending.len() < together {
        let (now, wall) = (queue.pending.len() as u64, limits.wall.as_secs_f64());
        observer.note(format!("{track}: {} first, with a limit of {wall} s", counted(now, "pair runs", "pairs run")));
    }
    for cause in repeated_because(&store.repeats(*track)?) {
        observer.note(format!("{track}: {cause}"));
    }
    let statuses = if needs_statuses(competition, *track)? {
        queue.prepared.iter().map(|prepared| store.query_statuses(prepared)).collect::<Result<_, _>>()?
    } else {
        vec![]
    };
    let mut inputs = Inputs::read(competition, *track)?;
    let pairs = queue.pending.iter().filter_map(|pending| {
        let entrant = running.get(pending.entrant.0 as usize)?;
        (!entrant.preprocess.is_empty()).then(|| ((*entrant).clone(), queue.prepared(pending).digest))
    });
    inputs.complete(competition, *track, pairs, machine, observer)?;
    let batch = batch(competition, *track, &running, limits)?;
    Ok(Some(Ready { batch, queue, statuses, track: *track, inputs, running }))
}

impl Ready<'_> {
    /// The next attempt at each pair, in order.
    pub(crate) fn tasks(&self) -> impl Iterator<Item = Task> {
        self.queue.pending.iter().map(|pending| self.task(pending))
    }

    fn task(&self, pending: &Pending) -> Task {
        let reason = if pending.attempt == 1 { "first" } else { "retry: other limits, or a machine failure" };
        Task {
            pair: pending.pair,
            attempt: pending.attempt,
            reason: Cow::Borrowed(reason),
            // The runners of the batch are the entrants of the queue, in the same order.
            runner: RunnerIx(pending.entrant.0),
            benchmark: self.queue.prepared(pending).digest,
            input: self
                .running
                .get(pending.entrant.0 as usize)
                .and_then(|entrant| self.inputs.of(entrant, self.track, self.queue.prepared(pending).digest)),
            statuses: self.statuses.get(pending.prepared.0 as usize).cloned().unwrap_or_default(),
        }
    }
}

/// Whether the trace executor of a track needs the statuses.
pub(crate) fn needs_statuses(competition: &Competition, track: Track) -> Result<bool, StepError> {
    let year = track_rules(competition, track)?.executor;
    Ok(track.is_incremental() && Policy::of_year(year).needs_statuses())
}

/// The batch of a track. Its runners are the entrants, in the same order.
pub(crate) fn batch(
    competition: &Competition,
    track: Track,
    entrants: &[&Entrant],
    limits: Limits,
) -> Result<Batch, StepError> {
    let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
    let runner = |entrant: &&Entrant| {
        Ok(Runner {
            name: entrant.name.clone(),
            command: entrant.commands.get(&track).cloned().unwrap_or_default(),
            files: files_of(competition, entrant)?,
            start_in: entrant.start_in.clone(),
        })
    };
    let mut hidden: Vec<PathBuf> = competition.library()?.directories().into_iter().map(absolute).collect();
    hidden.push(absolute(competition.directory().to_owned()));
    let rules = track_rules(competition, track)?;
    Ok(Batch {
        limits,
        executor: track.is_incremental().then_some(rules.executor),
        runners: entrants.iter().map(runner).collect::<Result<_, StepError>>()?,
        prepared: absolute(competition.prepared_folder(track)),
        inputs: absolute(competition.inputs_folder(track)),
        hidden,
    })
}

/// Runs the pairs as Slurm jobs: first those that an earlier call submitted, then the rest until none is left.
fn on_slurm(
    competition: &Competition,
    plan: &Plan,
    store: &mut Store,
    (options, slurm): (&RunOptions, &SlurmOptions),
    machine: &Machine,
    observer: &mut Observer<'_>,
) -> Result<(), StepError> {
    let coordinator = Coordinator::new(competition, plan.track, slurm, machine)?;
    if slurm.cancel {
        coordinator.cancel()?;
    }
    if coordinator.follow_open_rounds(store, observer)? == Followed::No || slurm.cancel {
        return Ok(());
    }
    let mut in_vain = 0;
    while !machine.is_stopped()
        && let Some(ready) = ready(competition, store, plan, options, machine, observer)?
    {
        match coordinator.run(&ready, store, observer)? {
            Followed::No => return Ok(()),
            Followed::ToTheEnd { recorded: 0 } => in_vain += 1,
            Followed::ToTheEnd { .. } => in_vain = 0,
        }
        if in_vain == VAIN_ROUNDS {
            return Err(StepError::Missing(format!(
                "the jobs on the cluster recorded no outcome in {VAIN_ROUNDS} consecutive rounds; see the warnings above"
            )));
        }
    }
    Ok(())
}

/// Runs the pairs in slots on this machine.
fn on_this_machine(
    ready: &Ready<'_>,
    track: Track,
    store: &mut Store,
    options: &RunOptions,
    machine: &Machine,
    observer: &mut Observer<'_>,
) -> Result<(), StepError> {
    let Ready { batch, queue, .. } = ready;
    let host = machine.host()?;
    let threads = if options.cores.is_empty() { Host::cores() } else { options.cores.clone() };
    if let Some(core) = threads.iter().find(|core| !Host::cores().contains(core)) {
        return Err(StepError::Usage(format!("core {core} does not exist, or this process may not use it")));
    }
    let layout = Layout::new(&threads, options.slots, batch.limits.cores as usize);
    warn_of_shortage(&layout, &batch.limits, observer);
    warn_without_groups(host, observer);
    observer.start(Work::Run, Some(track), queue.pending.len());
    let dispatch = Options { layout: &layout, stop: &machine.interrupts().finish };
    let result = agon_dispatch::run(host, store, batch, ready.tasks(), dispatch, |event| {
        observer(match event {
            agon_dispatch::Event::Recorded(task, done) => {
                Event::Recorded { solver: &batch.runner(task).name, answer: single_answer(&done.stdout) }
            }
            agon_dispatch::Event::Waiting => Event::Waiting,
        });
    });
    observer(Event::Finished);
    Ok(result?)
}

/// Rejects priorities that are neither an entrant nor a division.
fn known_names(first: &[String], queue: &Queue) -> Result<BTreeSet<String>, StepError> {
    let entrants = queue.entrants.iter().map(|(name, _)| name.as_str());
    let known: BTreeSet<&str> =
        entrants.chain(queue.prepared.iter().map(|prepared| prepared.logic.0.as_str())).collect();
    match first.iter().find(|word| !known.contains(word.as_str())) {
        Some(word) => {
            let hint = did_you_mean(word, known);
            Err(StepError::Usage(format!("--first: unknown entrant or division '{word}'{hint}")))
        }
        None => Ok(first.iter().cloned().collect()),
    }
}

/// Warns if this machine cannot limit the memory of whole process trees.
pub fn warn_without_groups(host: &Host, observer: &mut Observer<'_>) {
    if !host.limits_memory() {
        observer.warn("no control groups are available, so limits apply to each process separately; see 'agon doctor'");
    }
}

/// Reports the number of concurrent runs, and warns if together they may exceed the machine's memory.
fn warn_of_shortage(layout: &Layout, limits: &Limits, observer: &mut Observer<'_>) {
    let slots = layout.slots().len() as u64;
    let here = Host::memory().unwrap_or(u64::MAX);
    let wanted = limits.memory_bytes.saturating_mul(slots);
    let cores = counted(u64::from(limits.cores), "core each", "cores each");
    observer.note(format!("{} at a time, {cores}", counted(slots, "run", "runs")));
    if wanted > here {
        observer.warn(format!(
            "{} may use {} MB together and this machine has {} MB; lower memory_bytes or --slots",
            counted(slots, "run", "runs"),
            wanted / 1_000_000,
            here / 1_000_000
        ));
    }
    if let Some(caveat) = layout.caveat {
        observer.warn(caveat);
    }
}
