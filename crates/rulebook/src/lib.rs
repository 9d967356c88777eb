//! The rules of one edition as data.
//!
//! A rulebook is a TOML file in `rulebooks/` that is compiled in. It may be based on another one (`like`) and then
//! lists only the differences. A competition may override any field under `[rules]` in its `agon.toml`. The rules
//! themselves are implemented by the crates that read the fields.

mod division;
mod entry;
mod rulebook;
mod scoring;
mod seed;
mod selection;

pub use division::{DivisionRules, Divisions, LimitChanges, Patterns, Placement};
pub use entry::{EntryField, EntryRules, WrapperEntry};
pub use rulebook::{FamilyRule, LanguageName, RoundRules, Rulebook, RulebookError, TrackRules};
pub use scoring::{
    Counting, Deviation, ErrorSide, Logarithm, OverallErrors, OverallRules, RankingOrder, ScoringRules, TimeRule,
    UnknownDeviation, Weights,
};
pub use seed::{IndexTerm, MagicNumbers, PublishedSeed, SeedRules};
pub use selection::{
    Bend, CellRules, EligibleRules, GeneratorName, HardRules, NewFirst, QuintileRules, ScriptRules, SelectionPolicy,
    SelectionRules, ShareRules, StatusRule, UnknownGenerator,
};
