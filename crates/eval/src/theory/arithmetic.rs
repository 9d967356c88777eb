//! Integers and reals.

use super::{Call, Computed, Context, Number, Operation, Refusal, undecided, unspecified};
use crate::algebraic::Algebraic;
use crate::value::Value;
use agon_smtlib::Sort;
use dashu_base::{Abs, BitTest, DivEuclid, RemEuclid, Signed, UnsignedAbs};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use std::cmp::Ordering;

/// The maximum size of a number, in bits.
const MOST_BITS: usize = 1 << 26;

pub(super) fn operation(name: &str) -> Option<Operation> {
    Some(match name {
        "+" => |c, call| c.fold(call, |one, other| one + other, Number::add),
        "*" => |c, call| c.fold(call, |one, other| one * other, Number::multiply),
        "-" => |c, call| {
            if call.arguments.len() == 1 {
                return c.negate(call);
            }
            c.fold(call, |one, other| one - other, |one, other| one.add(&other.negate()?))
        },
        "<=" => |c, call| c.compares(call, Ordering::is_le),
        "<" => |c, call| c.compares(call, Ordering::is_lt),
        ">=" => |c, call| c.compares(call, Ordering::is_ge),
        ">" => |c, call| c.compares(call, Ordering::is_gt),
        "/" => |c, call| c.divide(call, ByZero::Unspecified),
        "/_total" => |c, call| c.divide(call, ByZero::Total),
        "div" => |c, call| c.whole(call, ByZero::Unspecified, |one, other| one.div_euclid(other)),
        "mod" => |c, call| c.whole(call, ByZero::Unspecified, |one, other| IBig::from(one.rem_euclid(other))),
        "div_total" => |c, call| {
            if c.int(call.arguments[1])? == &IBig::ZERO {
                return Ok(c.values.int(IBig::ZERO));
            }
            c.whole(call, ByZero::Unspecified, |one, other| one.div_euclid(other))
        },
        "mod_total" => |c, call| c.whole(call, ByZero::Total, |one, other| IBig::from(one.rem_euclid(other))),
        // An extension of z3: the Euclidean remainder, negated if the divisor is negative.
        "rem" => |c, call| {
            c.whole(call, ByZero::Unspecified, |one, other| {
                let rest = IBig::from(one.rem_euclid(other));
                if other.is_negative() { -rest } else { rest }
            })
        },
        "abs" => |c, call| {
            if call.result == Sort::INT {
                let size = c.int(call.arguments[0])?.abs();
                return Ok(c.values.int(size));
            }
            let number = c.number(call.arguments[0])?;
            let size = if number.sign()? == Ordering::Less { number.negate()? } else { number };
            Ok(c.make_number(size))
        },
        "divisible" => |c, call| {
            let by = IBig::from(call.indices[0]);
            Ok(Value::from(c.int(call.arguments[0])? % by == IBig::ZERO))
        },
        "^" => |c, call| c.power(call),
        "int.pow2" => |c, call| {
            let exponent = c.int(call.arguments[0])?;
            let power = match usize::try_from(exponent) {
                Ok(exponent) if exponent <= MOST_BITS => IBig::ONE << exponent,
                Err(_) if exponent.is_negative() => IBig::ZERO,
                _ => return undecided("a number gets too large"),
            };
            Ok(c.values.int(power))
        },
        "int.log2" => |c, call| {
            let number = c.int(call.arguments[0])?;
            let log = if *number > IBig::ZERO { IBig::from(number.bit_len() - 1) } else { IBig::ZERO };
            Ok(c.values.int(log))
        },
        "iand" => |c, call| {
            let width = call.indices[0];
            if width > MOST_BITS as u64 {
                return undecided("a number gets too large");
            }
            let [one, other] = [0, 1].map(|at| c.int(call.arguments[at]));
            let bits = crate::float::wrapped(one?, width as u32) & crate::float::wrapped(other?, width as u32);
            Ok(c.values.int(IBig::from(bits)))
        },
        "to_real" => |c, call| {
            let number = c.number(call.arguments[0])?;
            Ok(c.make_number(number))
        },
        "to_int" => |c, call| {
            let floor = c.number(call.arguments[0])?.floor()?;
            Ok(c.values.int(floor))
        },
        "is_int" => |c, call| {
            let number = c.number(call.arguments[0])?;
            let floor = Number::Rational(RBig::from(number.floor()?));
            Ok(Value::from(number.compare(&floor)? == Ordering::Equal))
        },
        "ubv_to_int" | "bv2nat" | "bv2int" => |c, call| {
            let bits = c.bits(call.arguments[0])?.1.clone();
            Ok(c.values.int(IBig::from(bits)))
        },
        "sbv_to_int" => |c, call| {
            let (width, bits) = c.bits(call.arguments[0])?;
            let number = super::bit_vectors::signed(width, bits);
            Ok(c.values.int(number))
        },
        "int_to_bv" | "int2bv" | "nat2bv" => |c, call| {
            let width = super::bit_vectors::width(call.indices[0])?;
            let bits = crate::float::wrapped(c.int(call.arguments[0])?, width);
            Ok(c.values.bits(width, bits))
        },
        _ => return None,
    })
}

/// The approximate work of computing with numbers of this many bits, in bytes. It grows faster than their size.
pub(crate) fn effort(one: usize, other: usize) -> usize {
    (one + other) / 8 + (one / 64) * (other / 64) / 8
}

fn too_hard<T>(found: Option<T>) -> Result<T, Refusal> {
    found.ok_or_else(|| Refusal::Undecided("an algebraic number takes too many bits".into()))
}

impl From<Algebraic> for Number {
    fn from(number: Algebraic) -> Self {
        number.as_rational().map_or(Self::Algebraic(number), Self::Rational)
    }
}

impl Number {
    fn algebraic(&self) -> Result<Algebraic, Refusal> {
        too_hard(match self {
            Self::Rational(number) => Algebraic::rational(number.clone()),
            Self::Algebraic(number) => Some(number.clone()),
        })
    }

    fn add(&self, other: &Self) -> Result<Self, Refusal> {
        match (self, other) {
            (Self::Rational(one), Self::Rational(other)) => Ok(Self::Rational(one + other)),
            _ => Ok(Self::from(too_hard(self.algebraic()?.add(&other.algebraic()?))?)),
        }
    }

    fn multiply(&self, other: &Self) -> Result<Self, Refusal> {
        match (self, other) {
            (Self::Rational(one), Self::Rational(other)) => Ok(Self::Rational(one * other)),
            (Self::Rational(zero), _) | (_, Self::Rational(zero)) if *zero == RBig::ZERO => {
                Ok(Self::Rational(RBig::ZERO))
            }
            _ => Ok(Self::from(too_hard(self.algebraic()?.multiply(&other.algebraic()?))?)),
        }
    }

    fn negate(&self) -> Result<Self, Refusal> {
        self.multiply(&Self::Rational(RBig::from(-1)))
    }

    fn sign(&self) -> Result<Ordering, Refusal> {
        match self {
            Self::Rational(number) => Ok(number.cmp(&RBig::ZERO)),
            Self::Algebraic(number) => too_hard(number.sign()),
        }
    }

    fn compare(&self, other: &Self) -> Result<Ordering, Refusal> {
        match (self, other) {
            (Self::Rational(one), Self::Rational(other)) => Ok(one.cmp(other)),
            _ => too_hard(self.algebraic()?.compare(&other.algebraic()?)),
        }
    }

    fn floor(&self) -> Result<IBig, Refusal> {
        match self {
            Self::Rational(number) => Ok(number.floor()),
            Self::Algebraic(number) => too_hard(number.floor()),
        }
    }

    fn size(&self) -> usize {
        match self {
            Self::Rational(number) => number.numerator().bit_len() + number.denominator().bit_len(),
            // The size of algebraic numbers is bounded; computing with them costs about as much as with this size.
            Self::Algebraic(_) => 1 << 16,
        }
    }
}

/// The value of a division by zero.
#[derive(Clone, Copy)]
enum ByZero {
    /// It is left to the model.
    Unspecified,
    /// The value that solvers define for their total variants of the operation.
    Total,
}

impl Context<'_> {
    /// Folds the arguments from the left, as integers or as reals.
    fn fold(
        &mut self,
        call: &Call<'_>,
        whole: fn(&IBig, &IBig) -> IBig,
        real: fn(&Number, &Number) -> Result<Number, Refusal>,
    ) -> Computed {
        if call.result == Sort::INT {
            let mut result = self.int(call.arguments[0])?.clone();
            for argument in &call.arguments[1..] {
                let next = self.int(*argument)?;
                let bits = result.bit_len() + next.bit_len();
                if bits > MOST_BITS {
                    return undecided("a number gets too large");
                }
                let work = effort(result.bit_len(), next.bit_len());
                self.spend(work)?;
                result = whole(&result, self.int(*argument)?);
            }
            return Ok(self.values.int(result));
        }
        let mut result = self.number(call.arguments[0])?;
        for argument in &call.arguments[1..] {
            let next = self.number(*argument)?;
            let bits = result.size() + next.size();
            if bits > MOST_BITS {
                return undecided("a number gets too large");
            }
            self.spend(effort(result.size(), next.size()))?;
            result = real(&result, &next)?;
        }
        Ok(self.make_number(result))
    }

    fn negate(&mut self, call: &Call<'_>) -> Computed {
        if call.result == Sort::INT {
            let negated = -self.int(call.arguments[0])?;
            return Ok(self.values.int(negated));
        }
        let negated = self.number(call.arguments[0])?.negate()?;
        Ok(self.make_number(negated))
    }

    /// Compares two numbers.
    pub(crate) fn compare(&mut self, one: Value, other: Value) -> Result<Ordering, Refusal> {
        let (one, other) = (self.number(one)?, self.number(other)?);
        self.spend(effort(one.size(), other.size()))?;
        one.compare(&other)
    }

    fn compares(&mut self, call: &Call<'_>, holds: fn(Ordering) -> bool) -> Computed {
        for pair in call.arguments.windows(2) {
            let order = match (self.int(pair[0]), self.int(pair[1])) {
                (Ok(one), Ok(other)) => one.cmp(other),
                _ => self.compare(pair[0], pair[1])?,
            };
            if !holds(order) {
                return Ok(Value::FALSE);
            }
        }
        Ok(Value::TRUE)
    }

    fn divide(&mut self, call: &Call<'_>, by_zero: ByZero) -> Computed {
        let mut result = self.number(call.arguments[0])?;
        for argument in &call.arguments[1..] {
            let by = self.number(*argument)?;
            if by.sign()? == Ordering::Equal {
                match by_zero {
                    ByZero::Unspecified => return unspecified(),
                    ByZero::Total => result = Number::Rational(RBig::ZERO),
                }
                continue;
            }
            result = match (&result, &by) {
                (Number::Rational(one), Number::Rational(other)) => {
                    self.spend(effort(result.size(), by.size()))?;
                    Number::Rational(one / other)
                }
                _ => result.multiply(&Number::Algebraic(too_hard(by.algebraic()?.invert())?))?,
            };
        }
        Ok(self.make_number(result))
    }

    /// Euclidean division of integers, in which the remainder is never negative. The result of a division by zero is
    /// left to the model or, for [`ByZero::Total`], is the dividend.
    fn whole(&mut self, call: &Call<'_>, by_zero: ByZero, compute: fn(&IBig, &IBig) -> IBig) -> Computed {
        let mut result = self.int(call.arguments[0])?.clone();
        for argument in &call.arguments[1..] {
            let by = self.int(*argument)?;
            if *by == IBig::ZERO {
                match by_zero {
                    ByZero::Unspecified => return unspecified(),
                    ByZero::Total => continue,
                }
            }
            let work = effort(result.bit_len(), by.bit_len());
            self.spend(work)?;
            result = compute(&result, self.int(*argument)?);
        }
        Ok(self.values.int(result))
    }

    fn power(&mut self, call: &Call<'_>) -> Computed {
        let exponent = match self.number(call.arguments[1])? {
            Number::Rational(number) if number.denominator() == &UBig::ONE => number.numerator().clone(),
            _ => return undecided("a power with an exponent that is not an integer"),
        };
        let base = match self.number(call.arguments[0])? {
            Number::Rational(number) => number,
            Number::Algebraic(base) => {
                let mut power = Number::Rational(RBig::ONE);
                let base = Number::from(if exponent.is_negative() { too_hard(base.invert())? } else { base });
                let times = u32::try_from((&exponent).unsigned_abs()).ok().filter(|times| *times <= 64);
                for _ in 0..too_hard(times)? {
                    self.spend(64)?;
                    power = power.multiply(&base)?;
                }
                return Ok(self.make_number(power));
            }
        };
        let zero = base == RBig::ZERO;
        if zero && exponent <= IBig::ZERO {
            return unspecified();
        }
        if exponent.is_negative() && call.result == Sort::INT {
            return unspecified();
        }
        let size = base.numerator().bit_len().max(base.denominator().bit_len());
        let Some(exponent_size) =
            usize::try_from((&exponent).unsigned_abs()).ok().filter(|e| size.saturating_mul(*e) <= MOST_BITS)
        else {
            return undecided("a number gets too large");
        };
        self.spend(size * exponent_size / 8)?;
        let size = exponent_size as isize;
        let power = base.pow(if exponent.is_negative() { -size } else { size });
        Ok(if call.result == Sort::INT { self.values.int(power.numerator().clone()) } else { self.values.real(power) })
    }
}
