//! Checks the entries of a competition against its rules.

use crate::StepError;
use crate::decide::taking_part;
use crate::enter::files_of;
use crate::error::At;
use agon_domain::{Entrant, Logic, Submission, Track, did_you_mean};
use agon_edition::{Description, Need, Shortfall, check_entries, check_entry, check_preprocessors};
use agon_rulebook::Divisions;
use agon_smtlib::separation_classes;
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
        found.extend(check_preprocessors(competition.rulebook(), entrant));
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
    if file.exists() && !file.is_file() {
        return Ok(Some(Description::Unreadable("is not a file".to_owned())));
    }
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

/// Refuses a table of divisions that names a logic or a class of content that does not exist: the division would
/// silently lack its benchmarks.
pub(crate) fn check_divisions(competition: &Competition, track: Track) -> Result<(), StepError> {
    let Some(table) = competition.rulebook().divisions.get(&track) else { return Ok(()) };
    let library = competition.library()?;
    let in_library = |logic: &Logic| library.iter().any(|entry| entry.benchmark.logic == *logic);
    match unknown_in(table, in_library) {
        Some((division, what, name, hint)) => Err(StepError::Usage(format!(
            "the {track} division '{division}' has the {what} '{name}', which does not exist{hint}; correct \
             [rules.divisions.{track}] in agon.toml"
        ))),
        None => Ok(()),
    }
}

/// The first logic or class in a table of divisions that does not exist: its division, its kind, its name and a hint.
fn unknown_in(
    table: &Divisions,
    in_library: impl Fn(&Logic) -> bool,
) -> Option<(String, &'static str, String, String)> {
    table.0.iter().find_map(|(division, rules)| {
        let class = rules.content.iter().find(|name| !separation_classes().any(|known| known == name.as_str()));
        let class = class.map(|name| ("content", name.clone(), did_you_mean(name, separation_classes())));
        let is_known = |logic: &Logic| agon_smtlib::logic::features(&logic.0).is_some() || in_library(logic);
        let logic = rules.logics.iter().find(|logic| !is_known(logic));
        let logic = logic.map(|logic| ("logic", logic.0.clone(), String::new()));
        class.or(logic).map(|(what, name, hint)| (division.0.clone(), what, name, hint))
    })
}

/// Replaces the divisions that an entry names with the logics that they contain. Refuses names that exist neither in
/// the rules nor in the library, with the nearest name that does (R08-3.4, R19-4.8): a solver that entered only such
/// divisions would run nowhere, and nobody would be told.
pub(crate) fn resolve_divisions(competition: &Competition, submission: &mut Submission) -> Result<(), StepError> {
    let library = competition.library()?;
    let in_library: BTreeSet<&Logic> = library.iter().map(|entry| &entry.benchmark.logic).collect();
    let name = submission.name.clone();
    for (track, entered) in &mut submission.logics {
        let table = competition.rulebook().divisions.get(track);
        let by_content = table.is_some_and(Divisions::need_content);
        let mut resolved = vec![];
        for logic in entered.iter() {
            let of_table = table.map(|table| table.entered(logic)).unwrap_or_default();
            // In a table by content, the logic that a benchmark declares is not a division.
            let is_logic =
                !by_content && (in_library.contains(logic) || agon_smtlib::logic::features(&logic.0).is_some());
            if of_table.is_empty() && !is_logic {
                let of_table = table.into_iter().flat_map(|table| table.0.keys().map(|division| division.0.as_str()));
                let in_library = in_library.iter().filter(|_| !by_content).map(|logic| logic.0.as_str());
                let hint = did_you_mean(&logic.0, of_table.chain(in_library));
                return Err(StepError::Usage(format!(
                    "entrant '{name}' enters the {track} division '{logic}', which does not exist{hint}; correct \
                     [divisions] in its entrant.toml (R08-3.4)"
                )));
            }
            resolved.extend(if of_table.is_empty() { vec![logic.clone()] } else { of_table });
        }
        let mut seen = BTreeSet::new();
        resolved.retain(|logic| seen.insert(logic.clone()));
        *entered = resolved;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_rulebook::Rulebook;

    #[test]
    fn the_divisions_of_every_edition_exist_and_misspelled_ones_are_found() {
        for name in Rulebook::names() {
            let rulebook = Rulebook::named(name).unwrap();
            for table in rulebook.divisions.values() {
                assert_eq!(unknown_in(table, |_| false), None, "{name}");
            }
        }
        let table = |text: &str| toml::from_str::<Divisions>(text).unwrap();
        let (division, what, name, hint) = unknown_in(&table("A = { content = ['qf_shls_st'] }"), |_| false).unwrap();
        assert_eq!((division.as_str(), what, name.as_str()), ("A", "content", "qf_shls_st"));
        assert!(hint.contains("qf_shls_sat"), "{hint}");
        assert_eq!(unknown_in(&table("A = ['QF_UF', 'QF_XYZ']"), |_| false).unwrap().2, "QF_XYZ");
        assert_eq!(unknown_in(&table("A = ['QF_XYZ']"), |_| true), None);
    }
}
