//! `agon log`

use crate::cli::{Format, LogCommand};
use crate::failure::NO;
use crate::opened::open_competition;
use crate::print::{print_json, print_rows};
use agon_competition::counted;
use agon_domain::Digest;
use agon_edition::Log;
use agon_store::{Competition, CompetitionError};
use serde_json::json;
use std::collections::BTreeSet;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub fn run(directory: &Path, format: Format, command: Option<&LogCommand>) -> anyhow::Result<ExitCode> {
    let competition = open_competition(directory)?;
    match command {
        Some(LogCommand::Verify { head, format }) => verify(&competition, *head, *format),
        None => show(&competition, format),
    }
}

fn show(competition: &Competition, format: Format) -> anyhow::Result<ExitCode> {
    let log = competition.log()?;
    let in_force: BTreeSet<u64> = log.in_force().map(|entry| entry.number).collect();
    let rows = log.entries().iter().map(|entry| {
        let is_revoked = !in_force.contains(&entry.number);
        let note = if is_revoked { " (revoked)" } else { "" };
        json!({"number": entry.number, "at": entry.at.strftime("%Y-%m-%d %H:%M UTC").to_string(),
               "by": entry.by.join(", "), "recused": entry.recused.join(", "),
               "decision": format!("{}{note}", entry.decision), "reason": entry.reason, "revoked": is_revoked})
    });
    print_rows(rows.collect(), &["number", "at", "by", "decision", "reason"], format)?;
    Ok(ExitCode::SUCCESS)
}

fn verify(competition: &Competition, head: Option<Digest>, format: Format) -> anyhow::Result<ExitCode> {
    let damaged = |damage| CompetitionError::Log(competition.log_file(), damage);
    let checked = competition.log().and_then(|log| match head.map(|head| log.contains(head)) {
        Some(Err(damage)) => Err(damaged(damage)),
        Some(Ok(())) | None => Ok(log),
    });
    let (log, problem) = match checked {
        Ok(log) => (log, None),
        Err(error @ CompetitionError::Log(..)) => (Log::default(), Some(error.to_string())),
        Err(error) => return Err(error.into()),
    };
    let (count, last) = (log.entries().len(), log.head());
    match (&problem, format) {
        (Some(problem), Format::Text) => say!("agon: {problem}"),
        (None, Format::Text) if count == 0 => say!("the log has no entries yet"),
        (None, Format::Text) => {
            let entries = counted(count as u64, "entry is", "entries are");
            writeln!(std::io::stdout(), "{entries} unchanged; head {last}")?;
        }
        (None, _) => print_json(&json!({"ok": true, "entries": count, "head": last}))?,
        (Some(problem), _) => print_json(&json!({"ok": false, "problem": problem}))?,
    }
    Ok(ExitCode::from(if problem.is_some() { NO } else { 0 }))
}
