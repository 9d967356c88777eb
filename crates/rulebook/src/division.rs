//! The divisions of a track: which benchmarks each contains, and how they are prepared.

use agon_domain::{Division, Limits, Logic, Time};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::collections::BTreeMap;
use std::fmt;

/// One division of a track. In a rulebook it is a table, or only the list of its logics.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DivisionRules {
    /// The logics that it contains.
    pub logics: Vec<Logic>,
    /// The classes of separation-logic problems that it contains, as `agon check` names them (SL19-16).
    pub content: Vec<String>,
    /// What happens to the patterns of quantifiers (R08-4.3).
    pub patterns: Patterns,
    /// The limits that differ from those of the track (R08-3.6).
    pub limits: LimitChanges,
    /// Whether the division is experimental: it is scored, but not recognized (R19-3.6).
    pub experimental: bool,
}

/// The limits of a division that differ from those of its track (R08-3.6).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LimitChanges {
    /// The wall-clock limit in seconds.
    #[serde(rename = "wall_s", skip_serializing_if = "Option::is_none")]
    pub wall: Option<Time>,
    /// The memory of the whole process tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_bytes: Option<u64>,
    /// The number of cores.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<u32>,
}

impl LimitChanges {
    /// The limits of a track with these changes.
    pub fn applied_to(self, limits: Limits) -> Limits {
        Limits {
            wall: self.wall.unwrap_or(limits.wall),
            memory_bytes: self.memory_bytes.unwrap_or(limits.memory_bytes),
            cores: self.cores.unwrap_or(limits.cores),
            ..limits
        }
    }
}

/// What happens to the patterns of quantifiers when a benchmark is prepared (R08-4.3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Patterns {
    /// They are kept: the divisions `+p` of 2008.
    #[default]
    Keep,
    /// They are removed: the divisions `-p` of 2008.
    Remove,
}

/// The fields of a division that is written as a table.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    logics: Vec<Logic>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    content: Vec<String>,
    #[serde(default)]
    patterns: Patterns,
    #[serde(default, skip_serializing_if = "is_default")]
    limits: LimitChanges,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    experimental: bool,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

impl Serialize for DivisionRules {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { logics, content, patterns, limits, experimental } = self.clone();
        if *self == (Self { logics: logics.clone(), ..Self::default() }) {
            return logics.serialize(serializer);
        }
        Fields { logics, content, patterns, limits, experimental }.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for DivisionRules {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct ListOrTable;
        impl<'de> Visitor<'de> for ListOrTable {
            type Value = DivisionRules;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of logics, or a table with logics, content, patterns, limits and experimental")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<DivisionRules, A::Error> {
                let logics = Deserialize::deserialize(SeqAccessDeserializer::new(list))?;
                Ok(DivisionRules { logics, ..DivisionRules::default() })
            }

            fn visit_map<A: MapAccess<'de>>(self, table: A) -> Result<DivisionRules, A::Error> {
                let Fields { logics, content, patterns, limits, experimental } =
                    Deserialize::deserialize(MapAccessDeserializer::new(table))?;
                Ok(DivisionRules { logics, content, patterns, limits, experimental })
            }
        }
        deserializer.deserialize_any(ListOrTable)
    }
}

/// The divisions of a track, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Divisions(pub BTreeMap<Division, DivisionRules>);

/// One preparation of a benchmark: the logic under which its runs are planned and ranked, and its patterns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The benchmark's own logic, or the name of a division that prepares benchmarks in its own way or shares them with
    /// others.
    pub logic: Logic,
    /// What happens to the patterns of quantifiers.
    pub patterns: Patterns,
}

impl Divisions {
    /// The logics under which the runs of a division are ranked: its logics, or its own name if it prepares benchmarks
    /// in its own way or shares them with other divisions.
    pub fn logics(&self, name: &Division) -> Vec<Logic> {
        match self.0.get(name) {
            Some(rules) if !self.stands_alone(name, rules) => rules.logics.clone(),
            _ => vec![Logic(name.0.clone())],
        }
    }

    /// The divisions and the logics of each.
    pub fn iter(&self) -> impl Iterator<Item = (&Division, Vec<Logic>)> {
        self.0.keys().map(|name| (name, self.logics(name)))
    }

    /// Whether some division contains benchmarks by their content.
    pub fn need_content(&self) -> bool {
        self.0.values().any(|rules| !rules.content.is_empty())
    }

    /// Every division that a benchmark is in, given its logic and the class of its content. A benchmark in no division
    /// is in one of its own.
    pub fn placements(&self, logic: &Logic, class: Option<&str>) -> Vec<Placement> {
        let contains = |rules: &DivisionRules| {
            rules.logics.contains(logic) || class.is_some_and(|class| rules.content.iter().any(|name| name == class))
        };
        let mut found = vec![];
        for (name, rules) in self.0.iter().filter(|(_, rules)| contains(rules)) {
            let own = if self.stands_alone(name, rules) { Logic(name.0.clone()) } else { logic.clone() };
            found.push(Placement { logic: own, patterns: rules.patterns });
        }
        if found.is_empty() {
            let own = class.map_or_else(|| logic.clone(), |class| Logic(class.to_owned()));
            found.push(Placement { logic: own, patterns: Patterns::Keep });
        }
        found
    }

    /// The logics under which a solver runs that enters this division or logic; empty if there is no such division.
    pub fn entered(&self, name: &Logic) -> Vec<Logic> {
        let division = Division::of(name);
        if self.0.contains_key(&division) {
            return self.logics(&division);
        }
        let with_logic = self.0.iter().filter(|(_, rules)| rules.logics.contains(name));
        let own = |(division, rules): (&Division, &DivisionRules)| {
            if self.stands_alone(division, rules) { Logic(division.0.clone()) } else { name.clone() }
        };
        let mut found: Vec<Logic> = with_logic.map(own).collect();
        found.dedup();
        found
    }

    /// The rules of the division whose runs are ranked under this logic.
    pub fn of_logic(&self, logic: &Logic) -> Option<&DivisionRules> {
        self.0.iter().find(|(name, _)| self.logics(name).contains(logic)).map(|(_, rules)| rules)
    }

    /// Whether a name is that of a division, or of a logic in one.
    pub(crate) fn names(&self, name: &Division) -> bool {
        let is_logic = |rules: &DivisionRules| rules.logics.iter().any(|logic| name.is_logic(logic));
        self.0.contains_key(name) || self.0.values().any(is_logic)
    }

    /// Describes the first division without benchmarks, or with a limit of zero.
    pub(crate) fn fault(&self) -> Option<String> {
        self.0.iter().find_map(|(name, rules)| {
            let LimitChanges { wall, memory_bytes, cores } = rules.limits;
            if rules.logics.is_empty() && rules.content.is_empty() {
                Some(format!("{name} has neither logics nor content"))
            } else if wall == Some(Time::ZERO) || memory_bytes == Some(0) || cores == Some(0) {
                Some(format!("{name} has a limit of zero"))
            } else {
                None
            }
        })
    }

    fn stands_alone(&self, name: &Division, rules: &DivisionRules) -> bool {
        let is_shared =
            |logic: &Logic| self.0.iter().any(|(other, rules)| other != name && rules.logics.contains(logic));
        !rules.content.is_empty() || rules.patterns != Patterns::Keep || rules.logics.iter().any(is_shared)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn logic(name: &str) -> Logic {
        Logic(name.into())
    }

    fn names(placements: &[Placement]) -> Vec<&str> {
        placements.iter().map(|placement| placement.logic.0.as_str()).collect()
    }

    #[test]
    fn r08_4_1_and_r08_4_3_one_logic_is_in_two_divisions() {
        let rules = crate::Rulebook::named("smtcomp-2008").unwrap();
        let divisions = &rules.divisions[&agon_domain::Track::SingleQuery];
        assert_eq!(divisions.0.len(), 15);
        let found = divisions.placements(&logic("AUFLIA"), None);
        assert_eq!(names(&found), ["AUFLIA+p", "AUFLIA-p"]);
        assert_eq!((found[0].patterns, found[1].patterns), (Patterns::Keep, Patterns::Remove));
        assert_eq!(names(&divisions.placements(&logic("QF_UF"), None)), ["QF_UF"]);
        assert_eq!(divisions.entered(&logic("AUFLIA")), [logic("AUFLIA+p"), logic("AUFLIA-p")]);
        assert_eq!(divisions.entered(&logic("AUFLIA-p")), [logic("AUFLIA-p")]);
        assert!(divisions.entered(&logic("AUFLIA-q")).is_empty());
    }

    #[test]
    fn sl19_16_eleven_divisions_by_content_and_one_within_another() {
        let rules = crate::Rulebook::named("slcomp-2019").unwrap();
        let divisions = &rules.divisions[&agon_domain::Track::SingleQuery];
        assert_eq!(divisions.0.len(), 11);
        assert!(divisions.need_content());
        let linear = divisions.placements(&logic("QF_SHLID"), Some("qf_shlid_entl"));
        assert_eq!(names(&linear), ["qf_shid_entl", "qf_shlid_entl"]);
        let lists = divisions.placements(&logic("QF_SHLS"), Some("qf_shls_sat"));
        assert_eq!(names(&lists), ["qf_shls_sat"]);
    }

    #[test]
    fn r08_3_6_and_sl19_22_limits_of_a_division_and_a_ladder_of_limits() {
        let text = "[tracks.single-query]\nladder_s = [5, 50, 1500]\n[divisions.single-query]\n\
                    A = { logics = ['QF_A'], limits = { wall_s = 1200, memory_bytes = 7 } }\nB = ['QF_B']";
        let rules = crate::Rulebook::with_changes("smtcomp-2008", &toml::from_str(text).unwrap()).unwrap();
        let walls = |name: &str| -> Vec<f64> {
            let ladder = rules.ladder(agon_domain::Track::SingleQuery, &logic(name));
            ladder.iter().map(|limits| limits.wall.as_secs_f64()).collect()
        };
        assert_eq!(walls("QF_A"), [5.0, 50.0, 1200.0]);
        assert_eq!(walls("QF_B"), [5.0, 50.0, 1500.0, 1800.0]);
        assert_eq!(walls("QF_C"), [5.0, 50.0, 1500.0, 1800.0]);
        assert_eq!(rules.ladder(agon_domain::Track::SingleQuery, &logic("QF_A"))[0].memory_bytes, 7);
    }

    #[test]
    fn divisions_are_lists_or_tables() {
        let text = "A = [\"QF_A\"]\nB = { logics = [\"QF_B\"], patterns = \"remove\", experimental = true }";
        let divisions: Divisions = toml::from_str(text).unwrap();
        assert_eq!(toml::from_str::<Divisions>(&toml::to_string(&divisions).unwrap()).unwrap(), divisions);
        let error = toml::from_str::<Divisions>("A = { logic = [] }").unwrap_err().to_string();
        assert!(error.contains("logic"), "{error}");
        let error = toml::from_str::<Divisions>("A = 3").unwrap_err().to_string();
        assert!(error.contains("a list of logics"), "{error}");
    }
}
