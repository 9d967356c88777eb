//! What is done to the benchmarks of an edition before solvers see them.

use serde::{Deserialize, Serialize};

/// What is done to the benchmarks of an edition before solvers see them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scrambling {
    /// Only what the track needs (SL19-20).
    None,
    /// They are scrambled by the seed (R08-4.22, R19-6.9).
    Standard,
    /// They are scrambled to the bytes of SMT-COMP's own scrambler, defects included.
    Official,
}
