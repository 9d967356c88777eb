//! How an edition scrambles its benchmarks.

use serde::{Deserialize, Serialize};

/// How an edition transforms benchmarks before solvers see them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Scrambling {
    /// Only what the track requires (SL19-20).
    None,
    /// Scrambled with the seed (R08-4.22, R19-6.9).
    Standard,
    /// Scrambled to exactly the bytes that SMT-COMP's scrambler produces, including its bugs.
    Official,
}
