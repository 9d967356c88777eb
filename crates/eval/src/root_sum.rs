//! Sums of products of roots with rational factors: numbers computed from roots by addition and multiplication.
//!
//! Powers of a root that reach the degree of its polynomial are reduced, so that numbers do not grow if they are
//! computed from the same few roots again and again.

use crate::algebraic::Polynomial;
use dashu_base::{BitTest, Gcd};
use dashu_int::UBig;
use dashu_ratio::RBig;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A real number: the only root of a polynomial between two rational numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RealRoot {
    pub(crate) polynomial: Polynomial,
    pub(crate) low: RBig,
    pub(crate) high: RBig,
}

/// A sum of products. Each term is a vector of exponents, one for each root, with a nonzero factor.
#[derive(Clone, Debug)]
pub(crate) struct RootSum {
    pub(crate) roots: Vec<Rc<RealRoot>>,
    pub(crate) terms: BTreeMap<Vec<usize>, RBig>,
}

/// The maximum number of terms.
const MOST_TERMS: usize = 256;

/// The maximum size of a factor, in bits.
const LONGEST: usize = 1 << 13;

impl RootSum {
    pub(crate) fn rational(number: &RBig) -> Self {
        let terms = if *number == RBig::ZERO { vec![] } else { vec![(vec![], number.clone())] };
        Self { roots: vec![], terms: terms.into_iter().collect() }
    }

    pub(crate) fn root(root: Rc<RealRoot>) -> Self {
        let terms = BTreeMap::from([(vec![1], RBig::ONE)]);
        Self { roots: vec![root], terms }
    }

    /// The number, if no roots are left in it.
    pub(crate) fn as_rational(&self) -> Option<RBig> {
        match self.terms.first_key_value() {
            None => Some(RBig::ZERO),
            Some((powers, factor)) if self.terms.len() == 1 && powers.iter().all(|power| *power == 0) => {
                Some(factor.clone())
            }
            Some(_) => None,
        }
    }

    /// The roots of both sums without duplicates, and the index in this list of each root of the second sum.
    fn together(&self, other: &Self) -> (Vec<Rc<RealRoot>>, Vec<usize>) {
        let mut roots = self.roots.clone();
        let mut places = vec![];
        for root in &other.roots {
            let known = roots.iter().position(|own| own == root);
            places.push(known.unwrap_or_else(|| {
                roots.push(Rc::clone(root));
                roots.len() - 1
            }));
        }
        (roots, places)
    }

    /// Adds a term.
    fn include(&mut self, powers: Vec<usize>, factor: RBig) {
        let sum = self.terms.remove(&powers).unwrap_or(RBig::ZERO) + factor;
        if sum != RBig::ZERO {
            self.terms.insert(powers, sum);
        }
    }

    pub(crate) fn add(&self, other: &Self) -> Option<Self> {
        let (roots, places) = self.together(other);
        let mut sum = Self { roots, terms: BTreeMap::new() };
        let count = sum.roots.len();
        for (powers, factor) in &self.terms {
            let mut powers = powers.clone();
            powers.resize(count, 0);
            sum.include(powers, factor.clone());
        }
        for (powers, factor) in &other.terms {
            let mut moved = vec![0; count];
            places.iter().zip(powers).for_each(|(place, power)| moved[*place] = *power);
            sum.include(moved, factor.clone());
        }
        sum.finished()
    }

    pub(crate) fn multiply(&self, other: &Self) -> Option<Self> {
        if self.terms.len() * other.terms.len() > MOST_TERMS * MOST_TERMS / 16 {
            return None;
        }
        let (roots, places) = self.together(other);
        let mut product = Self { roots, terms: BTreeMap::new() };
        let count = product.roots.len();
        for (powers, factor) in &self.terms {
            for (more, by) in &other.terms {
                let mut powers = powers.clone();
                powers.resize(count, 0);
                places.iter().zip(more).for_each(|(place, power)| powers[*place] += power);
                product.include(powers, factor * by);
            }
        }
        for at in 0..count {
            product.lower(at)?;
        }
        product.finished()
    }

    /// Replaces powers of a root that reach the degree of its polynomial, by solving the polynomial for its highest
    /// power. `None` if the sum gets too large.
    fn lower(&mut self, at: usize) -> Option<()> {
        let root = Rc::clone(&self.roots[at]);
        let (highest, others) = root.polynomial.coefficients().split_last()?;
        let degree = others.len();
        while let Some(powers) = self.terms.keys().find(|powers| powers[at] >= degree).cloned() {
            let factor = self.terms.remove(&powers)?;
            let factor = -factor / RBig::from(highest.clone());
            for (power, coefficient) in others.iter().enumerate() {
                let mut lowered = powers.clone();
                lowered[at] = powers[at] - degree + power;
                self.include(lowered, &factor * RBig::from(coefficient.clone()));
            }
            if !self.is_small() {
                return None;
            }
        }
        Some(())
    }

    /// Removes roots that canceled out. `None` if the sum is too large.
    fn finished(mut self) -> Option<Self> {
        for at in (0..self.roots.len()).rev() {
            if self.terms.keys().all(|powers| powers[at] == 0) {
                self.roots.remove(at);
                let terms = std::mem::take(&mut self.terms);
                self.terms = terms
                    .into_iter()
                    .map(|(mut powers, factor)| {
                        powers.remove(at);
                        (powers, factor)
                    })
                    .collect();
            }
        }
        self.is_small().then_some(self)
    }

    fn is_small(&self) -> bool {
        let size = |number: &RBig| number.numerator().bit_len() + number.denominator().bit_len();
        self.terms.len() <= MOST_TERMS && self.terms.values().all(|factor| size(factor) <= LONGEST)
    }

    /// An upper bound on the degree of the number.
    pub(crate) fn degree(&self) -> f64 {
        self.roots.iter().map(|root| root.polynomial.degree() as f64).product()
    }

    /// An upper bound, in bits, on the number's Mahler measure. A nonzero number is at least two to the power of minus
    /// this bound, in absolute value.
    ///
    /// Replacing each root by all roots of its polynomial yields `degree` numbers, the conjugates among them. None is
    /// larger than the sum of the terms at the bounds of the roots (`largest`). Scaled by `whole`, which makes roots
    /// and factors integral, they are algebraic integers, so the product of the nonzero ones is at least one.
    pub(crate) fn measure(&self) -> f64 {
        let log = |number: &RBig| number.numerator().bit_len() as f64 - number.denominator().bit_len() as f64 + 1.0;
        let mut common = UBig::ONE;
        let mut powers = vec![0; self.roots.len()];
        let mut largest: f64 = 0.0;
        for (term, factor) in &self.terms {
            let shared = (&common).gcd(factor.denominator());
            common = common * factor.denominator() / shared;
            let mut bits = log(factor);
            for ((highest, power), root) in powers.iter_mut().zip(term).zip(&self.roots) {
                *highest = (*power).max(*highest);
                bits += *power as f64 * log(&root.polynomial.bound()).max(0.0);
            }
            largest = largest.max(bits);
        }
        largest += (self.terms.len() as f64).log2().max(0.0);
        let mut whole = common.bit_len() as f64;
        for (power, root) in powers.iter().zip(&self.roots) {
            let leading = root.polynomial.coefficients().last().map_or(0, BitTest::bit_len);
            whole += *power as f64 * leading as f64;
        }
        self.degree() * (whole + largest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(coefficients: &[i64], low: i64, high: i64) -> RootSum {
        let coefficients: Vec<RBig> = coefficients.iter().map(|c| RBig::from(*c)).collect();
        let polynomial = Polynomial::new(&coefficients).unwrap();
        RootSum::root(Rc::new(RealRoot { polynomial, low: RBig::from(low), high: RBig::from(high) }))
    }

    #[test]
    fn powers_are_reduced_and_canceled_roots_are_removed() {
        let two = root(&[-2, 0, 1], 1, 2);
        let square = two.multiply(&two).unwrap();
        assert_eq!(square.as_rational(), Some(RBig::from(2)));
        assert_eq!((square.degree(), square.roots.len()), (1.0, 0));
        let three = root(&[-3, 0, 1], 1, 2);
        // (√2 + √3)² = 5 + 2 √2 √3, of degree four at most.
        let sum = two.add(&three).unwrap();
        let square = sum.multiply(&sum).unwrap();
        assert_eq!((square.terms.len(), square.degree()), (2, 4.0));
        assert_eq!(square.terms[&vec![0, 0]], RBig::from(5));
        assert_eq!(square.terms[&vec![1, 1]], RBig::from(2));
        let minus = RootSum::rational(&RBig::from(-1));
        let nothing = sum.add(&sum.multiply(&minus).unwrap()).unwrap();
        assert_eq!(nothing.as_rational(), Some(RBig::ZERO));
        assert!(square.measure() > 3.0 && square.measure() < 100.0);
    }
}
