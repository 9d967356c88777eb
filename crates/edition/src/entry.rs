//! Checks entries against the rules: the fields of each, and the relations among all.

use crate::description::Description;
use agon_domain::{Entrant, EntrantKind, EntrantName, Submission, Track};
use agon_rulebook::{EntryField, EntryRules, Rulebook, WrapperEntry};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Whether a rule says "must" or "should".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// The rules demand it.
    Required,
    /// The rules recommend it.
    Recommended,
}

/// Something that an entry lacks or has wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortfall {
    /// The entrant.
    pub entrant: EntrantName,
    /// The field of entrant.toml.
    pub field: &'static str,
    /// Whether the entry is invalid because of it.
    pub need: Need,
    /// What is wrong, and the rule.
    pub message: String,
}

impl fmt::Display for Shortfall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.entrant, self.field, self.message)
    }
}

/// Checks the fields of one entry, and names everything that is missing or wrong.
pub fn check_entry(rules: &EntryRules, entry: &Submission, description: Option<&Description>) -> Vec<Shortfall> {
    let mut found = vec![];
    let mut add = |field: &'static str, need, message: String| {
        found.push(Shortfall { entrant: entry.name.clone(), field, need, message });
    };
    let of_new = rules.requires_of_new.iter().filter(|_| entry.new);
    let required = rules.requires.iter().chain(of_new).map(|field| (*field, Need::Required));
    let recommended = rules.recommends.iter().map(|field| (*field, Need::Recommended));
    // The rules ask nothing of solvers that the organizers run for comparison.
    let asked = required.chain(recommended).filter(|_| entry.kind.can_win());
    for (field, need) in asked {
        if let Some(message) = missing(field, entry) {
            add(field.name(), need, message.to_owned());
        }
    }
    match description {
        Some(Description::Missing) => {
            let file = entry.description.as_deref().unwrap_or_default();
            add("description", Need::Required, format!("the submission has no file '{file}'"));
        }
        Some(Description::Unreadable(why)) => {
            let file = entry.description.as_deref().unwrap_or_default();
            add("description", Need::Required, format!("'{file}' {why}"));
        }
        Some(Description::Pages(Some(pages))) => {
            if let Some((least, most)) = rules.description_pages
                && !(least..=most).contains(pages)
            {
                let message = format!("it has {pages} pages; the rules ask for {least} to {most} (R08-2.13, R19-4.9)");
                add("description", Need::Required, message);
            }
        }
        Some(Description::Url | Description::Pages(None)) | None => {}
    }
    if let Some(contact) = &entry.contact
        && !is_address(contact)
    {
        add("contact", Need::Required, format!("'{contact}' is not an e-mail address"));
    }
    if entry.corrects.is_some() && entry.kind != EntrantKind::NonCompeting {
        let message = "a corrected version beside the official one does not compete: set kind = \"non-competing\"";
        add("kind", Need::Required, message.to_owned());
    }
    found
}

/// Finds pre-processors in tracks whose rules have no step outside the time limit (SL19-19).
pub fn check_preprocessors(rulebook: &Rulebook, entry: &Submission) -> Vec<Shortfall> {
    let allows = |track: &Track| rulebook.tracks.get(track).is_some_and(|rules| rules.preprocess.is_some());
    let found = entry.preprocess.keys().filter(|track| !allows(track)).map(|track| Shortfall {
        entrant: entry.name.clone(),
        field: "preprocess",
        need: Need::Required,
        message: format!(
            "the {track} track of {} has no pre-processing outside the time limit; make it part of the command (SL19-19)",
            rulebook.name
        ),
    });
    found.collect()
}

/// What is wrong with a field, if it is missing.
fn missing(field: EntryField, entry: &Submission) -> Option<&'static str> {
    let lacks_text = |text: &Option<String>| text.as_ref().is_none_or(|text| text.trim().is_empty());
    let uses_another = !entry.wraps.is_empty() || entry.derived_from.is_some();
    let (is_missing, message) = match field {
        EntryField::Magic => (
            entry.magic.is_none() && !entry.kind.is_organizers(),
            "missing: pass a number of 32 bits with --magic (R08-2.17, R19-4.9)",
        ),
        EntryField::Description => {
            (lacks_text(&entry.description), "missing: a PDF or Markdown file, or its address (R08-2.13, R19-4.9)")
        }
        EntryField::Authors => (entry.authors.is_empty(), "missing: the names of all authors (R08-2.14, R19-4.10)"),
        EntryField::Affiliations => {
            let has_one = |author: &String| author.ends_with(')') && author.contains(" (");
            let lacks_one = !entry.authors.is_empty() && !entry.authors.iter().all(has_one);
            (lacks_one, "write each author as 'name (affiliation)' (R08-2.14)")
        }
        EntryField::Contact => (entry.contact.is_none(), "missing: the correspondent's e-mail address (SL19-3)"),
        EntryField::Languages => (entry.languages.is_empty(), "missing: the programming languages (R08-2.15)"),
        EntryField::Approach => (lacks_text(&entry.approach), "missing: the basic approach (R08-2.15, R19-4.10)"),
        EntryField::Techniques => (lacks_text(&entry.techniques), "missing: the main techniques (R19-4.10)"),
        EntryField::Innovations => (
            uses_another && lacks_text(&entry.innovations),
            "missing: how it improves on the solver it uses (R19-4.2, R19-4.3)",
        ),
        EntryField::Tools => (entry.tools.is_empty(), "missing: the other tools it uses, or [\"none\"] (R19-4.10)"),
        EntryField::Website => (lacks_text(&entry.website), "missing: the solver's site (R08-2.16, R19-4.10)"),
        EntryField::License => (lacks_text(&entry.license), "missing: the license (R19-5.2)"),
        EntryField::Consent => {
            (!entry.consent, "must be true: the submission is published and may be evaluated (R19-5.2)")
        }
        EntryField::Source => (lacks_text(&entry.source), "missing: the source archive or its address (R08-2.10)"),
    };
    is_missing.then_some(message)
}

/// Whether a text looks like an e-mail address: one `@` between two non-empty parts without spaces.
fn is_address(text: &str) -> bool {
    let is_part = |part: &str| !part.is_empty() && !part.contains(|c: char| c.is_whitespace() || c == '@');
    text.split_once('@').is_some_and(|(name, host)| is_part(name) && is_part(host))
}

/// Checks the relations among all entrants that take part: wrappers, corrected versions and the number per team.
pub fn check_entries(rules: &EntryRules, entrants: &[Entrant]) -> Vec<Shortfall> {
    let mut found = vec![];
    for entrant in entrants {
        let mut add = |field, message: String| {
            found.push(Shortfall { entrant: entrant.name.clone(), field, need: Need::Required, message });
        };
        if rules.wrappers == WrapperEntry::NameAndPermission {
            check_wrapper(entrant, entrants, &mut add);
        }
        if let Some(official) = &entrant.corrects
            && !entrants.iter().any(|other| other.name.as_str() == official)
        {
            add("corrects", format!("'{official}' is not entered"));
        }
        if let Some(other) = &entrant.version_of {
            match entrants.iter().find(|known| known.name.as_str() == other) {
                None => add("version_of", format!("'{other}' is not entered")),
                Some(known) if known.team != entrant.team => {
                    let message =
                        format!("'{other}' is of {}; only a solver's own team enters another version", known.team);
                    add("version_of", message);
                }
                Some(known) => {
                    let both = entrant.commands.keys().filter(|track| known.commands.contains_key(track));
                    let both: Vec<&str> = both.map(|track| track.name()).collect();
                    if !both.is_empty() {
                        let tracks = both.join(", ");
                        add(
                            "version_of",
                            format!("both versions enter the same tracks: {tracks}; remove the commands of one"),
                        );
                    }
                }
            }
        }
    }
    if rules.per_team > 0 {
        check_teams(rules.per_team, entrants, &mut found);
    }
    found
}

/// Checks the rules of 2008 for a wrapper: its name (R08-2.24), the permission (R08-2.26), and that the wrapped solvers
/// are entered in all its divisions (R08-2.27).
fn check_wrapper(wrapper: &Entrant, entrants: &[Entrant], add: &mut impl FnMut(&'static str, String)) {
    for wrapped in &wrapper.wraps {
        let (name, version) = wrapped.split_once(char::is_whitespace).unwrap_or((wrapped, ""));
        let is_it = |other: &&Entrant| other.name.as_str() == name && other.version == version.trim();
        let entered = entrants.iter().find(is_it);
        // A solver that calls a solver of the same team is not a wrapper (R08-2.22).
        if entered.is_some_and(|entered| entered.team == wrapper.team) {
            continue;
        }
        if wrapper.wraps.len() == 1 && !wrapper.name.as_str().ends_with(&format!("+{name}")) {
            add("name", format!("a wrapper of {name} must have a name that ends in '+{name}' (R08-2.24)"));
        }
        if wrapper.older.contains(wrapped) {
            continue;
        }
        if wrapper.permission.as_ref().is_none_or(|text| text.trim().is_empty()) {
            add("permission", format!("missing: how the authors of {name} gave their permission (R08-2.26)"));
        }
        let Some(entered) = entered else {
            let other = entrants.iter().find(|other| other.name.as_str() == name);
            let hint = other.map_or(String::new(), |other| format!("; {name} {} is entered instead", other.version));
            add(
                "wraps",
                format!(
                    "{wrapped} must be entered wherever the wrapper is (R08-2.27){hint}; if it was released before the \
                     previous competition, list it under older"
                ),
            );
            continue;
        };
        for track in wrapper.commands.keys().filter(|track| !covers(entered, wrapper, **track)) {
            add("wraps", format!("{wrapped} is not entered in every {track} division of the wrapper (R08-2.27)"));
        }
    }
}

/// Whether a solver enters every logic of a track that another one enters.
fn covers(solver: &Entrant, other: &Entrant, track: Track) -> bool {
    solver.commands.contains_key(&track)
        && match (solver.logics.get(&track), other.logics.get(&track)) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(own), Some(wanted)) => wanted.iter().all(|logic| own.contains(logic)),
        }
}

/// Finds teams with more competing entrants in a track than the rules allow.
fn check_teams(most: usize, entrants: &[Entrant], found: &mut Vec<Shortfall>) {
    let mut teams: BTreeMap<(Track, &str), Vec<&Entrant>> = BTreeMap::new();
    for entrant in entrants.iter().filter(|entrant| entrant.kind.can_win()) {
        for track in entrant.commands.keys() {
            teams.entry((*track, &entrant.team)).or_default().push(entrant);
        }
    }
    let mut seen = BTreeSet::new();
    for ((track, team), entrants) in teams {
        for extra in entrants.iter().skip(most).filter(|extra| seen.insert(extra.name.clone())) {
            let message =
                format!("{team} has {} entrants in the {track} track; at most {most} compete", entrants.len());
            let entrant = extra.name.clone();
            found.push(Shortfall { entrant, field: "team", need: Need::Required, message });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_domain::{Digest, Logic};

    fn submission(name: &str) -> Submission {
        Submission::new(name.parse().unwrap(), "1", name, vec!["x".into(), "{benchmark}".into()])
    }

    fn entrant(name: &str, change: impl FnOnce(&mut Submission)) -> Entrant {
        let mut submission = submission(name);
        change(&mut submission);
        Entrant { submission, files: Digest::of(b""), program: None, upload: None }
    }

    fn fields(found: &[Shortfall], need: Need) -> Vec<&'static str> {
        found.iter().filter(|shortfall| shortfall.need == need).map(|shortfall| shortfall.field).collect()
    }

    #[test]
    fn r19_4_9_and_r19_4_10_and_r19_5_2_every_missing_field_is_named_at_once() {
        let rules = Rulebook::named("smtcomp-2019").unwrap().entry;
        let found = check_entry(&rules, &submission("x"), None);
        assert_eq!(fields(&found, Need::Required), ["magic", "description", "consent"]);
        let should = ["authors", "approach", "techniques", "tools", "website", "license"];
        assert_eq!(fields(&found, Need::Recommended), should);
        let mut wrapper = submission("x");
        wrapper.wraps = vec!["y 1".into()];
        assert!(fields(&check_entry(&rules, &wrapper, None), Need::Recommended).contains(&"innovations"));
        let mut guest = submission("x");
        guest.kind = EntrantKind::NonCompeting;
        assert_eq!(check_entry(&rules, &guest, None), []);
    }

    #[test]
    fn r08_2_13_and_r08_2_14_a_description_of_one_or_two_pages_and_affiliations() {
        let rules = Rulebook::named("smtcomp-2008").unwrap().entry;
        let mut entry = submission("x");
        (entry.magic, entry.description) = (Some(1), Some("a.pdf".into()));
        entry.authors = vec!["Ada (Oxford)".into(), "Bob".into()];
        for (description, valid) in [
            (Description::Url, true),
            (Description::Pages(None), true),
            (Description::Pages(Some(1)), true),
            (Description::Pages(Some(2)), true),
            (Description::Pages(Some(3)), false),
            (Description::Missing, false),
            (Description::Unreadable("is empty".into()), false),
        ] {
            let found = check_entry(&rules, &entry, Some(&description));
            assert_eq!(fields(&found, Need::Required).is_empty(), valid, "{description:?}");
            assert!(found.iter().any(|shortfall| shortfall.message.contains("affiliation")));
        }
    }

    #[test]
    fn r08_2_10_r08_2_15_and_r08_2_16_what_is_recommended_and_that_sources_are_optional() {
        let mut rules = Rulebook::named("smtcomp-2008").unwrap().entry;
        let mut entry = submission("x");
        (entry.magic, entry.description) = (Some(1), Some("https://example.org".into()));
        let found = check_entry(&rules, &entry, Some(&Description::Url));
        assert_eq!(fields(&found, Need::Required), [""; 0]);
        assert_eq!(fields(&found, Need::Recommended), ["authors", "languages", "approach", "website"]);
        rules.requires.push(EntryField::Source);
        assert_eq!(fields(&check_entry(&rules, &entry, None), Need::Required), ["source"]);
        entry.source = Some("source.zip".into());
        entry.languages = vec!["Rust".into()];
        (entry.approach, entry.website) = (Some("lazy".into()), Some("https://example.org".into()));
        entry.authors = vec!["Ada (Oxford)".into()];
        assert_eq!(check_entry(&rules, &entry, None), []);
    }

    #[test]
    fn sl19_2_and_sl19_3_a_correspondent_and_a_presentation_of_new_solvers() {
        let rules = Rulebook::named("slcomp-2019").unwrap().entry;
        let mut entry = submission("x");
        assert_eq!(fields(&check_entry(&rules, &entry, None), Need::Required), ["contact"]);
        entry.contact = Some("nobody".into());
        assert_eq!(fields(&check_entry(&rules, &entry, None), Need::Required), ["contact"]);
        entry.contact = Some("ada@example.org".into());
        assert_eq!(check_entry(&rules, &entry, None), []);
        entry.new = true;
        assert_eq!(fields(&check_entry(&rules, &entry, None), Need::Required), ["description"]);
    }

    #[test]
    fn r08_2_22_r08_2_23_r08_2_24_r08_2_26_and_r08_2_27_wrappers_have_a_name_a_permission_and_company() {
        let rules = Rulebook::named("smtcomp-2008").unwrap().entry;
        let of = |entrants: &[Entrant]| fields(&check_entries(&rules, entrants), Need::Required);
        let tool = |logics: &[&str]| {
            let logics: Vec<Logic> = logics.iter().map(|name| Logic((*name).into())).collect();
            entrant("tool", |tool| {
                tool.logics.insert(Track::SingleQuery, logics);
            })
        };
        let wrapper = |name: &str, change: fn(&mut Submission)| {
            entrant(name, |wrapper| {
                wrapper.wraps = vec!["tool 1".into()];
                wrapper.permission = Some("mail of May 1".into());
                wrapper.logics.insert(Track::SingleQuery, vec![Logic("QF_BV".into())]);
                change(wrapper);
            })
        };
        assert_eq!(of(&[tool(&["QF_BV"]), wrapper("fast+tool", |_| {})]), [""; 0]);
        assert_eq!(of(&[tool(&["QF_BV"]), wrapper("fast", |_| {})]), ["name"]);
        assert_eq!(of(&[tool(&["QF_BV"]), wrapper("fast+tool", |w| w.permission = None)]), ["permission"]);
        assert_eq!(of(&[tool(&["QF_UF"]), wrapper("fast+tool", |_| {})]), ["wraps"]);
        assert_eq!(of(&[wrapper("fast+tool", |_| {})]), ["wraps"]);
        // Another version is another tool (R08-2.23), and an older one need not be entered (R08-2.25).
        assert_eq!(of(&[tool(&["QF_BV"]), wrapper("fast+tool", |w| w.wraps = vec!["tool 0.9".into()])]), ["wraps"]);
        let old = |w: &mut Submission| (w.wraps, w.older) = (vec!["tool 0.9".into()], vec!["tool 0.9".into()]);
        assert_eq!(of(&[wrapper("fast+tool", old)]), [""; 0]);
        // One's own solver is not wrapped.
        assert_eq!(of(&[tool(&["QF_UF"]), wrapper("fast", |w| w.team = "tool".into())]), [""; 0]);
    }

    #[test]
    fn versions_of_one_solver_enter_different_tracks() {
        let rules = EntryRules::default();
        let base = entrant("tool", |_| {});
        let other = |change: fn(&mut Submission)| {
            entrant("tool-inc", |entry| {
                (entry.team, entry.version_of) = ("tool".into(), Some("tool".into()));
                entry.commands = [(Track::Incremental, vec!["x".to_owned()])].into();
                change(entry);
            })
        };
        let of = |entrants: &[Entrant]| fields(&check_entries(&rules, entrants), Need::Required);
        assert_eq!(of(&[base.clone(), other(|_| {})]), [""; 0]);
        assert_eq!(of(&[other(|_| {})]), ["version_of"]);
        assert_eq!(of(&[base.clone(), other(|entry| entry.team = "T".into())]), ["version_of"]);
        let same = |entry: &mut Submission| {
            entry.commands.insert(Track::SingleQuery, vec!["x".into()]);
        };
        assert_eq!(of(&[base, other(same)]), ["version_of"]);
    }

    #[test]
    fn a_corrected_version_stands_beside_the_official_one_and_teams_have_a_maximum() {
        let mut rules = EntryRules::default();
        let fixed = entrant("fixed", |entry| entry.corrects = Some("official".into()));
        assert_eq!(fields(&check_entry(&rules, &fixed, None), Need::Required), ["kind"]);
        assert_eq!(fields(&check_entries(&rules, &[fixed]), Need::Required), ["corrects"]);
        rules.per_team = 1;
        let of_one = |name| entrant(name, |entry| entry.team = "T".into());
        let found = check_entries(&rules, &[of_one("a"), of_one("b")]);
        assert_eq!((found.len(), found[0].entrant.as_str(), found[0].field), (1, "b", "team"));
    }
}
