//! The results of BenchExec: one XML file for each tool and set of tasks.

use crate::ImportError;
use crate::cells;
use crate::collected::{Collected, Counted, Identity, Row};
use crate::source::Source;
use agon_domain::{Answer, Claim, End, Evidence, Status};
use agon_score::Measured;
use quick_xml::events::{BytesStart, Event};
use std::collections::HashMap;
use std::path::Path;

/// Prefixes of BenchExec's statuses for failed runs.
const FAILURES: [&str; 6] = ["error", "killed", "segmentation", "aborted", "exception", "assertion"];

/// The key of a parse error among attributes. It starts with a space, so it cannot be the name of one.
const PROBLEM: &str = " problem";

pub(crate) fn read(collected: &mut Collected, source: Source, file: &Path) -> Result<(), ImportError> {
    let line = source.line();
    let mut reader = quick_xml::Reader::from_reader(source);
    let mut buffer = vec![];
    let (mut tool, mut definition) = (String::new(), String::new());
    // The attributes of a run, and the line in which it begins.
    let mut run: Option<(HashMap<String, String>, u64)> = None;
    let mut is_complete = false;
    loop {
        // The line in which the event begins: white space before a tag is a separate event.
        let now = line.get();
        let event = reader.read_event_into(&mut buffer);
        match event {
            Ok(Event::Empty(start)) if start.name().as_ref() == b"run" => {
                collected.error(now, "a run has no columns");
            }
            Ok(Event::Start(start) | Event::Empty(start)) => match start.name().as_ref() {
                b"result" => {
                    let facts = attributes(&start);
                    let word = |name: &str| facts.get(name).cloned().unwrap_or_default();
                    tool = [word("tool"), word("version")].join(" ").trim().to_owned();
                    definition = word("name");
                }
                b"run" => {
                    if !collected.set_counts(Counted::Answers) {
                        return Err(ImportError::OtherTrack(file.to_owned()));
                    }
                    run = Some((attributes(&start), now));
                }
                b"column" => {
                    if let Some((run, _)) = &mut run {
                        let facts = attributes(&start);
                        let title = facts.get("title").cloned().unwrap_or_default();
                        run.insert(format!("column {title}"), facts.get("value").cloned().unwrap_or_default());
                    }
                }
                _ => {}
            },
            Ok(Event::End(end)) if end.name().as_ref() == b"run" => {
                if let Some((facts, start)) = run.take()
                    && let Err(message) = take(collected, &tool, &definition, &facts, start)
                {
                    collected.error(start, message);
                }
            }
            Ok(Event::End(end)) if end.name().as_ref() == b"result" => is_complete = true,
            Ok(Event::Eof) if is_complete => return Ok(()),
            Ok(Event::Eof) if tool.is_empty() => {
                return Err(ImportError::NotResults(file.to_owned(), "it has no <result>".into()));
            }
            Ok(Event::Eof) => {
                collected.error(now, "the file ends before </result>");
                return Ok(());
            }
            Ok(_) => {}
            Err(error) => {
                collected.error(now, format!("the file cannot be read from here on: {error}"));
                return Ok(());
            }
        }
        buffer.clear();
    }
}

/// The attributes of a tag. If one cannot be parsed, the error is the value of [`PROBLEM`].
fn attributes(start: &BytesStart<'_>) -> HashMap<String, String> {
    let plain = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let problem = start.attributes().find_map(Result::err).map(|error| (PROBLEM.to_owned(), error.to_string()));
    start
        .attributes()
        .flatten()
        .map(|attribute| {
            let value = plain(&attribute.value);
            let value = quick_xml::escape::unescape(&value).map(std::borrow::Cow::into_owned).unwrap_or(value.clone());
            (plain(attribute.key.as_ref()), value)
        })
        .chain(problem)
        .collect()
}

/// Adds one run, given its attributes and columns.
fn take(
    collected: &mut Collected,
    tool: &str,
    definition: &str,
    facts: &HashMap<String, String>,
    line: u64,
) -> Result<(), String> {
    let column = |title: &str| facts.get(&format!("column {title}")).map(String::as_str);
    if let Some(problem) = facts.get(PROBLEM) {
        return Err(format!("the run cannot be read: {problem}"));
    }
    let tool = cells::name(tool.as_bytes(), "tool")?;
    let name = facts.get("name").ok_or("a run has no name")?;
    let seconds = |title: &str| {
        let value = column(title).ok_or_else(|| format!("{name} has no {title}"))?;
        let value = value.strip_suffix('s').unwrap_or(value);
        cells::time(value.as_bytes(), title).map_err(|problem| format!("{name}: {problem}"))
    };
    let (cpu, wall) = (seconds("cputime")?, seconds("walltime")?);
    let status = column("status").ok_or_else(|| format!("{name} has no status"))?;
    let (answer, end) = match status.to_lowercase().as_str() {
        "true" | "sat" | "done (sat)" => (Answer::Sat, End::Complete),
        "false" | "unsat" | "done (unsat)" => (Answer::Unsat, End::Complete),
        "unknown" | "done" => (Answer::Unknown, End::Complete),
        word if word.starts_with("timeout") => (Answer::Unknown, End::Timeout),
        word if word.starts_with("out of memory") || word.starts_with("out of java memory") => {
            (Answer::Unknown, End::Memout)
        }
        word if FAILURES.iter().any(|failure| word.starts_with(failure)) => (Answer::Unknown, End::Complete),
        _ => return Err(format!("{name}: unknown status '{status}'")),
    };
    let benchmark = collected.benchmark(cells::path(name.as_bytes())?)?;
    let expected = match facts.get("expectedVerdict").map(String::as_str) {
        Some("true" | "sat") => Status::Sat,
        Some("false" | "unsat") => Status::Unsat,
        None | Some("" | "unknown") => Status::Unknown,
        Some(other) => return Err(format!("{name}: unknown expected verdict '{other}'")),
    };
    collected.set_status(benchmark, expected)?;
    let identity =
        collected.identity(&Identity { solver: tool, configuration: definition.to_owned(), ..Identity::default() });
    let measured = Measured::of(wall.is_some(), cpu.is_some());
    let (wall, cpu) = (wall.unwrap_or_default(), cpu.unwrap_or_default());
    let claim = Claim { answer, evidence: Evidence::None };
    collected.add(line, Row { identity, benchmark, claim, end, wall, cpu, measured });
    Ok(())
}
