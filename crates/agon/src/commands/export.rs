//! `agon export`

use crate::cli::ExportOptions;
use crate::opened::open_competition;
use agon_competition::{Finality, gather};
use anyhow::Context;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;
use std::process::ExitCode;

pub fn run(directory: &Path, options: &ExportOptions) -> anyhow::Result<ExitCode> {
    let competition = open_competition(directory)?;
    let track = options.track.one(competition.rulebook())?;
    let gathered = gather(&competition, track, Finality::WhenComplete)?;
    for note in gathered.notes() {
        say!("{note}");
    }
    let results = gathered.results(&competition)?;
    match &options.to {
        None => agon_import::write_csv(&results, io::stdout().lock())?,
        Some(file) => {
            let out = File::create(file).with_context(|| file.display().to_string())?;
            agon_import::write_csv(&results, BufWriter::new(out)).with_context(|| file.display().to_string())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
