//! Signatures of theory functions: read from the tables, and matched against the sorts of arguments.

use super::tables::TABLES;
use super::{Theories, Theory};
use crate::sort::{Constructor, Sort, Sorts};
use crate::token::{Lexer, Token};
use std::fmt::Write as _;
use std::sync::LazyLock;

/// How a function of two arguments is extended to more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Association {
    None,
    Left,
    Right,
    Chainable,
    Pairwise,
}

#[derive(Clone, Debug)]
enum Number {
    Literal(u64),
    /// A number variable, by its index in [`Match`].
    Variable(u8),
    Sum(Box<Number>, Box<Number>),
    Difference(Box<Number>, Box<Number>),
    Product(Box<Number>, Box<Number>),
}

#[derive(Clone, Debug)]
enum Pattern {
    Exact(Sort),
    /// A sort variable, by its index in [`Match`].
    Variable(u8),
    BitVec(Number),
    Float(Number, Number),
    Built(Constructor, Vec<Pattern>),
}

#[derive(Clone, Copy, Debug)]
enum Relation {
    Less,
    Greater,
    AtLeast,
}

/// One function of a theory, with its rank.
#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) name: &'static str,
    /// The theories that must all be available.
    pub(crate) theories: Theories,
    pub(crate) extension: bool,
    pub(crate) association: Association,
    pub(crate) calculation: Calculation,
    /// Its text in the table, for messages.
    pub(crate) text: String,
    /// The variables of its indices.
    indices: Vec<u8>,
    arguments: Vec<Pattern>,
    result: Pattern,
    conditions: Vec<(Relation, Number, Number)>,
}

/// The bindings of a signature's variables.
#[derive(Clone, Copy, Default)]
struct Match {
    sorts: [Option<Sort>; 3],
    numbers: [Option<u64>; 8],
}

/// The arithmetic operation of a function, in the detail that logics distinguish.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Calculation {
    None,
    Sum,
    Difference,
    Product,
    Quotient,
    Power,
    Comparison,
    Choice,
    /// `to_real`, `to_int` or `abs`, which do not change the shape of the polynomial.
    Conversion,
}

/// The minimum number of arguments of an associative function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LeastArguments {
    /// As many as its signature has.
    Declared,
    /// One is enough, as solvers accept in `(and p)`.
    One,
}

/// Why a signature does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Misfit {
    /// It has a different number of indices.
    IndexCount(usize),
    /// Its indices are out of range.
    Index,
    /// It takes a different number of arguments: this many, or at least this many.
    Count(usize, bool),
    /// The argument at this index has the wrong sort.
    Argument(usize),
    /// The sort of its result has to be stated with `as`.
    Ambiguous,
    /// Its result does not have the stated sort.
    Result,
}

impl Misfit {
    /// How closely the signature fits; higher is closer.
    pub(crate) fn rank(self) -> usize {
        match self {
            Self::IndexCount(_) => 0,
            Self::Count(..) => 1,
            Self::Index => 2,
            Self::Result => 3,
            Self::Argument(at) => 4 + at,
            Self::Ambiguous => usize::MAX,
        }
    }
}

/// All functions of all theories.
#[derive(Debug)]
pub(crate) struct Signatures {
    rows: Vec<Signature>,
    /// The name of each group of overloaded functions, and its rows. The index of a group is its name's symbol.
    groups: Vec<(&'static str, Vec<u32>)>,
}

static SIGNATURES: LazyLock<Signatures> = LazyLock::new(Signatures::read);

impl Signatures {
    pub(crate) fn get() -> &'static Self {
        &SIGNATURES
    }

    pub(crate) fn row(&self, row: u32) -> &Signature {
        &self.rows[row as usize]
    }

    pub(crate) fn rows_of(&self, group: u32) -> &[u32] {
        &self.groups[group as usize].1
    }

    pub(crate) fn len(&self) -> u32 {
        self.rows.len() as u32
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.groups.iter().map(|group| group.0)
    }

    fn read() -> Self {
        let mut all = Self { rows: vec![], groups: vec![] };
        for (theories, table) in TABLES {
            let mut reader = TableReader { lexer: Lexer::new(table.as_bytes()), table };
            while let Some(signature) = reader.signature(Theories::of(theories)) {
                let row = all.rows.len() as u32;
                match all.groups.iter_mut().find(|group| group.0 == signature.name) {
                    Some(group) => group.1.push(row),
                    None => all.groups.push((signature.name, vec![row])),
                }
                all.rows.push(signature);
            }
        }
        all
    }
}

/// Parses the tables. It panics on a malformed table, which every test would find.
struct TableReader {
    lexer: Lexer<'static>,
    table: &'static str,
}

impl TableReader {
    fn token(&mut self) -> Option<(std::ops::Range<usize>, Token<'static>)> {
        self.lexer.next_token().expect("tables have only tokens")
    }

    fn word(token: Token<'static>) -> &'static str {
        token.text().and_then(|text| std::str::from_utf8(text).ok()).expect("a word in a table")
    }

    fn signature(&mut self, theories: Theories) -> Option<Signature> {
        let (open, _) = self.token()?;
        let (_, first) = self.token()?;
        let mut indices = vec![];
        let name = match first {
            Token::Open => {
                self.token()?;
                let name = Self::word(self.token()?.1);
                loop {
                    match self.token()?.1 {
                        Token::Close => break,
                        index => indices.push(Self::word(index)),
                    }
                }
                name
            }
            word => Self::word(word),
        };
        let sort_index = |index: &str| b"XYZ".contains(&index.as_bytes()[0]);
        let indices = indices.into_iter().map(|index| if sort_index(index) { u8::MAX } else { number_variable(index) });
        let indices = indices.collect();
        let mut ranks = vec![];
        let mut association = Association::None;
        let mut extension = false;
        let mut conditions = vec![];
        let mut written = open.start..open.end;
        loop {
            let (place, token) = self.token()?;
            match token {
                Token::Close => break,
                Token::Keyword(word) => match word {
                    b":left-assoc" => association = Association::Left,
                    b":right-assoc" => association = Association::Right,
                    b":chainable" => association = Association::Chainable,
                    b":pairwise" => association = Association::Pairwise,
                    b":extension" => extension = true,
                    _ => {}
                },
                Token::Open if !conditions.is_empty() || self.is_condition(&place) => {
                    conditions.push(self.condition()?);
                }
                token => {
                    ranks.push(self.pattern(token)?);
                    written.end = self.lexer.offset();
                }
            }
        }
        let text = format!("{})", &self.table[written]);
        let result = ranks.pop()?;
        let calculation = match name {
            "+" => Calculation::Sum,
            "-" => Calculation::Difference,
            "*" => Calculation::Product,
            "/" | "div" | "mod" | "rem" | "/_total" | "div_total" | "mod_total" => Calculation::Quotient,
            "^" | "int.pow2" => Calculation::Power,
            "=" | "distinct" | "<" | "<=" | ">" | ">=" => Calculation::Comparison,
            "ite" => Calculation::Choice,
            "to_real" | "to_int" | "abs" => Calculation::Conversion,
            _ => Calculation::None,
        };
        let arguments = ranks;
        Some(Signature {
            name,
            theories,
            extension,
            association,
            calculation,
            text,
            indices,
            arguments,
            result,
            conditions,
        })
    }

    fn is_condition(&self, open: &std::ops::Range<usize>) -> bool {
        matches!(self.table.as_bytes()[open.end], b'<' | b'>')
    }

    fn condition(&mut self) -> Option<(Relation, Number, Number)> {
        let relation = match Self::word(self.token()?.1) {
            "<" => Relation::Less,
            ">" => Relation::Greater,
            _ => Relation::AtLeast,
        };
        let (left, right) = (self.number()?, self.number()?);
        self.token()?;
        Some((relation, left, right))
    }

    fn pattern(&mut self, token: Token<'static>) -> Option<Pattern> {
        Some(match token {
            Token::Open => {
                let head = Self::word(self.token()?.1);
                if head == "_" {
                    let name = Self::word(self.token()?.1);
                    let first = self.number()?;
                    let pattern =
                        if name == "BitVec" { Pattern::BitVec(first) } else { Pattern::Float(first, self.number()?) };
                    self.token()?;
                    return Some(pattern);
                }
                let constructor = match head {
                    "Array" => Constructor::Array,
                    "Seq" => Constructor::Seq,
                    _ => Constructor::Set,
                };
                let mut inner = vec![];
                loop {
                    match self.token()?.1 {
                        Token::Close => break,
                        token => inner.push(self.pattern(token)?),
                    }
                }
                Pattern::Built(constructor, inner)
            }
            word => match Self::word(word) {
                "X" => Pattern::Variable(0),
                "Y" => Pattern::Variable(1),
                "Z" => Pattern::Variable(2),
                "Bool" => Pattern::Exact(Sort::BOOL),
                "Int" => Pattern::Exact(Sort::INT),
                "Real" => Pattern::Exact(Sort::REAL),
                "String" => Pattern::Exact(Sort::STRING),
                "RegLan" => Pattern::Exact(Sort::REGLAN),
                _ => Pattern::Exact(Sort::ROUNDING_MODE),
            },
        })
    }

    fn number(&mut self) -> Option<Number> {
        Some(match self.token()?.1 {
            Token::Open => {
                let operator = Self::word(self.token()?.1);
                let (left, right) = (Box::new(self.number()?), Box::new(self.number()?));
                self.token()?;
                match operator {
                    "+" => Number::Sum(left, right),
                    "-" => Number::Difference(left, right),
                    _ => Number::Product(left, right),
                }
            }
            Token::Numeral(digits) => Number::Literal(std::str::from_utf8(digits).ok()?.parse().ok()?),
            word => Number::Variable(number_variable(Self::word(word))),
        })
    }
}

fn number_variable(name: &str) -> u8 {
    "ijmnesk".find(name).expect("a number variable of the tables") as u8
}

impl Number {
    fn value(&self, numbers: &[Option<u64>; 8]) -> Option<u64> {
        match self {
            Self::Literal(value) => Some(*value),
            Self::Variable(at) => numbers[usize::from(*at)],
            Self::Sum(left, right) => left.value(numbers)?.checked_add(right.value(numbers)?),
            Self::Difference(left, right) => left.value(numbers)?.checked_sub(right.value(numbers)?),
            Self::Product(left, right) => left.value(numbers)?.checked_mul(right.value(numbers)?),
        }
    }

    fn fits(&self, value: u64, numbers: &mut [Option<u64>; 8]) -> bool {
        match self {
            Self::Variable(at) => *numbers[usize::from(*at)].get_or_insert(value) == value,
            other => other.value(numbers) == Some(value),
        }
    }
}

impl Pattern {
    /// Whether a sort matches the pattern. Recursion is safe here, since patterns have at most two levels.
    fn fits(&self, sort: Sort, sorts: &Sorts, bound: &mut Match) -> bool {
        if sort == Sort::UNKNOWN {
            return true;
        }
        match self {
            Self::Exact(exact) => *exact == sort,
            Self::Variable(at) => {
                let known = bound.sorts[usize::from(*at)].get_or_insert(sort);
                *known == sort || *known == Sort::UNKNOWN
            }
            Self::BitVec(width) => match sorts.constructor(sort) {
                Constructor::BitVec(value) => width.fits(value, &mut bound.numbers),
                _ => false,
            },
            Self::Float(exponent, significand) => match sorts.constructor(sort) {
                Constructor::Float(e, s) => {
                    exponent.fits(e, &mut bound.numbers) && significand.fits(s, &mut bound.numbers)
                }
                _ => false,
            },
            Self::Built(constructor, inner) => {
                sorts.constructor(sort) == *constructor
                    && inner.iter().zip(sorts.arguments(sort)).all(|(pattern, sort)| pattern.fits(*sort, sorts, bound))
            }
        }
    }

    fn sort(&self, sorts: &mut Sorts, bound: &Match) -> Result<Sort, Misfit> {
        Ok(match self {
            Self::Exact(sort) => *sort,
            Self::Variable(at) => bound.sorts[usize::from(*at)].ok_or(Misfit::Ambiguous)?,
            Self::BitVec(width) => {
                let Some(width) = width.value(&bound.numbers) else {
                    return bound.unbound_number(width);
                };
                sorts.bit_vector(width)
            }
            Self::Float(exponent, significand) => {
                let (e, s) = (exponent.value(&bound.numbers), significand.value(&bound.numbers));
                let (Some(e), Some(s)) = (e, s) else { return bound.unbound_number(exponent) };
                sorts.make(Constructor::Float(e, s), &[])
            }
            Self::Built(constructor, inner) => {
                let inner: Result<Vec<_>, _> = inner.iter().map(|pattern| pattern.sort(sorts, bound)).collect();
                sorts.make(*constructor, &inner?)
            }
        })
    }
}

impl Match {
    /// The result for a number without a value: an argument with an error did not determine it, or it is too large.
    fn unbound_number(&self, number: &Number) -> Result<Sort, Misfit> {
        fn has_unbound(number: &Number, numbers: &[Option<u64>; 8]) -> bool {
            match number {
                Number::Literal(_) => false,
                Number::Variable(at) => numbers[usize::from(*at)].is_none(),
                Number::Sum(l, r) | Number::Difference(l, r) | Number::Product(l, r) => {
                    has_unbound(l, numbers) || has_unbound(r, numbers)
                }
            }
        }
        if has_unbound(number, &self.numbers) { Ok(Sort::UNKNOWN) } else { Err(Misfit::Index) }
    }
}

impl Signature {
    /// Whether it also accepts integers as reals, if the rules allow that.
    pub(crate) fn mixes(&self) -> bool {
        !matches!(self.calculation, Calculation::None | Calculation::Power | Calculation::Conversion)
    }

    fn indexed(&self, indices: &[u64]) -> Result<Match, Misfit> {
        if indices.len() != self.indices.len() {
            return Err(Misfit::IndexCount(self.indices.len()));
        }
        let mut bound = Match::default();
        for (variable, value) in self.indices.iter().zip(indices) {
            if *variable != u8::MAX {
                bound.numbers[usize::from(*variable)] = Some(*value);
            }
        }
        Ok(bound)
    }

    fn conditions_hold(&self, bound: &Match) -> bool {
        self.conditions.iter().all(|(relation, left, right)| {
            match (left.value(&bound.numbers), right.value(&bound.numbers)) {
                (Some(left), Some(right)) => match relation {
                    Relation::Less => left < right,
                    Relation::Greater => left > right,
                    Relation::AtLeast => left >= right,
                },
                // It depends on an argument that could not be read.
                _ => true,
            }
        })
    }

    /// The sort of its result for these indices and arguments. `said` is the sort that `as` names.
    pub(crate) fn apply(
        &self,
        indices: &[u64],
        given: &[Sort],
        said: Option<Sort>,
        least: LeastArguments,
        sorts: &mut Sorts,
    ) -> Result<Sort, Misfit> {
        let mut bound = self.indexed(indices)?;
        if !self.conditions_hold(&bound) {
            return Err(Misfit::Index);
        }
        // `as` binds the sorts that the arguments do not; a computed width can only be compared.
        let computed = matches!(self.result, Pattern::BitVec(_) | Pattern::Float(..));
        if let Some(said) = said {
            if computed {
                let result = self.apply(indices, given, None, least, sorts)?;
                return if result == said || result == Sort::UNKNOWN { Ok(result) } else { Err(Misfit::Result) };
            }
            if !self.result.fits(said, sorts, &mut bound) {
                return Err(Misfit::Result);
            }
        }
        let arity = self.arguments.len();
        let open = self.association != Association::None;
        if open {
            let least = match least {
                LeastArguments::One => 1,
                LeastArguments::Declared => arity,
            };
            if given.len() < least {
                return Err(Misfit::Count(arity, true));
            }
        } else if given.len() != arity {
            return Err(Misfit::Count(arity, false));
        }
        match self.association {
            Association::None => {
                for (at, (pattern, sort)) in self.arguments.iter().zip(given).enumerate() {
                    if !pattern.fits(*sort, sorts, &mut bound) {
                        return Err(Misfit::Argument(at));
                    }
                }
            }
            Association::Chainable | Association::Pairwise => {
                for (at, sort) in given.iter().enumerate() {
                    if !self.arguments[0].fits(*sort, sorts, &mut bound) {
                        return Err(Misfit::Argument(at));
                    }
                }
            }
            Association::Left | Association::Right => {
                if !self.arguments[0].fits(given[0], sorts, &mut bound) {
                    return Err(Misfit::Argument(0));
                }
                let start = bound;
                let mut so_far = given[0];
                for (at, sort) in given.iter().enumerate().skip(1) {
                    if at > 1 {
                        bound = start;
                        bound.numbers = self.indexed(indices)?.numbers;
                        if !self.arguments[0].fits(so_far, sorts, &mut bound) {
                            return Err(Misfit::Argument(at));
                        }
                    }
                    if !self.arguments[1].fits(*sort, sorts, &mut bound) {
                        return Err(Misfit::Argument(at));
                    }
                    so_far = self.result_sort(given, &bound, sorts)?;
                }
                return Ok(so_far);
            }
        }
        if !self.conditions_hold(&bound) {
            return Err(Misfit::Index);
        }
        self.result_sort(given, &bound, sorts)
    }

    fn result_sort(&self, given: &[Sort], bound: &Match, sorts: &mut Sorts) -> Result<Sort, Misfit> {
        match self.result.sort(sorts, bound) {
            // An argument that could not be read would have determined it.
            Err(Misfit::Ambiguous) if given.contains(&Sort::UNKNOWN) => Ok(Sort::UNKNOWN),
            result => result,
        }
    }

    /// The signature for messages, such as `(bvadd (_ BitVec m) (_ BitVec m) (_ BitVec m))`, with a note if the
    /// function takes more arguments.
    pub(crate) fn shown(&self) -> String {
        let mut shown = self.text.clone();
        if self.association != Association::None {
            let _ = write!(shown, ", and more arguments of the same kind");
        }
        shown
    }

    /// The first of its theories that is not available.
    pub(crate) fn missing(&self, there: Theories) -> Option<Theory> {
        self.theories.without(there).iter().next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(name: &str, indices: &[u64], given: &[Sort], sorts: &mut Sorts) -> Result<Sort, Misfit> {
        let signatures = Signatures::get();
        let group = signatures.groups.iter().find(|group| group.0 == name).unwrap();
        let mut misfit = Misfit::Ambiguous;
        for row in &group.1 {
            match signatures.row(*row).apply(indices, given, None, LeastArguments::Declared, sorts) {
                Ok(sort) => return Ok(sort),
                Err(other) => misfit = other,
            }
        }
        Err(misfit)
    }

    #[test]
    fn signatures_with_number_variables_determine_result_sorts() {
        let mut sorts = Sorts::default();
        let [b1, b3, b8, b11] = [1, 3, 8, 11].map(|width| sorts.bit_vector(width));
        assert_eq!(result("concat", &[], &[b8, b3], &mut sorts), Ok(b11));
        let b22 = sorts.bit_vector(22);
        assert_eq!(result("concat", &[], &[b8, b3, b11], &mut sorts), Ok(b22));
        assert_eq!(result("extract", &[10, 3], &[b11], &mut sorts), Ok(b8));
        assert_eq!(result("extract", &[11, 3], &[b11], &mut sorts), Err(Misfit::Index));
        assert_eq!(result("extract", &[1, 3], &[b11], &mut sorts), Err(Misfit::Index));
        assert_eq!(result("extract", &[1], &[b11], &mut sorts), Err(Misfit::IndexCount(2)));
        assert_eq!(result("bvadd", &[], &[b8, b8, b8], &mut sorts), Ok(b8));
        assert_eq!(result("bvadd", &[], &[b8, b8, b3], &mut sorts), Err(Misfit::Argument(2)));
        assert_eq!(result("bvadd", &[], &[b8], &mut sorts), Err(Misfit::Count(2, true)));
        assert_eq!(result("repeat", &[u64::MAX], &[b8], &mut sorts), Err(Misfit::Index));
        let float = sorts.make(Constructor::Float(8, 4), &[]);
        assert_eq!(result("fp", &[], &[b1, b8, b3], &mut sorts), Ok(float));
        let b12 = sorts.bit_vector(12);
        assert_eq!(result("to_fp", &[8, 4], &[b12], &mut sorts), Ok(float));
        assert_eq!(result("to_fp", &[8, 4], &[Sort::ROUNDING_MODE, b3], &mut sorts), Ok(float));
        assert!(result("to_fp", &[8, 4], &[b8], &mut sorts).is_err());
    }

    #[test]
    fn signatures_with_sort_variables_determine_result_sorts() {
        let mut sorts = Sorts::default();
        let array = sorts.make(Constructor::Array, &[Sort::INT, Sort::REAL]);
        assert_eq!(result("select", &[], &[array, Sort::INT], &mut sorts), Ok(Sort::REAL));
        assert_eq!(result("select", &[], &[array, Sort::REAL], &mut sorts), Err(Misfit::Argument(1)));
        assert_eq!(result("=", &[], &[array, array, array], &mut sorts), Ok(Sort::BOOL));
        assert_eq!(result("=", &[], &[array], &mut sorts), Err(Misfit::Count(2, true)));
        assert_eq!(result("ite", &[], &[Sort::BOOL, array, array], &mut sorts), Ok(array));
        assert_eq!(result("seq.empty", &[], &[], &mut sorts), Err(Misfit::Ambiguous));
    }
}
