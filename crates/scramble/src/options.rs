//! The options of scrambling.

use agon_domain::{Track, did_you_mean};
use std::collections::BTreeSet;
use std::str::FromStr;

/// Which annotations `(! term …)` are kept. Any other annotation is replaced with its term.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Annotations {
    /// All annotations.
    #[default]
    All,
    /// Annotations whose only attribute is `:pattern`.
    Patterns,
    /// No annotations.
    None,
}

/// The options of scrambling: those of the official tool, and whether to imitate it.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The random seed; 0 disables scrambling.
    pub seed: u32,
    /// Which annotations are kept.
    pub annotations: Annotations,
    /// Do not disable `:print-success`, since the trace executor waits for `success`.
    pub incremental: bool,
    /// Name every assertion, and add `get-unsat-core`.
    pub unsat_core: bool,
    /// Add `get-model`.
    pub model: bool,
    /// Add `get-proof`.
    pub proof: bool,
    /// Keep `set-option`, `reset` and the commands that query the solver.
    pub non_smtcomp: bool,
    /// Accept z3's attributes in official mode.
    pub z3: bool,
    /// Print no commands, only count assertions; see [`crate::Scrambled::asserts`].
    pub count_asserts: bool,
    /// Keep only assertions without a name and those with one of these names.
    pub core: Option<BTreeSet<Vec<u8>>>,
    /// Produce exactly the bytes of the official scrambler, including its bugs.
    pub official: bool,
}

/// The purpose of a scrambled file, which determines the options: a track, or another wrapper script of the organizers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipe {
    /// The file is run in a track.
    Track(Track),
    /// Keep commands that are not part of the competition's format.
    NonSmtcomp,
    /// Accept z3's attributes.
    Z3,
    /// Count the assertions.
    AssertCount,
}

/// The error for an unknown recipe name.
#[derive(Debug, thiserror::Error)]
#[error(
    "unknown track '{0}'{hint}; the tracks are {tracks}, and the other recipes are non-smtcomp, z3, asrt-count",
    hint = did_you_mean(.0, Track::ALL.map(Track::name)),
    tracks = Track::ALL.map(Track::name).join(", ")
)]
pub struct UnknownRecipe(String);

impl FromStr for Recipe {
    type Err = UnknownRecipe;

    /// Parses the name of a track or of another wrapper script of the organizers. The abbreviations of two track names
    /// that the scripts use are accepted too.
    fn from_str(name: &str) -> Result<Self, UnknownRecipe> {
        match name {
            "single" => Ok(Self::Track(Track::SingleQuery)),
            "model-val" => Ok(Self::Track(Track::ModelValidation)),
            "non-smtcomp" => Ok(Self::NonSmtcomp),
            "z3" => Ok(Self::Z3),
            "asrt-count" => Ok(Self::AssertCount),
            other => other.parse().map(Self::Track).map_err(|_| UnknownRecipe(other.to_owned())),
        }
    }
}

impl Options {
    /// The options that the organizers' wrapper scripts set, except for the seed.
    pub fn recipe(recipe: Recipe) -> Self {
        let base = Self { annotations: Annotations::Patterns, ..Self::default() };
        match recipe {
            Recipe::Track(track) => match track {
                Track::SingleQuery | Track::IndustryChallenge | Track::Parallel | Track::Cloud => base,
                Track::Incremental | Track::IndustryChallengeIncremental => Self { incremental: true, ..base },
                Track::UnsatCore => Self { unsat_core: true, ..base },
                Track::ModelValidation => Self { model: true, ..base },
                Track::Proof => Self { proof: true, ..base },
            },
            Recipe::NonSmtcomp => Self { non_smtcomp: true, ..Self::default() },
            Recipe::Z3 => Self { z3: true, ..Self::default() },
            Recipe::AssertCount => Self { count_asserts: true, ..Self::default() },
        }
    }

    /// Whether the track adds no commands to a script.
    pub(crate) const fn adds_nothing(&self) -> bool {
        !(self.incremental || self.unsat_core || self.model || self.proof)
    }
}
