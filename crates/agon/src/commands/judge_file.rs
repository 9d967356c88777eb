//! `agon judge single|incremental|core|model|proof`: one output, on files.

use crate::cli::{Format, JudgeCommand, JudgedFiles};
use crate::failure::{NO, Usage};
use crate::machine::machine;
use crate::print::print_rows;
use agon_competition::{Panel, check_proof, reduced};
use agon_domain::{Answer, Evidence, Ruling, Status};
use agon_judge::{
    Assertions, Completeness, CoreClaim, ModelVerdict, ProofVerdict, Reply, Votes, core_claim, judge_core, judge_model,
    official_assert_count, official_core_is_parsable, official_core_text, official_incremental,
    official_incremental_2014, official_proof, single_answer, strict_answer, strict_incremental, verdict,
};
use agon_library::Header;
use agon_scramble::core_names;
use agon_trace::Trace;
use anyhow::Context;
use std::fs::File;
use std::io::{BufReader, Read, Write};
use std::path::Path;
use std::process::ExitCode;

/// The maximal size of an output that is read; no answer is longer.
const MOST_OUTPUT: u64 = 1 << 28;

/// The result, printed as `key=value` lines or as one JSON object.
type Keys = Vec<(String, String)>;

#[allow(clippy::needless_pass_by_value, reason = "values of all kinds, most of them small")]
fn key(name: &str, value: impl ToString) -> (String, String) {
    (name.to_owned(), value.to_string())
}

pub fn run(command: &JudgeCommand) -> anyhow::Result<ExitCode> {
    let (files, keys, is_yes) = match command {
        JudgeCommand::Single { files, status, strict } => {
            let (keys, yes) = single(files, *status, *strict)?;
            (files, keys, yes)
        }
        JudgeCommand::Incremental { files, status, strict, year_2014 } => {
            let (keys, yes) = incremental(files, status, LogReading::of(*strict, *year_2014))?;
            (files, keys, yes)
        }
        JudgeCommand::Core { files, panel, wall, compat, cut } => {
            let (keys, yes) =
                core(files, &CoreOptions { panel, wall_s: *wall, compat: *compat, said: completeness(*cut) })?;
            (files, keys, yes)
        }
        JudgeCommand::Model { files, cut } => {
            let (keys, yes) = model(files, completeness(*cut))?;
            (files, keys, yes)
        }
        JudgeCommand::Proof { files, checker, wall } => {
            let (keys, yes) = proof(files, checker.as_deref(), *wall)?;
            (files, keys, yes)
        }
    };
    let object = |keys: Keys| {
        let fields = keys.into_iter().map(|(key, value)| (key, value.into()));
        serde_json::Value::Object(fields.collect())
    };
    let mut out = std::io::stdout().lock();
    match files.format {
        Format::Text => {
            for (key, value) in keys {
                writeln!(out, "{key}={value}")?;
            }
        }
        Format::Json => writeln!(out, "{}", object(keys))?,
        Format::Csv => {
            drop(out);
            print_rows(vec![object(keys)], &[], Format::Csv)?;
        }
    }
    Ok(ExitCode::from(if is_yes { 0 } else { NO }))
}

/// Opens a file, or standard input for `-`.
fn open(file: &Path) -> anyhow::Result<BufReader<Box<dyn Read>>> {
    if file == Path::new("-") {
        return Ok(BufReader::new(Box::new(std::io::stdin())));
    }
    let opened = File::open(file).map_err(|error| Usage(format!("{}: {error}", file.display())))?;
    Ok(BufReader::new(Box::new(opened)))
}

/// The first `MOST_OUTPUT` bytes of the solver's output, and whether there is more.
fn read_output(file: &Path) -> anyhow::Result<(Vec<u8>, bool)> {
    let mut bytes = vec![];
    let mut reader = open(file)?.take(MOST_OUTPUT + 1);
    reader.read_to_end(&mut bytes).with_context(|| file.display().to_string())?;
    let is_cut = bytes.len() as u64 > MOST_OUTPUT;
    bytes.truncate(MOST_OUTPUT as usize);
    if is_cut {
        say!("{}: only the first {MOST_OUTPUT} bytes are read", file.display());
    }
    Ok((bytes, is_cut))
}

fn read_benchmark(files: &JudgedFiles, why: &str) -> anyhow::Result<Vec<u8>> {
    let file = files.benchmark.as_deref().ok_or_else(|| Usage(format!("--benchmark is needed, {why}")))?;
    let mut bytes = vec![];
    open(file)?.read_to_end(&mut bytes).with_context(|| file.display().to_string())?;
    Ok(bytes)
}

/// The statuses of the benchmark's queries.
fn statuses(file: &Path) -> anyhow::Result<Vec<Status>> {
    let mut bytes = vec![];
    open(file)?.read_to_end(&mut bytes)?;
    let header = Header::read(&bytes).map_err(|error| Usage(format!("{}: {error}", file.display())))?;
    Ok(header.statuses)
}

fn single(files: &JudgedFiles, status: Option<Status>, strict: bool) -> anyhow::Result<(Keys, bool)> {
    let status = match (status, &files.benchmark) {
        (Some(status), _) => Some(status),
        (None, Some(file)) => match statuses(file)?.as_slice() {
            [status] => Some(*status),
            many => {
                return Err(Usage(format!("{} has {} check-sat commands, not one", file.display(), many.len())).into());
            }
        },
        (None, None) => None,
    };
    let output = read_output(&files.output)?.0;
    let answer = if strict { strict_answer(&output) } else { single_answer(&output) };
    // The official post-processor has one word for unknown and for everything it cannot read.
    let word = answer.filter(|answer| answer.is_definite()).map_or("starexec-unknown", Answer::name);
    let mut keys = vec![key("starexec-result", word)];
    let Some(status) = status else { return Ok((keys, true)) };
    let ruling = verdict(Reply { answer, limit: None }, Evidence::None, status).ruling;
    keys.extend([key("starexec-expected-result", status), key("verdict", ruling)]);
    Ok((keys, ruling != Ruling::Erroneous))
}

/// How the log of a trace executor is read.
#[derive(Clone, Copy)]
enum LogReading {
    /// Like the official post-processor since 2015.
    Official,
    /// Like the official post-processor of 2014.
    Official2014,
    /// Without the defects of the official post-processor.
    Strict,
}

impl LogReading {
    fn of(strict: bool, year_2014: bool) -> Self {
        match (strict, year_2014) {
            (true, _) => Self::Strict,
            (false, true) => Self::Official2014,
            (false, false) => Self::Official,
        }
    }
}

fn completeness(cut: bool) -> Completeness {
    if cut { Completeness::MayBeCut } else { Completeness::Complete }
}

fn incremental(files: &JudgedFiles, given: &[Status], reading: LogReading) -> anyhow::Result<(Keys, bool)> {
    let output = read_output(&files.output)?.0;
    let keys = match reading {
        LogReading::Strict => {
            let expected = match &files.benchmark {
                Some(file) if given.is_empty() => {
                    let script = read_benchmark(files, "for its statuses")?;
                    Trace::read(&script).map_err(|error| Usage(format!("{}: {error}", file.display())))?.statuses
                }
                _ => given.to_vec(),
            };
            strict_incremental(&output, &expected)
        }
        LogReading::Official2014 => official_incremental_2014(&output),
        LogReading::Official => official_incremental(&output),
    };
    let is_right = keys.iter().any(|(key, value)| key == "wrong-answers" && value == "0");
    Ok((keys, is_right))
}

fn model(files: &JudgedFiles, said: Completeness) -> anyhow::Result<(Keys, bool)> {
    let file = files.benchmark.as_deref().ok_or_else(|| Usage("--benchmark is needed, to evaluate it".into()))?;
    let (output, is_cut) = read_output(&files.output)?;
    let judgement = judge_model(open(file)?, &output, if is_cut { Completeness::MayBeCut } else { said });
    let result = match judgement.verdict {
        ModelVerdict::Valid => "sat",
        ModelVerdict::Invalid => "unsat",
        ModelVerdict::Unknown => "unknown",
    };
    let keys = vec![
        key("starexec-result", result),
        key("model_validator_status", judgement.verdict),
        key("model_validator_error", judgement.code),
        key("model_validator_reason", judgement.detail.replace('\n', " ")),
    ];
    Ok((keys, judgement.verdict == ModelVerdict::Valid))
}

/// How an unsat core is judged.
struct CoreOptions<'a> {
    panel: &'a [String],
    wall_s: f64,
    compat: bool,
    said: Completeness,
}

fn core(files: &JudgedFiles, options: &CoreOptions<'_>) -> anyhow::Result<(Keys, bool)> {
    let &CoreOptions { panel, wall_s, compat, said } = options;
    let benchmark = read_benchmark(files, "to see what the core names")?;
    let (output, is_cut) = read_output(&files.output)?;
    let (claim, asserts, named) = if compat {
        let count = official_assert_count(&benchmark) as u64;
        (official_claim(&output), count, count)
    } else {
        let assertions = Assertions::read(&benchmark[..]).map_err(|error| {
            Usage(format!("{}: {error}", files.benchmark.as_deref().unwrap_or(Path::new("")).display()))
        })?;
        (core_claim(&output, &assertions.names), assertions.all, assertions.named)
    };
    let is_sat = claim == CoreClaim::NotUnsat(Some(Answer::Sat));
    let result = match &claim {
        CoreClaim::NotUnsat(Some(Answer::Sat)) => "sat",
        CoreClaim::NotUnsat(_) => "starexec-unknown",
        _ => "unsat",
    };
    let mut keys = vec![
        key("ucpp-version", "2021v0"),
        key("check-sat-result-is-erroneous", u8::from(is_sat)),
        key("starexec-result", result),
        key("number-of-assert-commands", asserts),
    ];
    let mut votes = None;
    match &claim {
        CoreClaim::NotUnsat(_) => {}
        CoreClaim::NoCore | CoreClaim::Faulty(_) => keys.push(key("parsable-unsat-core", false)),
        CoreClaim::Core(core) => {
            keys.extend([key("parsable-unsat-core", true), key("size-unsat-core", core.len())]);
            if !panel.is_empty() {
                let reduced = reduced(&benchmark, core)?;
                let panel = Panel::open(panel)?;
                let replies = panel.ask_about(machine()?, &reduced, wall_s)?;
                let solvers: Vec<&str> = replies.iter().map(|reply| &*reply.solver).collect();
                let names: Vec<String> = solvers.iter().map(|solver| solver.replace(' ', "-")).collect();
                keys.push(key("validation-solvers", names.join(" ")));
                for reply in &replies {
                    let name = reply.solver.replace(' ', "-");
                    let answer = reply.answer.unwrap_or(Answer::Unknown);
                    keys.push((format!("validation-check-sat-result_{name}"), answer.to_string()));
                    keys.push((format!("validation-check-sat-time_{name}"), format!("{:.0}", reply.wall_s)));
                }
                let counted = Votes::count(replies.iter().map(|reply| reply.answer));
                keys.extend([
                    key("unsat-core-rejections", counted.rejections),
                    key("unsat-core-confirmations", counted.confirmations),
                    key("unsat-core-validated", !counted.refute()),
                ]);
                votes = Some(counted);
            }
        }
    }
    let judged = judge_core(&claim, named, votes, if is_cut { Completeness::MayBeCut } else { said });
    // The official difference may be negative, for names that do not exist.
    let reduction = match &claim {
        CoreClaim::Core(core) if compat && !judged.erroneous => named.cast_signed() - core.len() as i64,
        _ => judged.reduction.cast_signed(),
    };
    keys.extend([key("result-is-erroneous", u8::from(judged.erroneous)), key("reduction", reduction)]);
    if !compat {
        keys.push(key("reason", judged.detail));
    }
    Ok((keys, !judged.erroneous))
}

/// The claim as the official post-processor reads it, which accepts names that no assertion has.
fn official_claim(output: &[u8]) -> CoreClaim {
    let text = official_core_text(output);
    match text.split(|byte| *byte == b'\n').next().unwrap_or_default().trim_ascii() {
        b"unsat" => {}
        b"sat" => return CoreClaim::NotUnsat(Some(Answer::Sat)),
        _ => return CoreClaim::NotUnsat(None),
    }
    match core_names(&text) {
        Some(names) if official_core_is_parsable(output) => CoreClaim::Core(names),
        _ => CoreClaim::NoCore,
    }
}

fn proof(files: &JudgedFiles, checker: Option<&str>, wall_s: f64) -> anyhow::Result<(Keys, bool)> {
    let is_accepted = |verdict: ProofVerdict| matches!(verdict, ProofVerdict::Valid | ProofVerdict::Holey);
    let Some(command) = checker else {
        let output = read_output(&files.output)?.0;
        return Ok((official_proof(&output), is_accepted(ProofVerdict::of(&output))));
    };
    let benchmark = files.benchmark.as_deref().ok_or_else(|| Usage("--benchmark is needed, for the checker".into()))?;
    let (verdict, wall) = check_proof(machine()?, command, benchmark, &files.output, wall_s)?;
    let mut keys = vec![key("starexec-result", verdict.answer())];
    keys.extend(verdict.reason().map(|reason| key("reason", reason)));
    keys.push(key("checker_wall_time", format!("{:.2}", wall.as_secs_f64())));
    Ok((keys, is_accepted(verdict)))
}
