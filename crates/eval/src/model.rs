//! Reads what solvers print as a model.
//!
//! The standard's form is a list of `define-fun`s, one for each symbol that the script declares. Real solvers put `model`
//! in front, bring functions of their own along, name elements of sorts that nobody declared, and write roots of
//! polynomials and arrays in ways of their own. All that is read here; what is missing, extra or wrong is a [`ModelFault`].

use crate::interpretation::{Body, Constant, Interpretation};
use crate::problem::Problem;
use crate::root::Root;
use crate::scan::{Item, Scan};
use crate::spelling::{array_name, root_name, without_as_array, without_roots};
use agon_smtlib::{
    Checker, Code, Constructor, Diagnostic, Function, FunctionKind, Head, Lexer, Position, Signature, Sort, Term, Token,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::ops::Range;

/// What is wrong with a model as such, whatever it makes of the problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelFault {
    /// It is not in the form that the standard prescribes.
    #[error("the model is malformed: {0}")]
    Malformed(String),
    /// It ends in the middle.
    #[error("the model ends in the middle")]
    Cut,
    /// A declared symbol has no definition.
    #[error("the model does not define '{0}'")]
    Missing(String),
    /// Something is defined that nobody declared and nothing needs.
    #[error("the model defines '{0}', which the benchmark does not declare")]
    Extra(String),
    /// A symbol is defined more than once.
    #[error("the model defines '{0}' twice")]
    Twice(String),
    /// A definition has other sorts than the declaration.
    #[error("the model defines '{0}' with sorts other than declared")]
    Sorts(String),
    /// It has something that is not understood here.
    #[error("the model has something that is not evaluated here: {0}")]
    Unsupported(String),
}

/// What a definition is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Subject {
    Function(Function),
    /// Values that the standard leaves to the model.
    Partial,
    /// A definition of the problem's own that is repeated, and not looked at.
    Repeated,
}

/// A definition that was announced: what it is about, and where it stands.
struct Announced {
    subject: Subject,
    item: usize,
    signature: Signature,
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
    // These have values in the standard, which count; some solvers bring their own along under other names.
    b"bvudiv",
    b"bvurem",
    b"bvsdiv",
    b"bvsrem",
    b"bvsmod",
];

/// Reads a model, from its opening parenthesis on, against the problem that it is for. What follows it is not looked at.
pub fn read_model(problem: &mut Problem, text: &[u8]) -> Result<Interpretation, ModelFault> {
    let (text, roots) = without_roots(text)?;
    let (text, functions_as_arrays) = without_as_array(&text);
    let scanned = Scan::of(&text)?;
    problem.checker.read_lambdas_as_arrays();
    let mut reader = Reader {
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

struct Reader<'a> {
    text: &'a [u8],
    /// A place in the text whose position is known.
    known: (usize, Position),
    problem: &'a mut Problem,
    declared: FxHashSet<Function>,
    result: Interpretation,
    elements: u32,
    announced: Vec<Announced>,
    /// Functions that only the model has.
    auxiliary: Vec<Function>,
    /// Functions whose definitions may use them.
    recursive: FxHashSet<Function>,
    /// Names that stand for functions as arrays, and the functions.
    aliases: Vec<(Function, Function)>,
}

pub(crate) fn lossy(text: &[u8]) -> String {
    String::from_utf8_lossy(text).into_owned()
}

pub(crate) fn malformed<T>(message: impl Into<String>) -> Result<T, ModelFault> {
    Err(ModelFault::Malformed(message.into()))
}

impl Reader<'_> {
    fn checker(&mut self) -> &mut Checker {
        &mut self.problem.checker
    }

    fn name(&self, signature: &Signature) -> String {
        lossy(self.problem.checker.symbols.text(signature.name))
    }

    /// Definitions are looked at in order, so lines are counted from where they were counted last.
    fn position(&mut self, offset: usize) -> Position {
        let (from, position) = if self.known.0 <= offset { self.known } else { (0, Position::START) };
        let position = position.after(&self.text[from..offset]);
        self.known = (offset, position);
        position
    }

    /// The first error that matters, if there is one.
    fn fault(&mut self) -> Result<(), ModelFault> {
        // Values show their sorts, so a constructor without `as` is no riddle here.
        let matters = |error: &Diagnostic| !error.code.is_harmless() && error.code != Code::Ambiguous;
        match self.checker().take_diagnostics().into_iter().find(matters) {
            Some(error) => malformed(format!("line {}, column {}: {}", error.line, error.column, error.message)),
            None => Ok(()),
        }
    }

    fn declare_roots(&mut self, roots: Vec<Root>) {
        for (number, root) in roots.into_iter().enumerate() {
            let name = self.checker().symbols.intern(root_name(number).as_bytes());
            let signature = Signature { name, parameters: [].into(), result: Sort::REAL };
            let function = self.checker().declare_auxiliary(&signature);
            self.result.constants.insert(function, Constant::Algebraic(root));
        }
    }

    /// Declares an element of a sort.
    fn declare_element(&mut self, name: &[u8], sort: Sort) {
        let name = self.checker().symbols.intern(name);
        let function = self.checker().declare_auxiliary(&Signature { name, parameters: [].into(), result: sort });
        self.result.constants.insert(function, Constant::Element(self.elements));
        self.elements += 1;
    }

    /// Elements of sorts are used without being declared: `(as @U_0 U)`, `U!val!0`, `@uc_U_0`.
    fn declare_elements(&mut self, scanned: &Scan<'_>) -> Result<(), ModelFault> {
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
                    if !is_free(checker, signature.result) {
                        return Err(ModelFault::Extra(lossy(&name)));
                    }
                    self.declare_element(&name, signature.result);
                }
                b"declare-sort" | b"declare-datatype" | b"declare-datatypes" | b"define-sort" => {
                    let position = self.position(item.all.start);
                    self.checker().read(&text[item.all.clone()], position);
                    // The problem's own sorts may be repeated, which is an error anywhere else.
                    if self.checker().take_diagnostics().is_empty() {
                        return Err(ModelFault::Extra(lossy(&text[item.rest.clone()])));
                    }
                }
                _ => {}
            }
        }
        for (name, sort) in &scanned.qualified {
            let probe = [b"probe () ", &self.text[sort.clone()], b" "].concat();
            let position = self.position(sort.start);
            let read = self.checker().read_definition(&probe, position, true, false);
            self.fault()?;
            let Some((Signature { result, .. }, ..)) = read else { return malformed("a sort that cannot be read") };
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
        for name in &scanned.loose {
            let checker = &self.problem.checker;
            if checker.functions_called(name).next().is_some() || checker.is_theory_function(name) {
                continue;
            }
            if let Some(sort) = self.sort_of_element(name) {
                self.declare_element(name, sort);
            }
        }
        Ok(())
    }

    fn read_declaration(&mut self, item: &Item<'_>) -> Result<Signature, ModelFault> {
        // `f (S …) S)`: the sorts have no names, so this is not a definition. They are read one by one.
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
        let read = self.checker().read_definition(&probe, position, true, false);
        self.fault()?;
        match read {
            Some((signature, ..)) => Ok(signature),
            None => malformed("a declaration that cannot be read"),
        }
    }

    /// The sort of an element that is named without it: the only sort there is, or the one in its name.
    fn sort_of_element(&self, name: &[u8]) -> Option<Sort> {
        let checker = &self.problem.checker;
        let declared: Vec<Sort> = declared_sorts(checker);
        let text_of = |sort: &Sort| match checker.sorts.constructor(*sort) {
            Constructor::Declared(name) => checker.symbols.text(name),
            _ => b"",
        };
        let before = name.windows(5).position(|part| part == b"!val!").map(|at| &name[..at]);
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

    /// Reads the signatures of all definitions and finds out whose they are.
    fn announce(&mut self, items: &[Item<'_>]) -> Result<(), ModelFault> {
        let mut seen = FxHashSet::default();
        for (at, item) in items.iter().enumerate() {
            let with_arguments = match item.word {
                b"define-fun" | b"define-fun-rec" => true,
                b"define-const" => false,
                b"declare-fun" | b"declare-const" | b"declare-sort" | b"declare-datatype" | b"declare-datatypes"
                | b"define-sort" => continue,
                b"forall" => {
                    self.note_universe(item)?;
                    continue;
                }
                b"define-funs-rec" => return Err(ModelFault::Unsupported("define-funs-rec".into())),
                other => return malformed(format!("'{}' is no part of a model", lossy(other))),
            };
            let position = self.position(item.rest.start);
            let text = self.text;
            let read = self.checker().read_definition(&text[item.rest.clone()], position, with_arguments, false);
            self.fault()?;
            let Some((signature, ..)) = read else { return malformed("a definition that cannot be read") };
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

    /// Declares the names that stand for functions as arrays.
    fn declare_arrays(&mut self, functions: &[Vec<u8>]) -> Result<(), ModelFault> {
        for (number, name) in functions.iter().enumerate() {
            let checker = self.checker();
            let Some(function) = checker.functions_called(name).next() else {
                return malformed(format!("'{}' is used and not defined", lossy(name)));
            };
            let info = checker.function(function);
            let [index] = info.parameters[..] else {
                return Err(ModelFault::Unsupported("an array with several indices".into()));
            };
            let result = checker.sorts.array(index, checker.function(function).result);
            let name = checker.symbols.intern(array_name(number).as_bytes());
            let alias = checker.declare_auxiliary(&Signature { name, parameters: [].into(), result });
            self.result.constants.insert(alias, Constant::Map(function));
            self.aliases.push((alias, function));
        }
        Ok(())
    }

    /// What a definition is about.
    fn defined(&mut self, signature: &Signature) -> Result<Subject, ModelFault> {
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
        // Some solvers write arrays, and functions as values, as functions.
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

    /// Reads the bodies.
    fn define(&mut self, items: &[Item<'_>]) -> Result<(), ModelFault> {
        for Announced { subject, item, signature } in std::mem::take(&mut self.announced) {
            let item = &items[item];
            let (text, position) = (self.text, self.position(item.rest.start));
            let with_arguments = item.word != b"define-const";
            let read = self.checker().read_definition(&text[item.rest.clone()], position, with_arguments, true);
            self.fault()?;
            let Some((_, binder, Some(term))) = read else { return malformed("a definition that cannot be read") };
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

    /// How many elements of each sort the model names.
    fn named_elements(&self) -> FxHashMap<Sort, usize> {
        let mut counts = FxHashMap::default();
        for (function, constant) in &self.result.constants {
            if matches!(constant, Constant::Element(_)) {
                *counts.entry(self.problem.checker.function(*function).result).or_default() += 1;
            }
        }
        counts
    }

    /// cvc5's comment `; cardinality of U is 2`.
    fn note_cardinalities(&mut self) {
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

    /// z3's formula that lists all elements of a sort: `(forall ((x U)) (or (= x U!val!0) (= x U!val!1)))`.
    fn note_universe(&mut self, item: &Item<'_>) -> Result<(), ModelFault> {
        let probe = [b"probe () Bool ", &self.text[item.all.clone()], b")"].concat();
        let position = self.position(item.all.start);
        let read = self.checker().read_definition(&probe, position, true, true);
        self.fault()?;
        let Some((.., Some(term))) = read else { return malformed("a formula that cannot be read") };
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

    /// Makes sure that everything declared is defined, that nothing else is that is not needed for it, and that no
    /// definition goes in circles.
    fn complete(mut self) -> Result<Interpretation, ModelFault> {
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
            // Whether a recursion ends is seen when it is evaluated.
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
        // z3 leaves helpers of its own behind, needed or not.
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

/// The sort that a formula is about and the constants that it says are all there are, if it says nothing else.
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

/// Whether a sort is one that the script declares, and no datatype.
fn is_free(checker: &Checker, sort: Sort) -> bool {
    matches!(checker.sorts.constructor(sort), Constructor::Declared(_)) && checker.constructors_of(sort).is_none()
}

/// The sorts that the script declares and that are no datatypes, as far as something has them.
fn declared_sorts(checker: &Checker) -> Vec<Sort> {
    checker.sorts.iter().filter(|sort| is_free(checker, *sort)).collect()
}

/// The functions of the script and of the model in a term.
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
        // The path from the start, and how far each function on it was followed.
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
