//! The rounds of an edition: SL-COMP has a training, a pre-final and a final run (SL19-7, SL19-23).
//!
//! A round has its own database. When the next one starts, that of the last one is moved to `rounds/NAME`, next to its
//! results as tables, so that every pair runs again and nothing is lost.

use crate::StepError;
use crate::decide::{decide, taking_part};
use crate::error::At;
use crate::gate::overridden;
use crate::gather::{Finality, gather};
use crate::run::refuse_beside_a_cluster;
use agon_domain::{EntrantName, Track, did_you_mean};
use agon_edition::{Decision, Entry, Log, Proposal};
use agon_store::{Competition, write_whole};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// One round.
#[derive(Clone, Debug)]
pub struct Round {
    /// The name.
    pub name: String,
    /// The decision that started it.
    pub started: Option<Entry>,
    /// The decision that froze the entrants for it.
    pub frozen: Option<Entry>,
    /// The entrants whose teams accepted its results.
    pub accepted: BTreeSet<EntrantName>,
    /// Whether the next round needs every team's acceptance of this one.
    pub needs_acceptance: bool,
}

/// The rounds of the rules, and others that were started, in order.
pub fn rounds(competition: &Competition) -> Result<Vec<Round>, StepError> {
    let log = competition.log()?;
    let rules = &competition.rulebook().rounds;
    let mut names = rules.names.clone();
    names.extend(started(&log).map(|(name, _)| name.to_owned()).filter(|name| !rules.names.contains(name)));
    names.dedup();
    let round = |name: String| {
        let freeze = |entry: &&Entry| matches!(&entry.decision, Decision::Freeze { round, .. } if *round == name);
        let start = started(&log).filter(|(of, _)| *of == name).map(|(_, entry)| entry.clone()).last();
        // Results that were accepted before the round was started again are other results.
        let is_later = |entry: &&Entry| start.as_ref().is_some_and(|start| entry.number > start.number);
        let accepted = log.in_force().filter(is_later).filter_map(|entry| match &entry.decision {
            Decision::AcceptResults { entrant, round } if *round == name => Some(entrant.clone()),
            _ => None,
        });
        Round {
            accepted: accepted.collect(),
            started: start,
            frozen: log.in_force().filter(freeze).last().cloned(),
            needs_acceptance: rules.accepted.as_deref() == Some(name.as_str()),
            name,
        }
    };
    Ok(names.into_iter().map(round).collect())
}

/// The rounds that were started, oldest first.
fn started(log: &Log) -> impl Iterator<Item = (&str, &Entry)> {
    log.in_force().filter_map(|entry| match &entry.decision {
        Decision::StartRound { round } => Some((round.as_str(), entry)),
        _ => None,
    })
}

/// Starts a round. The entrants must be frozen for it, and every team must have accepted the results of the round that
/// the rules name, unless the organizers override it (SL19-7). The library is fixed where the rules say so (SL19-6).
pub fn start_round(competition: &Competition, name: &str, by: Vec<String>) -> Result<Entry, StepError> {
    let rules = &competition.rulebook().rounds;
    let rounds = rounds(competition)?;
    let position = |name: &str| rules.names.iter().position(|round| round == name);
    if position(name).is_none() {
        let known = rules.names.join(", ");
        let hint = did_you_mean(name, rules.names.iter().map(String::as_str));
        return Err(StepError::Usage(match rules.names.as_slice() {
            [] => format!(
                "the rules of {} have no rounds; add rounds.names under [rules] in agon.toml",
                competition.title()
            ),
            _ => format!("unknown round '{name}'{hint}; the rounds are {known}"),
        }));
    }
    let step = format!("start the {name} round");
    let log = competition.log()?;
    let current = started(&log).last().map(|(round, _)| round);
    if let Some(current) = current.filter(|current| position(current) >= position(name)) {
        overridden(competition, &step, &format!("the {current} round has already started"))?;
    }
    for earlier in rounds.iter().filter(|round| round.needs_acceptance && position(&round.name) < position(name)) {
        let missing: Vec<String> = taking_part(competition)?
            .into_iter()
            .filter(|entrant| entrant.kind.can_win() && !earlier.accepted.contains(&entrant.name))
            .map(|entrant| entrant.name.to_string())
            .collect();
        if !missing.is_empty() {
            let why = format!(
                "the results of the {} round are not accepted by {} (SL19-7); record it with 'agon decide accept-results'",
                earlier.name,
                missing.join(", ")
            );
            overridden(competition, &step, &why)?;
        }
    }
    let is_frozen = rounds.iter().any(|round| round.name == name && round.frozen.is_some());
    if !is_frozen {
        let why = format!("the entrants are not frozen for the {name} round; run 'agon freeze --round {name}'");
        overridden(competition, &step, &why)?;
    }
    refuse_beside_a_cluster(competition)?;
    let _lock = competition.lock_runs()?;
    if rules.library_fixed.as_deref() == Some(name) && competition.frozen_release()?.is_none() {
        competition.freeze_library(name)?;
    }
    let place = directory_of_current(competition)?;
    put_away(competition, &place)?;
    let decision = Decision::StartRound { round: name.to_owned() };
    let shown = place.strip_prefix(competition.directory()).unwrap_or(&place).display();
    let reason = format!("every pair runs again; earlier results are in {shown}");
    decide(competition, Proposal { by, recused: vec![], decision, reason })
}

/// The directory of the current round. A round that is started again has one of its own, so that nothing is
/// overwritten.
fn directory_of_current(competition: &Competition) -> Result<PathBuf, StepError> {
    let rounds = competition.directory().join("rounds");
    let log = competition.log()?;
    let Some((round, _)) = started(&log).last() else { return Ok(rounds.join("before")) };
    Ok(match started(&log).filter(|(of, _)| *of == round).count() {
        1 => rounds.join(round),
        many => rounds.join(format!("{round}-{many}")),
    })
}

/// Writes the results of a track in the current round as a table for the participants, who are to accept them (SL19-7).
/// It is written whenever outcomes were judged, since entrants may have new binaries when the next round starts.
pub(crate) fn write_round_results(competition: &Competition, track: Track) -> Result<(), StepError> {
    if started(&competition.log()?).next().is_none() {
        return Ok(());
    }
    let results = gather(competition, track, Finality::WhenComplete)?.results(competition)?;
    let (file, mut table) = (directory_of_current(competition)?.join(format!("{track}.csv")), vec![]);
    agon_import::write_csv(&results, &mut table).at(&file)?;
    write_whole(&file, &table).at(&file)?;
    Ok(())
}

/// Moves the database of a round to its own directory, in one step.
fn put_away(competition: &Competition, place: &Path) -> Result<(), StepError> {
    let database = competition.directory().join("agon.db");
    if !database.exists() {
        return Ok(());
    }
    fs::create_dir_all(place).at(place)?;
    let mut to = place.join("agon.db");
    let mut number = 1;
    while to.exists() {
        number += 1;
        to = place.join(format!("agon-{number}.db"));
    }
    competition.store()?.close_whole()?;
    // A journal that is left belongs to this database: without it, outcomes would be missing.
    let journal = competition.directory().join("agon.db-wal");
    if journal.exists() {
        let message =
            format!("{} is in use; run the command again when no other agon process runs", database.display());
        return Err(StepError::Missing(message));
    }
    fs::rename(&database, &to).at(&database)
}
