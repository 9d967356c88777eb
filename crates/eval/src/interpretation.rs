//! A parsed model, ready for evaluation.

use agon_smtlib::{Binder, Function, Sort, Symbol, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// The definition of a function.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// The function's arguments.
    pub binder: Binder,
    /// The function's body.
    pub term: Term,
}

/// A model, with the definitions and names of its problem.
#[derive(Clone, Debug, Default)]
pub struct Interpretation {
    /// Functions with a definition: those of the problem and those of the model.
    pub definitions: FxHashMap<Function, Body>,
    /// Constants that no term defines: elements of declared sorts, algebraic numbers, and functions used as arrays.
    pub constants: FxHashMap<Function, Constant>,
    /// The values of theory functions and selectors that the standard leaves to the model, by name.
    pub partial: FxHashMap<Vec<u8>, Vec<Body>>,
    /// The terms named by `:named`.
    pub named: FxHashMap<Symbol, Term>,
    /// Sorts whose elements are exactly those that the model names.
    pub closed: FxHashSet<Sort>,
}

/// The value of a constant that is not defined by a term.
#[derive(Clone, Debug)]
pub enum Constant {
    /// An element of a declared sort, by its index. For an array sort, an array whose elements are unknown.
    Element(u32),
    /// A root of a polynomial.
    Algebraic(crate::Root),
    /// An array that has the values of a function.
    Map(Function),
}
