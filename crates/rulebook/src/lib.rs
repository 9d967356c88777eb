//! The rules of one edition as data.
//!
//! A rulebook is one TOML file in `rulebooks/`, compiled in; it may say which other it is like and name only what differs.
//! A competition may change any field of it under `[rules]` in its `agon.toml`. What the fields make happen is the
//! business of the crates that read them.

mod rulebook;
mod scoring;
mod seed;
mod selection;

pub use rulebook::{FamilyRule, Rulebook, RulebookError, TrackRules};
pub use scoring::{
    Counting, Deviation, ErrorSide, Logarithm, OverallErrors, OverallRules, RankingOrder, ScoringRules, TimeRule,
    UnknownDeviation, Weights,
};
pub use seed::{IndexTerm, MagicNumbers, PublishedSeed, SeedRules};
pub use selection::{
    Bend, CellRules, EligibleRules, GeneratorName, NewFirst, QuintileRules, SelectionPolicy, SelectionRules,
    ShareRules, StatusRule, UnknownGenerator,
};
