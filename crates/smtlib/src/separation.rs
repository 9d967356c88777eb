//! The fragments of separation logic, and the divisions of SL-COMP that a problem fits into (SL19-15, SL19-16,
//! SL19-17). Predicates are recursive functions (SL19-11). An entailment is the conjunction of its left side and the
//! negation of its right side, so it holds if that is unsatisfiable (SL19-14).

use crate::checker::Checker;
use crate::command::{Command, Definition};
use crate::term::{Function, Head, Term};
use crate::theory::Theory;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

/// The formulas that a division allows in assertions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Formulas {
    /// LS: symbolic heaps with acyclic list segments.
    Lists,
    /// LID: symbolic heaps with linear inductive predicates.
    Linear,
    /// ID: symbolic heaps with any inductive predicates.
    Inductive,
    /// B: Boolean combinations, and no recursion.
    Boolean,
}

/// The divisions, from the smallest to the largest, with the formulas of each. Their other properties follow from their
/// names.
const DIVISIONS: [KnownDivision; 12] = [
    KnownDivision("qf_shls_sat", Formulas::Lists),
    KnownDivision("qf_shls_entl", Formulas::Lists),
    KnownDivision("qf_shlid_entl", Formulas::Linear),
    KnownDivision("qf_shid_sat", Formulas::Inductive),
    KnownDivision("qf_shid_entl", Formulas::Inductive),
    KnownDivision("shid_entl", Formulas::Inductive),
    KnownDivision("qf_shidlia_sat", Formulas::Inductive),
    KnownDivision("qf_shidlia_entl", Formulas::Inductive),
    KnownDivision("shidlia_entl", Formulas::Inductive),
    KnownDivision("qf_bsl_sat", Formulas::Boolean),
    KnownDivision("bsl_sat", Formulas::Boolean),
    KnownDivision("qf_bsllia_sat", Formulas::Boolean),
];

/// The names of SL-COMP's divisions, as classes of content (SL19-16).
pub fn separation_classes() -> impl Iterator<Item = &'static str> {
    DIVISIONS.iter().map(|KnownDivision(name, _)| *name)
}

/// A division: `LOGIC_sat` or `LOGIC_entl` in lower case, and its formulas.
struct KnownDivision(&'static str, Formulas);

impl KnownDivision {
    fn logic(&self) -> &'static str {
        self.0.rsplit_once('_').map_or(self.0, |(logic, _)| logic)
    }

    fn has_integers(&self) -> bool {
        self.logic().ends_with("lia")
    }

    fn has_quantifiers(&self) -> bool {
        !self.logic().starts_with("qf_")
    }

    fn asks_for_entailment(&self) -> bool {
        self.0.ends_with("_entl")
    }
}

/// An inductive predicate.
#[derive(Debug)]
struct Predicate {
    is_list: bool,
    /// The predicates that each of its rules calls.
    rules: Vec<Vec<Function>>,
}

/// Observes the commands of a script, and determines which divisions it fits into.
#[derive(Debug, Default)]
pub(crate) struct Classifier {
    predicates: FxHashMap<Function, Predicate>,
    asserts: u64,
    quantified: bool,
    /// Whether an assertion is neither a symbolic heap nor the negation of one.
    combined: bool,
    last_is_negation: bool,
}

impl Classifier {
    /// Observes one command.
    pub(crate) fn see(&mut self, checker: &Checker, command: &Command) {
        match command {
            Command::DefineFunsRec(definitions) => {
                for definition in definitions {
                    let predicate = Predicate {
                        is_list: is_list_segment(checker, definition),
                        rules: rules(checker, definition.body).iter().map(|rule| calls(checker, *rule)).collect(),
                    };
                    self.predicates.insert(definition.function, predicate);
                }
            }
            Command::Assert(term) => {
                self.asserts += 1;
                self.last_is_negation = operator(checker, *term) == Some("not");
                self.quantified |= has_quantifier(checker, *term);
                let inside = if self.last_is_negation { checker.terms.arguments(*term)[0] } else { *term };
                self.combined |= !is_symbolic_heap(checker, inside);
            }
            _ => {}
        }
    }

    /// The divisions that the script fits into, the best fit first: those of its own logic, then the others from the
    /// smallest to the largest.
    pub(crate) fn divisions(&self, checker: &Checker) -> Vec<&'static str> {
        let integers = checker.used().theories.has(Theory::Ints);
        let formulas = self.formulas();
        let entailment = formulas != Formulas::Boolean && self.asserts == 2 && self.last_is_negation;
        let fits = |division: &&KnownDivision| {
            let formulas_fit = match division.1 {
                Formulas::Boolean => self.predicates.is_empty(),
                other => formulas <= other,
            };
            formulas_fit
                && division.has_integers() >= integers
                && division.has_quantifiers() >= self.quantified
                && (division.asks_for_entailment() == entailment || division.1 == Formulas::Boolean)
        };
        let mut fitting: Vec<_> = DIVISIONS.iter().filter(fits).collect();
        let is_other = |division: &&KnownDivision| {
            !checker.logic().is_some_and(|logic| logic.eq_ignore_ascii_case(division.logic().as_bytes()))
        };
        fitting.sort_by_key(is_other);
        fitting.into_iter().map(|division| division.0).collect()
    }

    fn formulas(&self) -> Formulas {
        if self.combined || self.predicates.is_empty() {
            Formulas::Boolean
        } else if self.predicates.values().all(|predicate| predicate.is_list) {
            Formulas::Lists
        } else if self.are_linear() {
            Formulas::Linear
        } else {
            Formulas::Inductive
        }
    }

    /// Whether each rule makes at most one recursive call, directly or through other predicates.
    fn are_linear(&self) -> bool {
        let groups = self.groups();
        self.predicates.iter().all(|(name, predicate)| {
            let comes_back = |call: &&Function| groups.get(*call) == groups.get(name);
            predicate.rules.iter().all(|calls| calls.iter().filter(comes_back).count() <= 1)
        })
    }

    /// Numbers the predicates so that those that call each other, directly or not, have the same number: Kosaraju's
    /// algorithm.
    fn groups(&self) -> FxHashMap<Function, usize> {
        let calls = |name: &Function| self.predicates.get(name).into_iter().flat_map(|p| p.rules.iter().flatten());
        let mut callers: FxHashMap<Function, Vec<Function>> = FxHashMap::default();
        for name in self.predicates.keys() {
            for call in calls(name) {
                callers.entry(*call).or_default().push(*name);
            }
        }
        let mut seen = FxHashSet::default();
        let mut order = vec![];
        for start in self.predicates.keys() {
            let mut left = vec![(*start, false)];
            while let Some((name, done)) = left.pop() {
                if done {
                    order.push(name);
                } else if seen.insert(name) {
                    left.push((name, true));
                    left.extend(calls(&name).map(|call| (*call, false)));
                }
            }
        }
        let mut groups = FxHashMap::default();
        for (number, start) in order.iter().rev().enumerate() {
            let mut left = vec![*start];
            while let Some(name) = left.pop() {
                if let Entry::Vacant(place) = groups.entry(name) {
                    place.insert(number);
                    left.extend(callers.get(&name).into_iter().flatten());
                }
            }
        }
        groups
    }
}

fn operator(checker: &Checker, term: Term) -> Option<&'static str> {
    match checker.terms.head(term) {
        Head::Operator(operator) | Head::QualifiedOperator(operator) => Some(checker.operator(operator).0),
        _ => None,
    }
}

/// The cases of a predicate's definition.
fn rules(checker: &Checker, body: Term) -> Vec<Term> {
    let mut rules = vec![];
    let mut left = vec![body];
    while let Some(term) = left.pop() {
        match checker.terms.head(term) {
            Head::Exists(_) => left.push(checker.terms.arguments(term)[0]),
            _ if operator(checker, term) == Some("or") => left.extend(checker.terms.arguments(term)),
            _ => rules.push(term),
        }
    }
    rules
}

/// All distinct subterms of a term, including the term.
fn subterms(checker: &Checker, term: Term) -> Vec<Term> {
    let mut seen = FxHashSet::default();
    let mut all = vec![];
    let mut left = vec![term];
    while let Some(term) = left.pop() {
        if seen.insert(term) {
            all.push(term);
            left.extend(checker.terms.arguments(term));
        }
    }
    all
}

/// The predicates that a rule calls, once for each list of arguments.
fn calls(checker: &Checker, rule: Term) -> Vec<Function> {
    let called = |term: Term| match checker.terms.head(term) {
        Head::Function(function) if !checker.terms.arguments(term).is_empty() => Some(function),
        _ => None,
    };
    subterms(checker, rule).into_iter().filter_map(called).collect()
}

fn has_quantifier(checker: &Checker, term: Term) -> bool {
    let is_quantifier = |term: &Term| matches!(checker.terms.head(*term), Head::Forall(_) | Head::Exists(_));
    subterms(checker, term).iter().any(is_quantifier)
}

/// Whether a formula is a conjunction of pure and spatial atoms, possibly under existential quantifiers.
fn is_symbolic_heap(checker: &Checker, term: Term) -> bool {
    let mut left = vec![term];
    while let Some(term) = left.pop() {
        match operator(checker, term) {
            Some("and" | "sep") => left.extend(checker.terms.arguments(term)),
            Some("not") => {
                let inner = checker.terms.arguments(term)[0];
                if !matches!(operator(checker, inner), Some("=" | "<" | "<=" | ">" | ">=")) {
                    return false;
                }
            }
            Some("or" | "xor" | "=>" | "ite" | "wand") => return false,
            Some(_) => {}
            None => match checker.terms.head(term) {
                Head::Exists(_) => left.push(checker.terms.arguments(term)[0]),
                Head::Forall(_) | Head::Let(_) => return false,
                _ => {}
            },
        }
    }
    true
}

/// Whether a predicate is the acyclic list segment: either `x = y` and the heap is empty, or `x ≠ y`, `x` points to
/// some `z`, and there is a segment from `z` to `y`.
fn is_list_segment(checker: &Checker, definition: &Definition) -> bool {
    let terms = &checker.terms;
    let parameters: Vec<_> = terms.variables(definition.binder).collect();
    let [first, last] = parameters[..] else { return false };
    let is = |term: Term, variable| terms.head(term) == Head::Variable(variable);
    let pair = |term: Term| {
        terms.arguments(term).len() == 2 && is(terms.arguments(term)[0], first) && is(terms.arguments(term)[1], last)
    };
    let rules = rules(checker, definition.body);
    let [one, other] = rules[..] else { return false };
    let atoms = |rule: Term| -> Vec<Term> {
        let mut atoms = vec![];
        let mut left = vec![rule];
        while let Some(term) = left.pop() {
            match operator(checker, term) {
                Some("and" | "sep") => left.extend(terms.arguments(term)),
                _ => atoms.push(term),
            }
        }
        atoms
    };
    let named = |atoms: &[Term], name| atoms.iter().copied().find(|atom| operator(checker, *atom) == Some(name));
    let is_base =
        |atoms: &[Term]| atoms.len() == 2 && named(atoms, "emp").is_some() && named(atoms, "=").is_some_and(pair);
    let is_step = |atoms: &[Term]| {
        let call = atoms.iter().find(|atom| terms.head(**atom) == Head::Function(definition.function));
        let (Some(points), Some(call), Some(differ)) = (named(atoms, "pto"), call, named(atoms, "distinct")) else {
            return false;
        };
        // A predicate without its arguments is an error, which was already reported.
        if terms.arguments(*call).len() != 2 || terms.arguments(points).len() != 2 {
            return false;
        }
        let (source, cell) = (terms.arguments(points)[0], terms.arguments(points)[1]);
        let next = terms.arguments(*call)[0];
        atoms.len() == 3
            && pair(differ)
            && is(source, first)
            && terms.arguments(cell) == [next]
            && is(terms.arguments(*call)[1], last)
            && !is(next, first)
            && !is(next, last)
    };
    let (one, other) = (atoms(one), atoms(other));
    is_base(&one) && is_step(&other) || is_base(&other) && is_step(&one)
}
