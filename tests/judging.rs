//! `agon judge` on files, compared with the official post-processors and with real solvers.

use agon_testkit::World;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

const AGON: &str = env!("CARGO_BIN_EXE_agon");
const REFERENCE: &str = env!("CARGO_BIN_EXE_agon-ref");

fn lines(path: &Path) -> Vec<Vec<String>> {
    let text = fs::read_to_string(path).unwrap();
    text.lines().skip(1).map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

/// The verdict on a model, and its reason.
fn model(world: &World, benchmark: &Path, output: &Path) -> (String, String) {
    let words = ["judge", "model", "--benchmark", benchmark.to_str().unwrap(), "--output", output.to_str().unwrap()];
    let ran = world.run(&words);
    let value = |key: &str| {
        let line = ran.stdout.lines().find_map(|line| line.strip_prefix(key)).unwrap_or_default();
        line.to_owned()
    };
    let status = value("model_validator_status=");
    assert_eq!(ran.code, i32::from(status != "VALID"), "{ran:?}");
    (status, value("model_validator_reason="))
}

fn judged(world: &World, benchmark: &str, output: &str) -> (String, String) {
    let (benchmark, output) = (world.write("b.smt2", benchmark), world.write("out", output));
    model(world, &benchmark, &output)
}

#[test]
fn r19_5_28_and_r19_5_29_the_three_verdicts_and_their_reasons() {
    let world = World::new(AGON);
    let benchmark = "(set-logic QF_LIRA)\n(declare-fun x () Int)\n(declare-fun y () Int)\n\
        (assert (< x y))\n(assert (= (+ x y) 7))\n(check-sat)\n";
    let say = |response: &str| judged(&world, benchmark, response);
    let ok = "sat\n(\n(define-fun x () Int 3)\n(define-fun y () Int 4)\n)\n";
    for (response, verdict, word) in [
        (ok, "VALID", "all 2"),
        ("success\nsat\n(model\n(define-fun x () Int (- 1))\n(define-fun y () Int 8)\n)", "VALID", "all 2"),
        (
            "sat\n((define-fun x () Int 3)(define-fun y () Int 5))",
            "INVALID",
            "line 5, column 1 is false, where x = 3, y = 5",
        ),
        ("sat\n((define-fun x () Int 3))", "INVALID", "does not define 'y'"),
        ("sat\n((define-fun x () Int 3)(define-fun y () Int 4)(define-fun z () Int 4))", "INVALID", "'z'"),
        ("sat\n((define-fun x () Int 3)(define-fun x () Int 3)(define-fun y () Int 4))", "INVALID", "'x' twice"),
        ("sat\n((define-fun x () Real 3.0)(define-fun y () Int 4))", "INVALID", "'x' with sorts"),
        ("sat\n((define-fun x () Int 3)(define-fun y () Int 4", "INVALID", "cut off"),
        ("sat\n((define-fun x () Int y)(define-fun y () Int x))", "INVALID", "depends on itself"),
        ("sat\n((define-fun x () Int true)(define-fun y () Int 4))", "INVALID", "sort Bool"),
        ("unsat\n", "INVALID", "'unsat'"),
        ("unknown\n", "UNKNOWN", "'unknown'"),
        ("", "UNKNOWN", "did not answer"),
        ("sat\n", "UNKNOWN", "no model"),
        ("sat\n(error \"no model\")\n", "UNKNOWN", "error"),
        ("c warning\nsat\n()", "UNKNOWN", "where its answer should be"),
        ("\u{0}\u{1}\u{2}garbage", "UNKNOWN", "where its answer should be"),
    ] {
        let (status, reason) = say(response);
        assert_eq!(status, verdict, "{response}: {reason}");
        assert!(reason.contains(word), "{response}: {reason}");
    }
    let (benchmark, cut) = (world.path().join("b.smt2"), world.write("cut", "sat\n((define-fun x () Int 3)"));
    let words =
        ["judge", "model", "--cut", "--benchmark", benchmark.to_str().unwrap(), "--output", cut.to_str().unwrap()];
    assert!(world.run(&words).stdout.contains("=UNKNOWN"), "a model cut off by the time limit is not an error");
}

/// Ground formulas from every theory, all of them true.
const TRUTHS: &[&str] = &[
    "(= (div (- 7) 2) (- 4))",
    "(= (mod (- 7) (- 2)) 1)",
    "(= (to_int (- 0.5)) (- 1))",
    "(= (/ 1.0 3.0) (/ 2.0 6.0))",
    "(= (bvsmod #x9 #x4) #x1)",
    "(= (bvudiv #b101 #b000) #b111)",
    "(bvsmulo #x7 #x2)",
    "(= ((_ rotate_left 5) #b0001) #b0010)",
    "(= (fp.div RNE ((_ to_fp 8 24) RNE 1.0) ((_ to_fp 8 24) RNE 3.0)) (fp #b0 #x7d #b01010101010101010101011))",
    "(fp.isNaN (fp.rem (_ +oo 5 11) (_ +zero 5 11)))",
    "(= (fp.to_real (fp #b1 #b01111 #b1000000000)) (- 1.5))",
    "(= ((_ fp.to_sbv 8) RTZ ((_ to_fp 5 11) RNE (- 2.75))) #xfe)",
    "(= (store (store ((as const (Array Int Int)) 0) 1 5) 1 0) ((as const (Array Int Int)) 0))",
    "(= (store ((as const (Array Bool Int)) 1) true 2) (store ((as const (Array Bool Int)) 2) false 1))",
    "(= (str.replace_all \"abab\" \"ab\" \"c\") \"cc\")",
    "(= (str.indexof \"abc\" \"\" 3) 3)",
    "(= (str.from_code (- 1)) \"\")",
    "(str.in_re \"aab\" (re.++ (re.+ (str.to_re \"a\")) (re.comp (str.to_re \"c\"))))",
    "(= (str.replace_re \"xaay\" (re.+ (str.to_re \"a\")) \"\") \"xay\")",
    "(= (seq.nth (seq.++ (seq.unit 1) (seq.unit 2)) 1) 2)",
    "(forall ((p Bool)) (exists ((q Bool)) (distinct p q)))",
    "(forall ((i Int)) (=> (and (<= 0 i) (< i 10)) (<= (* i i) 81)))",
    "(not (exists ((v (_ BitVec 8))) (= (bvmul v #x02) #x01)))",
    "(let ((x 1)) (let ((x 2) (y x)) (= (+ x y) 3)))",
];

#[test]
fn every_theory_is_evaluated_exactly() {
    let world = World::new(AGON);
    for truth in TRUTHS {
        let script = |formula: &str| format!("(set-logic ALL)\n(assert {formula})\n(check-sat)\n");
        let (status, reason) = judged(&world, &script(truth), "sat\n()\n");
        assert_eq!(status, "VALID", "{truth}: {reason}");
        let (status, reason) = judged(&world, &script(&format!("(not {truth})")), "sat\n()\n");
        assert_eq!(status, "INVALID", "{truth}: {reason}");
    }
}

#[test]
fn solver_specific_extensions_in_models_are_accepted() {
    let world = World::new(AGON);
    for (problem, response) in [
        // z3: its own element constants and auxiliary functions, algebraic numbers, arrays as functions.
        (
            "(set-logic QF_UF)(declare-sort U 0)(declare-fun a () U)(declare-fun f (U) U)(assert (distinct a (f a)))",
            "((declare-fun U!val!0 () U)(declare-fun U!val!1 () U)(define-fun a () U U!val!0)\
             (define-fun f ((x!0 U)) U (k!1 x!0))(define-fun k!1 ((x U)) U (ite (= x U!val!0) U!val!1 U!val!0)))",
        ),
        (
            "(set-logic QF_NRA)(declare-fun x () Real)(assert (= (* x x) 2.0))(assert (< x 0.0))",
            "((define-fun x () Real (root-obj (+ (^ x 2) (- 2)) 1)))",
        ),
        (
            "(set-logic QF_NRA)(declare-fun x () Real)(assert (= (* x x) 2.0))(assert (> x 0.0))",
            "((define-fun x () Real (_ real_algebraic_number <1*x^2 + (-2*x^0), (1, 3/2)>)))",
        ),
        (
            "(set-logic QF_ALIA)(declare-fun a () (Array Int Int))(declare-fun b () (Array Int Int))\
             (assert (= b (store a 1 2)))(assert (distinct a b))",
            "((define-fun a () (Array Int Int) (_ as-array k!0))(define-fun b () (Array Int Int) (store (_ as-array k!0) 1 2))\
             (define-fun k!0 ((x!0 Int)) Int (ite (= x!0 5) 7 0)))",
        ),
        (
            "(set-logic QF_NIA)(declare-fun x () Int)(assert (= (div x 0) 5))",
            "((define-fun x () Int 3)(define-fun div0 ((x!0 Int)) Int (ite (= x!0 3) 5 0)))",
        ),
        // cvc5: element constants with their sort; yices: arrays as functions.
        (
            "(set-logic QF_UF)(declare-sort U 0)(declare-fun a () U)(declare-fun b () U)(assert (distinct a b))",
            "(; cardinality of U is 2\n(define-fun a () U (as @U_0 U))(define-fun b () U (as @U_1 U)))",
        ),
        (
            "(set-logic QF_ABV)(declare-fun a () (Array (_ BitVec 8) (_ BitVec 8)))(assert (= (select a #x01) #x02))",
            "(model (define-fun a ((x!0 (_ BitVec 8))) (_ BitVec 8) (ite (= x!0 #x01) #x02 #x00)))",
        ),
        // Definitions and named terms of the benchmark, repeated in the model.
        (
            "(set-logic QF_LIA)(define-fun two () Int 2)(declare-fun x () Int)(assert (! (= x two) :named n))",
            "((define-fun two () Int 2)(define-fun x () Int 2)(define-fun n () Bool (= x two)))",
        ),
        (
            "(set-logic ALL)(declare-datatypes ((List 1)) ((par (T) ((nil) (cons (hd T) (tl (List T)))))))\
             (declare-fun l () (List Int))(assert (= (hd (tl l)) 2))",
            "((define-fun l () (List Int) (cons 1 (cons 2 nil))))",
        ),
    ] {
        let (status, reason) = judged(&world, &format!("{problem}(check-sat)"), &format!("sat\n{response}\n"));
        assert_eq!(status, "VALID", "{response}: {reason}");
    }
}

#[test]
fn hostile_models_get_a_verdict_without_a_crash() {
    let world = World::new(AGON);
    let plain = "(set-logic QF_LIA)(declare-fun x () Int)(assert (> x 0))(check-sat)";
    let deep = |open: &str, inside: &str, close: &str, count: usize| {
        format!("sat\n((define-fun x () Int {}{inside}{}))", open.repeat(count), close.repeat(count))
    };
    assert_eq!(judged(&world, plain, &deep("(+ 1 ", "1", ")", 300_000)).0, "VALID");
    assert_eq!(judged(&world, plain, &format!("sat\n{}", "(".repeat(1_000_000))).0, "INVALID");
    let many: String = (0..100_000).map(|at| format!("(declare-fun v{at} () Int)")).collect();
    let model: String = (0..100_000).map(|at| format!("(define-fun v{at} () Int {at})\n")).collect();
    let script = format!("(set-logic QF_LIA){many}(assert (= v99999 99999))(check-sat)");
    assert_eq!(judged(&world, &script, &format!("sat\n({model})")).0, "VALID");
    // Numbers, strings and terms that double in size sixty times.
    let doubling = |first: &str, step: fn(usize) -> String, last: &str| {
        let lets: String = (1..60).map(|at| format!("(let ((t{at} {}))", step(at - 1))).collect();
        format!("(set-logic ALL)(assert (let ((t0 {first})) {lets}{last}{}))(check-sat)", ")".repeat(59))
    };
    let strings = doubling("\"ab\"", |at| format!("(str.++ t{at} t{at})"), "(= t59 \"\")");
    assert_eq!(judged(&world, &strings, "sat\n()").0, "UNKNOWN");
    let squares = doubling("3", |at| format!("(* t{at} t{at})"), "(= t59 0)");
    assert_eq!(judged(&world, &squares, "sat\n()").0, "UNKNOWN");
    let shared = doubling("true", |at| format!("(and t{at} t{at})"), "t59");
    assert_eq!(judged(&world, &shared, "sat\n()").0, "VALID");
    let endless = "(set-logic ALL)(define-fun-rec f ((x Int)) Int (f (+ x 1)))(assert (= (f 0) 0))(check-sat)";
    assert_eq!(judged(&world, endless, "sat\n()").0, "UNKNOWN");
}

/// Problem, model and correct verdict of former bugs.
const ONCE_WRONG: &[(&str, &str, &str)] = &[
    // A value that cannot be compared remains so when another entry is stored in the array.
    (
        "(declare-const x Real)(assert (let ((A ((as const (Array Int Real)) 0.0))) (not (= (store (store A 0 x) 1 1.0) \
         (store (store A 0 (/ (* x x x) 2.0)) 1 1.0)))))",
        "((define-fun x () Real (root-obj (+ (^ x 2) (- 2)) 2)))",
        "UNKNOWN",
    ),
    (
        "(declare-const a (Array Int (Array Int Int)))(assert (= a (store (store ((as const (Array Int (Array Int Int))) \
         ((as const (Array Int Int)) 0)) 0 (store ((as const (Array Int Int)) 0) 3 4)) 1 ((as const (Array Int Int)) 1))))",
        "((define-fun f ((x Int)) Int (ite (= x 3) 4 0))(define-fun a () (Array Int (Array Int Int)) \
         (store (store ((as const (Array Int (Array Int Int))) ((as const (Array Int Int)) 0)) 0 (_ as-array f)) 1 \
         ((as const (Array Int Int)) 1))))",
        "VALID",
    ),
    // `root-obj` in a string literal is not an algebraic number.
    (
        "(declare-const s String)(assert (= s \"(root-obj (^ x 2) 1)\"))",
        "((define-fun s () String \"(root-obj (^ x 2) 1)\"))",
        "VALID",
    ),
    (
        "(declare-const s String)(assert (= s \"@agon.root.0\"))",
        "((define-fun s () String \"(root-obj x 1)\"))",
        "INVALID",
    ),
    // Multiple roots.
    (
        "(declare-const x Real)(assert (= (* x x) 2.0))",
        "((define-fun x () Real (root-obj (+ (^ x 4) (* (- 2) (^ x 2))) 3)))",
        "VALID",
    ),
    (
        "(declare-const x Real)(assert (> x 0.5))",
        "((define-fun x () Real (root-of-with-enclosure (coeffs (- 5) 11 (- 7) 1) (0 1))))",
        "UNKNOWN",
    ),
    // Values that the standard leaves unspecified, defined with the wrong sorts.
    (
        "(assert (= (bvsub #x00 ((_ fp.to_ubv 8) RNE (_ NaN 8 24))) #x00))",
        "((define-fun fp.to_ubv ((r RoundingMode) (y (_ FloatingPoint 8 24))) (_ BitVec 64) #xffffffffffffffff))",
        "UNKNOWN",
    ),
    (
        "(declare-datatypes ((L 0)) (((nil) (cons (hd Int) (tl L)))))(assert (not (= (hd nil) 7)))",
        "((define-fun hd ((x L)) Bool true))",
        "INVALID",
    ),
    // Division with more than two arguments.
    (
        "(declare-const x Real)(assert (= (/ x 0.0 2.0) 7.0))",
        "((define-fun x () Real 4.0)(define-fun /0 ((a Real) (b Real)) Real 14.0))",
        "VALID",
    ),
    (
        "(set-option :global-declarations true)(push 1)(declare-const x Int)(pop 1)(assert (> x 0))",
        "((define-fun x () Int 1))",
        "VALID",
    ),
    ("(declare-const f (-> Int Int))(assert (= (f 1) 2))", "((define-fun f ((y Int)) Int (ite (= y 1) 2 0)))", "VALID"),
    // Integer literals as reals.
    (
        "(declare-datatypes ((P 0)) (((mk (r Real)))))(declare-const p P)(assert (not (= p (mk 1.0))))",
        "((define-fun p () P (mk 1)))",
        "INVALID",
    ),
    (
        "(declare-const x Real)(assert (> (to_int (* 1000000000000000000000000000000.0 x)) 0))",
        "((define-fun x () Real (root-obj (+ (^ x 2) (- 2)) 2)))",
        "VALID",
    ),
    (
        "(declare-const p Bool)(assert (= (bvmul (_ bv5 4000000000) (_ bv7 4000000000)) (_ bv5 4000000000)))",
        "((define-fun p () Bool true))",
        "UNKNOWN",
    ),
    (
        "(declare-fun a () (Array Real Int))(assert (= (select a 1.0) 8))",
        "((define-fun a ((x Real)) Int (ite (= x 1) 7 8)))",
        "INVALID",
    ),
    (
        "(declare-fun a () (Array Int Real))(assert (= a (store ((as const (Array Int Real)) 2.0) 0 1.0)))",
        "((define-fun a ((x Int)) Real (ite (= x 0) 1 2)))",
        "VALID",
    ),
    (
        "(declare-datatypes ((P 0)) (((mk (r Real)))))(declare-const p P)(assert (= ((_ update r) p 1) (mk 1.0)))",
        "((define-fun p () P (mk 2.0)))",
        "VALID",
    ),
    // Algebraic numbers that depend on each other, and their powers.
    (
        "(declare-const x Real)(declare-const y Real)(assert (= (* x x) 5.0))(assert (= (* y y y) (+ x 3.0)))\
         (assert (= (^ y 6) (+ (* 6.0 (^ y 3)) (- 4.0))))",
        "((define-fun x () Real (root-obj (+ (^ x 2) (- 5)) 2))\
         (define-fun y () Real (root-obj (+ (^ x 6) (* (- 6) (^ x 3)) 4) 2)))",
        "VALID",
    ),
    (
        "(declare-const x Real)(declare-const y Real)(assert (= (* x x) 5.0))(assert (= (* y y y) (+ x 3.0)))",
        "((define-fun x () Real (root-obj (+ (^ x 2) (- 5)) 1))\
         (define-fun y () Real (root-obj (+ (^ x 6) (* (- 6) (^ x 3)) 4) 2)))",
        "INVALID",
    ),
    // Lambdas that use a variable of unknown value may differ.
    (
        "(declare-fun g (Int) (Array Int Int))(assert (forall ((a Int) (b Int)) (= (g a) (g b))))",
        "((define-fun g ((x!0 Int)) (Array Int Int) (lambda ((y Int)) (+ x!0 y))))",
        "UNKNOWN",
    ),
    // Different regular expressions may denote the same language, inside other values too.
    (
        "(declare-datatypes ((R 0)) (((mk (l RegLan)))))(declare-const r R)\
         (assert (distinct r (mk (re.opt (re.+ (str.to_re \"a\"))))))",
        "((define-fun r () R (mk (re.* (str.to_re \"a\")))))",
        "UNKNOWN",
    ),
    // A model defines only declared symbols: no theory functions, formulas or declarations.
    (
        "(declare-const x Int)(assert (= x 1))",
        "((define-fun x () Int 1)(define-fun + ((a Int) (b Int)) Int 0))",
        "INVALID",
    ),
    ("(declare-const x Int)(assert (= x 1))", "((define-fun x () Int 1)(forall ((q Int)) (= q 0)))", "INVALID"),
    ("(declare-const x Int)(assert (= x 1))", "((define-fun x () Int 1)(declare-fun y () Int))", "INVALID"),
    ("(declare-const x Int)(assert (= x 1))", "((declare-sort S 0)(define-fun x () Int 1))", "INVALID"),
    // A recursion that terminates.
    (
        "(declare-fun f (Int) Int)(assert (= (f 4) 10))",
        "((define-fun-rec f ((n Int)) Int (ite (<= n 0) 0 (+ n (f (- n 1))))))",
        "VALID",
    ),
    // The cardinality of a sort matters only for quantifiers that depend on it, and solvers may state it in the model.
    (
        "(declare-sort U 0)(declare-const b U)(declare-const x Int)(assert (forall ((a U)) (= a a)))(assert (= x 5))",
        "((define-fun b () U (as @u U))(define-fun x () Int 6))",
        "INVALID",
    ),
    (
        "(declare-sort U 0)(declare-const b U)(assert (exists ((a U)) (distinct a b)))",
        "((declare-fun U!val!0 () U)(forall ((x U)) (= x U!val!0))(define-fun b () U U!val!0))",
        "INVALID",
    ),
    // Arrays over different sorts that look alike.
    (
        "(declare-sort U 0)(declare-const a (Array U Bool))(declare-const b (Array Bool Bool))(declare-const c (Array Bool Bool))\
         (assert (distinct b c))",
        "((define-fun a () (Array U Bool) ((as const (Array U Bool)) true))\
         (define-fun b () (Array Bool Bool) ((as const (Array Bool Bool)) true))\
         (define-fun c () (Array Bool Bool) ((as const (Array Bool Bool)) false)))",
        "VALID",
    ),
    (
        "(declare-sort U 0)(declare-const a (Array U Bool))(declare-const b (Array U Bool))(assert (distinct a b))",
        "((define-fun a () (Array U Bool) ((as const (Array U Bool)) true))\
         (define-fun b () (Array U Bool) ((as const (Array U Bool)) false)))",
        "VALID",
    ),
    (
        "(declare-const x String)(declare-const y String)(assert (= x y))",
        "((define-fun x () String \"\u{30000}\")(define-fun y () String \"\u{30000}\"))",
        "UNKNOWN",
    ),
    ("(declare-const x String)(assert (= (str.len x) 9))", "((define-fun x () String \"\nsuccess\n\"))", "VALID"),
];

#[test]
fn former_bugs_in_model_verdicts_stay_fixed() {
    let world = World::new(AGON);
    for (problem, response, verdict) in ONCE_WRONG {
        let script = format!("(set-logic HO_ALL)\n{problem}\n(check-sat)\n");
        let (status, reason) = judged(&world, &script, &format!("sat\n{response}\n"));
        assert_eq!(status, *verdict, "{problem} {response}: {reason}");
    }
    // A name that is reused after the query does not affect the assertions of the query.
    let renamed = "(set-logic ALL)(declare-const p Bool)(declare-const q Bool)(push 1)(assert (or q (! p :named a)))(assert a)\n\
        (check-sat)(pop 1)(assert (! (not p) :named a))";
    let (status, reason) = judged(&world, renamed, "sat\n((define-fun p () Bool false)(define-fun q () Bool true))");
    assert_eq!(status, "INVALID", "{reason}");
    // Commands after the query do not remove its assertions.
    let popped = "(set-logic ALL)(push 1)(declare-const x Int)(assert (= x 1))(check-sat)(get-model)(pop 1)(reset)";
    let (status, reason) = judged(&world, popped, "sat\n((define-fun x () Int 1))");
    assert_eq!(status, "VALID", "{reason}");
    // Arrays of arrays, as older versions of z3 print them.
    let nested = "(set-logic QF_AUFLIA)(declare-const a (Array Int (Array Int Int)))(assert (= (select (select a 1) 2) 3))(check-sat)";
    let response = "sat\n((define-fun a () (Array Int (Array Int Int)) (lambda ((x Int)) (ite (= x 1) \
        (lambda ((y Int)) (ite (= y 2) 3 0)) ((as const (Array Int Int)) 0)))))";
    let (status, reason) = judged(&world, nested, response);
    assert_eq!(status, "VALID", "{reason}");
    // Different invalid UTF-8 bytes are not equal characters.
    world.write(
        "strings.smt2",
        "(set-logic QF_S)(declare-const x String)(declare-const y String)(assert (= x y))(check-sat)",
    );
    fs::write(world.path().join("bytes"), b"sat\n((define-fun x () String \"\xff\")(define-fun y () String \"\xfe\"))")
        .unwrap();
    let (status, reason) = model(&world, &world.path().join("strings.smt2"), &world.path().join("bytes"));
    assert_eq!(status, "UNKNOWN", "{reason}");
}

#[test]
fn output_cut_off_by_a_limit_is_not_an_error() {
    let world = World::new(AGON);
    world.write("p.smt2", "(set-logic QF_BV)(declare-const x (_ BitVec 16))(assert (= x #x0001))(check-sat)");
    let whole = "sat\n((define-fun x () (_ BitVec 16) #x0001))";
    for length in 4..whole.len() {
        world.write("cut", &whole[..length]);
        let output = world.run(&["judge", "model", "--benchmark", "p.smt2", "--output", "cut", "--cut"]);
        assert!(output.stdout.contains("=UNKNOWN"), "{length}: {}", output.stdout);
    }
    let named = "(set-logic QF_UF)(declare-const p Bool)(assert (! p :named y1))(assert (! (not p) :named |y 2|))\
        (assert (! (or p p) :named y12))(check-sat)(get-unsat-core)";
    world.write("c.smt2", named);
    let whole = "unsat\n(y12 |y 2| y1)";
    for length in 6..whole.len() {
        world.write("cut", &whole[..length]);
        let core = ["judge", "core", "--benchmark", "c.smt2", "--output", "cut"];
        let output = world.run(&[&core[..], &["--cut"]].concat());
        assert!(output.stdout.contains("result-is-erroneous=0\nreduction=0"), "{length}: {}", output.stdout);
    }
    // A truncated benchmark is an error of the input, not of the solver.
    world.write("c.smt2", &named[..60]);
    world.fails(&["judge", "core", "--benchmark", "c.smt2", "--output", "cut"], 2, &["c.smt2"]);
}

#[test]
fn r19_7_1_no_solver_can_forge_answers() {
    let world = World::new(AGON);
    let two = "sat\nsat\n--- BENCHMARK BEGINS HERE ---\n(set-logic QF_UF)\n(check-sat)\n(check-sat)\n(exit)\n";
    world.write("two.smt2", two);
    let judged = |log: &str| {
        world.write("log", log);
        let words = ["judge", "incremental", "--strict", "--benchmark", "two.smt2", "--output", "log"];
        world.run(&words).stdout
    };
    let forged = "0.1/0.1\tsat\nBAD response to check command: '(error \"\nsat\nsat\nsat\n\")\n'\n";
    assert!(judged(forged).contains("correct-answers=1\n"), "{}", judged(forged));
    assert!(judged("0.1/0.1\tsat\n0.2/0.2\tsat\n0.3/0.3\tsat\n").contains("correct-answers=2\n"));
    let solver = "read -r l; echo success; read -r l; echo success; read -r l; echo sat; read -r l; \
        printf '(error \"\\nsat\\nsat\\nsat\\n\")\\n'; sleep 1";
    let played = world.run(&["trace", "two.smt2", "--wall", "20", "--", "sh", "-c", solver]);
    assert_eq!((played.code, &*played.stdout), (1, "sat\nBAD response to check command: '(error \"\n'\n"));
}

#[expect(clippy::match_same_arms, reason = "each exception has its own reason")]
#[test]
fn verdicts_agree_with_the_official_model_examples() {
    let Some(directory) = agon_testkit::shared("data/models") else { return };
    let world = World::new(AGON);
    for index in ["index_original.tsv", "index_mutants.tsv"] {
        for row in lines(&directory.join(index)) {
            let (status, reason) = model(&world, &directory.join(&row[1]), &directory.join(&row[0]));
            // If the table leaves the verdict to the rules, those of 2019 apply: a model must define all declared
            // symbols and no others.
            let expected = match (row[4].as_str(), row[5].as_str()) {
                ("extra-def", _) | (_, "PARTIAL-COMPLETABLE") => "INVALID",
                // Without an answer or a model, there is nothing to judge (docs/judging.md).
                ("stderr-noise" | "no-model", _) => "UNKNOWN",
                (_, "MALFORMED") => "INVALID",
                (_, verdict) => verdict,
            };
            assert_eq!(status, expected, "{}: {reason}", row[0]);
        }
    }
    for row in lines(&directory.join("dolmen/index.tsv")) {
        let file = |ending: &str| directory.join("dolmen").join(format!("{}.{ending}", row[0]));
        let (status, reason) = model(&world, &file("smt2"), &file("rsmt2"));
        let expected = match (row[0].as_str(), row[1].as_str()) {
            // Agon evaluates quantifiers if the model determines their value.
            ("model__misc__fo", _) => "VALID",
            // Polymorphic constants are not supported.
            ("model__ho__smt_maps", _) => "UNKNOWN",
            // Two queries; no answer; and a value that is unspecified but that the model may not define.
            ("model__misc__incr" | "model__misc__missing_answer" | "model__fp__min_max_bad_extension", _) => "UNKNOWN",
            (_, "OK") => "VALID",
            _ => "INVALID",
        };
        assert_eq!(status, expected, "{}: {reason}", row[0]);
    }
    let Some(directory) = agon_testkit::shared("data/postprocess/model-validation") else { return };
    for row in lines(&directory.join("extra.tsv")) {
        let (status, reason) = model(&world, &directory.join(&row[1]), &directory.join(&row[2]));
        let expected = if row[3].starts_with("VALID") { "VALID" } else { "INVALID" };
        assert_eq!(status, expected, "{}: {reason}", row[0]);
    }
    for row in lines(&directory.join("index.tsv")) {
        let file = |name: &str| directory.join("examples").join(&row[0]).join(name);
        let (status, reason) = model(&world, &file(&row[1]), &file(&row[2]));
        // The rules require INVALID for partial and malformed models; some models that pySMT cannot parse are valid.
        let expected = match (row[0].as_str(), row[2].trim_end_matches(".smt2"), row[3].as_str()) {
            ("QF_UF", "model2.8", _) | ("QF_LIRA", "model0.1" | "model.LCTES_smtopt.cvc4-broken", _) => "VALID",
            ("QF_UF", _, "UNKNOWN") | ("QF_LIA", "model2.invalid", _) => "INVALID",
            (
                "QF_BV",
                "model1.bool" | "model2" | "model2.z3" | "model3.z3" | "model4" | "model4.malformed",
                "UNKNOWN",
            ) => "INVALID",
            (_, _, verdict) => verdict,
        };
        assert_eq!(status, expected, "{} {}: {reason}", row[0], row[2]);
    }
}

#[test]
fn output_equals_that_of_the_official_post_processors() {
    let Some(directory) = agon_testkit::shared("data/postprocess") else { return };
    let world = World::new(AGON);
    let printed = |words: &[&str]| world.run(words).stdout;
    for (track, expected) in [("incremental", "expected"), ("proof", "actual-2023")] {
        for item in fs::read_dir(directory.join(track)).unwrap() {
            let file = item.unwrap().path();
            if file.extension().is_some_and(|ending| ending == "txt") {
                let official = fs::read_to_string(file.with_extension(expected)).unwrap();
                assert_eq!(
                    printed(&["judge", track, "--output", file.to_str().unwrap()]),
                    official,
                    "{}",
                    file.display()
                );
            }
        }
    }
    for word in ["sat", "unsat", "starexec-unknown"] {
        for item in fs::read_dir(directory.join("single-query").join(word)).unwrap() {
            let file = item.unwrap().path();
            let said = printed(&["judge", "single", "--output", file.to_str().unwrap()]);
            assert_eq!(said, format!("starexec-result={word}\n"), "{}", file.display());
        }
    }
    for case in ["test-error", "test-unsupported"] {
        let file = |ending: &str| directory.join("unsat-core/test_validation").join(format!("{case}.{ending}"));
        let (benchmark, output) = (file("smt2"), file("res"));
        let words = [
            "judge",
            "core",
            "--compat",
            "--benchmark",
            benchmark.to_str().unwrap(),
            "--output",
            output.to_str().unwrap(),
        ];
        let said: String = printed(&words).lines().skip(1).map(|line| format!("{line}\n")).collect();
        assert_eq!(said, fs::read_to_string(file("expect")).unwrap(), "{case}");
    }
}

#[test]
fn r19_5_27_a_panel_votes_on_cores() {
    let world = World::with_solvers(AGON);
    let benchmark = "(set-option :produce-unsat-cores true)\n(set-logic QF_LIA)\n(declare-fun x () Int)\n\
        (assert (! (> x 5) :named a))\n(assert (! (< x 3) :named b))\n(assert (! (= x x) :named c))\n(check-sat)\n(get-unsat-core)\n";
    world.write("b.smt2", benchmark);
    let core = |response: &str| {
        world.write("out", response);
        let words = [
            "judge",
            "core",
            "--benchmark",
            "b.smt2",
            "--output",
            "out",
            "--panel",
            "z3",
            "--panel",
            "yices",
            "--wall",
            "20",
        ];
        let ran = world.run(&words);
        let keys: BTreeMap<String, String> = ran
            .stdout
            .lines()
            .filter_map(|line| line.split_once('='))
            .map(|(k, v)| (k.to_owned(), v.to_owned()))
            .collect();
        (ran.code, keys)
    };
    let (code, keys) = core("unsat\n(a b)\n");
    assert_eq!((code, &*keys["unsat-core-confirmations"], &*keys["reduction"]), (0, "2", "1"), "{keys:?}");
    let (code, keys) = core("unsat\n(a c)\n");
    assert_eq!((code, &*keys["unsat-core-rejections"], &*keys["result-is-erroneous"]), (1, "2", "1"), "{keys:?}");
    let (code, keys) = core("unsat\n(a nobody)\n");
    assert_eq!((code, &*keys["result-is-erroneous"], &*keys["reduction"]), (1, "1", "0"), "{keys:?}");
}

#[test]
fn malformed_cores_of_real_solvers_are_rejected() {
    let Some(directory) = agon_testkit::shared("data/cores") else { return };
    let world = World::new(AGON);
    for (index, row) in ["index_original.tsv", "index_mutants.tsv"]
        .iter()
        .flat_map(|i| lines(&directory.join(i)).into_iter().map(move |r| (*i, r)))
    {
        let (benchmark, output) = (directory.join(&row[1]), directory.join(&row[0]));
        let words = ["judge", "core", "--benchmark", benchmark.to_str().unwrap(), "--output", output.to_str().unwrap()];
        let code = world.run(&words).code;
        // Without a panel only the syntax is judged; a satisfiable core goes unnoticed.
        let expected = match (index, row[4].as_str()) {
            (_, "unknown-name" | "duplicate-name" | "truncated" | "two-cores") => 1,
            _ => 0,
        };
        assert_eq!(code, expected, "{}", row[0]);
    }
}

#[test]
fn the_reference_solver_is_sound_and_its_models_and_cores_are_valid() {
    let world = World::new(AGON);
    let ask = |script: &str| {
        let file = world.write("q.smt2", script);
        let output = Command::new(REFERENCE).arg(&file).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    // The sort needs more than two elements, although no term has this sort.
    let arrays = "(set-logic QF_AX)(declare-sort A 0)(declare-const a (Array A Bool))(declare-const b (Array A Bool))\
        (declare-const c (Array A Bool))(declare-const d (Array A Bool))(declare-const e (Array A Bool))\
        (assert (distinct a b c d e))(check-sat)";
    assert_eq!(ask(arrays), "sat\n");
    let named = "(set-logic QF_UF)(declare-sort U 0)(declare-fun a () U)(declare-fun b () U)(declare-fun c () U)\
        (define-fun d () Bool (! (distinct a b c) :named n))(assert n)(check-sat)";
    assert_eq!(ask(named), "sat\n");
    assert_eq!(ask("(set-logic QF_LIA)(declare-const x Int)(assert (> x 0))(check-sat)"), "unknown\n");
    let core = "(set-logic QF_BV)(declare-const x (_ BitVec 8))(assert (! (bvult x #x05) :named a))\
        (assert (! (bvugt x #x09) :named b))(assert (! (distinct x #x07) :named c))(check-sat)(get-unsat-core)";
    assert_eq!(ask(core), "unsat\n(a b)\n");
    // 2^63 modulo 65 is 8.
    let rotation = "(set-logic QF_BV)(declare-const x (_ BitVec 65))(declare-const n (_ BitVec 65))\
        (assert (= x (_ bv1 65)))(assert (= n (_ bv9223372036854775808 65)))(assert (= (bvrol x n) (_ bv256 65)))(check-sat)";
    assert_eq!(ask(rotation), "sat\n");
    let doubling: String =
        (1..40).map(|at| format!("(define-fun f{at} ((x Bool)) Bool (f{0} (f{0} x)))", at - 1)).collect();
    let doubling = format!(
        "(set-logic QF_UF)(declare-const p Bool)(define-fun f0 ((x Bool)) Bool (not x)){doubling}(assert (f39 p))(check-sat)"
    );
    assert_eq!(ask(&doubling), "sat\n");
    let wide = "(set-logic QF_BV)(declare-const x (_ BitVec 65536))(assert (= (bvmul x x) x))(check-sat)";
    assert_eq!(ask(wide), "unknown\n");
    let levels = "(set-logic QF_UF)(set-option :global-declarations true)(push 1)(declare-const p Bool)(assert (not p))(pop 1)\
        (assert p)(check-sat)(assert nobody)(check-sat)(reset)(set-logic QF_UF)(declare-const p Bool)(assert p)(check-sat)";
    let said = ask(levels);
    let answers: Vec<&str> = said.lines().filter(|line| !line.starts_with("(error")).collect();
    assert_eq!(answers, ["sat", "unknown", "sat"], "{said}");
    let Some(directory) = agon_testkit::shared("data/corpus") else { return };
    let index = lines(&directory.join("index.tsv"));
    let (mut decided, mut valid) = (0, 0);
    for row in index.iter().filter(|row| row[1] == "non-incremental") {
        let is_its = ["QF_UF", "QF_BV", "QF_UFBV", "QF_AX", "QF_ABV", "QF_AUFBV"].contains(&&*row[2]);
        let file = directory.join(&row[0]);
        if !is_its || row[9].parse::<u64>().unwrap_or(u64::MAX) > 1_500 || !file.exists() {
            continue;
        }
        let Ok(text) = fs::read_to_string(&file) else { continue };
        let script = text.replace("(check-sat)", "(check-sat)\n(get-model)\n");
        let file = world.write("corpus.smt2", &script);
        let output = Command::new("timeout").arg("2").arg(REFERENCE).arg(&file).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        let answer = said.lines().find(|line| ["sat", "unsat"].contains(line));
        if let Some(answer) = answer {
            assert_eq!(answer, row[4], "{}", row[0]);
            decided += 1;
            if answer == "sat" {
                let response = world.write("response", &said);
                let (status, reason) = model(&world, &file, &response);
                assert_eq!(status, "VALID", "{}: {reason}", row[0]);
                valid += 1;
            }
        }
    }
    assert!(decided > 100 && valid > 40, "{decided} decided, {valid} models");
}

/// For benchmarks on which a released solver or the status is wrong, the site states which, and the evidence.
#[test]
fn r19_7_6_models_settle_disagreements_and_wrong_statuses_are_suspected() {
    let Some(directory) = agon_testkit::shared("data/soundness") else { return };
    let world = World::with_solvers(AGON);
    for (file, logic) in [("iss536a.smt2", "QF_ANIA"), ("simple3.smt2", "QF_BV")] {
        let place = world.path().join(format!("library/non-incremental/{logic}/family"));
        fs::create_dir_all(&place).unwrap();
        fs::copy(directory.join(file), place.join(file)).unwrap();
    }
    let yices = agon_testkit::solver_program(AGON, "yices", "yices-smt2");
    let text = format!(
        "name = 'yices-all'\nversion = '2.6.5'\nteam = 'Y'\nmagic = 1\n[commands]\nsingle-query = ['{0}', '{{benchmark}}']\n",
        yices.display()
    );
    world.write("yices-all/entrant.toml", &text);
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    let rules = fs::read_to_string(world.path().join("c/agon.toml")).unwrap()
        + "\n[rules.tracks.single-query.limits]\nwall_s = 10\nmemory_bytes = 2_000_000_000\ncores = 1\noutput_bytes = 1_000_000\n";
    world.write("c/agon.toml", &rules);
    world.steps(&[
        "library add library",
        "entrant add z3",
        "entrant add yices-all",
        "seed --index 1",
        "select",
        "prepare",
        "run",
    ]);
    let judged = world.run(&["judge", "-C", "c"]);
    assert!(judged.stderr.contains("simple3.smt2: the status unsat may be wrong"), "{}", judged.stderr);
    world.ok(&["report", "-C", "c"]);
    let page = fs::read_to_string(world.path().join("c/site/disagreements.html")).unwrap();
    for words in ["iss536a.smt2", "the model of z3 5.4.0 is valid", "suspected wrong", "removed"] {
        assert!(page.contains(words), "{words}: {page}");
    }
}
