//! The competition's seed, with its sum spelled out (R08-4.21, R19-6.10).

use agon_domain::{Entrant, EntrantKind};
use agon_rulebook::SeedRules;
use serde::{Deserialize, Serialize};
use std::fmt;

/// One entrant's part in the seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contribution {
    /// Who.
    pub entrant: String,
    /// The magic number, where one was given.
    pub magic: Option<u32>,
    /// Whether it counts: the organizers' own do not.
    pub counts: bool,
}

/// Every magic number, the stock index's value, and the seed that they make.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SeedLedger {
    /// The modulus of the sum.
    pub modulus: u64,
    /// The opening value of the index, as given.
    pub index: f64,
    /// All entrants, in the order given.
    #[serde(default, rename = "contribution")]
    pub contributions: Vec<Contribution>,
}

impl SeedLedger {
    /// The ledger of these entrants. Only the organizers' numbers are left out.
    pub fn of_entrants<'a>(rules: &SeedRules, entrants: impl IntoIterator<Item = &'a Entrant>, index: f64) -> Self {
        let contributions = entrants.into_iter().map(|entrant| Contribution {
            entrant: entrant.name.to_string(),
            magic: entrant.magic,
            counts: entrant.kind != EntrantKind::Organizer,
        });
        Self { contributions: contributions.collect(), modulus: rules.modulus, index }
    }

    /// The ledger as a file, with the sum spelled out in front.
    pub fn to_toml(&self) -> String {
        let sum: String = self.to_string().lines().map(|line| format!("# {line}\n")).collect();
        let text = toml::to_string_pretty(self).expect("a ledger is plain data");
        format!("{sum}\n{text}")
    }

    /// Reads a ledger's file.
    pub fn from_toml(text: &str) -> Result<Self, String> {
        let ledger: Self = toml::from_str(text).map_err(|error| error.to_string())?;
        if ledger.modulus == 0 { Err("the modulus is 0".into()) } else { Ok(ledger) }
    }

    /// The sum of the numbers that count.
    pub fn sum(&self) -> u64 {
        self.contributions.iter().filter(|c| c.counts).filter_map(|c| c.magic).map(u64::from).sum()
    }

    /// The seed: the sum modulo the modulus, plus the integer part of the index.
    pub fn seed(&self) -> u32 {
        // A modulus of 2^30 and any stock index leave room in 32 bits; srandom() takes no more.
        (self.sum() % self.modulus + self.index.max(0.0).trunc() as u64) as u32
    }
}

/// The sum as an organizer would write it on the board.
impl fmt::Display for SeedLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Contribution { entrant, magic, counts } in &self.contributions {
            match magic {
                Some(magic) if *counts => writeln!(f, "{magic:>12}  {entrant}")?,
                Some(magic) => writeln!(f, "{:>12}  {entrant} (organizers' own, not counted)", format!("({magic})"))?,
                None => writeln!(f, "{:>12}  {entrant} (no magic number)", "-")?,
            }
        }
        let (sum, modulus, seed) = (self.sum(), self.modulus, self.seed());
        writeln!(f, "{sum:>12}  sum")?;
        writeln!(f, "{:>12}  sum mod {modulus}", sum % modulus)?;
        writeln!(f, "{:>12}  integer part of the index value {}", self.index.max(0.0).trunc(), self.index)?;
        writeln!(f, "{seed:>12}  seed")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ledger(numbers: &[(u32, bool)], index: f64) -> SeedLedger {
        let contribution =
            |&(magic, counts): &(u32, bool)| Contribution { entrant: "x".into(), magic: Some(magic), counts };
        SeedLedger { contributions: numbers.iter().map(contribution).collect(), modulus: 1 << 30, index }
    }

    #[test]
    fn r19_6_10_sum_modulo_two_to_the_thirty_plus_integer_part() {
        let ledger = ledger(&[(u32::MAX, true), (5, true), (7, false)], 12888.51);
        assert_eq!(ledger.sum(), 4_294_967_300);
        assert_eq!(ledger.seed(), 4 + 12888);
    }

    #[test]
    fn a_ledger_comes_back_from_its_file() {
        let ledger = ledger(&[(3, true), (7, false)], 1.9);
        assert_eq!(SeedLedger::from_toml(&ledger.to_toml()).unwrap(), ledger);
        assert!(SeedLedger::from_toml("modulus = 0\nindex = 1.0").is_err());
    }

    #[test]
    fn the_ledger_shows_what_was_left_out() {
        let text = ledger(&[(3, true), (7, false)], 1.9).to_string();
        assert!(text.contains("(7)") && text.contains("not counted"), "{text}");
        assert!(text.contains("           4  seed"), "{text}");
    }
}
