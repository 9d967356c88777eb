//! IEEE floats: QF_FP.

use super::family::{Family, Wanted};
use super::random::Random;
use std::fmt::Write;

pub(super) const SUMS: Family = Family {
    name: "sums",
    logic: "QF_FP",
    about: "The sum of n + 1 single-precision floats changes: impossible if the operands of its additions are \
            swapped, possible if it is added up from the other end.",
    sat_sizes: &[2, 4],
    unsat_sizes: &[2, 5],
    largest: 50,
    incremental: false,
    body: sums,
};

fn sums(additions: u32, wanted: Wanted, _: &mut Random) -> String {
    // The order matters from two additions on: if e is half an ulp, (1 + e) + e is 1, but 1 + (e + e) is not.
    let count = additions + 1;
    let mut script = String::new();
    for at in 0..count {
        // Values from 0 to 2 exclude infinities and NaN, for which equality is different.
        writeln!(script, "(declare-fun x{at} () Float32)").unwrap();
        writeln!(script, "(assert (fp.leq (fp #b0 #x00 #b00000000000000000000000) x{at}))").unwrap();
        writeln!(script, "(assert (fp.leq x{at} (fp #b0 #x80 #b00000000000000000000000)))").unwrap();
    }
    let add = |one: String, other: String| format!("(fp.add RNE {one} {other})");
    let from_left = (1..count).fold("x0".to_owned(), |sum, at| add(sum, format!("x{at}")));
    let other = if wanted.is_sat() {
        (0..count - 1).rev().fold(format!("x{}", count - 1), |sum, at| add(format!("x{at}"), sum))
    } else {
        (1..count).fold("x0".to_owned(), |sum, at| add(format!("x{at}"), sum))
    };
    writeln!(script, "(assert (not (fp.eq {from_left} {other})))").unwrap();
    script
}
