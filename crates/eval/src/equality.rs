//! Equality of values. Most values are equal only if their indices are. Opaque values, which may be equal with
//! different indices, are compared as far as possible.

use crate::machine::Machine;
use crate::theory::{Computed, Refusal};
use crate::trie::Trie;
use crate::value::{Base, Datum, Value};
use agon_smtlib::{Constructor, Sort};

impl Machine<'_> {
    /// Whether two values are equal, as far as that can be determined.
    pub(crate) fn equal(&mut self, one: Value, other: Value) -> Computed {
        if one == other {
            return Ok(Value::TRUE);
        }
        let values = &self.context.values;
        match (values.datum(one), values.datum(other)) {
            (Datum::Int(_), Datum::Int(_)) | (Datum::Real(_), Datum::Real(_)) => Ok(Value::FALSE),
            (
                Datum::Int(_) | Datum::Real(_) | Datum::Algebraic(_),
                Datum::Int(_) | Datum::Real(_) | Datum::Algebraic(_),
            ) => Ok(Value::from(self.context.compare(one, other)?.is_eq())),
            (Datum::Regex(_), _) => Err(Refusal::Undecided("whether two regular languages are equal".into())),
            _ if !values.is_opaque(one) && !values.is_opaque(other) => Ok(Value::FALSE),
            (Datum::Array(index, ..), Datum::Array(..) | Datum::Map(_)) | (Datum::Map(_), Datum::Array(index, ..)) => {
                self.arrays_equal(one, other, *index)
            }
            (Datum::Data(constructor, _), Datum::Data(other, _)) if constructor != other => Ok(Value::FALSE),
            (Datum::Seq(parts), Datum::Seq(others)) if parts.len() != others.len() => Ok(Value::FALSE),
            _ => Err(Refusal::Undecided("whether two values with functions or algebraic numbers are equal".into())),
        }
    }

    /// Compares arrays that are stored differently. They differ if an entry does, or if their bases do and some index
    /// has no entry. They are equal if all entries are, and either every index has an entry or the bases are equal too.
    fn arrays_equal(&mut self, one: Value, other: Value, index: Sort) -> Computed {
        let (base, trie) = self.context.array(one)?;
        let (other_base, other_trie) = self.context.array(other)?;
        let mut keys = self.context.values.tries.entries(trie);
        keys.extend(self.context.values.tries.entries(other_trie));
        self.context.spend(keys.len() * 16)?;
        let at = |machine: &Self, base: Base, trie: Trie, key: Value| {
            machine.context.values.tries.get(trie, key).or(match base {
                Base::Constant(value) => Some(value),
                _ => None,
            })
        };
        let compare = |machine: &Self, here: Option<Value>, there: Option<Value>| match (here, there) {
            (Some(here), Some(there)) if here == there => Some(true),
            (Some(here), Some(there)) => {
                let is_plain = |value| !machine.context.values.is_opaque(value);
                (is_plain(here) && is_plain(there)).then_some(false)
            }
            _ => None,
        };
        // Elements that the model names are indices, even without an entry.
        keys.extend(self.elements.get(&index).into_iter().flatten().map(|element| (*element, *element)));
        keys.sort_unstable();
        keys.dedup_by_key(|entry| entry.0);
        let mut all = Some(true);
        for (key, _) in &keys {
            match compare(self, at(self, base, trie, *key), at(self, other_base, other_trie, *key)) {
                Some(false) => return Ok(Value::FALSE),
                Some(true) => {}
                None => all = None,
            }
        }
        let constant = |base: Base| if let Base::Constant(value) = base { Some(value) } else { None };
        match (compare(self, constant(base), constant(other_base)), self.has_more_than(index, keys.len() as u64)) {
            (Some(false), Some(true)) => return Ok(Value::FALSE),
            (Some(true), _) | (_, Some(false)) if all == Some(true) => return Ok(Value::TRUE),
            _ => {}
        }
        Err(Refusal::Undecided("whether two arrays or functions are equal".into()))
    }

    /// Whether a sort has more than this many values; `None` if that is not known.
    fn has_more_than(&self, sort: Sort, count: u64) -> Option<bool> {
        if count == 0 {
            return Some(true);
        }
        match self.checker.sorts.constructor(sort) {
            Constructor::Int | Constructor::Real | Constructor::String | Constructor::Seq => Some(true),
            Constructor::BitVec(width) => Some(width >= 64 || 1 << width > count),
            Constructor::Declared(_) if self.model.closed.contains(&sort) => {
                self.elements.get(&sort).map(|elements| elements.len() as u64 > count)
            }
            _ => self.context.small_size(sort).map(|size| size > count),
        }
    }

    /// Whether all values differ: by sorting if their indices decide, otherwise pair by pair.
    pub(crate) fn distinct(&mut self, values: &[Value]) -> Computed {
        let plain = |value: &Value| {
            let is_number = matches!(self.context.values.datum(*value), Datum::Int(_) | Datum::Real(_));
            is_number || !self.context.values.is_opaque(*value)
        };
        let is_mixed = values.iter().any(|value| matches!(self.context.values.datum(*value), Datum::Int(_)))
            && values.iter().any(|value| matches!(self.context.values.datum(*value), Datum::Real(_)));
        if !is_mixed && values.iter().all(plain) {
            let mut sorted = values.to_vec();
            sorted.sort_unstable();
            return Ok(Value::from(sorted.windows(2).all(|pair| pair[0] != pair[1])));
        }
        let mut undecided = None;
        for (at, one) in values.iter().enumerate() {
            for other in &values[at + 1..] {
                self.context.spend(8)?;
                match self.equal(*one, *other) {
                    Ok(Value::TRUE) => return Ok(Value::FALSE),
                    Ok(_) => {}
                    Err(refusal) => undecided = Some(refusal),
                }
            }
        }
        undecided.map_or(Ok(Value::TRUE), Err)
    }
}
