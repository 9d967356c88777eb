//! Sequences of any sort.

use super::{Call, Computed, Context, Operation, Refusal, undecided, unspecified};
use crate::list_operations::{self, LONGEST};
use crate::value::{Datum, Value};
use dashu_int::IBig;

pub(super) fn operation(name: &str) -> Option<Operation> {
    Some(match name {
        "seq.empty" => |c, _| c.make_sequence(vec![]),
        "seq.unit" => |c, call| c.make_sequence(call.arguments.to_vec()),
        "seq.len" => |c, call| {
            let length = c.parts(call.arguments[0])?.len();
            Ok(c.values.int(IBig::from(length)))
        },
        "seq.++" => |c, call| {
            let mut all = vec![];
            for argument in call.arguments {
                all.extend_from_slice(c.parts(*argument)?);
                if all.len() > LONGEST {
                    return undecided("a string or sequence gets too long");
                }
            }
            c.make_sequence(all)
        },
        "seq.nth" => |c, call| {
            let at = c.position(call.arguments[1])?;
            match at.and_then(|at| c.parts(call.arguments[0]).ok()?.get(at)) {
                Some(value) => Ok(*value),
                None => unspecified(),
            }
        },
        "seq.at" => |c, call| {
            let parts = c.parts(call.arguments[0])?;
            let one = parts[list_operations::part(parts.len(), c.position(call.arguments[1])?, Some(1))].to_vec();
            c.make_sequence(one)
        },
        "seq.extract" => |c, call| {
            let parts = c.parts(call.arguments[0])?;
            let (from, count) = (c.position(call.arguments[1])?, c.count(call.arguments[2])?);
            let part = parts[list_operations::part(parts.len(), from, count)].to_vec();
            c.make_sequence(part)
        },
        "seq.update" => |c, call| {
            let (outer, new) = (c.parts(call.arguments[0])?, c.parts(call.arguments[2])?);
            let updated = list_operations::update(outer, c.position(call.arguments[1])?, new);
            c.make_sequence(updated)
        },
        "seq.rev" => |c, call| {
            let reversed = c.parts(call.arguments[0])?.iter().rev().copied().collect();
            c.make_sequence(reversed)
        },
        "seq.contains" => |c, call| {
            let found = list_operations::find(c.plain(call, 0)?, c.plain(call, 1)?, 0);
            Ok(Value::from(found.is_some()))
        },
        "seq.prefixof" => |c, call| Ok(Value::from(c.plain(call, 1)?.starts_with(c.plain(call, 0)?))),
        "seq.suffixof" => |c, call| Ok(Value::from(c.plain(call, 1)?.ends_with(c.plain(call, 0)?))),
        "seq.indexof" => |c, call| {
            let from = call.arguments.get(2).map_or(Ok(Some(0)), |from| c.position(*from))?;
            let (outer, inner) = (c.plain(call, 0)?, c.plain(call, 1)?);
            let found = from.and_then(|from| list_operations::find(outer, inner, from));
            Ok(c.index(found))
        },
        "seq.replace" => |c, call| {
            let (outer, inner, new) = (c.plain(call, 0)?, c.plain(call, 1)?, c.parts(call.arguments[2])?);
            if outer.len() + new.len() > LONGEST {
                return undecided("a string or sequence gets too long");
            }
            let replaced = list_operations::replace(outer, inner, new);
            c.make_sequence(replaced)
        },
        "seq.replace_all" => |c, call| match list_operations::replace_all(
            c.plain(call, 0)?,
            c.plain(call, 1)?,
            c.parts(call.arguments[2])?,
        ) {
            Some(replaced) => c.make_sequence(replaced),
            None => undecided("a string or sequence gets too long"),
        },
        _ => return None,
    })
}

impl Context<'_> {
    fn make_sequence(&mut self, parts: Vec<Value>) -> Computed {
        self.spend(parts.len())?;
        Ok(self.values.intern(Datum::Seq(parts.into())))
    }

    /// The elements of an argument, if they can be compared by their indices.
    fn plain(&self, call: &Call<'_>, at: usize) -> Result<&[Value], Refusal> {
        if self.values.is_opaque(call.arguments[at]) {
            return undecided("whether elements of two sequences are equal");
        }
        self.parts(call.arguments[at])
    }
}
