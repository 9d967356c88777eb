//! `agon run`

use crate::cli::RunOptions;
use crate::failure::INTERRUPTED;
use crate::machine::machine_for_pairs;
use crate::opened::open_competition;
use crate::progress::observer;
use agon_competition::{RunSummary, StepError, counted, run as run_track};
use std::path::Path;
use std::process::ExitCode;

pub fn run(directory: &Path, options: &RunOptions) -> anyhow::Result<ExitCode> {
    let competition = open_competition(directory)?;
    let machine = machine_for_pairs()?;
    let mut is_interrupted = false;
    for track in options.track.of(&competition)? {
        if machine.is_stopped() {
            is_interrupted = true;
            break;
        }
        let summary = run_track(&competition, track, &options.place.to_run(), machine, &mut observer());
        let RunSummary { planned, added, left } = match summary {
            // Of several tracks, one in which nothing can be run does not stop the others.
            Err(StepError::NothingToRun(why)) if options.track.is_all() => {
                say!("{track}: skipped: {why}");
                continue;
            }
            other => other?,
        };
        if left > 0 {
            say!("{track}: {} left; run the same command again to continue", counted(left, "pair is", "pairs are"));
            is_interrupted |= !options.place.slurm.detach;
        } else if added > 0 {
            say!("{track}: all {} done", counted(planned, "pair is", "pairs are"));
        }
    }
    Ok(if is_interrupted { ExitCode::from(INTERRUPTED) } else { ExitCode::SUCCESS })
}
