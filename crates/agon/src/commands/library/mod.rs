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
            add::add(&Competition::open(directory)?, root, &options)
        }
        LibraryCommand::Remove { path, reason } => releases::remove(&Competition::open(directory)?, path, reason),
        LibraryCommand::List { filter, format } => list::list(&Competition::open(directory)?, filter, *format),
        LibraryCommand::Show { path, format } => list::show(&Competition::open(directory)?, path, *format),
        LibraryCommand::Duplicates(options) => list::duplicates(&Competition::open(directory)?, options.format),
        LibraryCommand::Freeze { name } => releases::freeze(&Competition::open(directory)?, name),
        LibraryCommand::Changes { since, format } => {
            releases::changes(&Competition::open(directory)?, since.as_deref(), *format)
        }
        LibraryCommand::Audit(options) => audit::run(&Competition::open(directory)?, options),
        LibraryCommand::Difficulty(options) => difficulty::run(directory, options),
    }
}
