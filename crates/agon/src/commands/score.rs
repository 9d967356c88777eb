//! `agon score`

use crate::cli::{Format, ScoreOptions};
use crate::print::{numbers, print_json, table};
use crate::scoring::gather;
use agon_score::Scores;
use agon_store::Competition;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub fn run(folder: &Path, options: &ScoreOptions) -> anyhow::Result<ExitCode> {
    let competition = Competition::open(folder)?.on(options.track);
    let gathered = gather(&competition)?;
    gathered.tell_what_is_left_out();
    let unjudged = gathered.runs.iter().filter(|run| run.verdict.is_none()).count();
    if unjudged > 0 {
        say!("{unjudged} outcomes are not judged yet and do not count; run 'agon judge'");
    }
    let scores = gathered.score(&competition)?;
    match options.format {
        Format::Json => print_json(&serde_json::to_value(&scores)?)?,
        Format::Text => print_text(&scores)?,
        Format::Csv => print_csv(&scores)?,
    }
    Ok(ExitCode::SUCCESS)
}

fn print_text(scores: &Scores) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    for division in &scores.divisions {
        for (kind, lines) in &division.rankings {
            let mut table =
                table(["rank", "solver", "wrong", "correct", "wall s", "CPU s", "unsolved", "timeouts", "memouts"]);
            for line in lines {
                let solver =
                    if line.competing { line.solver.clone() } else { format!("{} (non-competing)", line.solver) };
                table.add_row([
                    line.rank.to_string(),
                    solver,
                    line.error.to_string(),
                    line.correct.to_string(),
                    line.wall.to_string(),
                    line.cpu.to_string(),
                    line.unsolved.to_string(),
                    line.timeout.to_string(),
                    line.memout.to_string(),
                ]);
            }
            numbers(&mut table, [0, 2, 3, 4, 5, 6, 7, 8]);
            let winner = division.winners.get(kind).cloned().flatten();
            let winner = winner.map_or("no winner".to_owned(), |name| format!("winner {name}"));
            writeln!(out, "{}, {}: {winner}\n{table}\n", division.name, kind.title().to_lowercase())?;
        }
    }
    winners(scores, &mut out)
}

/// One line per division: who won which ranking.
pub fn winners(scores: &Scores, out: &mut impl Write) -> anyhow::Result<()> {
    let kinds = scores
        .divisions
        .first()
        .map(|division| division.winners.keys().copied().collect::<Vec<_>>())
        .unwrap_or_default();
    let headings = ["division", "benchmarks"].into_iter().chain(kinds.iter().map(|kind| kind.title()));
    let mut table = table(headings);
    for division in &scores.divisions {
        let winners = division.winners.values().map(|winner| winner.clone().unwrap_or_else(|| "–".into()));
        table.add_row([division.name.to_string(), division.benchmarks.to_string()].into_iter().chain(winners));
    }
    numbers(&mut table, [1]);
    Ok(writeln!(out, "{table}")?)
}

fn print_csv(scores: &Scores) -> anyhow::Result<()> {
    Ok(std::io::stdout().write_all(&agon_report::scores_csv(scores))?)
}
