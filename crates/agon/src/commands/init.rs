//! `agon init`

use crate::cli::InitOptions;
use crate::machine::confinement;
use agon_store::Competition;
use std::process::ExitCode;

pub fn run(options: &InitOptions) -> anyhow::Result<ExitCode> {
    let InitOptions { directory, rules, title } = options;
    let name = directory.file_name().map_or_else(|| "Competition".into(), |name| name.to_string_lossy().into_owned());
    let title = title.clone().unwrap_or(name);
    let competition = Competition::init(directory, rules, &title, toml::Table::new(), confinement())?;
    say!(
        "{} follows the rules of {}. Next: 'agon library add DIR', 'agon entrant add SOLVER', then 'agon go'",
        competition.directory().display(),
        competition.rulebook().title
    );
    Ok(ExitCode::SUCCESS)
}
