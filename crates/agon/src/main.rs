//! The command line.

/// Prints a message to stderr. If that fails, the work continues.
macro_rules! say {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($words)*);
    }};
}

mod cli;
mod commands;
mod failure;
mod interrupt;
mod machine;
mod opened;
mod print;
mod progress;
mod reading;

use agon_competition::JudgeOptions;
use clap::Parser;
use cli::{Cli, Command};
use std::process::ExitCode;

fn main() -> ExitCode {
    let cli = Cli::parse_from(cli::in_our_spelling(std::env::args_os()));
    if cli.unconfined {
        machine::run_unconfined();
    }
    if let Some(reason) = &cli.override_reason {
        opened::override_with(reason.clone());
    }
    match run(&cli) {
        Ok(code) => code,
        Err(error) => failure::report(&error),
    }
}

fn run(cli: &Cli) -> anyhow::Result<ExitCode> {
    let directory = cli.competition.as_path();
    match &cli.command {
        // A competition, in the order of its steps.
        Command::Init(options) => commands::init::run(options),
        Command::Library { command } => commands::library::run(directory, command),
        Command::Entrant { command } => commands::entrant::run(directory, command),
        Command::Seed(options) => commands::seed::run(directory, options),
        Command::Select(options) => commands::select::run(directory, options),
        Command::Prepare(options) => commands::prepare::run(directory, *options),
        Command::Run(options) => commands::run::run(directory, options),
        Command::Judge { track, panel, panel_wall, checker, checker_wall, command: None } => {
            let options = JudgeOptions {
                panel: panel.clone(),
                panel_wall_s: *panel_wall,
                checkers: checker.clone(),
                checker_wall_s: *checker_wall,
            };
            commands::judge::run(directory, *track, &options)
        }
        Command::Score(options) => commands::score::run(directory, options),
        Command::Report(options) => commands::report::run(directory, options),
        // Around the runs.
        Command::Calendar(options) => commands::calendar::run(directory, options),
        Command::Freeze(options) => commands::freeze::run(directory, options),
        Command::Publish(options) => commands::publish::run(directory, options),
        Command::Round(options) => commands::round::run(directory, options),
        Command::Decide { command } => commands::decide::run(directory, command),
        Command::Log { format, command } => commands::log::run(directory, *format, command.as_ref()),
        // All steps at once, and commands about their progress.
        Command::Go(options) => commands::go::run(directory, options),
        Command::Demo(options) => commands::demo::run(options),
        Command::Status(options) => commands::status::run(directory, options),
        Command::Rerun(options) => commands::rerun::run(directory, options),
        Command::Export(options) => commands::export::run(directory, options),
        Command::Worker(options) => commands::worker::run(options),
        // Without a competition, on files.
        Command::Check(options) => commands::check::run(options),
        Command::Translate(options) => commands::translate::run(options),
        Command::Scramble(options) => commands::scramble::run(options),
        Command::Random(options) => commands::seed::random(options),
        Command::Exec(options) => commands::exec::run(options),
        Command::Trace(options) => commands::trace::run(options),
        Command::Judge { command: Some(command), .. } => commands::judge_file::run(command),
        Command::Compare(options) => commands::compare::run(options),
        Command::Import(options) => commands::import::run(options),
        Command::Rules { command } => commands::rules::run(command),
        Command::Doctor(options) => commands::doctor::run(options),
        Command::Completions { shell } => commands::completions::run(*shell),
        Command::Man { directory } => commands::man::run(directory),
    }
}
