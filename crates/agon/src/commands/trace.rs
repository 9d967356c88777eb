//! `agon trace`

use super::exec::find_program;
use crate::cli::{Format, TraceOptions};
use crate::failure::{NO, USAGE, Usage};
use crate::interrupt;
use agon_contain::{Host, Job, Limit, Limits};
use agon_trace::{Ended, Session, Trace};
use anyhow::Context;
use serde_json::json;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// What the shell's own `timeout` says, and scripts look for.
const TIMEOUT: u8 = 124;

/// More output than this is a flood.
const MOST_OUTPUT: u64 = 1 << 30;

pub fn run(options: &TraceOptions) -> anyhow::Result<ExitCode> {
    let text = std::fs::read(&options.file).map_err(|error| Usage(format!("{}: {error}", options.file.display())))?;
    let trace = match Trace::read(&text) {
        Ok(trace) => trace,
        Err(error) => {
            writeln!(io::stdout(), "{error}")?;
            return Ok(ExitCode::from(NO));
        }
    };
    let (program, arguments) = options.command.split_first().ok_or_else(|| Usage("there is no command".into()))?;
    let mut host = Host::probe();
    interrupt::stop_at_once(&mut host)?;
    let work = host.fresh(Path::new(""), &[], &[])?;
    let environment = ["PATH", "LANG"].into_iter().filter_map(|name| Some((name.into(), std::env::var_os(name)?)));
    let job = Job {
        arguments: arguments.to_vec(),
        environment: environment.chain([("HOME".into(), work.start().into())]).collect(),
        ..Job::new(find_program(program)?, &work)
    };
    let limits = Limits {
        wall: options.wall.map(Duration::from_secs_f64),
        memory: options.memory,
        output: Some(MOST_OUTPUT),
        processes: Some(4096),
        ..Limits::default()
    };
    let is_text = options.format == Format::Text;
    let mut out = io::stdout().lock();
    let mut session = Session::new(&trace, options.policy, options.log.is_some()).with_listener(move |answer| {
        if is_text {
            // Whoever waits for the answers sees each at once; whoever does not has closed the pipe.
            let _ = writeln!(out, "{answer}").and_then(|()| out.flush());
        }
    });
    let measured = host.converse(&job, &limits, &mut session)?;
    let (ended, score) = (session.ended().clone(), session.score());
    if let Some(file) = &options.log {
        write_log(file, &session).with_context(|| file.display().to_string())?;
    }
    let answers: Vec<_> = session
        .answers
        .iter()
        .map(|(answer, at)| json!({ "answer": answer.name(), "wall_s": at.wall.as_secs_f64(), "cpu_s": at.cpu.as_secs_f64() }))
        .collect();
    drop(session);
    let over = measured.limit.filter(|limit| ended == Ended::Stopped && !matches!(limit, Limit::Wall | Limit::Cpu));
    let message = match over {
        Some(limit) => Some(format!("BAD response: the solver went over its {} limit", limit.name()).into_bytes()),
        None => ended.message(),
    };
    if is_text {
        if let Some(message) = message {
            io::stdout().write_all(&[&message[..], b"\n"].concat())?;
        }
    } else {
        let facts = json!({
            "answers": answers,
            "correct": score.0,
            "correct_wall_s": score.1.as_secs_f64(),
            "ended": name(&ended),
            "message": message.map(|message| String::from_utf8_lossy(&message).into_owned()),
            "limit": measured.limit.map(Limit::name),
            "wall_s": measured.wall.as_secs_f64(),
            "cpu_s": measured.cpu.as_secs_f64(),
            "memory_bytes": measured.memory,
        });
        writeln!(io::stdout(), "{facts}")?;
    }
    Ok(ExitCode::from(match ended {
        Ended::Done => 0,
        Ended::Wrong { .. } => USAGE,
        Ended::Stopped if over.is_none() => TIMEOUT,
        _ => NO,
    }))
}

fn name(ended: &Ended) -> &'static str {
    match ended {
        Ended::Done => "done",
        Ended::Wrong { .. } => "wrong",
        Ended::Unknown => "unknown",
        Ended::BadResponse(..) => "bad-response",
        Ended::Unasked(_) => "unasked",
        Ended::Closed => "closed",
        Ended::BadScript(_) => "bad-script",
        Ended::Stopped => "stopped",
    }
}

/// A line for each command: its number, what it asks for, when it was sent and answered, and the answer.
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
