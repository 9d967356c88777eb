//! Parses the models that solvers print.
//!
//! In the standard, a model is a list of `define-fun`s, one for each symbol that the script declares. Real solvers
//! write `model` before it, add functions of their own, name elements of sorts without declaring them, and have their
//! own notations for roots of polynomials and arrays. All of that is accepted here. A missing, extra or malformed
//! definition is a [`ModelFault`].

mod complete;
mod elements;
pub(crate) mod foreign_values;
pub(crate) mod scan;
mod subject;

use self::subject::Subject;
use crate::interpretation::{Body, Constant, Interpretation};
use crate::model::foreign_values::{array_name, root_name, without_as_array, without_roots};
use crate::model::scan::{Item, Scan};
use crate::problem::Problem;
use crate::root::Root;
use agon_smtlib::{
    Checker, Code, DefinitionForm, DefinitionPart, Diagnostic, Function, FunctionSignature, Position, Sort,
};
use rustc_hash::FxHashSet;

/// An error in the model itself, regardless of whether the assertions hold in it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelFault {
    /// The model does not have the form that the standard prescribes.
    #[error("the model is malformed: {0}")]
    Malformed(String),
    /// The model is cut off.
    #[error("the model is cut off")]
    Cut,
    /// A declared symbol has no definition.
    #[error("the model does not define '{0}'")]
    Missing(String),
    /// A symbol is defined that was not declared and that no other definition needs.
    #[error("the model defines '{0}', which the benchmark does not declare")]
    Extra(String),
    /// A symbol is defined more than once.
    #[error("the model defines '{0}' twice")]
    Twice(String),
    /// A definition has other sorts than the declaration.
    #[error("the model defines '{0}' with sorts other than declared")]
    Sorts(String),
    /// The model contains a notation that is not supported.
    #[error("the model contains an unsupported notation: {0}")]
    Unsupported(String),
}

/// A definition whose signature was read: its subject, and the index of its item.
struct Announced {
    subject: Subject,
    item: usize,
    signature: FunctionSignature,
}

/// Parses a model of a problem. The text starts at the model's opening parenthesis; text after the model is ignored.
pub fn read_model(problem: &mut Problem, text: &[u8]) -> Result<Interpretation, ModelFault> {
    let (text, roots) = without_roots(text)?;
    let (text, functions_as_arrays) = without_as_array(&text);
    let scanned = Scan::of(&text)?;
    problem.checker.read_lambdas_as_arrays();
    let mut reader = ModelReader {
        text: &text,
        known: (0, Position::START),
        declared: problem.declared.iter().copied().collect(),
        problem,
        result: Interpretation::default(),
        elements: 0,
        announced: vec![],
        auxiliary: vec![],
        recursive: FxHashSet::default(),
        aliases: vec![],
    };
    reader.declare_roots(roots);
    reader.declare_elements(&scanned)?;
    reader.announce(&scanned.items)?;
    reader.declare_arrays(&functions_as_arrays)?;
    reader.define(&scanned.items)?;
    reader.note_cardinalities();
    reader.complete()
}

struct ModelReader<'a> {
    text: &'a [u8],
    /// The last offset whose position was computed, and its position.
    known: (usize, Position),
    problem: &'a mut Problem,
    declared: FxHashSet<Function>,
    result: Interpretation,
    /// The number of elements of sorts so far.
    elements: u32,
    announced: Vec<Announced>,
    /// Functions that only the model defines.
    auxiliary: Vec<Function>,
    /// Functions whose definitions may be recursive.
    recursive: FxHashSet<Function>,
    /// Constants that replace functions used as arrays, each with its function.
    aliases: Vec<(Function, Function)>,
}

pub(crate) fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

pub(crate) fn malformed<T>(message: impl Into<String>) -> Result<T, ModelFault> {
    Err(ModelFault::Malformed(message.into()))
}

impl ModelReader<'_> {
    fn checker(&mut self) -> &mut Checker {
        &mut self.problem.checker
    }

    fn name(&self, signature: &FunctionSignature) -> String {
        lossy(self.problem.checker.symbols.text(signature.name))
    }

    /// The position of an offset. Definitions are read in order, so lines are counted from the last known position.
    fn position(&mut self, offset: usize) -> Position {
        let (from, position) = if self.known.0 <= offset { self.known } else { (0, Position::START) };
        let position = position.after(&self.text[from..offset]);
        self.known = (offset, position);
        position
    }

    /// Fails with the first relevant error of the checker, if there is one.
    fn fault(&mut self) -> Result<(), ModelFault> {
        // In a model, the sort of a value follows from its context, so a constructor without `as` is accepted.
        let matters = |error: &Diagnostic| !error.code.is_harmless() && error.code != Code::Ambiguous;
        match self.checker().take_diagnostics().into_iter().find(matters) {
            Some(error) => malformed(format!("line {}, column {}: {}", error.line, error.column, error.message)),
            None => Ok(()),
        }
    }

    /// Declares the names that replace roots.
    fn declare_roots(&mut self, roots: Vec<Root>) {
        for (number, root) in roots.into_iter().enumerate() {
            let name = self.checker().symbols.intern(root_name(number).as_bytes());
            let signature = FunctionSignature { name, parameters: [].into(), result: Sort::REAL };
            let function = self.checker().declare_auxiliary(&signature);
            self.result.constants.insert(function, Constant::Algebraic(root));
        }
    }

    /// Reads the signatures of all definitions and finds their subjects. Bodies come later, since they may use
    /// functions that are defined further down.
    fn announce(&mut self, items: &[Item<'_>]) -> Result<(), ModelFault> {
        let mut seen = FxHashSet::default();
        for (at, item) in items.iter().enumerate() {
            let form = match item.word {
                b"define-fun" | b"define-fun-rec" => DefinitionForm::Function,
                b"define-const" => DefinitionForm::Constant,
                b"declare-fun" | b"declare-const" | b"declare-sort" | b"declare-datatype" | b"declare-datatypes"
                | b"define-sort" => continue,
                b"forall" => {
                    self.note_universe(item)?;
                    continue;
                }
                b"define-funs-rec" => return Err(ModelFault::Unsupported("define-funs-rec".into())),
                other => return malformed(format!("'{}' does not belong in a model", lossy(other))),
            };
            let position = self.position(item.rest.start);
            let text = self.text;
            let read =
                self.checker().read_definition(&text[item.rest.clone()], position, form, DefinitionPart::Signature);
            self.fault()?;
            let Some((signature, ..)) = read else { return malformed("a definition cannot be parsed") };
            let subject = self.defined(&signature)?;
            if subject == Subject::Repeated {
                continue;
            }
            if !seen.insert((signature.name, subject, signature.parameters.clone(), signature.result)) {
                return Err(ModelFault::Twice(self.name(&signature)));
            }
            self.announced.push(Announced { subject, item: at, signature });
        }
        Ok(())
    }

    /// Declares the names that replace functions used as arrays.
    fn declare_arrays(&mut self, functions: &[Vec<u8>]) -> Result<(), ModelFault> {
        for (number, name) in functions.iter().enumerate() {
            let checker = self.checker();
            let Some(function) = checker.functions_called(name).next() else {
                return malformed(format!("'{}' is used but not defined", lossy(name)));
            };
            let info = checker.function(function);
            let [index] = info.parameters[..] else {
                return Err(ModelFault::Unsupported("an array with several indices".into()));
            };
            let result = checker.sorts.array(index, checker.function(function).result);
            let name = checker.symbols.intern(array_name(number).as_bytes());
            let alias = checker.declare_auxiliary(&FunctionSignature { name, parameters: [].into(), result });
            self.result.constants.insert(alias, Constant::Map(function));
            self.aliases.push((alias, function));
        }
        Ok(())
    }

    /// Reads the bodies of all definitions.
    fn define(&mut self, items: &[Item<'_>]) -> Result<(), ModelFault> {
        for Announced { subject, item, signature } in std::mem::take(&mut self.announced) {
            let item = &items[item];
            let (text, position) = (self.text, self.position(item.rest.start));
            let form = match item.word {
                b"define-const" => DefinitionForm::Constant,
                _ => DefinitionForm::Function,
            };
            let read = self.checker().read_definition(&text[item.rest.clone()], position, form, DefinitionPart::All);
            self.fault()?;
            let Some((_, binder, Some(term))) = read else { return malformed("a definition cannot be parsed") };
            let body = Body { binder, term };
            match subject {
                Subject::Function(function) => {
                    if item.word == b"define-fun-rec" {
                        self.recursive.insert(function);
                    }
                    self.result.constants.remove(&function);
                    self.result.definitions.insert(function, body);
                }
                Subject::Partial | Subject::Repeated => {
                    let name = self.problem.checker.symbols.text(signature.name).to_vec();
                    self.result.partial.entry(name).or_default().push(body);
                }
            }
        }
        Ok(())
    }
}
