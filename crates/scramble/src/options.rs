//! The options of scrambling.

use agon_domain::{Track, did_you_mean};
use std::collections::BTreeSet;
use std::str::FromStr;

/// Which `(! term …)` are printed as such; of the others only the term is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Annotations {
    /// All.
    #[default]
    All,
    /// Those with one attribute, if that is `:pattern`.
    Patterns,
    /// None.
    None,
}

/// The options of the official tool, and whether to imitate it.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The random seed; 0 disables scrambling.
    pub seed: u32,
    /// Which annotations stay.
    pub annotations: Annotations,
    /// Omit the option that would suppress `success`: the trace executor waits for it.
    pub incremental: bool,
    /// Name every assertion and ask for an unsat core.
    pub unsat_core: bool,
    /// Ask for a model.
    pub model: bool,
    /// Ask for a proof.
    pub proof: bool,
    /// Keep `set-option`, `reset`, and the commands that query the solver.
    pub non_smtcomp: bool,
    /// Let the official tool accept z3's attributes.
    pub z3: bool,
    /// Print no commands; see [`crate::Scrambled::asserts`].
    pub count_asserts: bool,
    /// Keep only the assertions with one of these names, and those without a name.
    pub core: Option<BTreeSet<Vec<u8>>>,
    /// Produce the bytes of the official scrambler, including its defects.
    pub official: bool,
}

/// What a file is prepared for: a track, or one of the organizers' other wrappers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recipe {
    /// A track.
    Track(Track),
    /// Keep everything that is not part of the competition's format.
    NonSmtcomp,
    /// Accept z3's attributes.
    Z3,
    /// Count the assertions.
    AssertCount,
}

/// A word that does not name a recipe.
#[derive(Debug, thiserror::Error)]
#[error(
    "no track is called '{0}'{hint}; there are: {tracks}, and the recipes non-smtcomp, z3, asrt-count",
    hint = did_you_mean(.0, Track::ALL.map(Track::name)),
    tracks = Track::ALL.map(Track::name).join(", ")
)]
pub struct UnknownRecipe(String);

impl FromStr for Recipe {
    type Err = UnknownRecipe;

    /// Reads the name of a track, or of one of the organizers' wrappers, which have short names for two tracks.
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
    /// The options that the organizers' wrappers set, besides the seed.
    pub fn recipe(recipe: Recipe) -> Self {
        let base = Self { annotations: Annotations::Patterns, ..Self::default() };
        match recipe {
            Recipe::Track(track) => match track {
                Track::SingleQuery | Track::IndustryChallenge | Track::Parallel | Track::Cloud => base,
                Track::Incremental => Self { incremental: true, ..base },
                Track::UnsatCore => Self { unsat_core: true, ..base },
                Track::ModelValidation => Self { model: true, ..base },
                Track::Proof => Self { proof: true, ..base },
            },
            Recipe::NonSmtcomp => Self { non_smtcomp: true, ..Self::default() },
            Recipe::Z3 => Self { z3: true, ..Self::default() },
            Recipe::AssertCount => Self { count_asserts: true, ..Self::default() },
        }
    }

    /// Whether the track adds nothing to a script.
    pub(crate) const fn adds_nothing(&self) -> bool {
        !(self.incremental || self.unsat_core || self.model || self.proof)
    }
}
