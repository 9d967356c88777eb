//! How to scramble.

use std::collections::BTreeSet;

/// Which `(! term …)` are printed as such; the others are printed as their term.
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

/// How to scramble: the options of the official tool, and whether to be like it.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// What decides; 0 changes neither names nor orders.
    pub seed: u32,
    /// Which annotations stay.
    pub annotations: Annotations,
    /// Leave out the option that would silence `success`: the trace executor waits for it.
    pub incremental: bool,
    /// Name every assertion and ask for an unsat core.
    pub unsat_core: bool,
    /// Ask for a model.
    pub model: bool,
    /// Ask for a proof.
    pub proof: bool,
    /// Keep `set-option`, `reset`, and the commands that ask for something.
    pub non_smtcomp: bool,
    /// Let the official tool accept z3's attributes.
    pub z3: bool,
    /// Print no command; see [`crate::Scrambled::asserts`].
    pub count_asserts: bool,
    /// Keep only the assertions with one of these names, and those without a name.
    pub core: Option<BTreeSet<Vec<u8>>>,
    /// Give the bytes of the official scrambler, defects included.
    pub official: bool,
}

impl Options {
    /// What the organizers' own wrappers set for a track, besides the seed. The names are those of the tracks and of the
    /// wrappers: `single-query` or `single`, `incremental`, `unsat-core`, `model-validation` or `model-val`, `proof`,
    /// `industry-challenge`, `non-smtcomp`, `z3`, `asrt-count`.
    pub fn recipe(name: &str) -> Option<Self> {
        let base = Self { annotations: Annotations::Patterns, ..Self::default() };
        Some(match name {
            "single-query" | "single" | "industry-challenge" | "parallel" | "cloud" => base,
            "incremental" => Self { incremental: true, ..base },
            "unsat-core" => Self { unsat_core: true, ..base },
            "model-validation" | "model-val" => Self { model: true, ..base },
            "proof" => Self { proof: true, ..base },
            "non-smtcomp" => Self { non_smtcomp: true, ..Self::default() },
            "z3" => Self { z3: true, ..Self::default() },
            "asrt-count" => Self { count_asserts: true, ..Self::default() },
            _ => return None,
        })
    }
}
