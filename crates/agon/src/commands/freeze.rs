//! `agon freeze`

use crate::cli::FreezeOptions;
use crate::opened::open_competition;
use crate::print::print_rows;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

pub fn run(directory: &Path, options: &FreezeOptions) -> anyhow::Result<ExitCode> {
    let competition = open_competition(directory)?;
    let (entry, frozen) = agon_competition::freeze(&competition, &options.round, options.by.clone())?;
    let rows = frozen.iter().map(|frozen| {
        json!({"name": frozen.name, "version": frozen.version, "magic": frozen.magic, "sha256": frozen.files,
               "submission": frozen.submission})
    });
    print_rows(rows.collect(), &["name", "version", "magic", "sha256"], options.format)?;
    say!("decision {}: the entrants of the {} round are frozen", entry.number, options.round);
    Ok(ExitCode::SUCCESS)
}
