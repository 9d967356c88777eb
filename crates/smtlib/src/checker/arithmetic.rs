//! Terms as polynomials, for logics that are linear or restricted to differences.

use super::Checker;
use super::cursor::Cursor;
use crate::logic::Arithmetic;
use crate::sort::Sort;
use crate::term::{Head, Shape, Term};
use crate::theory::{Calculation, Signatures};

impl Checker {
    /// The shape of a theory term as a polynomial. Reports arithmetic that the logic does not allow.
    pub(super) fn calculate(
        &mut self,
        cursor: &Cursor<'_>,
        row: u32,
        given: &[Sort],
        base: usize,
        place: usize,
    ) -> Shape {
        let values = &self.work.values[base..];
        let shapes = || values.iter().map(|value| self.terms.shape(*value));
        match Signatures::get().row(row).calculation {
            Calculation::Sum => shapes().fold(Shape::CONSTANT, Shape::plus),
            Calculation::Difference => {
                let mut shapes = shapes();
                let first = shapes.next().unwrap_or(Shape::CONSTANT);
                if values.len() == 1 {
                    first.negated()
                } else {
                    shapes.fold(first, |sum, next| sum.plus(next.negated()))
                }
            }
            Calculation::Product => {
                let variables = shapes().filter(|shape| *shape != Shape::CONSTANT).count();
                match variables {
                    0 => Shape::CONSTANT,
                    1 => {
                        self.use_linear(cursor.text, place);
                        Shape::OTHER
                    }
                    _ => {
                        self.use_nonlinear(cursor.text, place, "this multiplies variables");
                        Shape::OTHER
                    }
                }
            }
            Calculation::Quotient => self.quotient(cursor, base, place),
            Calculation::Conversion => self.terms.shape(values[0]),
            Calculation::Power => {
                self.use_nonlinear(cursor.text, place, "this is a power");
                Shape::OTHER
            }
            Calculation::Comparison => {
                if self.used.arithmetic == Arithmetic::Difference
                    && matches!(given.first(), Some(&(Sort::INT | Sort::REAL)))
                {
                    let is_difference = |pair: &[Term]| {
                        self.terms.shape(pair[0]).plus(self.terms.shape(pair[1]).negated()).is_difference()
                    };
                    if !values.windows(2).all(is_difference) {
                        self.use_linear(cursor.text, place);
                    }
                }
                Shape::VARIABLE
            }
            Calculation::Choice => {
                let (then, otherwise) = (self.terms.shape(values[1]), self.terms.shape(values[2]));
                then.or(otherwise)
            }
            Calculation::None => {
                for at in base..self.work.values.len() {
                    self.use_shape(cursor, at);
                }
                Shape::VARIABLE
            }
        }
    }

    fn quotient(&mut self, cursor: &Cursor<'_>, base: usize, place: usize) -> Shape {
        let values = &self.work.values[base..];
        let divisors = &values[1.min(values.len())..];
        let simple = divisors.iter().all(|d| self.terms.shape(*d) == Shape::CONSTANT && !self.is_zero(*d));
        if !simple {
            let what = "this divides by something that is not a constant, or by zero";
            self.use_nonlinear(cursor.text, place, what);
            return Shape::OTHER;
        }
        if self.terms.shape(values[0]) == Shape::CONSTANT {
            return Shape::CONSTANT;
        }
        self.use_linear(cursor.text, place);
        Shape::OTHER
    }

    /// Checks the shape of a number that is an argument outside arithmetic: in a difference logic, it must be a
    /// difference.
    pub(super) fn use_shape(&mut self, cursor: &Cursor<'_>, value: usize) {
        let argument = self.work.values[value];
        if self.used.arithmetic == Arithmetic::Difference
            && matches!(self.terms.sort(argument), Sort::INT | Sort::REAL)
            && !self.terms.shape(argument).is_difference()
        {
            self.use_linear(cursor.text, self.work.places[value] as usize);
        }
    }

    pub(super) fn is_zero(&self, term: Term) -> bool {
        match self.terms.head(term) {
            Head::Literal(_, text) => self.symbols.text(text).iter().all(|digit| matches!(digit, b'0' | b'.')),
            _ => false,
        }
    }
}
