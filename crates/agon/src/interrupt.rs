//! Ctrl-C: once to finish what is running, twice to stop at once.

use agon_contain::Host;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Listens for interrupts from now on; gives the flag that says one has come.
pub fn listen(host: &Host) -> std::io::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let mut signals = Signals::new([SIGHUP, SIGINT, SIGTERM])?;
    let (flag, host) = (Arc::clone(&stop), host.clone());
    std::thread::spawn(move || {
        for _ in &mut signals {
            if flag.swap(true, Ordering::Relaxed) {
                host.give_up();
            } else {
                say!("\nagon: finishing the runs under way; press Ctrl-C again to stop at once");
            }
        }
    });
    Ok(stop)
}
