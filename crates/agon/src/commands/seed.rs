//! `agon seed` and `agon random`

use crate::cli::{Format, RandomOptions, SeedOptions};
use crate::failure::Usage;
use crate::print::print_json;
use agon_rulebook::SeedRules;
use agon_select::{CRandom, Contribution, SeedLedger};
use agon_store::{Competition, write_whole};
use serde_json::json;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub fn run(folder: &Path, options: &SeedOptions) -> anyhow::Result<ExitCode> {
    if !(0.0..2_147_483_648.0).contains(&options.index) {
        return Err(
            Usage(format!("--index has to be a stock index's value, from 0 to 2^31, not {}", options.index)).into()
        );
    }
    let ledger = match &options.numbers {
        Some(file) => {
            let text = fs::read_to_string(file).map_err(|error| Usage(format!("{}: {error}", file.display())))?;
            let contributions = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
            let contributions = contributions.map(|(at, line)| {
                contribution(line).ok_or_else(|| {
                    Usage(format!(
                        "{}: line {}: expected a name, a tab, a number below 2^32, and nothing more or the word organizer",
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
    let text = fs::read_to_string(&file).map_err(|error| error.to_string());
    let ledger = text
        .and_then(|text| SeedLedger::from_toml(&text))
        .map_err(|error| anyhow::anyhow!("{}: {error}; run 'agon seed' again", file.display()))?;
    Ok(Some(ledger.seed()))
}

fn contribution(line: &str) -> Option<Contribution> {
    let mut columns = line.split('\t').map(str::trim);
    let entrant = columns.next()?.to_owned();
    let magic = columns.next()?.parse().ok()?;
    let counts = match columns.next() {
        None | Some("") => true,
        Some("organizer") => false,
        Some(_) => return None,
    };
    Some(Contribution { entrant, magic: Some(magic), counts })
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
