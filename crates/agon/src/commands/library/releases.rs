//! `agon library freeze`, `changes`, `remove` and `nominate`

use crate::cli::Format;
use crate::failure::Usage;
use crate::print::print_rows;
use agon_competition::counted;
use agon_store::Competition;
use serde_json::json;
use std::process::ExitCode;

pub fn freeze(competition: &Competition, name: &str) -> anyhow::Result<ExitCode> {
    let _lock = competition.lock_library()?;
    let is_plain = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
    if !is_plain || name.starts_with('.') {
        return Err(Usage(format!("'{name}' cannot name a release; use letters, digits, - _ and .")).into());
    }
    let library = competition.library()?;
    if library.is_empty() {
        anyhow::bail!(
            "{} has no benchmarks yet; add some with 'agon library add DIR'",
            competition.directory().display()
        );
    }
    if !competition.freeze_library(name)? {
        return Err(Usage(format!("the release '{name}' already exists; choose another name")).into());
    }
    say!(
        "{} benchmarks are frozen as '{name}': from now on they can be corrected, but none can be added",
        library.len()
    );
    Ok(ExitCode::SUCCESS)
}

pub fn remove(competition: &Competition, path: &str, reason: &str) -> anyhow::Result<ExitCode> {
    let removed = agon_competition::remove(competition, path, reason)?;
    match removed.as_slice() {
        [one] => say!("{one} is no longer in the library; the file itself is left alone"),
        many => say!("{} benchmarks are no longer in the library; the files themselves are left alone", many.len()),
    }
    say!("'agon library add' leaves them out from now on, unless you pass --restore");
    Ok(ExitCode::SUCCESS)
}

pub fn changes(competition: &Competition, since: Option<&str>, format: Format) -> anyhow::Result<ExitCode> {
    let rows = competition.library_changes()?;
    let start = match since {
        None => 0,
        Some(release) => {
            let place = rows.iter().position(|row| row.is_release() && row.benchmark == release);
            place.ok_or_else(|| Usage(format!("no release is called '{release}'")))? + 1
        }
    };
    let rows = rows[start..].iter().map(|row| {
        json!({"when": row.when, "change": row.change, "benchmark": row.benchmark, "detail": row.detail,
               "reason": row.reason})
    });
    print_rows(rows.collect(), &["when", "change", "benchmark", "detail", "reason"], format)?;
    Ok(ExitCode::SUCCESS)
}

pub fn nominate(competition: &Competition, path: &str, by: &str, reason: &str) -> anyhow::Result<ExitCode> {
    let added = agon_competition::nominate(competition, path, by, reason)?;
    say!("{} nominated for the challenge", counted(added as u64, "benchmark is", "benchmarks are"));
    Ok(ExitCode::SUCCESS)
}

pub fn nominations(competition: &Competition, format: Format) -> anyhow::Result<ExitCode> {
    let rows = competition.nominations()?.into_iter();
    let rows = rows.map(|one| json!({"benchmark": one.benchmark, "by": one.by, "reason": one.reason}));
    print_rows(rows.collect(), &["benchmark", "by", "reason"], format)?;
    Ok(ExitCode::SUCCESS)
}
