//! `agon compare`

use crate::cli::{CompareOptions, Format};
use crate::failure::{NO, Usage};
use crate::print::print_rows;
use crate::reading::read;
use agon_domain::{Answers, ClaimRules, Status, from_logic};
use agon_import::Imported;
use agon_score::{Run, SolverIx, TrackResults};
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::path::PathBuf;
use std::process::ExitCode;

pub fn run(options: &CompareOptions) -> anyhow::Result<ExitCode> {
    let load = |file: &PathBuf| {
        let files: Vec<PathBuf> = [file].into_iter().chain(&options.with).cloned().collect();
        read(&files, options.reading)
    };
    let (Some(before), Some(after)) = (load(&options.before)?, load(&options.after)?) else {
        return Ok(ExitCode::from(NO));
    };
    let track = options.track.unwrap_or_else(|| before.track());
    let results = |imported: Imported| {
        let results = imported.into_results(track).map_err(|misfit| Usage(misfit.to_string()))?;
        Ok::<TrackResults, Usage>(results.0)
    };
    let (mut before, mut after) = (results(before)?, results(after)?);
    share_statuses(&mut before, &mut after)?;
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
    let summary = ["gained", "lost", "wrong", "fixed", "disagreement", "faster", "slower"]
        .map(|what| format!("{} {what}", count(what)))
        .join(", ");
    print_rows(rows, &["change", "solver", "benchmark", "before", "after", "before_s", "after_s"], options.format)?;
    if options.format == Format::Text {
        say!("{summary}");
    }
    Ok(ExitCode::from(if bad > 0 { NO } else { 0 }))
}

/// Copies known statuses from either side to the other, so that each benchmark has one status. Returns an error if two
/// known statuses differ.
fn share_statuses(before: &mut TrackResults, after: &mut TrackResults) -> Result<(), Usage> {
    let known: HashMap<Box<str>, usize> =
        after.benchmarks.iter().enumerate().map(|(at, facts)| (from_logic(&facts.name).into(), at)).collect();
    for own in &mut before.benchmarks {
        let Some(other) = known.get(from_logic(&own.name)).map(|at| &mut after.benchmarks[*at]) else { continue };
        if own.status.conflicts_with(other.status) {
            let (name, one, two) = (&own.name, own.status, other.status);
            return Err(Usage(format!(
                "{name} is expected to be {one} before and {two} after; correct one of the files"
            )));
        }
        let status = if own.status == Status::Unknown { other.status } else { own.status };
        (own.status, other.status) = (status, status);
    }
    Ok(())
}

/// The solver of all runs, if there is one. A table may also list solvers without runs.
fn only_solver(results: &TrackResults) -> Option<SolverIx> {
    let first = results.runs.first()?.solver;
    results.runs.iter().all(|run| run.solver == first).then_some(first)
}

/// The solvers to compare: those named by `--from` and `--to`, the only solver of each side, or those with equal names.
fn matched(
    before: &TrackResults,
    after: &TrackResults,
    options: &CompareOptions,
) -> anyhow::Result<Vec<(SolverIx, SolverIx)>> {
    let find = |results: &TrackResults, name: &str| {
        let found = results.solvers.iter().position(|solver| solver.name == name).map(SolverIx::at);
        let names: Vec<&str> = results.solvers.iter().map(|solver| solver.name.as_str()).collect();
        found.ok_or_else(|| Usage(format!("no solver is called '{name}'; there are {}", names.join(", "))))
    };
    if let (Some(from), Some(to)) = (&options.from, &options.to) {
        return Ok(vec![(find(before, from)?, find(after, to)?)]);
    }
    if let (Some(from), Some(to)) = (only_solver(before), only_solver(after)) {
        return Ok(vec![(from, to)]);
    }
    let same = before.solvers.iter().enumerate().filter_map(|(from, own)| {
        let to = after.solvers.iter().position(|solver| solver.name == own.name)?;
        Some((SolverIx::at(from), SolverIx::at(to)))
    });
    let same: Vec<(SolverIx, SolverIx)> = same.collect();
    if same.is_empty() {
        return Err(Usage("no solver is in both; name them with --from SOLVER --to SOLVER".into()).into());
    }
    Ok(same)
}

/// Compares one solver with another. Returns how many benchmarks both were run on.
fn compare(
    before: &TrackResults,
    from: SolverIx,
    after: &TrackResults,
    to: SolverIx,
    options: &CompareOptions,
    rows: &mut Vec<Value>,
) -> usize {
    fn runs(results: &TrackResults, solver: SolverIx) -> BTreeMap<&str, &Run> {
        let own = results.runs.iter().filter(|run| run.solver == solver);
        own.map(|run| (from_logic(&results.benchmark_of(run).name), run)).collect()
    }
    let theirs = runs(after, to);
    let mut common = 0;
    for (benchmark, old) in runs(before, from) {
        let Some(new) = theirs.get(benchmark) else { continue };
        common += 1;
        let (one, other) = (old.wall.as_secs_f64(), new.wall.as_secs_f64());
        let is_measured = old.measured.has_wall() && new.measured.has_wall();
        let differs =
            is_measured && (one - other).abs() >= options.seconds && one.max(other) >= one.min(other) * options.factor;
        let worth = |results: &TrackResults, run: &Run| {
            run.claim.worth(results.benchmark_of(run).status, &ClaimRules::default())
        };
        let (was, is) = (worth(before, old), worth(after, new));
        let answers: Answers = [old.claim.answer, new.claim.answer].into_iter().collect();
        let change = if is.errors > was.errors {
            "wrong"
        } else if is.errors < was.errors {
            "fixed"
        } else if answers.disagree() {
            "disagreement"
        } else if is.points > was.points {
            // Points grow with an answer, more correct queries, or a smaller core.
            "gained"
        } else if is.points < was.points {
            "lost"
        } else if is.points == 0 || !differs {
            continue;
        } else if other < one {
            "faster"
        } else {
            "slower"
        };
        rows.push(json!({
            "change": change,
            "solver": after.solvers[to].name,
            "benchmark": benchmark,
            "before": old.claim.answer.name(),
            "after": new.claim.answer.name(),
            "before_s": old.measured.has_wall().then_some(old.wall),
            "after_s": new.measured.has_wall().then_some(new.wall),
        }));
    }
    common
}
