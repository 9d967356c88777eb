//! Data that is not part of the project, and saying so when something is not at hand.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

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

/// The rows of a table with tabs, by the names in its first line.
pub fn table(file: &Path) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(file).expect("a table that can be read");
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split('\t').collect();
    let row = |line: &str| {
        names.iter().zip(line.split('\t')).map(|(name, cell)| ((*name).to_owned(), cell.to_owned())).collect()
    };
    lines.map(row).collect()
}

/// The text of a file that xz or bzip2 has packed.
pub fn unpacked(file: &Path) -> String {
    let program = if file.extension().is_some_and(|end| end == "xz") { "xz" } else { "bzip2" };
    let output = Command::new(program).arg("-dc").arg(file).output();
    let output = output.unwrap_or_else(|error| panic!("{program} is needed (scripts/test installs it): {error}"));
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("the packed file is text")
}

/// Says that a test had nothing to do, past the capture of a passing test's output.
pub fn skipped(why: &str) {
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}
