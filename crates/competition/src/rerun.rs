//! Runs pairs again.

use crate::enter::verify;
use crate::observer::{Tell, Work};
use crate::plan::Plan;
use crate::preprocess::Inputs;
use crate::run::{batch, needs_statuses, refuse_beside_a_cluster};
use crate::{Event, Machine, Observer, StepError};
use agon_contain::{Host, Work as WorkDirectory};
use agon_dispatch::{Batch, Layout, Options, RunnerIx, Task, job};
use agon_domain::{Entrant, Pair, Track};
use agon_judge::single_answer;
use agon_store::{Competition, Store};
use std::collections::BTreeSet;
use std::path::Path;

/// Which pairs to run again.
#[derive(Clone, Debug)]
pub enum Again {
    /// The pair with this number or `ENTRANT:BENCHMARK`, and the reason.
    Pair(String, String),
    /// All pairs whose latest run was disturbed.
    Disturbed,
}

/// A pair that is run again, and its exact command line.
#[derive(Clone, Debug)]
pub struct Repeat {
    /// The pair to run again.
    pub pair: Pair,
    /// The command line, with WORK instead of the run's working directory.
    pub command: String,
}

/// Pairs of the current plan that are to be run again.
#[derive(Debug)]
pub struct Repetition {
    track: Track,
    store: Store,
    /// The tasks, in groups with the same limits.
    parts: Vec<(Batch, Vec<Task>)>,
    entrants: Vec<Entrant>,
    /// The pairs and their command lines.
    pub repeats: Vec<Repeat>,
}

impl Repetition {
    /// Finds the pairs to run again in the current plan, and determines their command lines.
    pub fn of(competition: &Competition, track: Track, again: &Again) -> Result<Self, StepError> {
        let mut store = competition.store()?;
        let Plan { entrants, .. } = Plan::refresh(competition, track, &mut store)?;
        let pairs: Vec<(Pair, String)> = match again {
            Again::Pair(words, reason) => vec![(store.find(track, words)?, reason.clone())],
            Again::Disturbed => {
                let runs = store.recorded(track)?.into_iter();
                runs.filter_map(|run| Some((run.pair, format!("disturbed: {}", run.outcome.disturbance?)))).collect()
            }
        };
        let all: Vec<&Entrant> = entrants.iter().collect();
        let needs_statuses = needs_statuses(competition, track)?;
        let inputs = Inputs::read(competition, track)?;
        let mut parts: Vec<(Batch, Vec<Task>)> = vec![];
        let mut repeats = vec![];
        for (pair, reason) in pairs {
            let entered = entrants
                .iter()
                .position(|entrant| entrant.name == pair.entrant && entrant.version_in(track) == pair.version);
            let runner = entered.ok_or_else(|| {
                let (id, name) = (pair.id, &pair.entrant);
                StepError::Missing(format!("pair {id} belongs to a version of {name} that is no longer entered"))
            })?;
            let task = Task {
                pair: pair.id,
                attempt: store.next_attempt(pair.id)?,
                reason: reason.into(),
                runner: RunnerIx(runner as u32),
                benchmark: pair.prepared.digest,
                input: inputs.of(&entrants[runner], track, pair.prepared.digest),
                statuses: if needs_statuses { store.query_statuses(&pair.prepared)? } else { vec![] },
            };
            let limits = store.limits(pair.id)?;
            let at = match parts.iter().position(|(batch, _)| batch.limits == limits) {
                Some(at) => at,
                None => {
                    parts.push((batch(competition, track, &all, limits)?, vec![]));
                    parts.len() - 1
                }
            };
            let (batch, tasks) = &mut parts[at];
            let (work, runner) = (WorkDirectory::given(Path::new("WORK")), batch.runner(&task));
            let command =
                job(&runner.command, &runner.files, &work, &batch.benchmark(&task), &batch.limits).to_string();
            repeats.push(Repeat { pair, command });
            tasks.push(task);
        }
        Ok(Self { track, store, parts, entrants, repeats })
    }

    /// Runs the pairs. Returns the number of pairs run, which is smaller after an interruption.
    pub fn run(
        &mut self,
        competition: &Competition,
        machine: &Machine,
        observer: &mut Observer<'_>,
    ) -> Result<usize, StepError> {
        refuse_beside_a_cluster(competition)?;
        machine.admit(competition)?;
        // The attempts are numbered under the lock, so that no other process makes the same attempt.
        let _lock = competition.lock_runs()?;
        // A translation may be missing, or under another limit.
        let mut inputs = Inputs::read(competition, self.track)?;
        let pairs = self.parts.iter().flat_map(|(_, tasks)| tasks);
        let pairs = pairs.map(|task| (self.entrants[task.runner.0 as usize].clone(), task.benchmark));
        inputs.complete(competition, self.track, pairs, machine, observer)?;
        for task in self.parts.iter_mut().flat_map(|(_, tasks)| tasks) {
            task.input = inputs.of(&self.entrants[task.runner.0 as usize], self.track, task.benchmark);
        }
        for task in self.parts.iter_mut().flat_map(|(_, tasks)| tasks) {
            task.attempt = self.store.next_attempt(task.pair)?;
        }
        let tasks = || self.parts.iter().flat_map(|(_, tasks)| tasks);
        let runners: BTreeSet<RunnerIx> = tasks().map(|task| task.runner).collect();
        runners.iter().try_for_each(|runner| verify(competition, &self.entrants[runner.0 as usize]))?;
        let host = machine.host()?;
        let slots = (tasks().count() == 1).then_some(1);
        let mut recorded = 0;
        observer.start(Work::Run, Some(self.track), tasks().count());
        let mut result = Ok(());
        for (batch, tasks) in &self.parts {
            let layout = Layout::new(&Host::cores(), slots, batch.limits.cores as usize);
            let options = Options { layout: &layout, stop: &machine.interrupts().finish };
            let tasks = tasks.clone().into_iter();
            result = result.and(agon_dispatch::run(host, &mut self.store, batch, tasks, options, |event| {
                if let agon_dispatch::Event::Recorded(task, done) = event {
                    recorded += 1;
                    let solver = &batch.runner(task).name;
                    observer(Event::Recorded { solver, answer: single_answer(&done.stdout) });
                }
            }));
        }
        observer(Event::Finished);
        result?;
        Ok(recorded)
    }
}
