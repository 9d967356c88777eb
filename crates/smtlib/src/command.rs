//! The parsed commands of a script.

use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Binder, Function, Term};

/// A command with resolved names and terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Command {
    /// `(set-logic L)`
    SetLogic(Symbol),
    /// `(set-option :k v)`, with the value as written.
    SetOption(Symbol, Option<Box<[u8]>>),
    /// `(set-info :k v)`
    SetInfo(Symbol, Option<Box<[u8]>>),
    /// `(declare-sort S n)`
    DeclareSort(Symbol, u64),
    /// `(define-sort S (X …) s)`
    DefineSort(Symbol, Box<[Symbol]>, Sort),
    /// `(declare-sort-parameter X)`
    DeclareSortParameter(Symbol),
    /// `(declare-fun f (s …) s)`
    DeclareFun(Function),
    /// `(declare-const f s)`
    DeclareConst(Function),
    /// `(define-fun f ((x s) …) s t)`
    DefineFun(Definition),
    /// `(define-const f s t)`
    DefineConst(Definition),
    /// `(define-fun-rec …)` and `(define-funs-rec …)`
    DefineFunsRec(Box<[Definition]>),
    /// `(declare-datatype …)` and `(declare-datatypes …)`
    DeclareDatatypes(Box<[Datatype]>),
    /// `(declare-heap (Loc Data) …)`
    DeclareHeap(Box<[(Sort, Sort)]>),
    /// `(assert t)`
    Assert(Term),
    /// `(check-sat)`
    CheckSat,
    /// `(check-unsat)`, a command of SL-COMP.
    CheckUnsat,
    /// `(check-sat-assuming (t …))`
    CheckSatAssuming(Box<[Term]>),
    /// `(push n)`
    Push(u64),
    /// `(pop n)`
    Pop(u64),
    /// `(get-value (t …))`
    GetValue(Box<[Term]>),
    /// `(get-info :k)`
    GetInfo(Symbol),
    /// `(get-option :k)`
    GetOption(Symbol),
    /// `(echo "…")`, with the text between the quotes.
    Echo(Symbol),
    /// A command without arguments: `(exit)`, `(get-model)`.
    Plain(Plain),
    /// A solver-specific command, as written.
    Extension(Symbol, Box<[u8]>),
}

/// Commands without arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plain {
    /// `(exit)`
    Exit,
    /// `(reset)`
    Reset,
    /// `(reset-assertions)`
    ResetAssertions,
    /// `(get-assertions)`
    GetAssertions,
    /// `(get-assignment)`
    GetAssignment,
    /// `(get-model)`
    GetModel,
    /// `(get-proof)`
    GetProof,
    /// `(get-unsat-assumptions)`
    GetUnsatAssumptions,
    /// `(get-unsat-core)`
    GetUnsatCore,
}

impl Plain {
    /// All commands without arguments.
    pub const ALL: [Self; 9] = [
        Self::Exit,
        Self::Reset,
        Self::ResetAssertions,
        Self::GetAssertions,
        Self::GetAssignment,
        Self::GetModel,
        Self::GetProof,
        Self::GetUnsatAssumptions,
        Self::GetUnsatCore,
    ];

    /// The name of the command.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exit => "exit",
            Self::Reset => "reset",
            Self::ResetAssertions => "reset-assertions",
            Self::GetAssertions => "get-assertions",
            Self::GetAssignment => "get-assignment",
            Self::GetModel => "get-model",
            Self::GetProof => "get-proof",
            Self::GetUnsatAssumptions => "get-unsat-assumptions",
            Self::GetUnsatCore => "get-unsat-core",
        }
    }
}

/// A function and its definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Definition {
    /// The function.
    pub function: Function,
    /// Its arguments.
    pub binder: Binder,
    /// Its body.
    pub body: Term,
}

/// A datatype: its name, its parameters, its constructors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Datatype {
    /// Its name.
    pub name: Symbol,
    /// Its sort parameters.
    pub parameters: Box<[Symbol]>,
    /// Its constructors, in order.
    pub constructors: Box<[Function]>,
}
