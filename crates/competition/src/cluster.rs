//! Runs pairs as Slurm jobs.

use crate::error::At;
use crate::observer::{Tell, Work};
use crate::run::{Ready, SlurmOptions};
use crate::{Event, Machine, Observer, StepError};
use agon_dispatch::{Cluster, ClusterEvent, Expected, Orders, Round, Task};
use agon_domain::{EntrantName, PairId, Time, Track};
use agon_judge::single_answer;
use agon_store::{Competition, Store};
use std::collections::HashMap;
use std::path::Path;

/// The option for workers that run solvers without confinement.
const UNCONFINED: &str = "--unconfined";

/// Submits the pairs of a track to a cluster and follows their jobs.
pub(crate) struct Coordinator<'a> {
    cluster: Cluster,
    machine: &'a Machine,
    track: Track,
    detach: bool,
}

/// Whether the jobs of a round were followed to their end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Followed {
    /// No jobs are left, and this many outcomes were recorded.
    ToTheEnd { recorded: usize },
    /// Jobs are still running, and the user asked not to wait.
    No,
}

impl<'a> Coordinator<'a> {
    pub(crate) fn new(
        competition: &Competition,
        track: Track,
        options: &SlurmOptions,
        machine: &'a Machine,
    ) -> Result<Self, StepError> {
        let directory = competition.cluster_folder();
        let cluster = Cluster {
            directory: std::path::absolute(&directory).at(&directory)?,
            program: std::env::current_exe().at(Path::new("agon"))?,
            job_length: Time::from_secs(options.job_length),
            most_jobs: options.most_jobs,
            options: options.sbatch.clone(),
            flags: machine.is_unconfined().then(|| UNCONFINED.to_owned()).into_iter().collect(),
        };
        Ok(Self { cluster, machine, track, detach: options.detach })
    }

    /// Cancels the jobs of all open rounds.
    pub(crate) fn cancel(&self) -> Result<(), StepError> {
        for round in self.cluster.rounds()? {
            round.cancel()?;
        }
        Ok(())
    }

    /// Follows the rounds that earlier coordinators left open.
    pub(crate) fn follow_open_rounds(
        &self,
        store: &mut Store,
        observer: &mut Observer<'_>,
    ) -> Result<Followed, StepError> {
        let mut all = 0;
        for round in self.cluster.rounds()? {
            observer.note(format!("continuing with the jobs of {}", round.directory().display()));
            match self.follow(round, store, None, observer)? {
                Followed::ToTheEnd { recorded } => all += recorded,
                Followed::No => return Ok(Followed::No),
            }
        }
        Ok(Followed::ToTheEnd { recorded: all })
    }

    /// Submits the pairs that are ready, and follows their jobs.
    pub(crate) fn run(
        &self,
        ready: &Ready<'_>,
        store: &mut Store,
        observer: &mut Observer<'_>,
    ) -> Result<Followed, StepError> {
        let Ready { batch, queue, .. } = ready;
        let took = store.wall_times()?;
        let expected = Expected::new(queue, &took, batch.limits.wall);
        let tasks: Vec<Task> = ready.tasks().collect();
        let times = queue.pending.iter().map(|pending| expected.of(pending));
        let round = self.cluster.submit(batch, &tasks, times, &self.machine.interrupts().finish)?;
        let solvers = tasks.iter().map(|task| (task.pair, batch.runner(task).name.clone())).collect();
        self.follow(round, store, Some(&solvers), observer)
    }

    /// Collects outcomes until no jobs of the round are left; only once if the user asked not to wait.
    fn follow(
        &self,
        mut round: Round,
        store: &mut Store,
        solvers: Option<&HashMap<PairId, EntrantName>>,
        observer: &mut Observer<'_>,
    ) -> Result<Followed, StepError> {
        observer.start(Work::Run, Some(self.track), solvers.map_or(0, HashMap::len));
        let mut trouble = String::new();
        let mut observe = |event: ClusterEvent<'_>| match event {
            ClusterEvent::Recorded(done) => match solvers.and_then(|solvers| solvers.get(&done.outcome.pair)) {
                Some(solver) => observer(Event::Recorded { solver, answer: single_answer(&done.stdout) }),
                None => observer(Event::Advanced),
            },
            ClusterEvent::Jobs(states) => {
                let mut states: Vec<_> = states.iter().map(|(state, count)| format!("{count} {state}")).collect();
                states.sort();
                observer(Event::Jobs(&format!("jobs: {}", states.join(", ").to_lowercase())));
                trouble.clear();
            }
            ClusterEvent::Trouble(what) if what != trouble => {
                observer.warn(format!("{what}; retrying"));
                trouble = what;
            }
            ClusterEvent::Trouble(_) => {}
            ClusterEvent::Waiting => observer(Event::Waiting),
        };
        if self.detach && round.has_jobs()? {
            let recorded = round.collect(store, &mut observe)?.recorded;
            observer(Event::Finished);
            let directory = round.directory().display();
            observer.note(format!("{recorded} outcomes collected; the jobs of {directory} are still running"));
            return Ok(Followed::No);
        }
        let interrupts = self.machine.interrupts();
        let orders = Orders { stop: &interrupts.finish, stop_at_once: &interrupts.abort };
        let recorded = round.follow(store, orders, &mut observe);
        observer(Event::Finished);
        let recorded = recorded?;
        if recorded == 0
            && let Some(words) = round.last_words()
        {
            observer.warn(format!("the jobs have recorded no outcomes; the last line of a log: {words}"));
        }
        round.close()?;
        Ok(Followed::ToTheEnd { recorded })
    }
}
