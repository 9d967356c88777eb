//! `agon run --on slurm`

use super::batch::task;
use super::run::Ready;
use crate::cli::SlurmOptions;
use crate::hosts::{self, UNCONFINED};
use crate::interrupt;
use crate::progress::{Counts, Progress};
use agon_dispatch::{Cluster, ClusterEvent, Expected, Orders, Round, Task};
use agon_domain::{EntrantName, PairId, Time};
use agon_judge::single_answer;
use agon_store::{Competition, Store};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The cluster as a competition uses it, and the interrupts while it does.
pub struct Coordinator {
    cluster: Cluster,
    stop: Arc<AtomicBool>,
    stop_at_once: Arc<AtomicBool>,
    detach: bool,
}

/// How following the cluster's rounds ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Followed {
    /// No jobs are left.
    ToTheEnd { recorded: usize },
    /// Somebody does not want to wait.
    No,
}

impl Coordinator {
    pub fn new(competition: &Competition, options: &SlurmOptions) -> anyhow::Result<Self> {
        let stop_at_once = Arc::new(AtomicBool::new(false));
        let flag = Arc::clone(&stop_at_once);
        let cluster = Cluster {
            folder: std::path::absolute(competition.cluster_folder())?,
            program: std::env::current_exe()?,
            job_length: Time::from_secs(options.job_length),
            most_jobs: options.most_jobs,
            options: options.sbatch.clone(),
            flags: hosts::are_unconfined().then(|| UNCONFINED.to_owned()).into_iter().collect(),
        };
        let stop = interrupt::listen(move || flag.store(true, Ordering::Relaxed))?;
        Ok(Self { cluster, stop, stop_at_once, detach: options.detach })
    }

    /// Whether somebody has asked to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Takes the jobs of all open rounds out of the queue.
    pub fn cancel(&self) -> anyhow::Result<()> {
        for round in self.cluster.rounds()? {
            round.cancel()?;
        }
        Ok(())
    }

    /// Follows the rounds that earlier coordinators have left, to their end.
    pub fn follow_open_rounds(&self, store: &mut Store) -> anyhow::Result<Followed> {
        let mut all = 0;
        for round in self.cluster.rounds()? {
            say!("going on with the jobs of {}", round.folder().display());
            match self.follow(round, store, None)? {
                Followed::ToTheEnd { recorded } => all += recorded,
                Followed::No => return Ok(Followed::No),
            }
        }
        Ok(Followed::ToTheEnd { recorded: all })
    }

    /// Submits the pairs that are ready, and follows them.
    pub fn run(&self, ready: &Ready<'_>, took: &HashMap<PairId, Time>, store: &mut Store) -> anyhow::Result<Followed> {
        let Ready { batch, queue, .. } = ready;
        let expected = Expected::new(queue, took, batch.limits.wall);
        let tasks: Vec<Task> = queue.pending.iter().map(|pending| task(queue, pending)).collect();
        let times = queue.pending.iter().map(|pending| expected.of(pending));
        let round = self.cluster.submit(batch, &tasks, times, &self.stop)?;
        let solvers = tasks.iter().map(|task| (task.pair, batch.runner(task).name.clone())).collect();
        self.follow(round, store, Some(&solvers))
    }

    fn follow(
        &self,
        mut round: Round,
        store: &mut Store,
        solvers: Option<&HashMap<PairId, EntrantName>>,
    ) -> anyhow::Result<Followed> {
        let mut progress = Progress::new(solvers.map_or(0, |solvers| solvers.len() as u64));
        let (mut counts, mut jobs, mut trouble) = (Counts::default(), String::new(), String::new());
        let mut observe = |event: ClusterEvent<'_>| match event {
            ClusterEvent::Recorded(done) => {
                if let Some(solver) = solvers.and_then(|solvers| solvers.get(&done.outcome.pair)) {
                    counts.add(solver, single_answer(&done.stdout));
                }
                progress.step(|| format!("{jobs}; {counts}"));
            }
            ClusterEvent::Jobs(states) => {
                let mut states: Vec<_> = states.iter().map(|(state, count)| format!("{count} {state}")).collect();
                states.sort();
                jobs = format!("jobs: {}", states.join(", ").to_lowercase());
                trouble.clear();
            }
            ClusterEvent::Trouble(what) if what != trouble => {
                say!("warning: {what}; trying again");
                trouble = what;
            }
            ClusterEvent::Trouble(_) => {}
            ClusterEvent::Waiting => progress.tick(),
        };
        if self.detach && round.has_jobs()? {
            let recorded = round.collect(store, &mut observe)?.recorded;
            say!("{recorded} outcomes collected; the jobs of {} go on", round.folder().display());
            return Ok(Followed::No);
        }
        let orders = Orders { stop: &self.stop, stop_at_once: &self.stop_at_once };
        let recorded = round.follow(store, orders, &mut observe)?;
        progress.finish();
        if recorded == 0
            && let Some(words) = round.last_words()
        {
            say!("warning: a job has done nothing; its last words: {words}");
        }
        round.close()?;
        Ok(Followed::ToTheEnd { recorded })
    }
}
