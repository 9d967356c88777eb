//! How an edition's benchmarks are selected.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// How the benchmarks of a track are selected.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelectionRules {
    /// Where the random numbers come from.
    pub generator: GeneratorName,
    /// Which benchmarks can be selected at all.
    #[serde(default)]
    pub eligible: EligibleRules,
    /// Which of them are selected.
    pub policy: SelectionPolicy,
}

impl SelectionRules {
    /// Checks for values that have the right type but make no sense.
    pub(crate) fn fault(&self) -> Option<&'static str> {
        match &self.policy {
            SelectionPolicy::Share(share) if share.percent > 100 => Some("policy.share.percent is over 100"),
            SelectionPolicy::Cells(cells) if cells.difficulty_up_to.is_empty() => {
                Some("policy.cells.difficulty_up_to is empty")
            }
            SelectionPolicy::Cells(cells) if cells.crafted + cells.random > cells.division => {
                Some("policy.cells.crafted and random are more than division")
            }
            SelectionPolicy::Quintiles(quintiles)
                if !quintiles.cumulative_percent.is_sorted() || quintiles.cumulative_percent[4] > 100 =>
            {
                Some("policy.quintiles.cumulative_percent does not rise to at most 100")
            }
            SelectionPolicy::Quintiles(quintiles) if quintiles.industrial_percent > 100 => {
                Some("policy.quintiles.industrial_percent is over 100")
            }
            _ if !self.eligible.trivial_s.is_finite() => Some("eligible.trivial_s is not a time"),
            _ => None,
        }
    }
}

/// A generator of random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum GeneratorName {
    /// C's `random()`, which the rules name (R08-4.21, R19-6.10).
    CRandom,
    /// Python's Mersenne twister, which the organizers' scripts of 2019 to 2023 used.
    Python,
}

/// A word that does not name a generator.
#[derive(Debug, thiserror::Error)]
#[error("no generator is called '{0}'; there are: c-random, python")]
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

/// Which benchmarks can be selected.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EligibleRules {
    /// By status.
    pub status: StatusRule,
    /// With at least this many assertions (R19-6.2).
    pub least_asserts: u64,
    /// Not those that all earlier runs solved within this many seconds of CPU time (R19-6.5); 0 disables the rule.
    pub trivial_s: f64,
    /// Trivial ones stay if fewer than this many would be left in a division (2014).
    pub trivial_unless_fewer_than: usize,
    /// Only of these logics; empty means all.
    pub logics: Vec<String>,
    /// Whether other logics are removed after the draw instead of before it: they then use up random numbers.
    pub logics_cut_after_draw: bool,
}

/// Which statuses are eligible.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StatusRule {
    /// Any.
    #[default]
    Any,
    /// Not unknown (R08-4.13, D14-1).
    Known,
    /// `sat`.
    Sat,
    /// `unsat`.
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
    /// If there are more than the limit, those with the most queries (A11-16).
    MostQueries {
        /// The limit per division; 0 means no limit.
        most: usize,
    },
    /// By difficulty, hardest first, industrial ones preferred (D14-3).
    Quintiles(QuintileRules),
}

/// A share of each logic (R19-6.6, R19-6.7).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShareRules {
    /// At least this many of a logic are selected, or all if there are fewer.
    pub at_least: usize,
    /// The share of a large logic that is selected.
    pub percent: usize,
    /// Where the share becomes smaller (2026).
    #[serde(default)]
    pub bend: Option<Bend>,
    /// What is selected before the draw.
    pub new_first: NewFirst,
    /// Whether benchmarks that a solver of the year settled are added to the eligible ones that were drawn (2022).
    #[serde(default)]
    pub add_solved: bool,
}

/// Where the share of a logic becomes smaller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bend {
    /// From this size on.
    pub above: usize,
    /// The share of what exceeds it.
    pub percent: usize,
}

/// How new benchmarks are preferred.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NewFirst {
    /// One of each new family (R19-6.7). The organizers' script drew from the whole family, and dropped the family if
    /// the draw was not eligible.
    OneOfFamily,
    /// One of each new family, drawn among its eligible members.
    OneEligibleOfFamily,
    /// All of them.
    All,
}

/// Quotas by family, category, status and difficulty (R08-4.15 to R08-4.20).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellRules {
    /// The upper difficulty of each cell; there are as many cells for `sat` as for `unsat`.
    pub difficulty_up_to: Vec<u32>,
    /// The limit per family in the pool.
    pub family: usize,
    /// The limit per division, not counting checks.
    pub division: usize,
    /// How many of them should be crafted.
    pub crafted: usize,
    /// How many of them should be random.
    pub random: usize,
    /// Whether checks of unknown status are selected, as the 2012 tool does although the text says otherwise.
    pub unknown_checks: bool,
}

/// By difficulty (2014).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QuintileRules {
    /// The limit per division; 0 means no limit.
    pub most: usize,
    /// The cumulative shares of the hardest fifth, the two hardest, and so on, in percent.
    pub cumulative_percent: [usize; 5],
    /// The minimal share of industrial ones within each fifth.
    pub industrial_percent: usize,
}
