//! Filters benchmarks.

use super::list::facts;
use crate::cli::Filter;
use crate::failure::Usage;
use crate::print::plain;
use agon_domain::Benchmark;
use agon_library::{Entry, Library};
use agon_rulebook::FamilyRule;
use serde_json::Value;
use std::cmp::Ordering;

/// The benchmarks of a library that match a filter.
pub fn filtered<'a>(library: &'a Library, families: FamilyRule, filter: &Filter) -> anyhow::Result<Vec<&'a Entry>> {
    let conditions = filter.conditions.iter().map(|text| Condition::read(text)).collect::<Result<Vec<_>, _>>()?;
    let fits = |benchmark: &Benchmark| {
        filter.logic.as_ref().is_none_or(|logic| benchmark.logic.0 == *logic)
            && filter.status.is_none_or(|status| benchmark.status() == status)
            && filter.family.as_ref().is_none_or(|family| families.of(&benchmark.path.0) == family)
            && (conditions.is_empty() || {
                let facts = facts(benchmark, families);
                conditions.iter().all(|condition| condition.holds(&facts))
            })
    };
    Ok(library.iter().filter(|entry| fits(&entry.benchmark)).collect())
}

/// `FIELD OPERATOR VALUE`
struct Condition {
    field: String,
    operator: Operator,
    value: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Operator {
    Differs,
    AtMost,
    AtLeast,
    Equals,
    Less,
    Greater,
    Contains,
}

/// The operators of `--where`, as they are written.
const OPERATORS: [(&str, Operator); 7] = [
    ("!=", Operator::Differs),
    ("<=", Operator::AtMost),
    (">=", Operator::AtLeast),
    ("=", Operator::Equals),
    ("<", Operator::Less),
    (">", Operator::Greater),
    ("~", Operator::Contains),
];

const FIELDS: [&str; 13] = [
    "path",
    "part",
    "logic",
    "family",
    "status",
    "category",
    "difficulty",
    "asserts",
    "check_sats",
    "bytes",
    "license",
    "source",
    "sha256",
];

impl Condition {
    fn read(text: &str) -> Result<Self, Usage> {
        let places = OPERATORS.iter().filter_map(|(sign, operator)| Some((text.find(sign)?, *sign, *operator)));
        // The leftmost operator; of two at the same position, the longer, so that `<=` is not read as `<`.
        let Some((at, sign, operator)) = places.min_by_key(|(at, sign, _)| (*at, 3 - sign.len())) else {
            let known = OPERATORS.map(|(sign, _)| sign).join(" ");
            return Err(Usage(format!("no operator in '{text}'; the operators are {known}")));
        };
        let (field, value) = (text[..at].trim(), text[at + sign.len()..].trim());
        // The spelling of earlier versions.
        let field = if field == "licence" { "license" } else { field };
        if !FIELDS.contains(&field) {
            return Err(Usage(format!("there is no field '{field}'; the fields are {}", FIELDS.join(", "))));
        }
        let is_number = ["difficulty", "asserts", "check_sats", "bytes"].contains(&field);
        if is_number && operator != Operator::Contains && !value.is_empty() && value.parse::<f64>().is_err() {
            return Err(Usage(format!("'{value}' is not a number ({field} is numeric)")));
        }
        Ok(Self { field: field.to_owned(), operator, value: value.to_owned() })
    }

    fn holds(&self, facts: &Value) -> bool {
        let found = plain(&facts[&self.field]);
        let order = match (found.parse::<f64>(), self.value.parse::<f64>()) {
            (Ok(found), Ok(value)) => found.partial_cmp(&value),
            // An unknown value is neither more nor less.
            _ if found.is_empty() && !self.value.is_empty() => None,
            _ => Some(found.as_str().cmp(&self.value)),
        };
        match self.operator {
            Operator::Equals => order == Some(Ordering::Equal),
            Operator::Differs => order != Some(Ordering::Equal),
            Operator::Less => order == Some(Ordering::Less),
            Operator::AtMost => order.is_some_and(Ordering::is_le),
            Operator::Greater => order == Some(Ordering::Greater),
            Operator::AtLeast => order.is_some_and(Ordering::is_ge),
            Operator::Contains => found.to_lowercase().contains(&self.value.to_lowercase()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn conditions_compare_numbers_and_words() {
        let facts = json!({"asserts": 10, "source": "Jane Smith", "difficulty": null, "logic": "QF_BV"});
        for (text, holds) in [
            ("asserts>9", true),
            ("asserts >= 10", true),
            ("asserts<9", false),
            ("asserts!=10", false),
            ("source~smith", true),
            ("logic=QF_BV", true),
            ("logic!=QF_BV", false),
            ("difficulty=3", false),
            ("difficulty<3", false),
            ("difficulty!=3", true),
            ("difficulty=", true),
        ] {
            let condition = Condition::read(text).unwrap_or_else(|Usage(message)| panic!("{message}"));
            assert_eq!(condition.holds(&facts), holds, "{text}");
        }
        assert!(Condition::read("asserts").is_err());
        assert!(Condition::read("colour=red").is_err());
        assert!(Condition::read("asserts>=x").is_err());
    }
}
