//! `agon library`

use crate::cli::{Format, LibraryCommand};
use crate::failure::Usage;
use crate::print::{plain, print_json, print_rows};
use crate::progress::Progress;
use agon_domain::{Benchmark, BenchmarkPath};
use agon_library::pack::{self, Family, Member};
use agon_library::{Entry, Header, read_pinned};
use agon_store::Competition;
use anyhow::Context;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub fn run(folder: &Path, command: &LibraryCommand) -> anyhow::Result<ExitCode> {
    match command {
        LibraryCommand::Generate { folder, family, size } => {
            let written = generate(folder, family, size)?;
            say!("{written} benchmarks in {}", folder.display());
        }
        LibraryCommand::Families(options) => families(options.format)?,
        LibraryCommand::Add { folder: root } => return add(&Competition::open(folder)?, root),
        LibraryCommand::List { logic, status, family, format } => {
            let library = Competition::open(folder)?.library()?;
            let wanted = |benchmark: &Benchmark| {
                logic.as_ref().is_none_or(|logic| benchmark.logic.0 == *logic)
                    && status.is_none_or(|status| benchmark.status() == status)
                    && family.as_ref().is_none_or(|family| benchmark.path.family() == family)
            };
            let entries: Vec<&Entry> = library.iter().filter(|entry| wanted(&entry.benchmark)).collect();
            list(&entries, *format)?;
        }
        LibraryCommand::Show { path, format } => show(&Competition::open(folder)?, path, *format)?,
    }
    Ok(ExitCode::SUCCESS)
}

/// Writes the pack, or the part of it that is asked for; gives the number of files.
pub fn generate(folder: &Path, names: &[String], sizes: &[u32]) -> anyhow::Result<usize> {
    let known = |name: &String| pack::families().iter().any(|family| family.name == *name);
    if let Some(name) = names.iter().find(|name| !known(name)) {
        let all = pack::families().iter().map(|family| family.name).collect::<Vec<_>>().join(", ");
        return Err(Usage(format!("no family is called '{name}'; there are: {all}")).into());
    }
    let chosen =
        || pack::families().iter().filter(|family| names.is_empty() || names.iter().any(|name| name == family.name));
    for family in chosen() {
        if let Some(size) = sizes.iter().find(|size| !(2..=family.largest).contains(size)) {
            let message = format!("{} has sizes from 2 to {}, not {size}", family.name, family.largest);
            return Err(Usage(message).into());
        }
    }
    let members = chosen().flat_map(|family: &'static Family| -> Vec<Member> {
        if sizes.is_empty() {
            return family.standard().collect();
        }
        sizes.iter().flat_map(|&size| [true, false].map(|sat| Member { family, size, sat })).collect()
    });
    let files = pack::write(folder, members).with_context(|| format!("cannot write to {}", folder.display()))?;
    Ok(files.len())
}

fn families(format: Format) -> anyhow::Result<()> {
    let rows = pack::families().iter().map(|family| {
        json!({"family": family.name, "logic": family.logic, "largest": family.largest, "about": family.about,
               "sat_sizes": family.sat_sizes, "unsat_sizes": family.unsat_sizes})
    });
    print_rows(rows.collect(), &["family", "logic", "largest", "about"], format)
}

/// Indexes a folder and reports what was left out.
pub fn add(competition: &Competition, root: &Path) -> anyhow::Result<ExitCode> {
    let _lock = competition.lock_library()?;
    let mut library = competition.library()?;
    let root = root.canonicalize().map_err(|error| Usage(format!("{}: {error}", root.display())))?;
    let progress = RefCell::new(None);
    let refusals = library.add(&root, |_, all| {
        progress.borrow_mut().get_or_insert_with(|| Progress::new(all as u64)).step(String::new);
    })?;
    if let Some(progress) = progress.borrow().as_ref() {
        progress.finish();
    }
    competition.set_library(&library)?;
    for refusal in &refusals {
        say!("left out: {}: {}", refusal.file.display(), refusal.reason);
    }
    say!("{} benchmarks indexed, {} files left out", library.len(), refusals.len());
    Ok(ExitCode::from(u8::from(!refusals.is_empty())))
}

fn list(entries: &[&Entry], format: Format) -> anyhow::Result<()> {
    let rows = entries.iter().map(|entry| facts(&entry.benchmark)).collect();
    print_rows(rows, &["path", "logic", "status", "category", "asserts", "check_sats", "bytes"], format)
}

fn facts(benchmark: &Benchmark) -> Value {
    json!({
        "path": benchmark.path.0,
        "logic": benchmark.logic.0,
        "family": benchmark.path.family(),
        "status": benchmark.statuses.iter().map(|status| status.name()).collect::<Vec<_>>().join(","),
        "category": benchmark.category.map(|category| category.name()),
        "asserts": benchmark.asserts,
        "check_sats": benchmark.statuses.len(),
        "bytes": benchmark.bytes,
        "licence": benchmark.licence,
        "sha256": benchmark.digest.to_string(),
    })
}

fn show(competition: &Competition, path: &str, format: Format) -> anyhow::Result<()> {
    let library = competition.library()?;
    let unknown = || Usage(format!("no benchmark '{path}' is indexed; 'agon library list' names them"));
    let entry = library.get(&BenchmarkPath(path.to_owned())).ok_or_else(unknown)?;
    let script = read_pinned(&entry.file(), entry.benchmark.digest)?;
    let header = Header::read(&script)?;
    let mut facts = facts(&entry.benchmark);
    facts["file"] = json!(entry.file());
    facts["source"] = json!(header.source.as_deref().map(str::trim));
    if format == Format::Json {
        return print_json(&facts);
    }
    let mut out = std::io::stdout().lock();
    for (key, value) in facts.as_object().into_iter().flatten() {
        writeln!(out, "{key}: {}", plain(value).replace('\n', "\n    "))?;
    }
    Ok(())
}
