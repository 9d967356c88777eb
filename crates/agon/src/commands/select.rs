//! `agon select`

use super::{candidates, seed};
use crate::cli::{Format, SelectOptions};
use crate::failure::{NO, Usage};
use crate::print::{numbers, print_rows, table};
use agon_domain::Track;
use agon_rulebook::{Rulebook, SelectionRules};
use agon_select::{Input, Selection, select};
use agon_store::{Competition, write_whole};
use serde_json::json;
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub fn run(folder: &Path, options: &SelectOptions) -> anyhow::Result<ExitCode> {
    let (selection, broken) = match (&options.rules, &options.benchmarks) {
        (Some(rules), Some(benchmarks)) => {
            let rulebook = rulebook(rules, options)?;
            let rules = rules_of(&rulebook, options.track, options)?;
            let seed = options.seed.ok_or_else(|| Usage("--rules and --benchmarks need a --seed".into()))?;
            let (input, broken) = candidates::of_files(&rules, benchmarks, options)?;
            (selected(&rules, options.track, input, seed, options), broken)
        }
        _ => {
            let competition = Competition::open(folder)?.on(options.track);
            let (selection, broken) = choose(&competition, options)?;
            say!("every benchmark with its reason: {}", competition.selection_file().display());
            (selection, broken)
        }
    };
    print(&selection, options)?;
    Ok(ExitCode::from(if broken > 0 { NO } else { 0 }))
}

/// The rulebook with what `--set` changes.
fn rulebook(name: &str, options: &SelectOptions) -> anyhow::Result<Rulebook> {
    let mut changes = String::new();
    for change in &options.changes {
        let (field, value) = change.split_once('=').ok_or_else(|| Usage(format!("'{change}' is not FIELD=VALUE")))?;
        changes += &format!("selection.{}.{} = {}\n", options.track, field.trim(), value.trim());
    }
    let changes = toml::from_str(&changes).map_err(|error| Usage(format!("--set: {}", error.message())))?;
    Ok(Rulebook::with_changes(name, &changes).map_err(|error| Usage(error.to_string()))?)
}

fn rules_of(rulebook: &Rulebook, track: Track, options: &SelectOptions) -> anyhow::Result<SelectionRules> {
    let mut rules = rulebook.selection.get(&track).cloned().ok_or_else(|| {
        let tracks = rulebook.selection.keys().map(|track| track.name()).collect::<Vec<_>>().join(", ");
        Usage(format!("the rulebook '{}' selects nothing for the {track} track, but for: {tracks}", rulebook.name))
    })?;
    rules.generator = options.generator.unwrap_or(rules.generator);
    Ok(rules)
}

fn selected(rules: &SelectionRules, track: Track, input: Input, seed: u32, options: &SelectOptions) -> Selection {
    let mut selection = select(rules, track, input, seed);
    if let Some(size) = options.heats {
        selection.divide_into_heats(rules.generator, size);
    }
    selection
}

/// Selects by the competition's rules and seed, and writes the selection down. Gives also how many lines of files that
/// were named make no sense.
pub fn choose(competition: &Competition, options: &SelectOptions) -> anyhow::Result<(Selection, usize)> {
    let folder = competition.folder().display();
    let seed = match options.seed {
        Some(seed) => seed,
        None => seed::of(competition)?
            .ok_or_else(|| anyhow::anyhow!("{folder} has no seed yet; compute it with 'agon seed --index VALUE'"))?,
    };
    let track = competition.track();
    let library = competition.library()?;
    if library.is_empty() {
        anyhow::bail!("{folder} has no benchmarks yet; add some with 'agon library add DIR'");
    }
    if !options.changes.is_empty() {
        return Err(Usage("the rules of a competition are changed under [rules] in its agon.toml".into()).into());
    }
    let rules = rules_of(competition.rulebook(), track, options)?;
    let (input, broken) = candidates::of_library(competition.rulebook(), &rules, &library, options)?;
    let selection = selected(&rules, track, input, seed, options);
    write_whole(&competition.selection_file(), &selection.to_table())?;
    Ok((selection, broken))
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
            for choice in &selection.choices {
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

/// The selected ones as published lists have them: since 2019 by logic and path below the part of the library, before
/// that by number in the order in which they were drawn.
fn print_list(selection: &Selection, out: &mut impl Write) -> std::io::Result<()> {
    let choices = &selection.choices;
    if selection.order.iter().all(|at| choices[*at].id.is_some()) {
        return selection.order.iter().try_for_each(|at| writeln!(out, "{}", choices[*at].id.as_deref().unwrap_or("")));
    }
    let part = if selection.track == Track::Incremental { "incremental" } else { "non-incremental" };
    let mut chosen: Vec<(&str, &str)> =
        selection.chosen().map(|choice| (choice.logic.as_str(), choice.path.0.as_str())).collect();
    chosen.sort_unstable();
    chosen.iter().try_for_each(|(_, path)| {
        let has_part = path.starts_with("incremental/") || path.starts_with("non-incremental/");
        if has_part { writeln!(out, "/{path}") } else { writeln!(out, "/{part}/{path}") }
    })
}
