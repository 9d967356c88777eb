//! Freezes the versions and magic numbers of the entrants (R08-2.33, R19-4.16).
//!
//! The list of frozen entrants is a file that is named by its digest, and the digest is an entry in the log of
//! decisions: so the freeze happens in one transaction, and neither the list nor an entrant can change unnoticed.

use crate::StepError;
use crate::decide::{decide, taking_part};
use crate::enter::verify;
use crate::entries::invalid_entries;
use crate::error::At;
use crate::gate::overridden;
use agon_domain::{Digest, Entrant, EntrantName, Upload};
use agon_edition::{Decision, Entry, Proposal};
use agon_store::{Competition, write_whole};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::PathBuf;

/// One frozen entrant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Frozen {
    /// The name of the entrant.
    pub name: EntrantName,
    /// The version of the solver.
    pub version: String,
    /// The magic number.
    pub magic: Option<u32>,
    /// The digest of its files.
    pub files: Digest,
    /// The digest of everything in its submission: commands, divisions, kind and so on.
    pub submission: Digest,
    /// The archive as it was uploaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upload: Option<Upload>,
}

impl Frozen {
    fn of(entrant: &Entrant) -> Self {
        let text = serde_json::to_string(&entrant.submission).unwrap_or_default();
        Self {
            name: entrant.name.clone(),
            version: entrant.version.clone(),
            magic: entrant.magic,
            files: entrant.files,
            submission: Digest::of(text.as_bytes()),
            upload: entrant.upload.clone(),
        }
    }
}

/// The content of a list's file.
#[derive(Serialize, Deserialize)]
struct List {
    entrant: Vec<Frozen>,
}

/// Freezes the entrants that take part for a round, such as the final of SL-COMP. Their files must be unchanged since
/// they were entered, and their entries complete (R19-4.11). Nothing may change them until the freeze is revoked.
pub fn freeze(competition: &Competition, round: &str, by: Vec<String>) -> Result<(Entry, Vec<Frozen>), StepError> {
    let entrants = taking_part(competition)?;
    if entrants.is_empty() {
        return Err(StepError::Missing("there are no entrants to freeze; enter some with 'agon entrant add'".into()));
    }
    entrants.iter().try_for_each(|entrant| verify(competition, entrant))?;
    if let Some(why) = invalid_entries(competition)? {
        overridden(competition, "freeze", &why)?;
    }
    let frozen: Vec<Frozen> = entrants.iter().map(Frozen::of).collect();
    let text = toml::to_string_pretty(&List { entrant: frozen.clone() }).unwrap_or_default();
    let list = Digest::of(text.as_bytes());
    let file = list_file(competition, &list);
    write_whole(&file, text.as_bytes()).at(&file)?;
    let decision = Decision::Freeze { round: round.to_owned(), list };
    let reason = "versions and magic numbers are final (R08-2.33, R19-4.16)".to_owned();
    let entry = decide(competition, Proposal { by, recused: vec![], decision, reason })?;
    Ok((entry, frozen))
}

fn list_file(competition: &Competition, list: &Digest) -> PathBuf {
    competition.directory().join("frozen").join(format!("{list}.toml"))
}

/// The freeze in force, and its list.
fn in_force(competition: &Competition) -> Result<Option<(Entry, Vec<Frozen>)>, StepError> {
    let log = competition.log()?;
    let freezes = log.in_force().filter_map(|entry| match &entry.decision {
        Decision::Freeze { list, .. } => Some((entry, *list)),
        _ => None,
    });
    let Some((entry, list)) = freezes.last() else { return Ok(None) };
    let file = list_file(competition, &list);
    let text = fs::read_to_string(&file).at(&file)?;
    let changed = || {
        let number = entry.number;
        StepError::Missing(format!("{} is not the list of decision {number}; restore it from a copy", file.display()))
    };
    if Digest::of(text.as_bytes()) != list {
        return Err(changed());
    }
    let List { entrant } = toml::from_str(&text).map_err(|_| changed())?;
    Ok(Some((entry.clone(), entrant)))
}

/// Refuses to change an entrant while the entrants are frozen, unless the organizers override it.
pub(crate) fn thaw(competition: &Competition, name: &EntrantName) -> Result<(), StepError> {
    let Some((entry, _)) = in_force(competition)? else { return Ok(()) };
    let why = format!(
        "the entrants are frozen since {} (decision {}, R08-2.33); 'agon decide revoke {}' ends the freeze",
        entry.at.strftime("%Y-%m-%d"),
        entry.number,
        entry.number
    );
    overridden(competition, &format!("change the frozen entrant {name}"), &why)
}

/// Checks that the entrants are the frozen ones, if there is a freeze: each in the list, with the same version, number
/// and files.
pub(crate) fn check_frozen(competition: &Competition, entrants: &[Entrant]) -> Result<(), StepError> {
    let Some((entry, list)) = in_force(competition)? else { return Ok(()) };
    let differs = |entrant: &&Entrant| !list.contains(&Frozen::of(entrant));
    let changed: Vec<&str> = entrants.iter().filter(differs).map(|entrant| entrant.name.as_str()).collect();
    if changed.is_empty() {
        return Ok(());
    }
    Err(StepError::Missing(format!(
        "these entrants differ from the frozen ones (decision {}): {}; enter the frozen versions again, or freeze the \
         present ones with 'agon freeze'",
        entry.number,
        changed.join(", ")
    )))
}
