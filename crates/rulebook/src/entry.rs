//! What the rules demand of an entry.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What an entry must contain (R08-2.13 to R08-2.27, R19-4.2 to R19-4.10, SL19-2, SL19-3).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct EntryRules {
    /// The fields that an entry must have.
    pub requires: Vec<EntryField>,
    /// The fields that an entry should have.
    pub recommends: Vec<EntryField>,
    /// The fields that an entry must have if the solver enters for the first time.
    pub requires_of_new: Vec<EntryField>,
    /// The smallest and largest number of pages of the system description; absent means any number.
    pub description_pages: Option<(u32, u32)>,
    /// The maximum number of competing entrants of a team in a track; 0 means no maximum.
    pub per_team: usize,
    /// What wrappers must observe.
    pub wrappers: WrapperEntry,
}

/// What wrappers must observe when they enter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WrapperEntry {
    /// They name the exact versions of the solvers that they wrap (R19-4.2).
    #[default]
    Versions,
    /// Also, their name ends in "+name", the wrapped solver's authors have given their permission, and it is entered
    /// wherever the wrapper is (R08-2.24 to R08-2.27).
    NameAndPermission,
}

/// A field of an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EntryField {
    /// The magic number (R08-2.17, R19-4.9). Only of entrants whose number counts.
    Magic,
    /// The system description (R08-2.13, R19-4.9).
    Description,
    /// The authors (R08-2.14, R19-4.10).
    Authors,
    /// The affiliation of every author (R08-2.14).
    Affiliations,
    /// The correspondent (SL19-3).
    Contact,
    /// The programming languages (R08-2.15).
    Languages,
    /// The basic approach (R08-2.15, R19-4.10).
    Approach,
    /// The main techniques (R19-4.10).
    Techniques,
    /// What a wrapper or derived solver adds (R19-4.2, R19-4.3). Only of those.
    Innovations,
    /// Other tools that it uses (R19-4.10).
    Tools,
    /// The web site (R08-2.16, R19-4.10).
    Website,
    /// The license (R19-5.2).
    License,
    /// The consent to publication and evaluation (R19-5.2).
    Consent,
    /// The source code (R08-2.10).
    Source,
}

impl EntryField {
    /// The field's name in entrant.toml.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Magic => "magic",
            Self::Description => "description",
            Self::Authors | Self::Affiliations => "authors",
            Self::Contact => "contact",
            Self::Languages => "languages",
            Self::Approach => "approach",
            Self::Techniques => "techniques",
            Self::Innovations => "innovations",
            Self::Tools => "tools",
            Self::Website => "website",
            Self::License => "license",
            Self::Consent => "consent",
            Self::Source => "source",
        }
    }
}

impl fmt::Display for EntryField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
