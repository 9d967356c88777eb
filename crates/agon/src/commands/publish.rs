//! `agon publish`

use crate::cli::PublishOptions;
use crate::opened::open_competition;
use crate::print::print_rows;
use agon_competition::publish;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

pub fn run(directory: &Path, options: &PublishOptions) -> anyhow::Result<ExitCode> {
    let competition = open_competition(directory)?;
    let published = publish(&competition, options.what.to_publication(), options.by.clone())?;
    let rows = published.files.iter().map(|(file, digest)| json!({"sha256": digest, "file": file}));
    print_rows(rows.collect(), &["sha256", "file"], options.format)?;
    say!(
        "decision {} {}; the files are in {}",
        published.entry.number,
        published.entry.decision,
        published.directory.display()
    );
    Ok(ExitCode::SUCCESS)
}
