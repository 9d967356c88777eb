//! The results of BenchExec: one XML file for each tool and set of tasks.

use crate::ImportError;
use crate::source::Source;
use crate::table::{Counts, Evidence, Identity, Row, Table};
use crate::words;
use agon_domain::{Answer, Status, Time};
use agon_score::End;
use quick_xml::events::{BytesStart, Event};
use std::collections::HashMap;
use std::path::Path;

/// No attribute is called this.
const FAULT: &str = " fault";

pub(crate) fn read(table: &mut Table, source: Source, file: &Path) -> Result<(), ImportError> {
    let mut reader = quick_xml::Reader::from_reader(source);
    let mut buffer = vec![];
    let mut tool = String::new();
    let mut run: Option<HashMap<String, String>> = None;
    let mut count: u32 = 0;
    let mut is_whole = false;
    loop {
        let event = reader.read_event_into(&mut buffer);
        match event {
            Ok(Event::Empty(start)) if start.name().as_ref() == b"run" => {
                count += 1;
                table.fault(count.into(), "a run has no columns");
            }
            Ok(Event::Start(start) | Event::Empty(start)) => match start.name().as_ref() {
                b"result" => {
                    let facts = attributes(&start);
                    let word = |name: &str| facts.get(name).cloned().unwrap_or_default();
                    tool = [word("tool"), word("version")].join(" ").trim().to_owned();
                }
                b"run" => {
                    if !table.set_counts(Counts::Answers) {
                        return Err(ImportError::Strange(file.to_owned(), "its results are of another track".into()));
                    }
                    count += 1;
                    run = Some(attributes(&start));
                }
                b"column" => {
                    if let Some(run) = &mut run {
                        let facts = attributes(&start);
                        let title = facts.get("title").cloned().unwrap_or_default();
                        run.insert(format!("column {title}"), facts.get("value").cloned().unwrap_or_default());
                    }
                }
                _ => {}
            },
            Ok(Event::End(end)) if end.name().as_ref() == b"run" => {
                if let Some(facts) = run.take()
                    && let Err(message) = take(table, &tool, &facts, count)
                {
                    table.fault(count.into(), message);
                }
            }
            Ok(Event::End(end)) if end.name().as_ref() == b"result" => is_whole = true,
            Ok(Event::Eof) if is_whole => return Ok(()),
            Ok(Event::Eof) if tool.is_empty() => {
                return Err(ImportError::Strange(file.to_owned(), "there is no <result> in it".into()));
            }
            Ok(Event::Eof) => {
                table.fault(count.into(), "the file breaks off before its end");
                return Ok(());
            }
            Ok(_) => {}
            Err(error) => {
                table.fault(u64::from(count).max(1), format!("the file cannot be read from here on: {error}"));
                return Ok(());
            }
        }
        buffer.clear();
    }
}

/// What a tag says of itself. One that cannot be read stands under the name of a fault.
fn attributes(start: &BytesStart<'_>) -> HashMap<String, String> {
    let plain = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let fault = start.attributes().find_map(Result::err).map(|error| (FAULT.to_owned(), error.to_string()));
    start
        .attributes()
        .flatten()
        .map(|attribute| {
            let value = plain(&attribute.value);
            let value = quick_xml::escape::unescape(&value).map(std::borrow::Cow::into_owned).unwrap_or(value.clone());
            (plain(attribute.key.as_ref()), value)
        })
        .chain(fault)
        .collect()
}

fn take(table: &mut Table, tool: &str, facts: &HashMap<String, String>, number: u32) -> Result<(), String> {
    let column = |title: &str| facts.get(&format!("column {title}")).map(String::as_str);
    if let Some(fault) = facts.get(FAULT) {
        return Err(format!("the run cannot be read: {fault}"));
    }
    let name = facts.get("name").ok_or("a run has no name")?;
    let seconds = |title: &str| {
        let value = column(title).ok_or_else(|| format!("{name} has no {title}"))?;
        let value = value.strip_suffix('s').unwrap_or(value);
        words::seconds(value.as_bytes()).map_err(|fault| format!("{name}: the {title} '{value}' {fault}"))
    };
    let (cpu, wall): (Time, Time) = (seconds("cputime")?, seconds("walltime")?);
    let status = column("status").ok_or_else(|| format!("{name} has no status"))?;
    let (answer, end) = match status.to_lowercase().as_str() {
        "true" | "sat" | "done (sat)" => (Answer::Sat, End::Complete),
        "false" | "unsat" | "done (unsat)" => (Answer::Unsat, End::Complete),
        "unknown" | "done" => (Answer::Unknown, End::Complete),
        word if word.starts_with("timeout") => (Answer::Unknown, End::Timeout),
        word if word.starts_with("out of memory") => (Answer::Unknown, End::Memout),
        word if word.starts_with("error") || word.starts_with("killed") || word.starts_with("segmentation") => {
            (Answer::Unknown, End::Complete)
        }
        _ => return Err(format!("{name}: the status '{status}' is none that is known")),
    };
    let benchmark = table.benchmark(name).ok_or_else(|| format!("{name} is in no folder of a logic"))?;
    let expected: Status = match facts.get("expectedVerdict").map(String::as_str) {
        Some("true" | "sat") => Status::Sat,
        Some("false" | "unsat") => Status::Unsat,
        None | Some("" | "unknown") => Status::Unknown,
        Some(other) => return Err(format!("{name}: the expected verdict '{other}' is none that is known")),
    };
    if table.set_status(benchmark, expected) {
        return Err(format!("{name} is expected to be {expected} here, and something else before"));
    }
    let identity = table.identity(&Identity { solver: tool.to_owned(), ..Identity::default() });
    let (file, line, evidence) = (table.file(), number, Evidence::None);
    table.rows.push(Row { identity, benchmark, answer, end, evidence, wrong: 0, count: 0, wall, cpu, file, line });
    Ok(())
}
