//! Uninterpreted functions, with the congruence axiom: equal arguments have equal results.

use crate::bit_vectors::Word;
use crate::circuit::Circuit;
use agon_smtlib::Function;
use rustc_hash::FxHashMap;

/// The applications of each function: their arguments and results.
#[derive(Default)]
pub(crate) struct Applications {
    pub(crate) of: FxHashMap<Function, Vec<(Vec<Word>, Word)>>,
    results: FxHashMap<(Function, Vec<Word>), Word>,
}

impl Applications {
    /// The result of a function applied to these arguments.
    pub(crate) fn apply(
        &mut self,
        circuit: &mut Circuit,
        function: Function,
        arguments: Vec<Word>,
        width: usize,
    ) -> Word {
        let application = (function, arguments);
        if let Some(result) = self.results.get(&application) {
            return result.clone();
        }
        let result = circuit.fresh_word(width);
        self.of.entry(function).or_default().push((application.1.clone(), result.clone()));
        self.results.insert(application, result.clone());
        result
    }

    /// Adds the congruence axiom for the pairs of applications that violate it in the last assignment. Returns whether
    /// there were any.
    pub(crate) fn refine(&self, circuit: &mut Circuit) -> bool {
        let mut wrong = vec![];
        for all in self.of.values() {
            let mut first: FxHashMap<Vec<Vec<bool>>, usize> = FxHashMap::default();
            for (at, (arguments, result)) in all.iter().enumerate() {
                let values = arguments.iter().map(|word| circuit.values(word)).collect();
                let other = *first.entry(values).or_insert(at);
                if circuit.values(result) != circuit.values(&all[other].1) {
                    wrong.push((&all[at], &all[other]));
                }
            }
        }
        for ((arguments, result), (others, other)) in &wrong {
            let mut same = circuit.constant(true);
            for (one, other) in arguments.iter().zip(others) {
                let equal = circuit.words_equal(one, other);
                same = circuit.and(same, equal);
            }
            let equal = circuit.words_equal(result, other);
            circuit.add(&[!same, equal]);
        }
        !wrong.is_empty()
    }
}
