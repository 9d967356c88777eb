//! Which logics make up which division.

use crate::TrackResults;
use agon_domain::Logic;

/// A division, or a logic that is shown beside the divisions.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) name: Logic,
    /// Its logics, as places in the list.
    pub(crate) logics: Vec<u32>,
}

/// The divisions of a track.
pub(crate) struct Grouping {
    pub(crate) divisions: Vec<Group>,
    /// The logics, where they are not the divisions.
    pub(crate) logics: Vec<Group>,
    /// The division of each logic.
    of: Vec<usize>,
}

impl Grouping {
    /// The groups that the rulebook names, and every logic that is in none as a division of its own.
    pub(crate) fn new(results: &TrackResults<'_>) -> Self {
        let mut logics: Vec<Group> =
            (0..).zip(&results.logics).map(|(at, name)| Group { name: name.clone(), logics: vec![at] }).collect();
        logics.sort_by(|one, other| one.name.cmp(&other.name));
        let Some(groups) = results.rules.divisions.get(&results.track) else {
            let of = places(results.logics.len(), &logics);
            return Self { divisions: logics, logics: vec![], of };
        };
        let place = |logic: &Logic| results.logics.iter().position(|found| found == logic).map(|at| at as u32);
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
        Self { divisions, logics, of }
    }

    /// The division of a logic.
    pub(crate) fn division_of(&self, logic: u32) -> usize {
        self.of[logic as usize]
    }
}

fn places(logics: usize, divisions: &[Group]) -> Vec<usize> {
    let mut of = vec![0; logics];
    for (at, division) in divisions.iter().enumerate() {
        for logic in &division.logics {
            of[*logic as usize] = at;
        }
    }
    of
}
