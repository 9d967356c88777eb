//! Real algebraic numbers: roots of polynomials, and numbers computed from them.
//!
//! A number is stored as the expression that computes it. Its sign is determined by ever smaller intervals around it.
//! Zero is recognized by a lower bound on the absolute value of nonzero numbers of this form (Mignotte; Sekigawa): if
//! the interval is within that bound and still contains zero, the number is zero.

use crate::root_interval::narrowed;
use crate::root_sum::{RealRoot, RootSum};
use dashu_base::{BitTest, Signed, UnsignedAbs};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// A polynomial with integer coefficients, constant term first.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Polynomial(Vec<IBig>);

impl Polynomial {
    /// The polynomial with these coefficients, scaled to integers. `None` if it is constant.
    pub(crate) fn new(coefficients: &[RBig]) -> Option<Self> {
        if coefficients.iter().map(size).sum::<usize>() > LONGEST {
            return None;
        }
        let mut common = UBig::ONE;
        for coefficient in coefficients {
            use dashu_base::Gcd;
            let shared = (&common).gcd(coefficient.denominator());
            common = common * coefficient.denominator() / shared;
        }
        let whole = |c: &RBig| c.numerator() * IBig::from(common.clone() / c.denominator());
        let mut whole: Vec<IBig> = coefficients.iter().map(whole).collect();
        while whole.last() == Some(&IBig::ZERO) {
            whole.pop();
        }
        (whole.len() > 1).then_some(Self(whole))
    }

    /// The coefficients, constant term first.
    pub(crate) fn coefficients(&self) -> &[IBig] {
        &self.0
    }

    pub(crate) fn degree(&self) -> usize {
        self.0.len() - 1
    }

    /// The value at a number.
    pub(crate) fn at(&self, x: &RBig) -> RBig {
        self.0.iter().rev().fold(RBig::ZERO, |sum, c| sum * x + RBig::from(c.clone()))
    }

    /// The number of distinct real roots above `low` and up to `high`, by Sturm's theorem.
    pub(crate) fn roots_between(&self, low: &RBig, high: &RBig) -> usize {
        let changes = |x: &RBig, chain: &[Vec<RBig>]| {
            let values = chain.iter().map(|p| p.iter().rev().fold(RBig::ZERO, |sum, c| sum * x + c));
            let signs: Vec<bool> = values.filter(|v| *v != RBig::ZERO).map(|v| v.is_negative()).collect();
            signs.windows(2).filter(|pair| pair[0] != pair[1]).count()
        };
        let chain = self.chain();
        changes(low, &chain).saturating_sub(changes(high, &chain))
    }

    /// The Sturm chain.
    fn chain(&self) -> Vec<Vec<RBig>> {
        let first: Vec<RBig> = self.0.iter().map(|c| RBig::from(c.clone())).collect();
        let derivative = first.iter().enumerate().skip(1).map(|(at, c)| c * RBig::from(at as u64)).collect();
        let mut chain = vec![first, derivative];
        loop {
            let [.., one, other] = &chain[..] else { return chain };
            let rest = negated_remainder(one, other);
            if rest.is_empty() {
                return chain;
            }
            chain.push(rest);
        }
    }

    /// The polynomial with the same roots, each once. Sturm's theorem requires such a polynomial if an end of the
    /// interval is a root.
    fn square_free(self) -> Self {
        let chain = self.chain();
        let Some(common) = chain.last().filter(|common| common.len() > 1) else { return self };
        let mut rest = chain[0].clone();
        let mut quotient = vec![RBig::ZERO; rest.len() + 1 - common.len()];
        while rest.len() >= common.len() {
            let factor = rest[rest.len() - 1].clone() / &common[common.len() - 1];
            let shift = rest.len() - common.len();
            for (at, c) in common.iter().enumerate() {
                rest[at + shift] -= c * &factor;
            }
            rest.pop();
            quotient[shift] = factor;
        }
        Self::new(&quotient).unwrap_or(self)
    }

    /// A bound that exceeds the absolute value of all roots (Cauchy's bound).
    pub(crate) fn bound(&self) -> RBig {
        let (last, others) = self.0.split_last().expect("a polynomial has coefficients");
        let largest = others.iter().map(UnsignedAbs::unsigned_abs).max().unwrap_or(UBig::ZERO);
        RBig::from(largest / last.unsigned_abs() + UBig::from(2_u8))
    }
}

/// The negated remainder of a polynomial division.
fn negated_remainder(one: &[RBig], other: &[RBig]) -> Vec<RBig> {
    let mut rest = one.to_vec();
    while rest.len() >= other.len() {
        let factor = rest[rest.len() - 1].clone() / &other[other.len() - 1];
        let shift = rest.len() - other.len();
        for (at, c) in other.iter().enumerate() {
            rest[at + shift] -= c * &factor;
        }
        rest.pop();
        while rest.last() == Some(&RBig::ZERO) {
            rest.pop();
        }
    }
    rest.into_iter().map(|c| -c).collect()
}

/// A closed interval that contains a number.
#[derive(Clone, Debug)]
pub(crate) struct Interval {
    pub(crate) low: RBig,
    pub(crate) high: RBig,
}

/// How a number is computed.
#[derive(Debug)]
enum Expression {
    /// A rational number, a root, or sums and products of these.
    Sum(RootSum),
    /// A sum that contains a division.
    Add(Algebraic, Algebraic),
    /// A product that contains a division.
    Multiply(Algebraic, Algebraic),
    /// One divided by a number.
    Invert(Algebraic),
}

#[derive(Debug)]
struct Node {
    kind: Expression,
    /// An upper bound on the degree.
    degree: f64,
    /// An upper bound on the measure, in bits: a nonzero number is at least two to the power of minus this bound.
    measure: f64,
    /// The depth of the expression, which bounds recursion.
    depth: u32,
}

/// An algebraic number.
#[derive(Clone, Debug)]
pub(crate) struct Algebraic(Rc<Node>);

/// Structural equality: the same sum of the same roots, or the same node in memory. Numbers that are computed
/// differently may be equal in value, which only [`Algebraic::compare`] determines.
impl PartialEq for Algebraic {
    fn eq(&self, other: &Self) -> bool {
        match (&self.0.kind, &other.0.kind) {
            (Expression::Sum(one), Expression::Sum(other)) => one.roots == other.roots && one.terms == other.terms,
            _ => Rc::ptr_eq(&self.0, &other.0),
        }
    }
}

impl Eq for Algebraic {}

impl Hash for Algebraic {
    fn hash<H: Hasher>(&self, state: &mut H) {
        match &self.0.kind {
            Expression::Sum(sum) => (&sum.roots, &sum.terms).hash(state),
            _ => Rc::as_ptr(&self.0).hash(state),
        }
    }
}

/// The maximum precision in bits.
const MOST_BITS: f64 = 200_000.0;

/// The maximum depth of expressions.
const DEEPEST: u32 = 500;

/// The maximum total size of coefficients, in bits. The roots that solvers print have a few dozen bits.
const LONGEST: usize = 1 << 13;

/// The size of a number in bits.
fn size(number: &RBig) -> usize {
    number.numerator().bit_len() + number.denominator().bit_len()
}

/// The maximum degree of polynomials whose roots are computed.
const HIGHEST_DEGREE: usize = 40;

impl Algebraic {
    /// A number; `None` if its bounds are too large to determine its sign.
    fn make(kind: Expression, degree: f64, measure: f64, depth: u32) -> Option<Self> {
        let fits = depth <= DEEPEST && measure * degree.max(1.0) <= MOST_BITS;
        fits.then(|| Self(Rc::new(Node { kind, degree, measure, depth })))
    }

    fn sum(sum: RootSum) -> Option<Self> {
        let (degree, measure) = (sum.degree(), sum.measure());
        Self::make(Expression::Sum(sum), degree, measure, 0)
    }

    #[allow(clippy::needless_pass_by_value, reason = "callers have no more use for it")]
    pub(crate) fn rational(number: RBig) -> Option<Self> {
        Self::sum(RootSum::rational(&number))
    }

    /// The number, if it is obviously rational.
    pub(crate) fn as_rational(&self) -> Option<RBig> {
        if let Expression::Sum(sum) = &self.0.kind { sum.as_rational() } else { None }
    }

    /// The only root of the polynomial between `low` and `high`; `None` if there is not exactly one.
    pub(crate) fn root(polynomial: Polynomial, low: RBig, high: RBig) -> Option<Self> {
        if low > high || polynomial.degree() > HIGHEST_DEGREE || size(&low) + size(&high) > LONGEST {
            return None;
        }
        let polynomial = polynomial.square_free();
        if low == high {
            return (polynomial.at(&low) == RBig::ZERO).then(|| Self::rational(low))?;
        }
        let inside = polynomial.roots_between(&low, &high) - usize::from(polynomial.at(&high) == RBig::ZERO);
        if inside != 1 {
            return None;
        }
        Self::sum(RootSum::root(Rc::new(RealRoot { polynomial, low, high })))
    }

    /// The `nth` smallest real root of the polynomial, from 1. `None` if there are fewer.
    pub(crate) fn nth_root(polynomial: Polynomial, nth: usize) -> Option<Self> {
        if polynomial.degree() > HIGHEST_DEGREE {
            return None;
        }
        let polynomial = polynomial.square_free();
        let bound = polynomial.bound();
        let (mut low, mut high) = (-bound.clone(), bound);
        let below = polynomial.roots_between(&low, &high);
        if nth == 0 || nth > below {
            return None;
        }
        // Bisect until only this root is left in the interval.
        let mut before = 0;
        while polynomial.roots_between(&low, &high) > 1 || polynomial.at(&high) == RBig::ZERO {
            let middle = (low.clone() + &high) / RBig::from(2);
            let left = polynomial.roots_between(&low, &middle);
            if polynomial.at(&middle) == RBig::ZERO && before + left == nth {
                return Self::rational(middle);
            }
            if before + left >= nth {
                high = middle;
            } else {
                before += left;
                low = middle;
            }
        }
        Self::root(polynomial, low, high)
    }

    fn depth(&self, other: &Self) -> u32 {
        1 + self.0.depth.max(other.0.depth)
    }

    pub(crate) fn add(&self, other: &Self) -> Option<Self> {
        if let (Expression::Sum(one), Expression::Sum(other)) = (&self.0.kind, &other.0.kind) {
            return Self::sum(one.add(other)?);
        }
        let (d, e) = (self.0.degree, other.0.degree);
        let measure = d * e + e * self.0.measure + d * other.0.measure;
        Self::make(Expression::Add(self.clone(), other.clone()), d * e, measure, self.depth(other))
    }

    pub(crate) fn multiply(&self, other: &Self) -> Option<Self> {
        if let (Expression::Sum(one), Expression::Sum(other)) = (&self.0.kind, &other.0.kind) {
            return Self::sum(one.multiply(other)?);
        }
        let (d, e) = (self.0.degree, other.0.degree);
        let measure = e * self.0.measure + d * other.0.measure;
        Self::make(Expression::Multiply(self.clone(), other.clone()), d * e, measure, self.depth(other))
    }

    pub(crate) fn negate(&self) -> Option<Self> {
        self.multiply(&Self::rational(RBig::from(-1))?)
    }

    /// The inverse. The number must not be zero.
    pub(crate) fn invert(&self) -> Option<Self> {
        Self::make(Expression::Invert(self.clone()), self.0.degree, self.0.measure, 1 + self.0.depth)
    }

    /// Compares the number with zero. `None` if that takes too many bits.
    pub(crate) fn sign(&self) -> Option<Ordering> {
        // The absolute value of a nonzero number is at least two to the power of minus this.
        let least = self.0.measure.ceil() as usize + 1;
        let mut bits = 32;
        loop {
            if let Some(Interval { low, high }) = self.interval(bits) {
                if low > RBig::ZERO {
                    return Some(Ordering::Greater);
                }
                if high < RBig::ZERO {
                    return Some(Ordering::Less);
                }
                let smallest = RBig::from_parts(IBig::ONE, UBig::ONE << least);
                if high < smallest && -low < smallest {
                    return Some(Ordering::Equal);
                }
            }
            bits *= 2;
            if bits as f64 > 8.0 * MOST_BITS {
                return None;
            }
        }
    }

    pub(crate) fn compare(&self, other: &Self) -> Option<Ordering> {
        if self == other {
            return Some(Ordering::Equal);
        }
        self.add(&other.negate()?)?.sign()
    }

    /// The largest integer that is not above the number. `None` if that takes too many bits.
    pub(crate) fn floor(&self) -> Option<IBig> {
        // Narrow enough that only two integers are possible.
        let is_narrow = |found: &Interval| found.high.clone() - &found.low < RBig::ONE;
        let Interval { low, .. } = (5..15).find_map(|power| self.interval(1 << power).filter(is_narrow))?;
        let mut floor: IBig = low.floor();
        loop {
            let next = Self::rational(RBig::from(floor.clone() + IBig::ONE))?;
            match self.compare(&next)? {
                Ordering::Less => return Some(floor),
                Ordering::Equal | Ordering::Greater => floor += IBig::ONE,
            }
        }
    }

    /// An interval around the number, computed with this many bits. `None` if these are too few to tell a divisor from
    /// zero.
    fn interval(&self, bits: usize) -> Option<Interval> {
        // The depth of expressions is bounded, so recursion is safe.
        let found = match &self.0.kind {
            Expression::Sum(sum) => {
                let root = |root: &Rc<RealRoot>| narrowed(&root.polynomial, &root.low, &root.high, bits);
                let roots: Vec<Interval> = sum.roots.iter().map(root).collect();
                let mut all = Interval::at(RBig::ZERO);
                for (powers, factor) in &sum.terms {
                    let mut term = Interval::at(factor.clone());
                    for (root, power) in roots.iter().zip(powers) {
                        for _ in 0..*power {
                            term = term.times(root)?.rounded(2 * bits);
                        }
                    }
                    all = Interval { low: all.low + term.low, high: all.high + term.high };
                }
                all
            }
            Expression::Add(one, other) => {
                let (a, b) = (one.interval(bits)?, other.interval(bits)?);
                Interval { low: a.low + b.low, high: a.high + b.high }
            }
            Expression::Multiply(one, other) => one.interval(bits)?.times(&other.interval(bits)?)?,
            Expression::Invert(of) => {
                let Interval { low, high } = of.interval(bits)?;
                if low <= RBig::ZERO && high >= RBig::ZERO {
                    return None;
                }
                Interval { low: RBig::ONE / high, high: RBig::ONE / low }
            }
        };
        Some(found.rounded(2 * bits))
    }
}

impl Interval {
    pub(crate) fn at(number: RBig) -> Self {
        Self { low: number.clone(), high: number }
    }

    fn times(&self, other: &Self) -> Option<Self> {
        let [low, high] = [&other.low, &other.high];
        let products = [&self.low * low, &self.low * high, &self.high * low, &self.high * high];
        let low = products.iter().min()?.clone();
        Some(Self { low, high: products.into_iter().max()? })
    }

    /// Rounds the ends outwards to this many bits after the point.
    fn rounded(self, bits: usize) -> Self {
        let scale = UBig::ONE << bits;
        if self.low.denominator() <= &scale && self.high.denominator() <= &scale {
            return self;
        }
        let factor = RBig::from(scale.clone());
        let low: IBig = (self.low * &factor).floor();
        let high: IBig = (self.high * &factor).ceil();
        Self { low: RBig::from_parts(low, scale.clone()), high: RBig::from_parts(high, scale) }
    }
}

impl fmt::Display for Algebraic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.interval(40) {
            Some(Interval { low, .. }) => write!(f, "about {:.6}", low.to_f64_fast()),
            None => f.write_str("an algebraic number"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rational(number: i64) -> Algebraic {
        Algebraic::rational(RBig::from(number)).unwrap()
    }

    fn polynomial(coefficients: &[i64]) -> Polynomial {
        Polynomial::new(&coefficients.iter().map(|c| RBig::from(*c)).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn roots_are_distinguished_and_compared_exactly() {
        let square = polynomial(&[-2, 0, 1]);
        let minus = Algebraic::nth_root(square.clone(), 1).unwrap();
        let plus = Algebraic::nth_root(square.clone(), 2).unwrap();
        assert!(Algebraic::nth_root(square.clone(), 3).is_none());
        assert_eq!(minus.sign(), Some(Ordering::Less));
        assert_eq!(plus.sign(), Some(Ordering::Greater));
        assert_eq!(plus.multiply(&plus).unwrap().compare(&rational(2)), Some(Ordering::Equal));
        assert_eq!(plus.add(&minus).unwrap().sign(), Some(Ordering::Equal));
        assert_eq!(plus.floor(), Some(IBig::ONE));
        assert_eq!(minus.floor(), Some(IBig::from(-2)));
        assert_eq!(plus.multiply(&plus).unwrap().floor(), Some(IBig::from(2)));
        let inverse = plus.invert().unwrap();
        assert_eq!(inverse.add(&inverse).unwrap().compare(&plus), Some(Ordering::Equal));
        let cube = Algebraic::nth_root(polynomial(&[-3, 0, 0, 1]), 1).unwrap();
        let sum = cube.add(&plus).unwrap();
        let difference = sum.add(&plus.negate().unwrap()).unwrap();
        assert_eq!(difference.compare(&cube), Some(Ordering::Equal));
        assert_eq!(sum.compare(&rational(3)), Some(Ordering::Less));
    }

    #[test]
    fn double_and_rational_roots_are_found() {
        // (x - 1)^2 (x + 3)
        let double = polynomial(&[3, -5, 1, 1]);
        assert_eq!(Algebraic::nth_root(double.clone(), 2).unwrap().compare(&rational(1)), Some(Ordering::Equal));
        assert_eq!(Algebraic::nth_root(double, 1).unwrap().compare(&rational(-3)), Some(Ordering::Equal));
        let inside = Algebraic::root(polynomial(&[-2, 0, 1]), RBig::ONE, RBig::from(2)).unwrap();
        assert_eq!(inside.multiply(&inside).unwrap().compare(&rational(2)), Some(Ordering::Equal));
        assert!(Algebraic::root(polynomial(&[-2, 0, 1]), RBig::from(-2), RBig::from(2)).is_none());
    }
}
