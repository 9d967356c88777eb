//! How an edition's seed is computed.

use serde::{Deserialize, Serialize};

/// How the seed is computed (R08-4.21, R19-6.10).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeedRules {
    /// The sum of the magic numbers is taken modulo this.
    pub modulus: u64,
    /// Which magic numbers count.
    pub counts: MagicNumbers,
    /// What is added for the stock index.
    pub index: IndexTerm,
    /// How the organizers departed from this, as the published seed shows.
    #[serde(default)]
    pub as_published: Option<PublishedSeed>,
}

/// How the organizers departed from their rules.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedSeed {
    /// Which magic numbers counted.
    pub counts: MagicNumbers,
    /// What was added for the stock index.
    pub index: IndexTerm,
}

impl SeedRules {
    /// The rules as they were applied.
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
    /// All except the organizers' own.
    NotOrganizers,
    /// Only those of entrants that compete.
    Competing,
    /// All.
    All,
}

/// What is added for the opening value of the stock index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IndexTerm {
    /// Nothing.
    None,
    /// Its integer part.
    IntegerPart,
    /// The nearest integer.
    Rounded,
    /// The integer part of a hundred times the value.
    Hundredfold,
}
