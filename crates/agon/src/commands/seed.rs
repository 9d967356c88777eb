//! `agon seed` and `agon random`

use crate::cli::{Format, RandomOptions, SeedOptions};
use crate::failure::Usage;
use crate::opened::open_competition;
use crate::print::{print_json, print_rows};
use agon_competition::draw_seed;
use agon_domain::EntrantKind;
use agon_rulebook::{GeneratorName, IndexTerm, Rulebook};
use agon_select::{CRandom, Contribution, IndexValue, PythonRandom, SeedLedger};
use anyhow::Context;
use serde_json::json;
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub fn run(directory: &Path, options: &SeedOptions) -> anyhow::Result<ExitCode> {
    let index = options.index.as_deref().map(str::parse::<IndexValue>).transpose();
    let index = index.map_err(|error| Usage(format!("--index: {error}")))?;
    let ledger = match &options.numbers {
        Some(file) => {
            let rules = Rulebook::named(&options.rules).map_err(|error| Usage(error.to_string()))?.seed;
            let rules = if options.as_published { rules.as_published() } else { rules };
            if index.is_none() && rules.index != IndexTerm::None {
                return Err(
                    Usage("the rules of this edition use a stock index; give it with --index VALUE".into()).into()
                );
            }
            SeedLedger::new(&rules, contributions(file)?, index.unwrap_or_default())
        }
        None => {
            let competition = open_competition(directory)?;
            let is_dated = index.is_none() || options.index_date.is_some();
            let drawn = agon_competition::SeedOptions {
                index,
                index_date: options.index_date.clone(),
                index_source: options.index_source.clone(),
                as_published: options.as_published,
                replace: options.replace,
            };
            let ledger = draw_seed(&competition, &drawn)?;
            // An edition with dates is public, so others must be able to check the value.
            if !is_dated && !competition.calendar().is_empty() {
                say!("the ledger does not say which day the index value is from; pass --index-date and --index-source");
            }
            ledger
        }
    };
    match options.format {
        Format::Json => print_json(&json!({
            "seed": ledger.seed(), "sum": ledger.sum().to_string(), "modulus": ledger.modulus,
            "index": ledger.index, "quote": ledger.quote, "counts": ledger.counts, "term": ledger.term,
            "contributions": ledger.contributions,
        }))?,
        Format::Csv => {
            let entrants = ledger.contributions.iter().map(|contribution| {
                let number = contribution.magic.map_or(String::new(), |magic| magic.to_string());
                json!({"entrant": contribution.entrant, "number": number, "kind": contribution.kind})
            });
            let seed = json!({"entrant": "", "number": ledger.seed().to_string(), "kind": "seed"});
            print_rows(entrants.chain([seed]).collect(), &[], Format::Csv)?;
        }
        Format::Text => write!(std::io::stdout(), "{ledger}")?,
    }
    Ok(ExitCode::SUCCESS)
}

/// The magic numbers of a file: name, number and kind, separated by tabs.
fn contributions(file: &Path) -> anyhow::Result<Vec<Contribution>> {
    let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let read = lines.map(|(at, line)| {
        contribution(line).ok_or_else(|| {
            let expected = "expected a name, a tab and a whole number, optionally followed by a tab and the entrant's \
                            kind: competing, non-competing, organizer or competing-organizer";
            anyhow::Error::from(Usage(format!("{}: line {}: {expected}", file.display(), at + 1)))
        })
    });
    read.collect()
}

fn contribution(line: &str) -> Option<Contribution> {
    let mut columns = line.split('\t').map(str::trim);
    let (entrant, magic) = (columns.next()?.to_owned(), columns.next()?.parse().ok()?);
    let kind = match columns.next() {
        None | Some("") => EntrantKind::Competing,
        Some(word) => word.parse().ok()?,
    };
    columns.next().is_none().then_some(Contribution { entrant, magic: Some(magic), kind })
}

pub fn random(options: &RandomOptions) -> anyhow::Result<ExitCode> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut numbers: Box<dyn FnMut() -> u32> = match options.generator {
        GeneratorName::CRandom => {
            let mut random = CRandom::new(options.seed);
            Box::new(move || random.next_number())
        }
        GeneratorName::Python => {
            let mut random = PythonRandom::new(options.seed);
            Box::new(move || random.next_number())
        }
    };
    for _ in 0..options.count {
        writeln!(out, "{}", numbers())?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}
