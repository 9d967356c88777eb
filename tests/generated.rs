//! Random problems: the verdicts on models, and the answers of the reference solver, compared with z3 and cvc5.

use agon_smtlib::Commands;
use agon_testkit::{World, random_numbers, solver_program};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const AGON: &str = env!("CARGO_BIN_EXE_agon");
const REFERENCE: &str = env!("CARGO_BIN_EXE_agon-ref");

/// The sorts of generated terms.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Bool,
    Word,
    Int,
    Array,
    Element,
}

/// Generates random terms.
struct Generator<R: FnMut(u64) -> u64> {
    random: R,
    /// Whether terms have integers; otherwise they have elements of a declared sort.
    has_integers: bool,
}

const DECLARATIONS: &[(&str, &str)] = &[
    ("p", "() Bool"),
    ("q", "() Bool"),
    ("x", "() (_ BitVec 4)"),
    ("y", "() (_ BitVec 4)"),
    ("a", "() (Array (_ BitVec 4) (_ BitVec 4))"),
    ("b", "() (Array (_ BitVec 4) (_ BitVec 4))"),
    ("f", "((_ BitVec 4)) (_ BitVec 4)"),
];
const INTEGERS: &[(&str, &str)] = &[("i", "() Int"), ("j", "() Int"), ("g", "(Int) Int")];
const ELEMENTS: &[(&str, &str)] = &[("u", "() U"), ("v", "() U"), ("h", "(U) U"), ("r", "(U) Bool")];

impl<R: FnMut(u64) -> u64> Generator<R> {
    fn pick<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[(self.random)(all.len() as u64) as usize]
    }

    fn term(&mut self, sort: Sort, depth: u32) -> String {
        if depth == 0 || (self.random)(5) == 0 {
            return match sort {
                Sort::Bool => self.pick(&["p", "q", "true"]).to_owned(),
                Sort::Word => match (self.random)(3) {
                    0 => format!("#x{:x}", (self.random)(16)),
                    _ => self.pick(&["x", "y"]).to_owned(),
                },
                Sort::Int => match (self.random)(3) {
                    0 => (self.random)(20).to_string(),
                    _ => self.pick(&["i", "j"]).to_owned(),
                },
                Sort::Array => self.pick(&["a", "b"]).to_owned(),
                Sort::Element => self.pick(&["u", "v"]).to_owned(),
            };
        }
        let next = depth - 1;
        if (self.random)(6) == 0 {
            let condition = self.term(Sort::Bool, next);
            return format!("(ite {condition} {} {})", self.term(sort, next), self.term(sort, next));
        }
        match sort {
            Sort::Bool => match (self.random)(if self.has_integers { 5 } else { 6 }) {
                0 => {
                    let function = self.pick(&["and", "or", "xor", "=>", "="]);
                    format!("({function} {} {})", self.term(sort, next), self.term(sort, next))
                }
                1 => format!("(not {})", self.term(sort, next)),
                2 => {
                    let function = self.pick(&["bvult", "bvsle", "bvugt", "bvslt", "bvuaddo", "bvsmulo", "="]);
                    format!("({function} {} {})", self.term(Sort::Word, next), self.term(Sort::Word, next))
                }
                3 => {
                    let function = self.pick(&["=", "distinct"]);
                    format!("({function} {} {})", self.term(Sort::Array, next), self.term(Sort::Array, next))
                }
                4 if self.has_integers => {
                    let function = self.pick(&["<", "<=", "=", "distinct"]);
                    format!("({function} {} {})", self.term(Sort::Int, next), self.term(Sort::Int, next))
                }
                4 => format!("(distinct {} {})", self.term(Sort::Element, next), self.term(Sort::Element, next)),
                _ => format!("(r {})", self.term(Sort::Element, next)),
            },
            Sort::Word => match (self.random)(4) {
                0 => format!("(f {})", self.term(sort, next)),
                1 => format!("(select {} {})", self.term(Sort::Array, next), self.term(sort, next)),
                2 => {
                    let function = self.pick(&["bvnot", "bvneg", "(_ rotate_left 3)", "(_ rotate_right 1)"]);
                    format!("({function} {})", self.term(sort, next))
                }
                _ => {
                    let functions = "bvadd bvsub bvmul bvudiv bvurem bvsdiv bvsrem bvsmod bvshl bvlshr bvashr bvxnor";
                    let function = self.pick(&functions.split(' ').collect::<Vec<_>>());
                    format!("({function} {} {})", self.term(sort, next), self.term(sort, next))
                }
            },
            Sort::Int => match (self.random)(5) {
                0 => format!("(g {})", self.term(sort, next)),
                1 => format!("(mod {} {})", self.term(sort, next), 2 + (self.random)(5)),
                2 => format!("(ubv_to_int {})", self.term(Sort::Word, next)),
                _ => {
                    let function = self.pick(&["+", "-"]);
                    format!("({function} {} {})", self.term(sort, next), self.term(sort, next))
                }
            },
            Sort::Array => {
                let (array, place) = (self.term(sort, next), self.term(Sort::Word, next));
                format!("(store {array} {place} {})", self.term(Sort::Word, next))
            }
            Sort::Element => format!("(h {})", self.term(sort, next)),
        }
    }

    fn declared(&self) -> impl Iterator<Item = &'static (&'static str, &'static str)> + use<R> {
        DECLARATIONS.iter().chain(if self.has_integers { INTEGERS } else { ELEMENTS })
    }

    fn declarations(&self) -> String {
        let mut text = String::from(if self.has_integers { "(set-logic ALL)\n" } else { "(set-logic QF_AUFBV)\n" });
        if !self.has_integers {
            text.push_str("(declare-sort U 0)\n");
        }
        for (name, rank) in self.declared() {
            writeln!(text, "(declare-fun {name} {rank})").unwrap();
        }
        text
    }
}

fn stdout_of(program: &Path, file: &Path) -> String {
    let output = Command::new("timeout").arg("20").arg(program).arg(file).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

struct Solvers {
    z3: PathBuf,
    cvc5: PathBuf,
}

impl Solvers {
    fn open() -> Self {
        Self { z3: solver_program(AGON, "z3", "z3"), cvc5: solver_program(AGON, "cvc5", "cvc5") }
    }
}

/// The definitions of a model.
fn definitions(response: &str) -> Vec<String> {
    let inside = response.trim().strip_prefix("sat").unwrap().trim();
    let inside = inside.strip_prefix('(').and_then(|inside| inside.strip_suffix(')')).unwrap();
    let inside = inside.trim_start().strip_prefix("model").unwrap_or(inside);
    Commands::new(inside.as_bytes()).map(|one| String::from_utf8_lossy(one.unwrap().text).into_owned()).collect()
}

#[test]
fn model_verdicts_agree_with_a_solver_given_the_definitions() {
    let world = World::with_solvers(AGON);
    let solvers = Solvers::open();
    let mut generator = Generator { random: random_numbers(), has_integers: true };
    let (mut valid, mut invalid) = (0, 0);
    for number in 0..50 {
        let mut assertions = String::new();
        for _ in 0..4 {
            writeln!(assertions, "(assert {})", generator.term(Sort::Bool, 4)).unwrap();
        }
        let declarations = generator.declarations();
        let problem =
            format!("(set-option :produce-models true)\n{declarations}{assertions}(check-sat)\n(get-model)\n");
        let file = world.write("problem.smt2", &problem);
        let (own, other) = if number % 2 == 0 { (&solvers.z3, &solvers.cvc5) } else { (&solvers.cvc5, &solvers.z3) };
        let response = stdout_of(own, &file);
        if !response.starts_with("sat") {
            continue;
        }
        let model = definitions(&response);
        let changed = changed(&model, &mut generator.random);
        for model in [model, changed] {
            let response = world.write("response", &format!("sat\n(\n{}\n)\n", model.join("\n")));
            let words = ["judge", "model", "--benchmark", "problem.smt2", "--output", "response"];
            let said = world.run(&words).stdout;
            let check = format!("(set-logic ALL)\n{}\n{assertions}(check-sat)\n", model.join("\n"));
            let answer = stdout_of(other, &world.write("check.smt2", &check));
            let expected = match answer.trim() {
                "sat" => "=VALID",
                "unsat" => "=INVALID",
                _ => continue,
            };
            assert!(said.contains(expected), "{answer}{said}{problem}{}", fs::read_to_string(response).unwrap());
            if expected == "=VALID" {
                valid += 1;
            } else {
                invalid += 1;
            }
        }
    }
    assert!(valid >= 20 && invalid >= 5, "{valid} valid, {invalid} invalid");
}

/// The model with other values for some of its constants.
fn changed(model: &[String], random: &mut impl FnMut(u64) -> u64) -> Vec<String> {
    let mut model = model.to_vec();
    for (start, value) in [
        ("(define-fun x () (_ BitVec 4) ", format!("#x{:x}", random(16))),
        ("(define-fun i () Int ", random(9).to_string()),
        ("(define-fun p () Bool ", (random(2) == 0).to_string()),
    ] {
        let plain = |definition: &String| definition.split_whitespace().collect::<Vec<_>>().join(" ");
        if let Some(at) = model.iter().position(|definition| plain(definition).starts_with(start)) {
            model[at] = format!("{start}{value})");
        }
    }
    model
}

#[test]
fn the_reference_solver_agrees_with_z3_and_cvc5_and_its_models_and_cores_are_valid() {
    let world = World::with_solvers(AGON);
    let solvers = Solvers::open();
    let mut generator = Generator { random: random_numbers(), has_integers: false };
    let (mut models, mut cores, mut answers) = (0, 0, 0);
    for _ in 0..40 {
        // Several queries on a stack of assertion levels.
        let mut script = String::from("(set-option :produce-unsat-cores true)\n") + &generator.declarations();
        let mut names = 0;
        for _ in 0..4 {
            script.push_str("(push 1)\n");
            for _ in 0..2 {
                names += 1;
                writeln!(script, "(assert (! {} :named n{names}))", generator.term(Sort::Bool, 4)).unwrap();
            }
            script.push_str("(check-sat)\n");
            if (generator.random)(2) == 0 {
                script.push_str("(pop 1)\n(check-sat)\n");
            }
        }
        let file = world.write("levels.smt2", &script);
        let own = stdout_of(Path::new(REFERENCE), &file);
        assert_eq!(own, stdout_of(&solvers.z3, &file), "{script}");
        let file = world.write("cvc5.smt2", &format!("(set-option :incremental true)\n{script}"));
        assert_eq!(own, stdout_of(&solvers.cvc5, &file), "{script}");
        answers += own.lines().count();
        // All assertions in a single query, with its model or its core.
        let alone: Vec<&str> =
            script.lines().filter(|line| !matches!(*line, "(check-sat)" | "(push 1)" | "(pop 1)")).collect();
        let alone = alone.join("\n");
        let file = world.write("alone.smt2", &format!("{alone}\n(check-sat)\n(get-model)\n(get-unsat-core)\n"));
        let said = stdout_of(Path::new(REFERENCE), &file);
        if let Some(rest) = said.strip_prefix("unsat\n") {
            let core = rest.lines().last().unwrap();
            let is_in = |line: &&str| {
                let name = line.split(":named ").nth(1).map(|name| name.trim_end_matches(')').to_owned());
                name.is_none_or(|name| core.trim_matches(['(', ')']).split(' ').any(|own| own == name))
            };
            let reduced: Vec<&str> = alone.lines().filter(is_in).collect();
            let file = world.write("core.smt2", &format!("{}\n(check-sat)\n", reduced.join("\n")));
            assert_eq!(stdout_of(&solvers.z3, &file), "unsat\n", "{alone}\n{core}");
            cores += 1;
        } else {
            let model = said.split("(error").next().unwrap();
            world.write("response", model);
            let words = ["judge", "model", "--benchmark", "alone.smt2", "--output", "response"];
            let judged = world.run(&words);
            assert_eq!(judged.code, 0, "{judged:?}\n{alone}\n{model}");
            models += 1;
        }
    }
    assert!(answers >= 150 && models >= 5 && cores >= 5, "{answers} answers, {models} models, {cores} cores");
}
