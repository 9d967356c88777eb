//! The competition that a command works on, with the reason of `--override`.

use agon_store::{Competition, CompetitionError};
use std::path::Path;
use std::sync::OnceLock;

static REASON: OnceLock<String> = OnceLock::new();

/// Records the reason that was given with `--override`.
pub fn override_with(reason: String) {
    let _ = REASON.set(reason);
}

/// Opens the competition in a directory.
pub fn open_competition(directory: &Path) -> Result<Competition, CompetitionError> {
    Ok(Competition::open(directory)?.with_override(REASON.get().cloned()))
}
