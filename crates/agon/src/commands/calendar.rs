//! `agon calendar`

use crate::cli::CalendarOptions;
use crate::opened::open_competition;
use crate::print::print_rows;
use agon_domain::Milestone;
use agon_edition::icalendar;
use jiff::Timestamp;
use serde_json::json;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub fn run(directory: &Path, options: &CalendarOptions) -> anyhow::Result<ExitCode> {
    let competition = open_competition(directory)?;
    let (calendar, now) = (competition.calendar(), Timestamp::now());
    if options.ical {
        write!(std::io::stdout(), "{}", icalendar(competition.title(), calendar, now))?;
        return Ok(ExitCode::SUCCESS);
    }
    if calendar.is_empty() {
        say!(
            "the competition has no dates; add them under [calendar] in agon.toml, for example start = \"2026-06-20\""
        );
    }
    let rows = calendar.all().into_iter().map(|(milestone, track, at)| {
        // A deadline is over at the end of its day; something else begins at the start of its day.
        let decisive = if milestone.is_deadline() { at.end() } else { at.first() };
        let distance = distance(now, decisive);
        let state = if now >= decisive { format!("{distance} ago") } else { format!("in {distance}") };
        json!({"date": at.to_string(), "milestone": milestone, "track": track, "is": state,
               "what": milestone.title(), "from": at.first().to_string(), "until": at.end().to_string(),
               "past": now >= decisive})
    });
    print_rows(rows.collect(), &["date", "milestone", "track", "is", "what"], options.format)?;
    let dated = |milestone| calendar.all().iter().any(|(other, _, _)| *other == milestone);
    let missing = competition.rulebook().calendar.iter().copied().filter(|milestone| !dated(*milestone));
    let missing: Vec<&str> = missing.map(Milestone::name).collect();
    if !missing.is_empty() && !calendar.is_empty() {
        say!("the rules of {} also have: {}", competition.rulebook().name, missing.join(", "));
    }
    Ok(ExitCode::SUCCESS)
}

/// The time between two instants in days, or in hours and minutes if it is less than two days.
fn distance(now: Timestamp, then: Timestamp) -> String {
    let minutes = now.duration_until(then).abs().as_secs() / 60;
    if minutes >= 2 * 24 * 60 {
        return format!("{} days", minutes / (24 * 60));
    }
    format!("{} h {} min", minutes / 60, minutes % 60)
}
