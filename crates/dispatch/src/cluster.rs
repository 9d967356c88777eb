//! Runs on a cluster: chunks of tasks become Slurm jobs, whose journals are read and recorded as they grow.
//!
//! A [`Round`] is a directory on the file system that all nodes share. It contains everything that a worker or another
//! coordinator needs to continue, so any process may be killed at any time. Slurm is only asked whether jobs are left;
//! the journals alone determine which tasks are done.

use crate::chunk::{Chunk, cut};
use crate::journal::read_from;
use crate::record::record;
use crate::slurm::{self, Array, Canceled, SlurmError, States};
use crate::task::{Batch, Done, Task};
use crate::worker::{chunk_file, journal_file};
use agon_domain::Time;
use agon_store::{Store, StoreError, write_whole};
use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// The interval at which journals are read.
const COLLECT: Duration = Duration::from_millis(500);

/// The interval at which Slurm is asked for the states of jobs.
const ASK: Duration = Duration::from_secs(2);

/// The number of consecutive reports that a round has no more jobs, or only stuck ones, before the coordinator acts on
/// it: a single report may be wrong while Slurm requeues a job.
const ASSURANCE: u32 = 2;

/// The number of retries of a submission.
const TRIES: u32 = 5;

/// The pause before a retry of a submission.
const PAUSE: Duration = Duration::from_secs(10);

/// The memory of a worker besides that of its run, in bytes: its own, and some copies of the run's output.
fn own_memory(batch: &Batch) -> u64 {
    (128 << 20) + 6 * batch.limits.output_bytes
}

/// The settings for runs on a cluster.
#[derive(Clone, Debug)]
pub struct Cluster {
    /// The directory that contains the rounds.
    pub directory: PathBuf,
    /// The path of the `agon` program on the nodes.
    pub program: PathBuf,
    /// The intended duration of a job.
    pub job_length: Time,
    /// The maximum number of jobs in a round.
    pub most_jobs: usize,
    /// Additional options for `sbatch`.
    pub options: Vec<String>,
    /// Options for the `agon` program in every job.
    pub flags: Vec<String>,
}

/// Tasks that were submitted to Slurm together.
#[derive(Debug)]
pub struct Round {
    directory: PathBuf,
    name: String,
    /// The offset up to which each journal has been read.
    read: Vec<u64>,
}

/// An event during a round.
#[derive(Debug)]
pub enum ClusterEvent<'a> {
    /// An outcome was recorded.
    Recorded(&'a Done),
    /// Slurm reported the number of jobs in each state.
    Jobs(&'a States),
    /// A temporary problem: Slurm did not answer, or a journal could not be read.
    Trouble(String),
    /// One polling interval has passed.
    Waiting,
}

/// The reason why a round could not be submitted or followed. Outcomes already recorded are kept.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// A Slurm command failed.
    #[error("the jobs could not be submitted: {0}")]
    Slurm(#[from] SlurmError),
    /// A file of the round could not be read or written.
    #[error("{0}: {1}")]
    File(PathBuf, io::Error),
    /// An outcome could not be recorded.
    #[error(transparent)]
    Store(#[from] StoreError),
}

fn at(path: &Path) -> impl Fn(io::Error) -> ClusterError {
    move |error| ClusterError::File(path.to_owned(), error)
}

impl Cluster {
    /// The open rounds, left by coordinators that were stopped or killed.
    pub fn rounds(&self) -> Result<Vec<Round>, ClusterError> {
        let items = match fs::read_dir(&self.directory) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vec![]),
            items => items.map_err(at(&self.directory))?,
        };
        let mut rounds = vec![];
        for item in items {
            let directory = item.map_err(at(&self.directory))?.path();
            let chunks = fs::read_dir(directory.join("chunks")).map_err(at(&directory))?.count();
            if let Some(name) =
                directory.file_name().and_then(|name| name.to_str()).filter(|name| name.starts_with("agon-"))
            {
                rounds.push(Round { name: name.to_owned(), read: vec![0; chunks], directory });
            }
        }
        rounds.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(rounds)
    }

    /// Submits tasks to Slurm: splits them into chunks by expected time, and submits the chunks as job arrays.
    pub fn submit(
        &self,
        batch: &Batch,
        tasks: &[Task],
        expected: impl Iterator<Item = Time> + Clone,
        stop: &AtomicBool,
    ) -> Result<Round, ClusterError> {
        let largest = slurm::largest_array()?;
        let lengths = cut(expected, self.job_length, self.most_jobs);
        let seconds = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
        let name = format!("agon-{seconds}-{}", process::id());
        let directory = self.directory.join(&name);
        for part in ["chunks", "journals", "logs"] {
            fs::create_dir_all(directory.join(part)).map_err(at(&directory))?;
        }
        let mut rest = tasks;
        for (number, length) in lengths.iter().enumerate() {
            let (these, others) = rest.split_at(*length);
            let file = chunk_file(&directory, number);
            Chunk::write(batch, these, &file).map_err(at(&file))?;
            // The journal is created now, because on some network file systems a new file takes long to become visible.
            let journal = journal_file(&directory, number);
            fs::File::create(&journal).map_err(at(&journal))?;
            rest = others;
        }
        let round = Round { directory, name, read: vec![0; lengths.len()] };
        let longest = lengths.iter().max().copied().unwrap_or(1) as u64;
        let minutes = self.minutes(batch, longest);
        for first in (0..lengths.len()).step_by(largest) {
            let script = round.directory.join(format!("job-{first}.sh"));
            let text = self.script(&round.directory, first);
            write_whole(&script, text.as_bytes()).map_err(at(&script))?;
            let array = Array {
                name: &round.name,
                script: &script,
                log: round.directory.join("logs").join(format!("{first}-%a")),
                count: largest.min(lengths.len() - first),
                cores: batch.limits.cores,
                memory_megabytes: (batch.limits.memory_bytes + own_memory(batch)).div_ceil(1 << 20),
                minutes,
                more: &self.options,
            };
            submit_patiently(&array, stop)?;
        }
        Ok(round)
    }

    /// The time limit of a job, in minutes: the sum of its runs' limits, but at most a multiple of the intended
    /// duration. Tasks that a job does not finish go to the next round.
    fn minutes(&self, batch: &Batch, runs: u64) -> u64 {
        let wall = batch.limits.wall.as_secs_f64();
        let worst = (wall + 2.0) * runs as f64;
        let likely = (4.0 * self.job_length.as_secs_f64()).max(2.0 * wall);
        (worst.min(likely) / 60.0).ceil() as u64 + 5
    }

    fn script(&self, round: &Path, first: usize) -> String {
        let quoted = |path: &Path| format!("'{}'", path.to_string_lossy().replace('\'', r"'\''"));
        format!(
            "#!/bin/sh\n# An agon job: runs the tasks of one chunk that are not yet in its journal.\n\
             exec {} {}worker {} \"$(({first} + SLURM_ARRAY_TASK_ID))\"\n",
            quoted(&self.program),
            self.flags.iter().map(|flag| format!("{flag} ")).collect::<String>(),
            quoted(round)
        )
    }
}

/// Submits a job array, with retries if Slurm is busy.
fn submit_patiently(array: &Array<'_>, stop: &AtomicBool) -> Result<(), SlurmError> {
    let mut tries = 0;
    loop {
        match slurm::submit(array) {
            Ok(()) => return Ok(()),
            Err(SlurmError::Refused(..) | SlurmError::Silent(_)) if tries < TRIES && !stop.load(Ordering::Relaxed) => {
                tries += 1;
                thread::sleep(PAUSE);
            }
            Err(error) => return Err(error),
        }
    }
}

/// Flags that tell a coordinator to stop while it follows a round.
#[derive(Clone, Copy, Debug)]
pub struct Orders<'a> {
    /// Cancel pending jobs, and wait for running ones.
    pub stop: &'a AtomicBool,
    /// Cancel running jobs too.
    pub stop_at_once: &'a AtomicBool,
}

/// The result of reading the journals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collected {
    /// The number of newly recorded outcomes.
    pub recorded: usize,
    /// Whether all journals could be read.
    pub is_complete: bool,
}

impl Round {
    /// The directory of the round.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Records outcomes as the journals grow, until Slurm has no more jobs of the round. Returns the number of outcomes
    /// recorded.
    pub fn follow(
        &mut self,
        store: &mut Store,
        orders: Orders<'_>,
        mut observe: impl FnMut(ClusterEvent<'_>),
    ) -> Result<usize, ClusterError> {
        let mut recorded = 0;
        let mut asked: Option<Instant> = None;
        let (mut without_jobs, mut stuck) = (0, 0);
        loop {
            recorded += self.collect(store, &mut observe)?.recorded;
            if asked.is_none_or(|asked| asked.elapsed() >= ASK) {
                asked = Some(Instant::now());
                // Canceling is repeated, since Slurm may have requeued a job in the meantime.
                for (order, which) in [(orders.stop, Canceled::Waiting), (orders.stop_at_once, Canceled::All)] {
                    if order.load(Ordering::Relaxed)
                        && let Err(error) = slurm::cancel(&self.name, which)
                    {
                        observe(ClusterEvent::Trouble(error.to_string()));
                    }
                }
                match slurm::states(&self.name) {
                    Ok(states) => {
                        without_jobs = if states.is_empty() { without_jobs + 1 } else { 0 };
                        let are_stuck = !states.is_empty() && states.keys().all(|state| state == slurm::STUCK);
                        stuck = if are_stuck { stuck + 1 } else { 0 };
                        observe(ClusterEvent::Jobs(&states));
                    }
                    Err(error) => observe(ClusterEvent::Trouble(error.to_string())),
                }
            }
            if stuck >= ASSURANCE {
                // Slurm would hold the jobs forever. They are canceled, so that their tasks go to the next round.
                stuck = 0;
                observe(ClusterEvent::Trouble("Slurm holds jobs that it could not start; they are resubmitted".into()));
                if let Err(error) = slurm::cancel(&self.name, Canceled::All) {
                    observe(ClusterEvent::Trouble(error.to_string()));
                }
            }
            if without_jobs >= ASSURANCE {
                let last = self.collect(store, &mut observe)?;
                recorded += last.recorded;
                // A journal that cannot be read now may be readable later, and the round must not be removed before.
                if last.is_complete {
                    return Ok(recorded);
                }
            }
            observe(ClusterEvent::Waiting);
            thread::sleep(COLLECT.max(Duration::from_millis(self.read.len() as u64)));
        }
    }

    /// Records the new entries of all journals.
    pub fn collect(
        &mut self,
        store: &mut Store,
        observe: &mut impl FnMut(ClusterEvent<'_>),
    ) -> Result<Collected, ClusterError> {
        let mut collected = Collected { recorded: 0, is_complete: true };
        for number in 0..self.read.len() {
            let file = journal_file(&self.directory, number);
            loop {
                let entries = match read_from(&file, self.read[number]) {
                    Ok(entries) => entries,
                    Err(error) => {
                        observe(ClusterEvent::Trouble(format!("{}: {error}", file.display())));
                        collected.is_complete = false;
                        break;
                    }
                };
                if entries.end == self.read[number] {
                    break;
                }
                let (mut new, mut seen) = (vec![], HashSet::new());
                for done in entries.done {
                    // An attempt may appear again if a job ran twice, or if a coordinator was killed after recording
                    // it. The first record counts.
                    let attempt = (done.outcome.pair, done.outcome.attempt);
                    if seen.insert(attempt) && !store.is_recorded(attempt.0, attempt.1)? {
                        new.push(done);
                    }
                }
                record(store, new.iter())?;
                self.read[number] = entries.end;
                collected.recorded += new.len();
                new.iter().for_each(|done| observe(ClusterEvent::Recorded(done)));
            }
        }
        Ok(collected)
    }

    /// Whether Slurm has jobs of the round.
    pub fn has_jobs(&self) -> Result<bool, SlurmError> {
        Ok(!slurm::states(&self.name)?.is_empty())
    }

    /// Cancels all jobs of the round.
    pub fn cancel(&self) -> Result<(), SlurmError> {
        slurm::cancel(&self.name, Canceled::All)
    }

    /// The last line in the log of some job, if there is one.
    pub fn last_words(&self) -> Option<String> {
        let logs = fs::read_dir(self.directory.join("logs")).into_iter().flatten().flatten();
        let texts = logs.filter_map(|log| fs::read_to_string(log.path()).ok());
        texts.filter_map(|text| text.lines().rev().find(|line| !line.trim().is_empty()).map(str::to_owned)).next()
    }

    /// Removes the directory of a round whose journals have all been recorded.
    pub fn close(self) -> Result<(), ClusterError> {
        fs::remove_dir_all(&self.directory).map_err(at(&self.directory))
    }
}
