//! Calls of functions: those of the script, those of the model, and functions as values.

use crate::interpretation::{Body, Constant};
use crate::machine::{Activation, Machine, Role, Step};
use crate::theory::{Computed, OUT_OF_FUEL, Refusal};
use crate::trie::Trie;
use crate::value::{Base, Datum, Value};
use agon_smtlib::{Binder, Constructor, Function, FunctionKind, Head, Sort, Term, Variable};
use rustc_hash::FxHashSet;

/// The function that is called.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Callee {
    /// A defined function.
    Function(Function),
    /// A function as a value, by its index in the machine.
    Map(u32),
    /// The model's definition of values that the standard leaves open, identified by its binder.
    Partial(Binder),
}

/// A function as a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Map {
    /// A function by its name.
    Function(Function),
    /// An abstraction: its arguments, its body, and the captured variables.
    Lambda(Binder, Term, Vec<(Variable, Value)>),
}

/// A call with its arguments, by which its result is cached.
pub(crate) type Key = (Callee, Box<[Value]>);

/// The maximum number of nested calls.
const DEEPEST: usize = 1 << 20;

/// The maximum number of calls in total.
const MOST_CALLS: usize = 1 << 25;

impl Machine<'_> {
    /// Calls a function of the script or of the model.
    pub(crate) fn call(&mut self, function: Function, values: &[Value]) -> Result<Step, Refusal> {
        let checker = self.checker;
        let info = checker.function(function);
        if values.is_empty() && !info.parameters.is_empty() {
            return Ok(Step::Done(self.map(Map::Function(function))));
        }
        match &info.kind {
            FunctionKind::Constructor(_) => {
                self.context.spend(values.len() * 4)?;
                let datatype = checker.terms.sort(self.current());
                let fields = values.iter().zip(&info.parameters);
                let fields: Result<_, _> = fields.map(|(value, sort)| self.as_field(*value, *sort, datatype)).collect();
                Ok(Step::Done(self.context.values.intern(Datum::Data(function, fields?))))
            }
            FunctionKind::Selector(..) => {
                let (constructor, fields) = self.data(values[0])?;
                match self.field(constructor, function) {
                    Some(at) => Ok(Step::Done(fields[at])),
                    None => self.left_to_model(checker.symbols.text(info.name), values, &[]),
                }
            }
            FunctionKind::Named => match self.model.named.get(&info.name) {
                Some(term) => Ok(self.argument(*term).map_or_else(|step| step, Step::Done)),
                None => Err(Refusal::Undecided("the name of an unknown term".into())),
            },
            _ => match (self.model.definitions.get(&function), self.model.constants.get(&function)) {
                // A constant of an array sort that the model defines as a function.
                (Some(body), _) if values.is_empty() && checker.terms.variables(body.binder).len() > 0 => {
                    match self.table(body.binder, body.term, info.result)? {
                        Some(step) => Ok(step),
                        None => {
                            let map = self.map(Map::Lambda(body.binder, body.term, vec![]));
                            self.tabulated(map, info.result)
                        }
                    }
                }
                (Some(body), _) => self.enter(Callee::Function(function), *body, values, None),
                (None, Some(constant)) => self.constant(constant, info.result),
                (None, None) => {
                    let name = String::from_utf8_lossy(checker.symbols.text(info.name)).into_owned();
                    Err(Refusal::Undecided(format!("the model does not define '{name}'")))
                }
            },
        }
    }

    /// The value of a constant that is not defined by a term.
    fn constant(&mut self, constant: &Constant, sort: Sort) -> Result<Step, Refusal> {
        let value = match constant {
            Constant::Algebraic(root) => root.intern(&mut self.context.values),
            Constant::Map(function) => {
                let table = match self.model.definitions.get(function) {
                    Some(body) => self.table(body.binder, body.term, sort)?,
                    None => None,
                };
                let Some(step) = table else {
                    let map = self.map(Map::Function(*function));
                    return self.tabulated(map, sort);
                };
                return Ok(step);
            }
            Constant::Element(number) => match self.checker.sorts.constructor(sort) {
                Constructor::Declared(_) if self.checker.is_uninterpreted(sort) => {
                    self.context.values.intern(Datum::Abstract(sort, *number))
                }
                Constructor::Array => self.context.make_array(Base::Unknown(*number), Trie::EMPTY, sort)?,
                _ => return Err(Refusal::Undecided("the model uses a value that it does not define".into())),
            },
        };
        Ok(Step::Done(value))
    }

    /// The value that the model defines where the standard leaves it open. Unless `choices` is empty, it must be one of
    /// them.
    pub(crate) fn left_to_model(&mut self, name: &[u8], values: &[Value], choices: &[Value]) -> Result<Step, Refusal> {
        let checker = self.checker;
        let model = self.model;
        // The suffixes under which solvers print these functions.
        let others = [[name, b"0"].concat(), [name, b"_unspecified"].concat(), [name, b"_u"].concat()];
        let names = std::iter::once(name).chain(others.iter().map(Vec::as_slice));
        // The sorts must be those of this term; integers may be used as reals.
        let term = self.current();
        let given: Vec<Sort> =
            checker.terms.arguments(term).iter().map(|argument| checker.terms.sort(*argument)).collect();
        let is_same = |own: Sort, given: Sort| own == given || own == Sort::REAL && given == Sort::INT;
        let fits = |body: &Body| {
            let sorts: Vec<Sort> =
                checker.terms.variables(body.binder).map(|v| checker.terms.variable_sort(v)).collect();
            !sorts.is_empty()
                && sorts.len() <= given.len()
                && sorts.iter().zip(&given).all(|(own, given)| is_same(*own, *given))
                && is_same(checker.terms.sort(term), checker.terms.sort(body.term))
        };
        let found = names.filter_map(|name| model.partial.get(name)).flatten().find(|body| fits(body)).copied();
        let Some(body) = found else {
            let name = String::from_utf8_lossy(name);
            let reason = format!("the standard leaves this value of '{name}' to the model, which does not define it");
            let (head, sort) = (checker.terms.head(term), checker.terms.sort(term));
            let unknown = self.undecided(&reason);
            return Ok(Step::Done(self.context.values.application(head, sort, values, unknown)));
        };
        let count = checker.terms.variables(body.binder).len();
        match self.enter(Callee::Partial(body.binder), body, &values[..count], None)? {
            Step::Done(value) if !choices.is_empty() && !value.is_undecided() && !choices.contains(&value) => {
                let name = String::from_utf8_lossy(name);
                Err(Refusal::Undecided(format!("the model defines an impossible value of '{name}'")))
            }
            step => Ok(step),
        }
    }

    /// Evaluates the body of a function with these arguments, unless the result is cached.
    fn enter(
        &mut self,
        callee: Callee,
        body: Body,
        values: &[Value],
        captured: Option<&[(Variable, Value)]>,
    ) -> Result<Step, Refusal> {
        let key: Key = (callee, values.into());
        if let Some(known) = self.calls.get(&key) {
            return Ok(Step::Done(*known));
        }
        if self.activations.len() > DEEPEST || self.calls.len() > MOST_CALLS {
            return Err(Refusal::Undecided(OUT_OF_FUEL.into()));
        }
        // A recursive call with the same arguments would never terminate. It finds this value instead.
        let circle = self.undecided("a recursive definition that does not terminate");
        self.calls.insert(key.clone(), circle);
        self.context.spend(64)?;
        let checker = self.checker;
        let mut activation = Activation::default();
        for (variable, value) in checker.terms.variables(body.binder).zip(values) {
            let value = self.coerced(*value, checker.terms.variable_sort(variable));
            activation.variables.insert(variable, value);
        }
        activation.variables.extend(captured.into_iter().flatten().copied());
        self.activations.push(activation);
        self.entered.push(key);
        self.push_as(body.term, Role::Body);
        Ok(Step::Pushed)
    }

    /// A function as a value.
    fn map(&mut self, map: Map) -> Value {
        let next = self.maps.len() as u32;
        let number = *self.map_numbers.entry(map).or_insert_with_key(|map| {
            self.maps.push(map.clone());
            next
        });
        self.context.values.intern(Datum::Map(number))
    }

    /// An abstraction as a value, with the variables that it captures. Undecided if a captured variable is.
    pub(crate) fn lambda(&mut self, binder: Binder, body: Term) -> Computed {
        let checker = self.checker;
        let mut captured = vec![];
        let mut seen = FxHashSet::default();
        let mut left = vec![body];
        while let Some(term) = left.pop() {
            if checker.terms.is_closed(term) || !seen.insert(term) {
                continue;
            }
            self.context.spend(8)?;
            if let Head::Variable(variable) = checker.terms.head(term)
                && let Ok(value) = self.variable(variable)
            {
                // Two unknown values may differ, and so may functions that capture them.
                if value.is_undecided() {
                    return Ok(value);
                }
                captured.push((variable, value));
            }
            left.extend(checker.terms.arguments(term));
        }
        captured.sort_unstable();
        Ok(self.map(Map::Lambda(binder, body, captured)))
    }

    /// Calls a function as a value.
    pub(crate) fn call_map(&mut self, number: u32, values: &[Value]) -> Result<Step, Refusal> {
        let map = self.maps[number as usize].clone();
        match map {
            Map::Function(function) if self.checker.function(function).parameters.len() == values.len() => {
                self.call(function, values)
            }
            Map::Lambda(binder, term, captured) if self.checker.terms.variables(binder).len() == values.len() => {
                self.enter(Callee::Map(number), Body { binder, term }, values, Some(&captured))
            }
            _ => Err(Refusal::Undecided("a partial application of a function".into())),
        }
    }
}
