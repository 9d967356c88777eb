//! `agon completions`

use crate::cli::Cli;
use clap::CommandFactory;
use clap_complete::Shell;
use std::io::Write;
use std::process::ExitCode;

pub fn run(shell: Shell) -> anyhow::Result<ExitCode> {
    let mut script = vec![];
    clap_complete::generate(shell, &mut Cli::command(), "agon", &mut script);
    std::io::stdout().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}
