//! `agon scramble`: real solvers give the same answers to a scrambled benchmark as to the original.

use agon_testkit::{World, asked, shared, solver_program, table};
use std::fs;
use std::path::{Path, PathBuf};

const AGON: &str = env!("CARGO_BIN_EXE_agon");

/// All answers of a solver, `unknown` included, or `None` after a timeout or an error.
fn answers(program: &Path, file: &Path) -> Option<Vec<String>> {
    let text = asked(program, file)?;
    if text.contains("error") {
        return None;
    }
    let words = text.lines().map(str::trim).filter(|line| matches!(*line, "sat" | "unsat" | "unknown"));
    Some(words.map(str::to_owned).collect())
}

fn scrambled(world: &World, file: &Path, seed: u32, track: &str) -> PathBuf {
    let seed = seed.to_string();
    let out = world.run(&["scramble", file.to_str().unwrap(), "--seed", &seed, "--track", track]);
    assert_eq!(out.code, 0, "{}: {}", file.display(), out.stderr);
    let ending = file.extension().unwrap().to_str().unwrap();
    world.write(&format!("scrambled.{ending}"), &out.stdout)
}

/// Scripts with misleading names and scopes, and their answers.
const TRICKY: [(&str, &str); 16] = [
    // Variables named like connectives, operators and sorts.
    (
        "unsat",
        "(set-logic LIA)(declare-fun c () Int)(assert (forall ((or Int) (+ Int)) (=> (and (> or +) (> + c)) (> or c))))\
         (assert (exists ((or Int)) (and (> or c) (< or c))))(check-sat)",
    ),
    ("sat", "(set-logic QF_LIA)(declare-fun Int () Int)(declare-fun Bool () Int)(assert (< Int Bool))(check-sat)"),
    ("sat", "(set-logic QF_LIA)(declare-fun x () Int)(assert (let ((< x) (+ 5)) (> + <)))(check-sat)"),
    // Parallel let with shadowing.
    (
        "unsat",
        "(set-logic QF_LIA)(declare-fun a () Int)(declare-fun b () Int)(assert (= a 1))(assert (= b 2))\
         (assert (not (let ((a b) (b a)) (and (= a 2) (= b 1)))))(check-sat)",
    ),
    // Names that look like the scrambler's, with and without bars.
    (
        "unsat",
        "(set-logic QF_UF)(declare-sort x1 0)(declare-fun |x2| () x1)(declare-fun x3 () x1)(declare-fun f (x1) x1)\
         (assert (distinct x2 x3 (f |x3|)))(assert (= x2 (f x3)))(check-sat)",
    ),
    // A let that binds a name twice: the last binding counts.
    ("unsat", "(set-logic QF_UF)(assert (let ((x true) (x false)) x))(check-sat)"),
    // Testers in the old `is-` syntax, with constructors named like the scrambler's names.
    (
        "unsat",
        "(set-logic QF_DT)(declare-datatypes ((T 0)) (((x1) (x2))))(declare-fun t () T)(assert (is-x1 t))\
         (assert (not (= t x1)))(check-sat)",
    ),
    // Two labels for a term, and a declared name that the scrambler uses for assertions.
    (
        "unsat",
        "(set-logic QF_UF)(declare-fun p () Bool)(assert (! p :named a :named b))(assert (not (and a b)))(check-sat)",
    ),
    (
        "unsat",
        "(set-logic QF_UF)(declare-fun p () Bool)(assert p)(declare-fun smtcomp1 () Bool)(assert smtcomp1)\
         (assert (not (and p smtcomp1)))(check-sat)",
    ),
    // A sort parameter named like a sort, in a level that is popped.
    (
        "unsat",
        "(set-logic QF_ALIA)(push 1)(define-sort P (Int) (Array Int Int))(pop 1)(declare-fun a () Int)(assert (= a 1))\
         (assert (< a 0))(check-sat)",
    ),
    // Labels that are used in other terms.
    (
        "unsat",
        "(set-logic QF_UF)(declare-fun p () Bool)(assert (! (or p (not p)) :named x4))(assert (not p))\
         (assert (=> x4 p))(check-sat)",
    ),
    ("unsat", "(set-logic QF_UF)(declare-fun p () Bool)(assert (and (! p :named q) (not q)))(check-sat)"),
    // Chains and subtraction.
    ("unsat", "(set-logic QF_LIA)(declare-fun a () Int)(declare-fun b () Int)(assert (< a b 10 (- a 1)))(check-sat)"),
    (
        "unsat",
        "(set-logic QF_BV)(declare-fun a () (_ BitVec 4))(declare-fun b () (_ BitVec 4))(assert (bvult a b))\
         (assert (bvuge (bvsub a b) (bvsub a b)))(assert (not (bvugt b a)))(check-sat)",
    ),
    // Datatypes, testers, match.
    (
        "unsat",
        "(set-logic QF_DT)(declare-datatypes ((L 0)) (((nil) (cons (hd Bool) (tl L)))))(declare-fun l () L)\
         (assert ((_ is cons) l))(assert (match l ((nil true) ((cons h t) false))))(check-sat)",
    ),
    // Theory symbols declared in a logic without that theory.
    (
        "sat",
        "(set-logic QF_UF)(declare-sort U 0)(declare-fun select (U U) U)(declare-fun store () U)\
         (declare-fun c () U)(assert (distinct (select store c) (select c store)))(check-sat)",
    ),
];

#[test]
fn r19_6_9_tricky_files_keep_their_answers() {
    let world = World::with_solvers(AGON);
    let solvers = [solver_program(AGON, "z3", "z3"), solver_program(AGON, "cvc5", "cvc5")];
    for (number, (status, script)) in TRICKY.iter().enumerate() {
        let file = world.write(&format!("tricky-{number}.smt2"), script);
        // The originals are not run, since some solvers reject them.
        for seed in [1, 2, 3, 2_147_483_647, u32::MAX] {
            for track in ["single-query", "model-validation", "unsat-core"] {
                let scrambled = scrambled(&world, &file, seed, track);
                for solver in &solvers {
                    let text = asked(solver, &scrambled).unwrap();
                    let printed = fs::read_to_string(&scrambled).unwrap();
                    assert!(text.starts_with(status), "{} on seed {seed}: {text}\n{printed}", solver.display());
                }
            }
        }
    }
}

#[test]
fn r19_6_9_the_pack_keeps_its_answers() {
    let world = World::with_solvers(AGON);
    let z3 = solver_program(AGON, "z3", "z3");
    world.ok(&["library", "generate", "pack", "--size", "2", "--size", "3"]);
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    world.ok(&["library", "add", "-C", "c", "pack"]);
    let mut answered = 0;
    for row in world.json(&["library", "list", "-C", "c", "--format", "json"]).as_array().unwrap() {
        let path = row["path"].as_str().unwrap();
        if path.starts_with("incremental/") {
            continue;
        }
        let file = world.path().join("pack").join(path);
        for seed in [1, 97] {
            let scrambled = scrambled(&world, &file, seed, "single-query");
            if let Some(found) = answers(&z3, &scrambled).filter(|found| found != &["unknown"]) {
                assert_eq!(found, [row["status"].as_str().unwrap()], "{} with seed {seed}", file.display());
                answered += 1;
            }
        }
    }
    assert!(answered > 100, "{answered}");
}

/// Real files of every logic: if a solver answers a query before and after scrambling, the answers are equal.
#[test]
fn r19_6_9_the_corpus_keeps_its_answers() {
    let Some(directory) = shared("data/corpus") else { return };
    let world = World::with_solvers(AGON);
    let z3 = solver_program(AGON, "z3", "z3");
    let mut compared = 0;
    for row in table(&directory.join("index.tsv")).iter().step_by(23) {
        let file = directory.join(&row["path"]);
        let is_small = fs::metadata(&file).is_ok_and(|metadata| metadata.len() < 4000);
        let Some(before) = is_small.then(|| answers(&z3, &file)).flatten() else { continue };
        let scrambled = scrambled(&world, &file, 12345, "single-query");
        let Some(after) = answers(&z3, &scrambled) else { continue };
        assert_eq!(before.len(), after.len(), "{}", row["path"]);
        for (before, after) in before.iter().zip(&after).filter(|(a, b)| *a != "unknown" && *b != "unknown") {
            assert_eq!(before, after, "{}", row["path"]);
            compared += 1;
        }
    }
    assert!(compared > 30, "{compared}");
}

const OLD: [(&str, &str); 4] = [
    (
        "unsat",
        ":logic QF_UF :extrasorts (V) :extrafuns ((f V V) (a V) (b V)) :assumption (= a b) :formula (not (= (f a) (f b)))",
    ),
    (
        "sat",
        ":logic QF_LIA :extrafuns ((x Int) (y Int)) :assumption (< x y) :formula (let (?v (+ x y)) (flet ($p (> ?v 3)) (and $p (<= ?v 4))))",
    ),
    ("unsat", ":logic QF_RDL :extrafuns ((x Real) (y Real)) :formula (and (< (- x y) 2) (> (- x y) 2))"),
    (
        "unsat",
        ":logic QF_BV :extrafuns ((a BitVec[4]) (b BitVec[4])) :assumption (bvult a b) :formula (iff (= (extract[3:0] a) b) true)",
    ),
];

#[test]
fn r08_4_22_version_1_2_keeps_its_answers() {
    let world = World::with_solvers(AGON);
    let yices = solver_program(AGON, "yices", "yices-smt");
    for (number, (status, body)) in OLD.iter().enumerate() {
        let file = world.write(&format!("old-{number}.smt"), &format!("(benchmark b :status {status} {body})"));
        for seed in 0..12 {
            let scrambled = scrambled(&world, &file, seed, "single-query");
            let printed = fs::read_to_string(&scrambled).unwrap();
            world.ok(&["check", "--quiet", scrambled.to_str().unwrap()]);
            assert_eq!(answers(&yices, &scrambled).unwrap(), [*status], "{printed}");
        }
    }
    let Some(directory) = shared("data/smtlib1") else { return };
    let mut compared = 0;
    for file in
        agon_library::benchmark_files(&directory).unwrap().iter().filter(|file| file.extension().unwrap() == "smt")
    {
        if fs::metadata(file).unwrap().len() > 20_000 || !fs::read(file).unwrap().starts_with(b"(benchmark") {
            continue;
        }
        let Some(before) = answers(&yices, file) else { continue };
        let scrambled = scrambled(&world, file, 7, "single-query");
        let Some(after) = answers(&yices, &scrambled) else { panic!("{}", file.display()) };
        assert_eq!(before, after, "{}", file.display());
        compared += 1;
    }
    assert!(compared > 30, "{compared}");
}

#[test]
fn the_options_of_the_official_scrambler_are_accepted() {
    let world = World::new(AGON);
    let file =
        world.write("a.smt2", "(set-logic QF_UF)(declare-fun p () Bool)(set-info :status sat)(assert p)(check-sat)");
    let file = file.to_str().unwrap();
    let ours = world.ok(&["scramble", "--compat", "smtcomp", file, "--seed", "7", "--track", "unsat-core"]);
    let its = world.ok(&[
        "scramble",
        "--compat",
        "smtcomp",
        file,
        "-seed",
        "7",
        "-term_annot",
        "pattern",
        "-gen-unsat-core",
        "true",
    ]);
    assert_eq!(ours, its);
    let refused = world.run(&["scramble", "--compat", "smtcomp", file, "-seed", "2147483648"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (1, ""));
    assert_eq!(refused.stderr, "Invalid value for -seed: 2147483648\n");
    let none = world.ok(&["scramble", "--compat", "smtcomp", file, "-seed", "0", "-seed", "5"]);
    assert!(none.contains("(assert p)"), "{none}");
    let counted = world.run(&["scramble", "--compat", "smtcomp", file, "--seed", "1", "--track", "asrt-count"]);
    assert_eq!((counted.stdout.as_str(), counted.stderr.as_str()), ("", "; Number of assertions: 1\n"));
    let incremental = world.ok(&["scramble", file, "--seed", "3", "--track", "incremental"]);
    assert!(incremental.starts_with("sat\n--- BENCHMARK BEGINS HERE ---\n(set-logic QF_UF)\n"), "{incremental}");
}

#[test]
fn a_rejected_file_produces_only_an_error_with_its_position() {
    let world = World::new(AGON);
    let file = world.write("bad.smt2", "(set-logic QF_UF)\n(check-sat)\n(assert (frob");
    let output = world.run(&["scramble", file.to_str().unwrap(), "--seed", "1"]);
    assert_eq!((output.code, output.stdout.as_str()), (1, ""));
    assert!(output.stderr.contains("bad.smt2:3:14: error:"), "{}", output.stderr);
    assert_eq!(world.run(&["scramble", "nowhere.smt2", "--seed", "1"]).code, 3);
    assert_eq!(world.run(&["scramble", file.to_str().unwrap(), "--seed", "x"]).code, 2);
    assert_eq!(world.run(&["scramble", file.to_str().unwrap(), "--track", "relay"]).code, 2);
    let separation = world.write("sl.smt2", "(set-logic QF_SHLS)(declare-sort R 0)(declare-heap (R R))(check-sat)");
    let output = world.run(&["scramble", separation.to_str().unwrap(), "--seed", "1"]);
    assert!(output.code == 1 && output.stderr.contains("SL-COMP"), "{}", output.stderr);
}

#[test]
fn cores_and_models_are_translated_to_the_original_names() {
    let world = World::with_solvers(AGON);
    let z3 = solver_program(AGON, "z3", "z3");
    let script = "(set-logic QF_LIA)(declare-fun |the weight| () Int)(declare-fun height () Int)\
        (assert (! (> height 3) :named tall))(assert (< height 2))(assert (> |the weight| 0))(check-sat)";
    let file = world.write("a.smt2", script);
    let solved = |file: &Path, track: &str| {
        let words = ["scramble", file.to_str().unwrap(), "--seed", "5", "--track", track, "--names", "names.tsv"];
        let scrambled = world.write("scrambled.smt2", &world.ok(&words));
        world.write("said.txt", &asked(&z3, &scrambled).unwrap());
        world.ok(&["scramble", "--restore", "names.tsv", "said.txt"])
    };
    let core = solved(&file, "unsat-core");
    assert!(core.starts_with("unsat") && core.contains("tall") && core.contains("|assertion 2|"), "{core}");
    assert!(!core.contains("|assertion 3|"), "{core}");
    let sat = world.write("b.smt2", &script.replace("(assert (< height 2))", ""));
    let model = solved(&sat, "model-validation");
    assert!(
        model.contains("(define-fun height () Int") && model.contains("(define-fun |the weight| () Int"),
        "{model}"
    );
}
