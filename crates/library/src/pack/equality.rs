//! Equality and uninterpreted symbols: QF_UF.

use super::family::{Family, Wanted};
use super::random::Random;
use std::fmt::Write;

pub(super) const PIGEONS: Family = Family {
    name: "pigeons",
    logic: "QF_UF",
    about: "The pigeonhole principle: distinct pigeons are each equal to one of n holes. n pigeons fit, n + 1 do not.",
    sat_sizes: &[8, 40],
    unsat_sizes: &[7, 9, 10],
    largest: 200,
    incremental: false,
    body: pigeons,
};

pub(super) const DIAMONDS: Family = Family {
    name: "diamonds",
    logic: "QF_UF",
    about: "A chain of n diamonds of equalities connects two different ends: impossible, unless one diamond is left \
            out.",
    sat_sizes: &[120, 400],
    unsat_sizes: &[60, 400],
    largest: 100_000,
    incremental: false,
    body: diamonds,
};

fn pigeons(holes: u32, wanted: Wanted, _: &mut Random) -> String {
    let pigeons = if wanted.is_sat() { holes } else { holes + 1 };
    let mut script = String::from("(declare-sort Place 0)\n");
    for (kind, count) in [("hole", holes), ("pigeon", pigeons)] {
        (0..count).for_each(|at| writeln!(script, "(declare-fun {kind}{at} () Place)").unwrap());
    }
    for pigeon in 0..pigeons {
        let places: String = (0..holes).map(|hole| format!(" (= pigeon{pigeon} hole{hole})")).collect();
        writeln!(script, "(assert (or{places}))").unwrap();
    }
    for one in 0..pigeons {
        for other in 0..one {
            writeln!(script, "(assert (not (= pigeon{one} pigeon{other})))").unwrap();
        }
    }
    script
}

fn diamonds(count: u32, wanted: Wanted, random: &mut Random) -> String {
    let open = wanted.is_sat().then(|| random.between(0, i64::from(count) - 1) as u32);
    let mut script = String::from("(declare-sort U 0)\n");
    (0..=count).for_each(|at| writeln!(script, "(declare-fun x{at} () U)").unwrap());
    for at in 0..count {
        let next = at + 1;
        writeln!(script, "(declare-fun y{at} () U)\n(declare-fun z{at} () U)").unwrap();
        if Some(at) != open {
            writeln!(
                script,
                "(assert (or (and (= x{at} y{at}) (= y{at} x{next})) (and (= x{at} z{at}) (= z{at} x{next}))))"
            )
            .unwrap();
        }
    }
    writeln!(script, "(assert (not (= x0 x{count})))").unwrap();
    script
}
