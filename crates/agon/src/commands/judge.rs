//! `agon judge`: all outcomes of a track.

use crate::cli::TrackOptions;
use crate::failure::NO;
use crate::machine::machine;
use crate::opened::open_competition;
use crate::progress::observer;
use agon_competition::{JudgeOptions, Review, counted, found_all, judge, review, settle};
use agon_domain::Track;
use std::path::Path;
use std::process::ExitCode;

pub fn run(directory: &Path, track: TrackOptions, options: &JudgeOptions) -> anyhow::Result<ExitCode> {
    let competition = open_competition(directory)?;
    let mut is_clean = true;
    for track in track.of(&competition)? {
        let summary = judge(&competition, track, options, machine()?, &mut observer())?;
        say!(
            "{track}: {} judged, {} already had a verdict",
            counted(summary.judged as u64, "outcome", "outcomes"),
            summary.all - summary.judged - summary.lost.len()
        );
        found_all(&summary)?;
        let suspects = settle(&competition, track, machine()?, &mut observer())?;
        let review = review(&competition, track, suspects)?;
        tell(track, &review);
        is_clean &= review.is_clean();
    }
    Ok(ExitCode::from(if is_clean { 0 } else { NO }))
}

/// Prints the findings that need attention.
pub fn tell(track: Track, review: &Review) {
    for (solver, count, first) in &review.wrong {
        say!(
            "{track}: WRONG: {solver} has {}, the first on {first}",
            counted(*count as u64, "wrong result", "wrong results")
        );
    }
    for suspect in &review.suspects {
        say!("{track}: {}: the status {} may be wrong: {}", suspect.benchmark, suspect.status, suspect.evidence);
    }
    for (benchmark, status, answers) in &review.against_status {
        if review.suspects.iter().any(|suspect| suspect.benchmark == *benchmark) {
            continue;
        }
        say!("{track}: {benchmark}: all {answers} solvers that answered contradict the status {status}");
    }
    for (solver, runs, said) in &review.aborting {
        say!("{track}: {solver} aborts on all {runs} benchmarks; its first line: {said}");
    }
}
