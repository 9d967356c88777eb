//! Reads rulebooks, and applies a competition's changes.

use crate::division::Divisions;
use crate::entry::EntryRules;
use crate::scoring::{Deviation, ScoringRules};
use crate::seed::SeedRules;
use crate::selection::SelectionRules;
use agon_domain::{
    Division, Limits, Logic, Milestone, ScoreKind, Scrambling, Time, Track, bottom_directory, did_you_mean,
    top_directory,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use toml::{Table, Value};

/// Defines `EDITIONS`, the compiled-in rulebooks: name and text.
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

/// The shortest valid wall-clock limit: a tenth of a second.
const SHORTEST: Time = Time::from_nanos(100_000_000);

/// The longest valid wall-clock limit: a year.
const LONGEST: Time = Time::from_secs(31_536_000);

/// The rules of one edition (R08-1.2).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rulebook {
    /// The name by which commands and `like` refer to the rulebook, such as `smtcomp-2019`.
    pub name: String,
    /// The title of the edition.
    pub title: String,
    /// The minimum number of teams in a division that is competitive (R19-6.1) or has a winner (R08-5.2, R08-5.6).
    pub teams: usize,
    /// Whether divisions that are not competitive are still run (R19-3.5).
    pub run_non_competitive: bool,
    /// Results of divisions with fewer solvers are not reported (A11-18); 0 reports all.
    #[serde(default)]
    pub report_from_solvers: usize,
    /// The language of the benchmarks.
    #[serde(default)]
    pub language: LanguageName,
    /// The definition of a family.
    pub family: FamilyRule,
    /// How benchmarks are transformed before solvers see them.
    pub scrambling: Scrambling,
    /// How the published results of the edition differ from the text of its rules.
    #[serde(default)]
    pub published: BTreeSet<Deviation>,
    /// What an entry must contain.
    #[serde(default)]
    pub entry: EntryRules,
    /// The dates that the rules have.
    #[serde(default)]
    pub calendar: Vec<Milestone>,
    /// The rounds of the edition.
    #[serde(default)]
    pub rounds: RoundRules,
    /// How the seed is computed.
    pub seed: SeedRules,
    /// How benchmarks are selected, by track.
    pub selection: BTreeMap<Track, SelectionRules>,
    /// The rules of each track.
    pub tracks: BTreeMap<Track, TrackRules>,
    /// The divisions of each track (R08-4.1). If a track is absent, each of its logics is a division.
    #[serde(default)]
    pub divisions: BTreeMap<Track, Divisions>,
    /// The experimental divisions of each track: they are scored, but not recognized (R19-3.6).
    #[serde(default)]
    pub experimental: BTreeMap<Track, Vec<Division>>,
}

/// The language of an edition's benchmarks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum LanguageName {
    /// SMT-LIB 2 (R19-5.7).
    #[default]
    #[serde(rename = "2")]
    V2,
    /// SMT-LIB 1.2 (R08-3.3).
    #[serde(rename = "1.2")]
    V1,
    /// The dialect of SL-COMP (SL19-9).
    #[serde(rename = "separation-logic")]
    Separation,
}

/// The rounds of an edition, in which every pair runs again (SL19-7).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RoundRules {
    /// The names of the rounds, in order; empty if the edition has only one.
    pub names: Vec<String>,
    /// The round whose results every team must accept before the next one (SL19-7).
    pub accepted: Option<String>,
    /// The round at whose start the library is fixed (SL19-6).
    pub library_fixed: Option<String>,
}

/// The definition of a benchmark's family.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FamilyRule {
    /// The directory that contains the file (R08-4.8, R19-6.3).
    #[serde(alias = "bottom-folder")]
    BottomDirectory,
    /// The first directory below that of the logic (2010 to 2012, 2016 to 2018).
    #[serde(alias = "top-folder")]
    TopDirectory,
}

impl FamilyRule {
    /// The family of the benchmark at this path.
    pub fn of(self, path: &str) -> &str {
        match self {
            Self::BottomDirectory => bottom_directory(path),
            Self::TopDirectory => top_directory(path),
        }
    }
}

/// The rules of one track.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrackRules {
    /// The rankings of each division (R19-7.7, R19-7.8).
    pub scores: Vec<ScoreKind>,
    /// The limits of a run.
    pub limits: Limits,
    /// Shorter wall-clock limits in seconds, ascending: a pair runs under the first one, and only a pair that reaches a
    /// limit runs again under the next one, up to the track's own (SL19-22).
    #[serde(default, rename = "ladder_s", skip_serializing_if = "Vec::is_empty")]
    pub ladder: Vec<Time>,
    /// The wall-clock limit in seconds of an entrant's pre-processor, which runs outside the limit of the solver
    /// (SL19-19); absent if the rules have no such step.
    #[serde(default, rename = "preprocess_s", skip_serializing_if = "Option::is_none")]
    pub preprocess: Option<Time>,
    /// Whether the whole track is experimental: it is scored, but not recognized (R19-3.6).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub experimental: bool,
    /// The year of the trace executor whose protocol the incremental track uses.
    #[serde(default = "executor_of_2019")]
    pub executor: u16,
    /// How runs become scores.
    #[serde(default)]
    pub scoring: ScoringRules,
}

fn executor_of_2019() -> u16 {
    2019
}

/// An unknown rulebook, or invalid changes to one.
#[derive(Debug, thiserror::Error)]
pub enum RulebookError {
    /// No edition has this name.
    #[error("unknown rulebook '{0}'{hint}; the rulebooks are {1}", hint = agon_domain::did_you_mean(.0, Rulebook::names()))]
    Unknown(String, String),
    /// A competition's changes contain an unknown field or an invalid value.
    #[error("the changes to rulebook '{0}' are invalid: {1}")]
    Changes(String, String),
}

impl Rulebook {
    /// The names of all editions.
    pub fn names() -> impl Iterator<Item = &'static str> {
        EDITIONS.iter().map(|(name, _)| *name)
    }

    /// The rulebook with this name.
    pub fn named(name: &str) -> Result<Self, RulebookError> {
        Self::with_changes(name, &Table::new())
    }

    /// The rulebook with this name and a competition's changes to its fields.
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

    /// The limits under which a pair of a logic runs, one after the other (R08-3.6, SL19-22): only a pair that reaches
    /// the time limit of one runs under the next. The last ones are final.
    pub fn ladder(&self, track: Track, logic: &Logic) -> Vec<Limits> {
        let Some(rules) = self.tracks.get(&track) else { return vec![] };
        let own = self.divisions.get(&track).and_then(|divisions| divisions.of_logic(logic));
        let last = own.map_or(rules.limits, |division| division.limits.applied_to(rules.limits));
        let steps = rules.ladder.iter().filter(|wall| **wall < last.wall);
        steps.map(|wall| Limits { wall: *wall, ..last }).chain([last]).collect()
    }

    /// Whether a division is experimental: it is scored, but nobody is recognized for it (R19-3.6). A whole track may
    /// be experimental too, which its own rules state.
    pub fn is_experimental(&self, track: Track, division: &Division) -> bool {
        let listed = self.experimental.get(&track).is_some_and(|names| names.contains(division));
        let of_table = self.divisions.get(&track).and_then(|divisions| divisions.0.get(division));
        listed || of_table.is_some_and(|rules| rules.experimental)
    }

    /// Describes the first value that has the right type but is out of range or inconsistent.
    fn fault(&self) -> Option<String> {
        if !(1..=1 << 31).contains(&self.seed.modulus) {
            return Some("seed.modulus must be from 1 to 2^31".into());
        }
        let of_rounds = [("accepted", &self.rounds.accepted), ("library_fixed", &self.rounds.library_fixed)];
        for (field, name) in of_rounds.into_iter().filter_map(|(field, name)| Some((field, name.as_ref()?))) {
            if !self.rounds.names.contains(name) {
                let hint = did_you_mean(name, self.rounds.names.iter().map(String::as_str));
                return Some(format!("rounds.{field}: there is no round '{name}'{hint}"));
            }
        }
        if let Some((track, fault)) = self.selection.iter().find_map(|(track, rules)| Some((track, rules.fault()?))) {
            return Some(format!("selection.{track}.{fault}"));
        }
        for (track, divisions) in &self.divisions {
            if let Some(fault) = divisions.fault() {
                return Some(format!("divisions.{track}.{fault}"));
            }
            if let Some(name) = self.experimental.get(track).into_iter().flatten().find(|name| !divisions.names(name)) {
                let hint = did_you_mean(&name.0, divisions.0.keys().map(|name| name.0.as_str()));
                return Some(format!(
                    "experimental.{track}: there is no division '{name}'{hint}; list the experimental ones of the new divisions"
                ));
            }
        }
        self.tracks.iter().find_map(|(track, rules)| {
            let bounds = std::iter::once(SHORTEST).chain(rules.ladder.iter().copied()).chain([rules.limits.wall]);
            if !rules.ladder.is_empty() && !bounds.is_sorted_by(|one, other| one < other) {
                return Some(format!("tracks.{track}.ladder_s must be ascending and below limits.wall_s"));
            }
            if rules.preprocess.is_some_and(|wall| !(SHORTEST..=LONGEST).contains(&wall)) {
                return Some(format!("tracks.{track}.preprocess_s is out of range"));
            }
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

/// The table of an edition, completed with the fields of the edition that it is based on (`like`).
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

/// Applies changes to a table.
fn changed(mut table: Table, changes: &Table) -> Table {
    // The divisions of a track are replaced as a whole, since a merge could put one logic into two divisions unnoticed.
    if let (Some(Value::Table(old)), Some(Value::Table(new))) = (table.get_mut("divisions"), changes.get("divisions")) {
        old.retain(|track, _| !new.contains_key(track));
    }
    lay_over(&mut table, changes);
    // `false` removes an entry of the base.
    for part in ["selection", "tracks", "divisions", "experimental"] {
        if let Some(Value::Table(tracks)) = table.get_mut(part) {
            tracks.retain(|_, rules| *rules != Value::Boolean(false));
        }
    }
    table
}

/// Replaces the fields of `base` with those of `changes`, recursively where both have a table.
fn lay_over(base: &mut Table, changes: &Table) {
    for (key, change) in changes {
        match (base.get_mut(key), change) {
            // A policy is an enum variant with its own fields; merging two variants would be invalid.
            (Some(Value::Table(inner)), Value::Table(changes)) if !is_one_of(key) || same_keys(inner, changes) => {
                lay_over(inner, changes);
            }
            _ => {
                base.insert(key.clone(), change.clone());
            }
        }
    }
}

/// Whether the table under this key is an enum variant instead of a struct.
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
    fn r08_1_2_every_edition_parses_and_has_its_file_name() {
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
    fn r08_4_1_fifteen_divisions_of_which_four_are_about_patterns() {
        let rules = Rulebook::named("smtcomp-2008").unwrap();
        let divisions = &rules.divisions[&Track::SingleQuery];
        assert_eq!(divisions.0.len(), 15);
        let names = |text: &str| divisions.0.keys().filter(|name| name.0.contains(text)).count();
        assert_eq!((names("QF_"), names("+p"), names("-p")), (11, 2, 2));
        assert_eq!(divisions.placements(&Logic("AUFLIA".into()), None).len(), 2);
        assert_eq!(divisions.placements(&Logic("QF_BV".into()), None).len(), 1);
    }

    #[test]
    fn r19_6_5_trivial_means_less_than_a_second() {
        let rules = &Rulebook::named("smtcomp-2019").unwrap().selection[&Track::SingleQuery];
        assert!(rules.eligible.is_trivial(0.999) && !rules.eligible.is_trivial(1.0));
        let script = rules.clone().with_generator(crate::GeneratorName::Python);
        assert!(script.eligible.is_trivial(1.0) && !script.eligible.is_trivial(1.001));
    }

    #[test]
    fn changes_replace_nested_fields_and_keep_the_others() {
        let changes = toml::from_str("[tracks.single-query.limits]\nwall_s = 2.5").unwrap();
        let limits = Rulebook::with_changes("smtcomp-2019", &changes).unwrap().tracks[&Track::SingleQuery].limits;
        assert_eq!(limits.wall, Time::from_nanos(2_500_000_000));
        assert_eq!(limits.cores, 4);
    }

    #[test]
    fn invalid_changes_are_rejected_and_named() {
        for (text, word) in [
            ("tems = 3", "tems"),
            ("[seed]\nmodulus = 0", "modulus"),
            ("[tracks.single-query.limits]\nwall_s = 0", "wall_s"),
            ("[tracks.single-query.limits]\nwall_s = inf", "wall_s"),
            ("[selection.single-query.policy.share]\npercent = 101", "percent"),
            ("[tracks.cloudy]\nscores = []", "cloudy"),
            ("[tracks.single-query]\nladder_s = [600, 300]", "ladder_s"),
            ("[tracks.single-query]\nladder_s = [2400]", "ladder_s"),
            ("[divisions.single-query.A]\nlimits = { wall = 3 }", "wall"),
            ("[divisions.single-query.A]\nlogics = ['QF_BV']\nlimits = { wall_s = 0 }", "divisions.single-query.A"),
            ("[rounds]\nnames = ['final']\naccepted = 'finl'", "did you mean final"),
            (
                "[divisions.single-query]\nQF_SL = ['QF_S']\n[experimental]\nsingle-query = ['QF_SLX']",
                "did you mean QF_SL",
            ),
        ] {
            let changes = toml::from_str(text).unwrap();
            let error = Rulebook::with_changes("smtcomp-2019", &changes).unwrap_err().to_string();
            assert!(error.contains(word), "{error}");
        }
        assert!(Rulebook::named("smtcomp-1066").unwrap_err().to_string().contains("smtcomp-2019"));
    }
}
