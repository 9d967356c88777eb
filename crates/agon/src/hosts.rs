//! The host that a command runs programs on. Runs are confined unless the user passes `--unconfined`.

use crate::failure::Usage;
use agon_contain::{Host, use_subordinate_ids};
use agon_store::{Competition, Confinement};
use anyhow::Context;
use std::sync::atomic::{AtomicBool, Ordering};

/// The option by which a user says otherwise, for this process.
pub const UNCONFINED: &str = "--unconfined";
static IS_UNCONFINED: AtomicBool = AtomicBool::new(false);

/// Notes that the option was given, and says what it means.
pub fn run_unconfined() {
    say!("warning: runs are not confined, as was asked for: what programs do reaches this machine");
    IS_UNCONFINED.store(true, Ordering::Relaxed);
}

/// Whether the option was given.
pub fn are_unconfined() -> bool {
    IS_UNCONFINED.load(Ordering::Relaxed)
}

/// What to do where runs cannot be confined.
pub const REMEDY: &str =
    "nothing was run; 'agon doctor' says what this machine lacks, and --unconfined runs without confinement";

/// This machine, ready for runs.
pub fn this_machine() -> anyhow::Result<Host> {
    if are_unconfined() {
        return Ok(Host::unconfined()?);
    }
    Host::probe().context(REMEDY)
}

/// The same for the pairs of a competition, whose files everybody may read. There an ordinary user's runs can be users of
/// their own too, if the administrator has provided for that.
pub fn this_machine_for_pairs() -> anyhow::Result<Host> {
    if !are_unconfined() {
        use_subordinate_ids().context(REMEDY)?;
    }
    this_machine()
}

/// Whether a new competition may have runs without confinement: if the option was given.
pub fn confinement() -> Confinement {
    if are_unconfined() { Confinement::Optional } else { Confinement::Required }
}

/// Refuses to run without confinement in a competition that does not allow it.
pub fn admit(competition: &Competition) -> anyhow::Result<()> {
    if are_unconfined() && !competition.allows_unconfined() {
        let file = competition.folder().join("agon.toml");
        let message = format!(
            "this competition wants confined runs; 'allow_unconfined = true' above [rules] in {} allows {UNCONFINED}",
            file.display()
        );
        return Err(Usage(message).into());
    }
    Ok(())
}
