//! The plan: which solver runs on which benchmark. It is derived from the entrants, the limits and the prepared
//! benchmarks, and every step uses the current one.

use crate::StepError;
use crate::decide::{Decided, taking_part};
use crate::readiness::Readiness;
use agon_dispatch::{NotRun, not_run};
use agon_domain::{BenchmarkPath, Entrant, Limits, Logic, Prepared, Track};
use agon_rulebook::{Rulebook, TrackRules};
use agon_store::{Competition, Ladders, Repeats, Store};
use std::collections::BTreeSet;

/// The rules of a track in a competition.
pub fn track_rules(competition: &Competition, track: Track) -> Result<&TrackRules, StepError> {
    let rules = competition.rulebook();
    rules.tracks.get(&track).ok_or_else(|| {
        let tracks = rules.tracks.keys().map(|track| track.name()).collect::<Vec<_>>().join(", ");
        StepError::Usage(format!("the rulebook '{}' has no {track} track; its tracks are {tracks}", rules.name))
    })
}

/// The default track: the rulebook's only track, or single-query if it has several.
pub fn default_track(rulebook: &Rulebook) -> Track {
    let mut tracks = rulebook.tracks.keys();
    match (tracks.next(), tracks.next()) {
        (Some(only), None) => *only,
        _ => Track::default(),
    }
}

/// The tracks of a rulebook, by whether a competition can run them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tracks {
    /// The tracks that can be run, in the rulebook's order: later ones use results of earlier ones.
    pub runnable: Vec<Track>,
    /// The tracks that cannot be run, each with the reason.
    pub skipped: Vec<(Track, String)>,
}

impl Tracks {
    /// Determines which tracks of a competition can be run.
    pub fn of(competition: &Competition) -> Result<Self, StepError> {
        let rulebook = competition.rulebook();
        let entrants = taking_part(competition)?;
        let mut tracks = Self::default();
        for track in rulebook.tracks.keys().copied() {
            if !rulebook.selection.contains_key(&track) {
                tracks.skipped.push((track, "the rulebook has no selection rules for it".to_owned()));
            } else if !entrants.iter().any(|entrant| entrant.commands.contains_key(&track)) {
                tracks.skipped.push((track, "no entrant has a command for it".to_owned()));
            } else {
                tracks.runnable.push(track);
            }
        }
        Ok(tracks)
    }
}

/// Gives prepared benchmarks the statuses on which the organizers settled (SL19-18). A revoked decision leaves the
/// status in the library.
fn settle_statuses(
    competition: &Competition,
    decided: &Decided,
    track: Track,
    store: &mut Store,
) -> Result<(), StepError> {
    let settled = decided.settled_statuses();
    if settled.is_empty() {
        return Ok(());
    }
    let library = competition.library()?;
    let in_library = |path: &BenchmarkPath| library.get(path).map(|entry| entry.benchmark.status());
    let statuses =
        settled.into_iter().filter_map(|(path, status)| Some((path.clone(), status.or_else(|| in_library(path))?)));
    store.set_statuses(track, &statuses.collect::<Vec<_>>())?;
    Ok(())
}

/// The current plan of a track.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The track that is planned.
    pub track: Track,
    /// The limits of the track's runs. Divisions may have others.
    pub limits: Limits,
    /// The limits of each logic, one after the other.
    pub(crate) ladders: Ladders,
    /// All entrants of the competition.
    pub entrants: Vec<Entrant>,
    /// The prepared benchmarks of the track.
    pub prepared: Vec<Prepared>,
    /// The logics that are not run, each with its number of benchmarks and the reason.
    pub not_run: Vec<(Logic, usize, NotRun)>,
    /// The prepared benchmarks that a decision removed from the results (R19-8.1).
    pub(crate) removed: Vec<Prepared>,
    /// The decisions in force.
    pub(crate) decided: Decided,
}

impl Plan {
    /// Computes the current plan and records it. Pairs that are no longer planned keep their outcomes, which do not
    /// count.
    pub fn refresh(competition: &Competition, track: Track, store: &mut Store) -> Result<Self, StepError> {
        let rules = competition.rulebook();
        let limits = track_rules(competition, track)?.limits;
        let decided = Decided::of(competition, track)?;
        let mut entrants = competition.entrants()?;
        let standing = decided.standing();
        entrants.retain(|entrant| standing.state(&entrant.name).takes_part());
        settle_statuses(competition, &decided, track, store)?;
        let mut prepared = store.prepared(track)?;
        // The others keep their place in the selection, so nothing is drawn again (R19-8.1).
        let removed: Vec<_> =
            prepared.extract_if(.., |one| standing.removal(&one.benchmark, track).is_some()).collect();
        let plan = agon_dispatch::plan(rules, track, &entrants, &prepared);
        let versions: Vec<_> =
            entrants.iter().map(|entrant| (entrant.name.clone(), entrant.version_in(track))).collect();
        let logics: BTreeSet<&Logic> = prepared.iter().map(|prepared| &prepared.logic).collect();
        let ladders: Ladders = logics.into_iter().map(|logic| (logic.clone(), rules.ladder(track, logic))).collect();
        store.set_plan(track, &versions, &prepared, plan, &ladders)?;
        let not_run = not_run(rules, track, &entrants, &prepared);
        Ok(Self { track, limits, ladders, entrants, prepared, not_run, removed, decided })
    }

    /// Fails with the reason if no pair can be run.
    pub(crate) fn can_run(&self, competition: &Competition, readiness: &Readiness) -> Result<(), StepError> {
        let (directory, track) = (competition.directory().display(), self.track);
        let message = if self.entrants.is_empty() {
            format!("{directory} has no entrants yet; enter some with 'agon entrant add'")
        } else if self.prepared.is_empty() && readiness.is_current() {
            format!("nothing is selected for the {track} track of {directory}; 'agon select --track {track}' shows why")
        } else if self.prepared.is_empty() {
            format!(
                "{directory} has no prepared benchmarks of the {track} track yet; run 'agon select --track {track}' and \
                 'agon prepare --track {track}', or 'agon go'"
            )
        } else if !self.entrants.iter().any(|entrant| entrant.commands.contains_key(&track)) {
            format!(
                "no entrant of {directory} has a command for the {track} track; add one under [commands] in its \
                 entrant.toml, and enter it again"
            )
        } else if self.not_run.len() == self.logics() {
            format!(
                "no pair of the {track} track can be run in {directory}: no division is competitive (R19-3.5). Enter \
                 solvers of more teams, or set run_non_competitive = true under [rules] in agon.toml"
            )
        } else {
            return Ok(());
        };
        Err(StepError::NothingToRun(message))
    }

    /// The number of logics that have prepared benchmarks.
    fn logics(&self) -> usize {
        self.prepared.iter().map(|prepared| &prepared.logic).collect::<BTreeSet<_>>().len()
    }
}

/// The reasons why pairs have to be run again, one phrase per reason.
pub fn repeated_because(repeats: &Repeats) -> Vec<String> {
    let causes = [
        (repeats.limits, "the limits have changed"),
        (repeats.longer, "they reached a time limit, and the rules have a longer one (SL19-22)"),
        (repeats.versions, "their solver has another version"),
        (repeats.benchmarks, "their benchmark is prepared differently"),
    ];
    let causes = causes.into_iter().filter(|(count, _)| *count > 0);
    causes.map(|(count, why)| format!("{} again because {why}", counted(count, "pair runs", "pairs run"))).collect()
}

/// A count with its noun in the singular or plural.
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
