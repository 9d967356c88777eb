//! `agon man`

use crate::cli::Cli;
use anyhow::Context;
use clap::CommandFactory;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

/// Writes `agon.1`, `agon-library.1`, `agon-library-add.1` and so on, from the same source as `--help`.
pub fn run(directory: &Path) -> anyhow::Result<ExitCode> {
    let context = || format!("cannot write manual pages to {}", directory.display());
    fs::create_dir_all(directory).with_context(context)?;
    clap_mangen::generate_to(Cli::command(), directory).with_context(context)?;
    Ok(ExitCode::SUCCESS)
}
