//! The rules for an edition's seed.

use serde::{Deserialize, Serialize};

/// How the seed is computed (R08-4.21, R19-6.10).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeedRules {
    /// The sum of the magic numbers is reduced modulo this number.
    pub modulus: u64,
    /// Which magic numbers count.
    pub counts: MagicNumbers,
    /// What is added for the stock index.
    pub index: IndexTerm,
    /// The name of the stock index.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub exchange: String,
    /// How the published seed was computed, if the organizers deviated from the rules.
    #[serde(default)]
    pub as_published: Option<PublishedSeed>,
}

/// How the organizers computed a published seed that deviates from their rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedSeed {
    /// Which magic numbers counted.
    pub counts: MagicNumbers,
    /// What was added for the stock index.
    pub index: IndexTerm,
}

impl SeedRules {
    /// The rules as the organizers applied them.
    #[must_use]
    pub fn as_published(mut self) -> Self {
        if let Some(PublishedSeed { counts, index }) = self.as_published.take() {
            (self.counts, self.index) = (counts, index);
        }
        self
    }
}

/// Which magic numbers count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MagicNumbers {
    /// All except those of the organizers' entrants.
    NotOrganizers,
    /// Only those of competing entrants.
    Competing,
    /// Those of all entrants.
    All,
}

/// What is added for the opening value of the stock index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IndexTerm {
    /// Nothing.
    None,
    /// The integer part of the value.
    IntegerPart,
    /// The nearest integer to the value.
    Rounded,
    /// The integer part of a hundred times the value.
    Hundredfold,
}
