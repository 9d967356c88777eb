//! `agon decide`

use crate::cli::{DecideCommand, Made};
use crate::opened::open_competition;
use agon_competition::decide;
use agon_domain::BenchmarkPath;
use agon_edition::{Decision, Proposal};
use std::path::Path;
use std::process::ExitCode;

pub fn run(directory: &Path, command: &DecideCommand) -> anyhow::Result<ExitCode> {
    let competition = open_competition(directory)?;
    let (decision, made) = decision(command);
    let Made { reason, by, recused } = made;
    let proposal = Proposal { by: by.clone(), recused: recused.clone(), decision, reason: reason.clone() };
    let entry = decide(&competition, proposal)?;
    say!("decision {} {}", entry.number, entry.decision);
    Ok(ExitCode::SUCCESS)
}

fn decision(command: &DecideCommand) -> (Decision, &Made) {
    // Lists of selected benchmarks have a slash before the path.
    let path = |path: &String| BenchmarkPath(path.trim_start_matches('/').to_owned());
    match command {
        DecideCommand::RemoveBenchmark { benchmark, track, made } => {
            (Decision::RemoveBenchmark { benchmark: path(benchmark), track: *track }, made)
        }
        DecideCommand::CutFamily { family, to, track, made } => {
            let family = family.trim_matches('/').to_owned();
            (Decision::CutFamily { family, to: *to, track: *track }, made)
        }
        DecideCommand::ChallengeStatus { benchmark, claimed, made } => {
            (Decision::ChallengeStatus { benchmark: path(benchmark), claimed: *claimed }, made)
        }
        DecideCommand::SettleStatus { benchmark, status, made } => {
            (Decision::SettleStatus { benchmark: path(benchmark), status: *status }, made)
        }
        DecideCommand::Accept { entrant, made } => (Decision::Accept { entrant: entrant.clone() }, made),
        DecideCommand::Refuse { entrant, made } => (Decision::Refuse { entrant: entrant.clone() }, made),
        DecideCommand::Withdraw { entrant, made } => (Decision::Withdraw { entrant: entrant.clone() }, made),
        DecideCommand::Disqualify { entrant, made } => (Decision::Disqualify { entrant: entrant.clone() }, made),
        DecideCommand::Ban { subject, made } => (Decision::Ban { subject: subject.clone() }, made),
        DecideCommand::Appeal { against, from, made } => {
            (Decision::Appeal { against: *against, from: from.clone() }, made)
        }
        DecideCommand::Answer { appeal, made } => (Decision::Answer { appeal: *appeal }, made),
        DecideCommand::Recognize { subject, made } => (Decision::Recognize { subject: subject.clone() }, made),
        DecideCommand::AcceptResults { entrant, round, made } => {
            (Decision::AcceptResults { entrant: entrant.clone(), round: round.clone() }, made)
        }
        DecideCommand::Revoke { entry, made } => (Decision::Revoke { entry: *entry }, made),
        DecideCommand::Note { subject, made } => (Decision::Note { subject: subject.clone() }, made),
    }
}
