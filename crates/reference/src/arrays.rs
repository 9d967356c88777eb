//! Encodes arrays by their values at the relevant indices.
//!
//! The relevant indices are those of all reads and writes, and one per equation at which its sides differ if it is
//! false. At all other indices, all arrays of a sort have the same value, so arrays that agree at the relevant indices
//! are equal.

use crate::circuit::Circuit;
use crate::encode::{Refused, Word};
use batsat::Lit;
use rustc_hash::FxHashMap;

/// The index of an array in [`Arrays`].
pub(crate) type Array = usize;

/// How an array is built.
pub(crate) enum Making {
    Variable,
    Store(Array, Word, Word),
    Choose(Lit, Array, Array),
}

/// The arrays of one sort.
pub(crate) struct Arrays {
    pub(crate) makings: Vec<Making>,
    /// The relevant indices.
    places: Vec<Word>,
    place_numbers: FxHashMap<Word, usize>,
    reads: FxHashMap<(Array, usize), Word>,
    /// The literal of each equation, and the position of an index at which the sides differ if it is false.
    equations: FxHashMap<(Array, Array), (Lit, usize)>,
    index_width: usize,
    element_width: usize,
    /// The value of each array at each relevant index, after [`Self::constrain`].
    cells: Vec<Vec<Word>>,
    /// The common value of all arrays at all other indices.
    pub(crate) rest: Word,
}

/// The maximum number of cells.
const MOST: usize = 2_000_000;

impl Arrays {
    pub(crate) fn new(circuit: &mut Circuit, index_width: usize, element_width: usize) -> Self {
        let rest = circuit.fresh_word(element_width);
        Self {
            makings: vec![],
            places: vec![],
            place_numbers: FxHashMap::default(),
            reads: FxHashMap::default(),
            equations: FxHashMap::default(),
            index_width,
            element_width,
            cells: vec![],
            rest,
        }
    }

    pub(crate) fn add(&mut self, making: Making) -> Array {
        if let Making::Store(_, index, _) = &making {
            let index = index.clone();
            self.place(index);
        }
        self.makings.push(making);
        self.makings.len() - 1
    }

    fn place(&mut self, index: Word) -> usize {
        *self.place_numbers.entry(index).or_insert_with_key(|index| {
            self.places.push(index.clone());
            self.places.len() - 1
        })
    }

    pub(crate) fn read(&mut self, circuit: &mut Circuit, array: Array, index: Word) -> Word {
        let place = self.place(index);
        let width = self.element_width;
        self.reads.entry((array, place)).or_insert_with(|| circuit.fresh_word(width)).clone()
    }

    pub(crate) fn equal(&mut self, circuit: &mut Circuit, one: Array, other: Array) -> Lit {
        if one == other {
            return circuit.constant(true);
        }
        let sides = (one.min(other), one.max(other));
        if let Some((equal, _)) = self.equations.get(&sides) {
            return *equal;
        }
        let equal = circuit.fresh();
        // If the arrays are not equal, they differ at this index; `constrain` adds that axiom.
        let witness = circuit.fresh_word(self.index_width);
        let place = self.place(witness);
        self.equations.insert(sides, (equal, place));
        equal
    }

    /// Adds the axioms of all arrays at all relevant indices, except those that [`Self::refine`] adds on demand.
    pub(crate) fn constrain(&mut self, circuit: &mut Circuit) -> Result<(), Refused> {
        let (arrays, places) = (self.makings.len(), self.places.len());
        if arrays.saturating_mul(places) > MOST {
            return Err(Refused);
        }
        for at in 0..arrays {
            if circuit.is_full() {
                return Err(Refused);
            }
            let mut cells: Vec<Word> = vec![];
            for place in 0..places {
                let cell = match &self.makings[at] {
                    Making::Variable => circuit.fresh_word(self.element_width),
                    Making::Store(array, index, element) => {
                        let here = circuit.words_equal(index, &self.places[place]);
                        circuit.choose_word(here, element, &self.cells[*array][place])
                    }
                    Making::Choose(condition, one, other) => {
                        circuit.choose_word(*condition, &self.cells[*one][place], &self.cells[*other][place])
                    }
                };
                cells.push(cell);
            }
            self.cells.push(cells);
        }
        for ((array, place), cell) in &self.reads {
            let equal = circuit.words_equal(cell, &self.cells[*array][*place]);
            circuit.add(&[equal]);
        }
        for ((one, other), (equal, witness)) in &self.equations {
            for place in 0..places {
                let same = circuit.words_equal(&self.cells[*one][place], &self.cells[*other][place]);
                circuit.add(&[!*equal, same]);
            }
            let same = circuit.words_equal(&self.cells[*one][*witness], &self.cells[*other][*witness]);
            circuit.add(&[*equal, !same]);
        }
        Ok(())
    }

    /// Adds the axiom that equal indices have equal values, wherever the last assignment violates it: different index
    /// terms may have the same value. Returns whether there were violations. Only variables need this, since the values
    /// of stores and `ite`s are defined by those of other arrays.
    pub(crate) fn refine(&self, circuit: &mut Circuit) -> bool {
        let mut wrong = vec![];
        let mut first: FxHashMap<Vec<bool>, usize> = FxHashMap::default();
        for (at, place) in self.places.iter().enumerate() {
            let other = *first.entry(circuit.values(place)).or_insert(at);
            let variables = self.makings.iter().zip(&self.cells).filter(|(made, _)| matches!(made, Making::Variable));
            for (_, cells) in variables.filter(|_| other != at) {
                if circuit.values(&cells[at]) != circuit.values(&cells[other]) {
                    wrong.push((at, other, cells));
                }
            }
        }
        for (one, other, cells) in &wrong {
            let same = circuit.words_equal(&self.places[*one], &self.places[*other]);
            let equal = circuit.words_equal(&cells[*one], &cells[*other]);
            circuit.add(&[!same, equal]);
        }
        !wrong.is_empty()
    }

    /// The number of index variables that were introduced.
    pub(crate) fn witnesses(&self) -> usize {
        self.equations.len()
    }

    /// The number of element variables that were introduced.
    pub(crate) fn variables(&self) -> usize {
        let arrays = self.makings.iter().filter(|making| matches!(making, Making::Variable)).count();
        arrays * self.places.len() + self.reads.len() + 1
    }

    /// The relevant indices of an array, and its values there.
    pub(crate) fn entries(&self, array: Array) -> impl Iterator<Item = (&Word, &Word)> {
        self.places.iter().zip(self.cells.get(array).into_iter().flatten())
    }
}
