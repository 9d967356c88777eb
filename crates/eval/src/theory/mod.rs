//! The theory functions, one file for each theory.

mod arithmetic;
mod arrays;
mod bit_vectors;
mod floats;
mod sequences;
mod strings;

pub(crate) use arithmetic::effort;
pub(crate) use arrays::Found;
pub(crate) use bit_vectors::width as bit_vector_width;

use crate::algebraic::Algebraic;
use crate::float::{Format, Mode};
use crate::regex::Regex;
use crate::value::{Datum, Value, Values};
use agon_smtlib::{Checker, Constructor, Function, Sort, Sorts};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use rustc_hash::{FxHashMap, FxHashSet};

/// Why the value of a function cannot be computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The standard leaves the value to the model: one of these, or any value of its sort if the list is empty.
    Unspecified(Vec<Value>),
    /// The value cannot be determined, for this reason.
    Undecided(String),
}

pub(crate) type Computed = Result<Value, Refusal>;

/// The state that theory functions need.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) values: Values,
    pub(crate) checker: &'a Checker,
    pub(crate) sorts: &'a Sorts,
    /// The remaining fuel, which limits the work.
    pub(crate) fuel: u64,
    /// Cached results of [`Context::is_canonical`].
    canonical: FxHashMap<Sort, bool>,
}

/// A call of a theory function: its arguments, all of them decided, its indices, and the sort of the result.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call<'a> {
    pub(crate) arguments: &'a [Value],
    pub(crate) indices: &'a [u64],
    /// The sort of the result.
    pub(crate) result: Sort,
}

pub(crate) type Operation = fn(&mut Context<'_>, &Call<'_>) -> Computed;

/// The implementation of a theory function, if there is one.
pub(crate) fn operation(name: &str) -> Option<Operation> {
    [
        bit_vectors::operation,
        arithmetic::operation,
        arrays::operation,
        floats::operation,
        strings::operation,
        sequences::operation,
    ]
    .iter()
    .find_map(|theory| theory(name))
}

pub(crate) fn undecided<T>(reason: impl Into<String>) -> Result<T, Refusal> {
    Err(Refusal::Undecided(reason.into()))
}

fn unspecified<T>() -> Result<T, Refusal> {
    Err(Refusal::Unspecified(vec![]))
}

/// A value of the wrong sort. The checker ensures that this does not happen.
fn ill_sorted<T>() -> Result<T, Refusal> {
    undecided("a value has the wrong sort")
}

/// A real number as an operand of arithmetic.
#[derive(Clone, Debug)]
pub(crate) enum Number {
    Rational(RBig),
    Algebraic(Algebraic),
}

impl<'a> Context<'a> {
    pub(crate) fn new(checker: &'a Checker, fuel: u64) -> Self {
        Self { values: Values::default(), checker, sorts: &checker.sorts, fuel, canonical: FxHashMap::default() }
    }
}

impl Context<'_> {
    /// Whether equal values of a sort always have equal indices. They may not for arrays whose index sort is neither
    /// listed ([`Self::small_size`]) nor so large that entries never cover it: such arrays can be equal everywhere and
    /// have different bases.
    pub(crate) fn is_canonical(&mut self, sort: Sort) -> bool {
        if let Some(known) = self.canonical.get(&sort) {
            return *known;
        }
        let mut seen = FxHashSet::from_iter([sort]);
        let mut left = vec![sort];
        let mut all = true;
        while let Some(next) = left.pop() {
            let arguments = self.sorts.arguments(next);
            let mut inner = arguments.to_vec();
            match self.sorts.constructor(next) {
                // A function of one argument is stored as an array if it is a table.
                Constructor::Array | Constructor::Set => all &= self.is_listed_or_infinite(arguments[0]),
                Constructor::Arrow if arguments.len() == 2 => all &= self.is_listed_or_infinite(arguments[0]),
                Constructor::RegLan | Constructor::Arrow => all = false,
                Constructor::Declared(_) => {
                    for constructor in self.checker.constructors_of(next).unwrap_or_default() {
                        inner.extend_from_slice(&self.checker.function(*constructor).parameters);
                    }
                }
                _ => {}
            }
            left.extend(inner.into_iter().filter(|sort| seen.insert(*sort)));
        }
        self.canonical.insert(sort, all);
        all
    }

    /// Whether all values of a sort can be listed, or there are too many for an array to have an entry for each.
    fn is_listed_or_infinite(&self, sort: Sort) -> bool {
        match self.sorts.constructor(sort) {
            Constructor::Int | Constructor::Real | Constructor::String | Constructor::Seq | Constructor::BitVec(_) => {
                true
            }
            Constructor::Float(exponent, significand) => exponent + significand > 24,
            _ => self.small_size(sort).is_some(),
        }
    }

    /// Consumes fuel for work on this many bytes.
    pub(crate) fn spend(&mut self, bytes: usize) -> Result<(), Refusal> {
        match self.fuel.checked_sub(1 + bytes as u64 / 8) {
            Some(left) => {
                self.fuel = left;
                Ok(())
            }
            None => {
                self.fuel = 0;
                undecided(OUT_OF_FUEL)
            }
        }
    }

    pub(crate) fn int(&self, value: Value) -> Result<&IBig, Refusal> {
        if let Datum::Int(number) = self.values.datum(value) { Ok(number) } else { ill_sorted() }
    }

    pub(crate) fn number(&self, value: Value) -> Result<Number, Refusal> {
        match self.values.datum(value) {
            Datum::Int(number) => Ok(Number::Rational(RBig::from(number.clone()))),
            Datum::Real(number) => Ok(Number::Rational((**number).clone())),
            Datum::Algebraic(number) => Ok(Number::Algebraic((**number).clone())),
            _ => ill_sorted(),
        }
    }

    pub(crate) fn make_number(&mut self, number: Number) -> Value {
        match number {
            Number::Rational(number) => self.values.real(number),
            Number::Algebraic(number) => self.values.intern(Datum::Algebraic(Box::new(number))),
        }
    }

    fn bits(&self, value: Value) -> Result<(u32, &UBig), Refusal> {
        if let Datum::BitVec(width, bits) = self.values.datum(value) { Ok((*width, bits)) } else { ill_sorted() }
    }

    fn float(&self, value: Value) -> Result<(Format, &UBig), Refusal> {
        if let Datum::Float(format, bits) = self.values.datum(value) { Ok((*format, bits)) } else { ill_sorted() }
    }

    fn mode(&self, value: Value) -> Result<Mode, Refusal> {
        if let Datum::Mode(mode) = self.values.datum(value) { Ok(*mode) } else { ill_sorted() }
    }

    fn letters(&self, value: Value) -> Result<&[u32], Refusal> {
        if let Datum::String(letters) = self.values.datum(value) { Ok(letters) } else { ill_sorted() }
    }

    fn language(&self, value: Value) -> Result<Regex, Refusal> {
        if let Datum::Regex(regex) = self.values.datum(value) { Ok(*regex) } else { ill_sorted() }
    }

    fn parts(&self, value: Value) -> Result<&[Value], Refusal> {
        if let Datum::Seq(parts) = self.values.datum(value) { Ok(parts) } else { ill_sorted() }
    }

    /// A position in a list; `None` if it is negative or too large.
    fn position(&self, value: Value) -> Result<Option<usize>, Refusal> {
        Ok(usize::try_from(self.int(value)?).ok())
    }

    /// A count; `None` if it is negative, and clamped if it is too large.
    fn count(&self, value: Value) -> Result<Option<usize>, Refusal> {
        let number = self.int(value)?;
        Ok(if *number > IBig::from(u32::MAX) { Some(u32::MAX as usize) } else { usize::try_from(number).ok() })
    }

    /// The number of values of a sort, if they are few enough to be listed.
    pub(crate) fn small_size(&self, sort: Sort) -> Option<u64> {
        match self.sorts.constructor(sort) {
            Constructor::Bool => Some(2),
            Constructor::RoundingMode => Some(5),
            Constructor::BitVec(width) if width <= 24 => Some(1 << width),
            Constructor::Declared(_) => {
                let constructors = self.checker.constructors_of(sort)?;
                let is_plain = |f: &Function| self.checker.function(*f).parameters.is_empty();
                constructors.iter().all(is_plain).then_some(constructors.len() as u64)
            }
            _ => None,
        }
    }

    /// A value of a small sort, by its index.
    pub(crate) fn small_value(&mut self, sort: Sort, number: u64) -> Option<Value> {
        match self.sorts.constructor(sort) {
            Constructor::Bool => Some(Value::from(number == 1)),
            Constructor::RoundingMode => Some(self.values.intern(Datum::Mode(Mode::ALL[number as usize]))),
            Constructor::BitVec(width) => Some(self.values.bits(width as u32, UBig::from(number))),
            Constructor::Declared(_) => {
                let constructor = *self.checker.constructors_of(sort)?.get(number as usize)?;
                Some(self.values.intern(Datum::Data(constructor, [].into())))
            }
            _ => None,
        }
    }
}

/// The reason given when the fuel is used up.
pub(crate) const OUT_OF_FUEL: &str = "evaluating this exceeds the work limit";
