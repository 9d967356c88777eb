//! Refuses steps outside their windows in the calendar: entering a solver must precede the deadline (R08-2.7).

use crate::StepError;
use crate::decide::decide;
use agon_domain::Track;
use agon_edition::{Action, Decision, Proposal};
use agon_store::Competition;
use jiff::Timestamp;

/// Refuses an action outside its window in the calendar, unless the organizers gave a reason to override it, which goes
/// into the log.
pub(crate) fn gate(competition: &Competition, action: Action, track: Option<Track>) -> Result<(), StepError> {
    match competition.calendar().allows(action, track, Timestamp::now()) {
        Ok(()) => Ok(()),
        Err(closed) => overridden(competition, &action.to_string(), &closed.to_string()),
    }
}

/// Records the organizers' reason for a step that is not allowed, or refuses the step.
pub(crate) fn overridden(competition: &Competition, step: &str, why: &str) -> Result<(), StepError> {
    let Some(reason) = competition.override_reason() else {
        let remedy = "to do it anyway, pass --override REASON, which is recorded in the log of decisions";
        return Err(StepError::Missing(format!("{why}; {remedy}")));
    };
    let decision = Decision::Override { step: step.to_owned() };
    let reason = format!("{reason} ({why})");
    decide(competition, Proposal { by: vec![], recused: vec![], decision, reason })?;
    Ok(())
}
