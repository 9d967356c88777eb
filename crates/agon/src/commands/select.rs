//! `agon select`

use super::seed;
use crate::cli::{Format, SelectOptions};
use crate::failure::Usage;
use crate::print::{numbers, print_rows, table};
use agon_domain::Benchmark;
use agon_select::{Selection, select};
use agon_store::{Competition, write_whole};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub fn run(folder: &Path, options: &SelectOptions) -> anyhow::Result<ExitCode> {
    let competition = Competition::open(folder)?;
    let selection = choose(&competition, options.seed, &options.new_families)?;
    if options.format != Format::Text {
        let rows = selection.choices.iter().map(|choice| {
            json!({"benchmark": choice.path, "logic": choice.logic, "selected": choice.reason.is_in(),
                   "reason": choice.reason.to_string()})
        });
        print_rows(rows.collect(), &[], options.format)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut counts: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    for choice in &selection.choices {
        let [all, chosen] = counts.entry(&choice.logic.0).or_default();
        *all += 1;
        *chosen += usize::from(choice.reason.is_in());
    }
    let mut table = table(["logic", "benchmarks", "selected"]);
    for (logic, [all, chosen]) in &counts {
        table.add_row([logic.to_string(), all.to_string(), chosen.to_string()]);
    }
    numbers(&mut table, [1, 2]);
    writeln!(std::io::stdout(), "{table}")?;
    say!("every benchmark with its reason: {}", competition.selection_file().display());
    Ok(ExitCode::SUCCESS)
}

/// Selects by the competition's rules and seed, and writes the selection down.
pub fn choose(competition: &Competition, seed: Option<u32>, new_families: &[String]) -> anyhow::Result<Selection> {
    let seed = match seed {
        Some(seed) => seed,
        None => seed::of(competition)?.ok_or_else(|| {
            anyhow::anyhow!(
                "{} has no seed yet; compute it with 'agon seed --index VALUE'",
                competition.folder().display()
            )
        })?,
    };
    let library = competition.library()?;
    if library.is_empty() {
        anyhow::bail!("{} has no benchmarks yet; add some with 'agon library add DIR'", competition.folder().display());
    }
    let benchmarks: Vec<Benchmark> = library.iter().map(|entry| entry.benchmark.clone()).collect();
    let families: BTreeSet<&str> = benchmarks.iter().map(|benchmark| benchmark.path.family()).collect();
    if let Some(unknown) = new_families.iter().find(|family| !families.contains(family.as_str())) {
        let example = families.first().copied().unwrap_or_default();
        return Err(Usage(format!("no family '{unknown}' is in the library; name its folder, as in {example}")).into());
    }
    let new_families: BTreeSet<String> = new_families.iter().cloned().collect();
    let selection = select(&competition.rulebook().selection, &benchmarks, &new_families, seed);
    write_whole(&competition.selection_file(), &selection.to_table())?;
    Ok(selection)
}
