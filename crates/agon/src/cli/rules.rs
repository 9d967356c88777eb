//! The commands on rulebooks.

use super::Format;
use clap::Subcommand;

#[derive(Subcommand)]
pub enum RulesCommand {
    /// List all rulebooks
    #[command(after_help = "Example:\n  agon rules list --format json")]
    List {
        /// How to print the result
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// Print a rulebook with all settings in force
    #[command(after_help = "Example:\n  agon rules show smtcomp-2019\n  agon rules show smtcomp-2019 --format json")]
    Show {
        /// The rulebook's name
        rulebook: String,
        /// How to print the result; text is TOML
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
    /// List the fields in which two rulebooks differ
    ///
    /// Exit code 1: they differ.
    #[command(after_help = "Example:\n  agon rules diff smtcomp-2019 smtcomp-2020")]
    Diff {
        /// The first rulebook
        one: String,
        /// The second rulebook
        other: String,
        /// How to print the result
        #[arg(long, value_enum, default_value_t)]
        format: Format,
    },
}
