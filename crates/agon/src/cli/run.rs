//! The options of `agon run`.

use super::TrackOptions;
use clap::{Args, ValueEnum};

#[derive(Args, Default)]
pub struct RunOptions {
    #[command(flatten)]
    pub track: TrackOptions,
    #[command(flatten)]
    pub place: PlaceOptions,
}

/// Where and in which order pairs are run.
#[derive(Args, Default)]
pub struct PlaceOptions {
    /// Where to run
    #[arg(long, value_enum, default_value_t)]
    pub on: Backend,
    /// The number of concurrent runs; by default as many as the available whole cores allow
    #[arg(long, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=4096))]
    pub slots: Option<usize>,
    /// The hardware threads to use, such as 0-3,8; by default all available ones
    #[arg(long, value_name = "SET", value_parser = threads, default_value = "", hide_default_value = true)]
    pub cores: Threads,
    /// The order within a heat
    #[arg(long, value_enum, default_value_t)]
    pub order: OrderName,
    /// Divisions or entrants to run before all others
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub first: Vec<String>,
    #[command(flatten, next_help_heading = "On Slurm")]
    pub slurm: SlurmOptions,
}

#[derive(Args, Default)]
pub struct SlurmOptions {
    /// The intended duration of a job, in seconds
    #[arg(long, value_name = "S", default_value_t = 600, value_parser = clap::value_parser!(u64).range(1..=604_800))]
    pub job_length: u64,
    /// The maximum number of jobs in the queue at a time; with more pairs, jobs get longer
    #[arg(long, value_name = "N", default_value_t = 5000, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..=1_000_000))]
    pub most_jobs: usize,
    /// An option for sbatch, such as --sbatch=--partition=long; may be repeated
    #[arg(long, value_name = "OPTION", allow_hyphen_values = true)]
    pub sbatch: Vec<String>,
    /// Submit jobs, collect finished ones, and exit without waiting for the rest
    #[arg(long)]
    pub detach: bool,
    /// Cancel all jobs of this competition
    #[arg(long, conflicts_with = "detach")]
    pub cancel: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Backend {
    /// Slots on this machine
    #[default]
    Local,
    /// Jobs on a Slurm cluster that shares this file system
    Slurm,
}

#[derive(Args)]
pub struct WorkerOptions {
    /// The directory of a round, below the competition's slurm/
    pub round: std::path::PathBuf,
    /// The number of the chunk
    pub chunk: usize,
}

/// Hardware threads by number.
pub type Threads = Vec<usize>;

impl PlaceOptions {
    /// Converts these to the options of the library.
    pub fn to_run(&self) -> agon_competition::RunOptions {
        let SlurmOptions { job_length, most_jobs, sbatch, detach, cancel } = &self.slurm;
        let slurm = agon_competition::SlurmOptions {
            job_length: *job_length,
            most_jobs: *most_jobs,
            sbatch: sbatch.clone(),
            detach: *detach,
            cancel: *cancel,
        };
        agon_competition::RunOptions {
            slots: self.slots,
            cores: self.cores.clone(),
            order: self.order.into(),
            first: self.first.clone(),
            slurm: (self.on == Backend::Slurm).then_some(slurm),
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum OrderName {
    /// All solvers on a benchmark, then the next benchmark
    #[default]
    Benchmark,
    /// All benchmarks of a solver, then the next solver
    Entrant,
    /// The longest expected runs first, by earlier runs
    Longest,
}

impl From<OrderName> for agon_dispatch::RunOrder {
    fn from(name: OrderName) -> Self {
        match name {
            OrderName::Benchmark => Self::Benchmark,
            OrderName::Entrant => Self::Entrant,
            OrderName::Longest => Self::Longest,
        }
    }
}

/// Parses a set of hardware threads such as `0-3,8`.
fn threads(text: &str) -> Result<Threads, String> {
    let mut threads = vec![];
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |word: &str| word.parse::<usize>().ok().filter(|number| *number < 1024);
        match (number(first), number(last)) {
            (Some(first), Some(last)) if first <= last => threads.extend(first..=last),
            _ => return Err("must be a set of numbers, such as 0-3,8".into()),
        }
    }
    threads.sort_unstable();
    threads.dedup();
    Ok(threads)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_sets_of_threads() {
        assert_eq!(threads("0-3,8,2"), Ok(vec![0, 1, 2, 3, 8]));
        assert_eq!(threads(""), Ok(vec![]));
        for wrong in ["x", "3-1", "1-", "-1", "99999", "0-4294967296"] {
            assert!(threads(wrong).is_err(), "{wrong}");
        }
    }
}
