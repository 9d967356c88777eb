//! `agon judge`: all outcomes of a track.

use super::batch::track_rules;
use super::core_votes::{CoreJudge, CoreOptions};
use super::proof_check::{ProofJudge, ProofOptions};
use super::settle::settle_all;
use crate::hosts;
use agon_domain::{Answer, Digest, Outcome, Track, Verdict};
use agon_judge::{JUDGING, incremental_verdict, model_verdict, single_answer, verdict};
use agon_store::{Competition, Judged, Recorded, Store, StoreError};
use agon_trace::Trace;
use anyhow::Context;
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

/// How many verdicts are recorded at a time.
const BATCH: usize = 10_000;

/// Who else is asked about what solvers claim.
#[derive(Default)]
pub struct JudgeOptions<'a> {
    pub cores: CoreOptions<'a>,
    pub proofs: ProofOptions<'a>,
}

pub fn run(folder: &Path, track: Track, options: &JudgeOptions<'_>) -> anyhow::Result<ExitCode> {
    let competition = Competition::open(folder)?.on(track);
    let (judged, all) = judge_all(&competition, options)?;
    say!("{judged} outcomes judged, {} had their verdict already", all - judged);
    settle_all(&competition)?;
    Ok(ExitCode::SUCCESS)
}

/// Judges every outcome that has no verdict yet, or one on another basis. Gives how many were judged of how many. An
/// output that is lost stops nobody else's verdict, but is an error in the end.
pub fn judge_all(competition: &Competition, options: &JudgeOptions<'_>) -> anyhow::Result<(usize, usize)> {
    hosts::admit(competition)?;
    let mut store = competition.store()?;
    let mut judge = Judge {
        competition,
        answers: BTreeMap::new(),
        cores: CoreJudge::new(competition, &options.cores)?,
        proofs: ProofJudge::new(competition, &options.proofs)?,
    };
    let recorded = store.recorded(competition.track(), &track_rules(competition)?.limits)?;
    let mut judged = 0;
    let mut lost = vec![];
    for runs in recorded.chunks(BATCH) {
        let mut verdicts = vec![];
        for run in runs {
            let basis = judge.basis(run);
            let Outcome { pair, attempt, .. } = run.outcome;
            let known = store.verdict_basis(pair, attempt)?;
            if known.as_deref() == Some(&basis) || known.is_some() && judge.cannot_judge(run) {
                continue;
            }
            match judge.verdict(&mut store, run) {
                Ok((verdict, evidence)) => verdicts.push(Judged { pair, attempt, basis, verdict, evidence }),
                Err(error) if matches!(error.downcast_ref(), Some(StoreError::LostOutput(..))) => {
                    lost.push(pair.to_string());
                }
                Err(error) => return Err(error),
            }
        }
        store.set_verdicts(&verdicts)?;
        judged += verdicts.len();
    }
    if let Some(first) = lost.first() {
        anyhow::bail!(
            "the outputs of these pairs are missing or damaged, so they have no verdict: {}; \
             'agon rerun {first}' makes the first one anew",
            lost.join(", ")
        );
    }
    Ok((judged, recorded.len()))
}

/// Judges the outcomes of a track.
struct Judge<'a> {
    competition: &'a Competition,
    /// Answers in outputs that were read: most are one of a few.
    answers: BTreeMap<Digest, Option<Answer>>,
    cores: CoreJudge<'a>,
    proofs: ProofJudge,
}

impl Judge<'_> {
    /// What a verdict depends on beside the outcome.
    fn basis(&self, run: &Recorded) -> String {
        match self.competition.track() {
            Track::UnsatCore => format!("{JUDGING} {}", self.cores.panel_names(&run.pair.prepared.division)),
            Track::Proof => {
                format!("{JUDGING} {} {}", run.pair.prepared.status, self.proofs.checker(run).unwrap_or_default())
            }
            _ => format!("{JUDGING} {}", run.pair.prepared.status),
        }
    }

    /// Whether the verdict of an earlier judge, who had a checker, is better than what can be said here.
    fn cannot_judge(&self, run: &Recorded) -> bool {
        self.competition.track() == Track::Proof && self.proofs.checker(run).is_none()
    }

    fn verdict(&mut self, store: &mut Store, run: &Recorded) -> anyhow::Result<(Verdict, Option<String>)> {
        let Outcome { stdout, limit, .. } = &run.outcome;
        let prepared = || -> anyhow::Result<Vec<u8>> {
            let file = self.competition.prepared_file(self.competition.track(), &run.pair.prepared.digest);
            std::fs::read(&file).with_context(|| format!("{}; 'agon prepare' makes it anew", file.display()))
        };
        let (verdict, evidence) = match self.competition.track() {
            Track::Incremental => {
                let script = prepared()?;
                incremental_verdict(&store.output(stdout)?, *limit, &Trace::read(&script)?.statuses)
            }
            Track::ModelValidation => model_verdict(&prepared()?, &store.output(stdout)?, *limit),
            Track::UnsatCore => self.cores.verdict(store, run, &prepared()?)?,
            Track::Proof => {
                let file = self.competition.prepared_file(Track::Proof, &run.pair.prepared.digest);
                self.proofs.verdict(store, run, &file)?
            }
            _ => {
                let answer = match self.answers.get(stdout) {
                    Some(answer) => *answer,
                    None => {
                        let answer = single_answer(&store.output(stdout)?);
                        self.answers.insert(*stdout, answer);
                        answer
                    }
                };
                return Ok((verdict(answer, *limit, run.pair.prepared.status), None));
            }
        };
        Ok((verdict, Some(evidence)))
    }
}
