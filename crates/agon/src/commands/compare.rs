//! `agon compare`

use super::import::{any_rules, read};
use crate::cli::{CompareOptions, Format, ReadingOptions};
use crate::failure::{NO, Usage};
use crate::print::print_rows;
use agon_import::Imported;
use agon_score::{Run, TrackResults};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;

pub fn run(options: &CompareOptions) -> anyhow::Result<ExitCode> {
    let load = |file: &PathBuf| read(std::slice::from_ref(file), ReadingOptions::default());
    let (Some(before), Some(after)) = (load(&options.before)?, load(&options.after)?) else {
        return Ok(ExitCode::from(NO));
    };
    let track = before.track();
    let rules = any_rules(track)?;
    let results =
        |imported: &Imported| imported.results(&rules, track, [].into()).map_err(|misfit| Usage(misfit.to_string()));
    let (before, after) = (results(&before)?, results(&after)?);
    let mut rows = vec![];
    let mut common = 0;
    for (from, to) in matched(&before, &after, options)? {
        common += compare(&before, from, &after, to, options, &mut rows);
    }
    let (old, new) = (before.runs.len(), after.runs.len());
    if common < old.max(new) {
        say!("{common} pairs are in both files, of {old} and {new}; the others are not compared");
    }
    if common == 0 {
        return Ok(ExitCode::from(NO));
    }
    let count = |what: &str| rows.iter().filter(|row| row["change"] == what).count();
    let bad = count("lost") + count("wrong") + count("disagreement");
    let summary = ["gained", "lost", "wrong", "mended", "disagreement", "faster", "slower"]
        .map(|what| format!("{} {what}", count(what)))
        .join(", ");
    print_rows(rows, &["change", "solver", "benchmark", "before", "after", "before_s", "after_s"], options.format)?;
    if options.format == Format::Text {
        say!("{summary}");
    }
    Ok(ExitCode::from(if bad > 0 { NO } else { 0 }))
}

/// The solvers that are compared, as places in the two lists.
fn matched(
    before: &TrackResults<'_>,
    after: &TrackResults<'_>,
    options: &CompareOptions,
) -> anyhow::Result<Vec<(usize, usize)>> {
    let find = |results: &TrackResults<'_>, name: &str| {
        let found = results.solvers.iter().position(|solver| solver.name == name);
        let names: Vec<&str> = results.solvers.iter().map(|solver| solver.name.as_str()).collect();
        found.ok_or_else(|| Usage(format!("no solver is called '{name}'; there are {}", names.join(", "))))
    };
    if let (Some(from), Some(to)) = (&options.from, &options.to) {
        return Ok(vec![(find(before, from)?, find(after, to)?)]);
    }
    if before.solvers.len() == 1 && after.solvers.len() == 1 {
        return Ok(vec![(0, 0)]);
    }
    let same = (0..before.solvers.len()).filter_map(|from| {
        let to = after.solvers.iter().position(|solver| solver.name == before.solvers[from].name)?;
        Some((from, to))
    });
    let same: Vec<(usize, usize)> = same.collect();
    if same.is_empty() {
        return Err(Usage("no solver is in both; say which: --from SOLVER --to SOLVER".into()).into());
    }
    Ok(same)
}

/// Compares one solver with another; gives how many benchmarks both were run on.
fn compare(
    before: &TrackResults<'_>,
    from: usize,
    after: &TrackResults<'_>,
    to: usize,
    options: &CompareOptions,
    rows: &mut Vec<Value>,
) -> usize {
    fn runs<'a>(results: &'a TrackResults<'_>, solver: usize) -> BTreeMap<&'a str, &'a Run> {
        let own = results.runs.iter().filter(|run| run.solver as usize == solver);
        own.map(|run| (&*results.benchmarks[run.benchmark as usize].name, run)).collect()
    }
    let theirs = runs(after, to);
    let mut common = 0;
    for (benchmark, old) in runs(before, from) {
        let Some(new) = theirs.get(benchmark) else { continue };
        common += 1;
        let (one, other) = (old.wall.as_secs_f64(), new.wall.as_secs_f64());
        let differs = (one - other).abs() >= options.seconds && one.max(other) >= one.min(other) * options.factor;
        let change = match () {
            () if new.errors > old.errors => "wrong",
            () if new.errors < old.errors => "mended",
            () if old.answer.contradicts(new.answer) => "disagreement",
            // An answer, or more queries, or a smaller core.
            () if new.points > old.points => "gained",
            () if new.points < old.points => "lost",
            () if new.points > 0 && differs => {
                if other < one {
                    "faster"
                } else {
                    "slower"
                }
            }
            () => continue,
        };
        rows.push(json!({
            "change": change,
            "solver": after.solvers[to].name,
            "benchmark": benchmark,
            "before": old.answer.name(),
            "after": new.answer.name(),
            "before_s": old.wall,
            "after_s": new.wall,
        }));
    }
    common
}
