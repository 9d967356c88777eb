//! Bit-vectors of any width.

use super::{Call, Computed, Context, Operation, Refusal, effort, undecided};
use crate::float::Signedness::{self, Signed, Unsigned};
use crate::float::wrapped;
use crate::value::Value;

use dashu_base::BitTest;
use dashu_int::{IBig, UBig};
use std::cmp::Ordering;

/// The maximum width of a bit-vector.
const WIDEST: u64 = 1 << 27;

pub(super) fn operation(name: &str) -> Option<Operation> {
    Some(match name {
        "bvnot" => |c, call| c.unary(call, |width, bits| UBig::ones(width as usize) ^ bits),
        "bvneg" => |c, call| c.unary(call, negated),
        "bvand" => |c, call| c.combine(call, |_, one, other| one & other),
        "bvor" => |c, call| c.combine(call, |_, one, other| one | other),
        "bvxor" => |c, call| c.combine(call, |_, one, other| one ^ other),
        "bvxnor" => |c, call| c.combine(call, |width, one, other| UBig::ones(width as usize) ^ (one ^ other)),
        "bvnand" => |c, call| c.combine(call, |width, one, other| UBig::ones(width as usize) ^ (one & other)),
        "bvnor" => |c, call| c.combine(call, |width, one, other| UBig::ones(width as usize) ^ (one | other)),
        "bvadd" => |c, call| c.combine(call, |_, one, other| one + other),
        "bvmul" => |c, call| c.combine_slowly(call, |_, one, other| one * other),
        "bvsub" => |c, call| c.combine(call, |width, one, other| one + negated(width, other)),
        "bvudiv" => |c, call| c.combine_slowly(call, unsigned_quotient),
        "bvurem" => |c, call| c.combine_slowly(call, unsigned_remainder),
        "bvsdiv" => |c, call| {
            c.combine_slowly(call, |width, one, other| {
                let quotient = unsigned_quotient(width, &size(width, one), &size(width, other));
                if is_negative(width, one) == is_negative(width, other) { quotient } else { negated(width, &quotient) }
            })
        },
        "bvsrem" => |c, call| {
            c.combine_slowly(call, |width, one, other| {
                let rest = unsigned_remainder(width, &size(width, one), &size(width, other));
                if is_negative(width, one) { negated(width, &rest) } else { rest }
            })
        },
        "bvsmod" => |c, call| c.combine_slowly(call, signed_modulo),
        "bvshl" => |c, call| {
            c.combine(call, |width, one, by| match shift(width, by) {
                Some(by) => one << by,
                None => UBig::ZERO,
            })
        },
        "bvlshr" => |c, call| {
            c.combine(call, |width, one, by| match shift(width, by) {
                Some(by) => one >> by,
                None => UBig::ZERO,
            })
        },
        "bvashr" => |c, call| {
            c.combine(call, |width, one, by| {
                let by = shift(width, by).unwrap_or(width as usize);
                let shifted = one >> by;
                if is_negative(width, one) { shifted | (UBig::ones(by) << (width as usize - by)) } else { shifted }
            })
        },
        "bvult" => |c, call| c.relates(call, Unsigned, Ordering::is_lt),
        "bvule" => |c, call| c.relates(call, Unsigned, Ordering::is_le),
        "bvugt" => |c, call| c.relates(call, Unsigned, Ordering::is_gt),
        "bvuge" => |c, call| c.relates(call, Unsigned, Ordering::is_ge),
        "bvslt" => |c, call| c.relates(call, Signed, Ordering::is_lt),
        "bvsle" => |c, call| c.relates(call, Signed, Ordering::is_le),
        "bvsgt" => |c, call| c.relates(call, Signed, Ordering::is_gt),
        "bvsge" => |c, call| c.relates(call, Signed, Ordering::is_ge),
        "bvcomp" => |c, call| Ok(c.bit(call.arguments[0] == call.arguments[1])),
        "bvultbv" => |c, call| {
            let less = c.relates(call, Unsigned, Ordering::is_lt)?;
            Ok(c.bit(less == Value::TRUE))
        },
        "bvsltbv" => |c, call| {
            let less = c.relates(call, Signed, Ordering::is_lt)?;
            Ok(c.bit(less == Value::TRUE))
        },
        "bvite" => |c, call| Ok(call.arguments[if c.bits(call.arguments[0])?.1 == &UBig::ONE { 1 } else { 2 }]),
        "concat" => |c, call| {
            let (mut width, mut bits) = (0_u64, UBig::ZERO);
            for argument in call.arguments {
                let (more, low) = c.bits(*argument)?;
                width += u64::from(more);
                if width > WIDEST {
                    return too_wide();
                }
                bits = (bits << (more as usize)) | low;
            }
            c.spend(width as usize / 8)?;
            Ok(c.values.bits(width as u32, bits))
        },
        "extract" => |c, call| {
            let (high, low) = (call.indices[0], call.indices[1]);
            let bits = c.bits(call.arguments[0])?.1 >> (low as usize);
            Ok(c.values.bits((high - low + 1) as u32, bits))
        },
        "repeat" => |c, call| {
            let (width, bits) = c.bits(call.arguments[0])?;
            let wide = self::width(u64::from(width).saturating_mul(call.indices[0]))?;
            // Each round doubles the length; excess bits are cleared at the end.
            let (mut all, mut length) = (bits.clone(), width as usize);
            while length < wide as usize {
                all |= all.clone() << length;
                length *= 2;
            }
            c.spend(wide as usize / 8)?;
            Ok(c.values.bits(wide, all))
        },
        "zero_extend" => |c, call| {
            let (width, bits) = c.bits(call.arguments[0])?;
            let (wide, bits) = (self::width(u64::from(width).saturating_add(call.indices[0]))?, bits.clone());
            Ok(c.values.bits(wide, bits))
        },
        "sign_extend" => |c, call| {
            let (width, bits) = c.bits(call.arguments[0])?;
            let wide = self::width(u64::from(width).saturating_add(call.indices[0]))?;
            let bits = wrapped(&signed(width, bits), wide);
            Ok(c.values.bits(wide, bits))
        },
        "rotate_left" => |c, call| c.rotate(call, call.indices[0], Direction::Left),
        "rotate_right" => |c, call| c.rotate(call, call.indices[0], Direction::Right),
        "bvrol" | "ext_rotate_left" => |c, call| c.rotate_by(call, Direction::Left),
        "bvror" | "ext_rotate_right" => |c, call| c.rotate_by(call, Direction::Right),
        "bvnego" => |c, call| {
            let (width, bits) = c.bits(call.arguments[0])?;
            Ok(Value::from(*bits == UBig::ONE << (width as usize - 1)))
        },
        "bvuaddo" => |c, call| c.overflows(call, Unsigned, |one, other| one + other),
        "bvsaddo" => |c, call| c.overflows(call, Signed, |one, other| one + other),
        "bvumulo" => |c, call| c.overflows(call, Unsigned, |one, other| one * other),
        "bvsmulo" => |c, call| c.overflows(call, Signed, |one, other| one * other),
        "bvusubo" => |c, call| c.overflows(call, Unsigned, |one, other| one - other),
        "bvssubo" => |c, call| c.overflows(call, Signed, |one, other| one - other),
        "bvsdivo" => {
            |c, call| c.overflows(call, Signed, |one, other| if *other == IBig::NEG_ONE { -one } else { one.clone() })
        }
        "bvumul_noovfl" => |c, call| {
            let over = c.overflows(call, Unsigned, |one, other| one * other)?;
            Ok(Value::from(over == Value::FALSE))
        },
        "bvsmul_noovfl" => |c, call| {
            let (width, product) = c.product(call)?;
            Ok(Value::from(product < IBig::ONE << (width as usize - 1)))
        },
        "bvsmul_noudfl" => |c, call| {
            let (width, product) = c.product(call)?;
            Ok(Value::from(product >= -(IBig::ONE << (width as usize - 1))))
        },
        "bvredor" => |c, call| {
            let any = c.bits(call.arguments[0])?.1 != &UBig::ZERO;
            Ok(c.bit(any))
        },
        "bvredand" => |c, call| {
            let (width, bits) = c.bits(call.arguments[0])?;
            let all = *bits == UBig::ones(width as usize);
            Ok(c.bit(all))
        },
        "bvredxor" => |c, call| {
            let odd = c.bits(call.arguments[0])?.1.count_ones() % 2 == 1;
            Ok(c.bit(odd))
        },
        "bvinc" => |c, call| c.unary(call, |_, bits| bits + UBig::ONE),
        "bvdec" => |c, call| c.unary(call, |width, bits| bits + UBig::ones(width as usize)),
        _ => return None,
    })
}

fn too_wide<T>() -> Result<T, Refusal> {
    undecided("a bit-vector gets too wide")
}

/// A width, if it is supported.
pub(crate) fn width(width: u64) -> Result<u32, Refusal> {
    if width <= WIDEST { Ok(width as u32) } else { too_wide() }
}

/// The two's complement negation; bits above the width may be set.
fn negated(width: u32, bits: &UBig) -> UBig {
    (UBig::ONE << (width as usize)) - bits
}

fn is_negative(width: u32, bits: &UBig) -> bool {
    bits.bit(width as usize - 1)
}

/// The absolute value, as bits.
fn size(width: u32, bits: &UBig) -> UBig {
    if is_negative(width, bits) { negated(width, bits) } else { bits.clone() }
}

/// The bits as a signed number.
pub(super) fn signed(width: u32, bits: &UBig) -> IBig {
    let number = IBig::from(bits.clone());
    if is_negative(width, bits) { number - (IBig::ONE << (width as usize)) } else { number }
}

fn unsigned_quotient(width: u32, one: &UBig, other: &UBig) -> UBig {
    if *other == UBig::ZERO { UBig::ones(width as usize) } else { one / other }
}

fn unsigned_remainder(_: u32, one: &UBig, other: &UBig) -> UBig {
    if *other == UBig::ZERO { one.clone() } else { one % other }
}

/// The remainder with the sign of the divisor.
fn signed_modulo(width: u32, one: &UBig, other: &UBig) -> UBig {
    let rest = unsigned_remainder(width, &size(width, one), &size(width, other));
    if rest == UBig::ZERO {
        return rest;
    }
    match (is_negative(width, one), is_negative(width, other)) {
        (false, false) => rest,
        (true, false) => negated(width, &rest) + other,
        (false, true) => rest + other,
        (true, true) => negated(width, &rest),
    }
}

/// The shift distance; `None` if all bits are shifted out.
fn shift(width: u32, by: &UBig) -> Option<usize> {
    usize::try_from(by).ok().filter(|by| *by < width as usize)
}

#[derive(Clone, Copy)]
enum Direction {
    Left,
    Right,
}

impl Context<'_> {
    fn bit(&mut self, set: bool) -> Value {
        self.values.bits(1, UBig::from(set))
    }

    fn unary(&mut self, call: &Call<'_>, compute: fn(u32, &UBig) -> UBig) -> Computed {
        let (width, bits) = self.bits(call.arguments[0])?;
        let result = compute(width, bits);
        self.spend(width as usize / 8)?;
        Ok(self.values.bits(width, result))
    }

    /// Folds the arguments from the left.
    fn combine(&mut self, call: &Call<'_>, compute: fn(u32, &UBig, &UBig) -> UBig) -> Computed {
        let mut result = call.arguments[0];
        for argument in &call.arguments[1..] {
            let (width, one) = self.bits(result)?;
            let other = self.bits(*argument)?.1;
            let combined = compute(width, one, other);
            self.spend(width as usize / 8)?;
            result = self.values.bits(width, combined);
        }
        Ok(result)
    }

    /// Folds the arguments from the left, with operations whose work grows faster than the width.
    fn combine_slowly(&mut self, call: &Call<'_>, compute: fn(u32, &UBig, &UBig) -> UBig) -> Computed {
        let width = self.bits(call.arguments[0])?.0 as usize;
        self.spend(effort(width, width) * call.arguments.len())?;
        self.combine(call, compute)
    }

    fn relates(&mut self, call: &Call<'_>, signedness: Signedness, holds: fn(Ordering) -> bool) -> Computed {
        let (width, one) = self.bits(call.arguments[0])?;
        let other = self.bits(call.arguments[1])?.1;
        let is_negative = |bits| signedness == Signed && is_negative(width, bits);
        let order = match (is_negative(one), is_negative(other)) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            _ => one.cmp(other),
        };
        Ok(Value::from(holds(order)))
    }

    fn rotate(&mut self, call: &Call<'_>, by: u64, direction: Direction) -> Computed {
        let (width, bits) = self.bits(call.arguments[0])?;
        let by = (by % u64::from(width)) as usize;
        let by = match direction {
            Direction::Left => by,
            Direction::Right => (width as usize - by) % width as usize,
        };
        let rotated = (bits << by) | (bits >> (width as usize - by));
        Ok(self.values.bits(width, rotated))
    }

    fn rotate_by(&mut self, call: &Call<'_>, direction: Direction) -> Computed {
        let (width, by) = self.bits(call.arguments[1])?;
        let by = u64::try_from(by % UBig::from(width)).unwrap_or(0);
        self.rotate(call, by, direction)
    }

    /// Whether a result does not fit into the width.
    fn overflows(&mut self, call: &Call<'_>, signedness: Signedness, compute: fn(&IBig, &IBig) -> IBig) -> Computed {
        let (width, one) = self.bits(call.arguments[0])?;
        let other = self.bits(call.arguments[1])?.1;
        let number = |bits: &UBig| match signedness {
            Signed => signed(width, bits),
            Unsigned => IBig::from(bits.clone()),
        };
        let result = compute(&number(one), &number(other));
        let fits = crate::float::to_bits(&result, width, signedness).is_some();
        Ok(Value::from(!fits))
    }

    fn product(&self, call: &Call<'_>) -> Result<(u32, IBig), Refusal> {
        let (width, one) = self.bits(call.arguments[0])?;
        let other = self.bits(call.arguments[1])?.1;
        Ok((width, signed(width, one) * signed(width, other)))
    }
}
