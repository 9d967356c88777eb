//! `agon trace`

use super::exec::find_program;
use crate::cli::{Format, TraceOptions};
use crate::failure::{INTERRUPTED, NO, TRACE_TIME_UP, TRACE_WRONG, Usage, without_os_codes};
use crate::machine::host_for_one_run;
use crate::print::print_rows;
use agon_competition::plain_environment;
use agon_contain::{ContainError, Ending, Job, Limit, Limits, Measured, Named, Times, needed_by};
use agon_domain::Answer;
use agon_trace::{Ended, KeptRecords, Session, Trace};
use anyhow::Context;
use serde_json::{Value, json};
use std::cell::Cell;
use std::io::{self, Read, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// The maximal output besides one line for each command.
const MOST_OUTPUT: u64 = 64 << 20;
/// The longest line that answers a command.
const LONGEST_ANSWER: u64 = 64;

pub fn run(options: &TraceOptions) -> anyhow::Result<ExitCode> {
    let is_stdin = options.file == Path::new("-");
    let text = if is_stdin { read_stdin() } else { std::fs::read(&options.file) };
    let text = text.map_err(|error| Usage(format!("{}: {error}", options.file.display())))?;
    let trace = match Trace::read(&text) {
        Ok(trace) => trace,
        Err(error) => {
            writeln!(io::stdout(), "{error}")?;
            return Ok(ExitCode::from(NO));
        }
    };
    let talked = talk(options, &trace, is_stdin)?;
    match options.format {
        Format::Text => talked.print_text(options)?,
        Format::Csv => print_rows(talked.answers(&trace), &[], Format::Csv)?,
        Format::Json => writeln!(io::stdout(), "{}", talked.as_json(options, &trace))?,
    }
    Ok(ExitCode::from(talked.code()))
}

/// Runs the solver, and prints each answer as it arrives if the format is text.
fn talk(options: &TraceOptions, trace: &Trace<'_>, is_stdin: bool) -> anyhow::Result<Talked> {
    let (program, arguments) = options.command.split_first().ok_or_else(|| Usage("no command was given".into()))?;
    let host = host_for_one_run()?;
    let program = find_program(program)?;
    let named = Named::find(arguments, &std::env::current_dir()?);
    let work = host.fresh(Path::new(""), &[], &named.links)?;
    let job = Job {
        shown: needed_by(&program),
        named: named.files,
        // The solver has no file to look ahead in (A11-3).
        hidden: if is_stdin { vec![] } else { vec![options.file.canonicalize()?] },
        arguments: arguments.to_vec(),
        environment: plain_environment(&work),
        ..Job::new(program, &work)
    };
    let limits = Limits {
        wall: options.wall.map(Duration::from_secs_f64),
        memory: options.memory,
        output: Some(MOST_OUTPUT + LONGEST_ANSWER * trace.len() as u64),
        processes: Some(4096),
        ..Limits::default()
    };
    let is_text = options.format == Format::Text;
    let kept = if options.log.is_some() { KeptRecords::All } else { KeptRecords::Queries };
    let mut out = io::stdout().lock();
    let lost = Cell::new(None);
    let mut session = Session::new(trace, options.policy, kept).with_listener(|answer| {
        // Flushed, so that a reader of our output gets each answer at once.
        if is_text && let Err(error) = writeln!(out, "{answer}").and_then(|()| out.flush()) {
            lost.set(Some(error));
        }
    });
    let measured = match host.converse(&job, &limits, &mut session) {
        Ok(measured) => Some(measured),
        // The answers until then are kept.
        Err(ContainError::Interrupted) => None,
        Err(error) => return Err(error.into()),
    };
    if let Some(file) = &options.log {
        write_log(file, &session).with_context(|| file.display().to_string())?;
    }
    let talked = Talked {
        ended: session.ended().clone(),
        score: session.score(),
        summary: session.summary(),
        answers: session.answers.clone(),
        measured,
    };
    drop(session);
    lost.take().map_or(Ok(talked), |error| Err(error.into()))
}

/// The result of a session.
struct Talked {
    ended: Ended,
    score: (usize, Duration),
    summary: Option<String>,
    answers: Vec<(Answer, Times)>,
    /// `None` if the user interrupted the run.
    measured: Option<Measured>,
}

impl Talked {
    /// The limit that ended the solver during a query.
    fn limit(&self) -> Option<Limit> {
        self.measured.as_ref().and_then(|measured| measured.limit).filter(|_| self.ended == Ended::Stopped)
    }

    /// The limit that ended the solver, unless it is a time limit.
    fn other_limit(&self) -> Option<Limit> {
        self.limit().filter(|limit| !matches!(limit, Limit::Wall | Limit::Cpu))
    }

    /// The executor's message, if there is one.
    fn message(&self, options: &TraceOptions) -> Option<Vec<u8>> {
        match self.other_limit() {
            Some(limit) => Some(format!("BAD response: the solver exceeded its {} limit", limit.name()).into_bytes()),
            None => self.ended.message(options.policy),
        }
    }

    fn code(&self) -> u8 {
        match self.ended {
            _ if self.measured.is_none() => INTERRUPTED,
            Ended::Done => 0,
            Ended::Wrong { .. } => TRACE_WRONG,
            Ended::Stopped if self.other_limit().is_none() => TRACE_TIME_UP,
            _ => NO,
        }
    }

    /// A row for each answer.
    fn answers(&self, trace: &Trace<'_>) -> Vec<Value> {
        let expected = trace.statuses.iter().map(|status| Some(status.name())).chain(std::iter::repeat(None));
        let row = |((answer, at), expected): (&(Answer, Times), Option<&str>)| {
            let (wall_s, cpu_s) = (at.wall.as_secs_f64(), at.cpu.as_secs_f64());
            json!({ "answer": answer.name(), "expected": expected, "wall_s": wall_s, "cpu_s": cpu_s })
        };
        self.answers.iter().zip(expected).map(row).collect()
    }

    /// Prints the executor's message and the summary, after the answers.
    fn print_text(&self, options: &TraceOptions) -> io::Result<()> {
        let summary = self.summary.as_ref().map(|summary| summary.clone().into_bytes());
        for line in [self.message(options), summary].into_iter().flatten() {
            io::stdout().write_all(&[&line[..], b"\n"].concat())?;
        }
        if let Ended::BadScript(Some(error)) = &self.ended {
            say!("agon: {}: {}", options.file.display(), without_os_codes(&error.to_string()));
        }
        if let Some(limit) = self.limit().filter(|_| self.other_limit().is_none()) {
            say!("agon: the solver was stopped at its {} limit", limit.name());
        }
        Ok(())
    }

    fn as_json(&self, options: &TraceOptions, trace: &Trace<'_>) -> Value {
        let measured = self.measured.as_ref();
        let ending = measured.map(|measured| match measured.ending {
            Ending::Exit(code) => json!({ "exit_code": code }),
            Ending::Signal(number) => json!({ "signal": number }),
        });
        json!({
            "queries": trace.statuses.len(),
            "answers": self.answers(trace),
            "correct": self.score.0,
            "correct_wall_s": self.score.1.as_secs_f64(),
            "ended": name(&self.ended),
            "message": self.message(options).map(|message| String::from_utf8_lossy(&message).into_owned()),
            "limit": measured.and_then(|measured| measured.limit).map(Limit::name),
            "ending": ending,
            "wall_s": measured.map(|measured| measured.wall.as_secs_f64()),
            "cpu_s": measured.map(|measured| measured.cpu.as_secs_f64()),
            "memory_bytes": measured.and_then(|measured| measured.memory),
        })
    }
}

fn read_stdin() -> io::Result<Vec<u8>> {
    let mut text = vec![];
    io::stdin().read_to_end(&mut text)?;
    Ok(text)
}

fn name(ended: &Ended) -> &'static str {
    match ended {
        Ended::Done => "done",
        Ended::Wrong { .. } => "wrong",
        Ended::Unknown => "unknown",
        Ended::BadResponse(..) => "bad-response",
        Ended::Unasked(_) => "unasked",
        Ended::Closed(_) => "closed",
        Ended::BadScript(_) => "bad-script",
        Ended::Stopped => "stopped",
    }
}

/// Writes a line for each command: its number, its kind, when it was sent and answered, and the answer.
fn write_log(file: &Path, session: &Session<'_>) -> io::Result<()> {
    let mut out = io::BufWriter::new(std::fs::File::create(file)?);
    writeln!(out, "command\tkind\tsent_s\tanswered_s\tanswer")?;
    for (number, record) in session.records.iter().enumerate() {
        let answer = String::from_utf8_lossy(&record.answer).replace(['\t', '\n', '\r'], " ");
        let (sent, answered) = (record.sent.as_secs_f64(), record.answered.as_secs_f64());
        writeln!(out, "{}\t{}\t{sent:.6}\t{answered:.6}\t{answer}", number + 1, record.kind.name())?;
    }
    out.flush()
}
