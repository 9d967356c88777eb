//! The random number generators.

use crate::{CRandom, PythonRandom};
use agon_rulebook::GeneratorName;

/// One of the generators that competitions have used.
#[derive(Clone)]
pub(crate) enum Generator {
    /// C's `random()`.
    C(CRandom),
    /// Python's `random`.
    Python(Box<PythonRandom>),
}

impl Generator {
    /// The named generator, seeded with `seed`.
    pub(crate) fn new(name: GeneratorName, seed: u32) -> Self {
        match name {
            GeneratorName::CRandom => Self::C(CRandom::new(seed)),
            GeneratorName::Python => Self::Python(Box::new(PythonRandom::new(seed))),
        }
    }

    /// Draws a number below `bound`, which must be positive.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        match self {
            Self::C(random) => random.below(bound),
            Self::Python(random) => random.below(bound),
        }
    }
}
