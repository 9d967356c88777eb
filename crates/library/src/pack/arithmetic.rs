//! Quantifier-free arithmetic: QF_IDL, QF_LRA, QF_LIA, QF_UFLIA, QF_NRA.

use super::family::{Family, Wanted};
use super::random::Random;
use std::fmt::Write;

pub(super) const JOBSHOP: Family = Family {
    name: "jobshop",
    logic: "QF_IDL",
    about: "Job-shop scheduling of n jobs on three machines: possible within the time of a greedy schedule, \
            impossible in less time than the total load of the busiest machine.",
    sat_sizes: &[8, 16],
    unsat_sizes: &[6, 8, 10],
    largest: 200,
    incremental: false,
    body: jobshop,
};

pub(super) const FARKAS: Family = Family {
    name: "farkas",
    logic: "QF_LRA",
    about: "Linear inequalities over n reals: all hold at a planted point, or a planted positive combination of them \
            is 0 <= -1.",
    sat_sizes: &[10, 24, 32],
    unsat_sizes: &[10, 24, 32],
    largest: 500,
    incremental: false,
    body: farkas,
};

pub(super) const LATTICE: Family = Family {
    name: "lattice",
    logic: "QF_LIA",
    about: "Linear equations over n integers with a planted solution, or with a hidden combination whose coefficients \
            are all divisible by 3 while its right-hand side is not.",
    sat_sizes: &[6, 10],
    unsat_sizes: &[4, 12],
    largest: 200,
    incremental: false,
    body: lattice,
};

pub(super) const HASHING: Family = Family {
    name: "hashing",
    logic: "QF_UFLIA",
    about: "Keys with pairwise different images under a hash function with n values: possible for n keys, impossible \
            for n + 1.",
    sat_sizes: &[8, 20],
    unsat_sizes: &[5, 6, 7],
    largest: 200,
    incremental: false,
    body: hashing,
};

pub(super) const MEANS: Family = Family {
    name: "means",
    logic: "QF_NRA",
    about: "n positive reals with sum n: their product can exceed one half, but never 1 (inequality of arithmetic and \
            geometric means).",
    sat_sizes: &[3, 6],
    unsat_sizes: &[3, 6, 8],
    largest: 100,
    incremental: false,
    body: means,
};

fn jobshop(jobs: u32, wanted: Wanted, random: &mut Random) -> String {
    const MACHINES: usize = 3;
    let jobs = jobs as usize;
    let lengths: Vec<[i64; MACHINES]> = (0..jobs).map(|_| std::array::from_fn(|_| random.between(1, 9))).collect();
    let load = |machine: usize| lengths.iter().map(|job| job[machine]).sum::<i64>();
    let deadline = if wanted.is_sat() {
        // A greedy schedule: one job after another, each step as soon as the job and the machine are free.
        let mut free = [0; MACHINES];
        for job in &lengths {
            let mut ready = 0;
            for (machine, length) in free.iter_mut().zip(job) {
                ready = ready.max(*machine) + length;
                *machine = ready;
            }
        }
        free[MACHINES - 1]
    } else {
        (0..MACHINES).map(load).max().unwrap_or(0) - 1
    };
    let mut script = String::from("(declare-fun zero () Int)\n");
    for job in 0..jobs {
        (0..MACHINES).for_each(|machine| writeln!(script, "(declare-fun s{job}_{machine} () Int)").unwrap());
    }
    for (job, steps) in lengths.iter().enumerate() {
        writeln!(script, "(assert (>= (- s{job}_0 zero) 0))").unwrap();
        for machine in 1..MACHINES {
            let before = machine - 1;
            let length = steps[before];
            writeln!(script, "(assert (>= (- s{job}_{machine} s{job}_{before}) {length}))").unwrap();
        }
        let last = MACHINES - 1;
        writeln!(script, "(assert (<= (- s{job}_{last} zero) {}))", integer(deadline - steps[last])).unwrap();
    }
    for (one, steps) in lengths.iter().enumerate() {
        for (other, other_steps) in lengths[..one].iter().enumerate() {
            for (machine, (length, other_length)) in steps.iter().zip(other_steps).enumerate() {
                writeln!(
                    script,
                    "(assert (or (>= (- s{one}_{machine} s{other}_{machine}) {other_length}) \
                     (>= (- s{other}_{machine} s{one}_{machine}) {length})))"
                )
                .unwrap();
            }
        }
    }
    script
}

fn farkas(variables: u32, wanted: Wanted, random: &mut Random) -> String {
    let n = variables as usize;
    let mut row = || -> Vec<i64> { (0..n).map(|_| random.between(-9, 9)).collect() };
    let mut rows: Vec<(Vec<i64>, i64)> = (0..2 * n).map(|_| (row(), 0)).collect();
    if wanted.is_sat() {
        let point = row();
        for (coefficients, bound) in &mut rows {
            *bound = dot(coefficients, &point) + random.between(0, 3);
        }
    } else {
        // The last row is minus the sum of the others, and the bounds add up to -1.
        for (_, bound) in &mut rows {
            *bound = random.between(-20, 20);
        }
        let minus_sum = (0..n).map(|at| -rows.iter().map(|(row, _)| row[at]).sum::<i64>()).collect();
        let bounds: i64 = rows.iter().map(|(_, bound)| bound).sum();
        rows.push((minus_sum, -1 - bounds));
        random.shuffle(&mut rows);
    }
    let mut script = String::new();
    (0..n).for_each(|at| writeln!(script, "(declare-fun x{at} () Real)").unwrap());
    for (coefficients, bound) in &rows {
        writeln!(script, "(assert (<= {} {}))", combination(coefficients, real), real(*bound)).unwrap();
    }
    script
}

fn lattice(variables: u32, wanted: Wanted, random: &mut Random) -> String {
    let n = variables as usize;
    let mut row = |low, high| -> Vec<i64> { (0..n).map(|_| random.between(low, high)).collect() };
    let point = row(-6, 6);
    let mut rows: Vec<(Vec<i64>, i64)> = (1..n.div_ceil(2))
        .map(|_| {
            let coefficients = row(-5, 5);
            let value = dot(&coefficients, &point);
            (coefficients, value)
        })
        .collect();
    // The last row is a row with coefficients divisible by 3, plus multiples of the other rows. In an unsatisfiable
    // member its value is one too large, so that no integers satisfy all rows.
    let tripled: Vec<i64> = row(-4, 4).iter().map(|c| 3 * c).collect();
    let mut hidden = (tripled.clone(), dot(&tripled, &point) + i64::from(!wanted.is_sat()));
    for (coefficients, value) in &rows {
        let factor = random.between(-2, 2);
        hidden.0.iter_mut().zip(coefficients).for_each(|(sum, c)| *sum += factor * c);
        hidden.1 += factor * value;
    }
    rows.push(hidden);
    random.shuffle(&mut rows);
    let mut script = String::new();
    for at in 0..n {
        writeln!(script, "(declare-fun x{at} () Int)\n(assert (<= (- 8) x{at} 8))").unwrap();
    }
    for (coefficients, value) in &rows {
        writeln!(script, "(assert (= {} {}))", combination(coefficients, integer), integer(*value)).unwrap();
    }
    script
}

fn hashing(values: u32, wanted: Wanted, _: &mut Random) -> String {
    let keys = if wanted.is_sat() { values } else { values + 1 };
    let mut script = String::from("(declare-fun hash (Int) Int)\n(declare-fun slot (Int) Int)\n");
    for key in 0..keys {
        writeln!(script, "(declare-fun k{key} () Int)").unwrap();
        writeln!(script, "(assert (and (<= 1 (hash k{key})) (<= (hash k{key}) {values})))").unwrap();
    }
    for one in 0..keys {
        for other in 0..one {
            writeln!(script, "(assert (not (= (slot (hash k{one})) (slot (hash k{other})))))").unwrap();
        }
    }
    script
}

fn means(variables: u32, wanted: Wanted, _: &mut Random) -> String {
    let names: Vec<String> = (0..variables).map(|at| format!("x{at}")).collect();
    let mut script = String::new();
    for name in &names {
        writeln!(script, "(declare-fun {name} () Real)\n(assert (> {name} 0.0))").unwrap();
    }
    let all = names.join(" ");
    let bound = if wanted.is_sat() { "(/ 1.0 2.0)" } else { "1.0" };
    writeln!(script, "(assert (= (+ {all}) {variables}.0))\n(assert (> (* {all}) {bound}))").unwrap();
    script
}

fn dot(one: &[i64], other: &[i64]) -> i64 {
    one.iter().zip(other).map(|(a, b)| a * b).sum()
}

/// `c0 x0 + c1 x1 + …`, in a form that every solver accepts as linear.
fn combination(coefficients: &[i64], number: fn(i64) -> String) -> String {
    let terms: Vec<String> = coefficients
        .iter()
        .enumerate()
        .filter(|(_, c)| **c != 0)
        .map(|(at, c)| format!("(* {} x{at})", number(*c)))
        .collect();
    match terms.as_slice() {
        [] => number(0),
        [term] => term.clone(),
        terms => format!("(+ {})", terms.join(" ")),
    }
}

fn integer(n: i64) -> String {
    if n < 0 { format!("(- {})", -n) } else { n.to_string() }
}

fn real(n: i64) -> String {
    if n < 0 { format!("(- {}.0)", -n) } else { format!("{n}.0") }
}
