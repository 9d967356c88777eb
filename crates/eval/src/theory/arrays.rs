//! Arrays, and sets as arrays of truth values.

use super::{Call, Computed, Context, Operation, Refusal, undecided};
use crate::trie::Trie;
use crate::value::{Base, Datum, Value};
use agon_smtlib::Sort;
use dashu_int::IBig;
use rustc_hash::FxHashMap;

pub(super) fn operation(name: &str) -> Option<Operation> {
    Some(match name {
        "store" => |c, call| c.store(call.arguments[0], call.arguments[1], call.arguments[2], call.result),
        "const" => |c, call| c.make_array(Base::Constant(call.arguments[0]), Trie::EMPTY, call.result),
        "set.empty" => |c, call| c.make_array(Base::Constant(Value::FALSE), Trie::EMPTY, call.result),
        "set.universe" => |c, call| c.make_array(Base::Constant(Value::TRUE), Trie::EMPTY, call.result),
        "set.singleton" => |c, call| {
            let empty = c.make_array(Base::Constant(Value::FALSE), Trie::EMPTY, call.result)?;
            c.store(empty, call.arguments[0], Value::TRUE, call.result)
        },
        "set.union" => |c, call| c.combine_sets(call, |one, other| one || other),
        "set.inter" => |c, call| c.combine_sets(call, |one, other| one && other),
        "set.minus" => |c, call| c.combine_sets(call, |one, other| one && !other),
        "set.complement" => |c, call| {
            let pair = [call.arguments[0]; 2];
            c.combine_sets(&Call { arguments: &pair, ..*call }, |one, _| !one)
        },
        "set.member" => |c, call| match c.lookup(call.arguments[1], call.arguments[0])? {
            Found::Value(value) => Ok(value),
            Found::Map(_) => super::ill_sorted(),
        },
        "set.subset" => |c, call| {
            let (base, entries) = c.set(call.arguments[0])?;
            let (other_base, other_entries) = c.set(call.arguments[1])?;
            // The bases decide for elements without an entry, but every element may have one.
            if base && !other_base {
                return undecided("whether a complement is a subset of a finite set");
            }
            let mut keys = entries;
            keys.extend(other_entries);
            for (key, _) in keys {
                if c.has(call.arguments[0], key)? && !c.has(call.arguments[1], key)? {
                    return Ok(Value::FALSE);
                }
            }
            Ok(Value::TRUE)
        },
        "set.card" => |c, call| match c.set(call.arguments[0])? {
            (false, entries) => Ok(c.values.int(IBig::from(entries.len()))),
            (true, _) => undecided("how many elements a complement has"),
        },
        "set.is_empty" => |c, call| match c.set(call.arguments[0])? {
            (false, entries) => Ok(Value::from(entries.is_empty())),
            (true, _) => undecided("whether a complement is empty"),
        },
        "set.is_singleton" => |c, call| match c.set(call.arguments[0])? {
            (false, entries) => Ok(Value::from(entries.len() == 1)),
            (true, _) => undecided("how many elements a complement has"),
        },
        "set.choose" => |c, call| match c.set(call.arguments[0])? {
            (false, entries) if entries.len() == 1 => Ok(entries[0].0),
            _ => super::unspecified(),
        },
        _ => return None,
    })
}

/// The value of an array at an index.
pub(crate) enum Found {
    Value(Value),
    /// The result of calling this function with the index.
    Map(Value),
}

impl Context<'_> {
    pub(crate) fn make_array(&mut self, base: Base, trie: Trie, sort: Sort) -> Computed {
        let index = self.sorts.arguments(sort).first().copied().unwrap_or(Sort::UNKNOWN);
        let array = self.values.intern(Datum::Array(index, base, trie));
        if !self.is_canonical(sort) {
            self.values.set_opaque(array);
        }
        Ok(array)
    }

    pub(crate) fn array(&self, value: Value) -> Result<(Base, Trie), Refusal> {
        match self.values.datum(value) {
            Datum::Array(_, base, trie) => Ok((*base, *trie)),
            Datum::Map(_) => Ok((Base::Map(value), Trie::EMPTY)),
            _ => super::ill_sorted(),
        }
    }

    pub(crate) fn lookup(&mut self, array: Value, index: Value) -> Result<Found, Refusal> {
        let (base, trie) = self.array(array)?;
        if let Some(value) = self.values.tries.get(trie, index) {
            return Ok(Found::Value(value));
        }
        if self.values.is_opaque(index) && trie != Trie::EMPTY {
            return undecided("whether an algebraic number or a function is the index of an entry");
        }
        match base {
            Base::Constant(value) => Ok(Found::Value(value)),
            Base::Map(map) => Ok(Found::Map(map)),
            Base::Unknown(_) => undecided("an element of an array that the model does not define"),
        }
    }

    /// The array with one entry changed. Entries equal to the base value are dropped, so that equal arrays have the
    /// same representation.
    pub(crate) fn store(&mut self, array: Value, index: Value, value: Value, sort: Sort) -> Computed {
        self.spend(64)?;
        let (base, trie) = self.array(array)?;
        if self.values.is_opaque(index) {
            return undecided("an algebraic number or a function as an index");
        }
        let entry = (base != Base::Constant(value)).then_some(value);
        let trie = self.values.tries.set(trie, index, entry);
        let (base, trie) = self.normal(base, trie, self.sorts.arguments(sort).first().copied())?;
        let new = self.make_array(base, trie, sort)?;
        // An opaque entry makes the array opaque, and it stays opaque when other entries are added.
        if self.values.is_opaque(value) || self.values.is_opaque(array) {
            self.values.set_opaque(new);
        }
        Ok(new)
    }

    /// Normalizes an array over a small index sort. If at least half of the indices have an entry, the most frequent
    /// value becomes the base, so that the representation does not depend on the order of stores.
    fn normal(&mut self, base: Base, trie: Trie, index: Option<Sort>) -> Result<(Base, Trie), Refusal> {
        let Base::Constant(value) = base else { return Ok((base, trie)) };
        let Some(size) = index.and_then(|sort| self.small_size(sort)) else { return Ok((base, trie)) };
        let count = u64::from(self.values.tries.count(trie));
        if 2 * count < size {
            return Ok((base, trie));
        }
        self.spend(size as usize * 8)?;
        let entries = self.values.tries.entries(trie);
        let mut often: FxHashMap<Value, u64> = FxHashMap::default();
        entries.iter().for_each(|(_, value)| *often.entry(*value).or_default() += 1);
        if size > count {
            *often.entry(value).or_default() += size - count;
        }
        let most = often.into_iter().max_by_key(|(value, count)| (*count, std::cmp::Reverse(*value)));
        let Some((new, _)) = most.filter(|(new, _)| *new != value) else { return Ok((base, trie)) };
        let mut changed = Trie::EMPTY;
        for number in 0..size {
            let Some(key) = index.and_then(|sort| self.small_value(sort, number)) else { return super::ill_sorted() };
            let here = self.values.tries.get(trie, key).unwrap_or(value);
            if here != new {
                changed = self.values.tries.set(changed, key, Some(here));
            }
        }
        Ok((Base::Constant(new), changed))
    }

    /// A set: whether it contains the elements without an entry, and its entries.
    fn set(&self, value: Value) -> Result<(bool, Vec<(Value, Value)>), Refusal> {
        match self.array(value)? {
            (Base::Constant(base), trie) => Ok((base == Value::TRUE, self.values.tries.entries(trie))),
            _ => super::ill_sorted(),
        }
    }

    fn has(&mut self, set: Value, element: Value) -> Result<bool, Refusal> {
        match self.lookup(set, element)? {
            Found::Value(value) => Ok(value == Value::TRUE),
            Found::Map(_) => super::ill_sorted(),
        }
    }

    fn combine_sets(&mut self, call: &Call<'_>, combine: fn(bool, bool) -> bool) -> Computed {
        let mut result = call.arguments[0];
        for other in &call.arguments[1..] {
            let (base, mut keys) = self.set(result)?;
            let (other_base, other_keys) = self.set(*other)?;
            keys.extend(other_keys);
            self.spend(keys.len() * 16)?;
            let mut new =
                self.make_array(Base::Constant(Value::from(combine(base, other_base))), Trie::EMPTY, call.result)?;
            for (key, _) in keys {
                let has = combine(self.has(result, key)?, self.has(*other, key)?);
                new = self.store(new, key, Value::from(has), call.result)?;
            }
            result = new;
        }
        Ok(result)
    }
}
