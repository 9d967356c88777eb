//! Heaps of separation logic: the declared pairs of sorts, and the checks of terms that refer to the heap.

use super::cursor::Cursor;
use super::{Checked, Checker, Undo};
use crate::diagnostic::Code;
use crate::sort::Sort;

/// The pairs of location and data sorts of `declare-heap`.
#[derive(Clone, Debug, Default)]
pub(super) struct Heap {
    pairs: Vec<(Sort, Sort)>,
}

impl Heap {
    pub(super) fn clear(&mut self) {
        self.pairs.clear();
    }

    pub(super) fn pairs(&self) -> &[(Sort, Sort)] {
        &self.pairs
    }

    pub(super) fn is_declared(&self) -> bool {
        !self.pairs.is_empty()
    }
}

impl Checker {
    /// Reads `(declare-heap (Loc Data) …)` after the command's name. Each location sort and each data sort may occur
    /// once.
    pub(super) fn read_heap(&mut self, cursor: &mut Cursor<'_>) -> Checked<Vec<(Sort, Sort)>> {
        let mut pairs: Vec<(Sort, Sort)> = vec![];
        let start = cursor.place;
        while !self.at_close(cursor)? {
            self.expect_open(cursor, "a location sort and its data sort")?;
            let place = cursor.place;
            let location = self.read_sort(cursor)?;
            let data = self.read_sort(cursor)?;
            self.expect_close(cursor, "a pair of sorts")?;
            let taken = |pair: &(Sort, Sort)| pair.0 == location || pair.1 == data;
            if location != Sort::UNKNOWN && data != Sort::UNKNOWN && pairs.iter().any(taken) {
                let message = "each location sort and each data sort of the heap may be declared only once";
                self.report(cursor.text, place, Code::HeapTwice, message);
                continue;
            }
            pairs.push((location, data));
        }
        if pairs.is_empty() {
            self.report(cursor.text, start, Code::HeapMissing, "a heap needs at least one pair of sorts");
        }
        if self.heap.is_declared() {
            self.report(cursor.text, start, Code::HeapTwice, "the heap is already declared");
        } else {
            self.heap.pairs.clone_from(&pairs);
            self.remember(Undo::Heap);
        }
        Ok(pairs)
    }

    fn check_heap(&mut self, cursor: &Cursor<'_>, place: usize, what: &str) -> bool {
        if !self.heap.is_declared() {
            let message = format!("{what} needs a heap, but none is declared");
            let help = Some("put (declare-heap (Location Data)) before it".to_owned());
            self.report_with(cursor.text, place, Code::HeapMissing, message, help);
        }
        self.heap.is_declared()
    }

    /// Checks that a location sort and a data sort, from `pto` or the indices of `emp`, are a declared pair.
    pub(super) fn check_heap_pair(&mut self, cursor: &Cursor<'_>, place: usize, what: &str, pair: (Sort, Sort)) {
        let unknown = pair.0 == Sort::UNKNOWN || pair.1 == Sort::UNKNOWN;
        if self.check_heap(cursor, place, what) && !unknown && !self.heap.pairs.contains(&pair) {
            let (location, data) = (self.shown(pair.0), self.shown(pair.1));
            let message = format!("{what}: the heap does not map {location} to {data}");
            let pairs: Vec<_> =
                self.heap.pairs.iter().map(|pair| format!("({} {})", self.shown(pair.0), self.shown(pair.1))).collect();
            let help = Some(format!("the declared pairs are {}", pairs.join(", ")));
            self.report_with(cursor.text, place, Code::HeapPair, message, help);
        }
    }

    /// Checks that the sort of a `nil` is a location sort.
    pub(super) fn check_nil(&mut self, cursor: &Cursor<'_>, place: usize, sort: Sort) {
        if self.check_heap(cursor, place, "nil")
            && sort != Sort::UNKNOWN
            && !self.heap.pairs.iter().any(|pair| pair.0 == sort)
        {
            let message = format!("nil must be a location, but the heap has no location sort {}", self.shown(sort));
            self.report(cursor.text, place, Code::HeapNil, message);
        }
    }

    /// The sort of a `nil` without `as`: the only location sort; `None` if there is not exactly one.
    pub(super) fn only_location(&self) -> Option<Sort> {
        match self.heap.pairs[..] {
            [(location, _)] => Some(location),
            _ => None,
        }
    }
}
