//! Settles disagreements by evidence: a model that satisfies the benchmark.

use crate::enter::solver_of;
use crate::observer::{Tell, Work};
use crate::plan::Plan;
use crate::readiness::Readiness;
use crate::runner::{Scratch, run_solver};
use crate::{Event, Machine, Observer, StepError};
use agon_domain::{Answer, Answers, BenchmarkPath, Entrant, Limits, Ruling, Scrambling, Status, Track};
use agon_judge::{Completeness, ModelVerdict, judge_model};
use agon_library::{Library, read_pinned};
use agon_scramble::prepare;
use agon_store::{Competition, Recorded, Settlement};
use std::collections::{BTreeMap, HashMap};

/// A benchmark whose status is contradicted by evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspect {
    /// The path of the benchmark.
    pub benchmark: BenchmarkPath,
    /// The status that the benchmark declares.
    pub status: Status,
    /// The evidence against the status.
    pub evidence: String,
}

/// Looks for evidence on every benchmark of the single-query track on which answers contradict each other or the
/// status, unless it is already settled. Returns the benchmarks whose status is contradicted. Does nothing for other
/// tracks.
pub fn settle(
    competition: &Competition,
    track: Track,
    machine: &Machine,
    observer: &mut Observer<'_>,
) -> Result<Vec<Suspect>, StepError> {
    if track != Track::SingleQuery {
        return Ok(vec![]);
    }
    let mut store = competition.store()?;
    let plan = Plan::refresh(competition, track, &mut store)?;
    let recorded = store.recorded(track)?;
    let known = store.settlements()?;
    let groups = recorded.chunk_by(|one, other| one.pair.prepared == other.pair.prepared);
    let open: Vec<&[Recorded]> = groups.filter(|runs| is_open(runs)).collect();
    let is_known = |runs: &[Recorded]| {
        known.get(&runs[0].pair.prepared.digest).is_some_and(|known| is_settled(known, runs, &plan.entrants))
    };
    let new = open.iter().filter(|runs| !is_known(runs)).count();
    let evidence = if new > 0 { Some(SettlementEvidence::new(competition, plan.limits, machine)?) } else { None };
    if new > 0 {
        observer.start(Work::Settle, Some(track), new);
    }
    let mut suspects = vec![];
    for runs in open {
        let prepared = &runs[0].pair.prepared;
        let settlement = match (known.get(&prepared.digest).filter(|_| is_known(runs)), &evidence) {
            (Some(known), _) => known.clone(),
            (None, Some(evidence)) => {
                machine.go_on()?;
                let found = evidence.look_for(runs)?;
                store.settle(&prepared.digest, &found)?;
                observer(Event::Advanced);
                found
            }
            (None, None) => continue,
        };
        if settlement.answer.is_some_and(|answer| answer.contradicts(prepared.status)) {
            let Settlement { detail, .. } = settlement;
            let benchmark = prepared.benchmark.clone();
            suspects.push(Suspect { benchmark, status: prepared.status, evidence: detail });
        }
    }
    if new > 0 {
        observer(Event::Finished);
    }
    Ok(suspects)
}

/// Whether a settlement is final: there is evidence, or all solvers that answered `sat` and produce models were asked.
fn is_settled(known: &Settlement, runs: &[Recorded], entrants: &[Entrant]) -> bool {
    let gives_models = |run: &&Recorded| {
        let mut entered = entrants.iter().filter(|entrant| entrant.name == run.pair.entrant);
        entered.any(|entrant| entrant.commands.contains_key(&Track::ModelValidation))
    };
    let says_sat = |run: &&Recorded| run.answer() == Some(Answer::Sat);
    let was_asked = |run: &Recorded| known.detail.contains(&format!("the model of {} is ", run.pair.entrant));
    known.answer.is_some() || runs.iter().filter(says_sat).filter(gives_models).all(was_asked)
}

/// Whether answers contradict each other or the status.
fn is_open(runs: &[Recorded]) -> bool {
    let counts = |run: &&Recorded| run.is_ruled(Ruling::Solved) || run.is_ruled(Ruling::Erroneous);
    let answers: Answers = runs.iter().filter(counts).filter_map(Recorded::answer).collect();
    answers.dispute(runs[0].pair.prepared.status)
}

/// The sources of evidence for settlements.
struct SettlementEvidence<'a> {
    competition: &'a Competition,
    machine: &'a Machine,
    limits: Limits,
    library: Library,
    /// The solver with a valid model in the model-validation track, by benchmark.
    models: HashMap<BenchmarkPath, String>,
}

impl<'a> SettlementEvidence<'a> {
    fn new(competition: &'a Competition, limits: Limits, machine: &'a Machine) -> Result<Self, StepError> {
        let mut models = HashMap::new();
        // Models of outdated benchmarks are not evidence for the current ones.
        let mut store = competition.store()?;
        let is_current = Readiness::of(competition, Track::ModelValidation, &store)?.stale().is_none();
        if competition.rulebook().tracks.contains_key(&Track::ModelValidation) && is_current {
            Plan::refresh(competition, Track::ModelValidation, &mut store)?;
            for run in store.recorded(Track::ModelValidation)? {
                if run.is_ruled(Ruling::Solved) {
                    models.insert(run.pair.prepared.benchmark, run.pair.entrant.to_string());
                }
            }
        }
        Ok(Self { competition, machine, limits, library: competition.library()?, models })
    }

    /// Looks for a valid model: in the results of the model-validation track, or by running the solvers that answered
    /// `sat`.
    fn look_for(&self, runs: &[Recorded]) -> Result<Settlement, StepError> {
        let prepared = &runs[0].pair.prepared;
        if let Some(solver) = self.models.get(&prepared.benchmark) {
            let detail = format!("the model of {solver} in the model-validation track is valid");
            return Ok(Settlement { answer: Some(Answer::Sat), detail });
        }
        let Some(entry) = self.library.get(&prepared.benchmark) else {
            return Ok(Settlement { answer: None, detail: "the benchmark is no longer in the library".into() });
        };
        let file = entry.file();
        let script = read_pinned(&file, entry.benchmark.digest)?;
        // Separation-logic problems cannot be prepared for models, so nothing settles their disputes (SL19-18).
        let ready = match prepare(&script, Track::ModelValidation, Scrambling::None, 0) {
            Ok(ready) => ready,
            Err(error) => {
                let detail = format!("no model can be checked: {error}");
                return Ok(Settlement { answer: None, detail });
            }
        };
        let scratch = Scratch::new("benchmark.smt2", &ready.bytes)?;
        let mut tried = vec![];
        let entrants = self.competition.entrants()?;
        for run in runs.iter().filter(|run| run.answer() == Some(Answer::Sat)) {
            let Some(entrant) = entrants.iter().find(|entrant| entrant.name == run.pair.entrant) else { continue };
            if !entrant.commands.contains_key(&Track::ModelValidation) {
                continue;
            }
            let solver = solver_of(self.competition, entrant)?;
            let measured = run_solver(self.machine, &solver, Track::ModelValidation, &scratch.file, &self.limits, 0)?;
            let judged = judge_model(&ready.bytes[..], &measured.stdout, Completeness::MayBeCut);
            if judged.verdict == ModelVerdict::Valid {
                let detail = format!("the model of {} {} is valid", entrant.name, entrant.version);
                return Ok(Settlement { answer: Some(Answer::Sat), detail });
            }
            tried.push(format!("the model of {} is {}: {}", entrant.name, judged.verdict, judged.detail));
        }
        let nobody = || "no solver that answers sat produces models".to_owned();
        let detail = if tried.is_empty() { nobody() } else { tried.join("; ") };
        Ok(Settlement { answer: None, detail })
    }
}

/// The findings that organizers should examine after a track was judged.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Review {
    /// The solvers with wrong results: the number of wrong results, and the first benchmark.
    pub wrong: Vec<(String, usize, BenchmarkPath)>,
    /// The benchmarks whose status is contradicted by evidence.
    pub suspects: Vec<Suspect>,
    /// The benchmarks on which all definite answers contradict the status: the status, and the number of answers.
    pub against_status: Vec<(BenchmarkPath, Status, usize)>,
    /// The solvers that abort on every benchmark: the number of runs, and the first line of output.
    pub aborting: Vec<(String, usize, String)>,
}

impl Review {
    /// Whether there are no findings.
    pub fn is_clean(&self) -> bool {
        *self == Self::default()
    }
}

/// Reviews the verdicts of a track: solvers with wrong results, solvers that always abort, and statuses that all
/// answers contradict.
pub fn review(competition: &Competition, track: Track, suspects: Vec<Suspect>) -> Result<Review, StepError> {
    let mut store = competition.store()?;
    Plan::refresh(competition, track, &mut store)?;
    let recorded = store.recorded(track)?;
    let mut review = Review { suspects, ..Review::default() };
    let mut solvers: BTreeMap<&str, Vec<&Recorded>> = BTreeMap::new();
    for run in &recorded {
        solvers.entry(run.pair.entrant.as_str()).or_default().push(run);
    }
    for (solver, runs) in solvers {
        let with = |ruling: Ruling| runs.iter().filter(move |run| run.is_ruled(ruling));
        let wrong = with(Ruling::Erroneous).count();
        if let Some(first) = with(Ruling::Erroneous).next() {
            review.wrong.push((solver.to_owned(), wrong, first.pair.prepared.benchmark.clone()));
        }
        // A single abort may be due to the benchmark. If all runs abort, it is the solver.
        if runs.len() > 1 && with(Ruling::Abort).count() == runs.len() {
            let outputs = [runs[0].outcome.stdout, runs[0].outcome.stderr];
            let said =
                outputs.iter().filter_map(|digest| store.output(digest).ok()).find_map(|output| first_line(&output));
            let said = said.unwrap_or_else(|| format!("nothing; {}", runs[0].outcome.ending));
            review.aborting.push((solver.to_owned(), runs.len(), said));
        }
    }
    if !track.is_incremental() && track != Track::UnsatCore {
        for runs in recorded.chunk_by(|one, other| one.pair.prepared == other.pair.prepared) {
            let prepared = &runs[0].pair.prepared;
            let answers: Vec<Answer> =
                runs.iter().filter_map(Recorded::answer).filter(|answer| answer.is_definite()).collect();
            if answers.len() > 1 && answers.iter().all(|answer| answer.contradicts(prepared.status)) {
                review.against_status.push((prepared.benchmark.clone(), prepared.status, answers.len()));
            }
        }
    }
    Ok(review)
}

/// The first non-blank line of an output, without control characters.
fn first_line(output: &[u8]) -> Option<String> {
    let line = output.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty())?;
    let text = String::from_utf8_lossy(&line[..line.len().min(200)]);
    Some(printable(text.trim()))
}

/// Replaces the control characters in a solver's output, so that it can be printed to a terminal.
pub fn printable(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}
