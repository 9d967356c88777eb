//! Ctrl-C: once to finish what is running, twice to stop at once. Who ends a service or a session means at once.

use agon_contain::Host;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Listens for interrupts from now on; gives the flag that says one has come. The next one after that does what is given.
pub fn listen(at_once: impl Fn() + Send + 'static) -> std::io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    let flag = Arc::clone(&stop);
    std::thread::spawn(move || {
        for signal in &mut signals {
            if flag.swap(true, Ordering::Relaxed) || signal != SIGINT {
                at_once();
            } else {
                say!("\nagon: finishing the runs under way; press Ctrl-C again to stop at once");
            }
        }
    });
    Ok(stop)
}

/// The same where the runs are on a host, which then gives them up.
pub fn listen_for(host: &mut Host) -> std::io::Result<Arc<AtomicBool>> {
    let given_up = give_up_at(host, &[SIGTERM, SIGHUP])?;
    listen(move || given_up.store(true, Ordering::Relaxed))
}

/// Where there is one run and nothing to finish: the first interrupt gives it up.
pub fn stop_at_once(host: &mut Host) -> std::io::Result<()> {
    give_up_at(host, &[SIGINT, SIGTERM, SIGHUP]).map(drop)
}

fn give_up_at(host: &mut Host, signals: &[i32]) -> std::io::Result<Arc<AtomicBool>> {
    let given_up = host.give_up_flag();
    for signal in signals {
        signal_hook::flag::register(*signal, Arc::clone(&given_up))?;
    }
    Ok(given_up)
}
