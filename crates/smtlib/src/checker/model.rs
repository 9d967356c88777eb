//! The definitions in a solver's model, read in the context of the script without declaring them.

use super::cursor::Cursor;
use super::functions::{FunctionInfo, FunctionKind};
use super::{Checked, Checker, Extensions, Meaning, Repeated};
use crate::diagnostic::{Diagnostic, Position};
use crate::sort::{Constructor, Sort};
use crate::symbol::Symbol;
use crate::term::{Binder, Function, Shape, Term};

/// The name and the sorts of a definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionSignature {
    /// The name.
    pub name: Symbol,
    /// The sorts of its arguments.
    pub parameters: Box<[Sort]>,
    /// The sort of its result.
    pub result: Sort,
}

/// How a declaration or a definition is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinitionForm {
    /// With a list of parameters: `declare-fun`, `define-fun`.
    Function,
    /// Without one: `declare-const`, `define-const`.
    Constant,
}

/// How much of a definition is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefinitionPart {
    /// Its name and sorts.
    Signature,
    /// Its name, its sorts and its body.
    All,
}

impl Checker {
    /// The functions of the script that have this name now.
    pub fn functions_called(&self, name: &[u8]) -> impl Iterator<Item = Function> + '_ {
        let found = self.symbols.find(name).map(|name| self.meaning(name));
        let last = match found {
            Some(Meaning::Function(function)) => Some(function),
            _ => None,
        };
        last.into_iter().flat_map(|function| self.overloads(function))
    }

    /// Whether a theory available to the script has a function of this name.
    pub fn is_theory_function(&self, name: &[u8]) -> bool {
        match self.symbols.find(name).map(|name| self.meaning(name)) {
            Some(Meaning::Theory(group)) => self.is_theory_name(group, Extensions::Included),
            _ => false,
        }
    }

    /// Reads a definition, starting with its name: `f ((x Int)) Int body)`. Nothing is declared. Errors are reported.
    pub fn read_definition(
        &mut self,
        text: &[u8],
        start: Position,
        form: DefinitionForm,
        part: DefinitionPart,
    ) -> Option<(FunctionSignature, Binder, Option<Term>)> {
        self.start = start;
        self.known = (0, start);
        self.work.clear();
        let mut cursor = Cursor::new(text);
        let read = self.definition(&mut cursor, form, part);
        self.leave_scope(0);
        read.ok()
    }

    fn definition(
        &mut self,
        cursor: &mut Cursor<'_>,
        form: DefinitionForm,
        part: DefinitionPart,
    ) -> Checked<(FunctionSignature, Binder, Option<Term>)> {
        let name = self.expect_name(cursor, "the name of a function")?;
        let name = self.symbols.intern(name);
        let binder = match form {
            DefinitionForm::Function => self.read_variables(cursor, Repeated::Error)?,
            DefinitionForm::Constant => self.terms.bind([]),
        };
        let result = self.read_sort(cursor)?;
        let parameters = self.terms.variables(binder).map(|variable| self.terms.variable_sort(variable)).collect();
        let signature = FunctionSignature { name, parameters, result };
        if part == DefinitionPart::Signature {
            return Ok((signature, binder, None));
        }
        let body = self.read_term(cursor)?;
        if !self.is_array_as_map(self.terms.sort(body), result) {
            self.check_sort(cursor, body, result, "the body of this definition");
        }
        self.expect_close(cursor, "the body")?;
        Ok((signature, binder, Some(body)))
    }

    /// Whether a value is a map where an array with the same sorts is expected: some solvers write arrays as functions.
    fn is_array_as_map(&self, sort: Sort, wanted: Sort) -> bool {
        self.sorts.constructor(sort) == Constructor::Arrow
            && self.sorts.constructor(wanted) == Constructor::Array
            && self.sorts.arguments(sort) == self.sorts.arguments(wanted)
    }

    /// From here on `lambda` makes arrays, unless the script has maps.
    pub fn read_lambdas_as_arrays(&mut self) {
        let has_maps = self.sorts.iter().any(|sort| self.sorts.constructor(sort) == Constructor::Arrow);
        self.lambdas_are_arrays = !has_maps;
    }

    /// Frees the memory that is needed only for reading. Nothing can be read afterward.
    pub fn finish_reading(&mut self) {
        self.terms.complete();
    }

    /// Removes and returns the errors so far.
    pub fn take_diagnostics(&mut self) -> Vec<Diagnostic> {
        self.more_diagnostics = 0;
        std::mem::take(&mut self.diagnostics)
    }
}

impl Checker {
    /// Declares a function that only the model has.
    pub fn declare_auxiliary(&mut self, signature: &FunctionSignature) -> Function {
        let function = self.add_function(FunctionInfo {
            name: signature.name,
            parameters: signature.parameters.clone(),
            result: signature.result,
            kind: FunctionKind::Declared,
            overloaded: None,
            shape: Shape::VARIABLE,
        });
        let older = match self.meaning(signature.name) {
            Meaning::Function(older) if self.function(older).kind != FunctionKind::Unknown => Some(older),
            _ => None,
        };
        self.functions[function.0 as usize].overloaded = older;
        self.declare(signature.name, function);
        function
    }
}
