//! Data that is not part of the project, and saying so when something is not at hand.

use std::io::Write;
use std::path::PathBuf;

/// The folder of shared data: `AGON_SHARED`, or `shared` beside the project. Where it is not, says so, and the test
/// that asked has nothing to do.
pub fn shared(part: &str) -> Option<PathBuf> {
    let beside = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared"));
    let folder = std::env::var_os("AGON_SHARED").map_or(beside, PathBuf::from).join(part);
    if folder.exists() {
        return Some(folder);
    }
    skipped(&format!("there is no {part} of shared data (set AGON_SHARED to its folder)"));
    None
}

/// Says that a test had nothing to do, past the capture of a passing test's output.
pub fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}
