//! Records the organizers' decisions, and what those in force mean for the plan and the results.

use crate::StepError;
use agon_domain::{BenchmarkPath, Entrant, EntrantName, Track, did_you_mean};
use agon_edition::{Decision, Entry, EntryState, Log, Proposal, Standing};
use agon_store::Competition;
use std::collections::BTreeMap;

/// The name of the user who runs Agon, for decisions without a name.
fn acting() -> String {
    let name = ["AGON_ORGANIZER", "USER", "LOGNAME"].into_iter().find_map(|name| std::env::var(name).ok());
    name.filter(|name| !name.trim().is_empty()).unwrap_or_else(|| "organizer".to_owned())
}

/// Records a decision. Benchmarks and entrants that do not exist are refused. Without a name, the decision is that of
/// the user who runs Agon.
pub fn decide(competition: &Competition, mut proposal: Proposal) -> Result<Entry, StepError> {
    match &proposal.decision {
        Decision::RemoveBenchmark { benchmark, .. }
        | Decision::ChallengeStatus { benchmark, .. }
        | Decision::SettleStatus { benchmark, .. } => is_benchmark(competition, benchmark)?,
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

    /// The decisions that affect the results: those that removed these benchmarks from the results of the track (R19-8.1), and those that removed
    /// entrants from the results or from the rankings, by number.
    pub(crate) fn affecting(&self, removed: &[BenchmarkPath]) -> Vec<&Entry> {
        let standing = self.standing();
        let removals = removed.iter().filter_map(|benchmark| standing.removal(benchmark, self.track));
        let is_change = |entry: &&Entry| match &entry.decision {
            Decision::Refuse { entrant } | Decision::Withdraw { entrant } | Decision::Disqualify { entrant } => {
                standing.decision(entrant).is_some_and(|last| last.number == entry.number)
            }
            _ => false,
        };
        let mut all: Vec<&Entry> = removals.chain(self.log.in_force().filter(is_change)).collect();
        all.sort_by_key(|entry| entry.number);
        all.dedup_by_key(|entry| entry.number);
        all
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
