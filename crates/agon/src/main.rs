//! The command line.

/// Tells the user something, on standard error. If nobody can be told, the work goes on.
macro_rules! say {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($words)*);
    }};
}

mod cli;
mod commands;
mod failure;
mod heats;
mod hosts;
mod interrupt;
mod parallel;
mod print;
mod progress;
mod scoring;

use clap::Parser;
use cli::{Cli, Command};
use commands::core_votes::CoreOptions;
use commands::judge::JudgeOptions;
use commands::proof_check::ProofOptions;
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse_from(cli::in_our_spelling(std::env::args_os()));
    if cli.unconfined {
        hosts::run_unconfined();
    }
    match run(&cli) {
        Ok(code) => code,
        Err(error) => failure::report(&error),
    }
}

/// In the order in which a competition goes.
fn run(cli: &Cli) -> anyhow::Result<ExitCode> {
    let folder = cli.competition.as_path();
    match &cli.command {
        Command::Demo(options) => commands::demo::run(options),
        Command::Check(options) => commands::check::run(options),
        Command::Translate(options) => commands::translate::run(options),
        Command::Scramble(options) => commands::scramble::run(options),
        Command::Exec(options) => commands::exec::run(options),
        Command::Doctor(options) => commands::doctor::run(options),
        Command::Init(options) => commands::init::run(options),
        Command::Library { command } => commands::library::run(folder, command),
        Command::Entrant { command } => commands::entrant::run(folder, command),
        Command::Seed(options) => commands::seed::run(folder, options),
        Command::Random(options) => commands::seed::random(options),
        Command::Select(options) => commands::select::run(folder, options),
        Command::Prepare(options) => commands::prepare::run(folder, options),
        Command::Run(options) => commands::run::run(folder, options),
        Command::Worker(options) => commands::worker::run(options),
        Command::Trace(options) => commands::trace::run(options),
        Command::Judge { command: Some(command), .. } => commands::judge_file::run(command),
        Command::Judge { track, panel, panel_wall, checker, checker_wall, command: None } => {
            let cores = CoreOptions { panel, wall_s: *panel_wall };
            let proofs = ProofOptions { checkers: checker, wall_s: *checker_wall };
            commands::judge::run(folder, *track, &JudgeOptions { cores, proofs })
        }
        Command::Score(options) => commands::score::run(folder, options),
        Command::Compare(options) => commands::compare::run(options),
        Command::Import(options) => commands::import::run(options),
        Command::Export(options) => commands::export::run(folder, options),
        Command::Rules { command } => commands::rules::run(command),
        Command::Report(options) => commands::report::run(folder, options),
        Command::Status(options) => commands::status::run(folder, options),
        Command::Rerun(options) => commands::rerun::run(folder, options),
        Command::Completions { shell } => commands::completions::run(*shell),
    }
}
