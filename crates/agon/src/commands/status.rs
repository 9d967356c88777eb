//! `agon status`

use crate::cli::{Format, StatusOptions};
use crate::opened::open_competition;
use crate::print::{print_json, print_rows};
use agon_competition::{Freshness, Next, TrackStatus, counted, next_step, status};
use agon_domain::{PairId, Ruling};
use agon_store::{Competition, Recorded};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub fn run(directory: &Path, options: &StatusOptions) -> anyhow::Result<ExitCode> {
    let competition = open_competition(directory)?;
    let tracks = options.track.of(&competition)?;
    let statuses = tracks.iter().map(|track| status(&competition, *track)).collect::<Result<Vec<_>, _>>()?;
    if options.pairs {
        let mut rows = vec![];
        for status in &statuses {
            rows.extend(pairs(&competition, status)?);
        }
        print_rows(rows, &["pair", "solver", "benchmark", "state", "wall_s"], options.format)?;
        return Ok(ExitCode::SUCCESS);
    }
    let running = competition.is_running()?;
    let next = next_step(&competition)?;
    if options.format == Format::Json {
        let mut facts: Vec<Value> = statuses.iter().map(|status| as_json(status, running, next.as_ref())).collect();
        // One track is an object, several are an array.
        print_json(&if options.track.track.is_none() || facts.len() == 1 { facts.remove(0) } else { json!(facts) })?;
        return Ok(ExitCode::SUCCESS);
    }
    for status in &statuses {
        let columns: Vec<&str> = ["solver", "done", "not judged"]
            .into_iter()
            .chain(Ruling::ALL.iter().map(|ruling| ruling.name()))
            .collect();
        if options.format == Format::Text {
            tell(status, running)?;
            if status.done() == 0 {
                continue;
            }
        }
        print_rows(by_solver(status), &columns, options.format)?;
        if options.format == Format::Text {
            print_divisions(status)?;
        }
    }
    if options.format == Format::Text {
        match next {
            Some(Next { what, .. }) => writeln!(std::io::stdout(), "next: {what}")?,
            None => writeln!(std::io::stdout(), "next: nothing; 'agon report' writes the site again")?,
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn tell(status: &TrackStatus, running: bool) -> anyhow::Result<()> {
    let (track, left) = (status.track, status.left());
    let eta = status.seconds_left().filter(|_| left > 0);
    let eta =
        eta.map_or(String::new(), |seconds| format!(", about {seconds:.0} s of one slot if they are like the others"));
    let state = if running { "running" } else { "not running" };
    let (done, planned) = (status.done(), status.planned);
    let mut out = std::io::stdout();
    if status.readiness.preparation == Freshness::Missing {
        let step = if status.readiness.selection == Freshness::Missing { "selected" } else { "prepared" };
        writeln!(out, "{track}: nothing is {step} yet")?;
    } else {
        writeln!(out, "{track}: {done} of {planned} pairs done, {left} left{eta}; {state}")?;
    }
    for note in status.notes() {
        say!("{note}");
    }
    if status.disturbed() > 0 {
        let runs = counted(status.disturbed() as u64, "run was", "runs were");
        say!("{track}: {runs} disturbed; 'agon rerun --disturbed --track {track}' repeats them");
    }
    Ok(())
}

/// Incomplete divisions, if any.
fn print_divisions(status: &TrackStatus) -> anyhow::Result<()> {
    let open = status.divisions.iter().filter(|(_, progress)| !progress.is_complete());
    let rows: Vec<Value> = open
        .map(|(division, progress)| json!({"division": division, "judged": progress.done, "planned": progress.planned}))
        .collect();
    if rows.is_empty() { Ok(()) } else { print_rows(rows, &["division", "judged", "planned"], Format::Text) }
}

fn pairs(competition: &Competition, status: &TrackStatus) -> anyhow::Result<Vec<Value>> {
    let by_pair: HashMap<PairId, &Recorded> = status.recorded.iter().map(|run| (run.pair.id, run)).collect();
    let rows = competition.store()?.planned(status.track)?.into_iter().map(|pair| {
        let run = by_pair.get(&pair.id);
        let state =
            run.map_or("to be run".into(), |run| run.verdict().map_or("not judged".into(), |v| v.ruling.to_string()));
        json!({"pair": pair.id, "track": status.track, "solver": pair.entrant, "benchmark": pair.prepared.benchmark,
               "state": state,
               "attempt": run.map(|run| run.outcome.attempt), "wall_s": run.map(|run| run.outcome.wall),
               "cpu_s": run.map(|run| run.outcome.cpu), "memory_bytes": run.map(|run| run.outcome.memory_bytes),
               "ending": run.map(|run| run.outcome.ending.to_string()),
               "limit": run.and_then(|run| run.outcome.limit).map(agon_domain::Limit::name),
               "reason": run.map(|run| run.outcome.reason.as_str()),
               "evidence": run.and_then(|run| run.judgement.as_ref()?.evidence.as_deref()),
               "host": run.map(|run| run.outcome.host.as_str()),
               "isolation": run.map(|run| run.outcome.isolation.as_str()),
               "disturbance": run.and_then(|run| run.outcome.disturbance.as_deref())})
    });
    Ok(rows.collect())
}

fn as_json(status: &TrackStatus, running: bool, next: Option<&Next>) -> Value {
    let freshness = |freshness: &Freshness| match freshness {
        Freshness::Missing => json!("missing"),
        Freshness::Current => json!("current"),
        Freshness::Stale(why) => json!({"stale": why}),
    };
    let divisions: Vec<Value> = status
        .divisions
        .iter()
        .map(|(division, progress)| json!({"division": division, "judged": progress.done, "planned": progress.planned}))
        .collect();
    let not_run: Vec<Value> = status
        .plan
        .not_run
        .iter()
        .map(|(division, benchmarks, why)| json!({"division": division, "benchmarks": benchmarks, "why": why.to_string()}))
        .collect();
    let (aside, repeats) = (&status.set_aside, &status.repeats);
    json!({"track": status.track, "selection": freshness(&status.readiness.selection), "prepared": freshness(&status.readiness.preparation),
           "planned": status.planned, "done": status.done(), "left": status.left(), "unjudged": status.unjudged(),
           "running": running, "disturbed": status.disturbed(), "slot_seconds_left": status.seconds_left(),
           "set_aside": {"other_limits": aside.other_limits, "other_solvers": aside.other_solvers,
                         "other_benchmarks": aside.other_benchmarks},
           "again": {"limits": repeats.limits, "longer": repeats.longer, "versions": repeats.versions, "benchmarks": repeats.benchmarks},
           "divisions": divisions, "not_run": not_run, "solvers": by_solver(status),
           "next": next.map(|next| json!({"step": next.step.name(), "track": next.track, "what": next.what}))})
}

fn by_solver(status: &TrackStatus) -> Vec<Value> {
    let row = |(name, solver): (&String, &agon_competition::SolverStatus)| {
        let mut row = json!({"solver": name, "done": solver.done, "not judged": solver.unjudged});
        for ruling in Ruling::ALL {
            row[ruling.name()] = json!(solver.rulings.get(&ruling).copied().unwrap_or(0));
        }
        row
    };
    status.solvers.iter().map(row).collect()
}
