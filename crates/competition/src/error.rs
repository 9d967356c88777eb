//! Why a step failed.

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

/// Why a step failed. Each message names the remedy.
#[derive(Debug, thiserror::Error)]
pub enum StepError {
    /// Invalid arguments.
    #[error("{0}")]
    Usage(String),
    /// Something the step needs is missing or out of date.
    #[error("{0}")]
    Missing(String),
    /// There is nothing to run in a track, for this reason.
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
    /// The competition's directory.
    #[error(transparent)]
    Competition(#[from] CompetitionError),
    /// Its database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its library.
    #[error(transparent)]
    Index(#[from] IndexError),
    /// An entrant's files.
    #[error(transparent)]
    Describe(#[from] DescribeError),
    /// A solver that could not be fetched.
    #[error(transparent)]
    Fetch(#[from] FetchError),
    /// A run outside the plan.
    #[error(transparent)]
    Contain(#[from] ContainError),
    /// The runs of the plan.
    #[error(transparent)]
    Dispatch(#[from] DispatchError),
    /// The runs of the plan, on a cluster.
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    /// The batch system of the cluster.
    #[error(transparent)]
    Slurm(#[from] SlurmError),
    /// A benchmark that cannot be scrambled.
    #[error(transparent)]
    Scramble(#[from] ScrambleError),
    /// Results of other systems.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// The results site.
    #[error(transparent)]
    Site(#[from] SiteError),
}

impl StepError {
    /// The error itself, without context.
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
    /// Adds this context.
    fn during(self, what: impl Display) -> Result<T, StepError>;
}

impl<T, E: Into<StepError>> Blame<T> for Result<T, E> {
    fn during(self, what: impl Display) -> Result<T, StepError> {
        self.map_err(|error| StepError::During(what.to_string(), Box::new(error.into())))
    }
}

/// Adds the path to an I/O error.
pub(crate) trait At<T> {
    /// The file.
    fn at(self, path: &Path) -> Result<T, StepError>;
}

impl<T> At<T> for io::Result<T> {
    fn at(self, path: &Path) -> Result<T, StepError> {
        self.map_err(|error| StepError::Io(path.to_owned(), error))
    }
}
