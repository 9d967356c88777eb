//! What is done to the benchmarks of an edition before solvers see them.

use serde::{Deserialize, Serialize};

/// What is done to the benchmarks of an edition before solvers see them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scrambling {
    /// Only what the track requires (SL19-20).
    None,
    /// Scrambled with the seed (R08-4.22, R19-6.9).
    Standard,
    /// Scrambled to the bytes of SMT-COMP's own scrambler, including its defects.
    Official,
}
