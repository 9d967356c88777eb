//! Reads results for a command, and prints messages about malformed lines.

use crate::cli::ReadingOptions;
use crate::failure::Usage;
use agon_competition::{counted, printable};
use agon_import::Imported;
use agon_score::{MissingQueries, Rules, TrackResults, missing_queries};
use std::path::PathBuf;

/// How many errors are printed one by one.
const PRINTED: usize = 20;

/// Reads files, directories, patterns and archives of results, and prints malformed lines. Returns `None` if there are
/// any, unless `--set-aside` was given.
pub fn read(files: &[PathBuf], options: ReadingOptions) -> anyhow::Result<Option<Imported>> {
    let mut imported = agon_import::read(files)?;
    if options.count_duplicates {
        imported.count_duplicates();
    }
    for (file, why) in imported.skipped() {
        say!("{}: skipped, not a results file: {}", file.display(), printable(why));
    }
    for error in imported.errors().take(PRINTED) {
        say!("{}", printable(&error.to_string()));
    }
    let bad = imported.error_count();
    if bad > PRINTED as u64 {
        say!("and {} more", bad - PRINTED as u64);
    }
    if bad > 0 {
        let good = imported.run_count();
        let lines = counted(bad, "malformed line", "malformed lines");
        let runs = counted(good as u64, "run", "runs");
        if !options.set_aside {
            let remedy = if imported.duplicates() == bad {
                "pass --count-duplicates to count every run of a pair, or --set-aside to keep the first"
            } else if bad == 1 {
                "fix it, or pass --set-aside to ignore it"
            } else {
                "fix them, or pass --set-aside to ignore them"
            };
            say!("agon: {lines} ({runs} read); {remedy}");
            return Ok(None);
        }
        say!("{lines} set aside; {runs} read");
    }
    for note in imported.notes() {
        say!("{note}");
    }
    Ok(Some(imported))
}

/// Returns an error if the rules need numbers of queries that are missing, and otherwise prints what is missing.
pub fn check_queries(results: &TrackResults, rules: &Rules<'_>) -> Result<(), Usage> {
    let Some(MissingQueries { benchmarks, are_needed }) = missing_queries(results, rules) else { return Ok(()) };
    let list = "add the list (a table benchmark,num_check_sat, or benchmarks-YEAR.json of SMT-COMP)";
    let problem = format!("the number of queries of {benchmarks} benchmarks is not known");
    if are_needed {
        return Err(Usage(format!("{problem}, and {} uses it as a weight; {list}", rules.rulebook.name)));
    }
    say!("{problem}, so unsolved queries are not counted; {list}");
    Ok(())
}
