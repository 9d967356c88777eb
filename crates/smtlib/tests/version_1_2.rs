//! SMT-LIB 1.2: its translation to version 2, and regressions found by the fuzzer.

use agon_smtlib::{Checker, Dialect, KeptTerms, Printer, Rules, Summary, read_script};

fn translated(script: &str) -> (Summary, String) {
    let mut checker = Checker::new(Rules::default());
    let mut printed = vec![];
    let summary = read_script(script.as_bytes(), &mut checker, KeptTerms::OfCommand, |checker, command, _| {
        Printer::new(checker).command(command, &mut printed);
    });
    (summary.unwrap(), String::from_utf8(printed).unwrap())
}

#[track_caller]
fn formula(script: &str, expected: &str) {
    let (summary, printed) = translated(script);
    assert!(summary.is_right(), "{:?}", summary.errors);
    assert_eq!(summary.dialect, Dialect::V1);
    let found = printed.lines().find(|line| line.starts_with("(assert")).unwrap();
    assert_eq!(found, format!("(assert {expected})"));
    assert!(translated(&printed).0.is_right(), "{printed}");
}

#[test]
fn formulas_are_translated_to_version_2() {
    let propositional =
        |formula: &str| format!("(benchmark b :logic QF_UF :extrapreds ((p) (q) (r)) :formula {formula})");
    formula(&propositional("(implies p (if_then_else q r p))"), "(=> p (ite q r p))");
    // Left-associative, not chainable.
    formula(&propositional("(iff p q r)"), "(= (= p q) r)");
    formula(&propositional("(flet ($x (and p q)) (not $x))"), "(let (($x (and p q))) (not $x))");
    let bits = |formula: &str| format!("(benchmark b :logic QF_BV :extrafuns ((v BitVec[8])) :formula {formula})");
    formula(&bits("(= v (concat bvhexf bvbin0101))"), "(= v (concat #xf #b0101))");
    formula(&bits("(= (extract[3:0] v) bv3[4])"), "(= ((_ extract 3 0) v) (_ bv3 4))");
    let real = |formula: &str| format!("(benchmark b :logic QF_LRA :extrafuns ((x Real)) :formula {formula})");
    formula(&real("(<= (~ x) (/ 1 3))"), "(<= (- x) (/ 1.0 3.0))");
    let quantified = |formula: &str| format!("(benchmark b :logic AUFLIA :extrafuns ((f Int Int)) :formula {formula})");
    formula(
        &quantified("(forall (?x Int) (?y Int) (= (f ?x) ?y) :pat { (f ?x) } :nopat { ?y })"),
        "(forall ((?x Int) (?y Int)) (! (= (f ?x) ?y) :pattern ((f ?x))))",
    );
    // Empty patterns and patterns outside quantifiers are dropped.
    formula(&quantified("(let (?y 1) (= ?y 2) :pat { (f ?y) })"), "(let ((?y 1)) (= ?y 2))");
    formula(&quantified("(forall (?x Int) (= ?x ?x) :pat { })"), "(forall ((?x Int)) (= ?x ?x))");
}

#[test]
fn names_reserved_in_version_2_are_renamed_without_collisions() {
    let script =
        "(benchmark b :logic QF_LIA :extrafuns ((abs Int) (abs_1 Int) (a'b Int)) :formula (distinct abs abs_1 a'b))";
    let (summary, printed) = translated(script);
    assert!(summary.is_right(), "{:?}", summary.errors);
    assert!(translated(&printed).0.is_right(), "{printed}");
    assert!(printed.contains("|a'b|") && !printed.contains("(declare-fun abs ()"), "{printed}");
}

#[test]
fn control_characters_in_texts_are_translated() {
    let (_, printed) = translated("(benchmark b :source { a\u{c}b | c \\} } :logic QF_UF :formula true)");
    assert!(translated(&printed).0.is_right(), "{printed}");
}

#[test]
fn only_some_logics_have_the_plain_array_sort() {
    let code = |logic: &str| {
        let script = format!("(benchmark b :logic {logic} :extrafuns ((a Array)) :formula (= a a))");
        translated(&script).0.errors.first().map(|error| error.code.name())
    };
    assert_eq!((code("QF_AX"), code("QF_AUFLIA"), code("QF_AUFBV")), (None, None, Some("arity.sort")));
}

#[test]
fn the_logic_comes_first_and_only_once() {
    let code = |script: &str| translated(script).0.errors.first().map(|error| error.code.name());
    assert_eq!(code("(benchmark b :extrapreds ((p)) :logic QF_UF :formula p)"), Some("logic.late"));
    assert_eq!(code("(benchmark b :logic QF_UF :logic QF_UF :formula true)"), Some("logic.late"));
    assert_eq!(code("(benchmark b :formula true)"), Some("logic.missing"));
}
