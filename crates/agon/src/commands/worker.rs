//! `agon worker`

use crate::cli::WorkerOptions;
use crate::failure::INTERRUPTED;
use crate::machine::is_unconfined;
use crate::progress::observer;
use agon_competition::{REMEDY, warn_without_groups};
use agon_contain::{Host, use_subordinate_ids};
use agon_dispatch::{Worked, WorkerError, work};
use anyhow::Context;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::process::ExitCode;
use std::time::Duration;

pub fn run(options: &WorkerOptions) -> anyhow::Result<ExitCode> {
    if !is_unconfined() {
        use_subordinate_ids().context(REMEDY)?;
    }
    let mut host = if is_unconfined() { Host::unconfined() } else { Host::probe_inside() }.context(REMEDY)?;
    // Slurm sends us and the solver one signal and kills both soon after. So the current run is given up and repeated
    // elsewhere.
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, host.give_up_flag())?;
    }
    warn_without_groups(&host, &mut observer());
    let worked = work(&host, &options.round, options.chunk);
    if matches!(worked, Err(WorkerError::Unfit(_))) {
        // Without this pause, a broken machine would take one job after the other and fail them all.
        std::thread::sleep(Duration::from_secs(30));
    }
    match worked? {
        Worked::All => Ok(ExitCode::SUCCESS),
        Worked::Stopped => Ok(ExitCode::from(INTERRUPTED)),
        Worked::Elsewhere => {
            say!("another worker has chunk {}", options.chunk);
            Ok(ExitCode::SUCCESS)
        }
    }
}
