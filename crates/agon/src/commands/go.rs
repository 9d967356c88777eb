//! `agon go`

use super::judge::tell;
use super::score::winners;
use crate::cli::GoOptions;
use crate::failure::{INTERRUPTED, NO, Usage};
use crate::machine::machine_for_pairs;
use crate::opened::open_competition;
use crate::progress::observer;
use agon_competition::{Gone, JudgeOptions, Step, counted, go};
use agon_store::Competition;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

pub fn run(directory: &Path, options: &GoOptions) -> anyhow::Result<ExitCode> {
    let competition = open_competition(directory)?;
    let index = options.index.as_deref().map(str::parse).transpose();
    let options = agon_competition::GoOptions {
        tracks: options.track.named(),
        until: options.until.unwrap_or(Step::Report),
        index: index.map_err(|error| Usage(format!("--index: {error}")))?,
        run: options.run.to_run(),
        judge: JudgeOptions::default(),
        to: options.to.clone(),
    };
    finish(&competition, &options)
}

/// Runs the steps and prints the results.
pub fn finish(competition: &Competition, options: &agon_competition::GoOptions) -> anyhow::Result<ExitCode> {
    let machine = machine_for_pairs()?;
    let Gone { reviews, published, left } = go(competition, options, machine, &mut observer())?;
    if left > 0 {
        say!("{} left; run the same command again to continue", counted(left, "pair is", "pairs are"));
    }
    let is_detached = options.run.slurm.as_ref().is_some_and(|slurm| slurm.detach);
    if left > 0 && is_detached {
        return Ok(ExitCode::SUCCESS);
    }
    if left > 0 || machine.is_stopped() {
        return Ok(ExitCode::from(INTERRUPTED));
    }
    for (track, review) in &reviews {
        tell(*track, review);
    }
    let mut out = std::io::stdout();
    if let Some(published) = published {
        for scores in &published.scores {
            writeln!(out, "{}", scores.track.title())?;
            winners(scores, &mut out)?;
            writeln!(out)?;
        }
        let index = std::path::absolute(published.site.join("index.html"))?;
        writeln!(out, "The results site: {}", index.display())?;
    }
    let is_clean = reviews.iter().all(|(_, review)| review.is_clean());
    Ok(ExitCode::from(if is_clean { 0 } else { NO }))
}
