//! A printed script reads back to the same representation, term by term.

use agon_smtlib::{Attribute, Checker, Dialect, Head, KeptTerms, Printer, Rules, Summary, read_script};
use std::fmt::Write;

/// Reads a script, keeping its terms. Returns its summary, its printed form, and a description of each term.
fn read(script: &[u8]) -> (Summary, Vec<u8>, Vec<String>) {
    let mut checker = Checker::new(Rules { strict: false, dialect: Dialect::Auto });
    let mut printed = vec![];
    let summary = read_script(script, &mut checker, KeptTerms::OfScript, |checker, command, _| {
        Printer::new(checker).command(command, &mut printed);
    })
    .unwrap();
    let terms = described(&checker);
    (summary, printed, terms)
}

/// Describes each term by its head, the indices of its arguments, and its sort.
fn described(checker: &Checker) -> Vec<String> {
    let terms = &checker.terms;
    let text = |symbol| String::from_utf8_lossy(checker.symbols.text(symbol)).into_owned();
    let describe = |term| {
        let mut line = match terms.head(term) {
            Head::Literal(kind, symbol) => format!("{kind:?} {}", text(symbol)),
            Head::Variable(variable) => format!("{variable:?} {}", text(terms.name(variable))),
            Head::Operator(operator) | Head::QualifiedOperator(operator) => format!("{:?}", checker.operator(operator)),
            Head::Function(f) | Head::QualifiedFunction(f) | Head::Tester(f) | Head::Updater(f) => {
                format!("{f:?} {}", text(checker.function(f).name))
            }
            Head::Let(binder)
            | Head::Forall(binder)
            | Head::Exists(binder)
            | Head::Lambda(binder)
            | Head::Choice(binder) => terms
                .variables(binder)
                .map(|variable| format!("{variable:?} {} ", text(terms.name(variable))))
                .collect(),
            Head::Match(cases) => format!("{:?}", terms.cases(cases)),
            Head::Annotated(attributes) => {
                let mut named: Vec<_> = terms
                    .attributes(attributes)
                    .iter()
                    .map(|attribute| match attribute {
                        Attribute::Named(name) => text(*name),
                        Attribute::Pattern(count) => format!(":pattern {count}"),
                        Attribute::Other(key, value) => format!("{} {value:?}", text(*key)),
                    })
                    .collect();
                named.sort();
                named.join(" ")
            }
            Head::Apply | Head::Unknown => String::new(),
        };
        let kind = std::mem::discriminant(&terms.head(term));
        let sort = checker.sorts.constructor(terms.sort(term));
        let _ = write!(
            line,
            " {kind:?} {:?} {}",
            terms.arguments(term),
            match sort {
                agon_smtlib::Constructor::Declared(name) | agon_smtlib::Constructor::Parameter(name) => text(name),
                other => format!("{other:?}"),
            }
        );
        line
    };
    terms.iter().map(describe).collect()
}

#[track_caller]
fn check(script: &[u8], what: &str) {
    let (summary, printed, terms) = read(script);
    if !summary.is_right() || summary.dialect == Dialect::V1 {
        return;
    }
    let (again, printed_again, terms_again) = read(&printed);
    let shown = String::from_utf8_lossy(&printed);
    assert!(again.is_right(), "{what}: {:?}\n{shown}", again.errors);
    assert_eq!(terms.len(), terms_again.len(), "{what}: {shown}");
    for (before, after) in terms.iter().zip(&terms_again) {
        assert_eq!(before, after, "{what}");
    }
    assert_eq!(printed, printed_again, "{what}");
    assert_eq!(
        (&summary.logic, &summary.statuses, summary.asserts, &summary.smallest_logic, &summary.divisions),
        (&again.logic, &again.statuses, again.asserts, &again.smallest_logic, &again.divisions),
        "{what}"
    );
}

#[test]
fn all_kinds_of_commands_and_terms_round_trip() {
    let script = r#"
        (set-info :smt-lib-version 2.7) (set-option :produce-models true) (set-logic HO_ALL)
        (set-info :source |a (b) "c"|) (set-info :notes "x""y")
        (declare-sort U 0) (declare-sort P 2) (define-sort D (X) (Array Int X)) (declare-sort-parameter A)
        (declare-datatypes ((List 1) (Color 0)) ((par (X) ((nil) (cons (head X) (tail (List X))))) ((red) (green))))
        (declare-datatype Pair ((pair (first Int) (second Bool))))
        (declare-fun |a b| () Int) (declare-const |let| (D (P U Int))) (declare-fun f (Int Real) Int)
        (define-fun g ((x Int) (y Int)) Int (+ x y |a b|)) (define-const k Int 5)
        (define-fun-rec fact ((n Int)) Int (ite (<= n 0) 1 (* n (fact (- n 1)))))
        (define-funs-rec ((even ((n Int)) Bool) (odd ((n Int)) Bool)) ((or (= n 0) (odd (- n 1))) (and (> n 0) (even (- n 1)))))
        (push 1)
        (assert (! (forall ((x Int) (y Int)) (! (= (g x y) (g y x)) :pattern ((g x y) (g y x)) :pattern ((f x 1.5)) :qid q)) :named n1))
        (assert (let ((x 1) (y (let ((x 2)) (+ x x)))) (let ((x y) (y x)) (distinct x y (f x 0.5)))))
        (assert (= ((as const (Array Int Int)) 0) (store ((as const (Array Int Int)) 0) 1 2)))
        (assert (= (as nil (List Int)) (tail (cons 1 (as nil (List Int))))))
        (assert ((_ is cons) (cons true (as nil (List Bool)))))
        (assert (match (cons 1 (as nil (List Int))) ((nil false) ((cons h _) (= h 1)))))
        (assert (match red ((green false) (other (= other red)))))
        (assert (= ((_ update first) (pair 1 true) 2) (pair 2 true)))
        (assert (= ((_ extract 7 4) #xAb) ((_ repeat 2) #b01) ((_ int_to_bv 4) 3) (bvadd (_ bv5 4) #b0001 #b1111)))
        (assert (fp.eq ((_ to_fp 8 24) RNE 0.1) (fp #b0 #x7f #b00000000000000000000000) (_ +oo 8 24)))
        (assert (str.in_re (str.++ "a\u{62}" "c""d" (_ char #x41)) (re.* ((_ re.loop 1 3) (re.range "a" "z")))))
        (assert (= (seq.len (seq.++ (seq.unit 1) (as seq.empty (Seq Int)))) 1))
        (assert (exists ((h (-> Int Int Bool))) (h 1 2)))
        (assert (= (lambda ((x Int)) (+ x 1)) (lambda ((y Int)) (+ y 1))))
        (assert (= (_ (lambda ((x Int)) x) 3) 3))
        (check-sat) (get-value (k (g 1 2))) (get-model) (pop 1)
        (check-sat-assuming (true (not false))) (echo "bye ""you""") (get-info :name) (get-option :verbosity)
        (reset-assertions) (reset) (exit)
    "#;
    let (summary, ..) = read(script.as_bytes());
    let errors: Vec<_> = summary.errors.iter().map(ToString::to_string).collect();
    assert!(errors.is_empty(), "{}", errors.join("\n"));
    check(script.as_bytes(), "everything");
}

#[test]
fn sl19_9_and_sl19_11_separation_logic_round_trips() {
    let script = b"(set-logic QF_SHLS)(set-info :status sat)(declare-sort L 0)(declare-datatypes ((N 0)) (((n (next L)))))\
        (declare-heap (L N))(define-fun-rec ls ((x L) (y L)) Bool (or (and (_ emp L N) (= x y)) \
        (exists ((z L)) (and (distinct x y) (sep (pto x (n z)) (ls z y))))))(check-sat)(declare-const a L)(declare-const b L)\
        (assert (sep (ls a b) (pto b (n (as nil L)))))(assert (not (ls a (as nil L))))(check-sat)";
    let (summary, ..) = read(script);
    assert!(summary.is_right(), "{:?}", summary.errors);
    assert_eq!(summary.divisions[0], "qf_shls_entl");
    check(script, "separation logic");
}

#[test]
fn generated_scripts_round_trip() {
    for seed in 1..=300 {
        let script = Generator::new(seed).script();
        let (summary, ..) = read(script.as_bytes());
        let errors: Vec<_> = summary.errors.iter().map(ToString::to_string).collect();
        assert!(errors.is_empty(), "seed {seed}: {}\n{script}", errors.join("\n"));
        check(script.as_bytes(), &format!("seed {seed}"));
    }
}

#[test]
fn the_shared_corpus_round_trips() {
    for directory in ["data/corpus", "data/slcomp/bench", "data/models", "data/cores"] {
        let Some(directory) = agon_testkit::shared(directory) else { return };
        let mut directories = vec![directory];
        while let Some(directory) = directories.pop() {
            for item in std::fs::read_dir(directory).unwrap() {
                let path = item.unwrap().path();
                if path.is_dir() {
                    directories.push(path);
                } else if path.extension().is_some_and(|end| end == "smt2") {
                    check(&std::fs::read(&path).unwrap(), &path.display().to_string());
                }
            }
        }
    }
}

fn codes(script: &str) -> Vec<&'static str> {
    let (summary, ..) = read(script.as_bytes());
    summary.errors.iter().map(|error| error.code.name()).collect()
}

#[test]
fn names_with_and_without_indices_differ() {
    assert!(codes("(set-logic QF_BV)(declare-const bv1 (_ BitVec 8))(assert (= bv1 (_ bv1 8)))").is_empty());
    assert!(codes("(declare-const bv1 (_ BitVec 8))(assert (= bv1 (_ bv1 8)))").is_empty());
    let datatypes = "(set-logic ALL)(declare-datatype L ((nil) (cons (tail L))))(declare-datatype M ((tail (m Bool))))(declare-const l L)";
    assert_eq!(codes(&format!("{datatypes}(assert ((_ is tail) l))")), ["sort.argument"]);
    assert!(codes(&format!("{datatypes}(assert (= l ((_ update tail) l nil)))")).is_empty());
    let wild = "(set-info :smt-lib-version 2.7)(set-logic ALL)(declare-const |_| Bool)(declare-datatype D ((a) (b (c Bool))))\
        (declare-const d D)(assert (match d ((a true) ((b _) |_|))))";
    assert!(codes(wild).is_empty());
    check(wild.as_bytes(), "wildcards");
}

#[test]
fn linear_logics_accept_only_constant_factors() {
    let script = |term: &str| {
        format!(
            "(set-logic QF_LIRA)(declare-const x Int)(declare-const y Real)(declare-const p Bool)(assert (= y {term}))"
        )
    };
    for right in ["(* (to_real 2) y)", "(* (to_real (div 4 2)) y)", "(/ y (- 2.0))", "(* (- 0.0 (/ 1.0 3.0)) y)"] {
        assert!(codes(&script(right)).is_empty(), "{right}");
    }
    for wrong in ["(* (ite p 2.0 3.0) y)", "(/ y (ite p 0.0 1.0))", "(/ y 0.0)", "(/ 1.0 y)", "(* y y)"] {
        assert_eq!(codes(&script(wrong)), ["logic.nonlinear"], "{wrong}");
    }
}

#[test]
fn no_state_carries_over_between_scripts() {
    let mut checker = Checker::new(Rules::default());
    let mut right = |script: &str| {
        read_script(script.as_bytes(), &mut checker, KeptTerms::OfCommand, |_, _, _| {}).unwrap().is_right()
    };
    assert!(!right("(define-sort S (Int # ) Int)"));
    assert!(!right("(set-logic QF_UF)(assert (let ((true x)) (and"));
    assert!(!right("(set-logic QF_LIA)(declare-datatypes ((D 1)) ((par (Int) ((c (s "));
    assert!(right("(set-logic QF_LIA)(declare-const x Int)(assert (and true (> x 0)))"));
}

#[test]
fn each_mistake_is_reported_once() {
    assert_eq!(codes("(set-logic HO_ALL)(declare-const f (-> Int Int))(assert (= 1 ((_ (_ f 1) 1))))").len(), 1);
    assert_eq!(codes("(set-logic QF_UF)(assert (ite true foo foo))"), ["name.unknown"]);
    assert_eq!(codes("(set-logic QF_UF)(declare-fun f (Foo Foo) Foo)(declare-const x Foo)"), ["name.unknown-sort"]);
}

/// Generates random scripts that are well-sorted by construction.
struct Generator {
    state: u64,
    /// The variables in scope, with their sorts.
    scope: Vec<(String, usize)>,
    fresh: u32,
}

const SORTS: [&str; 6] = ["Bool", "Int", "Real", "(_ BitVec 8)", "(Array Int (_ BitVec 8))", "(Tree Int)"];

impl Generator {
    fn new(seed: u64) -> Self {
        Self { state: seed.wrapping_mul(0x9e37_79b9_7f4a_7c15), scope: vec![], fresh: 0 }
    }

    fn below(&mut self, bound: usize) -> usize {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.state >> 33) as usize) % bound
    }

    fn name(&mut self) -> String {
        // Few names, so that variables shadow each other.
        let plain = ["x", "y", "|a b|", "?v", "let'", "z!1"][self.below(6)].replace('\'', "_");
        if self.below(3) == 0 {
            return plain;
        }
        self.fresh += 1;
        format!("v{}", self.fresh)
    }

    fn script(&mut self) -> String {
        let mut script = "(set-logic ALL)\n(declare-datatypes ((Tree 1)) ((par (X) ((leaf) (node (value X) (left (Tree X)) (right (Tree X)))))))\n".to_owned();
        for (at, sort) in SORTS.iter().enumerate() {
            script += &format!("(declare-fun c{at} () {sort})\n(declare-fun f{at} ({sort} Int) {sort})\n");
            self.scope.push((format!("c{at}"), at));
        }
        for _ in 0..4 {
            let formula = self.term(0, 6);
            script += &format!("(assert {formula})\n(check-sat)\n");
        }
        script
    }

    fn term(&mut self, sort: usize, depth: usize) -> String {
        if depth == 0 || self.below(8) == 0 {
            return self.leaf(sort);
        }
        let next = depth - 1;
        match self.below(8) {
            0 => {
                let (name, of) = (self.name(), self.below(SORTS.len()));
                let value = self.term(of, next);
                self.scope.push((name.clone(), of));
                let body = self.term(sort, next);
                self.scope.pop();
                format!("(let (({name} {value})) {body})")
            }
            1 => format!("(ite {} {} {})", self.term(0, next), self.term(sort, next), self.term(sort, next)),
            2 => format!("(f{sort} {} {})", self.term(sort, next), self.term(1, next)),
            3 => {
                let tree = self.term(5, next);
                let missing = self.term(sort, next);
                let names = ["p1", "p2", "p3"];
                let sorts = [1, 5, 5];
                self.scope.extend(names.iter().zip(sorts).map(|(name, sort)| ((*name).to_owned(), sort)));
                let found = self.term(sort, next);
                self.scope.truncate(self.scope.len() - 3);
                format!("(match {tree} ((leaf {missing}) ((node p1 p2 p3) {found})))")
            }
            4 => format!("(! {} :weight {})", self.term(sort, next), self.below(9)),
            _ => self.theory(sort, next),
        }
    }

    fn theory(&mut self, sort: usize, next: usize) -> String {
        match sort {
            0 => match self.below(7) {
                0 => {
                    let of = self.below(SORTS.len());
                    format!("(= {} {} {})", self.term(of, next), self.term(of, next), self.term(of, next))
                }
                1 => format!("(< {} {})", self.term(1, next), self.term(1, next)),
                2 => {
                    let (name, of) = (self.name(), self.below(SORTS.len()));
                    self.scope.push((name.clone(), of));
                    let body = self.term(0, next);
                    let pattern = self.leaf(of);
                    self.scope.pop();
                    format!("(forall (({name} {})) (! {body} :pattern ((f{of} {pattern} 1))))", SORTS[of])
                }
                3 => format!("((_ is node) {})", self.term(5, next)),
                4 => format!("(bvult {} {})", self.term(3, next), self.term(3, next)),
                5 => format!("(=> {} {} {})", self.term(0, next), self.term(0, next), self.term(0, next)),
                _ => format!("(not {})", self.term(0, next)),
            },
            1 => match self.below(3) {
                0 => format!("(+ {} {} {})", self.term(1, next), self.term(1, next), self.term(1, next)),
                1 => format!("(value {})", self.term(5, next)),
                _ => format!("(- {})", self.term(1, next)),
            },
            2 => format!("(/ {} {})", self.term(2, next), self.term(1, next)),
            3 => match self.below(3) {
                0 => format!("(bvadd {} {})", self.term(3, next), self.term(3, next)),
                1 => format!("((_ extract 8 1) (concat {} #b1))", self.term(3, next)),
                _ => format!("(select {} {})", self.term(4, next), self.term(1, next)),
            },
            4 => format!("(store {} {} {})", self.term(4, next), self.term(1, next), self.term(3, next)),
            _ => format!("(node {} {} {})", self.term(1, next), self.term(5, next), self.term(5, next)),
        }
    }

    fn leaf(&mut self, sort: usize) -> String {
        // The innermost variable of a name shadows the others.
        let visible: Vec<_> = self
            .scope
            .iter()
            .enumerate()
            .filter(|(at, (name, of))| *of == sort && !self.scope[at + 1..].iter().any(|later| later.0 == *name))
            .map(|(_, (name, _))| name.clone())
            .collect();
        if !visible.is_empty() && self.below(4) > 0 {
            return visible[self.below(visible.len())].clone();
        }
        match sort {
            0 => ["true", "false"][self.below(2)].to_owned(),
            1 => self.below(100).to_string(),
            2 => format!("{}.{}", self.below(10), self.below(100)),
            3 => ["#xff", "#b00000001", "(_ bv7 8)"][self.below(3)].to_owned(),
            4 => "((as const (Array Int (_ BitVec 8))) #x00)".to_owned(),
            _ => "(as leaf (Tree Int))".to_owned(),
        }
    }
}
