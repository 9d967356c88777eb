//! Turns functions into arrays if they are tables or have few arguments: arrays can be compared, functions cannot.

use crate::machine::{Machine, Step};
use crate::theory::Refusal;
use crate::trie::Trie;
use crate::value::{Base, Datum, Value};
use agon_smtlib::{Binder, Head, Sort, Term};
use std::rc::Rc;

/// The largest domain for which a function is called with every value.
const MOST_TABULATED: u64 = 256;

impl Machine<'_> {
    /// Turns a function of one argument that is a table, such as `(ite (= x 1) 7 (ite (= x 2) 8 9))`, into an array.
    /// The parts are evaluated first. `None` if it is not a table.
    pub(crate) fn table(&mut self, binder: Binder, body: Term, sort: Sort) -> Result<Option<Step>, Refusal> {
        let Some(parts) = self.table_parts(binder, body) else { return Ok(None) };
        let mut next = self.frame().next as usize;
        while let Some(part) = parts.get(next) {
            match self.known(*part) {
                Some(value) if value.is_undecided() => return Ok(None),
                Some(_) => next += 1,
                None => {
                    self.frame().next = next as u32;
                    return Ok(Some(Step::First(*part)));
                }
            }
        }
        let values: Vec<Value> = parts.iter().filter_map(|part| self.known(*part)).collect();
        let Some((rest, pairs)) = values.split_last() else { return Ok(None) };
        let &[index, element] = self.checker.sorts.arguments(sort) else { return Ok(None) };
        let rest = self.coerced(*rest, element);
        let mut array = self.context.make_array(Base::Constant(rest), Trie::EMPTY, sort)?;
        // The first match wins, so it is stored last.
        for pair in pairs.chunks(2).rev() {
            let (place, value) = (self.coerced(pair[0], index), self.coerced(pair[1], element));
            array = self.context.store(array, place, value, sort)?;
        }
        Ok(Some(Step::Done(array)))
    }

    /// Turns a function of one argument with a small domain into an array, by calling it with every value.
    pub(crate) fn tabulated(&mut self, map: Value, sort: Sort) -> Result<Step, Refusal> {
        let (Some(size), &[index, element], &Datum::Map(number)) = (
            self.checker.sorts.arguments(sort).first().and_then(|index| self.context.small_size(*index)),
            self.checker.sorts.arguments(sort),
            self.context.values.datum(map),
        ) else {
            return Ok(Step::Done(map));
        };
        if size > MOST_TABULATED {
            return Ok(Step::Done(map));
        }
        let mut pairs = vec![];
        for at in 0..size {
            let Some(place) = self.context.small_value(index, at) else { return Ok(Step::Done(map)) };
            match self.call_map(number, &[place])? {
                Step::Done(value) if value.is_undecided() => return Ok(Step::Done(map)),
                Step::Done(value) => pairs.push((place, self.coerced(value, element))),
                step => return Ok(step),
            }
        }
        let Some((_, first)) = pairs.first().copied() else { return Ok(Step::Done(map)) };
        let mut array = self.context.make_array(Base::Constant(first), Trie::EMPTY, sort)?;
        for (place, value) in pairs {
            array = self.context.store(array, place, value, sort)?;
        }
        Ok(Step::Done(array))
    }

    /// The parts of a table: alternating indices and values, and last the value everywhere else. `None` if the body is
    /// not a table.
    fn table_parts(&mut self, binder: Binder, body: Term) -> Option<Rc<[Term]>> {
        if let Some(known) = self.tables.get(&body) {
            return known.clone();
        }
        let terms = &self.checker.terms;
        let mut variables = terms.variables(binder);
        let (variable, None) = (variables.next()?, variables.next()) else { return None };
        let name = |term: Term| match terms.head(term) {
            Head::Operator(operator) => self.checker.operator(operator).0,
            _ => "",
        };
        let mut parts = vec![];
        let mut rest = body;
        let found = loop {
            if terms.is_closed(rest) {
                parts.push(rest);
                break Some(parts.into());
            }
            let [condition, value, other] = *terms.arguments(rest) else { break None };
            if name(rest) != "ite" || !terms.is_closed(value) {
                break None;
            }
            // The condition compares the argument with one index, or with several indices that share the value.
            let places = if name(condition) == "or" { terms.arguments(condition).to_vec() } else { vec![condition] };
            for place in places {
                let [one, two] = *terms.arguments(place) else { return None };
                let is_variable = |term: Term| terms.head(term) == Head::Variable(variable);
                if name(place) != "=" {
                    return None;
                } else if is_variable(one) && terms.is_closed(two) {
                    parts.extend([two, value]);
                } else if is_variable(two) && terms.is_closed(one) {
                    parts.extend([one, value]);
                } else {
                    return None;
                }
            }
            rest = other;
        };
        self.tables.insert(body, found.clone());
        found
    }
}
