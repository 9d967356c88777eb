//! The commands on rulebooks.

use super::Format;
use clap::Subcommand;

#[derive(Subcommand)]
pub enum RulesCommand {
    /// Name all rulebooks
    #[command(after_help = "Example:\n  agon rules list --format json")]
    List {
        /// How to print the result
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Print a rulebook with everything that is in force
    #[command(after_help = "Example:\n  agon rules show smtcomp-2019")]
    Show {
        /// Its name
        rulebook: String,
    },
    /// Name the fields in which two rulebooks differ
    ///
    /// Exit code 1: they differ.
    #[command(after_help = "Example:\n  agon rules diff smtcomp-2019 smtcomp-2020")]
    Diff {
        /// One
        one: String,
        /// Another
        other: String,
        /// How to print the result
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
}
