//! Records the organizers' decisions, and what those in force mean for the plan and the results.

use crate::StepError;
use crate::round::rounds;
use agon_domain::{BenchmarkPath, Entrant, EntrantName, Status, Track, did_you_mean};
use agon_edition::{Decision, Entry, EntryState, Log, Proposal, Standing};
use agon_store::Competition;
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// The name of the user who runs Agon, for decisions without a name.
fn acting() -> String {
    let name = ["AGON_ORGANIZER", "USER", "LOGNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    name.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| "organizer".to_owned())
}

/// Records a decision. Benchmarks and entrants that do not exist are refused. Without a name, the decision is that of
/// the user who runs Agon.
pub fn decide(competition: &Competition, mut proposal: Proposal) -> Result<Entry, StepError> {
    match &proposal.decision {
        Decision::CutFamily { family, .. } => is_family(competition, family)?,
        Decision::SettleStatus { benchmark, .. } => has_one_query(competition, benchmark)?,
        Decision::RemoveBenchmark { benchmark, .. } | Decision::ChallengeStatus { benchmark, .. } => {
            is_benchmark(competition, benchmark)?;
        }
        Decision::AcceptResults { entrant, round } => {
            is_entrant(competition, entrant)?;
            is_started(competition, round)?;
        }
        Decision::Revoke { entry } => can_be_revoked(competition, *entry)?,
        Decision::Accept { entrant }
        | Decision::Refuse { entrant }
        | Decision::Withdraw { entrant }
        | Decision::Disqualify { entrant } => is_entrant(competition, entrant)?,
        _ => {}
    }
    if proposal.by.is_empty() {
        proposal.by.push(acting());
    }
    Ok(competition.decide(proposal)?)
}

fn is_benchmark(competition: &Competition, path: &BenchmarkPath) -> Result<(), StepError> {
    let library = competition.library()?;
    if library.get(path).is_some() {
        return Ok(());
    }
    let hint = did_you_mean(&path.0, library.iter().map(|entry| entry.benchmark.path.0.as_str()));
    Err(StepError::Usage(format!("the library has no benchmark '{path}'{hint}; 'agon library list' lists them")))
}

/// Refuses a round that has not been started: it has no results.
fn is_started(competition: &Competition, name: &str) -> Result<(), StepError> {
    let rounds = rounds(competition)?;
    let started = || rounds.iter().filter(|round| round.started.is_some()).map(|round| round.name.as_str());
    if started().any(|round| round == name) {
        return Ok(());
    }
    let hint = did_you_mean(name, started());
    Err(StepError::Usage(format!("the round '{name}' has not been started{hint}; 'agon round' lists the rounds")))
}

/// Refuses to revoke the start of a round, which has moved the results of the round before.
fn can_be_revoked(competition: &Competition, number: u64) -> Result<(), StepError> {
    let log = competition.log()?;
    let is_start = |entry: &&Entry| entry.number == number && matches!(entry.decision, Decision::StartRound { .. });
    match log.entries().iter().find(is_start) {
        Some(_) => Err(StepError::Usage(format!(
            "decision {number} started a round, which cannot be undone; start the round again with 'agon round'"
        ))),
        None => Ok(()),
    }
}

/// Refuses to settle the status of a benchmark with several queries: each has its own, in the file.
fn has_one_query(competition: &Competition, path: &BenchmarkPath) -> Result<(), StepError> {
    is_benchmark(competition, path)?;
    match competition.library()?.get(path).map(|entry| entry.benchmark.statuses.len()) {
        Some(1) | None => Ok(()),
        Some(queries) => Err(StepError::Usage(format!(
            "{path} has {queries} queries, each with its own status; correct the file and run 'agon library add' again"
        ))),
    }
}

fn is_family(competition: &Competition, family: &str) -> Result<(), StepError> {
    let below = format!("{}/", family.trim_end_matches('/'));
    let library = competition.library()?;
    if library.iter().any(|entry| entry.benchmark.path.0.starts_with(&below)) {
        return Ok(());
    }
    let directories: BTreeSet<&str> =
        library.iter().filter_map(|entry| Some(entry.benchmark.path.0.rsplit_once('/')?.0)).collect();
    let hint = did_you_mean(family, directories);
    Err(StepError::Usage(format!("the library has no family '{family}'{hint}; name its directory in the library")))
}

pub(crate) fn is_entrant(competition: &Competition, name: &EntrantName) -> Result<(), StepError> {
    let entrants = competition.entrants()?;
    if entrants.iter().any(|entrant| entrant.name == *name) {
        return Ok(());
    }
    let hint = did_you_mean(name.as_str(), entrants.iter().map(|entrant| entrant.name.as_str()));
    Err(StepError::Usage(format!("unknown entrant '{name}'{hint}; 'agon entrant list' lists the entrants")))
}

/// The decisions in force that concern one track.
#[derive(Clone, Debug)]
pub(crate) struct Decided {
    track: Track,
    log: Log,
}

impl Decided {
    /// Reads the log of a competition.
    pub(crate) fn of(competition: &Competition, track: Track) -> Result<Self, StepError> {
        Ok(Self { track, log: competition.log()? })
    }

    /// What the decisions mean.
    pub(crate) fn standing(&self) -> Standing<'_> {
        Standing::of(&self.log)
    }

    /// Why the organizers disqualified an entrant, if they did (R08-4.24, R19-6.9).
    pub(crate) fn disqualification(&self, entrant: &Entrant) -> Option<String> {
        let standing = self.standing();
        let entry = standing.decision(&entrant.name)?;
        let is_out = standing.state(&entrant.name) == EntryState::Disqualified;
        is_out.then(|| format!("{} (decision {})", entry.reason, entry.number))
    }

    /// The decisions that affect the results, by number: those that removed benchmarks (R19-8.1), settled the status of
    /// one of these benchmarks (SL19-18) or cut a family (R19-6.4), and those that removed entrants from the results or
    /// from the rankings.
    pub(crate) fn affecting(&self, removed: &[BenchmarkPath], benchmarks: &HashSet<&BenchmarkPath>) -> Vec<&Entry> {
        let standing = self.standing();
        let removals = removed.iter().filter_map(|benchmark| standing.removal(benchmark, self.track));
        let is_last = |found: Option<&Entry>, entry: &Entry| found.is_some_and(|last| last.number == entry.number);
        let is_change = |entry: &&Entry| match &entry.decision {
            Decision::Refuse { entrant } | Decision::Withdraw { entrant } | Decision::Disqualify { entrant } => {
                is_last(standing.decision(entrant), entry)
            }
            Decision::SettleStatus { benchmark, .. } => {
                benchmarks.contains(benchmark) && is_last(standing.settled(benchmark).map(|(_, last)| last), entry)
            }
            Decision::CutFamily { track, .. } => track.is_none_or(|track| track == self.track),
            _ => false,
        };
        let mut all: Vec<&Entry> = removals.chain(self.log.in_force().filter(is_change)).collect();
        all.sort_by_key(|entry| entry.number);
        all.dedup_by_key(|entry| entry.number);
        all
    }

    /// What the decisions say about a benchmark, for explanations.
    pub(crate) fn on_benchmark(&self, benchmark: &BenchmarkPath) -> Option<String> {
        let standing = self.standing();
        let removal = standing.removal(benchmark, self.track);
        let settled = || standing.settled(benchmark).map(|(_, entry)| entry);
        removal.or_else(settled).map(|entry| format!("decision {} {}: {}", entry.number, entry.decision, entry.reason))
    }

    /// The status that counts for every benchmark on whose status a decision was ever made: the settled one, or `None`
    /// for that in the library if the decision was revoked.
    pub(crate) fn settled_statuses(&self) -> BTreeMap<&BenchmarkPath, Option<Status>> {
        let standing = self.standing();
        let named = self.log.entries().iter().filter_map(|entry| match &entry.decision {
            Decision::SettleStatus { benchmark, .. } => Some(benchmark),
            _ => None,
        });
        named.map(|benchmark| (benchmark, standing.settled(benchmark).map(|(status, _)| status))).collect()
    }
}

/// The entrants that take part: those that were neither refused nor withdrawn.
pub(crate) fn taking_part(competition: &Competition) -> Result<Vec<Entrant>, StepError> {
    let log = competition.log()?;
    let standing = Standing::of(&log);
    let mut entrants = competition.entrants()?;
    entrants.retain(|entrant| standing.state(&entrant.name).takes_part());
    Ok(entrants)
}

/// The state of every entrant, with the decision that put it into that state.
pub fn entry_states(
    competition: &Competition,
) -> Result<BTreeMap<EntrantName, (EntryState, Option<Entry>)>, StepError> {
    let log = competition.log()?;
    let standing = Standing::of(&log);
    let state = |entrant: Entrant| {
        let name = entrant.name.clone();
        let state = (standing.state(&name), standing.decision(&name).cloned());
        (name, state)
    };
    Ok(competition.entrants()?.into_iter().map(state).collect())
}
