//! Input that is deep, large, or malicious. Test threads have stacks of two megabytes.

use agon_scramble::{Options, scramble, scramble_v1};

const MANY: usize = 1_000_000;

/// Scrambles a script in official and in standard mode. Both must succeed.
fn both(script: &str) {
    for official in [true, false] {
        let mut out = vec![];
        let options = Options { seed: 1, official, ..Options::recipe("unsat-core".parse().unwrap()) };
        scramble(script.as_bytes(), &options, &mut out).unwrap();
        assert!(!out.is_empty());
    }
}

#[test]
fn terms_nested_a_million_deep_are_scrambled() {
    let close = ")".repeat(MANY);
    both(&format!("(set-logic QF_UF)(assert {}true{close})(check-sat)", "(not ".repeat(MANY)));
    both(&format!("(set-logic QF_UF)(assert {}true{close})(check-sat)", "(let ((x true)) ".repeat(MANY)));
    both(&format!("(set-logic QF_UF)(assert {}true{})(check-sat)", "(let ((x ".repeat(MANY), ")) true)".repeat(MANY)));
    both(&format!("(set-logic LIA)(assert {}true{close})(check-sat)", "(forall ((x Int)) ".repeat(MANY)));
    both(&format!("(set-logic QF_UF)(assert {}true{})(check-sat)", "(! ".repeat(MANY), " :named b)".repeat(MANY)));
    both(&format!("(set-logic QF_AX)(declare-const a {}Bool{close})(check-sat)", "(Array Bool ".repeat(MANY)));
    both(&format!("(set-logic QF_UF)(assert {}true{})", "(match a ((b ".repeat(MANY), ")))".repeat(MANY)));
    let mut out = vec![];
    let old = format!("(benchmark a :logic QF_UF :formula {}true{close})", "(not ".repeat(MANY));
    scramble_v1(old.as_bytes(), &Options { seed: 1, ..Options::default() }, &mut out).unwrap();
    assert!(out.len() > MANY);
}

#[test]
fn deep_values_and_wide_lists_are_scrambled() {
    let close = ")".repeat(MANY);
    both(&format!("(set-logic QF_UF)(set-info :a {}{close})(assert (and {}))", "(".repeat(MANY), "true ".repeat(MANY)));
    both(&format!("(set-logic QF_UF){}", "(declare-fun f () Bool)(assert f)".repeat(MANY / 10)));
    both(&format!("(set-logic QF_UF){}", "(declare-fun f () Bool)(check-sat)".repeat(MANY / 10)));
    let reset = |at| format!("(reset)(set-logic QF_UF)(declare-fun s{at} () Bool)(assert s{at})");
    let script: String = (0..MANY / 5).map(reset).collect();
    scramble(script.as_bytes(), &Options { seed: 1, ..Options::default() }, &mut vec![]).unwrap();
}

#[test]
fn odd_lists_in_version_1_2_do_not_panic() {
    for formula in
        ["((p))", "(and ((p)))", "((?x U))", "(forall)", "(forall (?x))", "(forall (?x U (p)))", "({})", "(p :pat {)"]
    {
        let script = format!("(benchmark 12 :logic QF_UF :extrapreds ((p)) :formula {formula})");
        let _ = scramble_v1(script.as_bytes(), &Options { seed: 1, ..Options::default() }, &mut vec![]);
    }
}

#[test]
fn official_mode_handles_trailing_input_and_two_labels_like_the_official_tool() {
    let run = |script: &str, options: Options| {
        let mut out = vec![];
        scramble(script.as_bytes(), &Options { official: true, ..options }, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    };
    // The quoted symbol ends the input, so the text after it is ignored.
    assert!(!run("(check-sat)|)| [", Options::default()).contains('['));
    assert!(run("(check-sat) [ (check-sat)", Options::default()).contains('['));
    let named = "(set-logic QF_UF)(declare-fun p () Bool)(assert (! p :named a :named b))(check-sat)";
    let with_core = |core: &[u8]| run(named, Options { core: agon_scramble::core_names(core), ..Options::default() });
    assert!(with_core(b"unsat (a)").contains("(assert"));
    assert!(!with_core(b"unsat (b)").contains("(assert"));
}

#[test]
fn official_mode_truncates_numbers_to_32_bits() {
    for (number, levels) in [("0", 0), ("4294967296", 0), ("4000000000", 0), ("4294967298", 2), ("00003", 3)] {
        let mut out = vec![];
        let script = format!("(push {number})(check-sat)");
        scramble(script.as_bytes(), &Options { seed: 1, official: true, ..Options::default() }, &mut out).unwrap();
        assert_eq!(String::from_utf8(out).unwrap().matches("(push 1)").count(), levels, "{number}");
    }
    let mut out = vec![];
    let options = Options { seed: 1, official: true, ..Options::default() };
    assert!(scramble(b"(push 2000000000)(check-sat)", &options, &mut out).is_err());
    // `(push 0)` is dropped, so it does not separate the assertions around it.
    let run = |script: &str| {
        let mut out = vec![];
        scramble(script.as_bytes(), &Options { seed: 5, official: true, ..Options::default() }, &mut out).unwrap();
        out
    };
    let (with, without) = ("(assert true)(push 0)(assert false)(check-sat)", "(assert true)(assert false)(check-sat)");
    assert_eq!(run(with), run(without));
}

#[test]
fn large_level_counts_do_not_blow_up_the_output() {
    let script = b"(push 4000000000)(pop 99999999999999999999)(push 3)(check-sat)";
    let mut out = vec![];
    scramble(script, &Options { seed: 1, ..Options::default() }, &mut out).unwrap();
    let out = String::from_utf8(out).unwrap();
    assert!(out.contains("(push 4000000000)\n") && out.contains("(push 1)\n(push 1)\n(push 1)\n"), "{out}");
}

#[test]
fn a_script_truncated_anywhere_is_scrambled_or_rejected() {
    let script = "(set-logic LIA)(declare-datatypes ((L 0)) (((n) (c (h Int) (t L)))))\n; note\n\
        (define-fun f ((a Int)) Int (+ a 1))(assert (! (forall ((x Int)) (! (< (f x) x) :pattern ((f x)))) :named n1))\
        (assert (let ((a 1) (b 2)) (match n ((n true) ((c h t) false)))))(push 1)(check-sat)(echo \"a\"\"b\")(exit)";
    for end in 0..script.len() {
        for official in [true, false] {
            let options = Options { seed: 3, official, ..Options::default() };
            let mut out = vec![];
            let result = scramble(&script.as_bytes()[..end], &options, &mut out);
            assert!(official || result.is_ok() || out.is_empty());
        }
    }
}
