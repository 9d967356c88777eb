//! The machine that a command runs programs on. Runs are confined unless the user passes `--unconfined`.

use crate::interrupt;
use agon_competition::{Machine, REMEDY, Walls};
use agon_contain::{Host, use_subordinate_ids};
use agon_store::Confinement;
use anyhow::Context;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

static IS_UNCONFINED: AtomicBool = AtomicBool::new(false);
static MACHINE: OnceLock<Machine> = OnceLock::new();

/// Records that `--unconfined` was given, and warns.
pub fn run_unconfined() {
    say!("warning: runs are not confined and can affect this machine");
    IS_UNCONFINED.store(true, Ordering::Relaxed);
}

/// Whether `--unconfined` was given.
pub fn is_unconfined() -> bool {
    IS_UNCONFINED.load(Ordering::Relaxed)
}

/// The one machine of this process. It is probed at its first run; interrupts are listened for from now on.
pub fn machine() -> anyhow::Result<&'static Machine> {
    if let Some(machine) = MACHINE.get() {
        return Ok(machine);
    }
    let walls = if is_unconfined() { Walls::Off } else { Walls::Required };
    let interrupts = interrupt::listen()?;
    Ok(MACHINE.get_or_init(|| Machine::new(walls, interrupts)))
}

/// Like [`machine`], but for the pairs of a competition, whose files are world-readable: an ordinary user's runs get
/// user ids of their own, if the administrator has configured subordinate ids. Call it before starting a thread.
pub fn machine_for_pairs() -> anyhow::Result<&'static Machine> {
    if !is_unconfined() && MACHINE.get().is_none() {
        use_subordinate_ids().context(REMEDY)?;
    }
    machine()
}

/// A separate host for a single run, which any interrupt ends.
pub fn host_for_one_run() -> anyhow::Result<Host> {
    let mut host = if is_unconfined() { Host::unconfined()? } else { Host::probe().context(REMEDY)? };
    interrupt::stop_at_once(&mut host)?;
    Ok(host)
}

/// The setting of a new competition: confinement is required unless `--unconfined` was given.
pub fn confinement() -> Confinement {
    if is_unconfined() { Confinement::Optional } else { Confinement::Required }
}
