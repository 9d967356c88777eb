//! Arrays: QF_AX and QF_ABV.

use super::family::{Family, Wanted};
use super::random::Random;
use std::fmt::Write;

pub(super) const STORES: Family = Family {
    name: "stores",
    logic: "QF_AX",
    about: "n stores at distinct indices yield the same array in any order; if two indices may be equal, the order \
            can matter.",
    sat_sizes: &[8, 64],
    unsat_sizes: &[16, 64],
    largest: 500,
    incremental: false,
    body: stores,
};

pub(super) const BUBBLESORT: Family = Family {
    name: "bubblesort",
    logic: "QF_ABV",
    about: "Bubble sort leaves n bytes in memory sorted; without its last exchange they may be unsorted.",
    sat_sizes: &[4, 6],
    unsat_sizes: &[3, 4, 5],
    largest: 60,
    incremental: false,
    body: bubblesort,
};

fn stores(count: u32, wanted: Wanted, random: &mut Random) -> String {
    let mut script = String::from("(declare-sort Index 0)\n(declare-sort Element 0)\n");
    script.push_str("(declare-fun a () (Array Index Element))\n");
    for at in 0..count {
        writeln!(script, "(declare-fun i{at} () Index)\n(declare-fun e{at} () Element)").unwrap();
    }
    // In a satisfiable member the first two indices may be equal, and the second order swaps their stores.
    for one in 0..count {
        for other in (0..one).filter(|other| !wanted.is_sat() || (one, *other) != (1, 0)) {
            writeln!(script, "(assert (not (= i{one} i{other})))").unwrap();
        }
    }
    let mut order: Vec<u32> = (0..count).collect();
    random.shuffle(&mut order);
    let place = |wanted: u32| order.iter().position(|at| *at == wanted).expect("the order has every place");
    let (first, second) = (place(0), place(1));
    if wanted.is_sat() && first < second {
        order.swap(first, second);
    }
    let chain = |order: &[u32]| order.iter().fold("a".to_owned(), |array, at| format!("(store {array} i{at} e{at})"));
    let straight: Vec<u32> = (0..count).collect();
    writeln!(script, "(assert (not (= {} {})))", chain(&straight), chain(&order)).unwrap();
    script
}

fn bubblesort(count: u32, wanted: Wanted, _: &mut Random) -> String {
    const INDEX: u32 = 8;
    let mut script = format!("(declare-fun m0 () (Array (_ BitVec {INDEX}) (_ BitVec 8)))\n");
    let cell = |memory: u32, at: u32| format!("(select m{memory} (_ bv{at} {INDEX}))");
    let mut exchanges: Vec<u32> = (1..count).rev().flat_map(|end| 0..end).collect();
    if wanted.is_sat() {
        exchanges.pop();
    }
    let mut memory = 0;
    for at in exchanges {
        let (low, high) = (cell(memory, at), cell(memory, at + 1));
        let before = memory;
        memory += 1;
        writeln!(
            script,
            "(declare-fun m{memory} () (Array (_ BitVec {INDEX}) (_ BitVec 8)))\n\
             (assert (= m{memory} (ite (bvult {high} {low}) \
             (store (store m{before} (_ bv{at} {INDEX}) {high}) (_ bv{} {INDEX}) {low}) m{before})))",
            at + 1
        )
        .unwrap();
    }
    let unsorted: String =
        (1..count).map(|at| format!(" (bvult {} {})", cell(memory, at), cell(memory, at - 1))).collect();
    writeln!(script, "(assert (or false{unsorted}))").unwrap();
    script
}
