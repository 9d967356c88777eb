//! Strings: QF_SLIA.

use super::family::{Family, Wanted};
use super::random::Random;
use std::fmt::Write;

pub(super) const COMMUTING: Family = Family {
    name: "commuting",
    logic: "QF_SLIA",
    about: "Two words commute and one starts with ab: possible if both lengths are even, impossible if they are \
            coprime, since commuting words are powers of the same word (Lyndon and Schuetzenberger).",
    sat_sizes: &[8, 30],
    unsat_sizes: &[8, 30],
    largest: 10_000,
    incremental: false,
    body: commuting,
};

fn commuting(size: u32, wanted: Wanted, _: &mut Random) -> String {
    let (one, other) = if wanted.is_sat() { (2 * size, 2 * size + 2) } else { (size, size + 1) };
    let mut script = String::from("(declare-fun u () String)\n(declare-fun v () String)\n");
    writeln!(script, "(assert (= (str.++ u v) (str.++ v u)))").unwrap();
    writeln!(script, "(assert (= (str.len u) {one}))\n(assert (= (str.len v) {other}))").unwrap();
    writeln!(script, "(assert (str.prefixof \"ab\" u))").unwrap();
    script
}
