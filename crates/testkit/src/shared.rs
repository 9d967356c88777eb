//! Data that is not part of the project, and tests that cannot run here.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A part of the shared data, in the directory `AGON_SHARED` or in `shared` next to the project. The data is not part
/// of the project: without it the test has nothing to do. With it, a missing part is a failure.
pub fn shared(part: &str) -> Option<PathBuf> {
    let beside = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared"));
    let root = std::env::var_os("AGON_SHARED").map_or(beside, PathBuf::from);
    if !root.exists() {
        note(&format!("no shared data for this test; set AGON_SHARED to its directory ({part})"));
        return None;
    }
    let directory = root.join(part);
    assert!(directory.exists(), "{} is missing from the shared data", directory.display());
    Some(directory)
}

/// The rows of a tab-separated table, by the names in its first line.
pub fn table(file: &Path) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(file).expect("a table that can be read");
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let row = |line: &str| {
        names.iter().zip(line.split('\t')).map(|(name, cell)| ((*name).to_owned(), cell.to_owned())).collect()
    };
    lines.map(row).collect()
}

/// The text of a file compressed with xz or bzip2.
pub fn unpacked(file: &Path) -> String {
    let program = if file.extension().is_some_and(|end| end == "xz") { "xz" } else { "bzip2" };
    let output = Command::new(program).arg("-dc").arg(file).output();
    let output = output.unwrap_or_else(|error| panic!("{program} is needed (scripts/test installs it): {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the packed file is text")
}

/// Reports that this machine or user cannot run a test. With `AGON_TESTS=all`, which CI sets, that is a failure.
pub fn skipped(why: &str) {
    assert!(std::env::var_os("AGON_TESTS").is_none_or(|which| which != "all"), "the test did not run: {why}");
    note(why);
}

/// Writes to the terminal even if the output of a passing test is captured.
fn note(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}
