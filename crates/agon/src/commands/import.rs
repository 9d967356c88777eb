//! `agon import`

use crate::cli::{ImportFormat, ImportOptions};
use crate::failure::{NO, Usage};
use crate::print::print_rows;
use crate::reading::read;
use agon_domain::{ClaimRules, Track};
use agon_import::Registered;
use agon_rulebook::Rulebook;
use anyhow::Context;
use serde_json::json;
use std::fs::File;
use std::path::Path;
use std::process::ExitCode;

pub fn run(options: &ImportOptions) -> anyhow::Result<ExitCode> {
    for file in &options.files {
        check_kind(options.kind, file)?;
    }
    let Some(imported) = read(&options.files, options.reading)? else {
        return Ok(ExitCode::from(NO));
    };
    let track = options.track.unwrap_or_else(|| imported.track());
    let (mut results, registered) = imported.into_results(track).map_err(|misfit| Usage(misfit.to_string()))?;
    if results.runs.is_empty() {
        say!("agon: there is nothing left to import");
        return Ok(ExitCode::from(NO));
    }
    if let Some(rulebook) = rulebook_of(&registered, track) {
        registered.enter(&mut results, &rulebook);
    }
    // For each solver: runs, solved, wrong.
    let mut counts = vec![[0_u64; 3]; results.solvers.len()];
    for run in &results.runs {
        let own = &mut counts[run.solver.place()];
        let worth = run.claim.worth(results.benchmark_of(run).status, &ClaimRules::default());
        let more = [1, u64::from(worth.points > 0), u64::from(worth.errors > 0)];
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

/// The rulebook that defines the logics of the divisions in submissions: the newest one of SMT-COMP that knows most of
/// them.
fn rulebook_of(registered: &Registered, track: Track) -> Option<Rulebook> {
    let divisions = registered.divisions(track);
    let known = |rulebook: &Rulebook| {
        let groups = rulebook.divisions.get(&track);
        divisions.iter().filter(|division| groups.is_some_and(|groups| groups.0.contains_key(**division))).count()
    };
    let rulebooks = Rulebook::names().filter(|name| name.starts_with("smtcomp"));
    let rulebooks = rulebooks.filter_map(|name| Rulebook::named(name).ok());
    rulebooks.filter(|rulebook| rulebook.tracks.contains_key(&track)).max_by_key(known)
}

/// Checks that a file's name fits the given format. Only XML is recognized by its name; other formats are detected from
/// the content.
fn check_kind(kind: ImportFormat, file: &Path) -> anyhow::Result<()> {
    let is_xml = file.file_name().is_some_and(|name| name.to_string_lossy().contains(".xml"));
    match kind {
        ImportFormat::Benchexec if !is_xml && !file.is_dir() => {
            Err(Usage(format!("{}: results of BenchExec are .xml, .xml.bz2 or .xml.gz files", file.display())).into())
        }
        ImportFormat::Starexec | ImportFormat::Smtcomp | ImportFormat::Slcomp if is_xml => {
            Err(Usage(format!("{}: this is XML; use 'agon import benchexec'", file.display())).into())
        }
        _ => Ok(()),
    }
}
