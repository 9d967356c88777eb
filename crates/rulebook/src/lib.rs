//! The rules of one edition as data.
//!
//! A rulebook is one TOML file in `rulebooks/`, compiled in. It may name another one that it is like, and then only
//! lists the differences. A competition may change any field under `[rules]` in its `agon.toml`. The crates that read
//! the fields decide what they do.

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
