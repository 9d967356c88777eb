//! Test data outside the project, and how tests report that they were skipped.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A part of the shared data, in the directory `AGON_SHARED` or in `shared` next to the project. The data is not part
/// of the project: without it the test is [`skipped`]. With it, a missing part is a failure.
pub fn shared(part: &str) -> Option<PathBuf> {
    let sibling = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared"));
    let root = std::env::var_os("AGON_SHARED").map_or(sibling, PathBuf::from);
    if !root.exists() {
        skipped("no shared data; set AGON_SHARED to its directory");
        return None;
    }
    let directory = root.join(part);
    assert!(directory.exists(), "{} is missing from the shared data", directory.display());
    Some(directory)
}

/// The rows of a tab-separated table, each a map from column name to cell.
pub fn table(file: &Path) -> Vec<BTreeMap<String, String>> {
    let text = std::fs::read_to_string(file).expect("a readable table");
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
    String::from_utf8(output.stdout).expect("the compressed file is UTF-8")
}

/// Reports that this machine or user cannot run the current test. With `AGON_TESTS=all`, which CI sets, that is a
/// failure. Otherwise the test passes, and `scripts/test` counts it as skipped.
pub fn skipped(why: &str) {
    assert!(std::env::var_os("AGON_TESTS").is_none_or(|which| which != "all"), "the test did not run: {why}");
    let line = format!("{}\t{why}\n", std::thread::current().name().unwrap_or("a test"));
    // Written directly, since libtest captures the output of a passing test.
    let _ = write!(std::io::stderr(), "skipped: {line}");
    if let Some(file) = std::env::var_os("AGON_SKIPPED") {
        let file = std::fs::File::options().create(true).append(true).open(file);
        file.and_then(|mut file| file.write_all(line.as_bytes())).expect("the list of skipped tests is writable");
    }
}
