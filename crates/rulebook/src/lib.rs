//! The rules of one edition as data.
//!
//! A rulebook is one TOML file in `rulebooks/`, compiled in. A competition may change any field of it under
//! `[rules]` in its `agon.toml`. What the fields make happen is the business of the crates that read them.

mod rulebook;

pub use rulebook::{Rulebook, RulebookError, SeedRules, SelectionRules, TrackRules};
