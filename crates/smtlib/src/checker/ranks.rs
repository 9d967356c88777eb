//! Applies theory functions to arguments: finds the row of the tables that fits, or reports why none does.

use super::Checker;
use super::cursor::Cursor;
use crate::diagnostic::Code;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Head, Shape, Term};
use crate::theory::{Calculation, LeastArguments, Misfit, Signatures, Theories, Theory};

/// The cached result of the last application of a group of functions without indices and without `as`. Scripts apply
/// few functions to few sorts again and again, so this saves most searches of the tables.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    available: Theories,
    count: usize,
    /// The sort of the first argument, and the common sort of all others.
    first: Sort,
    others: Sort,
    row: u32,
    result: Sort,
    /// Whether the function is not arithmetic, so that its result counts as a variable in polynomials.
    is_plain: bool,
}

impl Checker {
    #[allow(clippy::too_many_arguments, reason = "see apply")]
    pub(super) fn apply_theory(
        &mut self,
        cursor: &Cursor<'_>,
        group: u32,
        said: Option<Sort>,
        name: Symbol,
        indices: &[u64],
        base: usize,
        place: usize,
    ) -> Term {
        if let Some(Fit { row, result, first, others, is_plain, .. }) = self.known_fit(group, base)
            && indices.is_empty()
            && said.is_none()
        {
            let shape =
                if is_plain { Shape::VARIABLE } else { self.calculate(cursor, row, &[first, others], base, place) };
            let head = Head::Operator(self.operator_of(row, &[]));
            return self.terms.make(head, &self.work.values[base..], result, shape, place as u32);
        }
        let mut sorts = std::mem::take(&mut self.work.sorts);
        sorts.clear();
        sorts.extend(self.work.values[base..].iter().map(|value| self.terms.sort(*value)));
        let term = self.fit_theory(cursor, group, said, name, indices, &mut sorts, base, place);
        self.work.sorts = sorts;
        term
    }

    /// The last fit of a group, if the values from `base` on have the same sorts.
    fn known_fit(&self, group: u32, base: usize) -> Option<Fit> {
        let fit = (*self.fits.get(group as usize)?)?;
        let values = &self.work.values[base..];
        let (first, others) = values.split_first()?;
        let same = values.len() == fit.count
            && self.available == fit.available
            && self.terms.sort(*first) == fit.first
            && others.iter().all(|value| self.terms.sort(*value) == fit.others);
        same.then_some(fit)
    }

    fn remember_fit(&mut self, group: u32, given: &[Sort], row: u32, result: Sort) {
        let Some((&first, others)) = given.split_first() else { return };
        let &second = others.first().unwrap_or(&first);
        if others.iter().all(|sort| *sort == second) {
            let at = group as usize;
            self.fits.resize(self.fits.len().max(at + 1), None);
            let available = self.available;
            let has_numbers = given.iter().any(|sort| matches!(*sort, Sort::INT | Sort::REAL));
            let is_plain = !has_numbers && Signatures::get().row(row).calculation == Calculation::None;
            self.fits[at] = Some(Fit { available, count: given.len(), first, others: second, row, result, is_plain });
        }
    }

    #[allow(clippy::too_many_arguments, reason = "see apply")]
    fn fit_theory(
        &mut self,
        cursor: &Cursor<'_>,
        group: u32,
        said: Option<Sort>,
        name: Symbol,
        indices: &[u64],
        given: &mut [Sort],
        base: usize,
        place: usize,
    ) -> Term {
        let signatures = Signatures::get();
        let rows = signatures.rows_of(group);
        // A `nil` without `as` has the only location sort, unless there are several.
        let is_nil = self.separation && given.is_empty() && matches!(self.symbols.text(name), b"nil" | b"sep.nil");
        let said = said.or_else(|| if is_nil { self.only_location() } else { None });
        let least = match self.symbols.text(name) {
            b"and" | b"or" | b"+" | b"*" if !self.rules.strict => LeastArguments::One,
            _ => LeastArguments::Declared,
        };
        let mut found = None;
        let mut misfit: Option<(u32, Misfit)> = None;
        let mut extension = None;
        for &row in rows {
            let signature = signatures.row(row);
            if !self.available.contains(signature.theories) {
                continue;
            }
            match signature.apply(indices, given, said, least, &mut self.sorts) {
                Ok(_) if signature.extension && self.rules.strict => extension = Some(row),
                Ok(sort) => {
                    found = Some((row, sort));
                    break;
                }
                Err(why) => {
                    // The row that fits best explains the error.
                    if misfit.is_none_or(|(_, before)| why.rank() > before.rank()) {
                        misfit = Some((row, why));
                    }
                }
            }
        }
        if let Some((row, sort)) = found
            && indices.is_empty()
            && said.is_none()
            && !signatures.row(row).theories.has(Theory::Separation)
        {
            self.remember_fit(group, given, row, sort);
        }
        if found.is_none() && misfit.is_some() && given.contains(&Sort::INT) {
            found = self.coerced(rows, indices, given, least);
        }
        let Some((row, sort)) = found else {
            self.report_misfit(cursor, rows, misfit, extension, name, base, place);
            return Term::UNKNOWN;
        };
        let signature = signatures.row(row);
        if signature.theories != Theories::of(&[Theory::Core]) {
            self.used.theories = self.used.theories.with(signature.theories);
        }
        if signature.theories.has(Theory::Separation) {
            match signature.name {
                "pto" => self.check_heap_pair(cursor, place, "pto", (given[0], given[1])),
                "nil" | "sep.nil" => self.check_nil(cursor, place, sort),
                _ => {}
            }
        }
        let shape = self.calculate(cursor, row, given, base, place);
        let operator = self.operator_of(row, indices);
        let head = if said.is_some() { Head::QualifiedOperator(operator) } else { Head::Operator(operator) };
        self.terms.make(head, &self.work.values[base..], sort, shape, place as u32)
    }

    /// The row that fits if integers are converted to reals.
    pub(super) fn coerced(
        &mut self,
        rows: &[u32],
        indices: &[u64],
        given: &mut [Sort],
        least: LeastArguments,
    ) -> Option<(u32, Sort)> {
        let signatures = Signatures::get();
        let mixes = |row: &u32| signatures.row(*row).mixes();
        if !self.may_coerce() || !self.available.has(Theory::Reals) || !rows.iter().any(mixes) {
            return None;
        }
        for sort in given.iter_mut().filter(|sort| **sort == Sort::INT) {
            *sort = Sort::REAL;
        }
        rows.iter().find_map(|&row| {
            let signature = signatures.row(row);
            let allowed = signature.mixes() && self.available.contains(signature.theories);
            let sort = signature.apply(indices, given, None, least, &mut self.sorts).ok()?;
            allowed.then_some((row, sort))
        })
    }

    /// Reports a function whose theory the logic does not have.
    fn report_missing_theory(&mut self, cursor: &Cursor<'_>, rows: &[u32], name: Symbol, place: usize) {
        let theory = rows.iter().find_map(|row| Signatures::get().row(*row).missing(self.available));
        let theory = theory.unwrap_or(Theory::Core);
        if theory == Theory::Separation {
            self.unknown_name(cursor, place, name, "undeclared name");
            return;
        }
        let message = format!("the logic {} does not have '{}'", self.logic_name(), self.text_of(name));
        let help = Some(format!("it belongs to {}", theory.name()));
        self.report_with(cursor.text, place, Code::OutsideLogic, message, help);
    }

    #[allow(clippy::too_many_arguments, reason = "all of it goes into the message")]
    pub(super) fn report_misfit(
        &mut self,
        cursor: &Cursor<'_>,
        rows: &[u32],
        misfit: Option<(u32, Misfit)>,
        extension: Option<u32>,
        name: Symbol,
        base: usize,
        place: usize,
    ) {
        let signatures = Signatures::get();
        let shown = self.text_of(name);
        if let Some(row) = extension {
            let message = format!("{} is not in the standard", signatures.row(row).text);
            self.report(cursor.text, place, Code::Extension, message);
            return;
        }
        let Some((row, misfit)) = misfit else {
            self.report_missing_theory(cursor, rows, name, place);
            return;
        };
        let signature = signatures.row(row);
        let several = rows.iter().filter(|row| self.available.contains(signatures.row(**row).theories)).count() > 1;
        let help = if several {
            let all = rows.iter().map(|row| signatures.row(*row));
            let all = all.filter(|row| self.available.contains(row.theories) && !row.extension);
            Some(format!("its signatures are {}", all.map(|row| row.text.as_str()).collect::<Vec<_>>().join(", ")))
        } else {
            Some(format!("its signature is {}", signature.shown()))
        };
        let given = self.work.values.len() - base;
        match misfit {
            Misfit::IndexCount(0) => {
                self.report_with(cursor.text, place, Code::IndexCount, format!("'{shown}' takes no indices"), help);
            }
            Misfit::IndexCount(count) => {
                let message = format!("'{shown}' needs {count} ind{}", if count == 1 { "ex" } else { "ices" });
                self.report_with(cursor.text, place, Code::IndexCount, message, help);
            }
            Misfit::Index => {
                let message = format!("the indices of '{shown}' are out of range");
                self.report_with(cursor.text, place, Code::IndexRange, message, help);
            }
            Misfit::Count(count, more) => {
                let at_least = if more { "at least " } else { "" };
                let message = format!("'{shown}' takes {at_least}{count} arguments, not {given}");
                self.report_with(cursor.text, place, Code::Arity, message, help);
            }
            Misfit::Argument(at) => {
                let sort = self.terms.sort(self.work.values[base + at]);
                let message = match at.checked_sub(1).map(|before| self.work.values[base + before]) {
                    Some(before) => format!(
                        "argument {} of '{shown}' has sort {}, which does not fit after {}",
                        at + 1,
                        self.shown(sort),
                        self.shown(self.terms.sort(before))
                    ),
                    None => format!("argument 1 of '{shown}' has sort {}, which does not fit", self.shown(sort)),
                };
                let mixed = self.rules.strict && matches!(sort, Sort::INT | Sort::REAL) && signature.mixes();
                let code = if mixed { Code::Coercion } else { Code::Argument };
                self.report_with(cursor.text, self.work.places[base + at] as usize, code, message, help);
            }
            Misfit::Ambiguous => {
                let message = format!("the sort of '{shown}' cannot be inferred");
                let help = Some(format!("state it: (as {shown} …), where … is the sort of the result"));
                self.report_with(cursor.text, place, Code::Ambiguous, message, help);
            }
            Misfit::Result => {
                let message = format!("'{shown}' does not have the sort stated by 'as'");
                self.report_with(cursor.text, place, Code::Qualifier, message, help);
            }
        }
    }
}
