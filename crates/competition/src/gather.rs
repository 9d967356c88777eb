//! Gathers the input of scoring and of the site: the judged runs of the current plan, and their completeness.

use crate::StepError;
use crate::decide::Decided;
use crate::heats::Heats;
use crate::judge::forget_outdated;
use crate::plan::{Plan, counted};
use crate::readiness::Readiness;
use agon_dispatch::NotRun;
use agon_domain::{
    BenchmarkPath, End, Entrant, EntrantKind, EntrantName, Evidence, Limits, Logic, Ruling, Time, TraceLog, Track,
};
use agon_rulebook::{Deviation, RankingOrder, Rulebook};
use agon_score::{
    BenchmarkFacts, BenchmarkIx, LogicIx, Measured, Progress, Rules, Run, Scores, Solver, SolverIx, Stage, TrackResults,
};
use agon_store::{Competition, Recorded, SetAside, Store};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// The runs of a track under the current plan.
#[derive(Debug)]
pub struct Gathered {
    /// The track that the runs belong to.
    pub track: Track,
    /// The limits of the runs.
    pub limits: Limits,
    /// All entrants of the competition.
    pub entrants: Vec<Entrant>,
    /// The runs that count, sorted by benchmark.
    pub runs: Vec<Recorded>,
    /// The progress of each logic.
    pub progress: BTreeMap<Logic, Progress>,
    /// The logics that are not run, each with its number of benchmarks and the reason.
    pub not_run: Vec<(Logic, usize, NotRun)>,
    /// The reason why the prepared benchmarks are out of date, if they are.
    pub stale: Option<String>,
    /// The seed of the selection.
    pub seed: Option<u32>,
    set_aside: SetAside,
    in_open_heats: usize,
    removed: Vec<BenchmarkPath>,
    decided: Decided,
    /// Whether the track is run in heats.
    pub is_in_heats: bool,
}

/// When results are final.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Finality {
    /// When every planned pair has a verdict.
    #[default]
    WhenComplete,
    /// Now, because the organizers end the competition. In a track that is run in heats, incomplete heats are ignored
    /// (R19-6.8).
    Final,
}

/// The error if a competition that is not run in heats is ended early.
pub const NOT_IN_HEATS: &str = "only a competition in heats can end before every pair has been run (R19-6.8)";

/// Reads everything that scoring needs: the runs of the current plan under the current limits.
pub fn gather(competition: &Competition, track: Track, finality: Finality) -> Result<Gathered, StepError> {
    let mut store = competition.store()?;
    let plan = Plan::refresh(competition, track, &mut store)?;
    let mut runs = store.recorded(track)?;
    forget_outdated(competition, track, &store, &mut runs)?;
    let mut progress = logic_progress(&store, track, &runs)?;
    let all = runs.len();
    let readiness = Readiness::of(competition, track, &store)?;
    let heats = Heats::of(readiness.written.as_ref());
    let is_in_heats = !heats.is_empty();
    if is_in_heats {
        let queue = store.queue(track)?;
        let incomplete = heats.incomplete(queue.pending.iter().map(|pending| queue.prepared(pending)));
        runs.retain(|run| !incomplete.has(&run.pair));
    }
    if finality == Finality::Final && is_in_heats {
        let unjudged = runs.iter().filter(|run| run.judgement.is_none()).count();
        if unjudged > 0 {
            let outcomes = counted(unjudged as u64, "outcome is", "outcomes are");
            return Err(StepError::Missing(format!(
                "{track}: {outcomes} not judged yet; run 'agon judge --track {track}'"
            )));
        }
        // Incomplete heats are ignored, so the finished pairs are the whole plan.
        for division in progress.values_mut() {
            division.planned = division.done;
        }
    }
    Ok(Gathered {
        track,
        limits: plan.limits,
        in_open_heats: all - runs.len(),
        entrants: plan.entrants,
        runs,
        progress,
        not_run: plan.not_run,
        stale: readiness.stale(),
        seed: readiness.written.map(|written| written.chosen.seed),
        set_aside: store.set_aside(track)?,
        is_in_heats,
        removed: plan.removed.into_iter().map(|prepared| prepared.benchmark).collect(),
        decided: plan.decided,
    })
}

/// The numbers of verdicts and of planned pairs in each logic.
pub(crate) fn logic_progress(
    store: &Store,
    track: Track,
    runs: &[Recorded],
) -> Result<BTreeMap<Logic, Progress>, StepError> {
    let planned = store.planned_by_logic(track)?.into_iter();
    let mut progress: BTreeMap<Logic, Progress> =
        planned.map(|(logic, planned)| (logic, Progress { done: 0, planned })).collect();
    for run in runs.iter().filter(|run| run.judgement.is_some()) {
        progress.entry(run.pair.prepared.logic.clone()).or_default().done += 1;
    }
    Ok(progress)
}

impl Gathered {
    /// The numbers of pairs with a verdict and of planned pairs.
    pub fn total(&self) -> Progress {
        let add = |sum: Progress, next: &Progress| Progress {
            done: sum.done + next.done,
            planned: sum.planned + next.planned,
        };
        self.progress.values().fold(Progress::default(), add)
    }

    /// Notes on results that are missing or do not count, one line each.
    pub fn notes(&self) -> Vec<String> {
        let track = self.track;
        let mut notes = vec![];
        if let Some(why) = &self.stale {
            notes.push(format!("{track}: INTERMEDIATE: {why}; run 'agon go'"));
        }
        let Progress { done, planned } = self.total();
        if done < planned {
            notes.push(format!(
                "{track}: INTERMEDIATE: {done} of {planned} pairs have been run and judged; no winners yet"
            ));
        }
        let unjudged = self.runs.iter().filter(|run| run.judgement.is_none()).count();
        if unjudged > 0 {
            let outcomes = counted(unjudged as u64, "outcome is", "outcomes are");
            notes.push(format!("{track}: {outcomes} not judged yet; run 'agon judge --track {track}'"));
        }
        if self.in_open_heats > 0 {
            let runs = counted(self.in_open_heats as u64, "run is", "runs are");
            notes.push(format!("{track}: {runs} in incomplete heats and do not count (R19-6.8)"));
        }
        notes.extend(set_aside_notes(track, &self.set_aside));
        notes.extend(self.decisions().into_iter().map(|decision| format!("{track}: {decision}")));
        for (division, benchmarks, why) in &self.not_run {
            let benchmarks = counted(*benchmarks as u64, "benchmark", "benchmarks");
            notes.push(format!("{track}: {division} was not run ({benchmarks}): {why}"));
        }
        notes
    }

    /// The decisions that change these results, one line each, with their numbers in the log.
    pub fn decisions(&self) -> Vec<String> {
        let line =
            |entry: &agon_edition::Entry| format!("decision {} {}: {}", entry.number, entry.decision, entry.reason);
        let benchmarks = self.runs.iter().map(|run| &run.pair.prepared.benchmark).collect();
        self.decided.affecting(&self.removed, &benchmarks).into_iter().map(line).collect()
    }

    /// The benchmarks that decisions removed from the results, each with the decision.
    pub fn removed(&self) -> Vec<(&BenchmarkPath, String)> {
        self.removed.iter().filter_map(|path| Some((path, self.decision_on(&path.0)?))).collect()
    }

    /// The decision that changed what a benchmark counts, if there is one.
    pub fn decision_on(&self, benchmark: &str) -> Option<String> {
        self.decided.on_benchmark(&BenchmarkPath(benchmark.to_owned()))
    }

    /// The scores under the competition's rules.
    pub fn score(&self, competition: &Competition) -> Result<Scores, StepError> {
        let rules = self.rules(competition.rulebook(), &BTreeSet::new())?;
        Ok(self.score_under(&self.results(competition)?, &rules))
    }

    /// The scores of [`Gathered::results`] under a rulebook. An incomplete division has no winner.
    pub fn score_under(&self, results: &TrackResults, rules: &Rules<'_>) -> Scores {
        let stage = if self.stale.is_some() { Stage::OutOfDate } else { Stage::UpToDate };
        agon_score::score(results, rules).at_stage(&self.progress, stage)
    }

    /// The rules of the track in a rulebook, with these deviations.
    pub fn rules<'a>(&self, rulebook: &'a Rulebook, deviations: &BTreeSet<Deviation>) -> Result<Rules<'a>, StepError> {
        Rules::new(rulebook, self.track, deviations).map_err(|error| StepError::Usage(error.to_string()))
    }

    /// All judged runs, as input of scoring.
    pub fn results(&self, competition: &Competition) -> Result<TrackResults, StepError> {
        let mut results = TrackResults {
            track: self.track,
            is_incremental: self.track.is_incremental(),
            solvers: self.entrants.iter().map(|entrant| self.solver(entrant)).collect(),
            logics: vec![],
            benchmarks: vec![],
            runs: vec![],
            entered: vec![],
        };
        // Only these tracks depend on the number of queries or assertions.
        let is_needed = self.track.is_incremental() || self.track == Track::UnsatCore;
        let library = if is_needed { Some(competition.library()?) } else { None };
        let entry = |path: &BenchmarkPath| library.as_ref().and_then(|library| library.get(path));
        // The outputs are read only if the time of a run is that of its answers.
        let order = competition.rulebook().tracks.get(&self.track).map(|rules| rules.scoring.order);
        let answers = if order == Some(RankingOrder::Queries) { Some(competition.store()?) } else { None };
        let numbers: HashMap<&EntrantName, SolverIx> =
            self.entrants.iter().enumerate().map(|(at, entrant)| (&entrant.name, SolverIx::at(at))).collect();
        // A benchmark in two divisions counts in each of them.
        for group in self.runs.chunk_by(|one, other| one.pair.prepared == other.pair.prepared) {
            let prepared = &group[0].pair.prepared;
            let known = results.logics.iter().position(|logic| *logic == prepared.logic).map(LogicIx::at);
            let logic = known.unwrap_or_else(|| self.enter(&mut results, &prepared.logic));
            let benchmark = BenchmarkIx::at(results.benchmarks.len());
            let indexed = entry(&prepared.benchmark).map(|entry| &entry.benchmark);
            results.benchmarks.push(BenchmarkFacts {
                name: prepared.benchmark.0.as_str().into(),
                logic,
                status: prepared.status,
                queries: indexed.map(|indexed| indexed.statuses.len() as u64),
                asserts: indexed.map(|indexed| indexed.asserts),
            });
            for recorded in group {
                let Some(mut run) = run(recorded, &numbers, benchmark) else { continue };
                if let Some(store) = &answers {
                    (run.wall, run.cpu) = time_of_answers(&run, &store.output(&recorded.outcome.stdout)?);
                }
                results.runs.push(run);
            }
        }
        // Divisions without any judged run are listed too.
        for (logic, _) in self.progress.iter().filter(|(_, progress)| !progress.is_complete()) {
            if !results.logics.contains(logic) {
                self.enter(&mut results, logic);
            }
        }
        Ok(results)
    }

    /// Adds a logic and the entrants that enter it.
    fn enter(&self, results: &mut TrackResults, logic: &Logic) -> LogicIx {
        let number = LogicIx::at(results.logics.len());
        results.logics.push(logic.clone());
        let entered = (0..self.entrants.len()).filter(|at| self.entrants[*at].enters(self.track, logic));
        results.entered.extend(entered.map(|at| (number, SolverIx::at(at))));
        number
    }

    fn solver(&self, entrant: &Entrant) -> Solver {
        let is_base = |other: &Entrant| Some(other.name.as_str()) == entrant.derived_from.as_deref();
        let base = self.entrants.iter().position(is_base).map(SolverIx::at);
        let note = match entrant.kind {
            EntrantKind::Competing => None,
            EntrantKind::CompetingOrganizer => {
                Some("submitted by the organizers; its magic number does not count (R19-6.10)".to_owned())
            }
            EntrantKind::NonCompeting => Some("not competing: run for comparison (R19-4.13)".to_owned()),
            EntrantKind::Organizer => Some("not competing: submitted by the organizers".to_owned()),
        };
        let derived = entrant.derived_from.as_ref().map(|base| format!("derived from {base} (R19-4.3)"));
        let wraps = (!entrant.wraps.is_empty()).then(|| format!("wraps {} (R19-4.2)", entrant.wraps.join(", ")));
        // "name" or "name version" of another entrant. Anything else is a solver of an earlier year.
        let entered = |wrapped: &String| {
            self.entrants.iter().position(|other| {
                let name = other.name.to_string();
                *wrapped == name || *wrapped == format!("{name} {}", other.version)
            })
        };
        let notes: Vec<String> = [note, derived, wraps].into_iter().flatten().collect();
        Solver {
            name: entrant.name.to_string(),
            team: entrant.team.clone(),
            competing: entrant.kind.can_win(),
            has_source: entrant.open_source,
            base,
            is_new: entrant.new,
            disqualified: self.decided.disqualification(entrant),
            // A solver that calls a solver of the same team is not a wrapper (R08-2.22).
            wraps: entrant
                .wraps
                .iter()
                .filter_map(entered)
                .filter(|at| self.entrants[*at].team != entrant.team)
                .map(SolverIx::at)
                .collect(),
            wraps_older: entrant.wraps.iter().any(|wrapped| entered(wrapped).is_none()),
            won: entrant.won.clone(),
            note: (!notes.is_empty()).then(|| notes.join("; ")),
        }
    }
}

/// Notes on outcomes that do not count, one line per cause.
pub(crate) fn set_aside_notes(track: Track, set_aside: &SetAside) -> Vec<String> {
    let causes = [
        (set_aside.other_limits, "made under other limits"),
        (set_aside.other_solvers, "of solvers, versions or benchmarks that are not in the plan"),
        (set_aside.other_benchmarks, "of benchmarks that are no longer prepared"),
    ];
    let causes = causes.into_iter().filter(|(count, _)| *count > 0);
    let note =
        |(count, why): (u64, &str)| format!("{track}: {} set aside: {why}", counted(count, "pair is", "pairs are"));
    causes.map(note).collect()
}

/// The wall-clock and CPU time up to the last correct answer of an incremental run, which is its time by the rules of
/// 2011 (A11-10); zero if an answer is wrong (A11-12).
fn time_of_answers(run: &Run, log: &[u8]) -> (Time, Time) {
    let Evidence::Queries { correct, wrong: 0 } = run.claim.evidence else { return (Time::ZERO, Time::ZERO) };
    let answers = TraceLog::read(log).answers;
    // No answer is wrong, so the correct ones are the definite ones.
    let definite = answers.iter().filter(|answer| answer.answer.is_definite());
    let last = definite.take(correct as usize).last().and_then(|answer| answer.stamp);
    last.map_or((Time::ZERO, Time::ZERO), |stamp| (stamp.wall, stamp.cpu))
}

/// Converts a recorded run for scoring; `None` if it is not judged.
fn run(recorded: &Recorded, numbers: &HashMap<&EntrantName, SolverIx>, benchmark: BenchmarkIx) -> Option<Run> {
    let verdict = recorded.verdict()?;
    Some(Run {
        solver: *numbers.get(&recorded.pair.entrant)?,
        benchmark,
        claim: verdict.claim,
        end: match verdict.ruling {
            Ruling::Timeout => End::Timeout,
            Ruling::Memout => End::Memout,
            Ruling::Solved | Ruling::Erroneous | Ruling::Unknown | Ruling::Abort => End::of(recorded.outcome.limit),
        },
        wall: recorded.outcome.wall,
        cpu: recorded.outcome.cpu,
        measured: Measured::All,
    })
}
