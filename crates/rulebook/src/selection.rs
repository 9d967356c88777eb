//! The rules for selecting an edition's benchmarks.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// How the benchmarks of a track are selected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelectionRules {
    /// The random number generator.
    pub generator: GeneratorName,
    /// Which benchmarks are eligible.
    #[serde(default)]
    pub eligible: EligibleRules,
    /// Which of the eligible benchmarks are selected.
    pub policy: SelectionPolicy,
    /// How the organizers' script deviated from the text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub script: Option<ScriptRules>,
}

/// How the organizers' script, which used Python's generator, deviated from the text of the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptRules {
    /// Which new benchmarks it selected before the draw.
    pub new_first: NewFirst,
    /// Whether a benchmark solved in exactly the bound was trivial.
    pub trivial_inclusive: bool,
}

impl SelectionRules {
    /// The rules with this generator. With the generator of the organizers' script they are those of the script, so
    /// that the published selections can be drawn again.
    #[must_use]
    pub fn with_generator(mut self, generator: GeneratorName) -> Self {
        self.generator = generator;
        if let (GeneratorName::Python, Some(script)) = (generator, self.script) {
            self.eligible.trivial_inclusive = script.trivial_inclusive;
            if let SelectionPolicy::Share(share) = &mut self.policy {
                share.new_first = script.new_first;
            }
        }
        self
    }

    /// Describes the first value that has the right type but is out of range or inconsistent.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        match &self.policy {
            SelectionPolicy::Share(share) if share.percent > 100 => Some("policy.share.percent is over 100"),
            SelectionPolicy::Cells(cells) if cells.difficulty_up_to.is_empty() => {
                Some("policy.cells.difficulty_up_to is empty")
            }
            SelectionPolicy::Cells(cells) if cells.crafted + cells.random > cells.division => {
                Some("policy.cells.crafted plus random exceeds division")
            }
            SelectionPolicy::Quintiles(quintiles)
                if !quintiles.cumulative_percent.is_sorted() || quintiles.cumulative_percent[4] > 100 =>
            {
                Some("policy.quintiles.cumulative_percent must be ascending and at most 100")
            }
            SelectionPolicy::Quintiles(quintiles) if quintiles.industrial_percent > 100 => {
                Some("policy.quintiles.industrial_percent is over 100")
            }
            _ if !self.eligible.trivial_s.is_finite() => Some("eligible.trivial_s is not a finite number of seconds"),
            _ => None,
        }
    }
}

/// A random number generator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GeneratorName {
    /// C's `random()`, which the rules prescribe (R08-4.21, R19-6.10).
    CRandom,
    /// Python's Mersenne Twister, which the organizers' scripts of 2019 to 2023 used.
    Python,
}

/// The error for an unknown generator name.
#[derive(Debug, thiserror::Error)]
#[error("unknown generator '{0}'; the generators are c-random, python")]
pub struct UnknownGenerator(String);

impl FromStr for GeneratorName {
    type Err = UnknownGenerator;

    fn from_str(word: &str) -> Result<Self, UnknownGenerator> {
        match word {
            "c-random" => Ok(Self::CRandom),
            "python" => Ok(Self::Python),
            other => Err(UnknownGenerator(other.to_owned())),
        }
    }
}

/// Which benchmarks are eligible for selection.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EligibleRules {
    /// The eligible statuses.
    pub status: StatusRule,
    /// The minimum number of assertions (R19-6.2).
    pub least_asserts: u64,
    /// A benchmark that all earlier runs solved in less than this many seconds of CPU time is trivial and not eligible
    /// (R19-6.5); 0 disables the rule.
    pub trivial_s: f64,
    /// Whether runs of exactly `trivial_s` seconds are short enough too.
    pub trivial_inclusive: bool,
    /// Trivial benchmarks stay eligible if a division would have fewer than this many others (2014).
    pub trivial_unless_fewer_than: usize,
    /// The eligible logics; empty means all.
    pub logics: Vec<String>,
    /// Whether only benchmarks that were nominated for the challenge are eligible (R19-5.24).
    pub nominated: bool,
    /// Whether other logics are removed after the draw instead of before it, so that they consume random numbers.
    pub logics_cut_after_draw: bool,
}

impl EligibleRules {
    /// Whether a benchmark is trivial whose slowest run took this many seconds (R19-6.5).
    pub fn is_trivial(&self, slowest_s: f64) -> bool {
        slowest_s < self.trivial_s || (self.trivial_inclusive && slowest_s == self.trivial_s)
    }
}

/// Which statuses are eligible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StatusRule {
    /// Any status.
    #[default]
    Any,
    /// `sat` and `unsat` (R08-4.13, D14-1).
    Known,
    /// Only `sat`.
    Sat,
    /// Only `unsat`.
    Unsat,
}

/// Which eligible benchmarks are selected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SelectionPolicy {
    /// All of them (2015 to 2018, SL-COMP).
    Everything,
    /// A share of each logic, since 2019.
    Share(ShareRules),
    /// Quotas by family, category, status and difficulty, from 2008 to 2012.
    Cells(CellRules),
    /// All of them, or those with the most queries if a division has more than the limit (A11-16).
    MostQueries {
        /// The limit per division; 0 means no limit.
        most: usize,
    },
    /// By difficulty, hardest first, with industrial benchmarks preferred (D14-3).
    Quintiles(QuintileRules),
    /// Those that earlier solvers solved late or not at all: the parallel and cloud tracks since 2021.
    Hard(HardRules),
}

/// A number of hard and of unsolved benchmarks, drawn evenly from the logics.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HardRules {
    /// The number of benchmarks. Half of them are hard, and half unsolved.
    pub most: usize,
    /// A benchmark that an earlier solver solved within this many seconds of CPU time is not hard.
    pub hard_s: f64,
}

/// A share of each logic (R19-6.6, R19-6.7).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShareRules {
    /// The minimum number of benchmarks per logic; a smaller logic is selected completely.
    pub at_least: usize,
    /// The share of a large logic that is selected, in percent.
    pub percent: usize,
    /// A smaller share for the excess of very large logics (2026).
    #[serde(default)]
    pub bend: Option<Bend>,
    /// Which new benchmarks are selected before the draw.
    pub new_first: NewFirst,
    /// Whether benchmarks of unknown status that a solver of the year solved are added after the draw (2022).
    #[serde(default)]
    pub add_solved: bool,
}

/// A smaller share for the part of a logic that exceeds a given size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bend {
    /// The size above which the share is smaller.
    pub above: usize,
    /// The share of the benchmarks in excess of that size, in percent.
    pub percent: usize,
}

/// How new benchmarks are preferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NewFirst {
    /// One benchmark of each new family, drawn from the whole family as in the organizers' script until 2022. A family
    /// whose drawn benchmark is not eligible gets none.
    OneOfFamily,
    /// One benchmark of each new family, drawn among its eligible members (R19-6.7).
    OneEligibleOfFamily,
    /// All new benchmarks.
    All,
}

/// Quotas by family, category, status and difficulty (R08-4.15 to R08-4.20).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellRules {
    /// The upper bound of each cell's difficulty. `sat` and `unsat` each have one cell per bound.
    pub difficulty_up_to: Vec<u32>,
    /// The limit per family in the pool.
    pub family: usize,
    /// The limit per division, not counting checks.
    pub division: usize,
    /// The target number of crafted benchmarks per division.
    pub crafted: usize,
    /// The target number of random benchmarks per division.
    pub random: usize,
    /// Whether checks of unknown status are selected, as the 2012 tool does contrary to the text of the rules.
    pub unknown_checks: bool,
}

/// Quotas by difficulty (D14-3).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuintileRules {
    /// The limit per division; 0 means no limit.
    pub most: usize,
    /// The cumulative share of the hardest fifth, of the two hardest fifths, and so on, in percent.
    pub cumulative_percent: [usize; 5],
    /// The minimum share of industrial benchmarks within each fifth, in percent.
    pub industrial_percent: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rulebook;
    use agon_domain::Track;

    #[test]
    fn r19_6_5_less_than_a_second_is_trivial_and_the_script_takes_a_whole_one() {
        let rules = Rulebook::named("smtcomp-2019").unwrap().selection.remove(&Track::SingleQuery).unwrap();
        assert!(rules.eligible.is_trivial(0.999) && !rules.eligible.is_trivial(1.0));
        let script = rules.with_generator(GeneratorName::Python);
        assert!(script.eligible.is_trivial(1.0) && !script.eligible.is_trivial(1.001));
    }
}
