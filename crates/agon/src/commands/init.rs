//! `agon init`

use crate::cli::InitOptions;
use crate::hosts;
use agon_store::Competition;
use std::process::ExitCode;

pub fn run(options: &InitOptions) -> anyhow::Result<ExitCode> {
    let InitOptions { folder, rules, title } = options;
    let name = folder.file_name().map_or_else(|| "Competition".into(), |name| name.to_string_lossy().into_owned());
    let title = title.clone().unwrap_or(name);
    let competition = Competition::init(folder, rules, &title, toml::Table::new(), hosts::confinement())?;
    say!(
        "{} under the rules of {}. Next: agon library add, agon entrant add, agon seed, agon select, agon prepare, agon run",
        competition.folder().display(),
        competition.rulebook().title
    );
    Ok(ExitCode::SUCCESS)
}
