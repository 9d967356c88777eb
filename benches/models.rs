//! Measures how fast models are validated, compared with pySMT.
//!
//! `cargo bench --bench models` writes a QF_BV problem of 6 MB with a model, validates it with `agon judge model` and
//! with a small validator on top of pySMT from PyPI (parse, substitute, simplify, as the competition's validator does),
//! and prints CPU time, peak memory, and how many times as much pySMT takes. The best run counts, of at least three
//! runs and five seconds in total, since short runs vary more. A number after `--` is the size in megabytes.

use agon_testkit::{contained_cost, from_pypi, peer, random_numbers};
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

const VALIDATOR: &str = r#"
import io, sys
from pysmt.shortcuts import And
from pysmt.smtlib.parser import SmtLibParser
sys.setrecursionlimit(1000000)
parser = SmtLibParser()
formula = parser.get_script_fname(sys.argv[1]).get_strict_formula()
text = open(sys.argv[2]).read().split("\n", 1)[1].strip()[1:-1]
values = {}
for command in SmtLibParser(environment=parser.env).get_script(io.StringIO(text)).commands:
    name, _, _, value = command.args
    values[parser.env.formula_manager.get_symbol(name)] = value
print(formula.substitute(values).simplify())
"#;

fn main() {
    let size = std::env::args().skip(1).find_map(|word| word.parse::<usize>().ok()).unwrap_or(6) * 1_000_000;
    let directory = std::env::temp_dir().join(format!("agon-models-{}", std::process::id()));
    fs::create_dir_all(&directory).expect("a directory");
    let (problem, response) = (directory.join("problem.smt2"), directory.join("response"));
    let (text, model) = generate(size);
    fs::write(&problem, &text).expect("enough disk space");
    fs::write(&response, model).expect("enough disk space");
    fs::write(directory.join("validator.py"), VALIDATOR).expect("enough disk space");
    let (problem, response) = (problem.to_str().unwrap(), response.to_str().unwrap());
    println!("{:.1} MB of QF_BV", text.len() as f64 / 1e6);
    let (own_s, own_mb) =
        cost(Path::new(AGON), &["judge", "model", "--benchmark", problem, "--output", response], "=VALID");
    println!("  agon judge model {own_s:8.2} s CPU {own_mb:8.0} MB");
    if let Some(python) = peer(from_pypi(AGON, "pysmt", "python")) {
        let validator = directory.join("validator.py");
        let (peer_s, peer_mb) = cost(&python, &[validator.to_str().unwrap(), problem, response], "True");
        println!(
            "  pySMT            {peer_s:8.2} s CPU {peer_mb:8.0} MB: {:.0} times the time, {:.1} times the memory",
            peer_s / own_s,
            peer_mb / own_mb
        );
    }
    let _ = fs::remove_dir_all(directory);
}

/// The minimum CPU seconds and peak megabytes of a command, whose output has to contain `expected`.
fn cost(program: &Path, words: &[&str], expected: &str) -> (f64, f64) {
    let (mut runs, mut spent_s, mut least) = (0, 0.0, (f64::INFINITY, f64::INFINITY));
    while runs < 3 || spent_s < 5.0 {
        let (cpu_s, megabytes, said) = contained_cost(AGON, program, words);
        assert!(said.contains(expected), "{said}");
        least = (least.0.min(cpu_s), least.1.min(megabytes));
        (runs, spent_s) = (runs + 1, spent_s + cpu_s);
    }
    least
}

/// A problem and its model: random values for 32-bit variables, and random terms, each asserted to equal its value.
fn generate(size: usize) -> (String, String) {
    let mut random = random_numbers();
    let variables = (size / 3000).max(10) as u64;
    let values: Vec<u32> = (0..variables).map(|_| random(1 << 32) as u32).collect();
    let mut text = String::from("(set-logic QF_BV)\n");
    for at in 0..variables {
        writeln!(text, "(declare-fun v{at} () (_ BitVec 32))").unwrap();
    }
    while text.len() < size {
        let (term, value) = term(3, &values, &mut random);
        writeln!(text, "(assert (= {term} #x{value:08x}))").unwrap();
    }
    text.push_str("(check-sat)\n(exit)\n");
    let mut model = String::from("sat\n(\n");
    for (at, value) in values.iter().enumerate() {
        writeln!(model, "(define-fun v{at} () (_ BitVec 32) #x{value:08x})").unwrap();
    }
    model.push_str(")\n");
    (text, model)
}

fn term(depth: u32, values: &[u32], random: &mut impl FnMut(u64) -> u64) -> (String, u32) {
    if depth == 0 {
        let at = random(values.len() as u64) as usize;
        return (format!("v{at}"), values[at]);
    }
    let ((one, a), (other, b)) = (term(depth - 1, values, random), term(depth - 1, values, random));
    match random(8) {
        0 => (format!("(bvadd {one} {other})"), a.wrapping_add(b)),
        1 => (format!("(bvmul {one} {other})"), a.wrapping_mul(b)),
        2 => (format!("(bvand {one} {other})"), a & b),
        3 => (format!("(bvor {one} {other})"), a | b),
        4 => (format!("(bvxor {one} {other})"), a ^ b),
        5 => (format!("(bvsub {one} {other})"), a.wrapping_sub(b)),
        6 => (format!("(bvudiv {one} {other})"), a.checked_div(b).unwrap_or(u32::MAX)),
        _ => (format!("(ite (bvult {one} {other}) {one} {other})"), if a < b { a } else { b }),
    }
}
