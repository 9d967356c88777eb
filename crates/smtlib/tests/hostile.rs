//! Input that is large, deep, or malicious. Nothing may crash or take more than linear time: with these sizes, a
//! quadratic algorithm would not finish. Test threads have stacks of two megabytes.

use agon_smtlib::{Checker, Code, Dialect, KeptTerms, Printer, Rules, Summary, V1Printer, read_script};

fn read(script: &[u8]) -> Summary {
    let mut checker = Checker::new(Rules::default());
    let mut printed = vec![];
    let summary = read_script(script, &mut checker, KeptTerms::OfCommand, |checker, command, _| {
        printed.clear();
        Printer::new(checker).command(command, &mut printed);
    });
    summary.unwrap()
}

#[track_caller]
fn accept(script: impl AsRef<[u8]>) {
    let summary = read(script.as_ref());
    let errors: Vec<_> = summary.errors.iter().map(ToString::to_string).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[track_caller]
fn refuse(script: impl AsRef<[u8]>, code: Code) {
    let summary = read(script.as_ref());
    assert!(summary.errors.iter().any(|error| error.code == code), "{:?}", summary.errors.first());
}

const MANY: usize = 1_000_000;

#[test]
fn input_nested_a_million_deep_is_read() {
    let close = ")".repeat(MANY);
    accept(format!("(set-logic QF_UF)(assert {}true{close})", "(not ".repeat(MANY)));
    accept(format!("(set-logic QF_UF)(declare-fun p () Bool)(assert {}p{close})", "(and p ".repeat(MANY)));
    accept(format!("(set-logic QF_UF)(assert {}true{close})", "(let ((x true)) ".repeat(MANY)));
    accept(format!("(set-logic QF_UF)(assert {}true{})", "(let ((x ".repeat(MANY), ")) true)".repeat(MANY)));
    accept(format!("(set-logic LIA)(assert {}true{close})", "(forall ((x Int)) ".repeat(MANY)));
    accept(format!("(set-logic QF_UF)(assert {}true{})", "(! ".repeat(MANY), " :a b)".repeat(MANY)));
    accept(format!("(set-logic QF_AX)(declare-const a {}Bool{close})", "(Array Bool ".repeat(MANY)));
    let arrows = "(-> Int ".repeat(MANY / 10);
    accept(format!("(set-logic HO_ALL)(declare-const f {arrows}Int{})", ")".repeat(MANY / 10)));
    refuse(format!("(assert {}f 1{})", "(_ ".repeat(MANY), ")".repeat(MANY)), Code::UnknownName);
    refuse(format!("(set-logic {}LIA)", "SEP_".repeat(MANY)), Code::UnknownLogic);
    accept(format!("(set-info :x {}{close})", "(".repeat(MANY)));
    let chain = "(declare-datatype N ((z) (s (p N))))";
    let cases = "(match z ((z ".repeat(MANY);
    accept(format!("(set-logic QF_DT){chain}(assert (= z {cases}z{}))", ") ((s x) z)))".repeat(MANY)));
}

#[test]
fn lists_of_a_million_items_are_read() {
    let many = |piece: &dyn Fn(usize) -> String| (0..MANY).map(piece).collect::<String>();
    accept(format!("(set-logic QF_UF)(assert (and {}))", "true ".repeat(MANY)));
    accept(format!("(set-logic QF_UF)(assert (let ({}) x7))", many(&|at| format!("(x{at} true)"))));
    accept(format!("(set-logic UF)(assert (forall ({}) x7))", many(&|at| format!("(x{at} Bool)"))));
    accept(format!("(set-logic QF_UF){}", many(&|at| format!("(declare-fun x{at} () Bool)"))));
    accept(format!("(set-logic QF_LIA)(assert (= {} 1))", "7".repeat(10 * MANY)));
    accept(format!("(set-logic QF_UF)(declare-fun {} () Bool)", "x".repeat(10 * MANY)));
    accept(format!("(set-logic QF_UF){}{}", "(push 1)".repeat(MANY), "(pop 1)".repeat(MANY)));
    refuse("(push 1048576)".repeat(10), Code::Pop);
    let datatypes = MANY / 50;
    let names = (0..datatypes).map(|at| format!("(D{at} 0)")).collect::<String>();
    let bodies = (0..datatypes).map(|at| format!("((c{at} (s{at} D{})))", (at + 1) % datatypes)).collect::<String>();
    refuse(format!("(set-logic QF_DT)(declare-datatypes ({names}) ({bodies}))"), Code::Unfounded);
    let headers = "(D 65536)".repeat(MANY / 50);
    refuse(format!("(set-logic QF_DT)(declare-datatypes ({headers}) ())"), Code::Taken);
    let overloads = (1..5_000).map(|at| format!("(declare-fun f ((_ BitVec {at})) Bool)")).collect::<String>();
    refuse(format!("(set-logic QF_UFBV){overloads}"), Code::Taken);
    let constructors = (0..MANY / 10).map(|at| format!("(c{at})")).collect::<String>();
    accept(format!("(set-logic QF_DT)(declare-datatype E ({constructors}))(assert (= c1 c2))"));
}

#[test]
fn shared_terms_and_sorts_are_not_expanded() {
    // Each binding doubles the previous one: expanded, the term has 2^50,000 nodes.
    let mut script = "(set-logic QF_LIA)(declare-const x0 Int)(assert ".to_owned();
    for at in 1..=50_000 {
        script += &format!("(let ((x{at} (+ x{0} x{0}))) ", at - 1);
    }
    script += &format!("(= x50000 0){})", ")".repeat(50_000));
    accept(script);
    // The same for sorts, whose size is limited.
    for (first, step) in
        [("(define-sort S0 () Int)", "() (Array S S)"), ("(define-sort S0 (X) (Array X X))", "(X) (S (S X))")]
    {
        let mut script = format!("(set-logic ALL){first}");
        for at in 1..=500 {
            script += &format!("(define-sort S{at} {})", step.replace('S', &format!("S{}", at - 1)));
        }
        refuse(script, Code::SortSize);
    }
}

#[test]
fn malformed_files_produce_errors_in_linear_time() {
    refuse("(".repeat(MANY), Code::OpenCommand);
    refuse(")".repeat(MANY), Code::NoCommand);
    refuse("(set-logic QF_UF)(assert \"abc", Code::OpenString);
    refuse("(set-logic QF_UF)(assert |abc", Code::OpenQuoted);
    refuse(b"(set-logic QF_UF)(assert \0)", Code::Control);
    refuse(b"(set-logic QF_UF)(assert \xff\xfe)", Code::Character);
    accept(b"(set-info :source |\xff\xfe|)");
    refuse(format!("(set-logic QF_UF){}", "(assert x y)".repeat(MANY / 10)), Code::UnknownName);
    // An error for every term: most are only counted.
    let summary = read(format!("(set-logic QF_LIA){}", "(assert (not 1))".repeat(MANY / 10)).as_bytes());
    assert_eq!(summary.errors.len() as u64 + summary.more_errors, MANY as u64 / 10);
    // Many errors in one command, on one long line.
    let summary = read(format!("(set-logic QF_LIA)(assert (and {}))", "(not 1) ".repeat(MANY / 10)).as_bytes());
    assert_eq!(summary.errors.len() as u64 + summary.more_errors, MANY as u64 / 10);
    // Errors outside commands, after a long command.
    refuse(format!("(echo \"{}\"){}", "x".repeat(MANY), ")()".repeat(MANY / 10)), Code::NoCommand);
    // Unknown names, each with many similar known ones.
    let names: String = (0..20_000).map(|at| format!("(declare-const name{at} Bool)(assert nema{at}x)")).collect();
    refuse(format!("(set-logic QF_UF){names}"), Code::UnknownName);
}

#[test]
fn a_predicate_without_its_arguments_is_rejected() {
    // Found by the fuzzer.
    refuse(
        "(set-logic QF_SHLS)(declare-sort L 0)(declare-datatypes ((N 0)) (((n (next L)))))(declare-heap (L N))\
         (define-fun-rec ls ((x L) (y L)) Bool (or (and (_ emp L N) (= x y)) (exists ((z L)) (and (distinct x y) \
         (sep (pto x (n z)) ls)))))(check-sat)",
        Code::Arity,
    );
}

#[test]
fn deep_and_malformed_version_1_2_benchmarks_are_read_or_rejected() {
    let deep =
        format!("(benchmark b :logic QF_UF :extrapreds ((p)) :formula {}p{})", "(not ".repeat(MANY), ")".repeat(MANY));
    accept(deep);
    let lets: String = (0..MANY).map(|at| format!("(flet ($x{at} p) ")).collect();
    let script = format!("(benchmark b :logic QF_UF :extrapreds ((p)) :formula {lets}$x5{})", ")".repeat(MANY));
    let mut checker = Checker::new(Rules { strict: false, dialect: Dialect::V1 });
    let mut printer = V1Printer::default();
    let summary = read_script(script.as_bytes(), &mut checker, KeptTerms::OfCommand, |checker, command, _| {
        printer.see(checker, command).unwrap();
    });
    assert!(summary.unwrap().is_right());
    assert!(printer.finish("b").len() > 10 * MANY);
    for broken in [
        "(benchmark",
        "(benchmark b :source {",
        "(benchmark b :source {a{b}c})",
        "(benchmark b :formula (",
        "(benchmark b :logic",
    ] {
        assert!(!read(broken.as_bytes()).is_right(), "{broken}");
    }
}

#[test]
fn memory_is_used_for_live_terms_only() {
    let mut checker = Checker::new(Rules::default());
    let mut script = "(set-logic QF_LIA)(declare-const x Int)".to_owned();
    for at in 0..20_000 {
        script += &format!("(push 1)(assert (= x (+ {at} (* 2 x))))(check-sat)(pop 1)");
    }
    let mut most = 0;
    let summary = read_script(script.as_bytes(), &mut checker, KeptTerms::OfCommand, |checker, _, _| {
        most = most.max(checker.terms.len());
    });
    assert!(summary.unwrap().is_right());
    assert!(most < 10, "{most} terms at once");
    assert_eq!(checker.terms.len(), 0);
}
