//! Which logics make up which division.

use crate::{LogicIx, TrackResults};
use agon_domain::{Division, Logic};
use agon_rulebook::Rulebook;

/// A division, or a logic that is listed besides the divisions.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) name: Division,
    pub(crate) logics: Vec<LogicIx>,
}

/// The divisions of a track.
pub(crate) struct Grouping {
    pub(crate) divisions: Vec<Group>,
    /// The logics, if they are not the divisions.
    pub(crate) logics: Vec<Group>,
    /// The division of each logic, as an index into the divisions.
    of: Vec<usize>,
}

impl Grouping {
    /// Creates the divisions that the rulebook defines, and a division for each logic that is in none of them.
    pub(crate) fn new(results: &TrackResults, rulebook: &Rulebook) -> Self {
        let alone = |(at, logic): (usize, &Logic)| Group { name: Division::of(logic), logics: vec![LogicIx::at(at)] };
        let mut logics: Vec<Group> = results.logics.iter().enumerate().map(alone).collect();
        logics.sort_by(|one, other| one.name.cmp(&other.name));
        let Some(groups) = rulebook.divisions.get(&results.track) else {
            let of = places(results.logics.len(), &logics);
            return Self { divisions: logics, logics: vec![], of };
        };
        let place = |logic: &Logic| results.logics.iter().position(|found| found == logic).map(LogicIx::at);
        let mut divisions: Vec<Group> = groups
            .iter()
            .map(|(name, members)| Group { name: name.clone(), logics: members.iter().filter_map(place).collect() })
            .filter(|group| !group.logics.is_empty())
            .collect();
        let is_free = |group: &&Group| !divisions.iter().any(|division| division.logics.contains(&group.logics[0]));
        let free: Vec<Group> = logics.iter().filter(is_free).cloned().collect();
        divisions.extend(free);
        divisions.sort_by(|one, other| one.name.cmp(&other.name));
        let of = places(results.logics.len(), &divisions);
        // Divisions that are single logics are not listed twice.
        if divisions
            .iter()
            .all(|division| matches!(division.logics[..], [logic] if division.name.is_logic(&results.logics[logic])))
        {
            logics.clear();
        }
        Self { divisions, logics, of }
    }

    /// The division of a logic, as an index into the divisions.
    pub(crate) fn division_of(&self, logic: LogicIx) -> usize {
        self.of[logic.place()]
    }
}

/// The division of each logic, as an index into the divisions.
fn places(logics: usize, divisions: &[Group]) -> Vec<usize> {
    let mut of = vec![0; logics];
    for (at, division) in divisions.iter().enumerate() {
        for logic in &division.logics {
            of[logic.place()] = at;
        }
    }
    of
}
