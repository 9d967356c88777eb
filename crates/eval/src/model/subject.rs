//! What a definition in a model defines.

use super::{ModelFault, ModelReader, lossy, malformed};
use agon_smtlib::{Constructor, Function, FunctionKind, FunctionSignature};

/// What a definition defines.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Subject {
    /// A function of the problem, or one that the model adds.
    Function(Function),
    /// The values of a theory function that the standard leaves to the model, such as division by zero.
    Partial,
    /// A definition of the problem, repeated in the model and ignored.
    Repeated,
}

/// Functions of theories with values that the standard leaves to the model.
const PARTIAL: [&[u8]; 18] = [
    b"/",
    b"div",
    b"mod",
    b"rem",
    b"^",
    b"fp.min",
    b"fp.max",
    b"fp.to_ubv",
    b"fp.to_sbv",
    b"fp.to_real",
    b"fp.to_ieee_bv",
    b"seq.nth",
    b"set.choose",
    // The standard defines these completely, and its values count; some solvers still print definitions of them.
    b"bvudiv",
    b"bvurem",
    b"bvsdiv",
    b"bvsrem",
    b"bvsmod",
];

impl ModelReader<'_> {
    /// Determines what a definition defines, by its signature.
    pub(super) fn defined(&mut self, signature: &FunctionSignature) -> Result<Subject, ModelFault> {
        let name = self.problem.checker.symbols.text(signature.name).to_vec();
        let checker = &self.problem.checker;
        let called: Vec<Function> = checker.functions_called(&name).collect();
        let fits = |function: &Function| {
            let info = checker.function(*function);
            info.parameters == signature.parameters && info.result == signature.result
        };
        if let Some(own) = called.iter().find(|function| self.declared.contains(function) && fits(function)) {
            return Ok(Subject::Function(*own));
        }
        // Some solvers define a constant of an array sort, or of a function sort, as a function.
        let is_array_of = |function: &Function| {
            let info = checker.function(*function);
            let parts = [&signature.parameters[..], &[signature.result]].concat();
            info.parameters.is_empty()
                && matches!(checker.sorts.constructor(info.result), Constructor::Array | Constructor::Arrow)
                && checker.sorts.arguments(info.result) == parts
        };
        if let Some(own) = called.iter().find(|function| self.declared.contains(function) && is_array_of(function)) {
            return Ok(Subject::Function(*own));
        }
        if called.iter().any(|function| self.declared.contains(function)) {
            return Err(ModelFault::Sorts(lossy(&name)));
        }
        let is_named = |function: &Function| checker.function(*function).kind == FunctionKind::Named;
        if called.iter().any(|function| is_named(function) || self.problem.definitions.contains_key(function)) {
            return Ok(Subject::Repeated);
        }
        let is_selector = |f: &&Function| matches!(checker.function(**f).kind, FunctionKind::Selector(..));
        let own_name = [&b"0"[..], b"_unspecified", b"_u", b""].iter().find_map(|suffix| {
            let stem = name.strip_suffix(*suffix)?;
            checker.is_theory_function(stem).then(|| stem.to_vec())
        });
        if let Some(selector) = called.iter().find(is_selector) {
            let is_open = checker.sorts.is_open(checker.function(*selector).parameters[0]);
            let fits = is_open || called.iter().filter(is_selector).any(fits);
            return if fits { Ok(Subject::Partial) } else { Err(ModelFault::Sorts(lossy(&name))) };
        }
        if let Some(stem) = own_name {
            if !PARTIAL.contains(&&stem[..]) {
                return Err(ModelFault::Extra(lossy(&name)));
            }
            let keeps_sort = matches!(&stem[..], b"div" | b"mod" | b"/" | b"fp.min" | b"fp.max");
            if keeps_sort && signature.parameters.iter().any(|sort| *sort != signature.result) {
                return Err(ModelFault::Sorts(lossy(&name)));
            }
            return Ok(Subject::Partial);
        }
        if called.iter().any(|function| matches!(checker.function(*function).kind, FunctionKind::Constructor(_))) {
            return malformed(format!("it defines the constructor '{}'", lossy(&name)));
        }
        let function = match called.iter().find(|function| fits(function)) {
            Some(known) => *known,
            None => self.checker().declare_auxiliary(signature),
        };
        self.auxiliary.push(function);
        Ok(Subject::Function(function))
    }
}
