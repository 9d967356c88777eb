//! Incremental benchmarks, with one query per step: QF_BV and QF_UF.

use super::family::{Family, Wanted};
use super::random::Random;
use std::collections::BTreeSet;
use std::fmt::Write;

pub(super) const COUNTER: Family = Family {
    name: "counter",
    logic: "QF_BV",
    about: "In each of n steps a constant may be added to a register. After each step the query is whether the \
            register can have a given value, which a simulation of all runs decides.",
    sat_sizes: &[12, 40],
    unsat_sizes: &[12, 40],
    largest: 2000,
    incremental: true,
    body: counter,
};

pub(super) const LINKS: Family = Family {
    name: "links",
    logic: "QF_UF",
    about: "A chain of n equations grows by one equation per query. That its ends are equal is satisfiable, that they \
            differ is not.",
    sat_sizes: &[10, 100],
    unsat_sizes: &[10, 100],
    largest: 2000,
    incremental: true,
    body: links,
};

fn counter(steps: u32, wanted: Wanted, random: &mut Random) -> String {
    let by = 2 * random.between(1, 60) as u32 + 1;
    let start = random.between(0, 255) as u32;
    let mut script = format!("(declare-fun s0 () (_ BitVec 8))\n(assert (= s0 (_ bv{start} 8)))\n");
    let mut reachable = BTreeSet::from([start]);
    for step in 1..=steps {
        let before = step - 1;
        writeln!(script, "(declare-fun s{step} () (_ BitVec 8))\n(declare-fun go{step} () Bool)").unwrap();
        writeln!(script, "(assert (= s{step} (ite go{step} (bvadd s{before} (_ bv{by} 8)) s{before})))").unwrap();
        reachable = reachable.iter().flat_map(|value| [*value, (value + by) % 256]).collect();
        let target = |wants: bool, random: &mut Random| {
            let values: Vec<u32> = (0..256).filter(|value| reachable.contains(value) == wants).collect();
            let at = random.between(0, values.len().max(1) as i64 - 1) as usize;
            values.get(at).copied()
        };
        // If all values are reachable, there is no unreachable one to ask for, and the query is replaced by a
        // contradiction.
        let wants = if step == steps { wanted.is_sat() } else { random.between(0, 1) == 1 };
        let target = target(wants, random);
        let (value, status) = match (target, wants) {
            (Some(value), true) => (format!("(_ bv{value} 8)"), "sat"),
            (Some(value), false) => (format!("(_ bv{value} 8)"), "unsat"),
            (None, _) => (format!("(bvnot s{step})"), "unsat"),
        };
        writeln!(script, "(push 1)\n(assert (= s{step} {value}))\n(set-info :status {status})\n(check-sat)\n(pop 1)")
            .unwrap();
    }
    script
}

fn links(count: u32, wanted: Wanted, random: &mut Random) -> String {
    let mut script = String::from("(declare-sort U 0)\n(declare-fun x0 () U)\n");
    for link in 1..=count {
        let before = link - 1;
        writeln!(script, "(declare-fun x{link} () U)\n(assert (= x{before} x{link}))").unwrap();
        let can = if link == count { wanted.is_sat() } else { random.between(0, 1) == 1 };
        let (formula, status) =
            if can { (format!("(= x0 x{link})"), "sat") } else { (format!("(not (= x0 x{link}))"), "unsat") };
        writeln!(script, "(push 1)\n(assert {formula})\n(set-info :status {status})\n(check-sat)\n(pop 1)").unwrap();
    }
    script
}
