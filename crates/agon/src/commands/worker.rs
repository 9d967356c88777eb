//! `agon worker`

use super::run::warn_of_weak_walls;
use crate::cli::WorkerOptions;
use crate::failure::INTERRUPTED;
use crate::hosts::{self, REMEDY};
use agon_contain::{Host, use_subordinate_ids};
use agon_dispatch::{Worked, WorkerError, work};
use anyhow::Context;
use signal_hook::consts::{SIGINT, SIGTERM};
use std::process::ExitCode;
use std::time::Duration;

pub fn run(options: &WorkerOptions) -> anyhow::Result<ExitCode> {
    if !hosts::are_unconfined() {
        use_subordinate_ids().context(REMEDY)?;
    }
    let mut host = if hosts::are_unconfined() { Host::unconfined() } else { Host::probe_inside() }.context(REMEDY)?;
    // Slurm asks once, the solver too, and kills soon after: what is under way is given up, and done again elsewhere.
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, host.give_up_flag())?;
    }
    warn_of_weak_walls(&host);
    let worked = work(&host, &options.round, options.chunk);
    if matches!(worked, Err(WorkerError::Unfit(_))) {
        // A machine that fails at once would take all the other jobs as well.
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
