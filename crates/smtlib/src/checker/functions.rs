//! Functions of the script: declared, defined, constructors, selectors, names of terms.

use super::cursor::Cursor;
use super::{Checked, Checker, Extensions, Meaning, Repeated, Undo};
use crate::diagnostic::Code;
use crate::sort::Sort;
use crate::symbol::Symbol;
use crate::term::{Binder, Function, Operator, Shape};
use crate::theory::Signatures;

/// The maximum number of functions with the same name.
const MOST_OVERLOADS: usize = 100;

/// The kind of a function of the script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// From `declare-fun` or `declare-const`.
    Declared,
    /// From `define-fun` or one of its variants.
    Defined,
    /// A constructor of a datatype, with its selectors.
    Constructor(Box<[Function]>),
    /// A selector of a datatype: the name of its constructor, and the index of the argument that it selects.
    Selector(Symbol, u32),
    /// The name that `:named` gives a term.
    Named,
    /// A name that was used without a declaration, which was reported.
    Unknown,
}

/// A function of the script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionInfo {
    /// The name of the function.
    pub name: Symbol,
    /// The sorts of its arguments.
    pub parameters: Box<[Sort]>,
    /// The sort of its result.
    pub result: Sort,
    /// How the function was introduced.
    pub kind: FunctionKind,
    /// An older function of the same name, with another signature.
    pub(crate) overloaded: Option<Function>,
    /// Its shape as a polynomial, if it has no arguments.
    pub(crate) shape: Shape,
}

impl Checker {
    pub(super) fn add_function(&mut self, info: FunctionInfo) -> Function {
        self.functions.push(info);
        Function(self.functions.len() as u32 - 1)
    }

    /// Declares a function without a definition at the current level.
    pub(crate) fn declare_function(
        &mut self,
        cursor: &Cursor<'_>,
        place: usize,
        name: Symbol,
        parameters: Vec<Sort>,
        result: Sort,
    ) -> Function {
        self.used.functions |= !parameters.is_empty();
        let function = self.add_function(FunctionInfo {
            name,
            parameters: parameters.into(),
            result,
            kind: FunctionKind::Declared,
            overloaded: None,
            shape: Shape::VARIABLE,
        });
        self.declare_free(cursor, place, function);
        function
    }

    /// Reports names that begin with `@` or `.`, which the standard reserves for solvers.
    pub(super) fn check_solver_name(&mut self, cursor: &Cursor<'_>, place: usize, name: Symbol) {
        if self.rules.strict && matches!(self.symbols.text(name).first(), Some(b'@' | b'.')) {
            let message = format!("'{}': names that begin with @ or . are reserved for solvers", self.text_of(name));
            self.report(cursor.text, place, Code::SolverName, message);
        }
    }

    /// Declares a function at the current level, unless its name is taken. By the standard a name can be declared once.
    /// Solvers allow several functions or constants with one name, as long as their sorts differ.
    pub(super) fn declare_free(&mut self, cursor: &Cursor<'_>, place: usize, function: Function) {
        let name = self.function(function).name;
        if !self.rules.strict
            && let Meaning::Function(other) = self.meaning(name)
        {
            let new = self.function(function);
            let differs = |other: &FunctionInfo| {
                !matches!(other.kind, FunctionKind::Unknown | FunctionKind::Named)
                    && new.parameters.is_empty() == other.parameters.is_empty()
                    && (&new.parameters, new.result) != (&other.parameters, other.result)
            };
            let few = self.overloads(other).nth(MOST_OVERLOADS).is_none();
            if few && self.overloads(other).all(|other| differs(self.function(other))) {
                self.functions[function.0 as usize].overloaded = Some(other);
                self.declare(name, function);
                return;
            }
        }
        if self.check_free(cursor, place, name) {
            self.declare(name, function);
        }
    }

    /// A function and the older ones with its name.
    pub(super) fn overloads(&self, function: Function) -> impl Iterator<Item = Function> + '_ {
        std::iter::successors(Some(function), |function| self.function(*function).overloaded)
    }

    /// Whether a name may be declared as a function here; if not, reports why.
    pub(super) fn check_free(&mut self, cursor: &Cursor<'_>, place: usize, name: Symbol) -> bool {
        self.check_solver_name(cursor, place, name);
        if self.rules.strict && !matches!(self.sort_meaning(name), super::SortMeaning::Free) {
            let message = format!("'{}' is already the name of a sort", self.text_of(name));
            self.report(cursor.text, place, Code::Taken, message);
        }
        match self.meaning(name) {
            Meaning::Theory(group) => {
                let transcendental = self.logic.is_some_and(|logic| self.symbols.text(logic).ends_with(b"AT"));
                let extensions =
                    if self.rules.strict || transcendental { Extensions::Included } else { Extensions::Excluded };
                if self.is_theory_name(group, extensions) {
                    let message = format!("'{}' is a function of a theory of the logic", self.text_of(name));
                    let help = Some("choose another name; a theory's function cannot be declared again".to_owned());
                    self.report_with(cursor.text, place, Code::TheoryName, message, help);
                    return false;
                }
                true
            }
            Meaning::Function(function) if self.function(function).kind == FunctionKind::Unknown => true,
            Meaning::Function(_) => {
                let message = format!("'{}' is already declared", self.text_of(name));
                self.report(cursor.text, place, Code::Taken, message);
                false
            }
            Meaning::Free | Meaning::Variable(_) => true,
        }
    }

    /// Declares a function at the current level.
    pub(super) fn declare(&mut self, name: Symbol, function: Function) {
        let old = self.replace(name, Meaning::Function(function));
        self.remember(Undo::Name(name, old));
    }

    /// The operator for a theory function with these indices.
    pub(super) fn operator_of(&mut self, row: u32, indices: &[u64]) -> Operator {
        if indices.is_empty() {
            return Operator(row);
        }
        let key = (row, indices.into());
        if let Some(known) = self.operator_numbers.get(&key) {
            return *known;
        }
        let operator = Operator(Signatures::get().len() + self.operators.len() as u32);
        self.operators.push(key.clone());
        self.operator_numbers.insert(key, operator);
        operator
    }

    /// Reads sorted variables, `((x Int) (y Bool))`, and binds them until `leave_scope`.
    pub(super) fn read_variables(&mut self, cursor: &mut Cursor<'_>, repeated: Repeated) -> Checked<Binder> {
        self.expect_open(cursor, "the variables")?;
        let mut variables = vec![];
        let mut places = vec![];
        while !self.at_close(cursor)? {
            self.expect_open(cursor, "a variable and its sort")?;
            let name = self.expect_name(cursor, "the name of a variable")?;
            places.push(cursor.place);
            let name = self.symbols.intern(name);
            let sort = self.read_sort(cursor)?;
            self.expect_close(cursor, "the sort of a variable")?;
            variables.push((name, sort, Shape::VARIABLE));
        }
        let binder = self.terms.bind(variables);
        self.enter_scope(cursor, binder, &places, repeated);
        Ok(binder)
    }

    /// How the rules treat a name that a quantifier or a `let` binds twice.
    pub(super) fn repeated(&self) -> Repeated {
        if self.rules.strict { Repeated::Error } else { Repeated::Shadows }
    }

    /// Binds the names of these variables until `leave_scope`.
    pub(crate) fn enter_scope(&mut self, cursor: &Cursor<'_>, binder: Binder, places: &[usize], repeated: Repeated) {
        let mut first = None;
        for (at, variable) in self.terms.variables(binder).enumerate() {
            first.get_or_insert(variable);
            let name = self.terms.name(variable);
            let old = self.replace(name, Meaning::Variable(variable));
            self.work.scope.push((name, old));
            let place = places.get(at).copied().unwrap_or(cursor.place);
            match old {
                Meaning::Variable(other) if repeated == Repeated::Error && Some(other) >= first => {
                    let message = format!("the variable '{}' occurs twice", self.text_of(name));
                    self.report(cursor.text, place, Code::Twice, message);
                }
                Meaning::Theory(group) if self.rules.strict && self.is_theory_name(group, Extensions::Excluded) => {
                    let message = format!("'{}' is a function of a theory of the logic", self.text_of(name));
                    self.report(cursor.text, place, Code::TheoryName, message);
                }
                _ => {}
            }
        }
    }

    /// Ends scopes until only `length` names are bound, and restores the earlier meanings of the others.
    pub(crate) fn leave_scope(&mut self, length: usize) {
        while self.work.scope.len() > length {
            if let Some((name, old)) = self.work.scope.pop() {
                self.meanings[name.index()] = old;
            }
        }
    }
}
