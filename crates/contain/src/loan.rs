//! A directory of the host that a run may write to while it lasts.

use crate::leftovers::{Owner, disarm, give};
use std::io;
use std::path::{Path, PathBuf};

/// A directory lent to a run's user until nothing of the run is left. Dropping it takes the directory back.
#[derive(Debug)]
pub(crate) struct Loan {
    directory: PathBuf,
    /// The original and the temporary owner, if ownership was changed.
    given: Option<(Owner, Owner)>,
    is_back: bool,
}

impl Loan {
    /// A loan without a change of owners, because a mount translates them.
    pub(crate) fn translated(directory: &Path) -> Self {
        Self { directory: directory.to_owned(), given: None, is_back: false }
    }

    /// A loan that changes the owner of the directory and of its owner's files in it.
    pub(crate) fn given(directory: &Path, owner: Owner, user: Owner) -> io::Result<Self> {
        // If changing owners fails halfway, dropping the loan restores them.
        let loan = Self { directory: directory.to_owned(), given: Some((owner, user)), is_back: false };
        give(directory, owner, user)?;
        Ok(loan)
    }

    /// Takes the directory back, and clears set-id bits in it.
    pub(crate) fn take_back(mut self) -> io::Result<()> {
        self.is_back = true;
        self.end()
    }

    fn end(&self) -> io::Result<()> {
        let disarmed = disarm(&self.directory);
        if let Some((owner, user)) = self.given {
            give(&self.directory, user, owner)?;
        }
        disarmed
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        if !self.is_back {
            let _ = self.end();
        }
    }
}
