//! Data that is not part of the project.

use std::path::PathBuf;

/// The folder of shared data: `AGON_SHARED`, or `shared` beside the project. Where it is not, says so, and the test
/// that asked has nothing to do.
#[allow(clippy::print_stderr)] // a test tells its reader what it did not do
pub fn shared(part: &str) -> Option<PathBuf> {
    let beside = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared"));
    let folder = std::env::var_os("AGON_SHARED").map_or(beside, PathBuf::from).join(part);
    if folder.exists() {
        return Some(folder);
    }
    eprintln!("skipped: there is no {} (set AGON_SHARED to the folder of shared data)", folder.display());
    None
}
