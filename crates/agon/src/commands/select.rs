//! `agon select`

use crate::cli::{Format, SelectOptions};
use crate::failure::{NO, Usage};
use crate::opened::open_competition;
use crate::print::{numbers, print_rows, table};
use agon_competition::{ListOptions, Selected, counted, select, select_from_files, selection_rules};
use agon_domain::Track;
use agon_rulebook::Rulebook;
use agon_select::{Reason, Selection};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub fn run(directory: &Path, options: &SelectOptions) -> anyhow::Result<ExitCode> {
    let mut is_whole = true;
    if let (Some(rules), Some(benchmarks)) = (&options.rules, &options.benchmarks) {
        let name = rules;
        let track = options.track.one(&Rulebook::named(name).map_err(|error| Usage(error.to_string()))?)?;
        let rulebook = rulebook(name, track, options)?;
        let list = ListOptions { facts: options.facts.clone(), status: options.status };
        let rules = selection_rules(&rulebook, track)?;
        let selected = select_from_files(rulebook.family, rules, track, benchmarks, &list, &options.to_select())?;
        is_whole &= tell(&selected);
        print(&selected.selection, options)?;
    } else {
        let competition = open_competition(directory)?;
        if !options.changes.is_empty() {
            return Err(Usage("the rules of a competition are changed under [rules] in its agon.toml".into()).into());
        }
        for track in options.track.of(&competition)? {
            let selected = select(&competition, track, &options.to_select())?;
            let chosen = counted(selected.selection.chosen().count() as u64, "benchmark", "benchmarks");
            say!(
                "{track}: {chosen} selected; every benchmark with its reason: {}",
                competition.selection_file(track).display()
            );
            for (logic, reason, count) in selected.without_any() {
                say!("{track}: nothing selected from {logic}: {reason} ({count} of its benchmarks)");
            }
            is_whole &= tell(&selected);
            print(&selected.selection, options)?;
        }
    }
    Ok(ExitCode::from(if is_whole { 0 } else { NO }))
}

/// Prints the lines that were left out. Returns whether there were none.
fn tell(selected: &Selected) -> bool {
    for line in &selected.left_out {
        say!("left out: {line}");
    }
    selected.left_out.is_empty()
}

/// The rulebook with the changes of `--set`.
fn rulebook(name: &str, track: Track, options: &SelectOptions) -> anyhow::Result<Rulebook> {
    let mut changes = String::new();
    for change in &options.changes {
        let (field, value) = change.split_once('=').ok_or_else(|| Usage(format!("'{change}' is not FIELD=VALUE")))?;
        changes += &format!("selection.{track}.{} = {}\n", field.trim(), value.trim());
    }
    let changes = toml::from_str(&changes).map_err(|error| Usage(format!("--set: {}", error.message())))?;
    Ok(Rulebook::with_changes(name, &changes).map_err(|error| Usage(error.to_string()))?)
}

fn print(selection: &Selection, options: &SelectOptions) -> anyhow::Result<()> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    if options.list {
        print_list(selection, &mut out)?;
        return Ok(out.flush()?);
    }
    match options.format {
        Format::Text if options.rules.is_some() => out.write_all(&selection.to_table())?,
        Format::Text => {
            let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
            // Benchmarks of the other part of the library were never candidates.
            for choice in selection.choices.iter().filter(|choice| choice.reason != Reason::WrongPart) {
                let [all, chosen] = counts.entry(&choice.logic).or_default();
                *all += 1;
                *chosen += usize::from(choice.reason.is_in());
            }
            let mut table = table(["logic", "benchmarks", "selected"]);
            for (logic, [all, chosen]) in &counts {
                table.add_row([logic.to_string(), all.to_string(), chosen.to_string()]);
            }
            numbers(&mut table, [1, 2]);
            writeln!(out, "{table}")?;
        }
        Format::Json | Format::Csv => {
            drop(out);
            let rows = selection.choices.iter().map(|choice| {
                json!({"benchmark": choice.path, "logic": choice.logic, "selected": choice.reason.is_in(),
                       "reason": choice.reason.to_string(), "heat": choice.heat})
            });
            return print_rows(rows.collect(), &[], options.format);
        }
    }
    Ok(out.flush()?)
}

/// The selected benchmarks in the format of published lists: since 2019 by logic and path below the part of the
/// library, before that by number in the order in which they were drawn.
fn print_list(selection: &Selection, out: &mut impl Write) -> std::io::Result<()> {
    let choices = &selection.choices;
    if selection.order.iter().all(|at| choices[*at].id.is_some()) {
        return selection.order.iter().try_for_each(|at| writeln!(out, "{}", choices[*at].id.as_deref().unwrap_or("")));
    }
    let part = if selection.track.is_incremental() { "incremental" } else { "non-incremental" };
    let mut chosen: Vec<(&str, &str)> =
        selection.chosen().map(|choice| (choice.logic.as_str(), choice.path.0.as_str())).collect();
    chosen.sort_unstable();
    chosen.iter().try_for_each(|(_, path)| {
        let has_part = path.starts_with("incremental/") || path.starts_with("non-incremental/");
        if has_part { writeln!(out, "/{path}") } else { writeln!(out, "/{part}/{path}") }
    })
}
