//! `agon worker`

use crate::cli::WorkerOptions;
use crate::failure::INTERRUPTED;
use agon_contain::Host;
use agon_dispatch::{Worked, work};
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::process::ExitCode;
use std::sync::atomic::AtomicBool;

pub fn run(options: &WorkerOptions) -> anyhow::Result<ExitCode> {
    let host = Host::probe_inside();
    // Slurm asks once and kills soon after: what is under way is given up, and done again elsewhere.
    let (given_up, mut signals) = (host.clone(), Signals::new([SIGINT, SIGTERM])?);
    std::thread::spawn(move || {
        for _ in &mut signals {
            given_up.give_up();
        }
    });
    match work(&host, &options.round, options.chunk, &AtomicBool::new(false))? {
        Worked::All => Ok(ExitCode::SUCCESS),
        Worked::Stopped => Ok(ExitCode::from(INTERRUPTED)),
        Worked::Elsewhere => {
            say!("another worker has chunk {}", options.chunk);
            Ok(ExitCode::SUCCESS)
        }
    }
}
