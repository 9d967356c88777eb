//! The options of `agon calendar` and `agon freeze`.

use super::Format;
use clap::Args;

#[derive(Args)]
pub struct CalendarOptions {
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
    /// Print an iCalendar file, which calendar programs can read
    #[arg(long, conflicts_with = "format")]
    pub ical: bool,
}

#[derive(Args)]
pub struct FreezeOptions {
    /// The round that the freeze is for
    #[arg(long, value_name = "NAME", default_value = "final")]
    pub round: String,
    /// Who decides; by default the user who runs the command. May be repeated
    #[arg(long, value_name = "NAME")]
    pub by: Vec<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}
