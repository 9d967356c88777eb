//! `agon status`

use super::batch::track_rules;
use crate::cli::{Format, StatusOptions};
use crate::print::{print_json, print_rows};
use agon_domain::{PairId, Ruling};
use agon_store::{Competition, Recorded};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub fn run(folder: &Path, options: &StatusOptions) -> anyhow::Result<ExitCode> {
    let competition = Competition::open(folder)?.on(options.track);
    let store = competition.store()?;
    let limits = track_rules(&competition)?.limits;
    let recorded = store.recorded(competition.track(), &limits)?;
    if options.pairs {
        let by_pair: BTreeMap<PairId, &Recorded> = recorded.iter().map(|run| (run.pair.id, run)).collect();
        let rows = store.planned(competition.track())?.into_iter().map(|pair| {
            let run = by_pair.get(&pair.id);
            let state =
                run.map_or("to be run".into(), |run| run.verdict.map_or("not judged".into(), |v| v.ruling.to_string()));
            json!({"pair": pair.id, "solver": pair.entrant, "benchmark": pair.prepared.benchmark, "state": state,
                   "attempt": run.map(|run| run.outcome.attempt), "wall_s": run.map(|run| run.outcome.wall),
                   "cpu_s": run.map(|run| run.outcome.cpu), "memory_bytes": run.map(|run| run.outcome.memory_bytes),
                   "ending": run.map(|run| run.outcome.ending.to_string()),
                   "limit": run.and_then(|run| run.outcome.limit).map(|limit| limit.name()),
                   "reason": run.map(|run| run.outcome.reason.as_str()),
                   "evidence": run.and_then(|run| run.evidence.as_deref()),
                   "host": run.map(|run| run.outcome.host.as_str()),
                   "isolation": run.map(|run| run.outcome.isolation.as_str()),
                   "disturbance": run.and_then(|run| run.outcome.disturbance.as_deref())})
        });
        print_rows(rows.collect(), &["pair", "solver", "benchmark", "state", "wall_s"], options.format)?;
        return Ok(ExitCode::SUCCESS);
    }
    let progress = store.progress(competition.track(), &limits)?;
    let left = progress.planned - progress.done;
    let wall: f64 = recorded.iter().map(|run| run.outcome.wall.as_secs_f64()).sum();
    let eta = (progress.done > 0).then(|| wall / progress.done as f64 * left as f64);
    let running = competition.is_running()?;
    let disturbed = recorded.iter().filter(|run| run.outcome.disturbance.is_some()).count();
    let solvers = by_solver(&recorded);
    if options.format == Format::Json {
        print_json(
            &json!({"planned": progress.planned, "done": progress.done, "left": left, "running": running, "disturbed": disturbed,
                           "slot_seconds_left": eta, "solvers": solvers}),
        )?;
        return Ok(ExitCode::SUCCESS);
    }
    let columns: Vec<&str> =
        ["solver", "done"].into_iter().chain(Ruling::ALL.iter().map(|ruling| ruling.name())).collect();
    print_rows(solvers, &columns, options.format)?;
    if options.format == Format::Text {
        let eta =
            eta.filter(|_| left > 0).map_or(String::new(), |seconds| format!(", about {seconds:.0} s of one slot"));
        let state = if running { "running" } else { "not running" };
        writeln!(std::io::stdout(), "{} of {} pairs done, {left} left{eta}; {state}", progress.done, progress.planned)?;
        if disturbed > 0 {
            say!("{disturbed} runs were disturbed; 'agon rerun --disturbed' repeats them");
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn by_solver(recorded: &[Recorded]) -> Vec<Value> {
    let mut solvers: BTreeMap<&str, Vec<&Recorded>> = BTreeMap::new();
    for run in recorded {
        solvers.entry(run.pair.entrant.as_str()).or_default().push(run);
    }
    let row = |(solver, runs): (&str, Vec<&Recorded>)| {
        let mut row = json!({"solver": solver, "done": runs.len()});
        for ruling in Ruling::ALL {
            let count = runs.iter().filter(|run| run.verdict.is_some_and(|verdict| verdict.ruling == ruling)).count();
            row[ruling.name()] = json!(count);
        }
        row
    };
    solvers.into_iter().map(row).collect()
}
