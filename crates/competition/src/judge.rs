//! Judges the outcomes of a track.

use crate::cores::{CoreJudge, Question};
use crate::error::{At, Blame};
use crate::observer::{Tell, Work};
use crate::panel::Panel;
use crate::plan::Plan;
use crate::proofs::ProofJudge;
use crate::round::write_round_results;
use crate::{Event, Machine, Observer, StepError, parallel};
use agon_contain::Host;
use agon_domain::{
    Answer, AnswerWords, Digest, EntrantName, Evidence, Logic, Outcome, PairId, Prepared, Status, TraceLog, Track,
    Verdict,
};
use agon_judge::{JUDGING, Reply, answer_in_words, incremental_verdict, model_verdict, single_answer, verdict};
use agon_library::Library;
use agon_store::{Competition, Judged, Recorded, Store, StoreError};
use agon_trace::Trace;
use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

/// The number of verdicts that are recorded in one transaction.
const BATCH: usize = 1000;

/// The memory to allow for evaluating one model, which bounds how many are evaluated in parallel.
const EVALUATION: u64 = 4 << 30;

/// The options of [`judge`].
#[derive(Clone, Debug)]
pub struct JudgeOptions {
    /// The solvers that vote on unsat cores; by default the entrants that are sound in the single-query track
    /// (R19-5.27).
    pub panel: Vec<String>,
    /// The time limit of each solver for a core, in seconds.
    pub panel_wall_s: f64,
    /// The commands that check proofs: `FORMAT=COMMAND`, or a command for all other formats.
    pub checkers: Vec<String>,
    /// The time limit for checking a proof, in seconds.
    pub checker_wall_s: f64,
}

impl Default for JudgeOptions {
    fn default() -> Self {
        Self { panel: vec![], panel_wall_s: 300.0, checkers: vec![], checker_wall_s: 1200.0 }
    }
}

/// The result of judging.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct JudgeSummary {
    /// The number of outcomes that were judged now.
    pub judged: usize,
    /// The number of all outcomes of the plan.
    pub all: usize,
    /// The pairs without a verdict because their outputs are missing or damaged.
    pub lost: Vec<PairId>,
}

/// Judges every outcome of a track that has no verdict, or whose verdict has another basis: another status, panel or
/// checker. Uses all cores.
pub fn judge(
    competition: &Competition,
    track: Track,
    options: &JudgeOptions,
    machine: &Machine,
    observer: &mut Observer<'_>,
) -> Result<JudgeSummary, StepError> {
    machine.admit(competition)?;
    let mut store = competition.store()?;
    Plan::refresh(competition, track, &mut store)?;
    let recorded = store.recorded(track)?;
    let panel = if track == Track::UnsatCore { panel(&mut store, &options.panel)? } else { vec![] };
    let judge = Judge::new(competition, track, &JudgeOptions { panel, ..options.clone() }, machine)?;
    if judge.cores.as_ref().is_some_and(|cores| cores.is_uninformed) {
        observer.note("no single query has been judged yet, so all entrants count as sound and vote on cores");
    }
    if judge.proofs.as_ref().is_some_and(ProofJudge::is_empty) && !recorded.is_empty() {
        observer.note("no proof checker is given, so proofs are not checked; name one with --checker COMMAND");
    }
    let mut open: Vec<(&Recorded, String)> = vec![];
    let mut bases = Bases::default();
    for run in &recorded {
        let basis = judge.basis(&store, run, &mut bases)?;
        let known = run.judgement.as_ref().map(|judgement| judgement.basis.as_str());
        if known != Some(&basis) && !(known.is_some() && judge.cannot_judge(run)) {
            open.push((run, basis));
        }
    }
    let mut summary = JudgeSummary { all: recorded.len(), ..JudgeSummary::default() };
    if open.is_empty() {
        return Ok(summary);
    }
    if track == Track::Proof {
        // Probe the host before the threads that share it are started.
        machine.host()?;
    }
    judge.vote(&mut store, &open, observer)?;
    observer.start(Work::Judge, Some(track), open.len());
    let judged = judge.verdicts(&mut store, &open, &mut summary, observer);
    observer(Event::Finished);
    judged?;
    write_round_results(competition, track)?;
    Ok(summary)
}

/// The panel that votes on cores: the given one, which is then stored, or the stored one. The name `entrants` resets
/// it.
fn panel(store: &mut Store, named: &[String]) -> Result<Vec<String>, StepError> {
    if named.is_empty() {
        return Ok(store.panel()?);
    }
    let absolute = |solver: &String| match std::path::absolute(solver) {
        Ok(path) if solver.contains('/') || path.exists() => path.to_string_lossy().into_owned(),
        _ => solver.clone(),
    };
    let panel: Vec<String> = named.iter().filter(|solver| *solver != "entrants").map(absolute).collect();
    // Store only a panel that can be opened.
    Panel::open(&panel)?;
    store.set_panel(&panel)?;
    Ok(panel)
}

/// Drops verdicts on cores that another panel made, because the entrants that vote have changed since.
pub(crate) fn forget_outdated(
    competition: &Competition,
    track: Track,
    store: &Store,
    runs: &mut [Recorded],
) -> Result<(), StepError> {
    if track != Track::UnsatCore || runs.is_empty() || !store.panel()?.is_empty() {
        return Ok(());
    }
    let cores = CoreJudge::new(competition, &[], 1.0)?;
    let mut bases: BTreeMap<Logic, String> = BTreeMap::new();
    for run in runs {
        let logic = &run.pair.prepared.logic;
        let basis = bases.entry(logic.clone()).or_insert_with(|| cores.basis(logic));
        if run.judgement.as_ref().is_some_and(|judgement| judgement.basis != *basis) {
            run.judgement = None;
        }
    }
    Ok(())
}

/// Caches the last basis: it is the same for all runs on a benchmark, and runs are sorted by benchmark.
#[derive(Default)]
struct Bases {
    last: Option<(Prepared, String)>,
}

/// The state of one worker thread.
struct Desk {
    store: Result<Store, StoreError>,
    /// The answers in outputs that were read. Most outputs are equal to one of a few.
    answers: BTreeMap<Digest, Option<Answer>>,
}

impl Desk {
    fn store(&self) -> Result<&Store, StepError> {
        self.store.as_ref().map_err(|error| StepError::Missing(error.to_string()))
    }
}

/// Judges the outcomes of a track.
struct Judge<'a> {
    competition: &'a Competition,
    machine: &'a Machine,
    track: Track,
    cores: Option<CoreJudge>,
    proofs: Option<ProofJudge>,
    /// The entrants with words of their own for answers.
    words: BTreeMap<EntrantName, AnswerWords>,
}

impl<'a> Judge<'a> {
    fn new(
        competition: &'a Competition,
        track: Track,
        options: &JudgeOptions,
        machine: &'a Machine,
    ) -> Result<Self, StepError> {
        let cores = match track {
            Track::UnsatCore => Some(CoreJudge::new(competition, &options.panel, options.panel_wall_s)?),
            _ => None,
        };
        let proofs = match track {
            Track::Proof => Some(ProofJudge::new(competition, &options.checkers, options.checker_wall_s)?),
            _ => None,
        };
        let entrants = competition.entrants()?.into_iter().filter(|entrant| !entrant.answers.is_empty());
        let words = entrants.map(|entrant| (entrant.name.clone(), entrant.answers.clone())).collect();
        Ok(Self { competition, machine, track, cores, proofs, words })
    }

    /// Everything that a verdict depends on besides the outcome, as text. A verdict with another basis is outdated.
    fn basis(&self, store: &Store, run: &Recorded, bases: &mut Bases) -> Result<String, StepError> {
        let basis = self.basis_of_benchmark(store, run, bases)?;
        Ok(match self.words.get(&run.pair.entrant) {
            Some(words) => format!("{basis} {}", Digest::of(format!("{words:?}").as_bytes()).short()),
            None => basis,
        })
    }

    fn basis_of_benchmark(&self, store: &Store, run: &Recorded, bases: &mut Bases) -> Result<String, StepError> {
        let prepared = &run.pair.prepared;
        if let Some((_, basis)) = bases.last.as_ref().filter(|(known, _)| known == prepared)
            && self.track != Track::Proof
        {
            return Ok(basis.clone());
        }
        let basis = match (&self.cores, &self.proofs) {
            (Some(cores), _) => cores.basis(&prepared.logic),
            (_, Some(proofs)) => {
                format!("{JUDGING} {} {}", prepared.status, proofs.checker(run).unwrap_or_default())
            }
            _ if self.track.is_incremental() => {
                let statuses = Library::statuses_text(&store.query_statuses(prepared)?);
                format!("{JUDGING} {}", Digest::of(statuses.as_bytes()).short())
            }
            _ => format!("{JUDGING} {}", prepared.status),
        };
        bases.last = Some((prepared.clone(), basis.clone()));
        Ok(basis)
    }

    /// Whether there is no checker for a run's proof, so that an earlier verdict is kept.
    fn cannot_judge(&self, run: &Recorded) -> bool {
        self.proofs.as_ref().is_some_and(|proofs| proofs.checker(run).is_none())
    }

    fn desk(&self) -> Desk {
        Desk { store: self.competition.store(), answers: BTreeMap::new() }
    }

    fn prepared_file(&self, run: &Recorded) -> PathBuf {
        self.competition.prepared_file(self.track, &run.pair.prepared.digest)
    }

    fn prepared(&self, run: &Recorded) -> Result<Vec<u8>, StepError> {
        let file = self.prepared_file(run);
        std::fs::read(&file).at(&file).during("a prepared benchmark cannot be read; run 'agon prepare'")
    }

    /// Collects the missing votes on cores, from several solvers in parallel.
    fn vote(
        &self,
        store: &mut Store,
        open: &[(&Recorded, String)],
        observer: &mut Observer<'_>,
    ) -> Result<(), StepError> {
        let Some(cores) = &self.cores else { return Ok(()) };
        let script = |desk: &mut Desk, run: &Recorded| -> Result<Option<Vec<u8>>, StepError> {
            self.machine.go_on()?;
            match desk.store()?.output(&run.outcome.stdout) {
                Ok(output) => cores.claimed(&output, &self.prepared(run)?),
                // The run gets no verdict, and is listed in the summary.
                Err(StoreError::LostOutput(..)) => Ok(None),
                Err(error) => Err(error.into()),
            }
        };
        let claim =
            |desk: &mut Desk, (run, _): &(&Recorded, String)| Ok(script(desk, run)?.map(|script| Digest::of(&script)));
        let mut seen = HashSet::new();
        let mut questions: Vec<Question<'_>> = vec![];
        parallel::in_order(
            open,
            parallel::threads(),
            || self.desk(),
            claim,
            |(run, _), claimed: Result<Option<Digest>, StepError>| {
                if let Some(digest) = claimed?
                    && seen.insert((digest, run.pair.prepared.logic.clone()))
                {
                    questions.extend(cores.questions(store, run, digest)?);
                }
                Ok::<(), StepError>(())
            },
        )?;
        if questions.is_empty() {
            return Ok(());
        }
        self.machine.host()?;
        observer.start(Work::Ask, Some(self.track), questions.len());
        let ask = |desk: &mut Desk, question: &Question<'_>| {
            let script = script(desk, question.run)?.unwrap_or_default();
            cores.ask(self.machine, question, &script)
        };
        let asked = parallel::in_order(
            &questions,
            self.machine.slots(),
            || self.desk(),
            ask,
            |question, vote| {
                store.add_votes(&question.script, &[vote?])?;
                observer(Event::Advanced);
                Ok::<(), StepError>(())
            },
        );
        observer(Event::Finished);
        asked
    }

    /// Judges runs and records their verdicts. A lost output affects only its own run.
    fn verdicts(
        &self,
        store: &mut Store,
        open: &[(&Recorded, String)],
        summary: &mut JudgeSummary,
        observer: &mut Observer<'_>,
    ) -> Result<(), StepError> {
        let mut verdicts: Vec<Judged> = vec![];
        let act = |desk: &mut Desk, (run, _): &(&Recorded, String)| {
            self.machine.go_on()?;
            self.verdict(desk, run)
        };
        let done = |(run, basis): &(&Recorded, String), judged: Result<(Verdict, Option<String>), StepError>| {
            let Outcome { pair, attempt, .. } = run.outcome;
            match judged {
                Ok((verdict, evidence)) => {
                    verdicts.push(Judged { pair, attempt, basis: basis.clone(), verdict, evidence });
                }
                Err(error) if matches!(error.root(), StepError::Store(StoreError::LostOutput(..))) => {
                    summary.lost.push(pair);
                }
                Err(error) => return Err(error),
            }
            observer(Event::Advanced);
            if verdicts.len() >= BATCH {
                store.set_verdicts(&verdicts)?;
                summary.judged += verdicts.len();
                verdicts.clear();
            }
            Ok(())
        };
        let all = parallel::in_order(open, self.threads(), || self.desk(), act, done);
        // Verdicts from before an interruption are kept.
        store.set_verdicts(&verdicts)?;
        summary.judged += verdicts.len();
        all
    }

    /// The number of outcomes that are judged in parallel.
    fn threads(&self) -> usize {
        let by_memory = Host::memory().map_or(1, |memory| (memory / EVALUATION) as usize).max(1);
        match self.track {
            Track::ModelValidation => parallel::threads().min(by_memory),
            _ => parallel::threads(),
        }
    }

    fn verdict(&self, desk: &mut Desk, run: &Recorded) -> Result<(Verdict, Option<String>), StepError> {
        let Outcome { stdout, limit, .. } = &run.outcome;
        if let Some(cores) = &self.cores {
            let (verdict, evidence) = cores.verdict(desk.store()?, run, &self.prepared(run)?)?;
            return Ok((verdict, Some(evidence)));
        }
        if let Some(proofs) = &self.proofs {
            let file = self.prepared_file(run);
            let (verdict, evidence) = proofs.verdict(self.machine, desk.store()?, run, &file)?;
            return Ok((verdict, Some(evidence)));
        }
        let status = run.pair.prepared.status;
        let (verdict, evidence) = match self.track {
            Track::Incremental | Track::IndustryChallengeIncremental => {
                let statuses = self.statuses(desk.store()?, run)?;
                incremental_verdict(&TraceLog::read(&desk.store()?.output(stdout)?), *limit, &statuses)
            }
            Track::ModelValidation => {
                model_verdict(&self.prepared(run)?, &desk.store()?.output(stdout)?, *limit, status)
            }
            Track::SingleQuery
            | Track::IndustryChallenge
            | Track::Parallel
            | Track::Cloud
            | Track::UnsatCore
            | Track::Proof => {
                let answer = match (self.words.get(&run.pair.entrant), desk.answers.get(stdout)) {
                    (Some(words), _) => answer_in_words(&desk.store()?.output(stdout)?, words),
                    (None, Some(answer)) => *answer,
                    (None, None) => {
                        let answer = single_answer(&desk.store()?.output(stdout)?);
                        desk.answers.insert(*stdout, answer);
                        answer
                    }
                };
                return Ok((verdict(Reply { answer, limit: *limit }, Evidence::None, status), None));
            }
        };
        Ok((verdict, Some(evidence)))
    }

    /// The statuses of the queries of an incremental benchmark.
    fn statuses(&self, store: &Store, run: &Recorded) -> Result<Vec<Status>, StepError> {
        let statuses = store.query_statuses(&run.pair.prepared)?;
        if !statuses.is_empty() {
            return Ok(statuses);
        }
        // The file was prepared by an earlier version of Agon, which wrote the statuses into it.
        let script = self.prepared(run)?;
        let file = self.prepared_file(run);
        let trace = Trace::read(&script).map_err(|error| StepError::Missing(format!("{}: {error}", file.display())))?;
        Ok(trace.statuses)
    }
}
