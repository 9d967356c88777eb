//! `agon library add`

use crate::failure::NO;
use crate::progress::observer;
use agon_competition::{IndexOptions, Indexed, counted, index};
use agon_store::Competition;
use std::path::Path;
use std::process::ExitCode;

pub fn add(competition: &Competition, directory: &Path, options: &IndexOptions) -> anyhow::Result<ExitCode> {
    let indexed = index(competition, directory, options, &mut observer())?;
    tell(&indexed);
    Ok(ExitCode::from(if indexed.left_out.is_empty() { 0 } else { NO }))
}

/// Prints what was indexed and what was left out.
pub fn tell(indexed: &Indexed) {
    for (file, reason) in &indexed.left_out {
        say!("left out: {}: {reason}", file.display());
    }
    if indexed.taken_out > 0 {
        let benchmarks =
            counted(indexed.taken_out as u64, "benchmark was removed and stays", "benchmarks were removed and stay");
        say!("{benchmarks} out; --restore adds them again, 'agon library changes' shows why");
    }
    if indexed.links > 0 {
        say!("{} not followed", counted(indexed.links as u64, "symbolic link is", "symbolic links are"));
    }
    if indexed.replaced > 0 {
        let replaced = counted(indexed.replaced as u64, "benchmark replaces one", "benchmarks replace those");
        say!("{replaced} of the same path below another directory");
    }
    if let Some(changes) = &indexed.changes {
        let counts: Vec<String> = changes.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let counts = if counts.is_empty() { "nothing has changed".into() } else { counts.join(", ") };
        say!("{}; {counts}", counted(indexed.read as u64, "file read", "files read"));
    }
    if let Some(placed) = &indexed.placed {
        let parts: Vec<String> = placed.iter().map(|(part, count)| format!("{count} in {part}")).collect();
        say!("not in SMT-LIB's layout; placed by logic and number of queries: {}", parts.join(", "));
    }
    for (count, how) in indexed.duplicates.iter().zip(["byte for byte", "up to formatting"]) {
        if *count > 0 {
            let equal = counted(*count as u64, "benchmark equals another", "benchmarks equal another");
            say!("{equal} {how}; 'agon library duplicates' lists them");
        }
    }
    say!("{} benchmarks indexed, {} files left out", indexed.benchmarks, indexed.left_out.len());
}
