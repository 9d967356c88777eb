//! The values of literals.

use crate::machine::Machine;
use crate::theory::{Computed, Refusal, bit_vector_width, effort};
use agon_smtlib::{Constructor, Literal, Sort, Symbol};
use dashu_int::{IBig, UBig};
use dashu_ratio::RBig;

impl Machine<'_> {
    pub(crate) fn literal(&mut self, kind: Literal, text: Symbol, sort: Sort) -> Computed {
        let checker = self.checker;
        let bytes = checker.symbols.text(text);
        let digits = |radix: u32| -> Result<UBig, Refusal> {
            let wrong = || Refusal::Undecided("a number that cannot be parsed".into());
            let text = std::str::from_utf8(bytes).map_err(|_| wrong())?;
            UBig::from_str_radix(text, radix).map_err(|_| wrong())
        };
        // Reals are stored in lowest terms, and reducing a fraction takes more work than parsing its digits.
        let is_real = sort == Sort::REAL && kind == Literal::Decimal;
        let bits = 4 * bytes.len();
        self.context.spend(if is_real { effort(bits, bits) } else { bytes.len() })?;
        let width = match checker.sorts.constructor(sort) {
            Constructor::BitVec(width) => bit_vector_width(width)?,
            _ => 0,
        };
        Ok(match kind {
            Literal::Numeral if sort == Sort::REAL => self.context.values.real(RBig::from(digits(10)?)),
            Literal::Numeral => self.context.values.int(IBig::from(digits(10)?)),
            Literal::Decimal => {
                let number = std::str::from_utf8(bytes)
                    .ok()
                    .and_then(decimal)
                    .ok_or_else(|| Refusal::Undecided("a number that cannot be parsed".into()))?;
                self.context.values.real(number)
            }
            Literal::Hexadecimal => self.context.values.bits(width, digits(16)?),
            Literal::Binary => self.context.values.bits(width, digits(2)?),
            Literal::BitVector => self.context.values.bits(width, digits(10)?),
            Literal::String => match crate::list_operations::letters(bytes) {
                Some(letters) => self.context.values.string(letters),
                None => {
                    return Err(Refusal::Undecided("a string with characters that the theory does not have".into()));
                }
            },
            Literal::Character => {
                let letter = u32::try_from(&digits(16)?).unwrap_or(0);
                self.context.values.string(vec![letter])
            }
        })
    }
}

/// Parses digits, optionally followed by a point and digits.
pub(crate) fn decimal(text: &str) -> Option<RBig> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = UBig::from_str_radix(&format!("{whole}{part}"), 10).ok()?;
    Some(RBig::from_parts(IBig::from(digits), UBig::from(10_u8).pow(part.len())))
}
