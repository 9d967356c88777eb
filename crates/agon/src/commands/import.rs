//! `agon import`

use crate::cli::{ImportFormat, ImportOptions, ReadingOptions};
use crate::failure::{NO, Usage};
use crate::print::print_rows;
use agon_domain::Track;
use agon_import::Imported;
use agon_rulebook::Rulebook;
use anyhow::Context;
use serde_json::json;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Tells of no more faults than this one by one.
const TOLD: usize = 20;

pub fn run(options: &ImportOptions) -> anyhow::Result<ExitCode> {
    for file in &options.files {
        check_kind(options.kind, file)?;
    }
    let Some(imported) = read(&options.files, options.reading)? else {
        return Ok(ExitCode::from(NO));
    };
    let track = options.track.unwrap_or_else(|| imported.track());
    let rules = any_rules(track)?;
    let results = imported.results(&rules, track, [].into()).map_err(|misfit| Usage(misfit.to_string()))?;
    // Runs, solved, wrong.
    let mut counts = vec![[0_u64; 3]; results.solvers.len()];
    for run in &results.runs {
        let own = &mut counts[run.solver as usize];
        let more = [1, u64::from(run.points > 0), u64::from(run.errors > 0)];
        own.iter_mut().zip(more).for_each(|(own, more)| *own += more);
    }
    let rows = results.solvers.iter().zip(counts).map(|(solver, [runs, solved, wrong])| {
        json!({
            "solver": solver.name,
            "team": solver.team,
            "competing": solver.competing,
            "runs": runs,
            "solved": solved,
            "wrong": wrong,
        })
    });
    print_rows(rows.collect(), &["solver", "team", "competing", "runs", "solved", "wrong"], options.format)?;
    say!(
        "{} runs of {} solvers on {} benchmarks of {} logics",
        results.runs.len(),
        results.solvers.len(),
        results.benchmarks.len(),
        results.logics.len()
    );
    if let Some(file) = &options.to {
        let out = File::create(file).with_context(|| file.display().to_string())?;
        agon_import::write_csv(&results, std::io::BufWriter::new(out)).with_context(|| file.display().to_string())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Only BenchExec's results can be told from the others by their first byte; of the others every file says what it is.
fn check_kind(kind: ImportFormat, file: &Path) -> anyhow::Result<()> {
    let is_xml = file.file_name().is_some_and(|name| name.to_string_lossy().contains(".xml"));
    match kind {
        ImportFormat::Benchexec if !is_xml => {
            Err(Usage(format!("{}: results of BenchExec are .xml, .xml.bz2 or .xml.gz files", file.display())).into())
        }
        ImportFormat::Starexec | ImportFormat::Smtcomp | ImportFormat::Slcomp if is_xml => {
            Err(Usage(format!("{}: this is XML; say 'agon import benchexec'", file.display())).into())
        }
        _ => Ok(()),
    }
}

/// Any rulebook that has a track, where results are looked at and not scored.
pub fn any_rules(track: Track) -> anyhow::Result<Rulebook> {
    let mut rulebooks = Rulebook::names().filter_map(|name| Rulebook::named(name).ok());
    let rules = rulebooks.find(|rules| rules.tracks.contains_key(&track));
    Ok(rules.ok_or_else(|| Usage(format!("no rulebook has a {track} track")))?)
}

/// Reads files. Lines that make no sense are told, and are the end of it unless they are to be set aside.
pub fn read(files: &[PathBuf], options: ReadingOptions) -> anyhow::Result<Option<Imported>> {
    let mut imported = agon_import::read(files)?;
    if options.count_duplicates {
        imported.count_duplicates();
    }
    let faults = imported.faults();
    for fault in faults.iter().take(TOLD) {
        say!("{fault}");
    }
    if faults.len() > TOLD {
        say!("and {} more", faults.len() - TOLD);
    }
    if !faults.is_empty() {
        let (bad, good) = (faults.len(), imported.run_count());
        if !options.set_aside {
            say!("agon: {bad} lines make no sense, beside {good} runs; mend them, or go on without them: --set-aside");
            return Ok(None);
        }
        say!("{bad} lines are set aside; {good} runs count");
    }
    Ok(Some(imported))
}
