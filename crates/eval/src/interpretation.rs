//! What a model says, ready to be evaluated in.

use agon_smtlib::{Binder, Function, Sort, Symbol, Term};
use rustc_hash::{FxHashMap, FxHashSet};

/// What a function is equal to.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// Its arguments.
    pub binder: Binder,
    /// What it gives.
    pub term: Term,
}

/// What a model says.
#[derive(Clone, Debug, Default)]
pub struct Interpretation {
    /// Functions with a definition: those of the problem and those of the model.
    pub definitions: FxHashMap<Function, Body>,
    /// Constants that are elements of declared sorts, and algebraic numbers.
    pub constants: FxHashMap<Function, Constant>,
    /// What functions of theories, and selectors, give where the standard leaves that to the model: by name.
    pub partial: FxHashMap<Vec<u8>, Vec<Body>>,
    /// The terms that `:named` names.
    pub named: FxHashMap<Symbol, Term>,
    /// Sorts whose elements are those that the model names, and no others.
    pub closed: FxHashSet<Sort>,
}

/// A constant that has no definition.
#[derive(Clone, Debug)]
pub enum Constant {
    /// An element of a declared sort, by its number there; or of an array sort, about which nothing is known.
    Element(u32),
    /// A root of a polynomial.
    Algebraic(crate::Root),
    /// A function as an array.
    Map(Function),
}
