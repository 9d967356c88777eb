//! `agon seed` and `agon random`

use super::library::print_json;
use crate::cli::{Format, RandomOptions, SeedOptions};
use crate::failure::Usage;
use agon_rulebook::SeedRules;
use agon_select::{CRandom, Contribution, SeedLedger};
use agon_store::{Competition, write_whole};
use serde_json::json;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub fn run(folder: &Path, options: &SeedOptions) -> anyhow::Result<ExitCode> {
    let ledger = match &options.numbers {
        Some(file) => {
            let text = fs::read_to_string(file).map_err(|error| Usage(format!("{}: {error}", file.display())))?;
            let contributions = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
            let contributions = contributions.map(|(at, line)| {
                contribution(line).ok_or_else(|| {
                    Usage(format!(
                        "{}: line {}: expected a name, a tab and a number below 2^32",
                        file.display(),
                        at + 1
                    ))
                })
            });
            // Every edition that named a modulus named this one (R08-4.21).
            SeedLedger {
                contributions: contributions.collect::<Result<_, _>>()?,
                modulus: 1 << 30,
                index: options.index,
            }
        }
        None => compute(&Competition::open(folder)?, options.index)?,
    };
    match options.format {
        Format::Json => print_json(&json!({
            "seed": ledger.seed(), "sum": ledger.sum(), "modulus": ledger.modulus, "index": ledger.index,
            "contributions": ledger.contributions,
        }))?,
        Format::Text | Format::Csv => write!(std::io::stdout(), "{ledger}")?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Computes a competition's seed from its entrants and writes its ledger.
pub fn compute(competition: &Competition, index: f64) -> anyhow::Result<SeedLedger> {
    let rules: &SeedRules = &competition.rulebook().seed;
    let ledger = SeedLedger::of_entrants(rules, &competition.entrants()?, index);
    write_whole(&competition.seed_file(), ledger.to_toml().as_bytes())?;
    Ok(ledger)
}

/// The competition's seed, if it has been computed.
pub fn of(competition: &Competition) -> anyhow::Result<Option<u32>> {
    let file = competition.seed_file();
    if !file.exists() {
        return Ok(None);
    }
    let ledger = SeedLedger::from_toml(&fs::read_to_string(&file)?);
    let ledger = ledger.map_err(|error| anyhow::anyhow!("{}: {error}; run 'agon seed' again", file.display()))?;
    Ok(Some(ledger.seed()))
}

fn contribution(line: &str) -> Option<Contribution> {
    let mut columns = line.split('\t').map(str::trim);
    let entrant = columns.next()?.to_owned();
    let magic = columns.next()?.parse().ok()?;
    Some(Contribution { entrant, magic: Some(magic), counts: columns.next() != Some("organizer") })
}

pub fn random(options: &RandomOptions) -> anyhow::Result<ExitCode> {
    let mut random = CRandom::new(options.seed);
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    for _ in 0..options.count {
        writeln!(out, "{}", random.next_number())?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
