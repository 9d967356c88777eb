//! Proofs, put to a checker: one for each format.

use super::exec::{find_program, plain_environment};
use crate::failure::Usage;
use crate::hosts;
use crate::interrupt;
use agon_contain::{Job, Limit, Limits, Named, needed_by};
use agon_domain::{Outcome, Track, Verdict};
use agon_judge::{ProofVerdict, proof_claim, proof_verdict};
use agon_store::{Competition, Recorded, Store};
use anyhow::Context;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

/// Who checks proofs, and for how long.
pub struct ProofOptions<'a> {
    /// Commands, with `FORMAT=` in front or for all formats.
    pub checkers: &'a [String],
    /// Seconds for each proof.
    pub wall_s: f64,
}

impl Default for ProofOptions<'_> {
    fn default() -> Self {
        Self { checkers: &[], wall_s: 1200.0 }
    }
}

/// Judges the proofs of a competition.
pub struct ProofJudge {
    wall_s: f64,
    /// Commands by format; the one without is for all others.
    commands: BTreeMap<Option<String>, String>,
    /// The formats of the entrants' proofs.
    formats: BTreeMap<String, String>,
}

impl ProofJudge {
    pub fn new(competition: &Competition, options: &ProofOptions<'_>) -> anyhow::Result<Self> {
        let mut commands = BTreeMap::new();
        for checker in options.checkers {
            // A format is a word; an equals sign further on is part of the command.
            let (format, command) = match checker.split_once('=') {
                Some((format, command)) if format.chars().all(|c| c.is_ascii_alphanumeric() || "-_.+".contains(c)) => {
                    (Some(format.to_owned()), command.to_owned())
                }
                _ => (None, checker.clone()),
            };
            if commands.insert(format.clone(), command).is_some() {
                let whose = format.map_or("without a format".to_owned(), |format| format!("for {format}"));
                return Err(Usage(format!("there are two checkers {whose}")).into());
            }
        }
        let mut formats = BTreeMap::new();
        if competition.track() == Track::Proof {
            for entrant in competition.entrants()? {
                formats.extend(entrant.proof_format.map(|format| (entrant.name.to_string(), format)));
            }
            if commands.is_empty() {
                say!("agon: no checker is given, so no proof is judged anew; '--checker COMMAND' names one");
            }
        }
        Ok(Self { wall_s: options.wall_s, commands, formats })
    }

    /// The checker of an entrant's proofs: verdicts depend on it.
    pub fn checker(&self, run: &Recorded) -> Option<&str> {
        let format = self.formats.get(run.pair.entrant.as_str()).cloned();
        self.commands.get(&format).or_else(|| self.commands.get(&None)).map(String::as_str)
    }

    pub fn verdict(&self, store: &mut Store, run: &Recorded, benchmark: &Path) -> anyhow::Result<(Verdict, String)> {
        let Outcome { stdout, limit, .. } = &run.outcome;
        let (answer, proof) = proof_claim(&store.output(stdout)?);
        let (checked, evidence) = match (proof, self.checker(run)) {
            (None, _) => (None, "no proof".to_owned()),
            (Some(_), None) => (None, "no checker for proofs of this solver".to_owned()),
            (Some(proof), Some(command)) => {
                let folder = tempfile::tempdir()?;
                let file = folder.path().join("proof");
                std::fs::write(&file, proof).context("the proof could not be written")?;
                let (verdict, wall) = check_proof(command, benchmark, &file, self.wall_s)?;
                let word = verdict.reason().unwrap_or("sat");
                (Some(verdict), format!("{word} after {:.2} s, by {command}", wall.as_secs_f64()))
            }
        };
        Ok((proof_verdict(answer, checked, *limit, run.pair.prepared.status), evidence))
    }
}

/// Runs a checker, contained, and reads its verdict: the first line of its own that is one.
pub fn check_proof(
    command: &str,
    benchmark: &Path,
    proof: &Path,
    wall_s: f64,
) -> anyhow::Result<(ProofVerdict, Duration)> {
    let path = |file: &Path| file.canonicalize().map_err(|error| Usage(format!("{}: {error}", file.display())));
    let (benchmark, proof) = (path(benchmark)?, path(proof)?);
    if command.trim().is_empty() {
        return Err(Usage("--checker is empty".into()).into());
    }
    // The shell reads the command, so files stand in it as the shell has them.
    let quoted = |file: &Path| format!("'{}'", file.to_string_lossy().replace('\'', r"'\''"));
    let script = command.replace("{benchmark}", &quoted(&benchmark)).replace("{proof}", &quoted(&proof));
    let mut host = hosts::this_machine()?;
    interrupt::stop_at_once(&mut host)?;
    let work = host.fresh(Path::new(""), &[], &[])?;
    // The checker is the first word; whatever it needs beside it comes with it.
    let checker = script.split_whitespace().next().and_then(|word| find_program(word.as_ref()).ok());
    let around = checker.iter().flat_map(|program| needed_by(program).into_iter().chain([program.clone()]));
    let job = Job {
        named: Named::find(&[script.clone().into()], Path::new("/")).files,
        arguments: vec!["-c".into(), script.clone().into()],
        environment: plain_environment(&work),
        shown: [benchmark, proof].into_iter().chain(around).collect(),
        ..Job::new(find_program("sh".as_ref())?, &work)
    };
    let limits = Limits { wall: Some(Duration::from_secs_f64(wall_s)), output: Some(64 << 20), ..Limits::default() };
    let measured = host.run(&job, &limits)?;
    let said = ProofVerdict::of(&measured.stdout);
    let is_late = matches!(measured.limit, Some(Limit::Wall)) && said == ProofVerdict::Error;
    Ok((if is_late { ProofVerdict::Timeout } else { said }, measured.wall))
}
