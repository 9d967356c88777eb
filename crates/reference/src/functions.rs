//! Uninterpreted functions: equal arguments give equal results.

use crate::circuit::Circuit;
use crate::encode::{Refused, Word};
use agon_smtlib::Function;
use rustc_hash::FxHashMap;

/// The applications of each function: arguments and result.
#[derive(Default)]
pub(crate) struct Applications {
    pub(crate) of: FxHashMap<Function, Vec<(Vec<Word>, Word)>>,
    results: FxHashMap<(Function, Vec<Word>), Word>,
}

/// More pairs of applications than this are too many.
const MOST_PAIRS: usize = 4_000_000;

impl Applications {
    /// The result of a function for these arguments.
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

    /// Says so for every pair of applications.
    pub(crate) fn constrain(&self, circuit: &mut Circuit) -> Result<(), Refused> {
        let pairs: usize = self.of.values().map(|all| all.len() * all.len() / 2).sum();
        if pairs > MOST_PAIRS {
            return Err(Refused);
        }
        for all in self.of.values() {
            for (at, (arguments, result)) in all.iter().enumerate() {
                if circuit.is_full() {
                    return Err(Refused);
                }
                for (others, other) in &all[..at] {
                    let mut same = circuit.constant(true);
                    for (one, other) in arguments.iter().zip(others) {
                        let equal = circuit.words_equal(one, other);
                        same = circuit.and(same, equal);
                    }
                    let equal = circuit.words_equal(result, other);
                    circuit.add(&[!same, equal]);
                }
            }
        }
        Ok(())
    }
}
