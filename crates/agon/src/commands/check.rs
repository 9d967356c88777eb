//! `agon check`

use crate::cli::{CheckOptions, Format};
use crate::failure::{ENVIRONMENT, NO, Usage, without_os_codes};
use crate::progress::Bar;
use agon_competition::parallel;
use agon_library::{TrackCheck, TrackShape, benchmark_files};
use agon_smtlib::{Checker, Dialect, KeptTerms, Rules, Summary, read_script};
use serde_json::{Value, json};
use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const CSV_COLUMNS: [&str; 8] = ["file", "ok", "dialect", "logic", "smallest_logic", "check_sats", "asserts", "errors"];

pub fn run(options: &CheckOptions) -> anyhow::Result<ExitCode> {
    let mut files = named_files(&options.files)?;
    if let Some(shape) = options.track {
        leave_out_other_part(&mut files, &options.files, shape);
    }
    let rules = Rules { strict: options.strict, dialect: options.dialect.into() };
    let mut printer = Printer::new(options, files.len());
    let threads = options.jobs.unwrap_or_else(parallel::threads);
    let act = |checker: &mut Checker, file: &PathBuf| check(file, checker, options);
    parallel::in_order(&files, threads, || Checker::new(rules), act, |file, checked| printer.print(file, checked))?;
    printer.finish()
}

/// The named files, and the benchmarks in the named directories.
fn named_files(named: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut files = vec![];
    for path in named {
        if path.is_dir() {
            files.extend(benchmark_files(path)?);
        } else {
            files.push(path.clone());
        }
    }
    if files.is_empty() {
        return Err(Usage("no .smt2 or .smt file in these directories".to_owned()).into());
    }
    Ok(files)
}

/// Drops the files of the part of SMT-LIB's layout that the track does not use.
fn leave_out_other_part(files: &mut Vec<PathBuf>, named: &[PathBuf], shape: TrackShape) {
    let other = match shape {
        TrackShape::Incremental => "non-incremental",
        TrackShape::SingleQuery | TrackShape::UnsatCore | TrackShape::ModelValidation => "incremental",
        TrackShape::IndustryChallenge | TrackShape::Separation => return,
    };
    let others: Vec<PathBuf> =
        named.iter().map(|directory| directory.join(other)).filter(|directory| directory.is_dir()).collect();
    let before = files.len();
    files.retain(|file| !others.iter().any(|directory| file.starts_with(directory)));
    if files.len() < before {
        say!("{} files below {other}/ do not belong to the {shape} track and were left out", before - files.len());
    }
}

fn check(file: &Path, checker: &mut Checker, options: &CheckOptions) -> io::Result<Summary> {
    let opened: Box<dyn io::Read> =
        if file == Path::new("-") { Box::new(io::stdin()) } else { Box::new(File::open(file)?) };
    let Some(track) = options.track else { return read_script(opened, checker, KeptTerms::OfCommand, |_, _, _| {}) };
    let mut restrictions = TrackCheck::new(track);
    let mut summary = read_script(opened, checker, KeptTerms::OfCommand, |checker, command, at| {
        restrictions.see(checker, command, at);
    })?;
    restrictions.finish(&mut summary);
    Ok(summary)
}

/// Prints results in order, and counts them.
struct Printer<'a> {
    options: &'a CheckOptions,
    out: io::BufWriter<io::Stdout>,
    progress: Option<Bar>,
    csv_started: bool,
    right: usize,
    wrong: usize,
    unread: usize,
}

impl<'a> Printer<'a> {
    fn new(options: &'a CheckOptions, files: usize) -> Self {
        // A progress bar and many results on the same terminal would interfere.
        let room = options.quiet || !io::stdout().is_terminal();
        let progress = (files > 1 && room).then(|| Bar::titled("checking".into(), files as u64));
        let out = io::BufWriter::new(io::stdout());
        Self { options, out, progress, csv_started: false, right: 0, wrong: 0, unread: 0 }
    }

    fn print(&mut self, file: &Path, checked: io::Result<Summary>) -> io::Result<()> {
        if let Some(progress) = &mut self.progress {
            progress.step(|| format!("{} with errors", self.wrong));
        }
        let name = file.display();
        let summary = match checked {
            Ok(summary) => summary,
            Err(error) => {
                self.unread += 1;
                say!("agon: {name}: {}", without_os_codes(&error.to_string()));
                return Ok(());
            }
        };
        if summary.is_right() {
            self.right += 1;
        } else {
            self.wrong += 1;
        }
        match self.options.format {
            Format::Json => writeln!(self.out, "{}", as_json(file, &summary)),
            Format::Csv => {
                let mut writer = csv::Writer::from_writer(&mut self.out);
                if !std::mem::replace(&mut self.csv_started, true) {
                    writer.write_record(CSV_COLUMNS)?;
                }
                writer.write_record([
                    &name.to_string(),
                    &summary.is_right().to_string(),
                    dialect_name(summary.dialect),
                    summary.logic.as_deref().unwrap_or_default(),
                    summary.smallest_logic.unwrap_or_default(),
                    &summary.statuses.len().to_string(),
                    &summary.asserts.to_string(),
                    &(summary.errors.len() as u64 + summary.more_errors).to_string(),
                ])?;
                writer.flush()
            }
            Format::Text => self.print_text(file, &summary),
        }
    }

    fn print_text(&mut self, file: &Path, summary: &Summary) -> io::Result<()> {
        let name = file.display();
        for error in &summary.errors {
            writeln!(self.out, "{name}:{error}")?;
        }
        if summary.more_errors > 0 {
            writeln!(self.out, "{name}: and {} more errors", summary.more_errors)?;
        }
        if !summary.is_right() || self.options.quiet {
            return Ok(());
        }
        let logic = summary.logic.as_deref().unwrap_or("no logic");
        let logic = match summary.smallest_logic {
            Some(least) if least != logic => format!("{logic} (fits into {least})"),
            _ => logic.to_owned(),
        };
        let mut queries: Vec<(&str, usize)> = vec![];
        for status in &summary.statuses {
            let status = status.as_deref().unwrap_or("no status");
            match queries.last_mut() {
                Some((last, count)) if *last == status => *count += 1,
                _ => queries.push((status, 1)),
            }
        }
        let many = queries.len() > 6;
        let queries = queries.iter().take(6).map(|(status, count)| match count {
            1 => (*status).to_owned(),
            count => format!("{status} ×{count}"),
        });
        let mut queries: Vec<_> = queries.collect();
        if many {
            queries.push("…".to_owned());
        }
        let division = division(file, summary).map(|division| format!(", division {division}")).unwrap_or_default();
        let asserts = summary.asserts;
        writeln!(
            self.out,
            "{name}: ok, {} {logic}{division}, {asserts} assertion{}, {} quer{}: {}",
            dialect_name(summary.dialect),
            if asserts == 1 { "" } else { "s" },
            summary.statuses.len(),
            if summary.statuses.len() == 1 { "y" } else { "ies" },
            if queries.is_empty() { "-".to_owned() } else { queries.join(", ") }
        )
    }

    fn finish(mut self) -> anyhow::Result<ExitCode> {
        self.out.flush()?;
        if let Some(progress) = &self.progress {
            progress.finish();
        }
        let all = self.right + self.wrong + self.unread;
        if all > 1 {
            say!(
                "{all} files: {} well-formed, {} with errors, {} could not be read",
                self.right,
                self.wrong,
                self.unread
            );
        }
        Ok(match (self.unread, self.wrong) {
            (0, 0) => ExitCode::SUCCESS,
            (0, _) => ExitCode::from(NO),
            _ => ExitCode::from(ENVIRONMENT),
        })
    }
}

/// The SL-COMP division of a file: the one that its directory is named after, if the file fits it; otherwise the first
/// that it fits.
fn division(file: &Path, summary: &Summary) -> Option<&'static str> {
    let directory = file.parent().and_then(Path::file_name);
    let divisions = &summary.divisions;
    divisions
        .iter()
        .find(|division| directory.is_some_and(|directory| directory == **division))
        .or(divisions.first())
        .copied()
}

pub fn dialect_name(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Auto | Dialect::V2 => "v2",
        Dialect::V1 => "v1",
        Dialect::Sl => "sl",
    }
}

fn as_json(file: &Path, summary: &Summary) -> Value {
    let errors: Vec<_> = summary
        .errors
        .iter()
        .map(|error| {
            json!({
                "line": error.line,
                "col": error.column,
                "code": error.code.name(),
                "message": error.message,
                "help": error.help,
            })
        })
        .collect();
    let statuses = summary.statuses.iter().map(|status| status.as_deref().unwrap_or("unknown"));
    json!({
        "file": file.display().to_string(),
        "ok": summary.is_right(),
        "dialect": dialect_name(summary.dialect),
        "logic": summary.logic,
        "smallest_logic": summary.smallest_logic,
        "division": division(file, summary),
        "divisions": summary.divisions,
        "status": statuses.collect::<Vec<_>>(),
        "check_sats": summary.statuses.len(),
        "asserts": summary.asserts,
        "errors": errors,
        "more_errors": summary.more_errors,
    })
}
