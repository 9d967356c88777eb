//! `agon prepare`

use crate::cli::TrackOptions;
use crate::machine::machine;
use crate::opened::open_competition;
use crate::progress::observer;
use agon_competition::{counted, prepare, refuse};
use std::path::Path;
use std::process::ExitCode;

pub fn run(directory: &Path, options: TrackOptions) -> anyhow::Result<ExitCode> {
    let competition = open_competition(directory)?;
    for track in options.of(&competition)? {
        let made = prepare(&competition, track, machine()?.interrupts(), &mut observer())?;
        refuse(track, &made.refused)?;
        say!("{track}: {} prepared", counted(made.prepared.len() as u64, "benchmark", "benchmarks"));
    }
    Ok(ExitCode::SUCCESS)
}
