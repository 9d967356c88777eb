//! Reads rulebooks, and applies a competition's own settings.

use crate::scoring::{Deviation, ScoringRules};
use crate::seed::SeedRules;
use crate::selection::SelectionRules;
use agon_domain::{Division, Limits, Logic, ScoreKind, Scrambling, Time, Track, bottom_directory, top_directory};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use toml::{Table, Value};

/// The editions that are compiled in: name and text.
macro_rules! editions {
    ($($name:literal),* $(,)?) => {
        const EDITIONS: &[(&str, &str)] = &[$(($name, include_str!(concat!("../../../rulebooks/", $name, ".toml")))),*];
    };
}

editions![
    "smtcomp-2007",
    "smtcomp-2008",
    "smtcomp-2011-application",
    "smtcomp-2012",
    "smtcomp-2014",
    "smtcomp-2015",
    "smtcomp-2016",
    "smtcomp-2017",
    "smtcomp-2018",
    "smtcomp-2019",
    "smtcomp-2020",
    "smtcomp-2021",
    "smtcomp-2022",
    "smtcomp-2023",
    "smtcomp-2024",
    "smtcomp-2025",
    "smtcomp-2026",
    "slcomp-2014",
    "slcomp-2018",
    "slcomp-2019",
];

/// The range of sensible wall limits: from a tenth of a second to a year.
const SHORTEST: Time = Time::from_nanos(100_000_000);
const LONGEST: Time = Time::from_secs(31_536_000);

/// The rules of one edition.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rulebook {
    /// Its name on the command line: `smtcomp-2019`.
    pub name: String,
    /// Its title.
    pub title: String,
    /// How many teams make a division competitive (R19-6.1), or give it a winner at all (R08-5.2, R08-5.6).
    pub teams: usize,
    /// Whether divisions that are not competitive are still run (R19-3.5).
    pub run_non_competitive: bool,
    /// What a family is.
    pub family: FamilyRule,
    /// What is done to the benchmarks before solvers see them.
    pub scrambling: Scrambling,
    /// How the published results of the edition differ from the text of its rules.
    #[serde(default)]
    pub published: BTreeSet<Deviation>,
    /// How the seed is computed.
    pub seed: SeedRules,
    /// How benchmarks are selected, by track.
    pub selection: BTreeMap<Track, SelectionRules>,
    /// The tracks.
    pub tracks: BTreeMap<Track, TrackRules>,
    /// The divisions of each track as groups of logics. If a track has none, every logic is a division.
    #[serde(default)]
    pub divisions: BTreeMap<Track, BTreeMap<Division, Vec<Logic>>>,
    /// Experimental divisions of each track: they are scored, but not recognized (R19-3.6).
    #[serde(default)]
    pub experimental: BTreeMap<Track, Vec<Division>>,
}

/// What a family is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FamilyRule {
    /// The directory of the file (R08-4.8, R19-6.3).
    BottomFolder,
    /// The first directory below the logic's (2010 to 2012, 2016 to 2018).
    TopFolder,
}

impl FamilyRule {
    /// The family of a benchmark, by its path.
    pub fn of(self, path: &str) -> &str {
        match self {
            Self::BottomFolder => bottom_directory(path),
            Self::TopFolder => top_directory(path),
        }
    }
}

/// One track's rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrackRules {
    /// The rankings that are made (R19-7.7, R19-7.8).
    pub scores: Vec<ScoreKind>,
    /// The limits of a run.
    pub limits: Limits,
    /// The year of the trace executor that runs the incremental track.
    #[serde(default = "executor_of_2019")]
    pub executor: u16,
    /// How runs become scores.
    #[serde(default)]
    pub scoring: ScoringRules,
}

fn executor_of_2019() -> u16 {
    2019
}

/// What can be wrong with a rulebook or with a competition's changes to it.
#[derive(Debug, thiserror::Error)]
pub enum RulebookError {
    /// No edition has this name.
    #[error("no rulebook is called '{0}'{hint}; there are: {1}", hint = agon_domain::did_you_mean(.0, Rulebook::names()))]
    Unknown(String, String),
    /// The changes do not fit the rulebook.
    #[error("the changes to rulebook '{0}' do not fit it: {1}")]
    Changes(String, String),
}

impl Rulebook {
    /// The names of all editions.
    pub fn names() -> impl Iterator<Item = &'static str> {
        EDITIONS.iter().map(|(name, _)| *name)
    }

    /// The rulebook of this name.
    pub fn named(name: &str) -> Result<Self, RulebookError> {
        Self::with_changes(name, &Table::new())
    }

    /// The rulebook of this name, with a competition's changes to its fields.
    pub fn with_changes(name: &str, changes: &Table) -> Result<Self, RulebookError> {
        let misfit = |error: toml::de::Error| RulebookError::Changes(name.to_owned(), error.message().to_owned());
        let table = changed(table_of(name)?, changes);
        let rulebook: Self = table.try_into().map_err(misfit)?;
        match rulebook.fault() {
            None => Ok(rulebook),
            Some(fault) => Err(RulebookError::Changes(name.to_owned(), fault)),
        }
    }

    /// Whether a division is competitive (R19-6.1), given the team of each competing entrant.
    pub fn is_competitive<'a>(&self, teams: impl Iterator<Item = &'a str>) -> bool {
        teams.collect::<BTreeSet<_>>().len() >= self.teams
    }

    /// Checks for values that have the right type but make no sense.
    fn fault(&self) -> Option<String> {
        if !(1..=1 << 31).contains(&self.seed.modulus) {
            return Some("seed.modulus is 0 or over 2^31".into());
        }
        if let Some((track, fault)) = self.selection.iter().find_map(|(track, rules)| Some((track, rules.fault()?))) {
            return Some(format!("selection.{track}.{fault}"));
        }
        for (track, groups) in &self.divisions {
            let mut seen = BTreeSet::new();
            if let Some(twice) = groups.values().flatten().find(|logic| !seen.insert(*logic)) {
                return Some(format!("divisions.{track} has {twice} in two divisions"));
            }
        }
        self.tracks.iter().find_map(|(track, rules)| {
            let field = match rules.limits {
                Limits { cores: 0, .. } => "cores",
                Limits { memory_bytes: 0, .. } => "memory_bytes",
                Limits { output_bytes: 0, .. } => "output_bytes",
                limits if !(SHORTEST..=LONGEST).contains(&limits.wall) => "wall_s",
                _ => return None,
            };
            Some(format!("tracks.{track}.limits.{field} is out of range"))
        })
    }
}

/// An edition's table, with the fields of the edition that it is like where it has none of its own.
fn table_of(name: &str) -> Result<Table, RulebookError> {
    let text = EDITIONS.iter().find(|(edition, _)| *edition == name).map(|(_, text)| *text);
    let known = || Rulebook::names().collect::<Vec<_>>().join(", ");
    let text = text.ok_or_else(|| RulebookError::Unknown(name.to_owned(), known()))?;
    let own: Table = toml::from_str(text).expect("the compiled-in rulebooks are TOML");
    let Some(Value::String(other)) = own.get("like") else { return Ok(own) };
    let mut table = changed(table_of(other)?, &own);
    table.remove("like");
    Ok(table)
}

/// A table with changes applied.
fn changed(mut table: Table, changes: &Table) -> Table {
    // The divisions of a track are replaced as a whole.
    if let (Some(Value::Table(old)), Some(Value::Table(new))) = (table.get_mut("divisions"), changes.get("divisions")) {
        old.retain(|track, _| !new.contains_key(track));
    }
    lay_over(&mut table, changes);
    // `false` removes what the base has.
    for part in ["selection", "tracks", "divisions", "experimental"] {
        if let Some(Value::Table(tracks)) = table.get_mut(part) {
            tracks.retain(|_, rules| *rules != Value::Boolean(false));
        }
    }
    table
}

/// Replaces the fields of `base` by those of `changes`, recursively where both have a table.
fn lay_over(base: &mut Table, changes: &Table) {
    for (key, change) in changes {
        match (base.get_mut(key), change) {
            // A policy is one of several, each with its own fields.
            (Some(Value::Table(inner)), Value::Table(changes)) if !is_one_of(key) || same_keys(inner, changes) => {
                lay_over(inner, changes);
            }
            _ => {
                base.insert(key.clone(), change.clone());
            }
        }
    }
}

/// Whether a table contains one of several policies instead of fields.
fn is_one_of(key: &str) -> bool {
    matches!(key, "policy" | "order" | "errors")
}

fn same_keys(a: &Table, b: &Table) -> bool {
    a.keys().eq(b.keys())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_edition_reads_and_bears_its_name() {
        for name in Rulebook::names() {
            assert_eq!(Rulebook::named(name).unwrap().name, name);
        }
    }

    #[test]
    fn r19_5_22_forty_minutes_on_four_cores() {
        let limits = Rulebook::named("smtcomp-2019").unwrap().tracks[&Track::SingleQuery].limits;
        assert_eq!(limits.wall, Time::from_secs(2400));
        assert_eq!(limits.cores, 4);
        assert_eq!(limits.cpu(), Time::from_secs(9600));
    }

    #[test]
    fn changes_reach_the_inner_fields_and_leave_the_others() {
        let changes = toml::from_str("[tracks.single-query.limits]\nwall_s = 2.5").unwrap();
        let limits = Rulebook::with_changes("smtcomp-2019", &changes).unwrap().tracks[&Track::SingleQuery].limits;
        assert_eq!(limits.wall, Time::from_nanos(2_500_000_000));
        assert_eq!(limits.cores, 4);
    }

    #[test]
    fn changes_that_do_not_fit_are_refused_by_name() {
        for (text, word) in [
            ("tems = 3", "tems"),
            ("[seed]\nmodulus = 0", "modulus"),
            ("[tracks.single-query.limits]\nwall_s = 0", "wall_s"),
            ("[tracks.single-query.limits]\nwall_s = inf", "wall_s"),
            ("[selection.single-query.policy.share]\npercent = 101", "percent"),
            ("[tracks.cloudy]\nscores = []", "cloudy"),
        ] {
            let changes = toml::from_str(text).unwrap();
            let error = Rulebook::with_changes("smtcomp-2019", &changes).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
        assert!(Rulebook::named("smtcomp-1066").unwrap_err().to_string().contains("smtcomp-2019"));
    }
}
