//! Bit-vectors: QF_BV.

use super::family::{Family, Wanted};
use super::random::Random;
use std::fmt::Write;

pub(super) const MULTIPLIER: Family = Family {
    name: "multiplier",
    logic: "QF_BV",
    about: "Multiplication of n-bit words differs from the sum of shifted copies: impossible, unless one shift is \
            wrong.",
    sat_sizes: &[8, 16],
    unsat_sizes: &[6, 8, 9],
    largest: 256,
    incremental: false,
    body: multiplier,
};

pub(super) const FACTORING: Family = Family {
    name: "factoring",
    logic: "QF_BV",
    about: "A number of 2n bits is the product of two factors of n bits: possible for a product of two primes, \
            impossible for a prime.",
    sat_sizes: &[10, 16],
    unsat_sizes: &[9, 16],
    largest: 20,
    incremental: false,
    body: factoring,
};

fn multiplier(width: u32, wanted: Wanted, random: &mut Random) -> String {
    let wrong = wanted.is_sat().then(|| random.between(0, i64::from(width) - 2) as u32);
    let mut script = String::new();
    for name in ["x", "y"] {
        writeln!(script, "(declare-fun {name} () (_ BitVec {width}))").unwrap();
    }
    let mut sum = format!("(_ bv0 {width})");
    for bit in 0..width {
        let shift = if Some(bit) == wrong { bit + 1 } else { bit };
        sum = format!(
            "(bvadd {sum} (ite (= ((_ extract {bit} {bit}) y) #b1) (bvshl x (_ bv{shift} {width})) (_ bv0 {width})))"
        );
    }
    writeln!(script, "(assert (not (= (bvmul x y) {sum})))").unwrap();
    script
}

fn factoring(bits: u32, wanted: Wanted, random: &mut Random) -> String {
    // The factors are primes between 2^(bits-1) and 2^bits, so that the product has no smaller factors and fits into
    // twice the width.
    let (low, high) = (1_u64 << (bits - 1), (1_u64 << bits) - 1);
    let number = if wanted.is_sat() {
        let primes: Vec<u64> = (low..=high).filter(|n| is_prime(*n)).collect();
        let mut pick = || primes[random.between(0, primes.len() as i64 - 1) as usize];
        pick() * pick()
    } else {
        let from = random.between((low * low) as i64, (high * high) as i64) as u64;
        (from..).find(|n| is_prime(*n)).expect("there is always a next prime")
    };
    let width = 2 * bits + 1;
    let mut script = String::new();
    for name in ["p", "q"] {
        writeln!(script, "(declare-fun {name} () (_ BitVec {width}))").unwrap();
        writeln!(script, "(assert (bvult (_ bv1 {width}) {name}))").unwrap();
        writeln!(script, "(assert (bvult {name} (_ bv{} {width})))", 1_u64 << bits).unwrap();
    }
    writeln!(script, "(assert (bvule p q))\n(assert (= (bvmul p q) (_ bv{number} {width})))").unwrap();
    script
}

fn is_prime(n: u64) -> bool {
    n > 1 && (2..).take_while(|d| d * d <= n).all(|d| !n.is_multiple_of(d))
}
