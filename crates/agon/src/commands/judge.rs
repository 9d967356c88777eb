//! `agon judge`

use super::batch::track_rules;
use super::judge_file;
use crate::cli::JudgeCommand;
use agon_domain::{Answer, Digest, Limit, Outcome, Status, Verdict};
use agon_judge::{JUDGING, single_answer, verdict};
use agon_store::{Competition, Store, StoreError};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;

/// How many verdicts are recorded at a time.
const BATCH: usize = 10_000;

pub fn run(folder: &Path, command: Option<&JudgeCommand>) -> anyhow::Result<ExitCode> {
    match command {
        None => {
            let (judged, all) = judge_all(&Competition::open(folder)?)?;
            say!("{judged} outcomes judged, {} had their verdict already", all - judged);
            Ok(ExitCode::SUCCESS)
        }
        Some(command) => judge_file::run(command),
    }
}

/// Judges every outcome that has no verdict yet, or one on another basis. Gives how many were judged of how many. An
/// output that is lost stops nobody else's verdict, but is an error in the end.
pub fn judge_all(competition: &Competition) -> anyhow::Result<(usize, usize)> {
    let mut store = competition.store()?;
    let mut reader = AnswerReader::default();
    let recorded = store.recorded(&track_rules(competition)?.limits)?;
    let mut judged = 0;
    let mut lost = vec![];
    for runs in recorded.chunks(BATCH) {
        let mut verdicts = vec![];
        for run in runs {
            let status = run.pair.prepared.status;
            let basis = format!("{JUDGING} {status}");
            let Outcome { pair, attempt, stdout, limit, .. } = run.outcome;
            if store.verdict_basis(pair, attempt)?.as_deref() == Some(&basis) {
                continue;
            }
            match reader.verdict(&store, &stdout, limit, status) {
                Ok(verdict) => verdicts.push((pair, attempt, basis, verdict)),
                Err(StoreError::LostOutput(..)) => lost.push(pair.to_string()),
                Err(error) => return Err(error.into()),
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

/// Reads answers, each output once: most are one of a few.
#[derive(Default)]
struct AnswerReader {
    known: BTreeMap<Digest, Option<Answer>>,
}

impl AnswerReader {
    fn verdict(
        &mut self,
        store: &Store,
        stdout: &Digest,
        limit: Option<Limit>,
        status: Status,
    ) -> Result<Verdict, StoreError> {
        let answer = match self.known.get(stdout) {
            Some(answer) => *answer,
            None => {
                let answer = single_answer(&store.output(stdout)?);
                self.known.insert(*stdout, answer);
                answer
            }
        };
        Ok(verdict(answer, limit, status))
    }
}
