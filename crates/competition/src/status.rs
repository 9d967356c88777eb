//! The progress of a competition, and its next step.

use crate::gather::{logic_progress, set_aside_notes};
use crate::go::prepared_benchmarks;
use crate::judge::forget_outdated;
use crate::plan::{Plan, Tracks, counted, repeated_because};
use crate::readiness::{Freshness, Readiness};
use crate::seed::{read_seed, uses_index};
use crate::{Step, StepError};
use agon_domain::{Logic, Ruling, Track};
use agon_score::Progress;
use agon_store::{Competition, Recorded, Repeats, SetAside};
use std::collections::BTreeMap;

/// The progress of a solver.
#[derive(Clone, Debug, Default)]
pub struct SolverStatus {
    /// The number of pairs with an outcome.
    pub done: usize,
    /// The number of pairs with an outcome but without a verdict.
    pub unjudged: usize,
    /// The number of verdicts with each ruling.
    pub rulings: BTreeMap<Ruling, usize>,
}

/// The progress of a track.
#[derive(Debug)]
pub struct TrackStatus {
    /// The track whose progress this is.
    pub track: Track,
    /// Whether the selection and the prepared benchmarks are up to date.
    pub readiness: Readiness,
    /// The current plan.
    pub plan: Plan,
    /// The outcomes that count.
    pub recorded: Vec<Recorded>,
    /// The number of pairs in the plan.
    pub planned: u64,
    /// The numbers of verdicts and of planned pairs in each logic.
    pub divisions: BTreeMap<Logic, Progress>,
    /// The progress of each solver with an outcome.
    pub solvers: BTreeMap<String, SolverStatus>,
    /// The numbers of pairs whose outcomes do not count.
    pub set_aside: SetAside,
    /// The numbers of pairs that have to be run again.
    pub repeats: Repeats,
}

impl TrackStatus {
    /// The number of pairs with an outcome.
    pub fn done(&self) -> u64 {
        self.recorded.len() as u64
    }

    /// The number of planned pairs without an outcome.
    pub fn left(&self) -> u64 {
        self.planned.saturating_sub(self.done())
    }

    /// The number of outcomes without a verdict.
    pub fn unjudged(&self) -> usize {
        self.solvers.values().map(|solver| solver.unjudged).sum()
    }

    /// The number of runs that were disturbed by other activity on the machine.
    pub fn disturbed(&self) -> usize {
        self.recorded.iter().filter(|run| run.outcome.disturbance.is_some()).count()
    }

    /// The remaining time in seconds with one slot, if the remaining pairs take as long as the finished ones on
    /// average.
    pub fn seconds_left(&self) -> Option<f64> {
        let wall: f64 = self.recorded.iter().map(|run| run.outcome.wall.as_secs_f64()).sum();
        (self.done() > 0).then(|| wall / self.done() as f64 * self.left() as f64)
    }

    /// Notes on outdated results, repeated runs and divisions that are not run, one line each.
    pub fn notes(&self) -> Vec<String> {
        let track = self.track;
        let mut notes = vec![];
        notes.extend(self.readiness.stale().iter().map(|why| format!("{track}: {why}")));
        notes.extend(repeated_because(&self.repeats).into_iter().map(|cause| format!("{track}: {cause}")));
        notes.extend(set_aside_notes(track, &self.set_aside));
        for (division, benchmarks, why) in &self.plan.not_run {
            let benchmarks = counted(*benchmarks as u64, "benchmark", "benchmarks");
            notes.push(format!("{track}: {division} is not run ({benchmarks}): {why}"));
        }
        notes
    }
}

/// The progress of a track under the current plan.
pub fn status(competition: &Competition, track: Track) -> Result<TrackStatus, StepError> {
    let mut store = competition.store()?;
    let plan = Plan::refresh(competition, track, &mut store)?;
    let mut recorded = store.recorded(track)?;
    forget_outdated(competition, track, &store, &mut recorded)?;
    let mut solvers: BTreeMap<String, SolverStatus> = BTreeMap::new();
    for run in &recorded {
        let solver = solvers.entry(run.pair.entrant.to_string()).or_default();
        solver.done += 1;
        match run.verdict() {
            Some(verdict) => *solver.rulings.entry(verdict.ruling).or_default() += 1,
            None => solver.unjudged += 1,
        }
    }
    Ok(TrackStatus {
        track,
        readiness: Readiness::of(competition, track, &store)?,
        planned: store.progress(track)?.planned,
        divisions: logic_progress(&store, track, &recorded)?,
        solvers,
        set_aside: store.set_aside(track)?,
        repeats: store.repeats(track)?,
        plan,
        recorded,
    })
}

/// A remaining step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Next {
    /// The step to perform.
    pub step: Step,
    /// The track, if the step belongs to one.
    pub track: Option<Track>,
    /// What the step does, or what the user has to do first.
    pub what: String,
}

/// The first remaining step of a competition, if there is one.
pub fn next_step(competition: &Competition) -> Result<Option<Next>, StepError> {
    let next = |step, track, what: String| Ok(Some(Next { step, track, what }));
    if competition.library()?.is_empty() {
        return next(Step::Index, None, "add benchmarks with 'agon library add DIR'".into());
    }
    if competition.entrants()?.is_empty() {
        return next(Step::Enter, None, "enter solvers with 'agon entrant add SOLVER'".into());
    }
    let seed = read_seed(competition);
    if let Err(error) = &seed {
        return next(Step::Seed, None, error.to_string());
    }
    if matches!(seed, Ok(None)) {
        let command = if uses_index(competition) { "agon go --index VALUE" } else { "agon go" };
        return next(Step::Seed, None, format!("draw the seed: '{command}'"));
    }
    let tracks = Tracks::of(competition)?.runnable;
    let mut store = competition.store()?;
    for track in &tracks {
        let readiness = Readiness::of(competition, *track, &store)?;
        if readiness.selection != Freshness::Current {
            return next(Step::Select, Some(*track), format!("select benchmarks of the {track} track"));
        }
        if !readiness.is_current() {
            return next(Step::Prepare, Some(*track), format!("prepare the benchmarks of the {track} track"));
        }
    }
    let mut unjudged = None;
    for track in &tracks {
        Plan::refresh(competition, *track, &mut store)?;
        let progress = store.progress(*track)?;
        if progress.done < progress.planned {
            let pairs = counted(progress.planned - progress.done, "pair", "pairs");
            return next(Step::Run, Some(*track), format!("run {pairs} of the {track} track"));
        }
        let open = if *track == Track::UnsatCore {
            status(competition, *track)?.unjudged() as u64
        } else {
            store.unjudged(*track)?
        };
        if open > 0 && unjudged.is_none() {
            unjudged = Some((*track, counted(open, "outcome", "outcomes")));
        }
    }
    if let Some((track, outcomes)) = unjudged {
        return next(Step::Judge, Some(track), format!("judge {outcomes} of the {track} track"));
    }
    if prepared_benchmarks(competition, &tracks)? == 0 {
        return next(
            Step::Select,
            None,
            "nothing is selected in any track; 'agon select --track all' shows why".into(),
        );
    }
    if !competition.site().join("index.html").exists() {
        return next(Step::Report, None, "write the results site".into());
    }
    Ok(None)
}
