//! `agon library difficulty`

use super::filter::filtered;
use crate::cli::{DifficultyOptions, Formula};
use crate::failure::{NO, Usage};
use crate::machine::machine;
use crate::opened::open_competition;
use crate::print::print_rows;
use crate::progress::observer;
use agon_competition::{Panel, past_runs};
use agon_domain::BenchmarkPath;
use agon_library::{
    PastRun, Record, TRIVIAL_2014_S, UNSOLVED_2014_S, difficulty_2008, difficulty_2010, read_table_2014, records,
    update_table_2014, write_table_2014,
};
use anyhow::Context;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub fn run(directory: &Path, options: &DifficultyOptions) -> anyhow::Result<ExitCode> {
    if options.results.is_empty() && options.trial.is_empty() && options.table.is_none() {
        return Err(Usage("pass a source of times: tables of results, --trial SOLVER, or --table FILE".into()).into());
    }
    let formula = match (options.formula, &options.table) {
        (None | Some(Formula::Y2014), Some(_)) => Formula::Y2014,
        (Some(_), Some(_)) => return Err(Usage("--table takes a table of 2014; leave --formula out".into()).into()),
        (formula, None) => formula.unwrap_or(Formula::Y2008),
    };
    let mut broken = 0;
    let mut runs = vec![];
    for file in &options.results {
        let (more, errors) = past_runs(file)?;
        runs.extend(more);
        for error in &errors {
            say!("left out: {error}");
        }
        broken += errors.len();
    }
    if !options.trial.is_empty() {
        runs.extend(trial(directory, options)?);
    }
    let limit = options.limit.or(match formula {
        Formula::Y2008 => Some(600.0),
        Formula::Y2010 => Some(1800.0),
        Formula::Y2014 => None,
    });
    let except: HashSet<String> = options.except.iter().cloned().collect();
    let mut records = records(&runs, limit, &except);
    if !options.trial.is_empty() {
        // In a 2014 table, 1500 means unsolved within 25 minutes, which a shorter trial cannot show.
        records.retain(|_, record| record.solved > 0 || options.wall >= UNSOLVED_2014_S);
    }
    if let Some(file) = &options.table {
        broken += update(file, &records)?;
    } else {
        let rows = records.iter().map(|(path, record)| row(formula, path, record)).collect();
        print_rows(
            rows,
            &["benchmark", "difficulty", "solved", "total", "fastest_s", "all_within_1_s"],
            options.over.format,
        )?;
    }
    Ok(ExitCode::from(if broken > 0 { NO } else { 0 }))
}

fn row(formula: Formula, path: &BenchmarkPath, record: &Record) -> Value {
    let minutes: Vec<Option<f64>> = record.times.iter().map(|time| time.map(|seconds| seconds / 60.0)).collect();
    let difficulty = match formula {
        Formula::Y2008 => json!(difficulty_2008(record.solved, record.total)),
        Formula::Y2010 => json!(difficulty_2010(&minutes)),
        Formula::Y2014 if record.is_solved_by_all_within(TRIVIAL_2014_S) => json!("trivial"),
        Formula::Y2014 => json!(record.fastest_s().unwrap_or(UNSOLVED_2014_S)),
    };
    json!({"benchmark": path, "difficulty": difficulty, "solved": record.solved, "total": record.total,
           "fastest_s": record.fastest_s(), "all_within_1_s": record.is_solved_by_all_within(1.0)})
}

/// Prints an updated 2014 table. Returns how many of its rows are malformed.
fn update(file: &Path, records: &BTreeMap<BenchmarkPath, Record>) -> anyhow::Result<usize> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let (mut rows, errors) = read_table_2014(&text);
    for error in &errors {
        say!("left out: {}: {error}", file.display());
    }
    for row in rows.iter().filter(|row| !row.is_consistent()) {
        say!("{}: the status is {} and {} was expected (D14-11)", row.path, row.status, row.expected);
    }
    let changed = update_table_2014(&mut rows, records);
    std::io::stdout().write_all(write_table_2014(&rows).as_bytes())?;
    say!("{changed} of {} difficulties have changed", rows.len());
    Ok(errors.len())
}

/// Tries solvers on the library's benchmarks (D14-5).
fn trial(directory: &Path, options: &DifficultyOptions) -> anyhow::Result<Vec<PastRun>> {
    let competition = open_competition(directory)?;
    let library = competition.library()?;
    let entries = filtered(&library, competition.rulebook().family, &options.over.filter)?;
    let panel = Panel::open(&options.trial)?;
    let replies = panel.ask_all(machine()?, &entries, options.wall, options.over.slots, &mut observer())?;
    let runs = entries.iter().zip(replies).flat_map(|(entry, replies)| {
        let path = &entry.benchmark.path;
        let benchmark = BenchmarkPath::from_logic(&path.0).unwrap_or_else(|| path.clone());
        let status = entry.benchmark.status();
        replies.into_iter().map(move |reply| PastRun {
            benchmark: benchmark.clone(),
            solver: reply.solver,
            answer: reply.answer.unwrap_or_default(),
            status,
            cpu_s: reply.cpu_s,
        })
    });
    Ok(runs.collect())
}
