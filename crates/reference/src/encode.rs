//! Encodes terms as gates.

use crate::arrays::{Array, Arrays, Making};
use crate::bit_vectors::Direction;
pub(crate) use crate::bit_vectors::Word;
use crate::circuit::Circuit;
use crate::functions::Applications;
use agon_smtlib::{
    Checker, Constructor, Definition, Function, FunctionKind, Head, Literal, Sort, Symbol, Term, Variable,
};
use batsat::Lit;
use rustc_hash::{FxHashMap, FxHashSet};

/// A term is not supported, or a limit is exceeded. The answer is then `unknown`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refused;

/// An encoded term. Booleans are words of one bit, and elements of declared sorts are numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Encoded {
    Word(Word),
    Array(Sort, Array),
}

/// A function that combines two words.
type Combine<'a> = dyn Fn(&mut Circuit, &[Lit], &[Lit]) -> Word + 'a;

/// The maximum depth of terms.
const DEEPEST: usize = 100_000;

/// The maximum width of bit-vectors.
const WIDEST: u64 = 1 << 16;

/// Encodes terms as gates of a circuit.
pub(crate) struct Encoder<'a> {
    checker: &'a Checker,
    definitions: &'a FxHashMap<Function, Definition>,
    named: &'a FxHashMap<Symbol, Term>,
    pub(crate) circuit: Circuit,
    pub(crate) applications: Applications,
    pub(crate) arrays: FxHashMap<Sort, Arrays>,
    /// The number of bits for the elements of each declared sort.
    widths: FxHashMap<Sort, usize>,
    /// The encodings of closed terms.
    known: FxHashMap<Term, Encoded>,
    /// The encodings of variables and open terms in the function bodies that are being expanded, innermost last.
    scopes: Vec<Scope>,
    /// The encoded results of defined functions, by arguments.
    calls: FxHashMap<(Function, Vec<Encoded>), Encoded>,
    pub(crate) constants: FxHashMap<Function, Encoded>,
    depth: usize,
}

#[derive(Default)]
struct Scope {
    variables: FxHashMap<Variable, Encoded>,
    known: FxHashMap<Term, Encoded>,
}

impl<'a> Encoder<'a> {
    pub(crate) fn new(
        checker: &'a Checker,
        definitions: &'a FxHashMap<Function, Definition>,
        named: &'a FxHashMap<Symbol, Term>,
        assertions: &[Term],
    ) -> Self {
        Self {
            checker,
            definitions,
            named,
            circuit: Circuit::new(),
            applications: Applications::default(),
            arrays: FxHashMap::default(),
            widths: widths(checker, definitions, assertions),
            known: FxHashMap::default(),
            scopes: vec![Scope::default()],
            calls: FxHashMap::default(),
            constants: FxHashMap::default(),
            depth: 0,
        }
    }

    /// Encodes a formula as a literal.
    pub(crate) fn formula(&mut self, term: Term) -> Result<Lit, Refused> {
        self.bit(term)
    }

    /// Adds the axioms of arrays. Must be called after all formulas are encoded.
    pub(crate) fn conclude(&mut self) -> Result<(), Refused> {
        for arrays in self.arrays.values_mut() {
            arrays.constrain(&mut self.circuit)?;
        }
        // A declared sort never needs more elements than there are variables of that sort, so its width suffices if
        // they could all be different.
        let has_room = |(sort, width): (&Sort, &usize)| self.elements(*sort) < 1 << width;
        if self.widths.iter().all(has_room) { Ok(()) } else { Err(Refused) }
    }

    /// Whether the circuit is satisfiable under these assumptions; `None` if `patience` conflicts were not enough for
    /// one search. Congruence axioms of functions and arrays are added only where an assignment violates them, until
    /// none is violated.
    pub(crate) fn solve(&mut self, assumptions: &[Lit], patience: Option<u64>) -> Option<bool> {
        loop {
            if !self.circuit.solve(assumptions, patience)? {
                return Some(false);
            }
            let mut was_wrong = self.applications.refine(&mut self.circuit);
            for arrays in self.arrays.values() {
                was_wrong |= arrays.refine(&mut self.circuit);
            }
            if !was_wrong {
                return Some(true);
            }
        }
    }

    /// The number of variables of a declared sort.
    fn elements(&self, sort: Sort) -> usize {
        let checker = self.checker;
        let constants = self.constants.keys().filter(|function| checker.function(**function).result == sort).count();
        let of = |function: &Function| checker.function(*function).result == sort;
        let results: usize = self.applications.of.iter().filter(|(f, _)| of(f)).map(|(_, all)| all.len()).sum();
        let mut in_arrays = 0;
        for (array, arrays) in &self.arrays {
            let [index, element] = *checker.sorts.arguments(*array) else { continue };
            in_arrays += if index == sort { arrays.witnesses() } else { 0 };
            in_arrays += if element == sort { arrays.variables() } else { 0 };
        }
        constants + results + in_arrays
    }

    /// The number of bits in the values of a sort.
    pub(crate) fn width(&self, sort: Sort) -> Result<usize, Refused> {
        match self.checker.sorts.constructor(sort) {
            Constructor::Bool => Ok(1),
            Constructor::BitVec(width) if width <= WIDEST => Ok(width as usize),
            Constructor::Declared(_) if self.checker.is_uninterpreted(sort) => {
                // All declared sorts have an entry, so that the final check in `conclude` covers them.
                self.widths.get(&sort).copied().ok_or(Refused)
            }
            _ => Err(Refused),
        }
    }

    /// The arrays of an array sort, created on first use.
    fn arrays_of(&mut self, sort: Sort) -> Result<&mut Arrays, Refused> {
        if !self.arrays.contains_key(&sort) {
            let [index, element] = *self.checker.sorts.arguments(sort) else { return Err(Refused) };
            let (index, element) = (self.width(index)?, self.width(element)?);
            let arrays = Arrays::new(&mut self.circuit, index, element);
            self.arrays.insert(sort, arrays);
        }
        self.arrays.get_mut(&sort).ok_or(Refused)
    }

    fn word(&mut self, term: Term) -> Result<Word, Refused> {
        match self.encode(term)? {
            Encoded::Word(word) => Ok(word),
            Encoded::Array(..) => Err(Refused),
        }
    }

    fn bit(&mut self, term: Term) -> Result<Lit, Refused> {
        self.word(term)?.first().copied().ok_or(Refused)
    }

    fn array(&mut self, term: Term) -> Result<(Sort, Array), Refused> {
        match self.encode(term)? {
            Encoded::Array(sort, array) => Ok((sort, array)),
            Encoded::Word(_) => Err(Refused),
        }
    }

    fn encode(&mut self, term: Term) -> Result<Encoded, Refused> {
        let is_closed = self.checker.terms.is_closed(term);
        let known = if is_closed { self.known.get(&term) } else { self.scopes.last().and_then(|s| s.known.get(&term)) };
        if let Some(known) = known {
            return Ok(known.clone());
        }
        if self.depth > DEEPEST || self.circuit.is_full() {
            return Err(Refused);
        }
        self.depth += 1;
        let encoded = self.encode_new(term);
        self.depth -= 1;
        let encoded = encoded?;
        if is_closed {
            self.known.insert(term, encoded.clone());
        } else if let Some(scope) = self.scopes.last_mut() {
            scope.known.insert(term, encoded.clone());
        }
        Ok(encoded)
    }

    fn encode_new(&mut self, term: Term) -> Result<Encoded, Refused> {
        let checker = self.checker;
        let arguments = checker.terms.arguments(term);
        match checker.terms.head(term) {
            Head::Literal(kind, text) => self.literal(kind, text, checker.terms.sort(term)),
            Head::Variable(variable) => {
                self.scopes.last().and_then(|scope| scope.variables.get(&variable)).cloned().ok_or(Refused)
            }
            Head::Annotated(_) => self.encode(arguments[0]),
            Head::Let(binder) => {
                let (body, values) = arguments.split_last().ok_or(Refused)?;
                let values = values.iter().map(|value| self.encode(*value)).collect::<Result<Vec<_>, _>>()?;
                if let Some(scope) = self.scopes.last_mut() {
                    scope.variables.extend(checker.terms.variables(binder).zip(values));
                }
                self.encode(*body)
            }
            Head::Function(function) | Head::QualifiedFunction(function) => self.function(function, arguments),
            Head::Operator(operator) | Head::QualifiedOperator(operator) => {
                let (name, indices) = checker.operator(operator);
                self.operator(name, indices, arguments, term)
            }
            _ => Err(Refused),
        }
    }

    fn literal(&mut self, kind: Literal, text: Symbol, sort: Sort) -> Result<Encoded, Refused> {
        let width = self.width(sort)?;
        let text = std::str::from_utf8(self.checker.symbols.text(text)).map_err(|_| Refused)?;
        // Multiplies by the radix and adds, digit by digit. This is quadratic, but literals are short.
        let radix = match kind {
            Literal::Binary => 2,
            Literal::Hexadecimal => 16,
            Literal::BitVector => 10,
            _ => return Err(Refused),
        };
        let mut bits = vec![false; width];
        for digit in text.chars() {
            let mut carry = digit.to_digit(radix).ok_or(Refused)?;
            for chunk in &mut bits {
                let sum = u32::from(*chunk) * radix + carry;
                *chunk = sum & 1 == 1;
                carry = sum >> 1;
            }
        }
        Ok(Encoded::Word(bits.into_iter().map(|bit| self.circuit.constant(bit)).collect()))
    }

    fn function(&mut self, function: Function, arguments: &[Term]) -> Result<Encoded, Refused> {
        let checker = self.checker;
        let info = checker.function(function);
        match info.kind {
            FunctionKind::Declared if arguments.is_empty() => {
                if let Some(known) = self.constants.get(&function) {
                    return Ok(known.clone());
                }
                let fresh = self.fresh(info.result)?;
                self.constants.insert(function, fresh.clone());
                Ok(fresh)
            }
            FunctionKind::Declared => {
                let words = arguments.iter().map(|argument| self.word(*argument)).collect::<Result<Vec<_>, _>>()?;
                let width = self.width(info.result)?;
                Ok(Encoded::Word(self.applications.apply(&mut self.circuit, function, words, width)))
            }
            FunctionKind::Named => {
                let term = *self.named.get(&info.name).ok_or(Refused)?;
                self.encode(term)
            }
            FunctionKind::Defined => {
                let Definition { binder, body, .. } = self.definitions.get(&function).ok_or(Refused)?;
                let values = arguments.iter().map(|argument| self.encode(*argument)).collect::<Result<Vec<_>, _>>()?;
                let call = (function, values);
                if let Some(known) = self.calls.get(&call) {
                    return Ok(known.clone());
                }
                let variables = checker.terms.variables(*binder).zip(call.1.iter().cloned()).collect();
                self.scopes.push(Scope { variables, known: FxHashMap::default() });
                let encoded = self.encode(*body);
                self.scopes.pop();
                let encoded = encoded?;
                self.calls.insert(call, encoded.clone());
                Ok(encoded)
            }
            _ => Err(Refused),
        }
    }

    /// A fresh variable of a sort.
    fn fresh(&mut self, sort: Sort) -> Result<Encoded, Refused> {
        if self.checker.sorts.constructor(sort) == Constructor::Array {
            let array = self.arrays_of(sort)?.add(Making::Variable);
            return Ok(Encoded::Array(sort, array));
        }
        let width = self.width(sort)?;
        Ok(Encoded::Word(self.circuit.fresh_word(width)))
    }

    fn equal(&mut self, one: &Encoded, other: &Encoded) -> Result<Lit, Refused> {
        match (one, other) {
            (Encoded::Word(one), Encoded::Word(other)) => Ok(self.circuit.words_equal(one, other)),
            (Encoded::Array(sort, one), Encoded::Array(_, other)) => {
                let arrays = self.arrays.get_mut(sort).ok_or(Refused)?;
                Ok(arrays.equal(&mut self.circuit, *one, *other))
            }
            _ => Err(Refused),
        }
    }

    #[allow(clippy::too_many_lines, reason = "one arm per operator")]
    fn operator(&mut self, name: &str, indices: &[u64], arguments: &[Term], term: Term) -> Result<Encoded, Refused> {
        let bit = |bit: Lit| Ok(Encoded::Word(vec![bit]));
        let word = |word: Word| Ok(Encoded::Word(word));
        let no = self.circuit.constant(false);
        match name {
            "true" => return bit(!no),
            "false" => return bit(no),
            "not" => {
                let inner = self.bit(arguments[0])?;
                return bit(!inner);
            }
            "and" | "or" | "xor" => {
                let mut result = if name == "and" { !no } else { no };
                for argument in arguments {
                    let next = self.bit(*argument)?;
                    result = match name {
                        "and" => self.circuit.and(result, next),
                        "or" => self.circuit.or(result, next),
                        _ => self.circuit.xor(result, next),
                    };
                }
                return bit(result);
            }
            "=>" => {
                let (last, premises) = arguments.split_last().ok_or(Refused)?;
                let mut result = self.bit(*last)?;
                for premise in premises.iter().rev() {
                    let premise = self.bit(*premise)?;
                    result = self.circuit.or(!premise, result);
                }
                return bit(result);
            }
            "ite" => {
                let condition = self.bit(arguments[0])?;
                return match (self.encode(arguments[1])?, self.encode(arguments[2])?) {
                    (Encoded::Word(one), Encoded::Word(other)) => {
                        word(self.circuit.choose_word(condition, &one, &other))
                    }
                    (Encoded::Array(sort, one), Encoded::Array(_, other)) => {
                        let making = Making::Choose(condition, one, other);
                        Ok(Encoded::Array(sort, self.arrays_of(sort)?.add(making)))
                    }
                    _ => Err(Refused),
                };
            }
            "=" | "distinct" => {
                let values = arguments.iter().map(|argument| self.encode(*argument)).collect::<Result<Vec<_>, _>>()?;
                let mut result = !no;
                for (at, one) in values.iter().enumerate() {
                    let others =
                        if name == "=" { &values[at + 1..(at + 2).min(values.len())] } else { &values[at + 1..] };
                    if self.circuit.is_full() {
                        return Err(Refused);
                    }
                    for other in others {
                        let equal = self.equal(one, other)?;
                        result = self.circuit.and(result, if name == "=" { equal } else { !equal });
                    }
                }
                return bit(result);
            }
            "select" => {
                let (sort, array) = self.array(arguments[0])?;
                let index = self.word(arguments[1])?;
                let arrays = self.arrays.get_mut(&sort).ok_or(Refused)?;
                return word(arrays.read(&mut self.circuit, array, index));
            }
            "store" => {
                let (sort, array) = self.array(arguments[0])?;
                let (index, element) = (self.word(arguments[1])?, self.word(arguments[2])?);
                return Ok(Encoded::Array(sort, self.arrays_of(sort)?.add(Making::Store(array, index, element))));
            }
            _ => {}
        }
        let words = arguments.iter().map(|argument| self.word(*argument)).collect::<Result<Vec<_>, _>>()?;
        let (one, other) = (words.first().ok_or(Refused)?, words.get(1).or(words.first()).ok_or(Refused)?);
        let width = one.len();
        let result_width = self.width(self.checker.terms.sort(term))?;
        let circuit = &mut self.circuit;
        let fold = |circuit: &mut Circuit, combine: &Combine<'_>| {
            words[1..].iter().fold(words[0].clone(), |sum, next| combine(circuit, &sum, next))
        };
        let flipped = |word: Word| word.into_iter().map(|bit| !bit).collect::<Word>();
        match name {
            "bvnot" => word(flipped(one.clone())),
            "bvneg" => word(circuit.negate(one)),
            "bvand" => word(fold(circuit, &|c, a, b| c.bitwise(a, b, Circuit::and))),
            "bvor" => word(fold(circuit, &|c, a, b| c.bitwise(a, b, Circuit::or))),
            "bvxor" => word(fold(circuit, &|c, a, b| c.bitwise(a, b, Circuit::xor))),
            "bvxnor" => word(fold(circuit, &|c, a, b| c.bitwise(a, b, Circuit::equal))),
            "bvnand" => word(flipped(circuit.bitwise(one, other, Circuit::and))),
            "bvnor" => word(flipped(circuit.bitwise(one, other, Circuit::or))),
            "bvadd" => word(fold(circuit, &|c, a, b| c.add_words(a, b, no).0)),
            "bvsub" => word(fold(circuit, &|c, a, b| c.subtract(a, b))),
            "bvmul" => word(fold(circuit, &|c, a, b| c.multiply(a, b))),
            "bvudiv" => word(circuit.divide(one, other).0),
            "bvurem" => word(circuit.divide(one, other).1),
            "bvsdiv" => word(circuit.signed_divide(one, other)),
            "bvsrem" => word(circuit.signed_remainder(one, other)),
            "bvsmod" => word(circuit.signed_modulo(one, other)),
            "bvshl" => word(circuit.shift(one, other, Direction::Left, no)),
            "bvlshr" => word(circuit.shift(one, other, Direction::Right, no)),
            "bvashr" => word(circuit.shift(one, other, Direction::Right, one[width - 1])),
            "bvult" | "bvusubo" => bit(circuit.below(one, other)),
            "bvugt" => bit(circuit.below(other, one)),
            "bvule" => bit(!circuit.below(other, one)),
            "bvuge" => bit(!circuit.below(one, other)),
            "bvslt" => bit(circuit.signed_below(one, other)),
            "bvsgt" => bit(circuit.signed_below(other, one)),
            "bvsle" => bit(!circuit.signed_below(other, one)),
            "bvsge" => bit(!circuit.signed_below(one, other)),
            "bvcomp" => bit(circuit.words_equal(one, other)),
            "concat" => word(words.iter().rev().flatten().copied().collect()),
            "extract" => word(one[indices[1] as usize..=indices[0] as usize].to_vec()),
            "repeat" => word(one.iter().copied().cycle().take(result_width).collect()),
            "zero_extend" => word(one.iter().copied().chain(std::iter::repeat(no)).take(result_width).collect()),
            "sign_extend" => {
                word(one.iter().copied().chain(std::iter::repeat(one[width - 1])).take(result_width).collect())
            }
            "rotate_left" | "rotate_right" => {
                let by = (indices[0] % width as u64) as usize;
                let by = if name == "rotate_left" { width - by } else { by };
                word((0..width).map(|at| one[(at + by) % width]).collect())
            }
            "bvrol" | "ext_rotate_left" => word(circuit.rotate(one, other)),
            "bvror" | "ext_rotate_right" => {
                // Rotating a word to the right is rotating the reversed word to the left.
                let (one, other) = (one.iter().rev().copied().collect::<Word>(), other.clone());
                word(circuit.rotate(&one, &other).into_iter().rev().collect())
            }
            "bvredor" => {
                let zero = circuit.zero(width);
                bit(!circuit.words_equal(one, &zero))
            }
            "bvredand" => bit(circuit.all(one.iter().copied())),
            "bvnego" => {
                let lowest: Word = (0..width).map(|at| if at + 1 == width { !no } else { no }).collect();
                bit(circuit.words_equal(one, &lowest))
            }
            "bvuaddo" => bit(circuit.add_words(one, other, no).1),
            "bvsaddo" | "bvssubo" | "bvumulo" | "bvsmulo" => {
                // The result is computed with extra bits. There is an overflow if it does not fit without them.
                let is_signed = name != "bvumulo";
                let room = if name.ends_with("mulo") { 2 * width } else { width + 1 };
                let extended = |word: &Word| -> Word {
                    let filling = if is_signed { word[width - 1] } else { no };
                    word.iter().copied().chain(std::iter::repeat(filling)).take(room).collect()
                };
                let (one, other) = (extended(one), extended(other));
                let result = match name {
                    "bvsaddo" => circuit.add_words(&one, &other, no).0,
                    "bvssubo" => circuit.subtract(&one, &other),
                    _ => circuit.multiply(&one, &other),
                };
                let expected = if is_signed { result[width - 1] } else { no };
                let fits: Word = result[width..].iter().map(|top| circuit.equal(*top, expected)).collect();
                bit(!circuit.all(fits))
            }
            "bvsdivo" => {
                let lowest: Word = (0..width).map(|at| if at + 1 == width { !no } else { no }).collect();
                let is_lowest = circuit.words_equal(one, &lowest);
                let is_minus_one = circuit.all(other.iter().copied());
                bit(circuit.and(is_lowest, is_minus_one))
            }
            _ => Err(Refused),
        }
    }
}

/// The number of bits for the elements of each declared sort: enough for at least four times as many elements as there
/// are terms of the sort and array cells, but at most 40. [`Encoder::conclude`] checks whether that suffices.
fn widths(
    checker: &Checker,
    definitions: &FxHashMap<Function, Definition>,
    assertions: &[Term],
) -> FxHashMap<Sort, usize> {
    let mut counts: FxHashMap<Sort, usize> = FxHashMap::default();
    let (mut arrays, mut places) = (0_usize, 0_usize);
    let mut seen = FxHashSet::default();
    let mut left = assertions.to_vec();
    while let Some(term) = left.pop() {
        if !seen.insert(term) {
            continue;
        }
        let sort = checker.terms.sort(term);
        *counts.entry(sort).or_default() += 1;
        arrays += usize::from(checker.sorts.constructor(sort) == Constructor::Array);
        if let Head::Function(function) = checker.terms.head(term)
            && let Some(definition) = definitions.get(&function)
        {
            left.push(definition.body);
        }
        places += checker.terms.arguments(term).len();
        left.extend(checker.terms.arguments(term));
    }
    let cells = if arrays == 0 { 0 } else { arrays.saturating_mul(places) };
    let width = |count: usize| count.saturating_add(cells).saturating_add(2).ilog2() as usize + 3;
    let sorts = checker.sorts.iter().filter(|sort| checker.is_uninterpreted(*sort));
    sorts.map(|sort| (sort, width(counts.get(&sort).copied().unwrap_or(0)).min(40))).collect()
}
