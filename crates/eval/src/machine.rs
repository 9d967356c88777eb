//! Evaluates terms with an explicit stack instead of recursion, and each term only once.
//!
//! The value of a term depends on its free variables. Values of closed terms, and of terms at the top level (where each
//! `let` binds its variables once), are cached permanently. Values in the body of a function or a quantifier are cached
//! only while that body is evaluated for one choice of arguments, its *activation*.
//!
//! A term that cannot be decided has an undecided value ([`Values::undecided`]). Whatever is computed from it is
//! undecided too, unless the other arguments decide: a conjunction with a false argument is false.

use crate::call::{Key, Map};
use crate::interpretation::{Constant, Interpretation};
use crate::quantifier::{Quantifier, Search};
use crate::theory::{Call, Computed, Context, Found, OUT_OF_FUEL, Operation, Refusal, operation};
use crate::value::{Datum, Value, Values};
use agon_smtlib::{Binder, Checker, Function, FunctionKind, Head, Operator, Sort, Term, Variable};
use dashu_ratio::RBig;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// How a theory function is evaluated.
#[derive(Clone, Copy)]
enum Rule {
    True,
    False,
    Not,
    And,
    Or,
    Implies,
    Xor,
    Equal,
    Distinct,
    Ite,
    Select,
    EqualRange,
    Compute(Operation),
    Unknown,
}

impl Rule {
    fn of(name: &str) -> Self {
        match name {
            "true" => Self::True,
            "false" => Self::False,
            "not" => Self::Not,
            "and" => Self::And,
            "or" => Self::Or,
            "=>" => Self::Implies,
            "xor" => Self::Xor,
            "=" => Self::Equal,
            "distinct" => Self::Distinct,
            "ite" => Self::Ite,
            "select" => Self::Select,
            "eqrange" => Self::EqualRange,
            _ => operation(name).map_or(Self::Unknown, Self::Compute),
        }
    }
}

/// A term being evaluated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TermFrame {
    pub(crate) term: Term,
    /// The progress of the term: the number of arguments that are evaluated, or the next step.
    pub(crate) next: u32,
    /// The number of searches when the frame was pushed. Later searches belong to the frame, and are dropped with it.
    pub(crate) searches: u32,
    pub(crate) role: Role,
}

/// The purpose for which a term is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// It is an argument of another term.
    Argument,
    /// It is the body of a quantifier. Its activation ends with it.
    Scope,
    /// It is the body of a call, the last in [`Machine::entered`]. Its activation ends with it.
    Body,
}

/// One evaluation of a body: the values of its variables, and of terms that depend on them.
#[derive(Debug, Default)]
pub(crate) struct Activation {
    pub(crate) variables: FxHashMap<Variable, Value>,
    memo: FxHashMap<Term, Value>,
    /// The index of the outer activation, in which other variables are looked up.
    parent: Option<usize>,
}

/// The result of one step of a term's evaluation.
pub(crate) enum Step {
    /// The term has this value.
    Done(Value),
    /// Evaluate another term first, in this activation.
    First(Term),
    /// Another frame was pushed.
    Pushed,
}

/// Evaluates terms in an interpretation.
pub struct Machine<'a> {
    pub(crate) checker: &'a Checker,
    pub(crate) model: &'a Interpretation,
    pub(crate) context: Context<'a>,
    /// The rule of each operator that was used, by its index.
    kinds: Vec<Option<Rule>>,
    /// The permanently cached values of terms, by their indices.
    memo: Vec<Value>,
    /// The results of calls. A call in progress has an undecided value here, so that infinite recursion ends.
    pub(crate) calls: FxHashMap<Key, Value>,
    /// The calls whose bodies are being evaluated.
    pub(crate) entered: Vec<Key>,
    /// Functions as values.
    pub(crate) maps: Vec<Map>,
    pub(crate) map_numbers: FxHashMap<Map, u32>,
    pub(crate) frames: Vec<TermFrame>,
    pub(crate) activations: Vec<Activation>,
    pub(crate) searches: Vec<Search>,
    /// The result of the last frame.
    pub(crate) returned: Value,
    /// The buffer for the arguments of a function, kept to avoid allocations.
    arguments: Vec<Value>,
    /// Bodies of functions that were examined, with their parts if they are tables.
    pub(crate) tables: FxHashMap<Term, Option<Rc<[Term]>>>,
    /// The elements of each sort that the model names.
    pub(crate) elements: FxHashMap<Sort, Vec<Value>>,
}

impl std::fmt::Debug for Machine<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Machine").field("fuel", &self.context.fuel).finish_non_exhaustive()
    }
}

/// The maximum size of all values, in bytes.
const MOST_BYTES: u64 = 2 << 30;

impl<'a> Machine<'a> {
    /// A machine for an interpretation. `fuel` limits its work: about one unit for each term and for each eight bytes.
    pub fn new(checker: &'a Checker, model: &'a Interpretation, fuel: u64) -> Self {
        let mut machine = Self {
            checker,
            model,
            context: Context::new(checker, fuel),
            kinds: vec![],
            memo: vec![Value::NONE; checker.terms.len() + 1],
            calls: FxHashMap::default(),
            entered: vec![],
            maps: vec![],
            map_numbers: FxHashMap::default(),
            frames: vec![],
            activations: vec![Activation::default()],
            searches: vec![],
            returned: Value::FALSE,
            arguments: vec![],
            tables: FxHashMap::default(),
            elements: FxHashMap::default(),
        };
        let mut elements: Vec<_> = model.constants.iter().collect();
        elements.sort_unstable_by_key(|(function, _)| **function);
        for (function, constant) in elements {
            if let Constant::Element(number) = constant {
                let sort = checker.function(*function).result;
                let value = machine.context.values.intern(Datum::Abstract(sort, *number));
                machine.elements.entry(sort).or_default().push(value);
            }
        }
        machine
    }

    /// The values of all terms that were evaluated.
    pub fn values(&self) -> &Values {
        &self.context.values
    }

    /// Whether the value of a term is a guess: a quantifier ranges over a declared sort, and the model does not state
    /// how many elements it has.
    pub fn is_guess(&self, term: Term) -> bool {
        let terms = &self.checker.terms;
        let is_open = |sort: Sort| self.checker.is_uninterpreted(sort) && !self.model.closed.contains(&sort);
        let mut seen = FxHashSet::default();
        let mut left = vec![term];
        left.extend(self.model.partial.values().flatten().map(|body| body.term));
        while let Some(term) = left.pop() {
            if !seen.insert(term) {
                continue;
            }
            match terms.head(term) {
                Head::Forall(binder) | Head::Exists(binder)
                    if terms.variables(binder).any(|variable| is_open(terms.variable_sort(variable))) =>
                {
                    return true;
                }
                Head::Function(function) | Head::QualifiedFunction(function) => {
                    left.extend(self.model.definitions.get(&function).map(|body| body.term));
                    left.extend(self.model.named.get(&self.checker.function(function).name));
                }
                _ => {}
            }
            left.extend(terms.arguments(term));
        }
        false
    }

    /// A value as SMT-LIB text.
    pub fn show(&self, value: Value) -> String {
        let name = |function: Function| {
            String::from_utf8_lossy(self.checker.symbols.text(self.checker.function(function).name)).into_owned()
        };
        self.context.values.show(value, &name)
    }

    /// Evaluates a term.
    pub fn value(&mut self, term: Term) -> Value {
        self.push(term);
        while let Some(&TermFrame { term, next, role, .. }) = self.frames.last() {
            // The term may have been evaluated since it was pushed, as an argument of another term.
            if next == 0
                && role == Role::Argument
                && let Some(value) = self.known(term)
            {
                self.frames.pop();
                self.returned = value;
                continue;
            }
            let step = if self.context.fuel == 0 || self.bytes() > MOST_BYTES {
                Step::Done(self.undecided(OUT_OF_FUEL))
            } else {
                self.context.fuel -= 1;
                match self.step(term) {
                    Ok(step) => step,
                    Err(Refusal::Undecided(reason)) => Step::Done(self.undecided(&reason)),
                    Err(Refusal::Unspecified(_)) => {
                        Step::Done(self.undecided("the standard does not define this value"))
                    }
                }
            };
            match step {
                Step::Done(value) => {
                    let value = self.with_identity_of(term, value);
                    self.finish(value);
                }
                Step::First(term) => self.push(term),
                Step::Pushed => {}
            }
        }
        self.returned
    }

    /// The approximate size of all caches in bytes, except those indexed by term.
    fn bytes(&self) -> u64 {
        self.context.values.bytes() + 128 * (self.calls.len() + self.maps.len() + self.activations.len()) as u64
    }

    pub(crate) fn undecided(&mut self, reason: &str) -> Value {
        self.context.values.undecided(reason)
    }

    fn push(&mut self, term: Term) {
        self.push_as(term, Role::Argument);
    }

    pub(crate) fn push_as(&mut self, term: Term, role: Role) {
        self.frames.push(TermFrame { term, next: 0, searches: self.searches.len() as u32, role });
    }

    /// Ends the current frame with a value, which is cached.
    fn finish(&mut self, value: Value) {
        let Some(TermFrame { term, searches, role, .. }) = self.frames.pop() else { return };
        self.searches.truncate(searches as usize);
        let value = self.coerced(value, self.checker.terms.sort(term));
        if role == Role::Argument {
            self.remember(term, value);
        } else {
            self.activations.pop();
            if self.checker.terms.is_closed(term) {
                self.memo[term.index()] = value;
            }
        }
        if role == Role::Body
            && let Some(key) = self.entered.pop()
        {
            self.calls.insert(key, value);
        }
        self.returned = value;
    }

    /// Converts an integer to a real where a real is expected, in logics that mix them.
    pub(crate) fn coerced(&mut self, value: Value, sort: Sort) -> Value {
        if sort != Sort::REAL || value.is_undecided() {
            return value;
        }
        match self.context.values.datum(value) {
            Datum::Int(number) => {
                let number = RBig::from(number.clone());
                self.context.values.real(number)
            }
            _ => value,
        }
    }

    /// Whether the value of a term is cached permanently.
    #[inline]
    fn is_lasting(&self, term: Term) -> bool {
        self.activations.len() == 1 || self.checker.terms.is_closed(term)
    }

    fn remember(&mut self, term: Term, value: Value) {
        if self.is_lasting(term) {
            self.memo[term.index()] = value;
        } else if let Some(activation) = self.activations.last_mut() {
            activation.memo.insert(term, value);
        }
    }

    /// The cached value of a term in the current activation.
    #[inline]
    pub(crate) fn known(&self, term: Term) -> Option<Value> {
        if self.is_lasting(term) {
            Some(self.memo[term.index()]).filter(|value| *value != Value::NONE)
        } else {
            self.activations.last()?.memo.get(&term).copied()
        }
    }

    pub(crate) fn frame(&mut self) -> &mut TermFrame {
        self.frames.last_mut().expect("steps are only taken with a frame")
    }

    /// The value of an argument, or the step that evaluates it first.
    pub(crate) fn argument(&self, term: Term) -> Result<Value, Step> {
        self.known(term).ok_or(Step::First(term))
    }

    /// Takes one step in the evaluation of a term.
    fn step(&mut self, term: Term) -> Result<Step, Refusal> {
        let checker = self.checker;
        let arguments = checker.terms.arguments(term);
        match checker.terms.head(term) {
            Head::Literal(kind, text) => self.literal(kind, text, checker.terms.sort(term)).map(Step::Done),
            Head::Variable(variable) => self.variable(variable).map(Step::Done),
            Head::Annotated(_) => Ok(self.argument(arguments[0]).map_or_else(|step| step, Step::Done)),
            Head::Operator(operator) | Head::QualifiedOperator(operator) => {
                let kind = self.kind(operator);
                match kind {
                    Rule::And => Ok(self.junction(arguments, Value::FALSE)),
                    Rule::Or => Ok(self.junction(arguments, Value::TRUE)),
                    Rule::Implies => Ok(self.implication(arguments)),
                    Rule::Ite => Ok(self.choice(arguments)),
                    _ => self.strict(term, arguments, |machine, values| machine.apply(kind, operator, term, values)),
                }
            }
            Head::Function(function) | Head::QualifiedFunction(function) => {
                self.strict(term, arguments, |machine, values| machine.call(function, values))
            }
            Head::Tester(constructor) => self.strict(term, arguments, |machine, values| {
                let (own, _) = machine.data(values[0])?;
                Ok(Step::Done(Value::from(own == constructor)))
            }),
            Head::Updater(selector) => self.strict(term, arguments, |machine, values| {
                let (constructor, fields) = machine.data(values[0])?;
                let Some(at) = machine.field(constructor, selector) else { return Ok(Step::Done(values[0])) };
                let mut fields = fields.to_vec();
                fields[at] =
                    machine.as_field(values[1], checker.function(selector).result, checker.terms.sort(term))?;
                Ok(Step::Done(machine.context.values.intern(Datum::Data(constructor, fields.into()))))
            }),
            Head::Apply => {
                self.strict(term, arguments, |machine, values| match *machine.context.values.datum(values[0]) {
                    Datum::Map(map) => machine.call_map(map, &values[1..]),
                    Datum::Array(..) if values.len() == 2 => match machine.context.lookup(values[0], values[1])? {
                        Found::Value(value) => Ok(Step::Done(value)),
                        Found::Map(_) => Err(Refusal::Undecided("an invalid table".into())),
                    },
                    _ => Err(Refusal::Undecided("an application of a value that is not a function".into())),
                })
            }
            Head::Let(binder) => Ok(self.binding(binder, arguments)),
            Head::Match(cases) => {
                let looked_at = match self.argument(arguments[0]) {
                    Ok(value) if value.is_undecided() => return Ok(Step::Done(value)),
                    Ok(value) => value,
                    Err(step) => return Ok(step),
                };
                let (constructor, fields) = self.data(looked_at)?;
                let fields = fields.to_vec();
                for (at, case) in checker.terms.cases(cases).iter().enumerate() {
                    let bound = match case.constructor {
                        Some(own) if own == constructor => fields,
                        Some(_) => continue,
                        None => vec![looked_at],
                    };
                    for (variable, value) in checker.terms.variables(case.binder).zip(bound) {
                        self.bind(variable, value);
                    }
                    return Ok(self.argument(arguments[at + 1]).map_or_else(|step| step, Step::Done));
                }
                Err(Refusal::Undecided("a match without a matching case".into()))
            }
            Head::Forall(binder) => self.quantifier(binder, arguments[0], Quantifier::Forall),
            Head::Exists(binder) => self.quantifier(binder, arguments[0], Quantifier::Exists),
            Head::Lambda(binder) => match self.table(binder, arguments[0], checker.terms.sort(term))? {
                Some(step) => Ok(step),
                None => match self.lambda(binder, arguments[0])? {
                    undecided if undecided.is_undecided() => Ok(Step::Done(undecided)),
                    map => self.tabulated(map, checker.terms.sort(term)),
                },
            },
            Head::Choice(_) => Err(Refusal::Undecided("'choice' is not evaluated".into())),
            Head::Unknown => Err(Refusal::Undecided("a term that could not be parsed".into())),
        }
    }

    /// The rule of an operator, which is looked up by name only once.
    fn kind(&mut self, operator: Operator) -> Rule {
        let at = operator.index();
        self.kinds.resize(self.kinds.len().max(at + 1), None);
        *self.kinds[at].get_or_insert_with(|| Rule::of(self.checker.operator(operator).0))
    }

    /// Evaluates all arguments, then computes. One undecided argument makes the result undecided.
    fn strict(
        &mut self,
        term: Term,
        arguments: &[Term],
        compute: impl FnOnce(&mut Self, &[Value]) -> Result<Step, Refusal>,
    ) -> Result<Step, Refusal> {
        debug_assert_eq!(self.frame().term, term);
        if self.frame().next == 0 && arguments.iter().any(|argument| self.known(*argument).is_none()) {
            // The first time, push all missing arguments at once, the first one on top.
            self.frame().next = 1;
            for argument in arguments.iter().rev() {
                if self.known(*argument).is_none() {
                    self.push(*argument);
                }
            }
            return Ok(Step::Pushed);
        }
        let mut values = std::mem::take(&mut self.arguments);
        values.clear();
        values.extend(arguments.iter().filter_map(|argument| self.known(*argument)));
        // A defined function is called even with an undecided argument, since its definition may ignore it.
        let is_definition =
            || matches!(self.checker.terms.head(term), Head::Function(function) if self.is_defined(function));
        let step = match values.iter().find(|value| value.is_undecided()) {
            Some(undecided) if !is_definition() => self.apply_unknown(term, &values, *undecided).map(Step::Done),
            _ => compute(self, &values),
        };
        self.arguments = values;
        step
    }

    /// Applies a function to arguments of which at least one is unknown. Equal arguments have equal results, so an
    /// unknown value with an identity equals itself, and so do applications to it.
    fn apply_unknown(&mut self, term: Term, values: &[Value], undecided: Value) -> Computed {
        let head = self.checker.terms.head(term);
        if let Head::Operator(operator) = head {
            let is_same =
                |machine: &Self, one: Value, other: Value| one == other && machine.context.values.has_identity(one);
            match self.kind(operator) {
                Rule::Equal if values.windows(2).all(|pair| is_same(self, pair[0], pair[1])) => return Ok(Value::TRUE),
                Rule::Distinct => {
                    self.context.spend(values.len() * 8)?;
                    let mut sorted = values.to_vec();
                    sorted.sort_unstable();
                    if sorted.windows(2).any(|pair| is_same(self, pair[0], pair[1])) {
                        return Ok(Value::FALSE);
                    }
                }
                _ => {}
            }
        }
        if !values.iter().all(|value| self.context.values.has_identity(*value)) {
            return Ok(self.context.values.without_identity(undecided));
        }
        self.context.spend(values.len() * 4 + 64)?;
        Ok(self.context.values.application(head, self.checker.terms.sort(term), values, undecided))
    }

    /// Identifies an unknown value by the term's function and arguments, so that equal applications have equal values.
    /// A connective, `ite`, `match` or quantifier takes over the reason of an unknown operand, but never the operand's
    /// identity.
    fn with_identity_of(&mut self, term: Term, value: Value) -> Value {
        if !value.is_undecided() {
            return value;
        }
        // After the fuel is used up, identities are no longer tracked.
        if self.context.fuel == 0 {
            return self.context.values.without_identity(value);
        }
        let head = self.checker.terms.head(term);
        let is_function = match head {
            Head::Operator(operator) => {
                let is_connective = matches!(self.kind(operator), Rule::And | Rule::Or | Rule::Implies | Rule::Ite);
                if !is_connective && self.context.values.has_identity(value) {
                    return value;
                }
                true
            }
            Head::Function(_) | Head::QualifiedFunction(_) if self.context.values.has_identity(value) => return value,
            Head::Function(_) | Head::QualifiedFunction(_) => true,
            Head::Match(_) | Head::Forall(_) | Head::Exists(_) | Head::Lambda(_) | Head::Choice(_) => false,
            _ => return value,
        };
        let arguments = self.checker.terms.arguments(term);
        let known: Option<Vec<Value>> = arguments.iter().map(|argument| self.known(*argument)).collect();
        let values = &mut self.context.values;
        match known.filter(|known| is_function && known.iter().all(|value| values.has_identity(*value))) {
            Some(known) => values.application(head, self.checker.terms.sort(term), &known, value),
            None => values.without_identity(value),
        }
    }

    fn is_defined(&self, function: Function) -> bool {
        let kind = &self.checker.function(function).kind;
        matches!(kind, FunctionKind::Declared | FunctionKind::Defined) && self.model.definitions.contains_key(&function)
    }

    /// `and` and `or`: an argument equal to `decisive` decides, even if others are undecided.
    fn junction(&mut self, arguments: &[Term], decisive: Value) -> Step {
        let mut next = self.frame().next as usize;
        while let Some(argument) = arguments.get(next) {
            match self.known(*argument) {
                Some(value) if value == decisive => return Step::Done(value),
                Some(_) => next += 1,
                None => {
                    self.frame().next = next as u32;
                    return Step::First(*argument);
                }
            }
        }
        let undecided = arguments.iter().filter_map(|argument| self.known(*argument)).find(|v| v.is_undecided());
        Step::Done(undecided.unwrap_or(Value::from(decisive == Value::FALSE)))
    }

    /// `=>` associates to the right: it is true if a premise is false or the last argument is true.
    fn implication(&mut self, arguments: &[Term]) -> Step {
        let mut next = self.frame().next as usize;
        while let Some(argument) = arguments.get(next) {
            let decisive = Value::from(next + 1 == arguments.len());
            match self.known(*argument) {
                Some(value) if value == decisive => return Step::Done(Value::TRUE),
                Some(_) => next += 1,
                None => {
                    self.frame().next = next as u32;
                    return Step::First(*argument);
                }
            }
        }
        let undecided = arguments.iter().filter_map(|argument| self.known(*argument)).find(|v| v.is_undecided());
        Step::Done(undecided.unwrap_or(Value::FALSE))
    }

    /// `ite`: the branch that is not taken is not evaluated. If the condition is undecided, both branches may still
    /// agree.
    fn choice(&mut self, arguments: &[Term]) -> Step {
        let condition = match self.argument(arguments[0]) {
            Ok(value) => value,
            Err(step) => return step,
        };
        if condition == Value::TRUE {
            return self.argument(arguments[1]).map_or_else(|step| step, Step::Done);
        }
        if condition == Value::FALSE {
            return self.argument(arguments[2]).map_or_else(|step| step, Step::Done);
        }
        match (self.argument(arguments[1]), self.argument(arguments[2])) {
            (Ok(one), Ok(other)) => Step::Done(if one == other { one } else { condition }),
            (Err(step), _) | (_, Err(step)) => step,
        }
    }

    /// `let`: evaluates the bound terms, binds the variables, then evaluates the body.
    fn binding(&mut self, binder: Binder, arguments: &[Term]) -> Step {
        let Some((body, values)) = arguments.split_last() else { return Step::Done(Value::FALSE) };
        let mut next = self.frame().next as usize;
        while let Some(argument) = values.get(next) {
            if self.known(*argument).is_none() {
                self.frame().next = next as u32;
                return Step::First(*argument);
            }
            next += 1;
        }
        if next == values.len() {
            let checker = self.checker;
            for (variable, argument) in checker.terms.variables(binder).zip(values) {
                let value = self.known(*argument).unwrap_or(Value::FALSE);
                self.bind(variable, value);
            }
            self.frame().next = next as u32 + 1;
        }
        self.argument(*body).map_or_else(|step| step, Step::Done)
    }

    fn bind(&mut self, variable: Variable, value: Value) {
        if let Some(activation) = self.activations.last_mut() {
            activation.variables.insert(variable, value);
        }
    }

    /// The value of a variable, in the current activation or an outer one.
    pub(crate) fn variable(&self, variable: Variable) -> Computed {
        let mut at = Some(self.activations.len() - 1);
        while let Some(activation) = at.map(|at| &self.activations[at]) {
            if let Some(value) = activation.variables.get(&variable) {
                return Ok(*value);
            }
            at = activation.parent;
        }
        Err(Refusal::Undecided("a variable without a value".into()))
    }

    /// Applies a theory function to decided arguments.
    fn apply(&mut self, kind: Rule, operator: Operator, term: Term, values: &[Value]) -> Result<Step, Refusal> {
        let truth = |truth: bool| Ok(Step::Done(Value::from(truth)));
        match kind {
            Rule::True => truth(true),
            Rule::False => truth(false),
            Rule::Not => truth(values[0] == Value::FALSE),
            Rule::Xor => truth(values.iter().filter(|value| **value == Value::TRUE).count() % 2 == 1),
            Rule::Equal => {
                let mut undecided = None;
                for pair in values.windows(2) {
                    match self.equal(pair[0], pair[1])? {
                        Value::FALSE => return truth(false),
                        Value::TRUE => {}
                        other => undecided = Some(other),
                    }
                }
                Ok(Step::Done(undecided.unwrap_or(Value::TRUE)))
            }
            Rule::Distinct => self.distinct(values).map(Step::Done),
            Rule::Select => match self.context.lookup(values[0], values[1])? {
                Found::Value(value) => Ok(Step::Done(value)),
                Found::Map(map) => match *self.context.values.datum(map) {
                    Datum::Map(map) => self.call_map(map, &values[1..]),
                    _ => Err(Refusal::Undecided("a value that is not an array".into())),
                },
            },
            Rule::EqualRange => Err(Refusal::Undecided("'eqrange' is not evaluated".into())),
            Rule::Compute(compute) => {
                let name = self.checker.operator(operator).0;
                if values.len() <= 2 || !matches!(name, "/" | "div" | "mod" | "rem") {
                    return self.compute(compute, operator, term, values);
                }
                // A division by several numbers is a chain of divisions, and the model may define the result of one of
                // them.
                let mut result = values[0];
                for by in &values[1..] {
                    let step = if result.is_undecided() {
                        Step::Done(self.apply_unknown(term, &[result, *by], result)?)
                    } else {
                        self.compute(compute, operator, term, &[result, *by])?
                    };
                    match step {
                        Step::Done(value) => result = value,
                        other => return Ok(other),
                    }
                }
                Ok(Step::Done(result))
            }
            Rule::And | Rule::Or | Rule::Implies | Rule::Ite | Rule::Unknown => {
                let name = self.checker.operator(operator).0;
                Err(Refusal::Undecided(format!("'{name}' is not evaluated")))
            }
        }
    }

    /// Computes a value, or takes it from the model if the standard does not define it.
    fn compute(
        &mut self,
        compute: Operation,
        operator: Operator,
        term: Term,
        values: &[Value],
    ) -> Result<Step, Refusal> {
        let (name, indices) = self.checker.operator(operator);
        let call = Call { arguments: values, indices, result: self.checker.terms.sort(term) };
        match compute(&mut self.context, &call) {
            Err(Refusal::Unspecified(choices)) => self.left_to_model(name.as_bytes(), values, &choices),
            answer => answer.map(Step::Done),
        }
    }

    /// Converts a value for a field of a datatype, which may be parametric.
    pub(crate) fn as_field(&mut self, value: Value, field: Sort, datatype: Sort) -> Computed {
        let sorts = &self.checker.sorts;
        let is_int = matches!(self.context.values.datum(value), Datum::Int(_));
        // The field of a parametric datatype has a sort parameter, so it is unknown whether it is a real.
        if is_int && sorts.is_open(field) && sorts.arguments(datatype).contains(&Sort::REAL) {
            return Err(Refusal::Undecided("an integer where a datatype may require a real".into()));
        }
        Ok(self.coerced(value, field))
    }

    /// The constructor and the fields of a value of a datatype.
    pub(crate) fn data(&self, value: Value) -> Result<(Function, &[Value]), Refusal> {
        match self.context.values.datum(value) {
            Datum::Data(constructor, fields) => Ok((*constructor, fields)),
            _ => Err(Refusal::Undecided("a value of a datatype that the model does not define".into())),
        }
    }

    /// The index of the constructor argument that a selector returns, if any.
    pub(crate) fn field(&self, constructor: Function, selector: Function) -> Option<usize> {
        match &self.checker.function(constructor).kind {
            FunctionKind::Constructor(selectors) => selectors.iter().position(|own| *own == selector),
            _ => None,
        }
    }

    /// Evaluates a term in a new activation with these variables, inside the current one. Its value is returned in
    /// `returned`, and not cached in the current activation.
    pub(crate) fn enter_scope(&mut self, variables: FxHashMap<Variable, Value>, term: Term) {
        let parent = Some(self.activations.len() - 1);
        self.activations.push(Activation { variables, memo: FxHashMap::default(), parent });
        self.push_as(term, Role::Scope);
    }

    /// The term of the current step.
    pub(crate) fn current(&mut self) -> Term {
        self.frame().term
    }

    /// The progress of the current term.
    pub(crate) fn progress(&mut self) -> &mut u32 {
        &mut self.frame().next
    }
}
