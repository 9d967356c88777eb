//! IEEE floats of any format. Every operation computes the exact result with integers, and rounds once.

use dashu_base::{Abs, BitTest, DivRem, Sign, Signed, UnsignedAbs};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use std::cmp::Ordering;

/// How results are rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Mode {
    /// To the nearest float, ties to even.
    Even,
    /// To the nearest float, ties away from zero.
    Away,
    /// Towards plus infinity.
    Up,
    /// Towards minus infinity.
    Down,
    /// Towards zero.
    Zero,
}

impl Mode {
    pub(crate) const ALL: [Self; 5] = [Self::Even, Self::Away, Self::Up, Self::Down, Self::Zero];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Even => "RNE",
            Self::Away => "RNA",
            Self::Up => "RTP",
            Self::Down => "RTN",
            Self::Zero => "RTZ",
        }
    }

    /// The sign of a sum that is zero because its terms cancel each other.
    fn sign_of_zero(self) -> Sign {
        Sign::from(self == Self::Down)
    }

    /// Whether a number is rounded away from zero.
    fn rounds_away(self, sign: Sign, cut: Cut) -> bool {
        let Cut { odd, half, rest } = cut;
        match self {
            Self::Even => half && (rest || odd),
            Self::Away => half,
            Self::Up => sign == Sign::Positive && (half || rest),
            Self::Down => sign == Sign::Negative && (half || rest),
            Self::Zero => false,
        }
    }
}

/// The bits that rounding cuts off.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// Whether the last bit that is kept is set.
    odd: bool,
    /// Whether the first bit that is cut off is set.
    half: bool,
    /// Whether any other bit that is cut off is set.
    rest: bool,
}

/// Whether a number was computed to its last bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Precision {
    Exact,
    /// Nonzero bits below its last bit were cut off.
    Truncated,
}

impl Precision {
    fn of_rest(rest: &UBig) -> Self {
        if *rest == UBig::ZERO { Self::Exact } else { Self::Truncated }
    }
}

/// A float format: the number of bits of the exponent, and of the significand with its hidden bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Format {
    pub(crate) exponent: u32,
    pub(crate) significand: u32,
}

/// A float: NaN, an infinity, a zero, or an integer times a power of two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Float {
    Nan,
    Infinite { sign: Sign },
    Zero { sign: Sign },
    Finite { sign: Sign, whole: UBig, power: i64 },
}

impl Format {
    /// The format, if it is supported.
    pub(crate) fn new(exponent: u64, significand: u64) -> Option<Self> {
        let fits = (2..=30).contains(&exponent) && (2..=1 << 20).contains(&significand);
        fits.then_some(Self { exponent: exponent as u32, significand: significand as u32 })
    }

    /// The width of a float in bits.
    pub(crate) fn width(self) -> u32 {
        self.exponent + self.significand
    }

    fn bias(self) -> i64 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The exponent of the last bit of subnormal numbers.
    fn lowest(self) -> i64 {
        1 - self.bias() - (i64::from(self.significand) - 1)
    }

    fn pack(self, sign: Sign, exponent: UBig, fraction: UBig) -> UBig {
        let sign = match sign {
            Sign::Positive => UBig::ZERO,
            Sign::Negative => UBig::ONE << (self.width() as usize - 1),
        };
        sign | (exponent << (self.significand as usize - 1)) | fraction
    }

    fn largest_exponent(self) -> UBig {
        UBig::ones(self.exponent as usize)
    }

    pub(crate) fn nan(self) -> UBig {
        self.pack(Sign::Positive, self.largest_exponent(), UBig::ONE << (self.significand as usize - 2))
    }

    pub(crate) fn infinite(self, sign: Sign) -> UBig {
        self.pack(sign, self.largest_exponent(), UBig::ZERO)
    }

    pub(crate) fn zero(self, sign: Sign) -> UBig {
        self.pack(sign, UBig::ZERO, UBig::ZERO)
    }

    /// The bits of a float, with all NaNs replaced by one.
    pub(crate) fn canonical(self, bits: UBig) -> UBig {
        if matches!(self.unpack(&bits), Float::Nan) { self.nan() } else { bits }
    }

    pub(crate) fn unpack(self, bits: &UBig) -> Float {
        let (fraction, upper) = bits.clone().split_bits(self.significand as usize - 1);
        let (exponent, sign) = upper.split_bits(self.exponent as usize);
        let sign = Sign::from(sign != UBig::ZERO);
        if exponent == self.largest_exponent() {
            return if fraction == UBig::ZERO { Float::Infinite { sign } } else { Float::Nan };
        }
        let biased = i64::try_from(&exponent).unwrap_or(0);
        match (biased, fraction == UBig::ZERO) {
            (0, true) => Float::Zero { sign },
            (0, false) => Float::Finite { sign, whole: fraction, power: self.lowest() },
            _ => {
                let whole = fraction | (UBig::ONE << (self.significand as usize - 1));
                Float::Finite { sign, whole, power: self.lowest() + biased - 1 }
            }
        }
    }

    /// Rounds `whole` times two to the `power`. A truncated number must have at least two bits more than the
    /// significand, so that the lost bits only matter by being nonzero.
    fn round(self, mode: Mode, sign: Sign, whole: UBig, power: i64, precision: Precision) -> UBig {
        let bits = i64::from(self.significand);
        let length = whole.bit_len() as i64;
        if length == 0 {
            return self.zero(sign);
        }
        let mut last = (power + length - bits).max(self.lowest());
        let shift = last - power;
        let mut kept = if shift <= 0 {
            whole << usize::try_from(-shift).unwrap_or(0)
        } else {
            let (kept, half, rest) = if shift > length {
                (UBig::ZERO, false, true)
            } else {
                let shift = shift as usize;
                let half = whole.bit(shift - 1);
                let rest = whole.trailing_zeros().is_some_and(|zeros| zeros < shift - 1);
                (whole >> shift, half, rest)
            };
            let odd = kept.bit(0);
            let rest = rest || precision == Precision::Truncated;
            kept + UBig::from(mode.rounds_away(sign, Cut { odd, half, rest }))
        };
        if kept.bit_len() as i64 > bits {
            kept >>= 1;
            last += 1;
        }
        if (kept.bit_len() as i64) < bits {
            return self.pack(sign, UBig::ZERO, kept);
        }
        let biased = last - self.lowest() + 1;
        if biased >= (1 << self.exponent) - 1 {
            let to_infinity = match mode {
                Mode::Even | Mode::Away => true,
                Mode::Up => sign == Sign::Positive,
                Mode::Down => sign == Sign::Negative,
                Mode::Zero => false,
            };
            return if to_infinity { self.infinite(sign) } else { self.largest(sign) };
        }
        kept.clear_high_bits(self.significand as usize - 1);
        self.pack(sign, UBig::from(biased as u64), kept)
    }

    fn largest(self, sign: Sign) -> UBig {
        self.pack(sign, self.largest_exponent() - UBig::ONE, UBig::ones(self.significand as usize - 1))
    }

    /// Converts a float of any format to this one.
    pub(crate) fn convert(self, mode: Mode, float: Float) -> UBig {
        match float {
            Float::Nan => self.nan(),
            Float::Infinite { sign } => self.infinite(sign),
            Float::Zero { sign } => self.zero(sign),
            Float::Finite { sign, whole, power } => self.round(mode, sign, whole, power, Precision::Exact),
        }
    }

    /// Converts a rational number to this format.
    pub(crate) fn of_rational(self, mode: Mode, number: &RBig) -> UBig {
        let top = number.numerator().unsigned_abs();
        self.quotient(mode, number.sign(), (top, 0), (number.denominator().clone(), 0))
    }

    /// Converts an integer to this format.
    pub(crate) fn of_integer(self, mode: Mode, number: &IBig) -> UBig {
        self.round(mode, number.sign(), number.unsigned_abs(), 0, Precision::Exact)
    }

    pub(crate) fn add(self, mode: Mode, one: &UBig, other: &UBig) -> UBig {
        self.sum(mode, self.unpack(one), self.unpack(other))
    }

    pub(crate) fn subtract(self, mode: Mode, one: &UBig, other: &UBig) -> UBig {
        self.sum(mode, self.unpack(one), self.unpack(&self.negate(other)))
    }

    fn sum(self, mode: Mode, one: Float, other: Float) -> UBig {
        use Float::{Finite, Infinite, Nan, Zero};
        match (one, other) {
            (Nan, _) | (_, Nan) => self.nan(),
            (Infinite { sign }, Infinite { sign: other }) if sign != other => self.nan(),
            (Infinite { sign }, _) | (_, Infinite { sign }) => self.infinite(sign),
            (Zero { sign }, Zero { sign: other }) => self.zero(if sign == other { sign } else { mode.sign_of_zero() }),
            (Zero { .. }, float) | (float, Zero { .. }) => self.convert(mode, float),
            (Finite { sign, whole, power }, Finite { sign: other_sign, whole: other_whole, power: other_power }) => {
                self.sum_of_numbers(mode, (sign, whole, power), (other_sign, other_whole, other_power))
            }
        }
    }

    fn sum_of_numbers(self, mode: Mode, one: (Sign, UBig, i64), other: (Sign, UBig, i64)) -> UBig {
        let top = |number: &(Sign, UBig, i64)| number.2 + number.1.bit_len() as i64;
        let (large, small) = if top(&one) >= top(&other) { (one, other) } else { (other, one) };
        // Extra bits after the larger number, for rounding. A smaller number below these bits affects the result only
        // by being nonzero.
        let room = i64::from(self.significand) + 8;
        if large.2 - room >= top(&small) {
            let whole = large.1 << (room as usize);
            let whole = if large.0 == small.0 { whole } else { whole - UBig::ONE };
            return self.round(mode, large.0, whole, large.2 - room, Precision::Truncated);
        }
        let power = large.2.min(small.2);
        let signed = |(sign, whole, own): (Sign, UBig, i64)| IBig::from_parts(sign, whole << ((own - power) as usize));
        let sum = signed(large) + signed(small);
        if sum == IBig::ZERO {
            return self.zero(mode.sign_of_zero());
        }
        self.round(mode, sum.sign(), sum.unsigned_abs(), power, Precision::Exact)
    }

    fn product(one: Float, other: Float) -> Float {
        use Float::{Finite, Infinite, Nan, Zero};
        match (one, other) {
            (Nan, _) | (_, Nan) | (Infinite { .. }, Zero { .. }) | (Zero { .. }, Infinite { .. }) => Nan,
            (Infinite { sign }, Infinite { sign: other } | Finite { sign: other, .. })
            | (Finite { sign: other, .. }, Infinite { sign }) => Infinite { sign: sign * other },
            (Zero { sign }, Zero { sign: other } | Finite { sign: other, .. })
            | (Finite { sign: other, .. }, Zero { sign }) => Zero { sign: sign * other },
            (Finite { sign, whole, power }, Finite { sign: other_sign, whole: other_whole, power: other_power }) => {
                Finite { sign: sign * other_sign, whole: whole * other_whole, power: power + other_power }
            }
        }
    }

    pub(crate) fn multiply(self, mode: Mode, one: &UBig, other: &UBig) -> UBig {
        self.convert(mode, Self::product(self.unpack(one), self.unpack(other)))
    }

    pub(crate) fn fused(self, mode: Mode, one: &UBig, other: &UBig, added: &UBig) -> UBig {
        self.sum(mode, Self::product(self.unpack(one), self.unpack(other)), self.unpack(added))
    }

    pub(crate) fn divide(self, mode: Mode, one: &UBig, other: &UBig) -> UBig {
        use Float::{Finite, Infinite, Nan, Zero};
        match (self.unpack(one), self.unpack(other)) {
            (Nan, _) | (_, Nan) | (Infinite { .. }, Infinite { .. }) | (Zero { .. }, Zero { .. }) => self.nan(),
            (Infinite { sign }, Zero { sign: other } | Finite { sign: other, .. })
            | (Finite { sign: other, .. }, Zero { sign }) => self.infinite(sign * other),
            (Zero { sign }, Infinite { sign: other } | Finite { sign: other, .. })
            | (Finite { sign: other, .. }, Infinite { sign }) => self.zero(sign * other),
            (Finite { sign, whole, power }, Finite { sign: other_sign, whole: other_whole, power: other_power }) => {
                self.quotient(mode, sign * other_sign, (whole, power), (other_whole, other_power))
            }
        }
    }

    /// The rounded quotient of two positive numbers. Zero divided by anything is zero.
    fn quotient(self, mode: Mode, sign: Sign, top: (UBig, i64), bottom: (UBig, i64)) -> UBig {
        let missing = i64::from(self.significand) + 3 + bottom.0.bit_len() as i64 - top.0.bit_len() as i64;
        let room = missing.max(0);
        let (whole, rest) = (top.0 << (room as usize)).div_rem(bottom.0);
        self.round(mode, sign, whole, top.1 - bottom.1 - room, Precision::of_rest(&rest))
    }

    pub(crate) fn square_root(self, mode: Mode, of: &UBig) -> UBig {
        use dashu_base::SquareRootRem;
        match self.unpack(of) {
            Float::Zero { .. } | Float::Infinite { sign: Sign::Positive } => of.clone(),
            Float::Nan | Float::Infinite { .. } | Float::Finite { sign: Sign::Negative, .. } => self.nan(),
            Float::Finite { whole, power, .. } => {
                let mut room = (2 * (i64::from(self.significand) + 3) - whole.bit_len() as i64).max(0);
                // The exponent must be even, so that half of it is the exponent of the root.
                room += (power - room).rem_euclid(2);
                let (root, rest) = (whole << (room as usize)).sqrt_rem();
                self.round(mode, Sign::Positive, root, (power - room) / 2, Precision::of_rest(&rest))
            }
        }
    }

    /// The IEEE remainder `x - y * n`, where `n` is the quotient `x / y` rounded to the nearest integer, ties to even.
    pub(crate) fn remainder(self, one: &UBig, other: &UBig) -> UBig {
        use Float::{Finite, Infinite, Nan, Zero};
        let (sign, whole, power, (by, by_power)) = match (self.unpack(one), self.unpack(other)) {
            (Nan | Infinite { .. }, _) | (_, Nan | Zero { .. }) => return self.nan(),
            (Zero { .. }, _) | (_, Infinite { .. }) => return one.clone(),
            (Finite { sign, whole, power }, Finite { whole: by, power: by_power, .. }) => {
                (sign, whole, power, (by, by_power))
            }
        };
        let lowest = power.min(by_power);
        // If the dividend is less than half of the divisor, the quotient is rounded to zero.
        if by_power + by.bit_len() as i64 > power + whole.bit_len() as i64 + 2 {
            return one.clone();
        }
        // The remainder modulo twice the divisor also shows whether the quotient is odd, which decides ties.
        let by = by << ((by_power - lowest) as usize);
        let twice = by.clone() << 1;
        let mut rest = times_power_of_two(whole, (power - lowest) as u64, &twice);
        let odd = rest >= by;
        if odd {
            rest -= &by;
        }
        let doubled = rest.clone() << 1;
        let up = doubled > by || doubled == by && odd;
        if rest == UBig::ZERO {
            return self.zero(sign);
        }
        let (sign, rest) = if up { (-sign, by - rest) } else { (sign, rest) };
        self.round(Mode::Even, sign, rest, lowest, Precision::Exact)
    }

    pub(crate) fn integral(self, mode: Mode, of: &UBig) -> UBig {
        match self.unpack(of) {
            Float::Finite { sign, whole, power } if power < 0 => {
                let rounded = whole_number(mode, sign, whole, power);
                if rounded == IBig::ZERO {
                    self.zero(sign)
                } else {
                    self.round(Mode::Even, sign, rounded.unsigned_abs(), 0, Precision::Exact)
                }
            }
            _ => of.clone(),
        }
    }

    /// A float rounded to an integer; `None` if it is NaN, infinite or unreasonably large.
    pub(crate) fn to_integer(self, mode: Mode, of: &UBig) -> Option<IBig> {
        match self.unpack(of) {
            Float::Nan | Float::Infinite { .. } => None,
            Float::Zero { .. } => Some(IBig::ZERO),
            Float::Finite { power, .. } if power > 1 << 24 => None,
            Float::Finite { sign, whole, power } => Some(whole_number(mode, sign, whole, power)),
        }
    }

    /// The exact value of a float; `None` if it is NaN or infinite, or its value would take too much memory.
    pub(crate) fn to_rational(self, of: &UBig) -> Option<RBig> {
        match self.unpack(of) {
            Float::Nan | Float::Infinite { .. } => None,
            Float::Zero { .. } => Some(RBig::ZERO),
            Float::Finite { power, .. } if power.abs() > 1 << 24 => None,
            Float::Finite { sign, whole, power } => {
                let shift = power.unsigned_abs() as usize;
                let (top, bottom) = if power >= 0 { (whole << shift, UBig::ONE) } else { (whole, UBig::ONE << shift) };
                Some(RBig::from_parts(IBig::from_parts(sign, top), bottom))
            }
        }
    }

    pub(crate) fn negate(self, bits: &UBig) -> UBig {
        if self.is_nan(bits) { bits.clone() } else { bits ^ (UBig::ONE << (self.width() as usize - 1)) }
    }

    pub(crate) fn absolute(self, bits: &UBig) -> UBig {
        if self.is_negative(bits) { self.negate(bits) } else { bits.clone() }
    }

    pub(crate) fn is_nan(self, bits: &UBig) -> bool {
        matches!(self.unpack(bits), Float::Nan)
    }

    /// Whether the sign bit is set. The only NaN has it cleared, although it is neither negative nor positive.
    pub(crate) fn is_negative(self, bits: &UBig) -> bool {
        bits.bit(self.width() as usize - 1)
    }

    pub(crate) fn is_subnormal(self, bits: &UBig) -> bool {
        matches!(self.unpack(bits), Float::Finite { whole, .. } if (whole.bit_len() as u32) < self.significand)
    }

    pub(crate) fn is_normal(self, bits: &UBig) -> bool {
        matches!(self.unpack(bits), Float::Finite { whole, .. } if whole.bit_len() as u32 == self.significand)
    }

    /// Compares two floats. `None` if one is NaN; zeros of both signs are equal.
    pub(crate) fn compare(self, one: &UBig, other: &UBig) -> Option<Ordering> {
        if self.is_nan(one) || self.is_nan(other) {
            return None;
        }
        let key = |bits: &UBig| {
            let mut size = bits.clone();
            size.clear_high_bits(self.width() as usize - 1);
            IBig::from_parts(Sign::from(self.is_negative(bits)), size)
        };
        Some(key(one).cmp(&key(other)))
    }

    pub(crate) fn show(self, bits: &UBig) -> String {
        let Self { exponent, significand } = self;
        match self.unpack(bits) {
            Float::Nan => format!("(_ NaN {exponent} {significand})"),
            Float::Infinite { sign } => format!("(_ {}oo {exponent} {significand})", shown(sign)),
            Float::Zero { sign } => format!("(_ {}zero {exponent} {significand})", shown(sign)),
            Float::Finite { .. } => {
                let width = self.width() as usize;
                let digits = format!("{:0>width$}", bits.in_radix(2).to_string());
                let (sign, rest) = digits.split_at(1);
                let (exponent, fraction) = rest.split_at(exponent as usize);
                format!("(fp #b{sign} #b{exponent} #b{fraction})")
            }
        }
    }
}

const fn shown(sign: Sign) -> &'static str {
    match sign {
        Sign::Positive => "+",
        Sign::Negative => "-",
    }
}

/// `whole` times two to the `power`, rounded to an integer.
fn whole_number(mode: Mode, sign: Sign, whole: UBig, power: i64) -> IBig {
    if power >= 0 {
        return IBig::from_parts(sign, whole << (power as usize));
    }
    let shift = power.unsigned_abs() as usize;
    let (kept, half, rest) = if shift > whole.bit_len() {
        (UBig::ZERO, false, true)
    } else {
        let rest = whole.trailing_zeros().is_some_and(|zeros| zeros < shift - 1);
        let half = whole.bit(shift - 1);
        (whole >> shift, half, rest)
    };
    let odd = kept.bit(0);
    IBig::from_parts(sign, kept + UBig::from(mode.rounds_away(sign, Cut { odd, half, rest })))
}

/// `whole` times two to the `power`, modulo `modulus`, by repeated squaring: the power may be too large to be computed.
fn times_power_of_two(whole: UBig, power: u64, modulus: &UBig) -> UBig {
    let (mut result, mut square, mut left) = (whole % modulus, UBig::from(2_u8) % modulus, power);
    while left > 0 {
        if left & 1 == 1 {
            result = result * &square % modulus;
        }
        square = square.sqr() % modulus;
        left >>= 1;
    }
    result
}

/// How the bits of a bit-vector are read as a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signedness {
    Unsigned,
    Signed,
}

/// The bits of an integer, if it fits into this width.
pub(crate) fn to_bits(number: &IBig, width: u32, signedness: Signedness) -> Option<UBig> {
    let size = number.abs();
    let fits = match (number.sign(), signedness) {
        (Sign::Positive, Signedness::Unsigned) => size.bit_len() <= width as usize,
        (Sign::Positive, Signedness::Signed) => size.bit_len() < width as usize,
        (Sign::Negative, Signedness::Signed) => size <= IBig::ONE << (width as usize - 1),
        (Sign::Negative, Signedness::Unsigned) => false,
    };
    fits.then(|| wrapped(number, width))
}

/// An integer modulo two to the width.
pub(crate) fn wrapped(number: &IBig, width: u32) -> UBig {
    let mut size = number.unsigned_abs();
    size.clear_high_bits(width as usize);
    if number.is_negative() && size != UBig::ZERO { (UBig::ONE << (width as usize)) - size } else { size }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_apfloat::ieee::{Double, Half, Quad, Single};
    use rustc_apfloat::{Float as Peer, Round, StatusAnd};

    fn peer_mode(mode: Mode) -> Round {
        match mode {
            Mode::Even => Round::NearestTiesToEven,
            Mode::Away => Round::NearestTiesToAway,
            Mode::Up => Round::TowardPositive,
            Mode::Down => Round::TowardNegative,
            Mode::Zero => Round::TowardZero,
        }
    }

    /// Compares every operation with another implementation on difficult bit patterns.
    fn agrees<P: Peer>(format: Format, rounds: usize) {
        let mut state = 0x9e37_79b9_7f4a_7c15_u128 | 1;
        let mut random = || {
            state = state.wrapping_mul(0x2360_ED05_1FC6_5DA4_4385_DF64_9FCC_F645).wrapping_add(0x5851_F42D_4C95_7F2D);
            state >> 16 ^ state << 64
        };
        let mask = if format.width() == 128 { u128::MAX } else { (1 << format.width()) - 1 };
        let fraction = format.significand - 1;
        let mut pick = || {
            let mut bits = random();
            match random() % 8 {
                0 => bits &= !(((1 << format.exponent) - 1) << fraction),
                1 => bits |= ((1 << format.exponent) - 1) << fraction,
                2 => bits = bits >> fraction << fraction,
                3 => bits |= (1 << fraction) - 1,
                // Exponents close to each other, so that operands overlap.
                4 | 5 => {
                    let near = format.bias() as u128 + random() % 8 - 4;
                    bits = bits & !(((1 << format.exponent) - 1) << fraction) | near << fraction;
                }
                _ => {}
            }
            bits & mask
        };
        for _ in 0..rounds {
            let (a, b, c) = (pick(), pick(), pick());
            let ours = [a, b, c].map(|bits| format.canonical(UBig::from(bits)));
            let theirs = [a, b, c].map(P::from_bits);
            let same = |ours: &UBig, theirs: P, what: &str| {
                let theirs = format.canonical(UBig::from(theirs.to_bits() & mask));
                assert_eq!(*ours, theirs, "{what} {a:x} {b:x} {c:x}");
            };
            let [x, y, z] = &ours;
            for mode in Mode::ALL {
                let round = peer_mode(mode);
                let value = |result: StatusAnd<P>| result.value;
                same(&format.add(mode, x, y), value(theirs[0].add_r(theirs[1], round)), "add");
                same(&format.subtract(mode, x, y), value(theirs[0].sub_r(theirs[1], round)), "sub");
                same(&format.multiply(mode, x, y), value(theirs[0].mul_r(theirs[1], round)), "mul");
                same(&format.divide(mode, x, y), value(theirs[0].div_r(theirs[1], round)), "div");
                let fused = theirs[0].mul_add_r(theirs[1], theirs[2], round);
                same(&format.fused(mode, x, y, z), value(fused), "fma");
                same(&format.integral(mode, x), value(theirs[0].round_to_integral(round)), "rti");
                let signed = theirs[0].to_i128_r(32, round, &mut false);
                let own = format.to_integer(mode, x).and_then(|number| to_bits(&number, 32, Signedness::Signed));
                if !signed.status.contains(rustc_apfloat::Status::INVALID_OP) {
                    assert_eq!(own, Some(wrapped(&IBig::from(signed.value), 32)), "to_sbv {a:x} {mode:?}");
                } else {
                    assert_eq!(own, None, "to_sbv {a:x} {mode:?}");
                }
                let number = (b >> 3) as i64;
                same(
                    &format.of_integer(mode, &IBig::from(number)),
                    value(P::from_i128_r(i128::from(number), round)),
                    "of",
                );
            }
            same(&format.remainder(x, y), theirs[0].ieee_rem(theirs[1]).value, "rem");
            assert_eq!(format.compare(x, y), theirs[0].partial_cmp(&theirs[1]));
            // The library has no square root. The number must lie between the squares of its roots rounded down and up.
            if let (Some(root), Some(number)) =
                (format.to_rational(&format.square_root(Mode::Zero, x)), format.to_rational(x))
                && !number.is_negative()
            {
                let up = format.to_rational(&format.square_root(Mode::Up, x)).unwrap();
                assert!(root.clone() * &root <= number && number <= up.clone() * &up, "sqrt {a:x}");
                let exact = root == up;
                assert!(exact == (root.clone() * &root == number), "sqrt {a:x}");
            }
        }
    }

    #[test]
    fn all_operations_agree_with_another_implementation() {
        agrees::<Half>(Format::new(5, 11).unwrap(), 20_000);
        agrees::<Single>(Format::new(8, 24).unwrap(), 10_000);
        agrees::<Double>(Format::new(11, 53).unwrap(), 10_000);
        agrees::<Quad>(Format::new(15, 113).unwrap(), 3_000);
    }

    #[test]
    fn tiny_formats_agree_with_rationals() {
        let format = Format::new(3, 4).unwrap();
        let all: Vec<UBig> = (0..1_u32 << format.width()).map(|bits| format.canonical(UBig::from(bits))).collect();
        for (x, y) in all.iter().flat_map(|x| all.iter().map(move |y| (x, y))) {
            let (Some(a), Some(b)) = (format.to_rational(x), format.to_rational(y)) else { continue };
            for mode in Mode::ALL {
                let sum = a.clone() + &b;
                if sum != RBig::ZERO {
                    assert_eq!(format.add(mode, x, y), format.of_rational(mode, &sum));
                    assert_eq!(format.to_integer(mode, x).map(|n| n.bit_len() < 9), Some(true));
                }
                let product = a.clone() * &b;
                if product != RBig::ZERO {
                    assert_eq!(format.multiply(mode, x, y), format.of_rational(mode, &product));
                    assert_eq!(format.divide(mode, x, y), format.of_rational(mode, &(a.clone() / &b)));
                }
            }
        }
    }

    #[test]
    fn operations_work_with_huge_exponents() {
        let format = Format::new(30, 8).unwrap();
        let (huge, tiny) = (format.largest(Sign::Positive), UBig::ONE);
        assert_eq!(format.add(Mode::Even, &huge, &tiny), huge);
        assert_eq!(format.add(Mode::Up, &huge, &tiny), format.infinite(Sign::Positive));
        assert_eq!(format.multiply(Mode::Even, &huge, &huge), format.infinite(Sign::Positive));
        assert_eq!(format.divide(Mode::Even, &tiny, &huge), format.zero(Sign::Positive));
        assert_eq!(format.remainder(&huge, &tiny), format.zero(Sign::Positive));
        assert_eq!(format.to_rational(&huge), None);
    }
}
