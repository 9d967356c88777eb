//! The operators whose arguments may be permuted, by logic.

use crate::keywords::{self as w, Word};

/// The theories whose operators may be permuted, derived from the name of the logic as the official tool does.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Theories {
    difference: bool,
    arithmetic: bool,
    bit_vectors: bool,
    floating_point: bool,
}

impl Theories {
    pub(crate) fn of(logic: &[u8]) -> Self {
        let has = |part: &[u8]| logic.windows(part.len()).any(|window| window == part);
        Self {
            difference: has(b"IDL") || has(b"RDL"),
            arithmetic: has(b"IA") || has(b"RA"),
            bit_vectors: has(b"BV"),
            floating_point: has(b"FP"),
        }
    }

    /// How the arguments of an operator may be permuted.
    pub(crate) fn moves(self, operator: Word) -> Moves {
        match operator {
            w::AND | w::OR | w::XOR | w::DISTINCT => Moves::Shuffle { from: 0 },
            // Difference logics restrict equations to one form, which a permutation could violate.
            w::EQUALS if !self.difference => Moves::Shuffle { from: 0 },
            w::TIMES | w::PLUS if self.arithmetic => Moves::Shuffle { from: 0 },
            w::BVAND | w::BVOR | w::BVXOR | w::BVNAND | w::BVNOR | w::BVCOMP | w::BVADD | w::BVMUL
                if self.bit_vectors =>
            {
                Moves::Shuffle { from: 0 }
            }
            w::FP_EQ if self.floating_point => Moves::Shuffle { from: 0 },
            // The rounding mode stays first.
            w::FP_ADD | w::FP_MUL if self.floating_point => Moves::Shuffle { from: 1 },
            _ => self.mirror(operator).map_or(Moves::None, Moves::Mirror),
        }
    }

    /// The operator that has the same meaning with reversed arguments, such as `>` for `<`.
    fn mirror(self, operator: Word) -> Option<Word> {
        let (known, mirrored) = match operator {
            w::LESS => (self.arithmetic, w::GREATER),
            w::GREATER => (self.arithmetic, w::LESS),
            w::AT_MOST => (self.arithmetic, w::AT_LEAST),
            w::AT_LEAST => (self.arithmetic, w::AT_MOST),
            w::BVSLT => (self.bit_vectors, w::BVSGT),
            w::BVSGT => (self.bit_vectors, w::BVSLT),
            w::BVSLE => (self.bit_vectors, w::BVSGE),
            w::BVSGE => (self.bit_vectors, w::BVSLE),
            w::BVULT => (self.bit_vectors, w::BVUGT),
            w::BVUGT => (self.bit_vectors, w::BVULT),
            w::BVULE => (self.bit_vectors, w::BVUGE),
            w::BVUGE => (self.bit_vectors, w::BVULE),
            w::FP_LT => (self.floating_point, w::FP_GT),
            w::FP_GT => (self.floating_point, w::FP_LT),
            w::FP_LEQ => (self.floating_point, w::FP_GEQ),
            w::FP_GEQ => (self.floating_point, w::FP_LEQ),
            _ => return None,
        };
        known.then_some(mirrored)
    }
}

/// How the arguments of an operator may be permuted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Moves {
    /// The arguments may be in any order, starting at this index.
    Shuffle { from: usize },
    /// The arguments may be reversed if the operator is replaced with this one.
    Mirror(Word),
    /// The arguments must not be permuted.
    None,
}
