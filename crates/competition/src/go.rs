//! Performs all remaining steps of a competition, in order.

use crate::error::Blame;
use crate::gather::Finality;
use crate::index::library_of;
use crate::judge::{JudgeOptions, JudgeSummary, judge};
use crate::observer::Tell;
use crate::plan::{Tracks, counted, track_rules};
use crate::prepare::prepare;
use crate::readiness::{Freshness, Readiness};
use crate::report::{Published, report};
use crate::run::{RunOptions, run};
use crate::seed::{SeedOptions, draw_seed, read_seed};
use crate::select::select;
use crate::settle::{Review, review, settle};
use crate::{Machine, Observer, StepError};
use agon_domain::Track;
use agon_select::IndexValue;
use agon_store::Competition;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// The steps of a competition, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Step {
    /// Index benchmarks.
    Index,
    /// Enter solvers.
    Enter,
    /// Draw the seed.
    Seed,
    /// Select benchmarks.
    Select,
    /// Prepare the selected benchmarks.
    Prepare,
    /// Run the pairs.
    Run,
    /// Judge the outcomes.
    Judge,
    /// Score and publish the results.
    Report,
}

impl Step {
    /// All steps, in order.
    pub const ALL: [Self; 8] =
        [Self::Index, Self::Enter, Self::Seed, Self::Select, Self::Prepare, Self::Run, Self::Judge, Self::Report];

    /// The steps that [`go`] performs, after any of which it can stop.
    const STOPS: [Self; 6] = [Self::Seed, Self::Select, Self::Prepare, Self::Run, Self::Judge, Self::Report];

    /// The step's name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Index => "index",
            Self::Enter => "enter",
            Self::Seed => "seed",
            Self::Select => "select",
            Self::Prepare => "prepare",
            Self::Run => "run",
            Self::Judge => "judge",
            Self::Report => "report",
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A word that does not name a step.
#[derive(Debug, thiserror::Error)]
#[error("unknown step '{0}'; the steps are {known}", known = Step::STOPS.map(Step::name).join(", "))]
pub struct UnknownStep(String);

impl FromStr for Step {
    type Err = UnknownStep;

    fn from_str(word: &str) -> Result<Self, UnknownStep> {
        Self::STOPS.into_iter().find(|step| step.name() == word).ok_or_else(|| UnknownStep(word.to_owned()))
    }
}

/// The maximum number of times that the pairs of a track are run because the plan has changed meanwhile.
const ROUNDS: usize = 3;

/// The options of [`go`].
#[derive(Clone, Debug)]
pub struct GoOptions {
    /// The tracks to work on; empty means all that can be run.
    pub tracks: Vec<Track>,
    /// The last step to perform.
    pub until: Step,
    /// The opening value of the stock index. Required if the seed has not been drawn and the rules use an index.
    pub index: Option<IndexValue>,
    /// The options of the runs.
    pub run: RunOptions,
    /// The options of judging.
    pub judge: JudgeOptions,
    /// The directory of the site; by default in the competition's directory.
    pub to: Option<PathBuf>,
}

impl Default for GoOptions {
    fn default() -> Self {
        Self {
            tracks: vec![],
            until: Step::Report,
            index: None,
            run: RunOptions::default(),
            judge: JudgeOptions::default(),
            to: None,
        }
    }
}

/// The result of [`go`].
#[derive(Debug, Default)]
pub struct Gone {
    /// The findings that organizers should examine, by track.
    pub reviews: Vec<(Track, Review)>,
    /// The site, if it was written.
    pub published: Option<Published>,
    /// The number of pairs that were not run because of an interruption or because jobs run detached.
    pub left: u64,
}

/// Performs all remaining steps in order: draws the seed, selects, prepares, runs, judges, settles and reports. Steps
/// that are up to date are skipped, so that another call continues after an interruption.
pub fn go(
    competition: &Competition,
    options: &GoOptions,
    machine: &Machine,
    observer: &mut Observer<'_>,
) -> Result<Gone, StepError> {
    let mut gone = Gone::default();
    let tracks = tracks(competition, &options.tracks, observer)?;
    if let Some(known) = read_seed(competition)? {
        // The seed is final, even if entrants have changed since it was drawn. A different index is an error.
        if let Some(index) = options.index.as_ref().filter(|index| **index != known.index) {
            return Err(StepError::Usage(format!(
                "the seed was drawn with index {}, not {index}; omit --index, or draw the seed again with 'agon seed \
                 --index {index} --replace'",
                known.index
            )));
        }
    } else {
        let seed = SeedOptions { index: options.index.clone(), ..SeedOptions::default() };
        let ledger = draw_seed(competition, &seed)?;
        observer.note(format!("seed {}", ledger.seed()));
    }
    let is_wanted = |step: Step| step <= options.until;
    for track in tracks.iter().copied().filter(|_| is_wanted(Step::Select)) {
        machine.go_on()?;
        select_again(competition, track, observer)?;
        if is_wanted(Step::Prepare) && !Readiness::of(competition, track, &competition.store()?)?.is_current() {
            let made = prepare(competition, track, machine.interrupts(), observer)?;
            refuse(track, &made.refused)?;
            let count = counted(made.prepared.len() as u64, "benchmark", "benchmarks");
            observer.note(format!("{track}: {count} prepared"));
        }
    }
    for track in tracks.iter().copied().filter(|_| is_wanted(Step::Run)) {
        machine.go_on()?;
        gone.left += run_to_the_end(competition, track, &options.run, machine, observer)?;
    }
    if is_wanted(Step::Run) && prepared_benchmarks(competition, &tracks)? == 0 {
        let message = "nothing is selected in any track; see the messages above";
        return Err(StepError::Missing(message.into()));
    }
    // The user can still get intermediate results with 'agon judge' and 'agon report'.
    if gone.left > 0 || machine.is_stopped() {
        return Ok(gone);
    }
    for track in tracks.iter().copied().filter(|_| is_wanted(Step::Judge)) {
        let summary = judge(competition, track, &options.judge, machine, observer)?;
        found_all(&summary)?;
        if summary.judged > 0 {
            let outcomes = counted(summary.judged as u64, "outcome", "outcomes");
            observer.note(format!("{track}: {outcomes} judged"));
        }
        let suspects = settle(competition, track, machine, observer)?;
        gone.reviews.push((track, review(competition, track, suspects)?));
    }
    if is_wanted(Step::Report) {
        gone.published = Some(report(competition, options.to.as_deref(), Finality::WhenComplete, observer)?);
    }
    Ok(gone)
}

/// Runs the pairs of a track and returns the number of pairs left. A track in which nothing can be run is skipped.
fn run_to_the_end(
    competition: &Competition,
    track: Track,
    options: &RunOptions,
    machine: &Machine,
    observer: &mut Observer<'_>,
) -> Result<u64, StepError> {
    let is_detached = options.slurm.as_ref().is_some_and(|slurm| slurm.detach);
    for _ in 0..ROUNDS {
        match run(competition, track, options, machine, observer) {
            Ok(summary) if summary.left == 0 || machine.is_stopped() || is_detached => return Ok(summary.left),
            // The plan has changed during the run, so there are new pairs.
            Ok(_) => {}
            Err(StepError::NothingToRun(why)) => {
                observer.note(format!("{track}: skipped: {why}"));
                return Ok(0);
            }
            Err(error) => return Err(error),
        }
    }
    Err(StepError::Missing(format!("{track}: the plan keeps changing during the run; run 'agon go' again")))
}

/// The total number of prepared benchmarks in these tracks.
pub(crate) fn prepared_benchmarks(competition: &Competition, tracks: &[Track]) -> Result<usize, StepError> {
    let store = competition.store()?;
    tracks.iter().try_fold(0, |sum, track| Ok(sum + store.prepared(*track)?.len()))
}

/// Fails if the outputs of some pairs are lost.
pub fn found_all(summary: &JudgeSummary) -> Result<(), StepError> {
    let Some(first) = summary.lost.first() else { return Ok(()) };
    let pairs: Vec<String> = summary.lost.iter().map(ToString::to_string).collect();
    Err(StepError::Missing(format!(
        "the outputs of these pairs are missing or damaged, so they have no verdict: {}; 'agon rerun {first}' runs the \
         first one again",
        pairs.join(", ")
    )))
}

/// Fails if some benchmarks cannot be prepared, and names them.
pub fn refuse(track: Track, refused: &[String]) -> Result<(), StepError> {
    if refused.is_empty() {
        return Ok(());
    }
    let count = counted(refused.len() as u64, "selected benchmark", "selected benchmarks");
    Err(StepError::Missing(format!(
        "{}\n{count} cannot be prepared for the {track} track; remove them with 'agon library remove FILE --reason WHY', or \
         exclude them from the selection with 'agon select --exclude LIST'",
        refused.join("\n")
    )))
}

/// The tracks to work on: the requested ones, or all that can be run.
fn tracks(competition: &Competition, wanted: &[Track], observer: &mut Observer<'_>) -> Result<Vec<Track>, StepError> {
    let directory = competition.directory().display();
    library_of(competition)?;
    if competition.entrants()?.is_empty() {
        let message = format!("{directory} has no entrants yet; enter some with 'agon entrant add SOLVER'");
        return Err(StepError::Missing(message));
    }
    if !wanted.is_empty() {
        wanted.iter().try_for_each(|track| track_rules(competition, *track).map(drop))?;
        return Ok(wanted.to_vec());
    }
    let Tracks { runnable, skipped } = Tracks::of(competition)?;
    for (track, why) in &skipped {
        observer.note(format!("{track}: skipped: {why}"));
    }
    if runnable.is_empty() {
        return Err(StepError::Missing(format!("no track of {directory} can be run; see the messages above")));
    }
    Ok(runnable)
}

/// Selects benchmarks unless the selection is up to date. Uses the options of the previous selection.
fn select_again(competition: &Competition, track: Track, observer: &mut Observer<'_>) -> Result<(), StepError> {
    let Readiness { selection: freshness, written, .. } = Readiness::of(competition, track, &competition.store()?)?;
    if freshness == Freshness::Current {
        return Ok(());
    }
    let options = written.and_then(|written| written.options).unwrap_or_default();
    let selected = select(competition, track, &options).during(format!(
        "the selection of the {track} track could not be drawn again with its previous options; run 'agon select'"
    ))?;
    for (logic, reason, count) in selected.without_any() {
        let of_count = counted(count as u64, "benchmark", "benchmarks");
        observer.note(format!("{track}: nothing selected from {logic}: {reason} ({of_count})"));
    }
    let (chosen, all) = (selected.selection.chosen().count() as u64, selected.selection.choices.len());
    let again = if let Freshness::Stale(why) = freshness { format!(" again: {why}") } else { String::new() };
    observer.note(format!("{track}: {} of {all} selected{again}", counted(chosen, "benchmark", "benchmarks")));
    Ok(())
}
