//! Whether values are equal. Most have one number each; those that have not can often be told apart all the same.

use crate::machine::Machine;
use crate::theory::{Answer, Refusal};
use crate::trie::Trie;
use crate::value::{Base, Datum, Value};

impl Machine<'_> {
    /// Whether two values are equal, as far as that can be told.
    pub(crate) fn equal(&mut self, one: Value, other: Value) -> Answer {
        if one == other {
            return Ok(Value::TRUE);
        }
        let values = &self.context.values;
        match (values.datum(one), values.datum(other)) {
            (
                Datum::Int(_) | Datum::Real(_) | Datum::Algebraic(_),
                Datum::Int(_) | Datum::Real(_) | Datum::Algebraic(_),
            ) => {
                let order = self.context.number(one)?.compare(&self.context.number(other)?)?;
                Ok(Value::from(order.is_eq()))
            }
            (Datum::Regex(_), _) => Err(Refusal::Undecided("whether two regular languages are equal".into())),
            _ if !values.is_opaque(one) && !values.is_opaque(other) => Ok(Value::FALSE),
            (Datum::Array(..) | Datum::Map(_), Datum::Array(..) | Datum::Map(_)) => self.arrays_differ(one, other),
            (Datum::Data(constructor, _), Datum::Data(other, _)) if constructor != other => Ok(Value::FALSE),
            (Datum::Seq(parts), Datum::Seq(others)) if parts.len() != others.len() => Ok(Value::FALSE),
            _ => {
                Err(Refusal::Undecided("whether two values are equal that have functions or algebraic numbers".into()))
            }
        }
    }

    /// Arrays that are not stored alike differ if they do so at an entry; otherwise that is not known.
    fn arrays_differ(&mut self, one: Value, other: Value) -> Answer {
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
        for (key, _) in keys {
            if let (Some(here), Some(there)) = (at(self, base, trie, key), at(self, other_base, other_trie, key))
                && here != there
                && !self.context.values.is_opaque(here)
                && !self.context.values.is_opaque(there)
            {
                return Ok(Value::FALSE);
            }
        }
        Err(Refusal::Undecided("whether two arrays or functions are equal".into()))
    }

    pub(crate) fn distinct(&mut self, values: &[Value]) -> Answer {
        let plain = |value: &Value| {
            let is_number = matches!(self.context.values.datum(*value), Datum::Int(_) | Datum::Real(_));
            is_number || !self.context.values.is_opaque(*value)
        };
        let is_mixed = values.iter().any(|value| matches!(self.context.values.datum(*value), Datum::Int(_)))
            && values.iter().any(|value| matches!(self.context.values.datum(*value), Datum::Real(_)));
        if !is_mixed && values.iter().all(plain) && !matches!(self.context.values.datum(values[0]), Datum::Regex(_)) {
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
