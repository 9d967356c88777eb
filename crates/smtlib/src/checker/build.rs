//! The interface for the reader of SMT-LIB 1.2, which builds the same terms: declarations without text, and the value
//! stack.

use super::sorts::SortMeaning;
use super::{Checker, Cursor, Dialect, Extensions, Meaning, Mode};
use crate::diagnostic::Position;
use crate::sort::Sort;
use crate::split::Splitter;
use crate::symbol::Symbol;
use crate::term::{Mark, Term};
use crate::theory::{Theories, Theory};
use std::io::{self, Read};

impl Checker {
    /// Whether the script is in version 1.2: because the rules require it, or because its first command is `benchmark`.
    pub(crate) fn is_v1<R: Read>(&self, splitter: &mut Splitter<R>) -> io::Result<bool> {
        match self.rules.dialect {
            Dialect::V1 => Ok(true),
            Dialect::Auto => splitter.starts_with(b"benchmark"),
            Dialect::V2 | Dialect::Sl => Ok(false),
        }
    }

    pub(crate) fn is_strict(&self) -> bool {
        self.rules.strict
    }

    /// Prepares the checker for a text that begins at this position.
    pub(crate) fn begin(&mut self, start: Position) {
        self.start = start;
        self.known = (0, start);
        self.work.clear();
    }

    /// Ends all scopes.
    pub(crate) fn leave_all(&mut self) {
        self.leave_scope(0);
    }

    pub(crate) fn scope_length(&self) -> usize {
        self.work.scope.len()
    }

    pub(crate) fn values(&self) -> &[Term] {
        &self.work.values
    }

    pub(crate) fn push_value(&mut self, value: Term) {
        self.work.push(value);
    }

    pub(crate) fn truncate_values(&mut self, length: usize) {
        self.work.truncate(length);
    }

    /// Sets the position of the term that is read next.
    pub(crate) fn at(&mut self, place: usize) {
        self.work.last = place as u32;
    }

    /// Releases the terms created since `mark`, unless the terms of the whole script are kept.
    pub(crate) fn forget(&mut self, mark: Mark) {
        if !self.keep {
            self.terms.release(mark);
        }
    }

    pub(crate) fn allowed_theories(&self) -> Theories {
        self.available
    }

    /// Returns a sort, after recording that its theory is used.
    pub(crate) fn basic_sort(&mut self, sort: Sort, theory: Theory) -> Sort {
        self.used.theories = self.used.theories.with(Theories::of(&[theory]));
        sort
    }

    pub(crate) fn has_sort(&self, name: Symbol) -> bool {
        self.sort_meaning(name) != SortMeaning::Free
    }

    /// A sort without arguments.
    pub(crate) fn plain_sort(&mut self, cursor: &Cursor<'_>, place: usize, name: Symbol) -> Sort {
        self.resolve_sort(cursor, place, name, &[])
    }

    /// Declares a sort without arguments. Returns whether its name was free.
    pub(crate) fn declare_plain_sort(&mut self, cursor: &Cursor<'_>, place: usize, name: Symbol) -> bool {
        let free = !self.has_sort(name);
        self.used.sorts = true;
        self.declare_sort_name(cursor, place, name, SortMeaning::Declared(0));
        free
    }

    /// Whether a word is a theory function in version 2 under the current logic, so that no function can have its name.
    pub(crate) fn is_theory_word(&self, word: &[u8]) -> bool {
        let meaning = self.symbols.find(word).map_or(Meaning::Free, |name| self.meaning(name));
        matches!(meaning, Meaning::Theory(group) if self.is_theory_name(group, Extensions::Included))
    }

    /// Records that a query was read.
    pub(crate) fn query(&mut self) {
        self.mode = Mode::Answered(None);
    }
}
