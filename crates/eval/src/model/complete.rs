//! Checks that a model is complete: it defines all declared symbols, no unnecessary ones, and none in terms of itself.

use super::{ModelFault, ModelReader, lossy, malformed};
use crate::interpretation::Interpretation;
use agon_smtlib::{Checker, Function, Head, Term};
use rustc_hash::{FxHashMap, FxHashSet};

impl ModelReader<'_> {
    /// Checks that everything declared is defined, that nothing else is unless a definition needs it, and that no
    /// definition is cyclic.
    pub(super) fn complete(mut self) -> Result<Interpretation, ModelFault> {
        let info = |function: Function| self.problem.checker.function(function);
        let name = |function: Function| lossy(self.problem.checker.symbols.text(info(function).name));
        for function in &self.problem.declared {
            if !self.result.definitions.contains_key(function) {
                return Err(ModelFault::Missing(name(*function)));
            }
        }
        let mut used: FxHashMap<Function, Vec<Function>> = FxHashMap::default();
        for (function, body) in &self.result.definitions {
            let mut others = functions_in(&self.problem.checker, body.term);
            // Direct recursion is allowed in `define-fun-rec`; evaluation notices if it does not terminate.
            others.retain(|other| other != function || !self.recursive.contains(function));
            used.insert(*function, others);
        }
        for (alias, function) in &self.aliases {
            used.insert(*alias, vec![*function]);
        }
        let mut needed: FxHashSet<Function> = self.problem.declared.iter().copied().collect();
        let mut left: Vec<Function> = self.problem.declared.clone();
        for body in self.result.partial.values().flatten() {
            left.extend(functions_in(&self.problem.checker, body.term).into_iter().filter(|f| needed.insert(*f)));
        }
        while let Some(function) = left.pop() {
            left.extend(used.get(&function).into_iter().flatten().filter(|f| needed.insert(**f)));
        }
        // z3 prints helper functions, whether they are needed or not.
        let is_helper = |function: &Function| {
            let name = name(*function);
            name.strip_prefix("k!")
                .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
        };
        let is_extra = |function: &&Function| !needed.contains(function) && !is_helper(function);
        if let Some(extra) = self.auxiliary.iter().find(is_extra) {
            return Err(ModelFault::Extra(name(*extra)));
        }
        if let Some(function) = in_circle(&used) {
            return malformed(format!("the definition of '{}' depends on itself", name(function)));
        }
        self.result.definitions.extend(self.problem.definitions.iter().map(|(function, body)| (*function, *body)));
        self.result.named.clone_from(&self.problem.named);
        Ok(self.result)
    }
}

/// The declared and defined functions that occur in a term.
fn functions_in(checker: &Checker, term: Term) -> Vec<Function> {
    let mut found = vec![];
    let mut seen = FxHashSet::default();
    let mut left = vec![term];
    while let Some(term) = left.pop() {
        if !seen.insert(term) {
            continue;
        }
        if let Head::Function(function) | Head::QualifiedFunction(function) = checker.terms.head(term) {
            found.push(function);
        }
        left.extend(checker.terms.arguments(term));
    }
    found
}

/// A function whose definition depends on itself, if there is one.
fn in_circle(used: &FxHashMap<Function, Vec<Function>>) -> Option<Function> {
    let mut done = FxHashSet::default();
    for start in used.keys() {
        // Depth-first search without recursion: the current path, and the next successor of each function on it.
        let mut path = vec![(*start, 0)];
        let mut on_path = FxHashSet::from_iter([*start]);
        while let Some((function, next)) = path.last_mut() {
            let function = *function;
            let following = used.get(&function).and_then(|all| all.get(*next)).copied();
            *next += 1;
            match following {
                _ if done.contains(&function) => {
                    on_path.remove(&function);
                    path.pop();
                }
                Some(other) if on_path.contains(&other) => return Some(other),
                Some(other) => {
                    path.push((other, 0));
                    on_path.insert(other);
                }
                None => {
                    done.insert(function);
                    on_path.remove(&function);
                    path.pop();
                }
            }
        }
    }
    None
}
