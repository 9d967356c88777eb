//! `agon library list`, `show` and `duplicates`

use super::filter::filtered;
use crate::cli::{Filter, Format};
use crate::failure::Usage;
use crate::print::{plain, print_json, print_rows};
use agon_domain::{Benchmark, BenchmarkPath};
use agon_library::{Header, Library, read_pinned};
use agon_rulebook::FamilyRule;
use agon_store::Competition;
use serde_json::{Value, json};
use std::io::Write;
use std::process::ExitCode;

pub fn list(competition: &Competition, filter: &Filter, format: Format) -> anyhow::Result<ExitCode> {
    let library = competition.library()?;
    let families = competition.rulebook().family;
    let rows = filtered(&library, families, filter)?.into_iter().map(|entry| facts(&entry.benchmark, families));
    let rows = rows.collect();
    print_rows(rows, &["path", "logic", "status", "category", "asserts", "check_sats", "bytes"], format)?;
    Ok(ExitCode::SUCCESS)
}

/// The index's facts about a benchmark.
pub fn facts(benchmark: &Benchmark, families: FamilyRule) -> Value {
    json!({
        "path": benchmark.path.0,
        "part": benchmark.path.part(),
        "logic": benchmark.logic.0,
        "family": families.of(&benchmark.path.0),
        "status": Library::statuses_text(&benchmark.statuses),
        "category": benchmark.category.map(agon_domain::Category::name),
        "difficulty": benchmark.difficulty,
        "asserts": benchmark.asserts,
        "check_sats": benchmark.statuses.len(),
        "bytes": benchmark.bytes,
        "license": benchmark.license,
        "source": benchmark.source,
        "sha256": benchmark.digest.to_string(),
    })
}

pub fn show(competition: &Competition, path: &str, format: Format) -> anyhow::Result<ExitCode> {
    let library = competition.library()?;
    let unknown = || Usage(format!("unknown benchmark '{path}'; 'agon library list' lists the benchmarks"));
    let entry = library.get(&BenchmarkPath(path.to_owned())).ok_or_else(unknown)?;
    let script = read_pinned(&entry.file(), entry.benchmark.digest)?;
    let header = Header::read(&script)?;
    let mut facts = facts(&entry.benchmark, competition.rulebook().family);
    facts["file"] = json!(entry.file());
    facts["source"] = json!(header.source.as_deref().map(str::trim));
    if format == Format::Json {
        print_json(&facts)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = std::io::stdout().lock();
    for (key, value) in facts.as_object().into_iter().flatten() {
        writeln!(out, "{key}: {}", plain(value).replace('\n', "\n    "))?;
    }
    Ok(ExitCode::SUCCESS)
}

pub fn duplicates(competition: &Competition, format: Format) -> anyhow::Result<ExitCode> {
    let library = competition.library()?;
    let duplicates = library.duplicates();
    let mut rows = vec![];
    for (groups, how) in [(&duplicates.exact, "exact"), (&duplicates.formatting, "formatting")] {
        for group in groups {
            let first = group[0];
            rows.extend(group[1..].iter().map(|path| json!({"equal": how, "benchmark": path, "to": first})));
        }
    }
    print_rows(rows, &["equal", "benchmark", "to"], format)?;
    Ok(ExitCode::SUCCESS)
}
