//! `agon check` and `agon translate`.

use agon_testkit::{World, asked, shared, solver_program, table};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;

const AGON: &str = env!("CARGO_BIN_EXE_agon");
const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

/// The report of `agon check` on each file, by file name.
fn checked(world: &World, words: &[&str]) -> BTreeMap<String, Value> {
    let output = world.run(&[&["check", "--format", "json"], words].concat());
    assert!(output.code <= 1, "{}", output.stderr);
    let parse = |line: &str| serde_json::from_str::<Value>(line).unwrap();
    output.stdout.lines().map(parse).map(|row| (row["file"].as_str().unwrap().to_owned(), row)).collect()
}

fn codes(row: &Value) -> Vec<&str> {
    row["errors"].as_array().unwrap().iter().map(|error| error["code"].as_str().unwrap()).collect()
}

#[test]
fn every_error_code_has_a_page_whose_example_produces_it() {
    let world = World::new(AGON);
    let directory = Path::new(ROOT).join("docs/errors");
    let list = fs::read_to_string(directory.join("README.md")).unwrap();
    for code in agon_smtlib::Code::ALL {
        let code = code.name();
        let page =
            fs::read_to_string(directory.join(format!("{code}.md"))).unwrap_or_else(|_| panic!("{code} has no page"));
        assert!(list.contains(&format!("({code}.md)")), "{code} is not in the list");
        let between = |from: &str, to: &str| -> &str {
            let start = page.find(from).unwrap_or_else(|| panic!("{code}: no {from}")) + from.len();
            &page[start..start + page[start..].find(to).unwrap()]
        };
        let (script, expected) = (between("```smt2\n", "```\n"), between("```text\n", "```\n"));
        let command = between("`agon ", " example`");
        fs::write(world.path().join("example"), script).unwrap();
        let words: Vec<&str> = command.split(' ').chain(["example"]).collect();
        let output = world.run(&words);
        assert_eq!(output.stdout, expected, "{code}");
        assert!(output.stdout.contains(&format!("error[{code}]")), "{code}");
        assert_eq!(output.code, 1, "{code}");
    }
    for item in fs::read_dir(directory).unwrap().map(Result::unwrap) {
        let name = item.file_name().into_string().unwrap();
        let code = name.strip_suffix(".md").unwrap();
        assert!(code == "README" || agon_smtlib::Code::ALL.iter().any(|known| known.name() == code), "{name}");
    }
}

#[test]
fn check_reports_the_properties_of_a_file() {
    let world = World::new(AGON);
    let write = |name: &str, script: &str| fs::write(world.path().join(name), script).unwrap();
    fs::create_dir(world.path().join("some")).unwrap();
    write(
        "some/right.smt2",
        "(set-logic ALL)(declare-const x Int)(set-info :status sat)(assert (< x 3))(check-sat)(check-sat)",
    );
    write("some/wrong.smt2", "(set-logic QF_LIA)\n(assert (< x 3))\n(asert true)\n");
    write("some/old.smt", "(benchmark b :logic QF_UF :status unsat :formula false)");
    write("some/other.txt", "not a benchmark");
    let rows = checked(&world, &["some"]);
    assert_eq!(rows.len(), 3);
    let right = &rows["some/right.smt2"];
    assert_eq!((&right["ok"], &right["dialect"], &right["logic"]), (&true.into(), &"v2".into(), &"ALL".into()));
    assert_eq!(
        (&right["smallest_logic"], &right["asserts"], &right["check_sats"]),
        (&"QF_IDL".into(), &1.into(), &2.into())
    );
    assert_eq!(right["status"], serde_json::json!(["sat", "unknown"]));
    // All errors of a file are reported, with help.
    let wrong = &rows["some/wrong.smt2"];
    assert_eq!(codes(wrong), ["name.unknown", "command.unknown"]);
    assert_eq!((&wrong["errors"][1]["line"], &wrong["errors"][1]["col"]), (&3.into(), &2.into()));
    assert_eq!(wrong["errors"][1]["help"], "did you mean 'assert'?");
    let old = &rows["some/old.smt"];
    assert_eq!(
        (&old["ok"], &old["dialect"], &old["status"]),
        (&true.into(), &"v1".into(), &serde_json::json!(["unsat"]))
    );

    assert_eq!(world.run(&["check", "some/right.smt2"]).code, 0);
    assert_eq!(world.run(&["check", "some/wrong.smt2"]).code, 1);
    world.fails(&["check", "missing.smt2"], 3, &["missing.smt2"]);
    world.fails(&["check"], 2, &["FILE"]);
    world.fails(&["check", "--track", "nonsense", "some/right.smt2"], 2, &["single-query"]);
    let text = world.ok(&["check", "some/right.smt2"]);
    assert!(text.contains("ok, v2 ALL (fits into QF_IDL), 1 assertion, 2 queries: sat, no status"), "{text}");
    assert_eq!(world.ok(&["check", "--quiet", "some/right.smt2"]), "");
    let csv = world.run(&["check", "--format", "csv", "some"]).stdout;
    assert!(csv.starts_with("file,ok,") && csv.contains("some/wrong.smt2,false,v2,QF_LIA,"), "{csv}");
    let mut child = world.command(&["check", "-"]);
    let mut child = child.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), b"(set-logic QF_UF)(check-sat)").unwrap();
    assert!(child.wait().unwrap().success());
}

#[test]
fn errors_are_reported_at_their_position() {
    let world = World::new(AGON);
    let script = "(set-logic ALL)\n(declare-const x Int)\n(declare-fun p (Bool) Bool)\n(assert (and (> x 0)\n  (p x)\n  (xor x true)))\n";
    fs::write(world.path().join("f.smt2"), script).unwrap();
    let rows = checked(&world, &["f.smt2"]);
    let places: Vec<_> =
        rows["f.smt2"]["errors"].as_array().unwrap().iter().map(|e| (e["line"].as_u64(), e["col"].as_u64())).collect();
    assert_eq!(places, [(Some(5), Some(6)), (Some(6), Some(8))]);
    // An unclosed command is one error and does not hide the commands after it.
    fs::write(world.path().join("g.smt2"), "(set-logic QF_UF)\n(assert (and true false)\n(assert foo)\n(check-sat)\n")
        .unwrap();
    assert_eq!(codes(&checked(&world, &["g.smt2"])["g.smt2"]), ["syntax.open-command", "name.unknown"]);
    // Lines may end with a carriage return.
    fs::write(world.path().join("h.smt2"), "(set-logic QF_UF)\r(assert\r x)").unwrap();
    assert_eq!(checked(&world, &["h.smt2"])["h.smt2"]["errors"][0]["line"], 3);
}

fn track_errors(track: &str, script: &str) -> Vec<String> {
    let world = World::new(AGON);
    fs::write(world.path().join("f.smt2"), script).unwrap();
    let rows = checked(&world, &["--track", track, "f.smt2"]);
    codes(&rows["f.smt2"]).into_iter().map(str::to_owned).collect()
}

#[test]
fn r19_5_7_and_r19_5_18_only_the_listed_commands_are_allowed() {
    assert!(
        track_errors("single-query", "(set-logic QF_UF)(declare-fun x () Bool)(assert x)(check-sat)(exit)").is_empty()
    );
    for command in
        ["(push 1)", "(get-model)", "(echo \"a\")", "(declare-const y Bool)", "(reset)", "(check-sat-assuming (x))"]
    {
        let script = format!("(set-logic QF_UF)(declare-fun x () Bool)(check-sat){command}");
        assert_eq!(track_errors("single-query", &script), ["track.command"], "{command}");
    }
    assert_eq!(track_errors("single-query", "(set-logic QF_UF)(check-sat)(exit)(set-info :a b)"), ["track.order"]);
    assert!(track_errors("incremental", "(set-logic QF_UF)(push 1)(check-sat)(pop 1)(check-sat)(exit)").is_empty());
    assert_eq!(track_errors("incremental", "(set-logic QF_UF)(check-sat)"), ["track.count"]);
}

#[test]
fn r19_5_8_and_r19_5_9_the_logic_comes_first() {
    assert!(
        track_errors(
            "single-query",
            "(set-info :a b)(set-option :print-success false)(set-logic QF_UF)(set-info :c d)(check-sat)"
        )
        .is_empty()
    );
    assert!(
        track_errors("single-query", "(declare-fun x () Bool)(set-logic QF_UF)(check-sat)")
            .contains(&"track.order".to_owned())
    );
    assert!(track_errors("single-query", "(check-sat)").contains(&"track.order".to_owned()));
    assert!(
        track_errors("single-query", "(set-logic QF_UF)(set-logic QF_UF)(check-sat)")
            .contains(&"logic.late".to_owned())
    );
}

#[test]
fn r19_5_10_and_r19_5_11_options_are_checked() {
    let query = "(set-logic QF_UF)(check-sat)";
    assert_eq!(
        track_errors("single-query", &format!("{0}{0}{query}", "(set-option :print-success true)")),
        ["track.option"]
    );
    assert_eq!(
        track_errors("incremental", &format!("(set-option :print-success false){query}(exit)")),
        ["track.option"]
    );
    assert!(track_errors("incremental", &format!("(set-option :print-success true){query}(exit)")).is_empty());
    let models = "(set-option :produce-models true)";
    assert!(track_errors("model-validation", &format!("{models}{query}(get-model)")).is_empty());
    assert!(track_errors("model-validation", &format!("{query}(get-model)")).contains(&"track.option".to_owned()));
    assert!(
        track_errors("model-validation", &format!("{models}{models}{query}(get-model)"))
            .contains(&"track.option".to_owned())
    );
    let cores = "(set-option :produce-unsat-cores true)";
    let asserted = "(set-logic QF_UF)(declare-fun x () Bool)(assert x)(check-sat)(get-unsat-core)";
    assert!(track_errors("unsat-core", &format!("{cores}{asserted}")).is_empty());
    assert!(track_errors("unsat-core", asserted).contains(&"track.option".to_owned()));
    assert!(track_errors("unsat-core", &format!("{cores}{cores}{asserted}")).contains(&"track.option".to_owned()));
    assert_eq!(track_errors("single-query", &format!("{models}{query}")), ["track.option"]);
}

#[test]
fn r19_5_12_and_r19_5_13_declarations_are_checked() {
    assert_eq!(track_errors("single-query", "(set-logic QF_UF)(declare-sort A 1)(check-sat)"), ["track.arity"]);
    assert_eq!(track_errors("single-query", "(set-logic QF_UF)(define-sort A (X) X)(check-sat)"), ["track.arity"]);
    let datatypes = "(declare-datatype A ((a)))(check-sat)";
    assert!(track_errors("single-query", &format!("(set-logic QF_DT){datatypes}")).is_empty());
    assert_eq!(
        track_errors("single-query", &format!("(set-logic QF_UF){datatypes}")),
        ["track.command", "logic.theory"]
    );
}

#[test]
fn r19_5_14_assertions_are_in_the_logic() {
    let outside = "(set-logic QF_IDL)(declare-fun x () Int)(assert (forall ((y Int)) (< (* x y) 1)))(check-sat)";
    assert_eq!(track_errors("single-query", outside), ["logic.quantifier", "logic.nonlinear"]);
    assert_eq!(track_errors("single-query", "(set-logic QF_LIA)(assert (< x 1))(check-sat)"), ["name.unknown"]);
}

#[test]
fn r19_5_15_only_assertions_of_the_unsat_core_track_are_named() {
    let script = |assertion: &str| {
        format!(
            "(set-option :produce-unsat-cores true)(set-logic QF_UF)(declare-fun x () Bool){assertion}(check-sat)(get-unsat-core)"
        )
    };
    assert!(track_errors("unsat-core", &script("(assert (! x :named a))")).is_empty());
    assert_eq!(track_errors("unsat-core", &script("(assert (not (! x :named a)))")), ["track.named"]);
    let single = "(set-logic QF_UF)(declare-fun x () Bool)(assert (! x :named a))(check-sat)";
    assert_eq!(track_errors("single-query", single), ["track.named"]);
}

#[test]
fn r19_5_16_and_r19_5_17_number_and_order_of_queries_are_checked() {
    assert_eq!(track_errors("single-query", "(set-logic QF_UF)(check-sat)(check-sat)"), ["track.count"]);
    assert_eq!(track_errors("single-query", "(set-logic QF_UF)"), ["track.count"]);
    assert_eq!(track_errors("incremental", "(set-logic QF_UF)(push 2)(check-sat)(exit)"), ["track.command"]);
    let models = "(set-option :produce-models true)(set-logic QF_UF)(check-sat)";
    assert_eq!(track_errors("model-validation", models), ["track.count"]);
    assert_eq!(track_errors("model-validation", &format!("{models}(get-model)(get-model)")), ["track.order"]);
}

#[test]
fn the_shared_corpus_is_accepted_and_ill_formed_files_are_rejected() {
    let world = World::new(AGON);
    if let Some(directory) = shared("data/corpus") {
        let rows = checked(&world, &[directory.to_str().unwrap()]);
        assert!(rows.len() > 1500);
        // docs/language.md explains why.
        let known = ["QF_AUFLIRA/cvc4-unconstrained/arith3.smt2"];
        for (file, row) in &rows {
            let right = !known.iter().any(|name| file.ends_with(name));
            assert_eq!(row["ok"], right, "{file}: {:?}", row["errors"]);
        }
        for row in table(&directory.join("index.tsv")) {
            let checked = &rows[directory.join(&row["path"]).to_str().unwrap()];
            assert_eq!(checked["logic"], *row["logic"], "{}", row["path"]);
            assert_eq!(checked["asserts"].to_string(), row["n_asserts"], "{}", row["path"]);
        }
    }
    if let Some(directory) = shared("data/illformed") {
        let path = directory.to_str().unwrap();
        let (usual, strict) = (checked(&world, &[path]), checked(&world, &["--strict", path]));
        let known = ["cvc5/proj-issue746-safe.smt2", "cvc5/portfolio-out-err.smt2"];
        for row in table(&directory.join("index.tsv")) {
            let file = directory.join(&row["file"]).to_str().unwrap().to_owned();
            let refused = match row["class"].as_str() {
                "must" | "impl" => usual[&file]["ok"] == false && strict[&file]["ok"] == false,
                "strict" => strict[&file]["ok"] == false,
                _ => continue,
            };
            assert_eq!(refused, !known.contains(&row["file"].as_str()), "{file}");
        }
    }
}

#[test]
fn sl19_15_and_sl19_16_separation_logic_problems_fit_their_divisions() {
    let Some(directory) = shared("data/slcomp/bench") else { return };
    let world = World::new(AGON);
    let rows = checked(&world, &[directory.to_str().unwrap()]);
    let mut first = 0;
    let index = table(&directory.join("index.tsv"));
    for row in &index {
        let checked = &rows[directory.join(&row["path"]).to_str().unwrap()];
        assert_eq!(checked["ok"], true, "{}: {:?}", row["path"], checked["errors"]);
        assert_eq!(checked["dialect"], "sl", "{}", row["path"]);
        assert_eq!(checked["division"], *row["division"], "{}", row["path"]);
        first += usize::from(checked["divisions"][0] == *row["division"]);
    }
    // Some problems are in two divisions with two logics, so the file alone does not always determine the division.
    assert!(first + 8 >= index.len(), "{first} of {}", index.len());
    let broken = rows.iter().filter(|(file, _)| file.contains("fixtures-illsorted"));
    assert!(broken.map(|(file, row)| assert_eq!(row["ok"], false, "{file}")).count() >= 4);
}

/// The first definite answer of a solver, or `None` if the solver gives no such answer within the time limit.
fn answer(program: &Path, file: &Path) -> Option<String> {
    let text = asked(program, file)?;
    // z3 takes (- 0.0 22.0) for a variable when it checks for nonlinear terms, and prints an error before its answer.
    if text.contains("logic does not support nonlinear arithmetic") {
        return None;
    }
    // Some files have a wrong status, which z3 reports.
    let errors = text.lines().filter(|line| line.contains("error") && !line.contains("check annotation"));
    assert_eq!(errors.count(), 0, "{} on {}: {text}", program.display(), file.display());
    text.lines().map(str::trim).find(|line| matches!(*line, "sat" | "unsat")).map(str::to_owned)
}

/// z3, and Yices' front end for version 1.2.
fn readers() -> (PathBuf, PathBuf) {
    (solver_program(AGON, "z3", "z3"), solver_program(AGON, "yices", "yices-smt"))
}

/// Translates a file to version 2 and back, and runs solvers on all three files. Returns how many gave an answer.
fn same_answers(world: &World, file: &Path, status: &str) -> usize {
    let (z3, yices) = readers();
    let (new, old) = (world.path().join("new.smt2"), world.path().join("old.smt"));
    fs::write(&new, world.ok(&["translate", "--to", "v2", file.to_str().unwrap()])).unwrap();
    let answers = [(&z3, new.clone()), (&yices, file.to_owned())];
    let mut answered = 0;
    for (solver, input) in &answers {
        if input.extension().is_some_and(|end| end == "smt2") != (*solver == &z3) {
            continue;
        }
        if let Some(found) = answer(solver, input) {
            assert_eq!(found, status, "{} on {}", solver.display(), file.display());
            answered += 1;
        }
    }
    let back = world.run(&["translate", "--to", "v1", new.to_str().unwrap()]);
    assert_eq!(back.code, 0, "{}: {}", file.display(), back.stderr);
    fs::write(&old, back.stdout).unwrap();
    world.ok(&["check", "--quiet", old.to_str().unwrap()]);
    if let Some(found) = answer(&yices, &old) {
        assert_eq!(found, status, "{} after the round trip", file.display());
        answered += 1;
    }
    answered
}

#[test]
fn version_1_2_means_the_same_as_its_translation() {
    let world = World::with_solvers(AGON);
    for (at, (status, body)) in [
        ("unsat", ":logic QF_UF :extrafuns ((a U) (b U) (f U U)) :assumption (= a b) :formula (not (= (f a) (f b)))"),
        ("sat", ":logic QF_UF :extrapreds ((p) (q) (r)) :formula (iff p q r) :assumption (and (not p) (not q) r)"),
        ("unsat", ":logic QF_LIA :extrafuns ((x Int)) :formula (flet ($p (< x 3)) (let (?y (+ x 1)) (and $p (> ?y 3))))"),
        ("sat", ":logic QF_LRA :extrafuns ((x Real)) :formula (= (* 3 x) (~ (/ 1 2)))"),
        ("unsat", ":logic QF_RDL :extrafuns ((x Real) (y Real)) :formula (and (< (- x y) 0) (> (- x y) 0.5))"),
        ("sat", ":logic QF_BV :extrafuns ((v BitVec[8])) :formula (= (extract[3:0] v) (concat bvbin10 (extract[1:0] bv255[8])))"),
        ("unsat", ":logic QF_BV :extrafuns ((v BitVec[4])) :formula (bvult (sign_extend[4] v) (ite (= bit1 bit1) bv0[8] bvhexff))"),
        ("unsat", ":logic QF_AX :extrafuns ((a Array) (i Index) (e Element)) :formula (not (= (select (store a i e) i) e))"),
        ("sat", ":logic QF_AUFBV :extrafuns ((a Array[4:8]) (i BitVec[4])) :formula (if_then_else (= (select a i) bv7[8]) true false)"),
        ("unsat", ":logic QF_UFLIA :extrafuns ((abs Int) (let_1 Int Int)) :formula (distinct (let_1 abs) (let_1 abs))"),
        ("sat", ":logic QF_IDL :extrafuns ((x Int) (y Int)) :formula (xor (< x y) (implies (>= x y) (= x y)))"),
    ]
    .iter()
    .enumerate()
    {
        let file = world.path().join(format!("b{at}.smt"));
        fs::write(&file, format!("(benchmark b{at}\n:status {status}\n{body}\n)\n")).unwrap();
        assert_eq!(same_answers(&world, &file, status), 3, "{body}");
    }
}

#[test]
fn the_pack_means_the_same_in_version_1_2() {
    let world = World::with_solvers(AGON);
    world.ok(&["library", "generate", "pack", "--size", "3", "--size", "4", "--size", "5", "--size", "6"]);
    let (_, yices) = readers();
    let mut same = 0;
    for file in agon_library::benchmark_files(&world.path().join("pack")).unwrap() {
        let translated = world.run(&["translate", "--to", "v1", file.to_str().unwrap()]);
        if translated.code != 0 {
            assert!(translated.stderr.contains("version 1.2 has no"), "{}", translated.stderr);
            continue;
        }
        let old = world.path().join("old.smt");
        fs::write(&old, translated.stdout).unwrap();
        let rows = checked(&world, &[old.to_str().unwrap()]);
        let row = rows.values().next().unwrap();
        assert_eq!(row["ok"], true, "{}: {row}", file.display());
        let quantified = !row["logic"].as_str().unwrap().starts_with("QF_");
        if let Some(found) = answer(&yices, &old).filter(|_| !quantified) {
            assert_eq!(row["status"][0], *found, "{}", file.display());
            same += 1;
        }
    }
    assert!(same > 10, "{same}");
}

#[test]
fn the_shared_version_1_2_benchmarks_keep_their_answers() {
    let Some(directory) = shared("data/smtlib1") else { return };
    let world = World::with_solvers(AGON);
    // These files are expected to be rejected.
    let refused = ["expect/scrub.01.smt", "expect/scrub.02.smt"];
    let rows = checked(&world, &[directory.to_str().unwrap()]);
    let mut answered = 0;
    for (at, row) in table(&directory.join("index.tsv")).iter().enumerate() {
        let file = directory.join(&row["file"]);
        let right = !refused.iter().any(|name| row["file"].ends_with(name));
        assert_eq!(rows[file.to_str().unwrap()]["ok"], right, "{}", row["file"]);
        // Every fifth file, to keep the test fast.
        if right && at % 5 == 0 && matches!(row["consensus"].as_str(), "sat" | "unsat") {
            answered += same_answers(&world, &file, &row["consensus"]);
        }
    }
    assert!(answered > 80, "{answered}");
}

#[test]
fn translate_rejects_what_it_cannot_express() {
    let world = World::new(AGON);
    let write = |name: &str, script: &str| fs::write(world.path().join(name), script).unwrap();
    write("a.smt2", "(set-logic QF_UFBV)(declare-fun f (Bool) Bool)(assert (f true))(check-sat)");
    world.fails(&["translate", "a.smt2", "--to", "v1"], 1, &["a.smt2:1", "version 1.2 has no Boolean terms"]);
    write("b.smt2", "(set-logic QF_LIA)(push 1)(check-sat)");
    world.fails(&["translate", "b.smt2", "--to", "v1"], 1, &["push"]);
    write("c.smt2", "(set-logic QF_LIA)(assert x)(check-sat)");
    world.fails(&["translate", "c.smt2", "--to", "v2"], 1, &["name.unknown", "not well-formed"]);
    world.fails(&["translate", "missing", "--to", "v2"], 3, &["missing"]);
    // Translating the output again changes nothing.
    write(
        "d.smt2",
        "(set-logic QF_LIA) ; comment\n(declare-fun |a b| () Int)(assert (let ((x 1)) (= |a b| x)))(check-sat)",
    );
    let once = world.ok(&["translate", "d.smt2", "--to", "v2"]);
    write("e.smt2", &once);
    assert_eq!(world.ok(&["translate", "e.smt2", "--to", "v2"]), once);
}

/// A separation-logic problem with this preamble, and these commands at its end.
fn separation_problem(preamble: &str, end: &str) -> String {
    format!(
        "(set-logic QF_SHLS)\n{preamble}(declare-sort R 0)\n(declare-datatypes ((C 0)) (((c (next R)))))\n\
         (declare-heap (R C))\n(define-fun-rec ls ((x R) (y R)) Bool (or (and (= x y) (_ emp R C))\n\
         (exists ((z R)) (and (distinct x y) (sep (pto x (c z)) (ls z y))))))\n(declare-const x R)\n(declare-const y R)\n\
         {end}"
    )
}

#[test]
fn sl19_12_sl19_13_sl19_14_and_sl19_21_the_shape_of_separation_logic_problems() {
    let world = World::new(AGON);
    let preamble = "(set-info :source |team|)\n(set-info :category \"crafted\")\n(set-info :status unsat)\n";
    let check = |preamble: &str, end: &str| {
        let file = world.write("problem.smt2", &separation_problem(preamble, end));
        let output = world.run(&["check", "--track", "separation", file.to_str().unwrap()]);
        (output.code == 0, output.stdout)
    };
    // An entailment is the conjunction of one side and the negation of the other.
    let entailment = "(check-sat)\n(assert (ls x y))\n(assert (not (ls x y)))\n(check-sat)\n";
    let (is_right, said) = check(preamble, entailment);
    assert!(is_right && said.contains("division qf_shls_entl"), "{said}");
    let (is_right, said) = check(preamble, "(assert (ls x y))\n(check-unsat)\n(exit)\n");
    assert!(is_right && said.contains("division qf_shls_sat"), "{said}");
    for (preamble, end, word) in [
        (preamble, "(assert (ls x y))(assert (ls x y))(assert (ls x y))(check-sat)", "one or two assertions"),
        (preamble, "(assert (ls x y))(check-sat)(assert (ls x y))", "no command except exit"),
        (preamble, "(assert (ls x y))(check-sat)(check-sat)", "no command except exit"),
        (preamble, "(check-sat)(assert (ls x y))", "must end with a query"),
        (preamble, "(push 1)(assert (ls x y))(check-sat)", "'push' is not allowed"),
        (preamble, "(check-sat)(check-sat)(assert (ls x y))(check-sat)", "at most two queries"),
        ("(set-info :category \"crafted\")(set-info :status sat)", "(assert (ls x y))(check-sat)", "the team"),
        ("(set-info :source |team|)(set-info :status sat)", "(assert (ls x y))(check-sat)", "the kind"),
        ("(set-info :source |team|)(set-info :category \"crafted\")", "(assert (ls x y))(check-sat)", "the status"),
    ] {
        let (is_right, said) = check(preamble, end);
        assert!(!is_right && said.contains(word), "{end}: {said}");
    }
}

#[test]
fn sl19_10_a_heap_is_declared_once_and_pairs_its_sorts() {
    let world = World::new(AGON);
    let errors = |preamble: &str, assertion: &str| {
        let text = format!(
            "(set-logic QF_BSL)\n(declare-sort R 0)\n(declare-datatypes ((C 0)) (((c (next R)))))\n{preamble}\n\
             (declare-const x R)\n(declare-const y C)\n(assert {assertion})\n(check-sat)\n"
        );
        let file = world.write("heap.smt2", &text);
        let output = world.run(&["check", file.to_str().unwrap()]);
        (output.code, output.stdout)
    };
    let once = "(declare-heap (R C))";
    assert_eq!(errors(once, "(pto x (c x))").0, 0);
    for (preamble, assertion, word) in [
        ("", "(pto x (c x))", "heap.missing"),
        ("(declare-heap (R C))\n(declare-heap (R C))", "(pto x (c x))", "heap.twice"),
        (once, "(pto y (c x))", "heap.pair"),
    ] {
        let (code, text) = errors(preamble, assertion);
        assert!(code == 1 && text.contains(word), "{word}: {text}");
    }
}

#[test]
fn sl19_15_and_sl19_17_problems_are_checked_and_get_their_fragment() {
    let world = World::new(AGON);
    let preamble = "(set-info :source |team|)\n(set-info :category \"crafted\")\n(set-info :status unsat)\n";
    for (end, division) in [
        ("(assert (ls x y))(check-sat)", "qf_shls_sat"),
        ("(assert (ls x y))(assert (not (ls y x)))(check-sat)", "qf_shls_entl"),
        // With a quantifier it is another fragment.
        ("(assert (ls x y))(assert (not (exists ((z R)) (sep (ls x z) (ls z y)))))(check-sat)", "shid_entl"),
    ] {
        let file = world.write("problem.smt2", &separation_problem(preamble, end));
        // A file outside the logic that it names is an error, and still gets the fragment of its content.
        let checked = world.run(&["check", "--format", "json", file.to_str().unwrap()]);
        let row: Value = serde_json::from_str(&checked.stdout).unwrap();
        assert_eq!(row["divisions"][0], division, "{row}");
        assert_eq!(checked.code == 0, division != "shid_entl", "{row}");
    }
    let file = world.write("wrong.smt2", &separation_problem(preamble, "(assert (ls x))(check-sat)"));
    assert_eq!(world.run(&["check", file.to_str().unwrap()]).code, 1);
}
