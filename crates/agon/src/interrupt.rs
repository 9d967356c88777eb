//! Ctrl-C: once finishes the current runs, twice stops them, three times exits. SIGTERM and SIGHUP stop the current
//! runs.

use crate::failure::INTERRUPTED;
use agon_competition::Interrupts;
use agon_contain::Host;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::Arc;
use std::sync::atomic::Ordering;

/// Listens for interrupts from now on. To be called once per process.
pub fn listen() -> std::io::Result<Interrupts> {
    let interrupts = Interrupts::default();
    // Set in the signal handler itself: a run that the same signal ended must find the flag set.
    for signal in [SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&interrupts.abort))?;
    }
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    let Interrupts { finish, abort } = interrupts.clone();
    std::thread::Builder::new().name("signals".into()).spawn(move || {
        for signal in &mut signals {
            if !finish.swap(true, Ordering::Relaxed) && signal == SIGINT {
                say!("\nagon: finishing the current runs; press Ctrl-C again to stop at once");
            } else if abort.swap(true, Ordering::Relaxed) && signal == SIGINT {
                leave();
            }
        }
    })?;
    Ok(interrupts)
}

/// Exits now. Nothing is lost: outcomes are recorded in transactions, and runs end with their runner.
#[allow(clippy::exit, reason = "the user has pressed Ctrl-C three times")]
fn leave() {
    std::process::exit(i32::from(INTERRUPTED));
}

/// For a single run: the first interrupt ends it.
pub fn stop_at_once(host: &mut Host) -> std::io::Result<()> {
    let flag = host.give_up_flag();
    for signal in [SIGINT, SIGTERM, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&flag))?;
    }
    Ok(())
}
