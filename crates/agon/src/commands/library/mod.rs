//! `agon library`

mod add;
mod audit;
mod difficulty;
mod filter;
mod generate;
mod list;
mod releases;

use crate::cli::LibraryCommand;
use agon_competition::IndexOptions;
use agon_library::Reread;
use agon_store::Competition;
use std::path::Path;
use std::process::ExitCode;

pub use add::tell;
pub use generate::generate;

pub fn run(folder: &Path, command: &LibraryCommand) -> anyhow::Result<ExitCode> {
    match command {
        LibraryCommand::Generate { folder, family, size } => {
            let written = generate(folder, family, size)?;
            say!("{written} benchmarks in {}", folder.display());
            Ok(ExitCode::SUCCESS)
        }
        LibraryCommand::Families(options) => generate::families(options.format),
        LibraryCommand::Add { folder: root, reason, reread, restore } => {
            let reread = if *reread { Reread::All } else { Reread::Changed };
            let options = IndexOptions { reason: reason.clone(), reread, restore: *restore };
            add::add(&Competition::open(folder)?, root, &options)
        }
        LibraryCommand::Remove { path, reason } => releases::remove(&Competition::open(folder)?, path, reason),
        LibraryCommand::List { filter, format } => list::list(&Competition::open(folder)?, filter, *format),
        LibraryCommand::Show { path, format } => list::show(&Competition::open(folder)?, path, *format),
        LibraryCommand::Duplicates(options) => list::duplicates(&Competition::open(folder)?, options.format),
        LibraryCommand::Freeze { name } => releases::freeze(&Competition::open(folder)?, name),
        LibraryCommand::Changes { since, format } => {
            releases::changes(&Competition::open(folder)?, since.as_deref(), *format)
        }
        LibraryCommand::Audit(options) => audit::run(&Competition::open(folder)?, options),
        LibraryCommand::Difficulty(options) => difficulty::run(folder, options),
    }
}
