//! Values, each stored once (hash-consed): equal values have equal indices, except for opaque ones. Values are only
//! dropped all together.

use crate::algebraic::Algebraic;
use crate::float::{Format, Mode};
use crate::regex::{Regex, Regexes};
use crate::trie::{Trie, Tries};
use agon_smtlib::{Function, Hash, Head, Sort};
use dashu_base::BitTest;
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;
use hashbrown::HashTable;
use rustc_hash::FxHashMap;
use std::hash::{Hash as _, Hasher as _};

/// A value in [`Values`], or the reason why it is undecided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub(crate) u32);

/// The bit that marks undecided values.
const UNDECIDED: u32 = 1 << 31;

impl Value {
    /// `false`
    pub const FALSE: Self = Self(0);
    /// `true`
    pub const TRUE: Self = Self(1);

    /// Marks the absence of a value in tables.
    pub(crate) const NONE: Self = Self(u32::MAX);

    /// Whether this is an undecided value.
    pub fn is_undecided(self) -> bool {
        self.0 & UNDECIDED != 0
    }

    /// The index of an undecided value.
    fn undecided_place(self) -> usize {
        (self.0 & !UNDECIDED) as usize
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Self {
        if truth { Self::TRUE } else { Self::FALSE }
    }
}

/// The value of an array at indices without an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Base {
    /// The same value everywhere.
    Constant(Value),
    /// The result of a function of the index.
    Map(Value),
    /// Unknown values, which may differ from index to index.
    Unknown(u32),
}

/// The content of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Datum {
    Bool(bool),
    Int(IBig),
    Real(Box<RBig>),
    Algebraic(Box<Algebraic>),
    BitVec(u32, UBig),
    /// A float by its bits; there is one NaN.
    Float(Format, Box<UBig>),
    Mode(Mode),
    String(Box<[u32]>),
    Regex(Regex),
    Seq(Box<[Value]>),
    /// An array with indices of this sort, or a set: an array of truth values.
    Array(Sort, Base, Trie),
    /// A constructor and its arguments.
    Data(Function, Box<[Value]>),
    /// An element of a declared sort, by its index.
    Abstract(Sort, u32),
    /// A function as a value, by its index in the machine.
    Map(u32),
}

/// All values of an evaluation.
#[derive(Debug)]
pub struct Values {
    data: Vec<Datum>,
    /// Whether each value is opaque: it contains algebraic numbers, functions or languages, so that equal values may
    /// have different indices.
    opaque: Vec<bool>,
    /// Hashes and indices of values. The hashes are stored so that a growing table need not compute them again.
    table: HashTable<(u32, u32)>,
    reasons: Vec<String>,
    /// For each reason, its index in `reasons` and the index of its value in `undecided`.
    reason_numbers: FxHashMap<String, (u32, u32)>,
    /// Unknown values with an identity: a function applied to the same arguments has the same value, known or not.
    applications: FxHashMap<(Head, Sort, Box<[Value]>), Value>,
    /// For each undecided value, the index of its reason, and whether it is in `applications`.
    undecided: Vec<(u32, bool)>,
    pub(crate) tries: Tries,
    pub(crate) regexes: Regexes,
    /// The approximate number of bytes in large values, to bound memory.
    size: u64,
}

impl Default for Values {
    fn default() -> Self {
        let mut values = Self {
            data: vec![],
            opaque: vec![],
            table: HashTable::new(),
            reasons: vec![],
            reason_numbers: FxHashMap::default(),
            applications: FxHashMap::default(),
            undecided: vec![],
            tries: Tries::default(),
            regexes: Regexes::default(),
            size: 0,
        };
        values.intern(Datum::Bool(false));
        values.intern(Datum::Bool(true));
        values
    }
}

impl Values {
    /// Stores a value, unless it is already stored.
    pub(crate) fn intern(&mut self, datum: Datum) -> Value {
        let mut hash = Hash::new();
        datum.hash(&mut hash);
        let hash = hash.finish() as u32;
        let Self { data, opaque, table, .. } = self;
        let is = |&(other, at): &(u32, u32)| other == hash && data[at as usize] == datum;
        if let Some(&(_, found)) = table.find(Hash::spread(hash), is) {
            return Value(found);
        }
        let at = data.len() as u32;
        assert!(at < UNDECIDED, "memory limits stop the machine long before that");
        let any_opaque = |values: &[Value]| values.iter().any(|value| opaque[value.0 as usize]);
        let (is_opaque, size) = match &datum {
            Datum::Algebraic(_) | Datum::Map(_) | Datum::Regex(_) => (true, 64),
            Datum::Array(_, Base::Constant(base), _) => (opaque[base.0 as usize], 0),
            Datum::Array(..) => (true, 0),
            Datum::Seq(parts) | Datum::Data(_, parts) => (any_opaque(parts), 4 * parts.len()),
            Datum::Int(number) => (false, number.bit_len() / 8),
            Datum::Real(number) => (false, 48 + (number.numerator().bit_len() + number.denominator().bit_len()) / 8),
            Datum::BitVec(_, bits) => (false, bits.bit_len() / 8),
            Datum::Float(_, bits) => (false, 32 + bits.bit_len() / 8),
            Datum::String(letters) => (false, 4 * letters.len()),
            Datum::Bool(_) | Datum::Mode(_) | Datum::Abstract(..) => (false, 0),
        };
        self.size += size as u64;
        opaque.push(is_opaque);
        data.push(datum);
        table.insert_unique(Hash::spread(hash), (hash, at), |&(hash, _)| Hash::spread(hash));
        Value(at)
    }

    /// The approximate size of all values in bytes.
    pub(crate) fn bytes(&self) -> u64 {
        self.size + 48 * self.data.len() as u64 + 32 * self.tries.len() as u64 + 48 * self.regexes.len() as u64
    }

    pub(crate) fn datum(&self, value: Value) -> &Datum {
        &self.data[value.0 as usize]
    }

    /// Marks a value as opaque: another index may denote the same value.
    pub(crate) fn set_opaque(&mut self, value: Value) {
        self.opaque[value.0 as usize] = true;
    }

    /// Whether a value is opaque: another index may denote the same value.
    pub(crate) fn is_opaque(&self, value: Value) -> bool {
        self.opaque[value.0 as usize]
    }

    /// Returns the undecided value for this reason.
    pub fn undecided(&mut self, reason: impl Into<String>) -> Value {
        let next = (self.reasons.len() as u32, self.undecided.len() as u32);
        let (_, at) = *self.reason_numbers.entry(reason.into()).or_insert_with_key(|reason| {
            self.reasons.push(reason.clone());
            self.undecided.push((next.0, false));
            next
        });
        Value(at | UNDECIDED)
    }

    /// The value of a function application that neither the standard nor the model defines. It is unknown, for the
    /// reason of `unknown`, and the same for equal arguments.
    pub(crate) fn application(&mut self, head: Head, sort: Sort, arguments: &[Value], unknown: Value) -> Value {
        let key = (head, sort, arguments.into());
        if let Some(known) = self.applications.get(&key) {
            return *known;
        }
        let value = Value(self.undecided.len() as u32 | UNDECIDED);
        let (reason, _) = self.undecided[unknown.undecided_place()];
        self.undecided.push((reason, true));
        self.size += 96 + 4 * arguments.len() as u64;
        self.applications.insert(key, value);
        value
    }

    /// Whether a value is known, or at least known to be the same wherever its index occurs.
    pub(crate) fn has_identity(&self, value: Value) -> bool {
        !value.is_undecided() || self.undecided[value.undecided_place()].1
    }

    /// An undecided value with the same reason, but without an identity: two occurrences may differ. Other values are
    /// returned unchanged.
    pub(crate) fn without_identity(&mut self, value: Value) -> Value {
        if !value.is_undecided() || !self.has_identity(value) {
            return value;
        }
        let (reason, _) = self.undecided[value.undecided_place()];
        self.undecided(self.reasons[reason as usize].clone())
    }

    /// Why a value is undecided; `None` if it is known.
    pub fn reason(&self, value: Value) -> Option<&str> {
        value.is_undecided().then(|| &*self.reasons[self.undecided[value.undecided_place()].0 as usize])
    }

    pub(crate) fn int(&mut self, number: IBig) -> Value {
        self.intern(Datum::Int(number))
    }

    pub(crate) fn real(&mut self, number: RBig) -> Value {
        self.intern(Datum::Real(Box::new(number)))
    }

    /// A bit-vector; bits above its width are cleared.
    pub(crate) fn bits(&mut self, width: u32, mut bits: UBig) -> Value {
        if bits.bit_len() > width as usize {
            bits.clear_high_bits(width as usize);
        }
        self.intern(Datum::BitVec(width, bits))
    }

    pub(crate) fn string(&mut self, letters: impl Into<Box<[u32]>>) -> Value {
        self.intern(Datum::String(letters.into()))
    }

    /// A value as text close to SMT-LIB, truncated if it is long.
    pub fn show(&self, value: Value, names: &dyn Fn(Function) -> String) -> String {
        const MOST: usize = 200;
        let mut out = String::new();
        let mut left = vec![Piece::Value(value)];
        while let Some(piece) = left.pop() {
            if out.len() > MOST {
                out = out.chars().take(MOST).collect();
                out.push('…');
                break;
            }
            match piece {
                Piece::Text(text) => out.push_str(&text),
                Piece::Value(value) => self.show_one(value, names, &mut out, &mut left),
            }
        }
        out
    }

    fn show_one(&self, value: Value, names: &dyn Fn(Function) -> String, out: &mut String, left: &mut Vec<Piece>) {
        if let Some(reason) = self.reason(value) {
            out.push_str(reason);
            return;
        }
        let text = |text: &str| Piece::Text(text.to_owned());
        match self.datum(value) {
            Datum::Bool(truth) => out.push_str(if *truth { "true" } else { "false" }),
            Datum::Int(number) => out.push_str(&signed(number, "")),
            Datum::Real(number) => out.push_str(&rational(number)),
            Datum::Algebraic(number) => out.push_str(&number.to_string()),
            Datum::BitVec(width, bits) => {
                let (digits, prefix, radix) = if width % 4 == 0 { (width / 4, "#x", 16) } else { (*width, "#b", 2) };
                let written = bits.in_radix(radix).to_string();
                let zeros = if *bits == UBig::ZERO { digits } else { digits.saturating_sub(written.len() as u32) };
                let written = if *bits == UBig::ZERO { String::new() } else { written };
                out.push_str(prefix);
                out.extend(std::iter::repeat_n('0', (zeros as usize).min(300)));
                out.push_str(&written);
            }
            Datum::Float(format, bits) => out.push_str(&format.show(bits)),
            Datum::Mode(mode) => out.push_str(mode.name()),
            Datum::String(letters) => out.push_str(&crate::list_operations::quoted(letters)),
            Datum::Regex(_) => out.push_str("a regular language"),
            Datum::Seq(parts) => {
                left.push(text(")"));
                left.extend(parts.iter().take(100).rev().flat_map(|part| [Piece::Value(*part), text(" ")]));
                out.push_str("(seq");
            }
            Datum::Array(_, base, trie) => {
                left.push(text("]"));
                for (key, value) in self.tries.entries(*trie).into_iter().take(50).rev() {
                    left.extend([Piece::Value(value), text(" → "), Piece::Value(key), text(", ")]);
                }
                out.push_str("[else ");
                left.push(match base {
                    Base::Constant(value) => Piece::Value(*value),
                    Base::Map(_) => text("a function"),
                    Base::Unknown(_) => text("unknown"),
                });
            }
            Datum::Data(constructor, parts) if parts.is_empty() => out.push_str(&names(*constructor)),
            Datum::Data(constructor, parts) => {
                left.push(text(")"));
                left.extend(parts.iter().rev().flat_map(|part| [Piece::Value(*part), text(" ")]));
                out.push_str(&format!("({}", names(*constructor)));
            }
            Datum::Abstract(_, number) => out.push_str(&format!("@{number}")),
            Datum::Map(_) => out.push_str("a function"),
        }
    }
}

/// A part of a value that is still to be written.
enum Piece {
    Text(String),
    Value(Value),
}

fn signed(number: &IBig, point: &str) -> String {
    if number.bit_len() > 4096 {
        return format!("a number of {} bits", number.bit_len());
    }
    match number.to_string().strip_prefix('-') {
        Some(positive) => format!("(- {positive}{point})"),
        None => format!("{number}{point}"),
    }
}

fn rational(number: &RBig) -> String {
    let top = signed(number.numerator(), ".0");
    if number.denominator() == &UBig::ONE { top } else { format!("(/ {top} {}.0)", number.denominator()) }
}
