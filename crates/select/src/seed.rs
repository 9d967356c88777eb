//! The competition's seed, with its computation shown step by step (R08-4.21, R19-6.10).

use agon_domain::{Entrant, EntrantKind};
use agon_rulebook::{IndexTerm, MagicNumbers, SeedRules};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// An entrant's contribution to the seed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Contribution {
    /// The name of the entrant.
    pub entrant: String,
    /// The magic number, if one was submitted. Some past numbers have more than 32 bits, and all bits counted.
    pub magic: Option<u64>,
    /// The entrant's kind, which determines whether its number counts.
    pub kind: EntrantKind,
}

/// The opening value of the stock index, with exact decimal digits (R08-1.4).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct IndexValue {
    whole: u32,
    fraction: String,
}

/// A string that is not the value of a stock index.
#[derive(Debug, thiserror::Error)]
#[error("'{0}' is not the value of a stock index, such as 12888.51")]
pub struct MalformedIndex(String);

impl FromStr for IndexValue {
    type Err = MalformedIndex;

    fn from_str(text: &str) -> Result<Self, MalformedIndex> {
        let is_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let (whole, fraction) = match text.split_once('.') {
            Some((whole, fraction)) if is_digits(fraction) => (whole, fraction),
            Some(_) => ("", ""),
            None => (text, ""),
        };
        let in_range = whole.parse::<u32>().ok().filter(|whole| *whole < 1 << 24);
        match in_range.filter(|_| is_digits(whole)) {
            Some(whole) => Ok(Self { whole, fraction: fraction.to_owned() }),
            _ => Err(MalformedIndex(text.to_owned())),
        }
    }
}

impl TryFrom<String> for IndexValue {
    type Error = MalformedIndex;

    fn try_from(text: String) -> Result<Self, MalformedIndex> {
        text.parse()
    }
}

impl From<IndexValue> for String {
    fn from(value: IndexValue) -> Self {
        value.to_string()
    }
}

impl fmt::Display for IndexValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.fraction.is_empty() {
            write!(f, "{}", self.whole)
        } else {
            write!(f, "{}.{}", self.whole, self.fraction)
        }
    }
}

impl IndexValue {
    /// The term that the stock index adds to the seed.
    fn term(&self, rule: IndexTerm) -> u64 {
        let digit = |at: usize| self.fraction.as_bytes().get(at).map_or(0, |digit| u64::from(digit - b'0'));
        let whole = u64::from(self.whole);
        match rule {
            IndexTerm::None => 0,
            IndexTerm::IntegerPart => whole,
            IndexTerm::Rounded => whole + u64::from(digit(0) >= 5),
            IndexTerm::Hundredfold => whole * 100 + digit(0) * 10 + digit(1),
        }
    }
}

/// All magic numbers, the value of the stock index, and the rules that compute the seed from them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeedLedger {
    /// The modulus of the sum.
    pub modulus: u64,
    /// Which magic numbers count.
    pub counts: MagicNumbers,
    /// The term that is added for the stock index.
    pub term: IndexTerm,
    /// The opening value of the stock index.
    pub index: IndexValue,
    /// Where the value is from; `None` if nobody stated it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quote: Option<IndexQuote>,
    /// The contributions of all entrants, including those that do not count.
    #[serde(default, rename = "contribution")]
    pub contributions: Vec<Contribution>,
}

/// The origin of the value of a stock index, so that anyone can check it (R19-6.10).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexQuote {
    /// The trading day, as YYYY-MM-DD.
    pub date: String,
    /// The name of the index.
    pub exchange: String,
    /// Where the value was published.
    pub source: Option<String>,
}

/// An error in the file of a ledger.
#[derive(Debug, thiserror::Error)]
pub enum SeedLedgerError {
    /// The file cannot be parsed.
    #[error(transparent)]
    Toml(#[from] toml::de::Error),
    /// The modulus is 0.
    #[error("the modulus is 0")]
    ZeroModulus,
}

impl SeedLedger {
    /// The ledger of these contributions.
    pub fn new(rules: &SeedRules, contributions: Vec<Contribution>, index: IndexValue) -> Self {
        Self { modulus: rules.modulus, counts: rules.counts, term: rules.index, index, quote: None, contributions }
    }

    /// The ledger of these entrants.
    pub fn of_entrants<'a>(
        rules: &SeedRules,
        entrants: impl IntoIterator<Item = &'a Entrant>,
        index: IndexValue,
    ) -> Self {
        let contributions = entrants.into_iter().map(|entrant| Contribution {
            entrant: entrant.name.to_string(),
            magic: entrant.magic.map(u64::from),
            kind: entrant.kind,
        });
        Self::new(rules, contributions.collect(), index)
    }

    /// The ledger with the origin of the index value.
    #[must_use]
    pub fn with_quote(self, quote: Option<IndexQuote>) -> Self {
        Self { quote, ..self }
    }

    /// The ledger's file. It starts with the computation of the seed, as comments.
    pub fn to_toml(&self) -> String {
        let sum: String = self.to_string().lines().map(|line| format!("# {line}\n")).collect();
        let text = toml::to_string_pretty(self).expect("a ledger is plain data");
        format!("{sum}\n{text}")
    }

    /// Parses the file of a ledger.
    pub fn from_toml(text: &str) -> Result<Self, SeedLedgerError> {
        let ledger: Self = toml::from_str(text)?;
        if ledger.modulus == 0 { Err(SeedLedgerError::ZeroModulus) } else { Ok(ledger) }
    }

    fn counted(&self, contribution: &Contribution) -> bool {
        match self.counts {
            MagicNumbers::All => true,
            MagicNumbers::NotOrganizers => !contribution.kind.is_organizers(),
            MagicNumbers::Competing => contribution.kind.can_win(),
        }
    }

    /// The sum of the magic numbers that count.
    pub fn sum(&self) -> u128 {
        self.contributions.iter().filter(|c| self.counted(c)).filter_map(|c| c.magic).map(u128::from).sum()
    }

    /// The seed: the sum modulo the modulus, plus the term for the stock index.
    pub fn seed(&self) -> u32 {
        let sum = (self.sum() % u128::from(self.modulus)) as u64;
        // With a modulus of 2^30 and any valid stock index the seed fits into 32 bits, as srandom() requires.
        (sum + self.index.term(self.term)) as u32
    }
}

/// The computation of the seed, one summand per line.
impl fmt::Display for SeedLedger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for contribution @ Contribution { entrant, magic, kind } in &self.contributions {
            match magic {
                Some(magic) if self.counted(contribution) => writeln!(f, "{magic:>20}  {entrant}")?,
                Some(magic) => {
                    let role = if kind.is_organizers() { "the organizers' own" } else { "not competing" };
                    writeln!(f, "{:>20}  {entrant} ({role}, not counted)", format!("({magic})"))?;
                }
                None => writeln!(f, "{:>20}  {entrant} (no magic number)", "-")?,
            }
        }
        let (sum, modulus) = (self.sum(), self.modulus);
        writeln!(f, "{sum:>20}  sum")?;
        writeln!(f, "{:>20}  sum mod {modulus}", sum % u128::from(modulus))?;
        let part = match self.term {
            IndexTerm::None => "the stock index is not added; its value is",
            IndexTerm::IntegerPart => "integer part of the index value",
            IndexTerm::Rounded => "rounded index value",
            IndexTerm::Hundredfold => "integer part of a hundred times the index value",
        };
        writeln!(f, "{:>20}  {part} {}", self.index.term(self.term), self.index)?;
        if let Some(IndexQuote { date, exchange, source }) = &self.quote {
            let source = source.as_ref().map_or(String::new(), |source| format!(" ({source})"));
            writeln!(f, "{:>20}  {exchange}, opening value of {date}{source}", "")?;
        }
        writeln!(f, "{:>20}  seed", self.seed())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_rulebook::Rulebook;

    fn ledger(numbers: &[(u64, EntrantKind)], edition: &str, index: &str) -> SeedLedger {
        let contributions = numbers
            .iter()
            .map(|&(magic, kind)| Contribution { entrant: "x".into(), magic: Some(magic), kind })
            .collect();
        SeedLedger::new(&Rulebook::named(edition).unwrap().seed, contributions, index.parse().unwrap())
    }

    const NUMBERS: [(u64, EntrantKind); 4] = [
        (u32::MAX as u64, EntrantKind::Competing),
        (5, EntrantKind::Competing),
        (7, EntrantKind::Organizer),
        (20, EntrantKind::NonCompeting),
    ];

    #[test]
    fn r19_6_10_sum_modulo_two_to_the_thirty_plus_integer_part() {
        let ledger = ledger(&NUMBERS, "smtcomp-2019", "12888.51");
        assert_eq!(ledger.sum(), 4_294_967_320);
        assert_eq!(ledger.seed(), 24 + 12888);
    }

    #[test]
    fn r08_1_4_and_r08_4_21_each_edition_has_its_own_seed_formula() {
        assert_eq!(ledger(&NUMBERS, "smtcomp-2007", "9.99").seed(), 24);
        assert_eq!(ledger(&NUMBERS, "smtcomp-2020", "15078.69").seed(), 24 + 1_507_869);
        assert_eq!(ledger(&NUMBERS, "smtcomp-2020", "7.5").seed(), 24 + 750);
        assert_eq!(ledger(&NUMBERS, "smtcomp-2026", "1.239").seed(), 4 + 123);
        let rules = Rulebook::named("smtcomp-2008").unwrap().seed.as_published();
        let contributions = ledger(&NUMBERS, "smtcomp-2008", "1").contributions;
        assert_eq!(SeedLedger::new(&rules, contributions, "8481.60".parse().unwrap()).seed(), 31 + 8482);
    }

    #[test]
    fn r19_6_10_the_numbers_of_organizers_that_compete_do_not_count() {
        let numbers = [(5, EntrantKind::Competing), (7, EntrantKind::CompetingOrganizer)];
        assert_eq!(ledger(&numbers, "smtcomp-2019", "1").seed(), 5 + 1);
        assert_eq!(ledger(&numbers, "smtcomp-2026", "1.00").seed(), 12 + 100);
    }

    #[test]
    fn a_ledger_round_trips_and_modulus_zero_is_rejected() {
        let ledger = ledger(&NUMBERS, "smtcomp-2019", "1.90");
        assert_eq!(SeedLedger::from_toml(&ledger.to_toml()).unwrap(), ledger);
        let zero = ledger.to_toml().replace("modulus = 1073741824", "modulus = 0");
        assert!(SeedLedger::from_toml(&zero).is_err());
    }

    #[test]
    fn the_ledger_lists_numbers_that_do_not_count() {
        let text = ledger(&NUMBERS, "smtcomp-2026", "1.9").to_string();
        assert!(text.contains("(7)") && text.contains("organizers' own, not counted"), "{text}");
        assert!(text.contains("(20)") && text.contains("not competing, not counted"), "{text}");
        assert!(text.contains("           194  seed"), "{text}");
    }

    #[test]
    fn malformed_index_values_are_rejected() {
        for text in ["", ".5", "1.", "+5", "-1", "1e9", "1.2.3", "99999999", "x", "12,888.51"] {
            assert!(text.parse::<IndexValue>().is_err(), "{text}");
        }
    }
}
