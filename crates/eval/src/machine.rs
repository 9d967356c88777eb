//! Evaluates terms with a stack instead of recursion, each once.
//!
//! What a term is worth depends on the variables that are free in it. Closed terms, and those at the top where each `let`
//! binds once, are remembered for good; those in the body of a function or a quantifier for as long as that body is
//! evaluated with one choice of arguments, its *activation*.
//!
//! A value that cannot be found out is a value too ([`Values::undecided`]): it spoils what is computed from it, but not a
//! conjunction that is false without it.

use crate::quantifier::Search;
use crate::theory::{Answer, Call, Context, Found, OUT_OF_FUEL, Operation, Refusal, operation};
use crate::trie::Trie;
use crate::value::{Base, Datum, Value, Values};
use agon_smtlib::{
    Binder, Checker, Constructor, Function, FunctionKind, Head, Literal, Operator, Sort, Symbol, Term, Variable,
};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use rustc_hash::{FxHashMap, FxHashSet};

/// What a function is equal to.
#[derive(Clone, Copy, Debug)]
pub struct Body {
    /// Its arguments.
    pub binder: Binder,
    /// What it gives.
    pub term: Term,
}

/// What a model says.
#[derive(Clone, Debug, Default)]
pub struct Interpretation {
    /// Functions with a definition: those of the problem and those of the model.
    pub definitions: FxHashMap<Function, Body>,
    /// Constants that are elements of declared sorts, and algebraic numbers.
    pub constants: FxHashMap<Function, Constant>,
    /// What functions of theories, and selectors, give where the standard leaves that to the model: by name.
    pub partial: FxHashMap<Vec<u8>, Vec<Body>>,
    /// The terms that `:named` names.
    pub named: FxHashMap<Symbol, Term>,
    /// Sorts whose elements are those that the model names, and no others.
    pub closed: FxHashSet<Sort>,
}

/// A constant that has no definition.
#[derive(Clone, Debug)]
pub enum Constant {
    /// An element of a declared sort, by its number there; or of an array sort, about which nothing is known.
    Element(u32),
    /// A root of a polynomial.
    Algebraic(crate::Root),
    /// A function as an array.
    Map(Function),
}

/// How a theory function is evaluated.
#[derive(Clone, Copy)]
enum Kind {
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

impl Kind {
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

/// What is being called, with its arguments: what it gave is remembered by this.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Callee {
    Function(Function),
    Map(u32),
    Partial(Binder),
}

/// A function as a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Map {
    Function(Function),
    Lambda(Binder, Term, Vec<(Variable, Value)>),
}

type Key = (Callee, Box<[Value]>);

/// A term that is being evaluated.
#[derive(Debug)]
struct Frame {
    term: Term,
    /// How many of its arguments are done, or what comes next.
    next: usize,
    /// What it is the body of.
    body_of: Option<Key>,
    /// Whether an activation ends with it.
    ends: bool,
    /// How many searches there were before it.
    searches: usize,
}

/// Values of variables, and of terms that depend on them.
#[derive(Debug, Default)]
pub(crate) struct Activation {
    pub(crate) variables: FxHashMap<Variable, Value>,
    memo: FxHashMap<Term, Value>,
    /// Where other variables are looked for.
    parent: Option<usize>,
}

/// What to do after looking at a term.
pub(crate) enum Step {
    /// Its value.
    Done(Value),
    /// Something else first, in this activation.
    First(Term),
    /// Something else was put on the stack.
    Pushed,
}

/// Evaluates terms in an interpretation.
pub struct Machine<'a> {
    pub(crate) checker: &'a Checker,
    pub(crate) model: &'a Interpretation,
    pub(crate) context: Context<'a>,
    kinds: FxHashMap<Operator, Kind>,
    memo: Vec<Option<Value>>,
    calls: FxHashMap<Key, Value>,
    maps: Vec<Map>,
    map_numbers: FxHashMap<Map, u32>,
    frames: Vec<Frame>,
    pub(crate) activations: Vec<Activation>,
    pub(crate) searches: Vec<Search>,
    /// What the last frame gave.
    pub(crate) returned: Value,
    /// Whether a quantifier went over a declared sort whose elements the model does not list.
    pub(crate) guessed: bool,
    arguments: Vec<Value>,
    /// Bodies that were looked at, and the tables in them.
    tables: FxHashMap<Term, Option<std::rc::Rc<[Term]>>>,
    pub(crate) elements: FxHashMap<Sort, Vec<Value>>,
}

impl std::fmt::Debug for Machine<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Machine").field("fuel", &self.context.fuel).finish_non_exhaustive()
    }
}

/// Wider bit-vectors are not computed with.
const WIDEST: u32 = 1 << 27;

/// Calls inside one another, and calls in all.
const DEEPEST: usize = 1 << 20;
const MOST_CALLS: usize = 1 << 25;

/// Values may take so many bytes.
const MOST_BYTES: u64 = 6 << 30;

impl<'a> Machine<'a> {
    /// A machine for an interpretation, with so much fuel: about one unit for each term and eight bytes.
    pub fn new(checker: &'a Checker, model: &'a Interpretation, fuel: u64) -> Self {
        let mut machine = Self {
            checker,
            model,
            context: Context::new(checker, fuel),
            kinds: FxHashMap::default(),
            memo: vec![None; checker.terms.len() + 1],
            calls: FxHashMap::default(),
            maps: vec![],
            map_numbers: FxHashMap::default(),
            frames: vec![],
            activations: vec![Activation::default()],
            searches: vec![],
            returned: Value::FALSE,
            guessed: false,
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

    /// All values.
    pub fn values(&self) -> &Values {
        &self.context.values
    }

    /// Whether some answer depends on a declared sort having no more elements than the model names.
    pub fn has_guessed(&self) -> bool {
        self.guessed
    }

    /// A value as one would write it.
    pub fn show(&self, value: Value) -> String {
        let name = |function: Function| {
            String::from_utf8_lossy(self.checker.symbols.text(self.checker.function(function).name)).into_owned()
        };
        self.context.values.show(value, &name)
    }

    /// What a term is worth.
    pub fn value(&mut self, term: Term) -> Value {
        self.push(term);
        while let Some(frame) = self.frames.last() {
            let term = frame.term;
            let step = if self.context.fuel == 0 || self.context.values.bytes() > MOST_BYTES {
                Step::Done(self.undecided(OUT_OF_FUEL))
            } else {
                self.context.fuel -= 1;
                match self.step(term) {
                    Ok(step) => step,
                    Err(Refusal::Undecided(reason)) => Step::Done(self.undecided(&reason)),
                    Err(Refusal::Unspecified(_)) => Step::Done(self.undecided("the standard does not say")),
                }
            };
            match step {
                Step::Done(value) => self.finish(value),
                Step::First(term) => self.push(term),
                Step::Pushed => {}
            }
        }
        self.returned
    }

    pub(crate) fn undecided(&mut self, reason: &str) -> Value {
        self.context.values.undecided(reason)
    }

    fn push(&mut self, term: Term) {
        self.frames.push(Frame { term, next: 0, body_of: None, ends: false, searches: self.searches.len() });
    }

    fn finish(&mut self, value: Value) {
        let Some(Frame { term, body_of, ends, searches, .. }) = self.frames.pop() else { return };
        self.searches.truncate(searches);
        let value = self.coerced(value, self.checker.terms.sort(term));
        if ends {
            self.activations.pop();
            if self.checker.terms.is_closed(term) {
                self.memo[term.index()] = Some(value);
            }
        } else {
            self.remember(term, value);
        }
        if let Some(key) = body_of {
            self.calls.insert(key, value);
        }
        self.returned = value;
    }

    /// Where reals and integers mix, a whole number may stand for a real one.
    fn coerced(&mut self, value: Value, sort: Sort) -> Value {
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

    fn is_lasting(&self, term: Term) -> bool {
        self.activations.len() == 1 || self.checker.terms.is_closed(term)
    }

    fn remember(&mut self, term: Term, value: Value) {
        if self.is_lasting(term) {
            self.memo[term.index()] = Some(value);
        } else if let Some(activation) = self.activations.last_mut() {
            activation.memo.insert(term, value);
        }
    }

    /// The value of a term that was evaluated in this activation.
    pub(crate) fn known(&self, term: Term) -> Option<Value> {
        if self.is_lasting(term) { self.memo[term.index()] } else { self.activations.last()?.memo.get(&term).copied() }
    }

    fn frame(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a step is taken for a frame")
    }

    /// The value of an argument, or the argument if it has to be evaluated first.
    fn argument(&self, term: Term) -> Result<Value, Step> {
        self.known(term).ok_or(Step::First(term))
    }

    fn step(&mut self, term: Term) -> Result<Step, Refusal> {
        let checker = self.checker;
        let arguments = checker.terms.arguments(term);
        match checker.terms.head(term) {
            Head::Literal(kind, text) => self.literal(kind, text, checker.terms.sort(term)).map(Step::Done),
            Head::Variable(variable) => self.variable(variable).map(Step::Done),
            Head::Annotated(_) => Ok(self.argument(arguments[0]).map_or_else(|step| step, Step::Done)),
            Head::Operator(operator) | Head::QualifiedOperator(operator) => {
                let kind = *self.kinds.entry(operator).or_insert_with(|| Kind::of(checker.operator(operator).0));
                match kind {
                    Kind::And => Ok(self.junction(arguments, Value::FALSE)),
                    Kind::Or => Ok(self.junction(arguments, Value::TRUE)),
                    Kind::Implies => Ok(self.implication(arguments)),
                    Kind::Ite => Ok(self.choice(arguments)),
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
                fields[at] = values[1];
                Ok(Step::Done(machine.context.values.intern(Datum::Data(constructor, fields.into()))))
            }),
            Head::Apply => {
                self.strict(term, arguments, |machine, values| match *machine.context.values.datum(values[0]) {
                    Datum::Map(map) => machine.call_map(map, &values[1..]),
                    Datum::Array(..) if values.len() == 2 => match machine.context.lookup(values[0], values[1])? {
                        Found::Value(value) => Ok(Step::Done(value)),
                        Found::Map(_) => Err(Refusal::Undecided("a table that is none".into())),
                    },
                    _ => Err(Refusal::Undecided("a value is applied that is no function".into())),
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
                Err(Refusal::Undecided("no case of a match fits".into()))
            }
            Head::Forall(binder) => self.quantifier(binder, arguments[0], true),
            Head::Exists(binder) => self.quantifier(binder, arguments[0], false),
            Head::Lambda(binder) => match self.table(binder, arguments[0], checker.terms.sort(term))? {
                Some(step) => Ok(step),
                None => self.lambda(binder, arguments[0]).map(Step::Done),
            },
            Head::Choice(_) => Err(Refusal::Undecided("'choice' is not evaluated".into())),
            Head::Unknown => Err(Refusal::Undecided("a term that could not be read".into())),
        }
    }

    /// Evaluates all arguments, then computes. One that is undecided makes the whole undecided.
    fn strict(
        &mut self,
        term: Term,
        arguments: &[Term],
        compute: impl FnOnce(&mut Self, &[Value]) -> Result<Step, Refusal>,
    ) -> Result<Step, Refusal> {
        debug_assert_eq!(self.frame().term, term);
        let mut next = self.frame().next;
        while next < arguments.len() {
            match self.known(arguments[next]) {
                Some(_) => next += 1,
                None => {
                    self.frame().next = next;
                    return Ok(Step::First(arguments[next]));
                }
            }
        }
        self.frame().next = next;
        let mut values = std::mem::take(&mut self.arguments);
        values.clear();
        values.extend(arguments.iter().filter_map(|argument| self.known(*argument)));
        // What a definition makes of something undecided may be decided all the same.
        let is_definition =
            matches!(self.checker.terms.head(term), Head::Function(function) if self.is_defined(function));
        let step = match values.iter().find(|value| value.is_undecided()) {
            Some(undecided) if !is_definition => Ok(Step::Done(*undecided)),
            _ => compute(self, &values),
        };
        self.arguments = values;
        step
    }

    fn is_defined(&self, function: Function) -> bool {
        let kind = &self.checker.function(function).kind;
        matches!(kind, FunctionKind::Declared | FunctionKind::Defined) && self.model.definitions.contains_key(&function)
    }

    /// `and` and `or`: one argument that is `decisive` makes the whole so, whatever the others are.
    fn junction(&mut self, arguments: &[Term], decisive: Value) -> Step {
        let mut next = self.frame().next;
        while let Some(argument) = arguments.get(next) {
            match self.known(*argument) {
                Some(value) if value == decisive => return Step::Done(value),
                Some(_) => next += 1,
                None => {
                    self.frame().next = next;
                    return Step::First(*argument);
                }
            }
        }
        let undecided = arguments.iter().filter_map(|argument| self.known(*argument)).find(|v| v.is_undecided());
        Step::Done(undecided.unwrap_or(Value::from(decisive == Value::FALSE)))
    }

    /// `=>` associates to the right: it is true if a premise is false or the last argument is true.
    fn implication(&mut self, arguments: &[Term]) -> Step {
        let mut next = self.frame().next;
        while let Some(argument) = arguments.get(next) {
            let decisive = Value::from(next + 1 == arguments.len());
            match self.known(*argument) {
                Some(value) if value == decisive => return Step::Done(Value::TRUE),
                Some(_) => next += 1,
                None => {
                    self.frame().next = next;
                    return Step::First(*argument);
                }
            }
        }
        let undecided = arguments.iter().filter_map(|argument| self.known(*argument)).find(|v| v.is_undecided());
        Step::Done(undecided.unwrap_or(Value::FALSE))
    }

    /// `ite`: the branch that is not taken is not evaluated. If the condition is undecided, both may still agree.
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

    fn binding(&mut self, binder: Binder, arguments: &[Term]) -> Step {
        let Some((body, values)) = arguments.split_last() else { return Step::Done(Value::FALSE) };
        let mut next = self.frame().next;
        while let Some(argument) = values.get(next) {
            if self.known(*argument).is_none() {
                self.frame().next = next;
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
            self.frame().next = next + 1;
        }
        self.argument(*body).map_or_else(|step| step, Step::Done)
    }

    fn bind(&mut self, variable: Variable, value: Value) {
        if let Some(activation) = self.activations.last_mut() {
            activation.variables.insert(variable, value);
        }
    }

    fn variable(&self, variable: Variable) -> Answer {
        let mut at = Some(self.activations.len() - 1);
        while let Some(activation) = at.map(|at| &self.activations[at]) {
            if let Some(value) = activation.variables.get(&variable) {
                return Ok(*value);
            }
            at = activation.parent;
        }
        Err(Refusal::Undecided("a variable without a value".into()))
    }

    fn literal(&mut self, kind: Literal, text: Symbol, sort: Sort) -> Answer {
        let checker = self.checker;
        let bytes = checker.symbols.text(text);
        let digits = |radix: u32| -> Result<UBig, Refusal> {
            let wrong = || Refusal::Undecided("a number that cannot be read".into());
            let text = std::str::from_utf8(bytes).map_err(|_| wrong())?;
            UBig::from_str_radix(text, radix).map_err(|_| wrong())
        };
        self.context.spend(bytes.len())?;
        let width = match checker.sorts.constructor(sort) {
            Constructor::BitVec(width) => u32::try_from(width).unwrap_or(u32::MAX),
            _ => 0,
        };
        if width > WIDEST {
            return Err(Refusal::Undecided("a bit-vector gets too wide".into()));
        }
        Ok(match kind {
            Literal::Numeral if sort == Sort::REAL => self.context.values.real(RBig::from(digits(10)?)),
            Literal::Numeral => self.context.values.int(IBig::from(digits(10)?)),
            Literal::Decimal => {
                let number = decimal(bytes).ok_or_else(|| Refusal::Undecided("a number that cannot be read".into()))?;
                self.context.values.real(number)
            }
            Literal::Hexadecimal => self.context.values.bits(width, digits(16)?),
            Literal::Binary => self.context.values.bits(width, digits(2)?),
            Literal::BitVector => self.context.values.bits(width, digits(10)?),
            Literal::String => self.context.values.string(crate::words::letters(bytes)),
            Literal::Character => {
                let letter = u32::try_from(&digits(16)?).unwrap_or(0);
                self.context.values.string(vec![letter])
            }
        })
    }

    fn apply(&mut self, kind: Kind, operator: Operator, term: Term, values: &[Value]) -> Result<Step, Refusal> {
        let truth = |truth: bool| Ok(Step::Done(Value::from(truth)));
        match kind {
            Kind::True => truth(true),
            Kind::False => truth(false),
            Kind::Not => truth(values[0] == Value::FALSE),
            Kind::Xor => truth(values.iter().filter(|value| **value == Value::TRUE).count() % 2 == 1),
            Kind::Equal => {
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
            Kind::Distinct => self.distinct(values).map(Step::Done),
            Kind::Select => match self.context.lookup(values[0], values[1])? {
                Found::Value(value) => Ok(Step::Done(value)),
                Found::Map(map) => match *self.context.values.datum(map) {
                    Datum::Map(map) => self.call_map(map, &values[1..]),
                    _ => Err(Refusal::Undecided("an array that is no array".into())),
                },
            },
            Kind::EqualRange => Err(Refusal::Undecided("'eqrange' is not evaluated".into())),
            Kind::Compute(compute) => {
                let (name, indices) = self.checker.operator(operator);
                let call = Call { arguments: values, indices, result: self.checker.terms.sort(term) };
                match compute(&mut self.context, &call) {
                    Err(Refusal::Unspecified(choices)) => self.left_to_model(name.as_bytes(), values, &choices),
                    answer => answer.map(Step::Done),
                }
            }
            Kind::And | Kind::Or | Kind::Implies | Kind::Ite | Kind::Unknown => {
                let name = self.checker.operator(operator).0;
                Err(Refusal::Undecided(format!("'{name}' is not evaluated")))
            }
        }
    }

    /// Whether two values are equal, as far as that can be told.
    fn equal(&mut self, one: Value, other: Value) -> Answer {
        if one == other {
            return Ok(Value::TRUE);
        }
        let values = &self.context.values;
        match (values.datum(one), values.datum(other)) {
            (
                Datum::Int(_) | Datum::Real(_) | Datum::Algebraic(_),
                Datum::Int(_) | Datum::Real(_) | Datum::Algebraic(_),
            ) => {
                let order = self.context.number(one)?.compare(&self.context.number(other)?)?;
                Ok(Value::from(order.is_eq()))
            }
            (Datum::Regex(_), _) => Err(Refusal::Undecided("whether two regular languages are equal".into())),
            _ if !values.is_opaque(one) && !values.is_opaque(other) => Ok(Value::FALSE),
            (Datum::Array(..) | Datum::Map(_), Datum::Array(..) | Datum::Map(_)) => self.arrays_differ(one, other),
            (Datum::Data(constructor, _), Datum::Data(other, _)) if constructor != other => Ok(Value::FALSE),
            (Datum::Seq(parts), Datum::Seq(others)) if parts.len() != others.len() => Ok(Value::FALSE),
            _ => {
                Err(Refusal::Undecided("whether two values are equal that have functions or algebraic numbers".into()))
            }
        }
    }

    /// Arrays that are not stored alike differ if they do so at an entry; otherwise that is not known.
    fn arrays_differ(&mut self, one: Value, other: Value) -> Answer {
        let (base, trie) = self.context.array(one)?;
        let (other_base, other_trie) = self.context.array(other)?;
        let mut keys = self.context.values.tries.entries(trie);
        keys.extend(self.context.values.tries.entries(other_trie));
        self.context.spend(keys.len() * 16)?;
        let at = |machine: &Self, base: Base, trie: Trie, key: Value| {
            machine.context.values.tries.get(trie, key).or(match base {
                Base::Constant(value) => Some(value),
                _ => None,
            })
        };
        for (key, _) in keys {
            if let (Some(here), Some(there)) = (at(self, base, trie, key), at(self, other_base, other_trie, key))
                && here != there
                && !self.context.values.is_opaque(here)
                && !self.context.values.is_opaque(there)
            {
                return Ok(Value::FALSE);
            }
        }
        Err(Refusal::Undecided("whether two arrays or functions are equal".into()))
    }

    fn distinct(&mut self, values: &[Value]) -> Answer {
        let plain = |value: &Value| {
            let is_number = matches!(self.context.values.datum(*value), Datum::Int(_) | Datum::Real(_));
            is_number || !self.context.values.is_opaque(*value)
        };
        let is_mixed = values.iter().any(|value| matches!(self.context.values.datum(*value), Datum::Int(_)))
            && values.iter().any(|value| matches!(self.context.values.datum(*value), Datum::Real(_)));
        if !is_mixed && values.iter().all(plain) && !matches!(self.context.values.datum(values[0]), Datum::Regex(_)) {
            let mut sorted = values.to_vec();
            sorted.sort_unstable();
            return Ok(Value::from(sorted.windows(2).all(|pair| pair[0] != pair[1])));
        }
        let mut undecided = None;
        for (at, one) in values.iter().enumerate() {
            for other in &values[at + 1..] {
                self.context.spend(8)?;
                match self.equal(*one, *other) {
                    Ok(Value::TRUE) => return Ok(Value::FALSE),
                    Ok(_) => {}
                    Err(refusal) => undecided = Some(refusal),
                }
            }
        }
        undecided.map_or(Ok(Value::TRUE), Err)
    }

    pub(crate) fn data(&self, value: Value) -> Result<(Function, &[Value]), Refusal> {
        match self.context.values.datum(value) {
            Datum::Data(constructor, fields) => Ok((*constructor, fields)),
            _ => Err(Refusal::Undecided("a value of a datatype that the model does not spell out".into())),
        }
    }

    /// Which argument of a constructor a selector gives, if any.
    fn field(&self, constructor: Function, selector: Function) -> Option<usize> {
        match &self.checker.function(constructor).kind {
            FunctionKind::Constructor(selectors) => selectors.iter().position(|own| *own == selector),
            _ => None,
        }
    }

    fn call(&mut self, function: Function, values: &[Value]) -> Result<Step, Refusal> {
        let checker = self.checker;
        let info = checker.function(function);
        if values.is_empty() && !info.parameters.is_empty() {
            return Ok(Step::Done(self.map(Map::Function(function))));
        }
        match &info.kind {
            FunctionKind::Constructor(_) => {
                self.context.spend(values.len() * 4)?;
                let term = self.current();
                let has_reals = checker.sorts.arguments(checker.terms.sort(term)).contains(&Sort::REAL);
                let mut fields = vec![];
                for (value, sort) in values.iter().zip(&info.parameters) {
                    // Of a parametric sort it cannot be seen here whether a whole number stands for a real one.
                    let is_int = matches!(self.context.values.datum(*value), Datum::Int(_));
                    if has_reals && is_int && checker.sorts.is_open(*sort) {
                        return Err(Refusal::Undecided("an integer where a datatype may have a real".into()));
                    }
                    fields.push(self.coerced(*value, *sort));
                }
                Ok(Step::Done(self.context.values.intern(Datum::Data(function, fields.into()))))
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
                None => Err(Refusal::Undecided("a name of a term that is not there".into())),
            },
            _ => match (self.model.definitions.get(&function), self.model.constants.get(&function)) {
                // An array that is written as a function.
                (Some(body), _) if values.is_empty() && checker.terms.variables(body.binder).len() > 0 => {
                    match self.table(body.binder, body.term, info.result)? {
                        Some(step) => Ok(step),
                        None => Ok(Step::Done(self.map(Map::Lambda(body.binder, body.term, vec![])))),
                    }
                }
                (Some(body), _) => self.enter(Callee::Function(function), *body, values, None),
                (None, Some(Constant::Map(map))) => match self.model.definitions.get(map) {
                    Some(body) => match self.table(body.binder, body.term, info.result)? {
                        Some(step) => Ok(step),
                        None => Ok(Step::Done(self.map(Map::Function(*map)))),
                    },
                    None => Ok(Step::Done(self.map(Map::Function(*map)))),
                },
                (None, Some(constant)) => self.constant(constant, info.result).map(Step::Done),
                (None, None) => {
                    let name = String::from_utf8_lossy(checker.symbols.text(info.name)).into_owned();
                    Err(Refusal::Undecided(format!("the model does not define '{name}'")))
                }
            },
        }
    }

    fn constant(&mut self, constant: &Constant, sort: Sort) -> Answer {
        match constant {
            Constant::Algebraic(root) => Ok(root.intern(&mut self.context.values)),
            Constant::Map(function) => Ok(self.map(Map::Function(*function))),
            Constant::Element(number) => match self.checker.sorts.constructor(sort) {
                Constructor::Declared(_) if self.checker.constructors_of(sort).is_none() => {
                    Ok(self.context.values.intern(Datum::Abstract(sort, *number)))
                }
                Constructor::Array => self.context.make_array(Base::Unknown(*number), Trie::EMPTY, sort),
                _ => Err(Refusal::Undecided("the model uses a value that it does not spell out".into())),
            },
        }
    }

    /// What the model says where the standard does not: one of the choices, if there are some.
    fn left_to_model(&mut self, name: &[u8], values: &[Value], choices: &[Value]) -> Result<Step, Refusal> {
        let checker = self.checker;
        let model = self.model;
        // Solvers have their own names for what they add.
        let others = [[name, b"0"].concat(), [name, b"_unspecified"].concat(), [name, b"_u"].concat()];
        let names = std::iter::once(name).chain(others.iter().map(Vec::as_slice));
        // The sorts have to be those of this very term.
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
            return Err(Refusal::Undecided(format!(
                "the standard leaves this value of '{name}' to the model, which does not give it"
            )));
        };
        let count = checker.terms.variables(body.binder).len();
        match self.enter(Callee::Partial(body.binder), body, &values[..count], None)? {
            Step::Done(value) if !choices.is_empty() && !value.is_undecided() && !choices.contains(&value) => {
                let name = String::from_utf8_lossy(name);
                Err(Refusal::Undecided(format!("the model gives '{name}' a value that it cannot have")))
            }
            step => Ok(step),
        }
    }

    /// Evaluates a body with these arguments, unless that was done before.
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
        // Who asks for it before it is there asks in circles.
        let circle = self.undecided("a definition that depends on itself without end");
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
        self.frames.push(Frame {
            term: body.term,
            next: 0,
            body_of: Some(key),
            ends: true,
            searches: self.searches.len(),
        });
        Ok(Step::Pushed)
    }

    /// Evaluates a term with these variables, in the present activation otherwise. Its value is returned, not remembered.
    pub(crate) fn enter_scope(&mut self, variables: FxHashMap<Variable, Value>, term: Term) {
        let parent = Some(self.activations.len() - 1);
        self.activations.push(Activation { variables, memo: FxHashMap::default(), parent });
        self.frames.push(Frame { term, next: 0, body_of: None, ends: true, searches: self.searches.len() });
    }

    /// The term that a step is taken for.
    pub(crate) fn current(&mut self) -> Term {
        self.frame().term
    }

    /// How far the present term has come, for those that keep count.
    pub(crate) fn progress(&mut self) -> &mut usize {
        &mut self.frame().next
    }

    fn map(&mut self, map: Map) -> Value {
        let next = self.maps.len() as u32;
        let number = *self.map_numbers.entry(map).or_insert_with_key(|map| {
            self.maps.push(map.clone());
            next
        });
        self.context.values.intern(Datum::Map(number))
    }

    /// A function of one argument that is a table, as the array that it is: `(ite (= x 1) 7 (ite (= x 2) 8 9))`. Arrays
    /// can be compared, functions cannot. The parts are evaluated first; nothing if it is no table.
    fn table(&mut self, binder: Binder, body: Term, sort: Sort) -> Result<Option<Step>, Refusal> {
        let Some(parts) = self.table_parts(binder, body) else { return Ok(None) };
        let mut next = self.frame().next;
        while let Some(part) = parts.get(next) {
            match self.known(*part) {
                Some(value) if value.is_undecided() => return Ok(None),
                Some(_) => next += 1,
                None => {
                    self.frame().next = next;
                    return Ok(Some(Step::First(*part)));
                }
            }
        }
        let values: Vec<Value> = parts.iter().filter_map(|part| self.known(*part)).collect();
        let Some((rest, pairs)) = values.split_last() else { return Ok(None) };
        let mut array = self.context.make_array(Base::Constant(*rest), Trie::EMPTY, sort)?;
        // The first that fits counts, so it is entered last.
        for pair in pairs.chunks(2).rev() {
            array = self.context.store(array, pair[0], pair[1], sort)?;
        }
        Ok(Some(Step::Done(array)))
    }

    /// The places and values of a table in turn, and what is everywhere else.
    fn table_parts(&mut self, binder: Binder, body: Term) -> Option<std::rc::Rc<[Term]>> {
        if let Some(known) = self.tables.get(&body) {
            return known.clone();
        }
        let terms = &self.checker.terms;
        let mut variables = terms.variables(binder);
        let (variable, None) = (variables.next()?, variables.next()) else { return None };
        let name = |term: Term| match terms.head(term) {
            Head::Operator(operator) => self.checker.operator(operator).0,
            _ => "",
        };
        let mut parts = vec![];
        let mut rest = body;
        let found = loop {
            if terms.is_closed(rest) {
                parts.push(rest);
                break Some(parts.into());
            }
            let [condition, value, other] = *terms.arguments(rest) else { break None };
            if name(rest) != "ite" || !terms.is_closed(value) {
                break None;
            }
            // One place, or several with the same value.
            let places = if name(condition) == "or" { terms.arguments(condition).to_vec() } else { vec![condition] };
            for place in places {
                let [one, two] = *terms.arguments(place) else { return None };
                let is_variable = |term: Term| terms.head(term) == Head::Variable(variable);
                match () {
                    () if name(place) != "=" => return None,
                    () if is_variable(one) && terms.is_closed(two) => parts.extend([two, value]),
                    () if is_variable(two) && terms.is_closed(one) => parts.extend([one, value]),
                    () => return None,
                }
            }
            rest = other;
        };
        self.tables.insert(body, found.clone());
        found
    }

    /// A function with the values of the variables around it.
    fn lambda(&mut self, binder: Binder, body: Term) -> Answer {
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
                captured.push((variable, value));
            }
            left.extend(checker.terms.arguments(term));
        }
        captured.sort_unstable();
        Ok(self.map(Map::Lambda(binder, body, captured)))
    }

    fn call_map(&mut self, number: u32, values: &[Value]) -> Result<Step, Refusal> {
        let map = self.maps[number as usize].clone();
        match map {
            Map::Function(function) if self.checker.function(function).parameters.len() == values.len() => {
                self.call(function, values)
            }
            Map::Lambda(binder, term, captured) if self.checker.terms.variables(binder).len() == values.len() => {
                self.enter(Callee::Map(number), Body { binder, term }, values, Some(&captured))
            }
            _ => Err(Refusal::Undecided("a function is applied to a part of its arguments".into())),
        }
    }
}

/// A decimal: digits, a point, digits.
fn decimal(text: &[u8]) -> Option<RBig> {
    let text = std::str::from_utf8(text).ok()?;
    let (whole, part) = text.split_once('.')?;
    let digits = UBig::from_str_radix(&format!("{whole}{part}"), 10).ok()?;
    Some(RBig::from_parts(IBig::from(digits), UBig::from(10_u8).pow(part.len())))
}
