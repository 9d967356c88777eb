//! A parsed model, ready for evaluation.

use agon_smtlib::{Binder, Function, Sort, Symbol, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// The definition of a function.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// Its arguments.
    pub binder: Binder,
    /// Its body.
    pub term: Term,
}

/// A model.
#[derive(Clone, Debug, Default)]
pub struct Interpretation {
    /// Functions with a definition: those of the problem and those of the model.
    pub definitions: FxHashMap<Function, Body>,
    /// Constants that are elements of declared sorts, and algebraic numbers.
    pub constants: FxHashMap<Function, Constant>,
    /// The values of theory functions and selectors that the standard leaves to the model, by name.
    pub partial: FxHashMap<Vec<u8>, Vec<Body>>,
    /// The terms named by `:named`.
    pub named: FxHashMap<Symbol, Term>,
    /// Sorts whose elements are exactly those that the model names.
    pub closed: FxHashSet<Sort>,
}

/// A constant that has no definition.
#[derive(Clone, Debug)]
pub enum Constant {
    /// An element of a declared sort, by its index; or of an array sort, about which nothing is known.
    Element(u32),
    /// A root of a polynomial.
    Algebraic(crate::Root),
    /// A function as an array.
    Map(Function),
}
