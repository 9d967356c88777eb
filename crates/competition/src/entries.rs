//! Checks the entries of a competition against its rules.

use crate::StepError;
use crate::decide::taking_part;
use crate::enter::files_of;
use crate::error::At;
use agon_domain::{Entrant, Logic, Submission, did_you_mean};
use agon_edition::{Description, Need, Shortfall, check_entries, check_entry};
use agon_store::Competition;
use std::collections::BTreeSet;
use std::fs;
use std::io;

/// Everything that the entries of a competition lack or have wrong, by entrant.
pub fn entry_shortfalls(competition: &Competition) -> Result<Vec<Shortfall>, StepError> {
    let rules = &competition.rulebook().entry;
    let entrants = taking_part(competition)?;
    let mut found = vec![];
    for entrant in &entrants {
        let description = description(competition, entrant)?;
        found.extend(check_entry(rules, entrant, description.as_ref()));
    }
    found.extend(check_entries(rules, &entrants));
    found.sort_by(|one, other| one.entrant.cmp(&other.entrant));
    Ok(found)
}

/// What is known about the system description of an entrant, if it names one.
fn description(competition: &Competition, entrant: &Entrant) -> Result<Option<Description>, StepError> {
    let Some(name) = &entrant.description else { return Ok(None) };
    if name.contains("://") {
        return Ok(Some(Description::Url));
    }
    let file = files_of(competition, entrant)?.join(name);
    match fs::read(&file) {
        Ok(bytes) => Ok(Some(Description::of(name, &bytes))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Some(Description::Missing)),
        Err(error) => Err(error).at(&file),
    }
}

/// Everything that the rules require and an entry lacks, as one message; `None` if all entries are valid.
pub(crate) fn invalid_entries(competition: &Competition) -> Result<Option<String>, StepError> {
    let found = entry_shortfalls(competition)?;
    let invalid: Vec<String> =
        found.iter().filter(|found| found.need == Need::Required).map(ToString::to_string).collect();
    Ok((!invalid.is_empty()).then(|| format!("entries are not valid: {}", invalid.join("; "))))
}

/// Refuses divisions that exist neither in the rules nor in the library, with the nearest name that does (R08-3.4, R19-4.8). A
/// solver that entered only such divisions would run nowhere, and nobody would be told.
pub(crate) fn known_divisions(competition: &Competition, submission: &Submission) -> Result<(), StepError> {
    let library = competition.library()?;
    let mut known: BTreeSet<&Logic> = library.iter().map(|entry| &entry.benchmark.logic).collect();
    known.extend(competition.rulebook().divisions.values().flat_map(|groups| groups.values()).flatten());
    for (track, logics) in &submission.logics {
        let is_unknown = |logic: &&Logic| !known.contains(logic) && agon_smtlib::logic::features(&logic.0).is_none();
        if let Some(logic) = logics.iter().find(is_unknown) {
            let hint = did_you_mean(&logic.0, known.iter().map(|logic| logic.0.as_str()));
            return Err(StepError::Usage(format!(
                "entrant '{}' enters the {track} division '{logic}', which does not exist{hint}; correct [divisions] in \
                 its entrant.toml (R08-3.4)",
                submission.name
            )));
        }
    }
    Ok(())
}
