//! The votes of a panel on unsat cores. Each core is voted on once, and the votes are stored.

use crate::enter::solver_of;
use crate::error::Blame;
use crate::panel::{Panel, ask_one};
use crate::plan::Plan;
use crate::runner::{Solver, limits};
use crate::{Machine, StepError};
use agon_domain::{Answer, Digest, Limits, Logic, Ruling, Time, Track, Verdict};
use agon_judge::{Assertions, Completeness, CoreClaim, JUDGING, Votes, core_claim, core_verdict, judge_core};
use agon_scramble::{Annotations, Options, scramble};
use agon_store::{Competition, Recorded, Store, Vote};
use std::collections::{BTreeMap, BTreeSet};

/// Judges unsat cores with a panel.
pub(crate) struct CoreJudge {
    limits: Limits,
    /// The panel, if the organizers named one.
    named: Option<Panel>,
    /// All entrants. If no panel is named, they vote in the logics in which they are sound.
    entrants: Vec<Solver>,
    /// The entrants with errors in the single-query track, by logic.
    unsound: BTreeMap<Logic, BTreeSet<String>>,
    /// Whether no single query is judged yet, so that unsound entrants are not known.
    pub(crate) is_uninformed: bool,
}

/// A missing vote: the script and the solver.
pub(crate) struct Question<'a> {
    pub(crate) run: &'a Recorded,
    pub(crate) script: Digest,
    solver: &'a Solver,
}

impl CoreJudge {
    /// A judge with the named panel, or with the entrants that are sound in the single-query track (R19-5.27).
    pub(crate) fn new(competition: &Competition, panel: &[String], wall_s: f64) -> Result<Self, StepError> {
        let mut judge = Self {
            limits: limits(wall_s)?,
            named: None,
            entrants: vec![],
            unsound: BTreeMap::new(),
            is_uninformed: false,
        };
        if !panel.is_empty() {
            judge.named = Some(Panel::open(panel)?);
            return Ok(judge);
        }
        for entrant in competition.entrants()? {
            judge.entrants.push(solver_of(competition, &entrant)?);
        }
        if competition.rulebook().tracks.contains_key(&Track::SingleQuery) {
            let mut store = competition.store()?;
            Plan::refresh(competition, Track::SingleQuery, &mut store)?;
            let runs = store.recorded(Track::SingleQuery)?;
            judge.is_uninformed = !runs.iter().any(|run| run.judgement.is_some());
            for run in runs {
                if run.is_ruled(Ruling::Erroneous) {
                    let logic = judge.unsound.entry(run.pair.prepared.logic).or_default();
                    logic.insert(run.pair.entrant.to_string());
                }
            }
        }
        Ok(judge)
    }

    /// The solvers that vote in a logic.
    fn voters(&self, logic: &Logic) -> Vec<&Solver> {
        if let Some(panel) = &self.named {
            return panel.members().iter().collect();
        }
        let unsound = self.unsound.get(logic);
        let is_sound = |solver: &&Solver| {
            solver.submission.enters(Track::SingleQuery, logic)
                && unsound.is_none_or(|names| !names.contains(solver.submission.name.as_str()))
        };
        self.entrants.iter().filter(is_sound).collect()
    }

    /// The identities of the solvers that vote in a logic. Verdicts depend on them.
    fn voter_names(&self, logic: &Logic) -> Vec<String> {
        self.voters(logic).iter().map(|solver| solver.identity()).collect()
    }

    /// The basis of verdicts in a logic: the version of judging, and the voters. Other verdicts are outdated.
    pub(crate) fn basis(&self, logic: &Logic) -> String {
        format!("{JUDGING} {}", self.voter_names(logic).join(", "))
    }

    /// The script that consists of the core in a solver's output; `None` if the output has no core.
    pub(crate) fn claimed(&self, output: &[u8], prepared: &[u8]) -> Result<Option<Vec<u8>>, StepError> {
        match core_claim(output, &assertions(prepared)?.names) {
            CoreClaim::Core(core) => reduced(prepared, &core).map(Some),
            _ => Ok(None),
        }
    }

    /// The missing votes on a script.
    pub(crate) fn questions<'a>(
        &'a self,
        store: &Store,
        run: &'a Recorded,
        script: Digest,
    ) -> Result<Vec<Question<'a>>, StepError> {
        let known = store.votes(&script)?;
        let is_open = |solver: &&Solver| !known.iter().any(|vote| vote.solver == solver.identity());
        let voters = self.voters(&run.pair.prepared.logic).into_iter().filter(is_open);
        Ok(voters.map(|solver| Question { run, script, solver }).collect())
    }

    /// Asks a solver whether a script is unsatisfiable.
    pub(crate) fn ask(&self, machine: &Machine, question: &Question<'_>, script: &[u8]) -> Result<Vote, StepError> {
        let reply = ask_one(machine, question.solver, script, &self.limits)?;
        let wall = Time::from_nanos((reply.wall_s * 1e9) as u64);
        Ok(Vote { solver: question.solver.identity(), answer: reply.answer, wall })
    }

    /// The verdict on a run, by the stored votes.
    pub(crate) fn verdict(
        &self,
        store: &Store,
        run: &Recorded,
        prepared: &[u8],
    ) -> Result<(Verdict, String), StepError> {
        let output = store.output(&run.outcome.stdout)?;
        let assertions = assertions(prepared)?;
        let claim = core_claim(&output, &assertions.names);
        let votes = match &claim {
            CoreClaim::Core(core) => {
                let names = self.voter_names(&run.pair.prepared.logic);
                let mut votes = store.votes(&Digest::of(&reduced(prepared, core)?))?;
                votes.retain(|vote| names.contains(&vote.solver));
                Some(votes)
            }
            _ => None,
        };
        let counted = votes.as_ref().map(|votes| Votes::count(votes.iter().map(|vote| vote.answer)));
        let judged = judge_core(&claim, assertions.named, counted, Completeness::of(run.outcome.limit));
        let (verdict, mut evidence) = core_verdict(&claim, &judged, run.outcome.limit, run.pair.prepared.status);
        for Vote { solver, answer, wall } in votes.into_iter().flatten() {
            let answer = answer.map_or("nothing", Answer::name);
            let solver = solver.split(" [").next().unwrap_or_default();
            evidence.push_str(&format!("; {solver} answers {answer} after {wall} s"));
        }
        Ok((verdict, evidence))
    }
}

fn assertions(prepared: &[u8]) -> Result<Assertions, StepError> {
    Assertions::read(prepared).map_err(|error| StepError::Missing(format!("a prepared benchmark is corrupt: {error}")))
}

/// Removes all assertions from a benchmark that are not in a core.
pub fn reduced(benchmark: &[u8], core: &BTreeSet<Vec<u8>>) -> Result<Vec<u8>, StepError> {
    let options = Options { seed: 0, core: Some(core.clone()), annotations: Annotations::None, ..Options::default() };
    let mut script = vec![];
    scramble(benchmark, &options, &mut script).during("the benchmark cannot be reduced to the core")?;
    Ok(script)
}
