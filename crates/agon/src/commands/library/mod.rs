//! `agon library`

mod add;
mod audit;
mod difficulty;
mod filter;
mod generate;
mod list;
mod releases;
mod table;

use crate::cli::LibraryCommand;
use crate::opened::open_competition;
use agon_competition::IndexOptions;
use agon_library::Reread;
use std::path::Path;
use std::process::ExitCode;

pub use add::tell;
pub use generate::generate;

pub fn run(directory: &Path, command: &LibraryCommand) -> anyhow::Result<ExitCode> {
    match command {
        LibraryCommand::Generate { directory, family, size } => {
            let written = generate(directory, family, size)?;
            say!("{written} benchmarks in {}", directory.display());
            Ok(ExitCode::SUCCESS)
        }
        LibraryCommand::Families(options) => generate::families(options.format),
        LibraryCommand::Add { directory: root, reason, reread, restore } => {
            let reread = if *reread { Reread::All } else { Reread::Changed };
            let options = IndexOptions { reason: reason.clone(), reread, restore: *restore };
            add::add(&open_competition(directory)?, root, &options)
        }
        LibraryCommand::Remove { path, reason } => releases::remove(&open_competition(directory)?, path, reason),
        LibraryCommand::Nominate { path, by, reason, format } => {
            let competition = open_competition(directory)?;
            match (path, by, reason) {
                (Some(path), Some(by), Some(reason)) => releases::nominate(&competition, path, by, reason),
                _ => releases::nominations(&competition, *format),
            }
        }
        LibraryCommand::Table { results, base, format } => {
            table::run(&open_competition(directory)?, base.as_ref(), results, *format)
        }
        LibraryCommand::List { filter, format } => list::list(&open_competition(directory)?, filter, *format),
        LibraryCommand::Show { path, format } => list::show(&open_competition(directory)?, path, *format),
        LibraryCommand::Duplicates(options) => list::duplicates(&open_competition(directory)?, options.format),
        LibraryCommand::Freeze { name } => releases::freeze(&open_competition(directory)?, name),
        LibraryCommand::Changes { since, format } => {
            releases::changes(&open_competition(directory)?, since.as_deref(), *format)
        }
        LibraryCommand::Audit(options) => audit::run(&open_competition(directory)?, options),
        LibraryCommand::Difficulty(options) => difficulty::run(directory, options),
    }
}
