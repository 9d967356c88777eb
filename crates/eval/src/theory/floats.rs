//! IEEE floats.

use super::{Call, Computed, Context, Operation, Refusal, undecided, unspecified};
use crate::float::{Float, Format, Mode, Signedness, to_bits};
use crate::value::{Datum, Value};
use agon_smtlib::Constructor;
use dashu_base::Sign;
use dashu_int::{IBig, UBig};
use std::cmp::Ordering;

pub(super) fn operation(name: &str) -> Option<Operation> {
    Some(match name {
        "roundNearestTiesToEven" | "RNE" => |c, _| Ok(c.values.intern(Datum::Mode(Mode::Even))),
        "roundNearestTiesToAway" | "RNA" => |c, _| Ok(c.values.intern(Datum::Mode(Mode::Away))),
        "roundTowardPositive" | "RTP" => |c, _| Ok(c.values.intern(Datum::Mode(Mode::Up))),
        "roundTowardNegative" | "RTN" => |c, _| Ok(c.values.intern(Datum::Mode(Mode::Down))),
        "roundTowardZero" | "RTZ" => |c, _| Ok(c.values.intern(Datum::Mode(Mode::Zero))),
        "+oo" => |c, call| c.constant(call, |format| format.infinite(Sign::Positive)),
        "-oo" => |c, call| c.constant(call, |format| format.infinite(Sign::Negative)),
        "+zero" => |c, call| c.constant(call, |format| format.zero(Sign::Positive)),
        "-zero" => |c, call| c.constant(call, |format| format.zero(Sign::Negative)),
        "NaN" => |c, call| c.constant(call, Format::nan),
        "fp" => |c, call| {
            let mut bits = UBig::ZERO;
            for argument in call.arguments {
                let (width, low) = c.bits(*argument)?;
                bits = (bits << (width as usize)) | low;
            }
            c.make_float(call, bits)
        },
        "fp.abs" => |c, call| c.unary_float(call, Format::absolute),
        "fp.neg" => |c, call| c.unary_float(call, Format::negate),
        "fp.add" => |c, call| c.rounded(call, |format, mode, of| format.add(mode, of[0], of[1])),
        "fp.sub" => |c, call| c.rounded(call, |format, mode, of| format.subtract(mode, of[0], of[1])),
        "fp.mul" => |c, call| c.rounded(call, |format, mode, of| format.multiply(mode, of[0], of[1])),
        "fp.div" => |c, call| c.rounded(call, |format, mode, of| format.divide(mode, of[0], of[1])),
        "fp.fma" => |c, call| c.rounded(call, |format, mode, of| format.fused(mode, of[0], of[1], of[2])),
        "fp.sqrt" => |c, call| c.rounded(call, |format, mode, of| format.square_root(mode, of[0])),
        "fp.roundToIntegral" => |c, call| c.rounded(call, |format, mode, of| format.integral(mode, of[0])),
        "fp.rem" => |c, call| {
            let (format, one) = c.float(call.arguments[0])?;
            let bits = format.remainder(one, c.float(call.arguments[1])?.1);
            c.make_float(call, bits)
        },
        "fp.min" => |c, call| c.lesser(call, Ordering::Less),
        "fp.max" => |c, call| c.lesser(call, Ordering::Greater),
        "fp.leq" => |c, call| c.float_compares(call, Ordering::is_le),
        "fp.lt" => |c, call| c.float_compares(call, Ordering::is_lt),
        "fp.geq" => |c, call| c.float_compares(call, Ordering::is_ge),
        "fp.gt" => |c, call| c.float_compares(call, Ordering::is_gt),
        "fp.eq" => |c, call| c.float_compares(call, Ordering::is_eq),
        "fp.isNormal" => |c, call| c.float_is(call, Format::is_normal),
        "fp.isSubnormal" => |c, call| c.float_is(call, Format::is_subnormal),
        "fp.isZero" => |c, call| c.float_is(call, |format, bits| matches!(format.unpack(bits), Float::Zero { .. })),
        "fp.isInfinite" => {
            |c, call| c.float_is(call, |format, bits| matches!(format.unpack(bits), Float::Infinite { .. }))
        }
        "fp.isNaN" => |c, call| c.float_is(call, Format::is_nan),
        "fp.isNegative" => |c, call| c.float_is(call, |format, bits| !format.is_nan(bits) && format.is_negative(bits)),
        "fp.isPositive" => |c, call| c.float_is(call, |format, bits| !format.is_nan(bits) && !format.is_negative(bits)),
        "to_fp" => |c, call| c.float_of(call),
        "to_fp_unsigned" => |c, call| {
            let format = c.format(call)?;
            let mode = c.mode(call.arguments[0])?;
            let number = IBig::from(c.bits(call.arguments[1])?.1.clone());
            c.make_float(call, format.of_integer(mode, &number))
        },
        "fp.to_ubv" => |c, call| c.bit_vector_of(call, Signedness::Unsigned),
        "fp.to_sbv" => |c, call| c.bit_vector_of(call, Signedness::Signed),
        "fp.to_real" => |c, call| {
            let (format, bits) = c.float(call.arguments[0])?;
            match format.to_rational(bits) {
                Some(number) => Ok(c.values.real(number)),
                None if matches!(format.unpack(bits), Float::Finite { .. }) => undecided("a number gets too large"),
                None => unspecified(),
            }
        },
        // An extension of some solvers, each of which chooses its own bits for NaN.
        "fp.to_ieee_bv" | "to_ieee_bv" => |c, call| {
            let (format, bits) = c.float(call.arguments[0])?;
            if format.is_nan(bits) {
                return unspecified();
            }
            let bits = bits.clone();
            Ok(c.values.bits(format.width(), bits))
        },
        _ => return None,
    })
}

impl Context<'_> {
    /// The float format of the result.
    fn format(&self, call: &Call<'_>) -> Result<Format, Refusal> {
        let Constructor::Float(exponent, significand) = self.sorts.constructor(call.result) else {
            return super::ill_sorted();
        };
        match Format::new(exponent, significand) {
            Some(format) => Ok(format),
            None => undecided(format!("floats with {exponent} and {significand} bits are not supported")),
        }
    }

    fn make_float(&mut self, call: &Call<'_>, bits: UBig) -> Computed {
        let format = self.format(call)?;
        self.spend(format.width() as usize)?;
        Ok(self.values.intern(Datum::Float(format, Box::new(format.canonical(bits)))))
    }

    fn constant(&mut self, call: &Call<'_>, make: fn(Format) -> UBig) -> Computed {
        let bits = make(self.format(call)?);
        self.make_float(call, bits)
    }

    fn unary_float(&mut self, call: &Call<'_>, compute: fn(Format, &UBig) -> UBig) -> Computed {
        let (format, bits) = self.float(call.arguments[0])?;
        let bits = compute(format, bits);
        self.make_float(call, bits)
    }

    /// A function of a rounding mode and floats.
    fn rounded(&mut self, call: &Call<'_>, compute: fn(Format, Mode, &[&UBig]) -> UBig) -> Computed {
        let mode = self.mode(call.arguments[0])?;
        let format = self.float(call.arguments[1])?.0;
        let floats: Vec<&UBig> =
            call.arguments[1..].iter().map(|value| Ok(self.float(*value)?.1)).collect::<Result<_, Refusal>>()?;
        let bits = compute(format, mode, &floats);
        self.make_float(call, bits)
    }

    /// `fp.min` and `fp.max`: the argument whose comparison with the other one yields `wanted`.
    fn lesser(&mut self, call: &Call<'_>, wanted: Ordering) -> Computed {
        let [one, other] = [call.arguments[0], call.arguments[1]];
        let (format, first) = self.float(one)?;
        let second = self.float(other)?.1;
        match format.compare(first, second) {
            None => Ok(if format.is_nan(first) { other } else { one }),
            // For zeros of different signs, the standard allows either.
            Some(Ordering::Equal) if one != other => Err(Refusal::Unspecified(vec![one, other])),
            Some(order) => Ok(if order == wanted { one } else { other }),
        }
    }

    fn float_compares(&mut self, call: &Call<'_>, holds: fn(Ordering) -> bool) -> Computed {
        for pair in call.arguments.windows(2) {
            let (format, one) = self.float(pair[0])?;
            if !format.compare(one, self.float(pair[1])?.1).is_some_and(holds) {
                return Ok(Value::FALSE);
            }
        }
        Ok(Value::TRUE)
    }

    fn float_is(&mut self, call: &Call<'_>, holds: fn(Format, &UBig) -> bool) -> Computed {
        let (format, bits) = self.float(call.arguments[0])?;
        Ok(Value::from(holds(format, bits)))
    }

    /// `to_fp`, from bits, a float, a number or a signed bit-vector.
    fn float_of(&mut self, call: &Call<'_>) -> Computed {
        let format = self.format(call)?;
        if let [bits] = call.arguments {
            let bits = self.bits(*bits)?.1.clone();
            return self.make_float(call, bits);
        }
        let mode = self.mode(call.arguments[0])?;
        let bits = match self.values.datum(call.arguments[1]) {
            Datum::Float(other, bits) => format.convert(mode, other.unpack(bits)),
            Datum::Real(number) => format.of_rational(mode, number),
            Datum::Int(number) => format.of_integer(mode, number),
            Datum::BitVec(width, bits) => format.of_integer(mode, &super::bit_vectors::signed(*width, bits)),
            Datum::Algebraic(_) => return undecided("the conversion of an algebraic number to a float"),
            _ => return super::ill_sorted(),
        };
        self.make_float(call, bits)
    }

    fn bit_vector_of(&mut self, call: &Call<'_>, signedness: Signedness) -> Computed {
        let width = super::bit_vectors::width(call.indices[0])?;
        let mode = self.mode(call.arguments[0])?;
        let (format, bits) = self.float(call.arguments[1])?;
        match format.to_integer(mode, bits).and_then(|number| to_bits(&number, width, signedness)) {
            Some(bits) => Ok(self.values.bits(width, bits)),
            None => unspecified(),
        }
    }
}
