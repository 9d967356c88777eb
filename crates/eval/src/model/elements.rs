//! The elements of declared sorts, which models name without declaring them, and how many there are.

use super::{ModelFault, ModelReader, lossy, malformed};
use crate::interpretation::Constant;
use crate::model::scan::{Item, Scan};
use agon_smtlib::{
    Checker, Constructor, DefinitionForm, DefinitionPart, Function, FunctionKind, FunctionSignature, Head, Lexer, Sort,
    Term, Token,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

impl ModelReader<'_> {
    /// Declares an element of a sort.
    fn declare_element(&mut self, name: &[u8], sort: Sort) {
        let name = self.checker().symbols.intern(name);
        let function =
            self.checker().declare_auxiliary(&FunctionSignature { name, parameters: [].into(), result: sort });
        self.result.constants.insert(function, Constant::Element(self.elements));
        self.elements += 1;
    }

    /// Declares the elements of sorts, which models use without declaring them: `(as @U_0 U)`, `U!val!0`, `@uc_U_0`.
    pub(super) fn declare_elements(&mut self, scanned: &Scan<'_>) -> Result<(), ModelFault> {
        for item in &scanned.items {
            let text = self.text;
            match item.word {
                b"declare-fun" | b"declare-const" => {
                    let signature = self.read_declaration(item)?;
                    let same = |checker: &Checker, function: Function| {
                        let info = checker.function(function);
                        info.parameters == signature.parameters && info.result == signature.result
                    };
                    let name = self.problem.checker.symbols.text(signature.name).to_vec();
                    let checker = &self.problem.checker;
                    if checker.functions_called(&name).any(|function| same(checker, function)) {
                        continue;
                    }
                    if !checker.is_uninterpreted(signature.result) {
                        return Err(ModelFault::Extra(lossy(&name)));
                    }
                    self.declare_element(&name, signature.result);
                }
                b"declare-sort" | b"declare-datatype" | b"declare-datatypes" | b"define-sort" => {
                    let position = self.position(item.all.start);
                    self.checker().read(&text[item.all.clone()], position);
                    // A model may repeat the problem's own sorts, which is an error for the checker. If it reports
                    // none, the sort is new.
                    if self.checker().take_diagnostics().is_empty() {
                        return Err(ModelFault::Extra(lossy(&text[item.rest.clone()])));
                    }
                }
                _ => {}
            }
        }
        for (name, sort) in &scanned.qualified {
            // The checker parses definitions, so the sort is read as that of a constant.
            let probe = [b"probe () ", &self.text[sort.clone()], b" "].concat();
            let position = self.position(sort.start);
            let read =
                self.checker().read_definition(&probe, position, DefinitionForm::Function, DefinitionPart::Signature);
            self.fault()?;
            let Some((FunctionSignature { result, .. }, ..)) = read else {
                return malformed("a sort cannot be parsed");
            };
            let checker = &self.problem.checker;
            let is_it = |function: Function| {
                let info = checker.function(function);
                info.result == result || matches!(info.kind, FunctionKind::Constructor(_))
            };
            let is_known = checker.functions_called(name).any(is_it) || checker.is_theory_function(name);
            if !is_known {
                self.declare_element(name, result);
            }
        }
        let sorts = declared_sorts(&self.problem.checker);
        for name in &scanned.loose {
            let checker = &self.problem.checker;
            if checker.functions_called(name).next().is_some() || checker.is_theory_function(name) {
                continue;
            }
            if let Some(sort) = self.sort_of_element(name, &sorts) {
                self.declare_element(name, sort);
            }
        }
        Ok(())
    }

    /// Reads a declaration of a constant. Functions are not supported.
    fn read_declaration(&mut self, item: &Item<'_>) -> Result<FunctionSignature, ModelFault> {
        // `f (S …) S)`: the parameters have no names, so this cannot be parsed as a definition. Split it into its
        // parts.
        let text = &self.text[item.rest.clone()];
        let mut lexer = Lexer::new(text);
        let mut pieces: Vec<Range<usize>> = vec![];
        let (mut depth, mut from) = (0_usize, 0);
        while let Ok(Some((place, token))) = lexer.next_token() {
            match token {
                Token::Open => {
                    if depth == 0 {
                        from = place.start;
                    }
                    depth += 1;
                }
                Token::Close if depth == 0 => break,
                Token::Close => {
                    depth -= 1;
                    if depth == 0 {
                        pieces.push(from..place.end);
                    }
                }
                _ if depth == 0 => pieces.push(place),
                _ => {}
            }
        }
        let (name, sort) = match (&pieces[..], item.word) {
            ([name, arguments, sort], b"declare-fun")
                if text[arguments.clone()].iter().all(|b| b"() \t\r\n".contains(b)) =>
            {
                (name, sort)
            }
            ([name, sort], b"declare-const") => (name, sort),
            _ => return Err(ModelFault::Unsupported(lossy(&self.text[item.all.clone()]))),
        };
        let probe = [&text[name.clone()], b" () ", &text[sort.clone()], b" "].concat();
        let position = self.position(item.all.start);
        let read =
            self.checker().read_definition(&probe, position, DefinitionForm::Function, DefinitionPart::Signature);
        self.fault()?;
        match read {
            Some((signature, ..)) => Ok(signature),
            None => malformed("a declaration cannot be parsed"),
        }
    }

    /// The sort of an element whose name occurs without a sort: the sort named before `!val!`; otherwise the only
    /// declared sort, or the longest sort name that is contained in the element's name.
    fn sort_of_element(&self, name: &[u8], declared: &[Sort]) -> Option<Sort> {
        let checker = &self.problem.checker;
        let text_of = |sort: &Sort| match checker.sorts.constructor(*sort) {
            Constructor::Declared(name) => checker.symbols.text(name),
            _ => b"",
        };
        let before = name.windows(5).rposition(|part| part == b"!val!").map(|at| &name[..at]);
        if let Some(before) = before {
            return declared.iter().copied().find(|sort| text_of(sort) == before);
        }
        if declared.len() == 1 {
            return declared.first().copied();
        }
        let is_in_name = |sort: &&Sort| {
            let text = text_of(sort);
            !text.is_empty() && name.windows(text.len()).any(|part| part == text)
        };
        let longest = declared.iter().filter(is_in_name).max_by_key(|sort| text_of(sort).len());
        longest.copied()
    }

    /// The number of elements of each sort that the model names.
    fn named_elements(&self) -> FxHashMap<Sort, usize> {
        let mut counts = FxHashMap::default();
        for (function, constant) in &self.result.constants {
            if matches!(constant, Constant::Element(_)) {
                *counts.entry(self.problem.checker.function(*function).result).or_default() += 1;
            }
        }
        counts
    }

    /// Reads cvc5's comments `; cardinality of U is 2`. If the model names that many elements, there are no others.
    pub(super) fn note_cardinalities(&mut self) {
        let checker = &self.problem.checker;
        let counts = self.named_elements();
        let names = declared_sorts(checker).into_iter().filter_map(|sort| match checker.sorts.constructor(sort) {
            Constructor::Declared(name) => Some((checker.symbols.text(name), sort)),
            _ => None,
        });
        let sorts: FxHashMap<&[u8], Sort> = names.collect();
        for line in self.text.split(|byte| *byte == b'\n') {
            let Some(rest) = line.trim_ascii().strip_prefix(b"; cardinality of ") else { continue };
            let Some(at) = rest.windows(4).position(|part| part == b" is ") else { continue };
            let count = lossy(rest[at + 4..].trim_ascii()).parse::<usize>();
            let sort = sorts.get(rest[..at].trim_ascii());
            if let Some(sort) = sort.filter(|sort| count.as_ref() == Ok(counts.get(*sort).unwrap_or(&0))) {
                self.result.closed.insert(*sort);
            }
        }
    }

    /// Reads z3's formula that lists all elements of a sort: `(forall ((x U)) (or (= x U!val!0) (= x U!val!1)))`.
    pub(super) fn note_universe(&mut self, item: &Item<'_>) -> Result<(), ModelFault> {
        let probe = [b"probe () Bool ", &self.text[item.all.clone()], b")"].concat();
        let position = self.position(item.all.start);
        let read = self.checker().read_definition(&probe, position, DefinitionForm::Function, DefinitionPart::All);
        self.fault()?;
        let Some((.., Some(term))) = read else { return malformed("a formula cannot be parsed") };
        let elements = elements_of_universe(&self.problem.checker, term);
        let is_element = |f: &Function| matches!(self.result.constants.get(f), Some(Constant::Element(_)));
        match elements {
            Some((sort, elements)) if elements.iter().all(is_element) => {
                if self.named_elements().get(&sort) == Some(&elements.len()) {
                    self.result.closed.insert(sort);
                }
                Ok(())
            }
            _ => malformed("a formula that does not list the elements of a sort"),
        }
    }
}

/// The sort that a formula as in [`ModelReader::note_universe`] quantifies over, and the elements that it lists. `None`
/// if the formula has another form.
fn elements_of_universe(checker: &Checker, formula: Term) -> Option<(Sort, FxHashSet<Function>)> {
    let terms = &checker.terms;
    let Head::Forall(binder) = terms.head(formula) else { return None };
    let mut variables = terms.variables(binder);
    let (variable, None) = (variables.next()?, variables.next()) else { return None };
    let is_applied = |term: Term, name: &str| matches!(terms.head(term), Head::Operator(operator) if checker.operator(operator).0 == name);
    let &[body] = terms.arguments(formula) else { return None };
    let choices = if is_applied(body, "or") { terms.arguments(body).to_vec() } else { vec![body] };
    let mut elements = FxHashSet::default();
    for choice in choices {
        let &[one, other] = terms.arguments(choice) else { return None };
        let (variable_term, element) =
            if terms.head(one) == Head::Variable(variable) { (one, other) } else { (other, one) };
        let is_equation = is_applied(choice, "=") && terms.head(variable_term) == Head::Variable(variable);
        let (true, Head::Function(element)) = (is_equation, terms.head(element)) else { return None };
        elements.insert(element);
    }
    Some((terms.variable_sort(variable), elements))
}

/// The declared sorts that are used and are not datatypes.
fn declared_sorts(checker: &Checker) -> Vec<Sort> {
    checker.sorts.iter().filter(|sort| checker.is_uninterpreted(*sort)).collect()
}
