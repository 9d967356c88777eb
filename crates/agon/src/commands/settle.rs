//! Questions on which solvers differ, settled by evidence: a model that evaluates to true.

use super::batch::track_rules;
use crate::hosts;
use agon_contain::Host;
use agon_dispatch::{contained, job, work_folder};
use agon_domain::{Answer, Digest, Entrant, Limits, Ruling, Status, Track};
use agon_judge::{ModelVerdict, judge_model};
use agon_library::read_pinned;
use agon_scramble::{Scrambling, prepare};
use agon_store::{Competition, Recorded, Settlement, Store};
use anyhow::Context;

/// Looks for evidence on every benchmark where answers contradict each other or the status, unless that was done before.
/// Says which statuses are suspected to be wrong.
pub fn settle_all(competition: &Competition) -> anyhow::Result<()> {
    if competition.track() != Track::SingleQuery {
        return Ok(());
    }
    let mut store = competition.store()?;
    let limits = track_rules(competition)?.limits;
    let recorded = store.recorded(competition.track(), &limits)?;
    let known = store.settlements()?;
    let groups = recorded.chunk_by(|one, other| one.pair.prepared.digest == other.pair.prepared.digest);
    for runs in groups.filter(|runs| is_open(runs)) {
        let prepared = &runs[0].pair.prepared;
        let settlement = match known.get(&prepared.digest) {
            Some(known) => known.clone(),
            None => {
                let found = settle(competition, &store, runs, &limits)?;
                store.settle(&prepared.digest, &found)?;
                found
            }
        };
        if settlement.answer.is_some_and(|answer| answer.contradicts(prepared.status)) {
            say!(
                "{}: the status {} is suspected to be wrong: {}",
                prepared.benchmark,
                prepared.status,
                settlement.detail
            );
        }
    }
    Ok(())
}

/// Whether answers contradict each other, or the status.
fn is_open(runs: &[Recorded]) -> bool {
    let said = |answer: Answer| {
        runs.iter().any(|run| {
            run.verdict.is_some_and(|v| v.answer == answer && matches!(v.ruling, Ruling::Solved | Ruling::Erroneous))
        })
    };
    let status = runs[0].pair.prepared.status;
    (said(Answer::Sat) && said(Answer::Unsat))
        || (said(Answer::Sat) && status == Status::Unsat)
        || (said(Answer::Unsat) && status == Status::Sat)
}

/// Asks those who say `sat` for their models: in the model-validation track, or now.
fn settle(competition: &Competition, store: &Store, runs: &[Recorded], limits: &Limits) -> anyhow::Result<Settlement> {
    let prepared = &runs[0].pair.prepared;
    if let Some(rules) = competition.rulebook().tracks.get(&Track::ModelValidation) {
        for run in store.recorded(Track::ModelValidation, &rules.limits)? {
            let is_valid = run.verdict.is_some_and(|verdict| verdict.ruling == Ruling::Solved);
            if is_valid && run.pair.prepared.benchmark == prepared.benchmark {
                let detail = format!("the model of {} in the model-validation track is valid", run.pair.entrant);
                return Ok(Settlement { answer: Some(Answer::Sat), detail });
            }
        }
    }
    let library = competition.library()?;
    let Some(entry) = library.get(&prepared.benchmark) else {
        return Ok(Settlement { answer: None, detail: "the benchmark is no longer in the library".into() });
    };
    let script = read_pinned(&entry.file(), entry.benchmark.digest)?;
    let ready = prepare(&script, Track::ModelValidation.name(), Scrambling::None, 0)
        .with_context(|| entry.file().display().to_string())?;
    let host = hosts::this_machine()?;
    let mut tried = vec![];
    let entrants = competition.entrants()?;
    for run in runs.iter().filter(|run| run.verdict.is_some_and(|verdict| verdict.answer == Answer::Sat)) {
        let Some(entrant) = entrants.iter().find(|entrant| entrant.name == run.pair.entrant) else { continue };
        let Some(command) = entrant.commands.get(&Track::ModelValidation) else { continue };
        let output = ask_for_model(&host, competition, entrant, command, &ready.bytes, limits)?;
        let judged = judge_model(&ready.bytes[..], &output, true);
        if judged.verdict == ModelVerdict::Valid {
            let detail = format!("the model of {} {} is valid", entrant.name, entrant.version);
            return Ok(Settlement { answer: Some(Answer::Sat), detail });
        }
        tried.push(format!("the model of {} is {}: {}", entrant.name, judged.verdict, judged.detail));
    }
    let detail = if tried.is_empty() { "nobody who says sat gives models".into() } else { tried.join("; ") };
    Ok(Settlement { answer: None, detail })
}

fn ask_for_model(
    host: &Host,
    competition: &Competition,
    entrant: &Entrant,
    command: &[String],
    script: &[u8],
    limits: &Limits,
) -> anyhow::Result<Vec<u8>> {
    let digest = entrant.digest.unwrap_or_else(|| Digest::of(b""));
    let files = std::path::absolute(competition.entrant_folder(&digest))?;
    let folder = tempfile::tempdir()?;
    let benchmark = folder.path().join("benchmark.smt2");
    std::fs::write(&benchmark, script)?;
    let work = work_folder(host, &files, entrant.start_in.as_deref())?;
    let measured = host.run(&job(command, &files, &work, &benchmark, limits), &contained(limits))?;
    Ok(measured.stdout)
}
