//! The theories: their functions, and the sorts of their arguments and results.

mod signature;
mod tables;

pub(crate) use signature::{Calculation, LeastArguments, Misfit, Signatures};

/// A theory, or a part of one that logics mention.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Theory {
    /// Booleans, equality, `ite`.
    Core,
    /// Integers.
    Ints,
    /// Reals.
    Reals,
    /// `sin`, `exp` and so on.
    Transcendentals,
    /// `ArraysEx`
    Arrays,
    /// `FixedSizeBitVectors`
    BitVectors,
    /// `FloatingPoint`
    Floats,
    /// `UnicodeStrings`
    Strings,
    /// Sequences.
    Sequences,
    /// Finite sets.
    Sets,
    /// Datatypes.
    Datatypes,
    /// Separation logic.
    Separation,
    /// Maps as values: `->`, `lambda`.
    Maps,
}

impl Theory {
    /// All theories.
    pub const ALL: [Self; 13] = [
        Self::Core,
        Self::Ints,
        Self::Reals,
        Self::Transcendentals,
        Self::Arrays,
        Self::BitVectors,
        Self::Floats,
        Self::Strings,
        Self::Sequences,
        Self::Sets,
        Self::Datatypes,
        Self::Separation,
        Self::Maps,
    ];

    /// Its name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Core => "Core",
            Self::Ints => "Ints",
            Self::Reals => "Reals",
            Self::Transcendentals => "transcendental functions",
            Self::Arrays => "ArraysEx",
            Self::BitVectors => "FixedSizeBitVectors",
            Self::Floats => "FloatingPoint",
            Self::Strings => "UnicodeStrings",
            Self::Sequences => "sequences",
            Self::Sets => "finite sets",
            Self::Datatypes => "datatypes",
            Self::Separation => "separation logic",
            Self::Maps => "maps (higher-order terms)",
        }
    }
}

/// A set of theories.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Theories(u16);

impl Theories {
    /// No theory.
    pub const NONE: Self = Self(0);

    /// These theories.
    pub const fn of(theories: &[Theory]) -> Self {
        let mut set = 0;
        let mut at = 0;
        while at < theories.len() {
            set |= 1 << theories[at] as u16;
            at += 1;
        }
        Self(set)
    }

    /// Whether it contains this theory.
    pub const fn has(self, theory: Theory) -> bool {
        self.0 & (1 << theory as u16) != 0
    }

    /// Whether it contains all of these.
    pub const fn contains(self, others: Self) -> bool {
        others.0 & !self.0 == 0
    }

    /// The union.
    #[must_use]
    pub const fn with(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// The difference.
    #[must_use]
    pub const fn without(self, others: Self) -> Self {
        Self(self.0 & !others.0)
    }

    /// The theories in it.
    pub fn iter(self) -> impl Iterator<Item = Theory> {
        Theory::ALL.into_iter().filter(move |theory| self.has(*theory))
    }

    /// The number of theories in it.
    pub const fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether it is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}
