//! What is to be run, ready for slots: entrants whose files are what was entered, and the tasks.

use agon_dispatch::{Batch, Runner, Task};
use agon_domain::{Digest, Entrant, Track};
use agon_entrant::tree_digest;
use agon_rulebook::TrackRules;
use agon_store::{Competition, Pending, Queue};
use anyhow::Context;
use std::borrow::Cow;
use std::path::PathBuf;

/// The rules of the track that is run.
pub fn track_rules(competition: &Competition) -> anyhow::Result<&TrackRules> {
    let rules = competition.rulebook();
    let track = competition.track();
    rules.tracks.get(&track).ok_or_else(|| anyhow::anyhow!("the rulebook '{}' has no {track} track", rules.name))
}

/// Whether an entrant's files, and a program of the machine that it uses, are what was entered.
pub fn verify(competition: &Competition, entrant: &Entrant) -> anyhow::Result<()> {
    let digest = entrant.digest.unwrap_or_else(|| Digest::of(b""));
    let (name, files) = (&entrant.name, competition.entrant_folder(&digest));
    let remedy = "enter it again with 'agon entrant add'";
    match tree_digest(&files) {
        Ok(now) if now == digest => {}
        Ok(_) => anyhow::bail!("the files of {name} in {} are not those that were entered; {remedy}", files.display()),
        Err(error) => anyhow::bail!("the files of {name} are not in {} ({error}); {remedy}", files.display()),
    }
    if entrant.program_digest != program_digest(entrant)? {
        anyhow::bail!("{name} runs a program of this machine that is not the one that was entered; {remedy}");
    }
    Ok(())
}

/// The digest of the program of the machine that an entrant runs, where it runs one.
pub fn program_digest(entrant: &Entrant) -> anyhow::Result<Option<Digest>> {
    let mut programs = entrant.commands.values().filter_map(|command| command.first());
    let Some(program) = programs.find(|word| word.starts_with('/')) else { return Ok(None) };
    let bytes = std::fs::read(program).with_context(|| format!("{program}, the program of {}", entrant.name))?;
    Ok(Some(Digest::of(&bytes)))
}

/// What all tasks have in common. The runners are the entrants, in order.
pub fn batch(competition: &Competition, entrants: &[&Entrant]) -> anyhow::Result<Batch> {
    let absolute = |path: PathBuf| std::path::absolute(&path).unwrap_or(path);
    let runner = |entrant: &&Entrant| Runner {
        name: entrant.name.clone(),
        command: entrant.commands.get(&competition.track()).cloned().unwrap_or_default(),
        files: absolute(competition.entrant_folder(&entrant.digest.unwrap_or_else(|| Digest::of(b"")))),
        start_in: entrant.start_in.clone(),
    };
    let mut hidden: Vec<PathBuf> = competition.library()?.folders().into_iter().map(absolute).collect();
    hidden.push(absolute(competition.folder().to_owned()));
    let rules = track_rules(competition)?;
    Ok(Batch {
        limits: rules.limits,
        executor: (competition.track() == Track::Incremental).then_some(rules.executor),
        runners: entrants.iter().map(runner).collect(),
        prepared: absolute(competition.prepared_folder(competition.track())),
        hidden,
    })
}

/// The next attempt at a pair. The queue's entrants are the runners.
pub fn task(queue: &Queue, pending: &Pending) -> Task {
    let reason = if pending.attempt == 1 { "first" } else { "again: under other limits, or after a fault" };
    Task {
        pair: pending.pair,
        attempt: pending.attempt,
        reason: Cow::Borrowed(reason),
        runner: pending.entrant,
        benchmark: queue.prepared(pending).digest,
    }
}
