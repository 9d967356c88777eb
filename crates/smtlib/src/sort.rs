//! Sorts, each stored once: equal sorts have equal indices.

use crate::hash::Hash;
use crate::symbol::Symbol;
use hashbrown::HashTable;
use rustc_hash::{FxHashMap, FxHashSet};
use std::hash::Hasher as _;

/// A sort in [`Sorts`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sort(pub(crate) u32);

/// The constructor of a sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Constructor {
    /// The sort of a term with an error. It matches every sort, so that each error is reported only once.
    Unknown,
    /// `Bool`
    Bool,
    /// `Int`
    Int,
    /// `Real`
    Real,
    /// `String`
    String,
    /// `RegLan`
    RegLan,
    /// `RoundingMode`
    RoundingMode,
    /// `(_ BitVec n)`
    BitVec(u64),
    /// `(_ FloatingPoint e s)`
    Float(u64, u64),
    /// `(Array i e)`
    Array,
    /// `(Seq e)`
    Seq,
    /// `(Set e)`
    Set,
    /// `(-> s… s)`
    Arrow,
    /// A declared sort or datatype.
    Declared(Symbol),
    /// A sort parameter.
    Parameter(Symbol),
}

impl Constructor {
    /// Numbers that identify a constructor, for hashing.
    fn numbers(self) -> [u64; 3] {
        match self {
            Self::Unknown => [0, 0, 0],
            Self::Bool => [1, 0, 0],
            Self::Int => [2, 0, 0],
            Self::Real => [3, 0, 0],
            Self::String => [4, 0, 0],
            Self::RegLan => [5, 0, 0],
            Self::RoundingMode => [6, 0, 0],
            Self::BitVec(width) => [7, width, 0],
            Self::Float(exponent, significand) => [8, exponent, significand],
            Self::Array => [9, 0, 0],
            Self::Seq => [10, 0, 0],
            Self::Set => [11, 0, 0],
            Self::Arrow => [12, 0, 0],
            Self::Declared(name) => [13, u64::from(name.0), 0],
            Self::Parameter(name) => [14, u64::from(name.0), 0],
        }
    }
}

impl Sort {
    /// The sort of a term with an error.
    pub const UNKNOWN: Self = Self(0);
    /// `Bool`
    pub const BOOL: Self = Self(1);
    /// `Int`
    pub const INT: Self = Self(2);
    /// `Real`
    pub const REAL: Self = Self(3);
    /// `String`
    pub const STRING: Self = Self(4);
    /// `RegLan`
    pub const REGLAN: Self = Self(5);
    /// `RoundingMode`
    pub const ROUNDING_MODE: Self = Self(6);
}

const BASIC: [Constructor; 7] = [
    Constructor::Unknown,
    Constructor::Bool,
    Constructor::Int,
    Constructor::Real,
    Constructor::String,
    Constructor::RegLan,
    Constructor::RoundingMode,
];

#[derive(Clone, Copy, Debug)]
struct Node {
    constructor: Constructor,
    first: u32,
    count: u32,
    /// Whether a parameter occurs in it.
    open: bool,
    /// The size when it is written, saturating.
    size: u32,
}

/// All sorts that were built.
#[derive(Clone, Debug)]
pub struct Sorts {
    nodes: Vec<Node>,
    arguments: Vec<Sort>,
    table: HashTable<u32>,
}

impl Default for Sorts {
    fn default() -> Self {
        let mut sorts = Self { nodes: vec![], arguments: vec![], table: HashTable::new() };
        for constructor in BASIC {
            sorts.make(constructor, &[]);
        }
        sorts
    }
}

fn hash(constructor: Constructor, arguments: &[Sort]) -> u64 {
    let mut hash = Hash::new().with_each(constructor.numbers());
    for argument in arguments {
        hash = hash.with(u64::from(argument.0));
    }
    hash.finish()
}

fn arguments_of<'a>(nodes: &[Node], arguments: &'a [Sort], sort: u32) -> &'a [Sort] {
    let node = nodes[sort as usize];
    &arguments[node.first as usize..][..node.count as usize]
}

impl Sorts {
    /// The sort with this constructor and these arguments.
    pub fn make(&mut self, constructor: Constructor, with: &[Sort]) -> Sort {
        if with.contains(&Sort::UNKNOWN) {
            return Sort::UNKNOWN;
        }
        let hashed = hash(constructor, with);
        let Self { nodes, arguments, table } = self;
        let is = |&sort: &u32| {
            nodes[sort as usize].constructor == constructor && arguments_of(nodes, arguments, sort) == with
        };
        if let Some(&found) = table.find(hashed, is) {
            return Sort(found);
        }
        let open =
            matches!(constructor, Constructor::Parameter(_)) || with.iter().any(|sort| nodes[sort.0 as usize].open);
        let size = with.iter().fold(1_u32, |sum, sort| sum.saturating_add(nodes[sort.0 as usize].size));
        let sort = nodes.len() as u32;
        nodes.push(Node { constructor, first: arguments.len() as u32, count: with.len() as u32, open, size });
        arguments.extend_from_slice(with);
        table.insert_unique(hashed, sort, |&sort| {
            hash(nodes[sort as usize].constructor, arguments_of(nodes, arguments, sort))
        });
        Sort(sort)
    }

    /// `(_ BitVec width)`
    pub fn bit_vector(&mut self, width: u64) -> Sort {
        self.make(Constructor::BitVec(width), &[])
    }

    /// `(Array index element)`
    pub fn array(&mut self, index: Sort, element: Sort) -> Sort {
        self.make(Constructor::Array, &[index, element])
    }

    /// The constructor of a sort.
    pub fn constructor(&self, sort: Sort) -> Constructor {
        self.nodes[sort.0 as usize].constructor
    }

    /// The arguments of a sort.
    pub fn arguments(&self, sort: Sort) -> &[Sort] {
        arguments_of(&self.nodes, &self.arguments, sort.0)
    }

    /// All sorts, each after its arguments.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Sort> + use<> {
        (0..self.nodes.len() as u32).map(Sort)
    }

    /// Whether a sort parameter occurs in it.
    pub fn is_open(&self, sort: Sort) -> bool {
        self.nodes[sort.0 as usize].open
    }

    /// Forgets all but the basic sorts.
    pub(crate) fn clear(&mut self) {
        if self.nodes.len() > BASIC.len() {
            *self = Self::default();
        }
    }

    /// Binds parameters of `pattern` to parts of `sort` so that both become equal. Returns whether that is possible.
    pub(crate) fn unify(&self, pattern: Sort, sort: Sort, bound: &mut Bindings) -> bool {
        let mut left = vec![(pattern, sort)];
        let mut seen = FxHashSet::default();
        while let Some((pattern, sort)) = left.pop() {
            // Sorts share their parts, so the same pair may come up many times.
            if !seen.insert((pattern, sort)) {
                continue;
            }
            if pattern == sort && !self.is_open(pattern) || sort == Sort::UNKNOWN || pattern == Sort::UNKNOWN {
                continue;
            }
            if let Constructor::Parameter(name) = self.constructor(pattern) {
                match bound.get(name) {
                    Some(known) if known == sort || known == Sort::UNKNOWN => continue,
                    Some(_) => return false,
                    None => bound.bind(name, sort),
                }
                continue;
            }
            let (inner, given) = (self.arguments(pattern), self.arguments(sort));
            if self.constructor(pattern) != self.constructor(sort) || inner.len() != given.len() {
                return false;
            }
            left.extend(inner.iter().copied().zip(given.iter().copied()));
        }
        true
    }

    /// The size of a sort when it is written.
    pub(crate) fn size(&self, sort: Sort) -> u32 {
        self.nodes[sort.0 as usize].size
    }

    /// The sort with its bound parameters replaced; others stay.
    pub(crate) fn substitute(&mut self, sort: Sort, bound: &Bindings) -> Sort {
        if !self.is_open(sort) {
            return sort;
        }
        // Arguments have smaller indices than the sorts built from them, so one pass in order is enough.
        let mut needed = vec![sort];
        let mut seen = FxHashSet::from_iter([sort]);
        let mut at = 0;
        while let Some(&next) = needed.get(at) {
            needed.extend(self.arguments(next).iter().filter(|sort| self.is_open(**sort) && seen.insert(**sort)));
            at += 1;
        }
        needed.sort_unstable();
        let mut done: Vec<(Sort, Sort)> = vec![];
        for old in needed {
            let new = match self.constructor(old) {
                Constructor::Parameter(name) => bound.get(name).unwrap_or(old),
                constructor => {
                    let replaced = |sort: &Sort| match done.binary_search_by_key(sort, |pair| pair.0) {
                        Ok(at) => done[at].1,
                        Err(_) => *sort,
                    };
                    let arguments: Vec<_> = self.arguments(old).iter().map(replaced).collect();
                    self.make(constructor, &arguments)
                }
            };
            done.push((old, new));
        }
        done.last().map_or(sort, |pair| pair.1)
    }
}

/// The bindings of sort parameters.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bindings(FxHashMap<Symbol, Sort>);

impl Bindings {
    pub(crate) fn get(&self, name: Symbol) -> Option<Sort> {
        self.0.get(&name).copied()
    }

    pub(crate) fn bind(&mut self, name: Symbol, sort: Sort) {
        self.0.insert(name, sort);
    }
}
