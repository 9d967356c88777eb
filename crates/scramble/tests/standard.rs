//! The default mode of the scrambler: like the official tool, without its bugs.

use agon_domain::Status;
use agon_scramble::{Options, Scrambled, scramble, scramble_v1};
use agon_testkit::{shared, table};
use std::fs;

fn try_with(script: &str, options: &Options) -> Result<(String, Scrambled), String> {
    let mut out = vec![];
    match scramble(script.as_bytes(), options, &mut out) {
        Ok(scrambled) => Ok((String::from_utf8(out).unwrap(), scrambled)),
        Err(error) => {
            assert!(out.is_empty(), "a rejected script leaves no output");
            Err(error.to_string())
        }
    }
}

#[track_caller]
fn with(script: &str, recipe: &str, seed: u32) -> String {
    try_with(script, &Options { seed, ..Options::recipe(recipe.parse().unwrap()) }).unwrap().0
}

#[track_caller]
fn refused(script: &str) -> String {
    try_with(script, &Options { seed: 1, ..Options::default() }).unwrap_err()
}

/// The output equals that of the official tool, except for known bugs of that tool.
#[test]
fn r19_6_9_output_equals_that_of_the_official_tool() {
    let Some(directory) = shared("data/scrambler") else { return };
    let (mut equal, mut others) = (0, vec![]);
    for row in table(&directory.join("more.tsv")) {
        if row["exit_code"] != "0" || row["mode"] == "z3" {
            continue;
        }
        let script = fs::read(directory.join(&row["file"])).unwrap();
        let options = Options { seed: row["seed"].parse().unwrap(), ..Options::recipe(row["mode"].parse().unwrap()) };
        let run = |official| {
            let mut out = vec![];
            scramble(&script, &Options { official, ..options.clone() }, &mut out).map(|_| out).ok()
        };
        if run(true) == run(false) { equal += 1 } else { others.push(row["file"].clone()) }
    }
    others.dedup();
    // Known differences. The official tool accepts input that is not in the standard: constants of finite fields, 1/4,
    // and bytes after the last command. It has bugs with labels that are used as terms, with get-commands and with
    // options after (reset), and it does not rename a tester in the old `is-` syntax together with its constructor.
    let others_known =
        ["version", "rational-tok", "use-name-in-same-command", "echo", "reset-i", "issue4866", "dd_issue12208"];
    let is_known = |file: &String| {
        file.contains("/ff/") || others_known.iter().any(|name| file.ends_with(&format!("/{name}.smt2")))
    };
    let unknown: Vec<_> = others.iter().filter(|file| !is_known(file)).collect();
    assert!(equal > 8000, "{equal}");
    assert!(unknown.is_empty(), "{unknown:#?}");
}

#[test]
fn bound_names_do_not_hide_applied_operators() {
    let script = "(set-logic LIA)(declare-fun p () Bool)\
        (assert (forall ((and Int) (+ Int)) (or p (> (+ and +) and))))(assert (and p p))(check-sat)";
    // An applied symbol is the operator; a symbol alone is the variable.
    let script = script.replace("(+ and +)", "(- and +)");
    let out = with(&script, "single-query", 7);
    assert!(out.contains("(assert (and x"), "{out}");
    assert!(!out.contains("forall ((and"), "{out}");
    // The official tool renames the connective as well.
    let mut official = vec![];
    let options = Options { seed: 7, official: true, ..Options::recipe("single-query".parse().unwrap()) };
    scramble(script.as_bytes(), &options, &mut official).unwrap();
    assert!(!String::from_utf8(official).unwrap().contains("(assert (and x"));
}

#[test]
fn a_function_and_a_sort_with_the_same_name_are_distinguished() {
    let script = "(set-logic QF_LIA)(declare-fun Int () Int)(assert (< Int 5))(check-sat)";
    let out = with(script, "single-query", 3);
    assert!(out.contains("(declare-fun x1 () Int)"), "{out}");
}

#[test]
fn a_defined_function_named_like_an_operator_is_renamed() {
    let script = "(set-logic QF_UFBV)(declare-sort U 0)(declare-fun f (U U) U)(declare-fun a () U)(declare-fun b () U)\
        (define-fun bvadd ((p U) (q U)) U (f p q))(assert (= (bvadd a b) a))(check-sat)";
    for seed in 1..20 {
        let options = Options { seed, ..Options::recipe("single-query".parse().unwrap()) };
        let (out, scrambled) = try_with(script, &options).unwrap();
        let new = |name: &str| scrambled.names.names.iter().find(|(_, old)| old == name.as_bytes()).unwrap().0.clone();
        assert!(out.contains(&format!("({} {} {})", new("bvadd"), new("a"), new("b"))), "{out}");
    }
}

#[test]
fn used_labels_are_kept_and_precede_their_uses() {
    let script = "(set-logic QF_UF)(declare-fun p () Bool)(declare-fun q () Bool)\
        (assert (! (or p q) :named first))(assert (! (not p) :named unused))(assert (=> first (not q)))\
        (assert p)(check-sat)(assert (not first))(check-sat)";
    for seed in 0..30 {
        let out = with(script, "single-query", seed);
        let definition = out.find(":named first").unwrap_or_else(|| panic!("{out}"));
        assert!(definition < out.find("(=> first").unwrap(), "{out}");
        assert!(!out.contains("unused"), "{out}");
    }
    let own = "(set-logic QF_UF)(declare-fun p () Bool)(assert (and (! p :named a) a (or a p)))(check-sat)";
    for seed in 1..10 {
        assert!(with(own, "single-query", seed).contains("(assert (and (! x1 :named a) a (or a x1)))"));
    }
}

#[test]
fn new_names_do_not_collide() {
    let script = "(set-logic QF_UF)(declare-fun x2 () Bool)(declare-fun q () Bool)\
        (assert (! (or x2 q) :named x1))(assert (! q :named smtcomp1))(assert x1)(check-sat)";
    for seed in 0..10 {
        for recipe in ["non-smtcomp", "unsat-core"] {
            let out = with(script, recipe, seed);
            let mut names: Vec<&str> =
                out.split(":named ").skip(1).map(|rest| rest.split(')').next().unwrap()).collect();
            names.extend(out.split("declare-fun ").skip(1).map(|rest| rest.split(' ').next().unwrap()));
            let count = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), count, "{out}");
        }
    }
}

#[test]
fn declarations_end_with_their_level() {
    let script = "(set-logic QF_UFBV)(declare-fun a () (_ BitVec 4))(push 2)(declare-fun bvadd (Bool) Bool)(assert (bvadd true))\
        (check-sat)(pop 1)(pop 1)(assert (= (bvadd a a) a))(check-sat)";
    assert!(with(script, "incremental", 3).contains("(bvadd x1 x1)"));
    let global = format!("(set-option :global-declarations true){script}");
    assert!(!with(&global, "incremental", 3).contains("(bvadd x"));
}

#[test]
fn only_a_label_on_the_whole_assertion_names_it() {
    let script = "(set-logic QF_UF)(declare-fun p () Bool)(declare-fun q () Bool)(assert (or p (! q :named inner)))\
        (assert (! p :named |a b|))(assert (! (=> |a b| q) :named b))(check-sat)";
    let core = agon_scramble::core_symbols(b"unsat (b)");
    let options = Options { seed: 0, core, ..Options::recipe("single-query".parse().unwrap()) };
    let (out, _) = try_with(script, &options).unwrap();
    // The first assertion has no name and stays; the second becomes trivial, because its name is still used.
    assert!(out.contains("(assert (or p q))\n(assert (or true (! p :named |a b|)))\n(assert (=> |a b| q))"), "{out}");
    let options = Options { seed: 4, ..Options::recipe("unsat-core".parse().unwrap()) };
    let (_, scrambled) = try_with(script, &options).unwrap();
    let mut originals: Vec<&str> = scrambled
        .names
        .names
        .iter()
        .filter(|(new, _)| new.starts_with("smtcomp"))
        .map(|(_, old)| str::from_utf8(old).unwrap())
        .collect();
    originals.sort_unstable();
    assert_eq!(originals, ["b", "|a b|", "|assertion 1|"]);
}

#[test]
fn assertions_outside_a_core_keep_their_labels() {
    let script = "(set-logic QF_UF)(declare-fun p () Bool)(declare-fun q () Bool)\
        (assert (! (and (! p :named inner) q) :named a))(assert inner)(assert (! q :named c))(check-sat)";
    let core = agon_scramble::core_symbols(b"unsat (zz)");
    let (out, _) = try_with(script, &Options { core, ..Options::recipe("single-query".parse().unwrap()) }).unwrap();
    assert!(out.contains("(assert (or true (and (! p :named inner) q)))\n(assert inner)\n(check-sat)"), "{out}");
}

#[test]
fn version_2_7_is_kept() {
    let out = with("(set-info :smt-lib-version 2.7)(set-logic ALL)(check-sat)", "single-query", 1);
    assert!(out.contains("(set-info :smt-lib-version 2.7)\n(set-logic ALL)"), "{out}");
    assert!(!with("(set-info :smt-lib-version 2.6)(set-logic ALL)(check-sat)", "single-query", 1).contains("set-info"));
}

#[test]
fn common_extensions_are_accepted() {
    let script = "(set-logic ALL)(declare-sort S)(declare-datatypes ((T 0)) ((one (two (s Bool)))))(declare-fun t () T)\
        (assert ((_ is (two (Bool) T)) t))(assert (is-two t))(assert (= 0 (choice ((i Int)) (= i 0))))(check-sat)";
    let out = with(script, "single-query", 2);
    assert!(!out.contains("two") && !out.contains("choice ((i"), "{out}");
    assert!(out.contains("(declare-sort x1 0)") || out.contains("(declare-sort x"), "{out}");
}

#[test]
fn every_command_of_the_standard_is_scrambled() {
    let script = "(set-option :global-declarations true)(set-option :random-seed 3)(set-logic ALL)\
        (declare-sort-parameter P)(declare-sort S 2)(define-sort T (A B) (S B A))(declare-fun s () (T Int Bool))\
        (declare-datatypes ((L 1) (M 0)) ((par (X) ((nil) (cons (head X) (tail (L X))))) ((m (n Int)))))\
        (declare-datatype Q (par (Y) ((q (r Y)))))(declare-datatype E ((e)))(define-const c Int 4)\
        (define-fun-rec fact ((k Int)) Int (ite (= k 0) 1 (* k (fact (- k 1)))))\
        (define-funs-rec ((ev ((k Int)) Bool) (od ((k Int)) Bool)) ((or (= k 0) (od (- k 1))) (and (> k 0) (ev (- k 1)))))\
        (declare-const l (L Int))(assert (match l ((nil true) ((cons h _) (> h c)))))\
        (assert (= (_ char #x41) \"A\"))(assert ((_ is cons) l))(assert (! (ev c) :weight 3 :flag :named label))\
        (declare-fun f () (-> Int Int))(assert (= f (lambda ((i Int)) (+ i c))))\
        (push)(check-sat-assuming (label))(get-value (c))(get-model)(get-assertions)(get-assignment)(get-proof)\
        (get-unsat-assumptions)(get-info :name)(get-option :verbosity)(echo \"x\")(pop 1)(reset-assertions)(check-sat)\
        (reset)(set-logic QF_UF)(declare-fun p () Bool)(assert p)(check-sat)(exit)";
    let out = with(script, "single-query", 5);
    for dropped in ["get-", "echo", "random-seed", "fact", "cons ", "label)) (", ":weight"] {
        assert!(!out.contains(dropped), "{dropped}: {out}");
    }
    for kept in [
        "define-funs-rec",
        "par (",
        "lambda ((x",
        "check-sat-assuming",
        "(_ is x",
        "(reset)\n(set-option :print-success",
    ] {
        assert!(out.contains(kept), "{kept}: {out}");
    }
    let all = with(script, "non-smtcomp", 5);
    assert!(all.contains("(get-value (x") && all.contains(":random-seed 3"), "{all}");
    // The output can be scrambled again.
    with(&out, "single-query", 6);
    with(&all, "non-smtcomp", 7);
}

#[test]
fn errors_name_their_position() {
    for (script, place, word) in [
        ("(set-logic QF_UF)\n(assert (and))", "2:13", "term"),
        ("(set-logic QF_UF)\n(minimize x)", "2:2", "minimize"),
        ("(check-sat)\n(assert true", "2:13", "ends here"),
        ("(check-sat) junk", "1:13", "command"),
        ("(check-sat) \u{e9}", "1:13", ""),
        ("(set-logic A)(set-logic B)", "1:25", "already set"),
        ("(declare-heap (Int Int))", "1:2", "separation"),
        ("(assert (! true))", "1:16", "attribute"),
        ("(assert (forall () true))", "1:18", "variable"),
    ] {
        let error = refused(script);
        assert!(error.starts_with(place) && error.contains(word), "{script}: {error}");
    }
}

#[test]
fn the_name_map_restores_cores_and_models() {
    let script = "(set-logic QF_LIA)(declare-fun |my var| () Int)(declare-fun b () Int)(assert (! (> b 3) :named big))\
        (assert (< b |my var| 3))(check-sat)";
    let options = Options { seed: 9, ..Options::recipe("unsat-core".parse().unwrap()) };
    let (out, scrambled) = try_with(script, &options).unwrap();
    let b = scrambled.names.names.iter().find(|(_, original)| original == b"b").unwrap().0.clone();
    assert!(out.contains(&format!("(declare-fun {b} () Int)")), "{out}");
    let restored = scrambled.names.restore(format!("unsat (smtcomp1 smtcomp2) ((define-fun {b} () Int 4))").as_bytes());
    let restored = String::from_utf8(restored).unwrap();
    assert!(restored.contains("big") && restored.contains("|assertion 2|"), "{restored}");
    assert!(restored.contains("(define-fun b () Int 4)"), "{restored}");
}

#[test]
fn statuses_belong_to_the_next_query() {
    let script = "(set-logic QF_UF)(set-info :status sat)(check-sat)(check-sat) ; (set-info :status unsat)\n\
        (set-info  :status  unsat)(check-sat-assuming (true))";
    let (_, scrambled) = try_with(script, &Options::recipe("incremental".parse().unwrap())).unwrap();
    assert_eq!(scrambled.statuses, [Status::Sat, Status::Unknown, Status::Unsat]);
}

fn old(script: &str, options: &Options) -> String {
    let mut out = vec![];
    scramble_v1(script.as_bytes(), options, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

const OLD: &str = "(benchmark secret :source { by \\{\\} me } :logic AUFLIA :status unsat :extrasorts (U)\n\
    :extrafuns ((f Int Int) (c Int) (U U)) :extrapreds ((p Int) (q)) :notes {none}\n\
    :assumption (< c (f c)) :assumption (not q) :assumption (flet ($x (p c)) (iff $x q))\n\
    :formula (forall (?y Int) (?z U) (implies (p ?y) (let (?w (f ?y)) (> ?w c))) :pat { (f ?y) (p ?y) } :other {x}))";

#[test]
fn r08_3_3_version_1_2_stays_version_1_2() {
    let out = old(OLD, &Options { seed: 4, ..Options::default() });
    for leak in ["secret", " me ", "unsat", "none", "(f ", "?y", "$x "] {
        assert!(!out.contains(leak), "{leak}: {out}");
    }
    assert!(out.starts_with("(benchmark scrambled\n:status unknown\n:logic AUFLIA\n:extrasorts (x"), "{out}");
    assert_eq!(out.matches(":assumption").count(), 3);
    let mut seeds: Vec<String> = (1..9).map(|seed| old(OLD, &Options { seed, ..Options::default() })).collect();
    seeds.sort();
    seeds.dedup();
    assert!(seeds.len() > 6);
    let plain = old(OLD, &Options::default());
    assert!(plain.contains("(flet ($x (p c)) (iff $x q))"), "{plain}");
}

#[test]
fn r08_4_3_patterns_are_kept_or_dropped() {
    let with = old(OLD, &Options { seed: 4, ..Options::default() });
    assert!(with.contains(":pat {(x"), "{with}");
    let without = old(OLD, &Options { seed: 4, annotations: agon_scramble::Annotations::None, ..Options::default() });
    assert!(!without.contains(":pat") && !without.contains('{'), "{without}");
}

#[test]
fn malformed_version_1_2_scripts_are_rejected() {
    for script in [
        "(benchmark a :formula (and (and true)",
        "(benchmark a :formula (and true)",
        "(benchmark a :formula ())",
        "(benchmark a :source {x",
        "(benchmark a :extrafuns (f Int))",
        "(benchmark a :formula",
        "(check-sat)",
        "",
    ] {
        let mut out = vec![];
        assert!(scramble_v1(script.as_bytes(), &Options::default(), &mut out).is_err(), "{script}");
        assert!(out.is_empty());
    }
}
