//! Datatypes: QF_DT.

use super::family::{Family, Wanted};
use super::random::Random;
use std::fmt::Write;

pub(super) const LISTS: Family = Family {
    name: "lists",
    logic: "QF_DT",
    about: "n lists in a random order, each the tail of the previous one: the last cannot contain the first, but it \
            can be empty.",
    sat_sizes: &[60, 600],
    unsat_sizes: &[60, 600],
    largest: 100_000,
    incremental: false,
    body: lists,
};

fn lists(count: u32, wanted: Wanted, random: &mut Random) -> String {
    let mut script = String::from(
        "(declare-datatypes ((Letter 0) (List 0)) (((a) (b) (c)) ((nil) (cons (head Letter) (tail List)))))\n",
    );
    (0..count).for_each(|at| writeln!(script, "(declare-fun l{at} () List)").unwrap());
    let mut order: Vec<u32> = (0..count).collect();
    random.shuffle(&mut order);
    for link in order.windows(2) {
        let letter = ["a", "b", "c"][random.between(0, 2) as usize];
        writeln!(script, "(assert (= l{} (cons {letter} l{})))", link[0], link[1]).unwrap();
    }
    let (first, last) = (order[0], order[order.len() - 1]);
    let end = if wanted.is_sat() { "nil".to_owned() } else { format!("(cons a l{first})") };
    writeln!(script, "(assert (= l{last} {end}))").unwrap();
    script
}
