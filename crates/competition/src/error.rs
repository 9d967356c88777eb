//! The errors of steps.

use agon_contain::ContainError;
use agon_dispatch::{ClusterError, DispatchError, SlurmError};
use agon_entrant::{DescribeError, FetchError};
use agon_import::ImportError;
use agon_library::IndexError;
use agon_report::SiteError;
use agon_scramble::ScrambleError;
use agon_store::{CompetitionError, StoreError};
use std::fmt::Display;
use std::io;
use std::path::{Path, PathBuf};

/// The reason why a step failed. Each message names a remedy.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// The arguments are invalid.
    #[error("{0}")]
    Usage(String),
    /// Something that the step needs is missing or out of date.
    #[error("{0}")]
    Missing(String),
    /// No pair of a track can be run, for this reason.
    #[error("{0}")]
    NothingToRun(String),
    /// The user interrupted the step.
    #[error("interrupted")]
    Interrupted,
    /// A file could not be read or written.
    #[error("{0}: {1}")]
    Io(PathBuf, io::Error),
    /// An error with its context.
    #[error("{0}: {1}")]
    During(String, Box<StepError>),
    /// The competition's directory cannot be used.
    #[error(transparent)]
    Competition(#[from] CompetitionError),
    /// The competition's database failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The competition's library could not be read or extended.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// The files of a solver are not a valid entrant.
    #[error(transparent)]
    Describe(#[from] DescribeError),
    /// A solver could not be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// A run outside the plan failed.
    #[error(transparent)]
    Contain(#[from] ContainError),
    /// The runs of the plan failed on this machine.
    #[error(transparent)]
    Dispatch(#[from] DispatchError),
    /// The runs of the plan failed on a cluster.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// A Slurm command failed.
    #[error(transparent)]
    Slurm(#[from] SlurmError),
    /// A benchmark cannot be scrambled.
    #[error(transparent)]
    Scramble(#[from] ScrambleError),
    /// Results of another system cannot be read.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The results site could not be written.
    #[error(transparent)]
    Site(#[from] SiteError),
}

impl StepError {
    /// The original error, without context.
    pub fn root(&self) -> &Self {
        match self {
            Self::During(_, cause) => cause.root(),
            other => other,
        }
    }

    /// Whether the user interrupted the step.
    pub fn is_interruption(&self) -> bool {
        matches!(self.root(), Self::Interrupted | Self::Contain(ContainError::Interrupted))
    }
}

/// Adds context to an error.
pub(crate) trait Blame<T> {
    /// Wraps an error with a description of what failed.
    fn during(self, what: impl Display) -> Result<T, StepError>;
}

impl<T, E: Into<StepError>> Blame<T> for Result<T, E> {
    fn during(self, what: impl Display) -> Result<T, StepError> {
        self.map_err(|error| StepError::During(what.to_string(), Box::new(error.into())))
    }
}

/// Adds the path to an I/O error.
pub(crate) trait At<T> {
    /// Wraps an I/O error with the path of the file.
    fn at(self, path: &Path) -> Result<T, StepError>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, path: &Path) -> Result<T, StepError> {
        self.map_err(|error| StepError::Io(path.to_owned(), error))
    }
}
