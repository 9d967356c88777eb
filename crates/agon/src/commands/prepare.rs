//! `agon prepare`

use crate::cli::TRACK;
use crate::progress::Progress;
use agon_domain::{BenchmarkPath, Digest, Prepared};
use agon_library::read_pinned;
use agon_select::Selection;
use agon_store::{Competition, write_again};
use anyhow::Context;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

pub fn run(folder: &Path) -> anyhow::Result<ExitCode> {
    let prepared = prepare_all(&Competition::open(folder)?)?;
    say!("{} benchmarks prepared", prepared.len());
    Ok(ExitCode::SUCCESS)
}

/// The seed of the selection, and the benchmarks that are in it.
pub fn selection(competition: &Competition) -> anyhow::Result<(u32, Vec<BenchmarkPath>)> {
    let file = competition.selection_file();
    let table =
        fs::read(&file).with_context(|| format!("{} cannot be read; 'agon select' writes it", file.display()))?;
    Selection::chosen_in(&table)
        .map_err(|error| anyhow::anyhow!("{}: {error}; 'agon select' writes it anew", file.display()))
}

/// Prepares every selected benchmark and records what solvers will see.
pub fn prepare_all(competition: &Competition) -> anyhow::Result<Vec<Prepared>> {
    let (_, chosen) = selection(competition)?;
    let library = competition.library()?;
    let mut progress = Progress::new(chosen.len() as u64);
    let mut all = Vec::with_capacity(chosen.len());
    for path in chosen {
        let entry = library.get(&path).ok_or_else(|| {
            anyhow::anyhow!("{path} is selected but no longer in the library; run 'agon select' again")
        })?;
        let script = read_pinned(&entry.file(), entry.benchmark.digest)?;
        let bytes = agon_scramble::prepare(&script).with_context(|| entry.file().display().to_string())?;
        let digest = Digest::of(&bytes);
        // It can be made anew, and is checked before each run.
        write_again(&competition.prepared_file(TRACK, &digest), &bytes)?;
        let (division, status) = (entry.benchmark.logic.clone(), entry.benchmark.status());
        all.push(Prepared { benchmark: path, track: TRACK, division, digest, status });
        progress.step(String::new);
    }
    progress.finish();
    competition.store()?.set_prepared(TRACK, &all)?;
    Ok(all)
}
