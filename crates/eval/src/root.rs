//! Parses the notations that solvers use for roots of polynomials.

use crate::algebraic::{Algebraic, Polynomial};
use crate::literal::decimal;
use crate::value::{Datum, Value, Values};
use agon_smtlib::{Lexer, Token};
use dashu_ratio::RBig;

/// A root of a polynomial with rational coefficients.
#[derive(Clone, Debug, PartialEq)]
pub struct Root {
    /// The coefficients, constant term first.
    coefficients: Vec<RBig>,
    which: Which,
}

/// Which of the roots is meant.
#[derive(Clone, Debug, PartialEq)]
enum Which {
    /// By its position among the real roots; the smallest is number 1.
    Nth(usize),
    /// The only one in an interval.
    Between(RBig, RBig),
}

impl Root {
    /// The value of the root.
    pub(crate) fn intern(&self, values: &mut Values) -> Value {
        let found = Polynomial::new(&self.coefficients).and_then(|polynomial| match &self.which {
            Which::Nth(nth) => Algebraic::nth_root(polynomial, *nth),
            Which::Between(low, high) => Algebraic::root(polynomial, low.clone(), high.clone()),
        });
        match found {
            Some(root) => values.intern(Datum::Algebraic(Box::new(root))),
            None => values.undecided("a root that does not exist, or is not unique in its interval"),
        }
    }

    /// Parses `(root-obj (+ (^ x 2) (- 2)) 1)`, `(root-of-with-ordering (coeffs c…) n)`,
    /// `(root-of-with-enclosure (coeffs c…) (low high))` and variants, without the outer parentheses.
    pub(crate) fn read(text: &[u8]) -> Option<Self> {
        let tree = Tree::read(text)?;
        let [Tree::Word(name), polynomial, rest @ ..] = &tree[..] else { return None };
        let coefficients = match polynomial {
            _ if name == "root-obj" => polynomial.polynomial()?,
            Tree::List(items) => match &items[..] {
                [Tree::Word(head), coefficients @ ..] if head == "coeffs" => {
                    coefficients.iter().map(Tree::number).collect::<Option<_>>()?
                }
                _ => return None,
            },
            Tree::Word(_) => return None,
        };
        let which = match rest {
            [Tree::Word(nth)] => Which::Nth(nth.parse().ok()?),
            [Tree::List(ends)] if ends.len() == 2 => Which::Between(ends[0].number()?, ends[1].number()?),
            [low, high] => Which::Between(low.number()?, high.number()?),
            _ => return None,
        };
        Some(Self { coefficients, which })
    }

    /// Parses `<1*x^2 + (-2*x^0), (1, 2)>`, given the text between the angle brackets.
    pub(crate) fn read_angles(text: &[u8]) -> Option<Self> {
        let text: String = std::str::from_utf8(text).ok()?.chars().filter(|c| !c.is_whitespace()).collect();
        let (polynomial, interval) = text.split_once(",(")?;
        let (low, high) = interval.strip_suffix(')')?.split_once(',')?;
        let mut coefficients = vec![];
        for part in polynomial.split('+') {
            let part = part.trim_matches(['(', ')']);
            let (factor, power) = match part.split_once("*x") {
                Some((factor, power)) => (factor, power),
                None if part.contains('x') => (part.split('x').next()?.trim_end_matches('*'), part.split_once('x')?.1),
                None => (part, "^0"),
            };
            let power: usize = if power.is_empty() { 1 } else { power.strip_prefix('^')?.parse().ok()? };
            let factor = match factor {
                "" => RBig::ONE,
                "-" => RBig::from(-1),
                number => plain_number(number)?,
            };
            add_at(&mut coefficients, power, factor)?;
        }
        Some(Self { coefficients, which: Which::Between(plain_number(low)?, plain_number(high)?) })
    }
}

/// Parses a number such as `-3/4` or `1.5`.
fn plain_number(text: &str) -> Option<RBig> {
    let text = text.trim_matches(['(', ')']);
    let (sign, text) = text.strip_prefix('-').map_or((1, text), |rest| (-1, rest));
    let number = match text.split_once('/') {
        Some((top, bottom)) => plain_number(top)? / Some(plain_number(bottom)?).filter(|b| *b != RBig::ZERO)?,
        None => decimal(text)?,
    };
    Some(number * RBig::from(sign))
}

/// The highest power that is accepted.
const HIGHEST: usize = 1000;

/// Adds to the coefficient of a power.
fn add_at(coefficients: &mut Vec<RBig>, power: usize, by: RBig) -> Option<()> {
    if power > HIGHEST {
        return None;
    }
    if coefficients.len() <= power {
        coefficients.resize(power + 1, RBig::ZERO);
    }
    coefficients[power] += by;
    Some(())
}

/// A small S-expression.
#[derive(Debug)]
enum Tree {
    Word(String),
    List(Vec<Tree>),
}

/// The maximum depth of an expression, far above that of any root.
const DEEPEST: usize = 100;

impl Tree {
    fn read(text: &[u8]) -> Option<Vec<Self>> {
        let mut lexer = Lexer::new(text);
        let mut open = vec![vec![]];
        while let Some((place, token)) = lexer.next_token().ok()? {
            match token {
                Token::Open if open.len() > DEEPEST => return None,
                Token::Open => open.push(vec![]),
                Token::Close => {
                    let list = open.pop()?;
                    open.last_mut()?.push(Self::List(list));
                }
                _ => open.last_mut()?.push(Self::Word(String::from_utf8_lossy(&text[place]).into_owned())),
            }
        }
        (open.len() == 1).then(|| open.remove(0))
    }

    fn number(&self) -> Option<RBig> {
        match self {
            Self::Word(word) => plain_number(word),
            Self::List(items) => match &items[..] {
                [Self::Word(minus), of] if minus == "-" => Some(-of.number()?),
                [Self::Word(over), top, bottom] if over == "/" => {
                    let bottom = bottom.number()?;
                    (bottom != RBig::ZERO).then(|| top.number().map(|top| top / bottom))?
                }
                _ => None,
            },
        }
    }

    /// A polynomial in `x`, as its coefficients.
    fn polynomial(&self) -> Option<Vec<RBig>> {
        match self {
            Self::Word(word) if word == "x" => Some(vec![RBig::ZERO, RBig::ONE]),
            Self::Word(_) => Some(vec![self.number()?]),
            Self::List(items) => {
                let (head, parts) = items.split_first()?;
                let Self::Word(head) = head else { return None };
                let mut parts = parts.iter().map(Self::polynomial);
                match head.as_str() {
                    "+" => parts.try_fold(vec![], |sum, part| combined(sum, &part?, &RBig::ONE)),
                    "-" if items.len() == 2 => combined(vec![], &parts.next()??, &RBig::from(-1)),
                    "-" => {
                        let first = parts.next()??;
                        parts.try_fold(first, |sum, part| combined(sum, &part?, &RBig::from(-1)))
                    }
                    "*" => parts.try_fold(vec![RBig::ONE], |product, part| multiplied(&product, &part?)),
                    "^" => {
                        let base = parts.next()??;
                        let Self::Word(power) = items.get(2)? else { return None };
                        let power: usize = power.parse().ok().filter(|power| *power <= HIGHEST)?;
                        (0..power).try_fold(vec![RBig::ONE], |product, _| multiplied(&product, &base))
                    }
                    "/" => Some(vec![self.number()?]),
                    _ => None,
                }
            }
        }
    }
}

/// Adds a multiple of a polynomial to another.
fn combined(mut sum: Vec<RBig>, part: &[RBig], times: &RBig) -> Option<Vec<RBig>> {
    for (power, c) in part.iter().enumerate() {
        add_at(&mut sum, power, c * times)?;
    }
    Some(sum)
}

fn multiplied(one: &[RBig], other: &[RBig]) -> Option<Vec<RBig>> {
    let mut product = vec![];
    for (power, c) in one.iter().enumerate() {
        for (more, d) in other.iter().enumerate() {
            add_at(&mut product, power + more, c * d)?;
        }
    }
    Some(product)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rationals(numbers: &[i64]) -> Vec<RBig> {
        numbers.iter().map(|number| RBig::from(*number)).collect()
    }

    #[test]
    fn all_notations_for_roots_are_parsed() {
        let z3 = Root::read(b"root-obj (+ (* 3 (^ x 2)) (* (- 5) x) (- 7)) 2").unwrap();
        assert_eq!(z3, Root { coefficients: rationals(&[-7, -5, 3]), which: Which::Nth(2) });
        let cvc5 = Root::read_angles(b"1*x^2 + (-2*x^0), (1, 3/2)").unwrap();
        assert_eq!(cvc5.coefficients, rationals(&[-2, 0, 1]));
        assert_eq!(cvc5.which, Which::Between(RBig::ONE, RBig::from_parts(3.into(), 2_u8.into())));
        let enclosed = Root::read(b"root-of-with-enclosure (coeffs (- 2) 0 1) (1 (/ 3 2))").unwrap();
        assert_eq!(enclosed, cvc5);
        assert_eq!(Root::read(b"root-of-with-ordering (coeffs (- 2) 0 1) 1").unwrap().which, Which::Nth(1));
        assert_eq!(Root::read(b"root-obj (+ (^ y 2)) 1"), None);
        assert_eq!(Root::read(b"root-obj (^ x 99999999999) 1"), None);
        assert_eq!(Root::read_angles(b"1/0*x, (1, 2)"), None);
    }
}
