//! Terms, each stored once in an arena: equal terms have equal indices, and nothing is dropped individually.
//!
//! Each binder has its own variables, so equal indices mean the same term wherever it occurs. `let` is not expanded,
//! which keeps the sharing that the author of a file intended.

use crate::hash::Hash;
use crate::sort::Sort;
use crate::symbol::Symbol;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use std::hash::Hasher as _;

/// A term in [`Terms`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(pub(crate) u32);

impl Term {
    /// Its index in tables by term.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Represents a term that could not be read.
    pub const UNKNOWN: Self = Self(0);
}

/// A bound variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Variable(pub(crate) u32);

/// A function of a theory, with its indices: `(_ extract 7 0)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Operator(pub(crate) u32);

impl Operator {
    /// Its index in tables by operator.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A function that the script declares or defines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Function(pub(crate) u32);

/// The variables that one binder binds, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Binder(pub(crate) u32);

/// The cases of one `match`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cases(pub(crate) u32);

/// The attributes of one `!`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Attributes(pub(crate) u32);

/// How a literal is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Literal {
    /// `42`
    Numeral,
    /// `0.5`
    Decimal,
    /// `#xff`
    Hexadecimal,
    /// `#b01`
    Binary,
    /// `"abc"`
    String,
    /// `(_ bv5 32)`, by its digits.
    BitVector,
    /// `(_ char #x41)`, by its digits.
    Character,
}

/// The head of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Head {
    /// A literal, by its text.
    Literal(Literal, Symbol),
    /// A bound variable.
    Variable(Variable),
    /// A theory's function applied to the arguments.
    Operator(Operator),
    /// A theory's function, written with the sort of its result: `(as seq.empty (Seq Int))`.
    QualifiedOperator(Operator),
    /// A function of the script applied to the arguments.
    Function(Function),
    /// A function of the script, written with the sort of its result: `(as nil (List Int))`.
    QualifiedFunction(Function),
    /// The tester `(_ is c)` of a constructor.
    Tester(Function),
    /// The updater `(_ update s)` of a selector.
    Updater(Function),
    /// The first argument, a map, applied to the others.
    Apply,
    /// `let`: the values of the variables, then the body.
    Let(Binder),
    /// `forall`: the body.
    Forall(Binder),
    /// `exists`: the body.
    Exists(Binder),
    /// `lambda`: the body.
    Lambda(Binder),
    /// `choice`, of some solvers: the body.
    Choice(Binder),
    /// `match`: the subject, then the results of the cases.
    Match(Cases),
    /// `!`: the annotated term, then the terms of its patterns.
    Annotated(Attributes),
    /// A term that could not be read.
    Unknown,
}

impl Head {
    /// A number for hashing. Different heads have different numbers in most cases.
    fn number(self) -> u32 {
        // Most heads are operators, so they are handled first.
        if let Self::Operator(Operator(at)) = self {
            return at << 4 | 8;
        }
        match self {
            Self::Literal(kind, Symbol(text)) => text << 4 | kind as u32,
            Self::QualifiedOperator(Operator(at)) => at << 4 | 9,
            Self::Function(Function(at)) => at << 4 | 10,
            Self::QualifiedFunction(Function(at)) => at << 4 | 11,
            Self::Tester(Function(at)) => at << 4 | 12,
            Self::Updater(Function(at)) => at << 4 | 13,
            _ => 14,
        }
    }

    /// Whether terms with this head need no lookup: they have variables or attributes that no other term has, or are
    /// variables, whose terms are stored with them.
    fn is_unique(self) -> bool {
        matches!(
            self,
            Self::Variable(_)
                | Self::Let(_)
                | Self::Forall(_)
                | Self::Exists(_)
                | Self::Lambda(_)
                | Self::Choice(_)
                | Self::Match(_)
                | Self::Annotated(_)
        )
    }
}

/// One case of a `match`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The constructor; `None` for a case that matches everything else.
    pub constructor: Option<Function>,
    /// The variables for its arguments, or the one variable for everything else.
    pub binder: Binder,
}

/// An attribute of a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Attribute {
    /// `:named`
    Named(Symbol),
    /// `:pattern`, with the number of its terms. The terms are arguments of the annotated term.
    Pattern(u32),
    /// Any other, with its value as written.
    Other(Symbol, Option<Box<[u8]>>),
}

#[derive(Clone, Copy, Debug)]
struct Node {
    head: Head,
    shape: Shape,
    sort: Sort,
    /// The index of its first argument. The arguments end where those of the next term begin.
    first: u32,
    place: u32,
    /// The lowest number of a free variable. Variables that are bound further inside have higher numbers.
    lowest: u32,
}

/// The shape of a term as a polynomial, in the detail that logics distinguish: a constant, sums and differences of
/// variables, or anything else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shape {
    /// The numbers of variables that are added and subtracted; up to 15 each.
    pub(crate) plus: u8,
    pub(crate) minus: u8,
}

impl Shape {
    /// Made of literals only.
    pub(crate) const CONSTANT: Self = Self { plus: 0, minus: 0 };
    /// One variable, or something that counts as one.
    pub(crate) const VARIABLE: Self = Self { plus: 1, minus: 0 };
    /// More than differences of variables.
    pub(crate) const OTHER: Self = Self { plus: u8::MAX, minus: u8::MAX };
    /// The maximum of each count. With more variables, the shape is `OTHER`.
    const MOST: u8 = 15;

    pub(crate) fn plus(self, other: Self) -> Self {
        let sum = Self { plus: self.plus.saturating_add(other.plus), minus: self.minus.saturating_add(other.minus) };
        if sum.plus > Self::MOST || sum.minus > Self::MOST { Self::OTHER } else { sum }
    }

    pub(crate) fn negated(self) -> Self {
        Self { plus: self.minus, minus: self.plus }
    }

    /// Whether at most one variable is added and at most one is subtracted, or equally many of both.
    pub(crate) fn is_difference(self) -> bool {
        self != Self::OTHER && (self.plus <= 1 && self.minus <= 1 || self.plus == self.minus)
    }

    /// The shape of an `ite` with these two results.
    pub(crate) fn or(self, other: Self) -> Self {
        let simple = |shape: Self| shape == Self::CONSTANT || shape == Self::VARIABLE;
        if simple(self) && simple(other) {
            Self::VARIABLE
        } else if self == other {
            self
        } else {
            Self::OTHER
        }
    }
}

#[derive(Clone, Copy, Debug)]
struct VariableInfo {
    name: Symbol,
    sort: Sort,
    shape: Shape,
    /// The variable as a term, once it has been used as one.
    term: Term,
}

/// No free variable.
const CLOSED: u32 = u32::MAX;

/// The arena of terms.
#[derive(Clone, Debug)]
pub struct Terms {
    nodes: Vec<Node>,
    arguments: Vec<Term>,
    /// The terms by their hashes. The hashes are stored, so that the table can grow without computing them again.
    table: HashTable<(u32, u32)>,
    variables: Vec<VariableInfo>,
    /// The term of each constant of the script, once it has been used.
    constants: Vec<Term>,
    binders: Vec<(u32, u32)>,
    cases: Vec<Box<[Case]>>,
    attributes: Vec<Box<[Attribute]>>,
}

/// A state of the arena that [`Terms::release`] restores.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    nodes: usize,
    arguments: usize,
    variables: usize,
    binders: usize,
    cases: usize,
    attributes: usize,
}

impl Default for Terms {
    fn default() -> Self {
        let unknown = Node {
            head: Head::Unknown,
            shape: Shape::VARIABLE,
            sort: Sort::UNKNOWN,
            first: 0,
            place: 0,
            lowest: CLOSED,
        };
        Self {
            nodes: vec![unknown],
            arguments: vec![],
            table: HashTable::new(),
            variables: vec![],
            constants: vec![],
            binders: vec![],
            cases: vec![],
            attributes: vec![],
        }
    }
}

fn hash(head: Head, arguments: &[Term], sort: Sort) -> u32 {
    let mut hash = Hash::new().with(u64::from(sort.0) << 32 | u64::from(head.number()));
    for argument in arguments {
        hash = hash.with(u64::from(argument.0));
    }
    hash.finish() as u32
}

fn arguments_of<'a>(nodes: &[Node], arguments: &'a [Term], term: usize) -> &'a [Term] {
    let end = nodes.get(term + 1).map_or(arguments.len(), |next| next.first as usize);
    &arguments[nodes[term].first as usize..end]
}

impl Terms {
    /// The term with this head, these arguments and this sort, first seen at `place`.
    pub(crate) fn make(&mut self, head: Head, with: &[Term], sort: Sort, shape: Shape, place: u32) -> Term {
        let Self { nodes, arguments, table, variables, binders, cases, .. } = self;
        let term = nodes.len() as u32;
        if !head.is_unique() {
            let hashed = hash(head, with, sort);
            let is = |&(other, term): &(u32, u32)| {
                let node = &nodes[term as usize];
                other == hashed
                    && node.head == head
                    && node.sort == sort
                    && arguments_of(nodes, arguments, term as usize) == with
            };
            match table.entry(Hash::spread(hashed), is, |&(hashed, _)| Hash::spread(hashed)) {
                Entry::Occupied(found) => return Term(found.get().1),
                Entry::Vacant(place) => place.insert((hashed, term)),
            };
        }
        let mut lowest = with.iter().map(|argument| nodes[argument.0 as usize].lowest).min().unwrap_or(CLOSED);
        let bound = match head {
            Head::Variable(variable) => {
                lowest = variable.0;
                None
            }
            Head::Let(binder)
            | Head::Forall(binder)
            | Head::Exists(binder)
            | Head::Lambda(binder)
            | Head::Choice(binder) => Some(binder),
            Head::Match(at) => cases[at.0 as usize].first().map(|case| case.binder),
            _ => None,
        };
        // Nested binders are numbered in the order in which they open, so variables bound here or inside have at least
        // the number of this binder's first variable.
        if let Some(binder) = bound
            && lowest >= binders[binder.0 as usize].0
        {
            lowest = CLOSED;
        }
        debug_assert!(lowest == CLOSED || (lowest as usize) < variables.len());
        nodes.push(Node { head, shape, sort, first: arguments.len() as u32, place, lowest });
        arguments.extend_from_slice(with);
        Term(term)
    }

    /// A variable as a term.
    pub(crate) fn variable(&mut self, variable: Variable, place: u32) -> Term {
        let VariableInfo { sort, shape, term, .. } = self.variables[variable.0 as usize];
        // `release` may have removed the term, and its index may now belong to another one.
        if self.nodes.get(term.0 as usize).is_some_and(|node| node.head == Head::Variable(variable)) {
            return term;
        }
        let term = self.make(Head::Variable(variable), &[], sort, shape, place);
        self.variables[variable.0 as usize].term = term;
        term
    }

    /// The term of a constant of the script, if it was used before.
    pub(crate) fn known_constant(&self, function: Function) -> Option<Term> {
        let term = *self.constants.get(function.0 as usize)?;
        // As with variables, the index may now belong to another term.
        let node = self.nodes.get(term.index())?;
        (node.head == Head::Function(function) && self.arguments(term).is_empty()).then_some(term)
    }

    /// A constant of the script as a term.
    pub(crate) fn constant(&mut self, function: Function, sort: Sort, shape: Shape, place: u32) -> Term {
        let at = function.0 as usize;
        let term = self.make(Head::Function(function), &[], sort, shape, place);
        self.constants.resize(self.constants.len().max(at + 1), Term::UNKNOWN);
        self.constants[at] = term;
        term
    }

    /// A new binder of these variables.
    pub(crate) fn bind(&mut self, variables: impl IntoIterator<Item = (Symbol, Sort, Shape)>) -> Binder {
        let first = self.variables.len() as u32;
        self.variables.extend(variables.into_iter().map(|(name, sort, shape)| VariableInfo {
            name,
            sort,
            shape,
            term: Term::UNKNOWN,
        }));
        self.binders.push((first, self.variables.len() as u32 - first));
        Binder(self.binders.len() as u32 - 1)
    }

    pub(crate) fn add_cases(&mut self, cases: Vec<Case>) -> Cases {
        self.cases.push(cases.into());
        Cases(self.cases.len() as u32 - 1)
    }

    pub(crate) fn add_attributes(&mut self, attributes: Vec<Attribute>) -> Attributes {
        self.attributes.push(attributes.into());
        Attributes(self.attributes.len() as u32 - 1)
    }

    pub(crate) fn shape(&self, term: Term) -> Shape {
        self.nodes[term.0 as usize].shape
    }

    /// The head of a term.
    pub fn head(&self, term: Term) -> Head {
        self.nodes[term.0 as usize].head
    }

    /// The arguments of a term.
    pub fn arguments(&self, term: Term) -> &[Term] {
        arguments_of(&self.nodes, &self.arguments, term.index())
    }

    /// The sort of a term.
    pub fn sort(&self, term: Term) -> Sort {
        self.nodes[term.0 as usize].sort
    }

    /// The offset of the first occurrence of a term, from the start of its command.
    pub fn place(&self, term: Term) -> u32 {
        self.nodes[term.0 as usize].place
    }

    /// Whether no variable is free in it.
    pub fn is_closed(&self, term: Term) -> bool {
        self.nodes[term.0 as usize].lowest == CLOSED
    }

    /// The variables of a binder.
    pub fn variables(&self, binder: Binder) -> impl ExactSizeIterator<Item = Variable> + use<> {
        let (first, count) = self.binders[binder.0 as usize];
        (first..first + count).map(Variable)
    }

    /// The name of a variable.
    pub fn name(&self, variable: Variable) -> Symbol {
        self.variables[variable.0 as usize].name
    }

    /// The sort of a variable.
    pub fn variable_sort(&self, variable: Variable) -> Sort {
        self.variables[variable.0 as usize].sort
    }

    /// The cases of a `match`.
    pub fn cases(&self, cases: Cases) -> &[Case] {
        &self.cases[cases.0 as usize]
    }

    /// The attributes of a `!`.
    pub fn attributes(&self, attributes: Attributes) -> &[Attribute] {
        &self.attributes[attributes.0 as usize]
    }

    /// The names that `:named` gives to this term, without those of its subterms.
    pub fn labels(&self, term: Term) -> impl Iterator<Item = Symbol> + '_ {
        let attributes = match self.head(term) {
            Head::Annotated(attributes) => self.attributes(attributes),
            _ => &[],
        };
        attributes.iter().filter_map(|attribute| match attribute {
            Attribute::Named(name) => Some(*name),
            _ => None,
        })
    }

    /// The names from `:named` and their terms, skipping the first `seen` terms.
    pub fn named_since(&self, seen: usize) -> impl Iterator<Item = (Symbol, Term)> + '_ {
        self.iter().skip(seen).flat_map(move |term| self.labels(term).map(move |name| (name, self.arguments(term)[0])))
    }

    /// All terms, each after its arguments.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Term> + use<> {
        (1..self.nodes.len() as u32).map(Term)
    }

    /// The number of distinct terms.
    pub fn len(&self) -> usize {
        self.nodes.len() - 1
    }

    /// Whether there is no term.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The current state.
    pub fn mark(&self) -> Mark {
        Mark {
            nodes: self.nodes.len(),
            arguments: self.arguments.len(),
            variables: self.variables.len(),
            binders: self.binders.len(),
            cases: self.cases.len(),
            attributes: self.attributes.len(),
        }
    }

    /// Removes all terms created since the mark.
    pub fn release(&mut self, mark: Mark) {
        // Clearing takes time proportional to the size of the table, and removing to the number of removed terms.
        if mark.nodes == 1 && self.nodes.len() > self.table.capacity() / 16 {
            self.table.clear();
        } else {
            for term in mark.nodes..self.nodes.len() {
                let node = &self.nodes[term];
                if !node.head.is_unique() {
                    let hashed = hash(node.head, arguments_of(&self.nodes, &self.arguments, term), node.sort);
                    if let Ok(entry) = self.table.find_entry(Hash::spread(hashed), |&(_, other)| other as usize == term)
                    {
                        entry.remove();
                    }
                }
            }
        }
        self.nodes.truncate(mark.nodes);
        self.arguments.truncate(mark.arguments);
        self.variables.truncate(mark.variables);
        self.binders.truncate(mark.binders);
        self.cases.truncate(mark.cases);
        self.attributes.truncate(mark.attributes);
    }

    /// Frees the table that finds equal terms. No more terms can be created.
    pub(crate) fn complete(&mut self) {
        self.table = HashTable::new();
    }

    /// Forgets all terms and the functions in them.
    pub(crate) fn clear(&mut self) {
        self.release(Self::default().mark());
        self.constants.clear();
    }
}
