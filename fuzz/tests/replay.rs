//! Every fuzz target accepts its seeds and thousands of mutations of them.
//!
//! The targets run as libFuzzer programs without coverage feedback, so that they cannot break unnoticed on a machine
//! without cargo-fuzz. The mutations depend only on the constants below.

use agon_testkit::random_numbers;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The number of mutated inputs for each seed.
const MUTATIONS: usize = 150;

const V2: &[&str] = &[
    "(set-logic QF_UFLIA)(set-info :status sat)(declare-fun f (Int) Int)(declare-const x Int)\n\
     (assert (! (= (f x) (let ((y (+ x 1))) (* 2 y))) :named a))(check-sat)(get-model)",
    "(set-logic QF_BV)(declare-fun |a b| () (_ BitVec 8))(push 1)(assert (bvult |a b| #xa0))(check-sat)(pop 1)",
    "(set-logic ALL)(declare-datatypes ((L 1)) ((par (T) ((nil) (cons (h T) (t (L T)))))))\n\
     (define-fun-rec n ((l (L Int))) Int (match l ((nil 0) ((cons x r) (+ 1 (n r))))))\n\
     (assert (forall ((s String)) (! (= (str.len s) 1) :pattern ((str.len s)))))(check-sat)",
];

const V1: &[&str] = &[
    "(benchmark b :logic QF_LRA :status unsat :extrafuns ((x Real) (y Real)) :extrapreds ((p Real))\n\
     :assumption (< x y) :formula (and (p x) (flet ($a (< y x)) (if_then_else $a true (not (= x 1/2))))))",
    "(benchmark c :logic AUFLIA :extrasorts (S) :extrafuns ((f S Int)) :formula (forall (?s S) (> (f ?s) 0)))",
];

const SEPARATION: &[&str] =
    &["(set-logic QF_SHLS)(declare-sort R 0)(declare-datatypes ((N 0)) (((c (next R)))))(declare-heap (R N))\n\
     (define-fun-rec ls ((a R) (b R)) Bool (or (and (= a b) (_ emp R N))\n\
     (exists ((x R)) (and (distinct a b) (sep (pto a (c x)) (ls x b))))))\n\
     (declare-const u R)(assert (ls u (as nil R)))(check-sat)"];

const RESULTS: &[&str] = &[
    "benchmark,logic,solver,answer,status,wall,cpu\nQF_BV/a/b.smt2,QF_BV,z3,sat,sat,1.5,1.4\n\
     QF_BV/a/b.smt2,QF_BV,cvc5,unsat,sat,2,2\n",
    "pair id,benchmark,benchmark id,solver,solver id,configuration,configuration id,status,cpu time,wallclock time,\
     memory usage,result,expected\n1,QF_LIA/f/x.smt2,2,yices,3,default,4,complete,0.5,0.6,10,sat,sat\n",
];

/// The input with one to four bytes flipped, inserted, removed or replaced by a piece of itself.
fn mutated(seed: &[u8], random: &mut impl FnMut(u64) -> u64) -> Vec<u8> {
    let mut below = |bound: usize| random(bound.max(1) as u64) as usize;
    let mut input = seed.to_vec();
    for _ in 0..=below(4) {
        let at = below(input.len());
        match below(4) {
            0 if !input.is_empty() => input[at] ^= 1 << below(8),
            1 => input.insert(at, b"() |\";:!#0a\n,"[below(13)]),
            2 if !input.is_empty() => drop(input.drain(at..(at + 1 + below(8)).min(input.len()))),
            _ => {
                let from = below(seed.len());
                let piece = &seed[from..(from + below(40)).min(seed.len())];
                input.splice(at..at, piece.iter().copied());
            }
        }
    }
    input
}

fn replay(target: &str, seeds: &[Vec<u8>]) {
    let directory = tempfile::tempdir().unwrap();
    let mut random = random_numbers();
    let mut files = 0;
    for seed in seeds {
        for round in 0..=MUTATIONS {
            let input = if round == 0 { seed.clone() } else { mutated(seed, &mut random) };
            fs::write(directory.path().join(format!("{files:05}")), input).unwrap();
            files += 1;
        }
    }
    // With files as arguments, libFuzzer runs each of them once.
    let inputs = fs::read_dir(directory.path()).unwrap().map(|file| file.unwrap().path());
    let output = Command::new(target).args(inputs).current_dir(Path::new("/")).output().unwrap();
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{log}");
    assert_eq!(log.matches("Executed ").count(), files, "{log}");
}

fn texts(seeds: &[&str]) -> Vec<Vec<u8>> {
    seeds.iter().map(|seed| seed.as_bytes().to_vec()).collect()
}

#[test]
fn the_v2_target_accepts_mutated_seeds() {
    replay(env!("CARGO_BIN_EXE_v2"), &texts(V2));
}

#[test]
fn the_v1_target_accepts_mutated_seeds() {
    replay(env!("CARGO_BIN_EXE_v1"), &texts(V1));
}

#[test]
fn the_separation_target_accepts_mutated_seeds() {
    replay(env!("CARGO_BIN_EXE_separation"), &texts(SEPARATION));
}

#[test]
fn the_scramble_target_accepts_mutated_seeds() {
    // The first byte chooses the recipe and the seed.
    let choices = 0..12_u8;
    let seeds = choices.zip(V2.iter().chain(V1).cycle());
    let seeds: Vec<Vec<u8>> = seeds.map(|(choice, script)| [&[choice], script.as_bytes()].concat()).collect();
    replay(env!("CARGO_BIN_EXE_scramble"), &seeds);
}

#[test]
fn the_model_target_accepts_mutated_seeds() {
    let response = b"\0sat\n((define-fun x () Int 1)(define-fun f ((y Int)) Int 4))";
    let seeds: Vec<Vec<u8>> = V2.iter().map(|script| [script.as_bytes(), response].concat()).collect();
    replay(env!("CARGO_BIN_EXE_model"), &seeds);
}

#[test]
fn the_results_target_accepts_mutated_seeds() {
    replay(env!("CARGO_BIN_EXE_results"), &texts(RESULTS));
}
