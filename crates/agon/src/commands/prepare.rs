//! `agon prepare`

use crate::cli::TrackOptions;
use crate::parallel;
use crate::progress::Progress;
use agon_domain::{BenchmarkPath, Digest, Prepared};
use agon_library::read_pinned;
use agon_rulebook::Scrambling;
use agon_scramble::ScrambleError;
use agon_select::Chosen;
use agon_store::{Competition, write_again};
use anyhow::Context;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

pub fn run(folder: &Path, options: &TrackOptions) -> anyhow::Result<ExitCode> {
    let prepared = prepare_all(&Competition::open(folder)?.on(options.track))?;
    say!("{} benchmarks prepared", prepared.len());
    Ok(ExitCode::SUCCESS)
}

/// The seed of the selection, and the benchmarks that are in it.
pub fn selection(competition: &Competition) -> anyhow::Result<Chosen> {
    let file = competition.selection_file();
    let table =
        fs::read(&file).with_context(|| format!("{} cannot be read; 'agon select' writes it", file.display()))?;
    Chosen::read(&table).map_err(|error| anyhow::anyhow!("{}: {error}; 'agon select' writes it anew", file.display()))
}

/// Prepares every selected benchmark and records what solvers will see.
pub fn prepare_all(competition: &Competition) -> anyhow::Result<Vec<Prepared>> {
    let Chosen { seed, benchmarks: chosen } = selection(competition)?;
    let scrambling = match competition.rulebook().scrambling {
        Scrambling::None => agon_scramble::Scrambling::None,
        Scrambling::Standard => agon_scramble::Scrambling::Standard,
        Scrambling::Official => agon_scramble::Scrambling::Official,
    };
    let track = competition.track();
    let library = competition.library()?;
    let mut progress = Progress::new(chosen.len() as u64);
    let mut all = Vec::with_capacity(chosen.len());
    let prepare = |(): &mut (), (path, _): &(BenchmarkPath, Option<usize>)| -> anyhow::Result<Prepared> {
        let entry = library.get(path).ok_or_else(|| {
            anyhow::anyhow!("{path} is selected but no longer in the library; run 'agon select' again")
        })?;
        let script = read_pinned(&entry.file(), entry.benchmark.digest)?;
        let ready = agon_scramble::prepare(&script, track.name(), scrambling, seed)
            .with_context(|| entry.file().display().to_string())?;
        let digest = Digest::of(&ready.bytes);
        // It can be made anew, and is checked before each run.
        write_again(&competition.prepared_file(track, &digest), &ready.bytes)?;
        if !ready.names.is_empty() {
            let file = competition.names_file(track, &entry.benchmark.digest);
            write_again(&file, &ready.names.to_table())?;
        }
        let (division, status) = (entry.benchmark.logic.clone(), entry.benchmark.status());
        Ok(Prepared { benchmark: path.clone(), track, division, digest, status })
    };
    let mut refused = 0;
    let done = |_: &_, prepared: anyhow::Result<Prepared>| {
        match prepared {
            Ok(prepared) => all.push(prepared),
            Err(error) if error.is::<ScrambleError>() => {
                say!("{error:#}");
                refused += 1;
            }
            Err(error) => return Err(error),
        }
        progress.step(String::new);
        Ok(())
    };
    parallel::in_order(&chosen, parallel::threads(), || (), prepare, done)?;
    progress.finish();
    if refused > 0 {
        anyhow::bail!("{refused} selected benchmarks cannot be scrambled; take them out with 'agon library remove'");
    }
    competition.store()?.set_prepared(track, &all)?;
    Ok(all)
}
