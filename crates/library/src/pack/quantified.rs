//! Quantifiers: UF and LIA.

use super::family::{Family, Wanted};
use super::random::Random;
use std::fmt::Write;

pub(super) const CHAIN: Family = Family {
    name: "chain",
    logic: "UF",
    about: "A strict order on a chain of n elements: possible if the chain is open, impossible if it is closed to a \
            ring.",
    sat_sizes: &[4, 8],
    unsat_sizes: &[6, 40],
    largest: 10_000,
    incremental: false,
    body: chain,
};

pub(super) const COINS: Family = Family {
    name: "coins",
    logic: "LIA",
    about: "Coins of n and n + 1 can pay every amount from (n - 1) n on, but not the one below it (Frobenius).",
    sat_sizes: &[3, 8],
    unsat_sizes: &[4, 8],
    largest: 10_000,
    incremental: false,
    body: coins,
};

fn chain(elements: u32, wanted: Wanted, _: &mut Random) -> String {
    let mut script = String::from(
        "(declare-sort U 0)\n\
         (declare-fun less (U U) Bool)\n\
         (assert (forall ((x U)) (not (less x x))))\n\
         (assert (forall ((x U) (y U) (z U)) (=> (and (less x y) (less y z)) (less x z))))\n",
    );
    (0..elements).for_each(|at| writeln!(script, "(declare-fun a{at} () U)").unwrap());
    for at in 1..elements {
        writeln!(script, "(assert (less a{} a{at}))", at - 1).unwrap();
    }
    if !wanted.is_sat() {
        writeln!(script, "(assert (less a{} a0))", elements - 1).unwrap();
    }
    script
}

fn coins(small: u32, wanted: Wanted, _: &mut Random) -> String {
    // For coprime p and q, the largest amount that cannot be paid is pq - p - q. For q = p + 1 that is (p - 1) p - 1.
    let large = small + 1;
    let from = (small - 1) * small - u32::from(!wanted.is_sat());
    format!(
        "(assert (forall ((amount Int)) (=> (>= amount {from})\n  (exists ((a Int) (b Int))\n    \
         (and (>= a 0) (>= b 0) (= amount (+ (* {small} a) (* {large} b))))))))\n"
    )
}
