//! `agon round`

use crate::cli::RoundOptions;
use crate::opened::open_competition;
use crate::print::print_rows;
use agon_competition::{Round, rounds, start_round};
use agon_domain::EntrantName;
use agon_edition::Entry;
use serde_json::json;
use std::path::Path;
use std::process::ExitCode;

pub fn run(directory: &Path, options: &RoundOptions) -> anyhow::Result<ExitCode> {
    let competition = open_competition(directory)?;
    if let Some(name) = &options.start {
        let entry = start_round(&competition, name, options.by.clone())?;
        say!("decision {} {}: {}; 'agon go' runs it", entry.number, entry.decision, entry.reason);
        return Ok(ExitCode::SUCCESS);
    }
    let rounds = rounds(&competition)?;
    if rounds.is_empty() {
        say!("the rules of {} have no rounds", competition.rulebook().name);
    }
    let day = |entry: &Option<Entry>| entry.as_ref().map(|entry| entry.at.strftime("%Y-%m-%d").to_string());
    let row = |round: &Round| {
        let accepted: Vec<&str> = round.accepted.iter().map(EntrantName::as_str).collect();
        json!({"round": round.name, "frozen": day(&round.frozen), "started": day(&round.started),
               "accepted by": accepted.join(", "), "needs acceptance": round.needs_acceptance})
    };
    print_rows(rounds.iter().map(row).collect(), &["round", "frozen", "started", "accepted by"], options.format)?;
    Ok(ExitCode::SUCCESS)
}
