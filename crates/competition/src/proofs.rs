//! Checks proofs, with one checker per proof format.

use crate::runner::{Scratch, run_command};
use crate::{Machine, StepError};
use agon_contain::{Limit, Limits};
use agon_domain::{Outcome, Verdict};
use agon_judge::{ProofVerdict, proof_claim, proof_verdict};
use agon_store::{Competition, Recorded, Store};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// Judges the proofs of a competition.
pub(crate) struct ProofJudge {
    wall_s: f64,
    /// The command of each format. `None` is for all other formats.
    commands: BTreeMap<Option<String>, String>,
    /// The proof format of each entrant.
    formats: BTreeMap<String, String>,
}

impl ProofJudge {
    /// Parses checkers: `FORMAT=COMMAND`, or a command for all other formats.
    pub(crate) fn new(competition: &Competition, checkers: &[String], wall_s: f64) -> Result<Self, StepError> {
        let mut commands = BTreeMap::new();
        for checker in checkers {
            // If the text before the equals sign is not a single word, the equals sign is part of the command.
            let (format, command) = match checker.split_once('=') {
                Some((format, command)) if format.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c)) => {
                    (Some(format.to_owned()), command.to_owned())
                }
                _ => (None, checker.clone()),
            };
            if commands.insert(format.clone(), command).is_some() {
                let whose = format.map_or("without a format".to_owned(), |format| format!("for {format}"));
                return Err(StepError::Usage(format!("--checker: there are two checkers {whose}; name one")));
            }
        }
        let mut formats = BTreeMap::new();
        for entrant in competition.entrants()? {
            let format = entrant.proof_format.clone();
            formats.extend(format.map(|format| (entrant.name.to_string(), format)));
        }
        Ok(Self { wall_s, commands, formats })
    }

    /// Whether no checker was given.
    pub(crate) fn is_empty(&self) -> bool {
        self.commands.is_empty()
    }

    /// The checker for the proof of a run. Verdicts depend on it.
    pub(crate) fn checker(&self, run: &Recorded) -> Option<&str> {
        let format = self.formats.get(run.pair.entrant.as_str()).cloned();
        self.commands.get(&format).or_else(|| self.commands.get(&None)).map(String::as_str)
    }

    pub(crate) fn verdict(
        &self,
        machine: &Machine,
        store: &Store,
        run: &Recorded,
        benchmark: &Path,
    ) -> Result<(Verdict, String), StepError> {
        let Outcome { stdout, limit, .. } = &run.outcome;
        let (answer, proof) = proof_claim(&store.output(stdout)?);
        let (checked, evidence) = match (proof, self.checker(run)) {
            (None, _) => (None, "no proof".to_owned()),
            (Some(_), None) => (None, "no checker for proofs of this solver".to_owned()),
            (Some(proof), Some(command)) => {
                let scratch = Scratch::new("proof", &proof)?;
                let (verdict, wall) = check_proof(machine, command, benchmark, &scratch.file, self.wall_s)?;
                let word = verdict.reason().unwrap_or("sat");
                (Some(verdict), format!("{word} after {:.2} s, by {command}", wall.as_secs_f64()))
            }
        };
        Ok((proof_verdict(answer, checked, *limit, run.pair.prepared.status), evidence))
    }
}

/// Runs a proof checker in confinement and parses its verdict: the first line that is neither blank nor a comment.
pub fn check_proof(
    machine: &Machine,
    command: &str,
    benchmark: &Path,
    proof: &Path,
    wall_s: f64,
) -> Result<(ProofVerdict, Duration), StepError> {
    let path =
        |file: &Path| file.canonicalize().map_err(|error| StepError::Usage(format!("{}: {error}", file.display())));
    let (benchmark, proof) = (path(benchmark)?, path(proof)?);
    if command.trim().is_empty() {
        return Err(StepError::Usage("--checker is empty".into()));
    }
    // The command is run by a shell, so file names are quoted.
    let quoted = |file: &Path| format!("'{}'", file.to_string_lossy().replace('\'', r"'\''"));
    let script = command.replace("{benchmark}", &quoted(&benchmark)).replace("{proof}", &quoted(&proof));
    let limits = Limits { wall: Some(Duration::from_secs_f64(wall_s)), output: Some(64 << 20), ..Limits::default() };
    let measured = run_command(machine, &script, vec![benchmark, proof], &limits)?;
    let said = ProofVerdict::of(&measured.stdout);
    let is_late = matches!(measured.limit, Some(Limit::Wall)) && said == ProofVerdict::Error;
    Ok((if is_late { ProofVerdict::Timeout } else { said }, measured.wall))
}
