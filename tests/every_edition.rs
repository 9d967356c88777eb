//! A small competition under the rules of every edition, from `agon init` to the scores, with entrants that really read
//! the benchmarks: the reference solver, the Yices program for SMT-LIB 1.2, and cvc5 for separation logic.

use agon_testkit::{World, fake_solver, solver_program};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

const AGON: &str = env!("CARGO_BIN_EXE_agon");
const REFERENCE: &str = env!("CARGO_BIN_EXE_agon-ref");

/// The names of all rulebooks.
fn editions(world: &World) -> Vec<String> {
    let rows = world.json(&["rules", "list", "--format", "json"]);
    rows.as_array().unwrap().iter().map(|row| row["name"].as_str().unwrap().to_owned()).collect()
}

/// The tracks of a rulebook.
fn tracks(world: &World, rules: &str) -> Vec<String> {
    let shown = world.json(&["rules", "show", rules, "--format", "json"]);
    shown["tracks"].as_object().unwrap().keys().cloned().collect()
}

/// A competition in `c` whose limits fit this machine.
fn init(world: &World, rules: &str) {
    world.ok(&["init", "c", "--rules", rules]);
    let file = world.path().join("c/agon.toml");
    let mut settings = fs::read_to_string(&file).unwrap();
    for track in tracks(world, rules) {
        settings += &format!("\n[rules.tracks.{track}.limits]\nwall_s = 20\nmemory_bytes = 1_000_000_000\ncores = 1\n");
        if rules == "slcomp-2018" {
            settings += &format!("[rules.tracks.{track}]\nladder_s = []\n");
        }
    }
    fs::write(&file, settings).unwrap();
}

/// Two satisfiable and two unsatisfiable benchmarks of a logic in version 2, and one with two queries.
fn library_2(root: &Path, logic: &str) {
    let write = |path: String, text: String| {
        let file = root.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    };
    let head = |status: &str| {
        format!(
            "(set-logic {logic})\n(set-info :category \"industrial\")\n(set-info :difficulty |2|)\n\
             (set-info :status {status})\n(declare-fun p () Bool)\n(declare-fun q () Bool)\n"
        )
    };
    for at in 0..2 {
        let name = |status: &str| format!("non-incremental/{logic}/small/{status}{at}.smt2");
        write(name("sat"), head("sat") + "(assert (or p q))\n(assert (not q))\n(check-sat)\n(exit)\n");
        write(
            name("unsat"),
            head("unsat") + "(assert (and p q))\n(assert (not q))\n(assert (or p q))\n(check-sat)\n(exit)\n",
        );
    }
    let queries =
        "(assert p)\n(check-sat)\n(push 1)\n(set-info :status unsat)\n(assert (not p))\n(check-sat)\n(pop 1)\n(exit)\n";
    write(format!("incremental/{logic}/small/two.smt2"), head("sat") + queries);
}

/// An entrant whose program is the reference solver, with a command for every track.
fn reference(world: &World, name: &str, tracks: &[String]) {
    let directory = world.path().join("solvers").join(name);
    fs::create_dir_all(directory.join("bin")).unwrap();
    fs::copy(REFERENCE, directory.join("bin/ref")).unwrap();
    let mut text = format!("name = '{name}'\nversion = '1'\nteam = '{name}'\nmagic = 7\n[commands]\n");
    for track in tracks {
        let arguments = if track.contains("incremental") { ", '-'" } else { ", '{benchmark}'" };
        text += &format!("{track} = ['bin/ref'{arguments}]\n");
    }
    fs::write(directory.join("entrant.toml"), text).unwrap();
    world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
}

/// Runs all tracks to the end, and returns the scores of each.
fn go(world: &World, tracks: &[String]) -> Vec<Value> {
    let output = world.run(&["go", "-C", "c", "--index", "1"]);
    assert!(output.code < 2, "{}", output.stderr);
    tracks.iter().map(|track| world.json(&["score", "-C", "c", "--track", track, "--format", "json"])).collect()
}

/// The line of a solver in the first ranking of a division.
fn line<'a>(scores: &'a Value, division: &str, solver: &str) -> &'a Value {
    let found = scores["divisions"].as_array().unwrap().iter().find(|found| found["name"] == division);
    let rankings = found.unwrap_or_else(|| panic!("no {division} in {scores}"))["rankings"].as_object().unwrap();
    let lines = rankings.values().next().unwrap().as_array().unwrap();
    lines.iter().find(|line| line["solver"] == solver).unwrap_or_else(|| panic!("no {solver} in {scores}"))
}

/// The division of a logic under the rules of an edition.
fn division_of(scores: &Value) -> String {
    let first = &scores["divisions"][0];
    first["name"].as_str().unwrap_or_else(|| panic!("no divisions: {scores}")).to_owned()
}

#[test]
fn r19_3_1_and_a11_1_every_edition_in_version_2_runs_all_its_tracks() {
    let names = editions(&World::new(AGON));
    let in_version_2: Vec<&String> = names
        .iter()
        .filter(|name| name.starts_with("smtcomp-20") && !name.ends_with("2007") && !name.ends_with("2008"))
        .collect();
    assert!(in_version_2.len() >= 15, "{names:?}");
    for rules in in_version_2 {
        let world = World::new(AGON);
        let tracks = tracks(&world, rules);
        init(&world, rules);
        library_2(&world.path().join("library"), "QF_BV");
        world.ok(&["library", "add", "-C", "c", "library"]);
        for name in ["one", "two"] {
            reference(&world, name, &tracks);
        }
        if tracks.iter().any(|track| track.starts_with("industry")) {
            for part in ["non-incremental", "incremental"] {
                let reason = ["--by", "Ada", "--reason", "unsolved for a year"];
                world.ok(&[&["library", "nominate", "-C", "c", part], &reason[..]].concat());
            }
        }
        if tracks.iter().any(|track| track == "parallel") {
            // Nobody solved these in the years before.
            let mut past = "benchmark,solver,configuration,status,cpu time,wallclock time,result,expected\n".to_owned();
            for at in 0..2 {
                for status in ["sat", "unsat"] {
                    past +=
                        &format!("QF_BV/small/{status}{at}.smt2,old,d,timeout,1200,1200,starexec-unknown,{status}\n");
                }
            }
            world.write("past.csv", &past);
            world.ok(&["seed", "-C", "c", "--index", "1"]);
            for track in tracks.iter().filter(|track| ["parallel", "cloud"].contains(&track.as_str())) {
                let words = ["select", "-C", "c", "--track", track, "--results", "past.csv", "--format", "json"];
                world.ok(&words);
            }
        }
        let scores = go(&world, &tracks);
        for (track, scores) in tracks.iter().zip(&scores) {
            let division = division_of(scores);
            let correct = line(scores, &division, "one")["correct"].as_f64().unwrap();
            // The reference solver writes no proofs.
            assert!(correct > 0.0 || track == "proof", "{rules} {track}: {scores}");
            if rules == "smtcomp-2019" && track == "model-validation" {
                // Nobody is recognized in a track that the rules call experimental (R19-3.6).
                let text = world.run(&["score", "-C", "c", "--track", track]).stdout;
                assert!(!text.contains("biggest lead") && text.contains("QF_BV"), "{text}");
            }
            assert_eq!(
                line(scores, &division, "two")["error"],
                line(scores, &division, "one")["error"],
                "{rules} {track}"
            );
        }
    }
}

#[test]
fn r19_5_24_the_industry_challenge_runs_exactly_the_nominated_benchmarks_of_both_kinds() {
    let world = World::new(AGON);
    init(&world, "smtcomp-2019");
    library_2(&world.path().join("library"), "QF_BV");
    world.ok(&["library", "add", "-C", "c", "library"]);
    let tracks = ["industry-challenge".to_owned(), "industry-challenge-incremental".to_owned()];
    for name in ["one", "two"] {
        reference(&world, name, &tracks);
    }
    let nominate = |path: &str| {
        ["library", "nominate", "-C", "c", path, "--by", "Ada", "--reason", "open for a week"].map(str::to_owned)
    };
    let run = |words: &[String]| world.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    world.fails(
        &["library", "nominate", "-C", "c", "non-incremental/QF_BV/smal", "--by", "A", "--reason", "r"],
        2,
        &["did you mean"],
    );
    for path in ["non-incremental/QF_BV/small/unsat1.smt2", "incremental/QF_BV/small"] {
        assert_eq!(run(&nominate(path)).code, 0);
    }
    let listed = world.json(&["library", "nominate", "-C", "c", "--format", "json"]);
    assert_eq!((listed.as_array().unwrap().len(), &listed[0]["by"]), (2, &Value::from("Ada")));
    let scores = go(&world, &tracks);
    assert_eq!(
        (&scores[0]["divisions"][0]["benchmarks"], &scores[1]["divisions"][0]["benchmarks"]),
        (&1.into(), &1.into())
    );
    let kinds: Vec<&String> = scores[0]["divisions"][0]["rankings"].as_object().unwrap().keys().collect();
    assert_eq!(kinds, ["sequential", "parallel"]);
    assert_eq!(line(&scores[1], "QF_BV", "one")["correct"], 2);
    let rules = world.json(&["rules", "show", "smtcomp-2019", "--format", "json"]);
    assert_eq!(rules["tracks"]["industry-challenge"]["limits"]["wall_s"].as_f64(), Some(43200.0));
    // Another nomination makes the selection out of date.
    assert_eq!(run(&nominate("non-incremental/QF_BV/small/sat0.smt2")).code, 0);
    world.fails(&["prepare", "-C", "c", "--track", "industry-challenge"], 3, &["out of date"]);
}

/// An entrant whose program is Yices for SMT-LIB 1.2.
fn yices_1_2(world: &World, name: &str, divisions: &str) {
    let directory = world.path().join("solvers").join(name);
    fs::create_dir_all(directory.join("bin")).unwrap();
    fs::copy(solver_program(AGON, "yices", "yices-smt"), directory.join("bin/yices-smt")).unwrap();
    // The program prints its version and statistics too.
    let script = "#!/bin/sh\n\"$(dirname \"$0\")/yices-smt\" \"$1\" | grep -xE 'sat|unsat|unknown'\n";
    fs::write(directory.join("bin/run"), script).unwrap();
    fs::set_permissions(directory.join("bin/run"), fs::Permissions::from_mode(0o755)).unwrap();
    let text = format!(
        "name = '{name}'\nversion = '2'\nteam = '{name}'\nmagic = 7\nopen_source = true\n[commands]\n\
         single-query = ['bin/run', '{{benchmark}}']\n{divisions}"
    );
    fs::write(directory.join("entrant.toml"), text).unwrap();
    world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
}

fn benchmark_1_2(world: &World, path: &str, logic: &str, status: &str, formula: &str) {
    let text = format!(
        "(benchmark small\n:logic {logic}\n:status {status}\n:category {{ industrial }}\n:difficulty {{ 2 }}\n\
         :extrapreds ((p) (q))\n:formula {formula}\n)\n"
    );
    world.write(&format!("library/non-incremental/{logic}/{path}"), &text);
}

#[test]
fn r08_3_3_and_r08_4_1_the_editions_in_version_1_2_run_with_a_solver_that_reads_it() {
    for rules in ["smtcomp-2007", "smtcomp-2008"] {
        let world = World::with_solvers(AGON);
        init(&world, rules);
        for (path, status, formula) in
            [("f/a.smt", "sat", "(or p q)"), ("f/b.smt", "unsat", "(and p (not p))"), ("f/c.smt", "sat", "(and p q)")]
        {
            benchmark_1_2(&world, path, "QF_UF", status, formula);
        }
        world.ok(&["library", "add", "-C", "c", "library"]);
        for name in ["yices-a", "yices-b", "yices-c"] {
            yices_1_2(&world, name, "");
        }
        // A solver for version 2 is found out before the competition.
        reference(&world, "new", &["single-query".to_owned()]);
        let checked = world.run(&["entrant", "check", "-C", "c", "--format", "json"]);
        assert_eq!(checked.code, 1, "{}", checked.stdout);
        let rows: Value = serde_json::from_str(&checked.stdout).unwrap();
        for row in rows.as_array().unwrap().iter().filter(|row| row["tried"].as_str().unwrap().contains(" in ")) {
            assert_eq!(row["ok"], row["entrant"] != "new", "{row}");
        }
        world.ok(&["entrant", "remove", "-C", "c", "new"]);
        let scores = go(&world, &["single-query".to_owned()]);
        assert_eq!(line(&scores[0], "QF_UF", "yices-a")["correct"], 3, "{rules}");
        // Solvers choose their parser by the extension.
        let prepared = world.path().join("c/prepared/single-query");
        let mut files: Vec<PathBuf> = vec![];
        for directory in fs::read_dir(prepared).unwrap() {
            files.extend(fs::read_dir(directory.unwrap().path()).unwrap().map(|item| item.unwrap().path()));
        }
        assert!(files.len() == 3 && files.iter().all(|file| file.extension().unwrap() == "smt"), "{files:?}");
        // The best open-source solver is on the page of the division (R08-5.3).
        let page = fs::read_to_string(world.path().join("c/site/divisions/QF_UF.html")).unwrap();
        assert!(page.contains("Best open-source solver: yices-"), "{page}");
    }
}

#[test]
fn r08_4_3_and_r08_4_2_a_division_exists_with_and_without_patterns() {
    let world = World::new(AGON);
    init(&world, "smtcomp-2008");
    let text = "(benchmark small\n:logic AUFLIA\n:status unsat\n:category { crafted }\n:difficulty { 2 }\n\
                :extrafuns ((f Int Int))\n:assumption (forall (?x Int) (= (f ?x) 0) :pat { (f ?x) })\n\
                :formula (not (= (f 1) 0))\n)\n";
    world.write("library/non-incremental/AUFLIA/f/a.smt", text);
    world.ok(&["library", "add", "-C", "c", "library"]);
    // It answers only if it sees a pattern.
    for (name, team) in [("a", "A"), ("b", "B"), ("c", "C")] {
        let directory =
            fake_solver(&world.path().join("solvers"), name, team, "grep -q ':pat' $1 && echo unsat || echo unknown");
        world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    }
    let scores = go(&world, &["single-query".to_owned()]);
    assert_eq!(line(&scores[0], "AUFLIA+p", "a")["correct"], 1, "{}", scores[0]);
    assert_eq!(line(&scores[0], "AUFLIA-p", "a")["correct"], 0, "{}", scores[0]);
    // The benchmark has a page in each division.
    for (division, answer) in [("AUFLIA+p", "unsat"), ("AUFLIA-p", "unknown")] {
        let page = format!("c/site/benchmarks/{division}/non-incremental/AUFLIA/f/a.smt.html");
        let page = fs::read_to_string(world.path().join(page)).unwrap();
        assert!(page.contains(&format!("<td>{answer}")) || page.contains(&format!(">{answer}<")), "{division}: {page}");
    }
    // An export states the division, so that it has the same scores.
    let table = world.ok(&["export", "-C", "c"]);
    world.write("runs.csv", &table);
    let again = world.json(&["score", "runs.csv", "--rules", "smtcomp-2008", "--format", "json"]);
    for (division, correct) in [("AUFLIA+p", 1), ("AUFLIA-p", 0)] {
        assert_eq!(line(&again, division, "a")["correct"], correct, "{again}");
    }
    // A misspelled logic would leave its division without benchmarks.
    let file = world.path().join("c/agon.toml");
    let settings = fs::read_to_string(&file).unwrap();
    fs::write(&file, settings.clone() + "\n[rules.divisions.single-query]\nA = ['AUFLAI']\n").unwrap();
    world.fails(&["select", "-C", "c"], 2, &["division 'A' has the logic 'AUFLAI', which does not exist"]);
    fs::write(&file, settings).unwrap();
    // The organizers may remove a division (R08-4.2), and give one its own limit (R08-3.6).
    let file = world.path().join("c/agon.toml");
    let settings = fs::read_to_string(&file).unwrap();
    let changed = "[rules.divisions.single-query]\n\"AUFLIA+p\" = { logics = ['AUFLIA'], patterns = 'keep', limits = { wall_s = 5 } }\n";
    fs::write(&file, settings + changed).unwrap();
    let scores = go(&world, &["single-query".to_owned()]);
    assert_eq!(scores[0]["divisions"].as_array().unwrap().len(), 1, "{}", scores[0]);
    let site = fs::read_to_string(world.path().join("c/site/runs.csv")).unwrap_or_default();
    assert!(site.is_empty() || site.contains("AUFLIA+p"), "{site}");
}

#[test]
fn a11_17_and_a11_18_results_of_a_division_with_one_solver_are_withheld() {
    let world = World::new(AGON);
    init(&world, "smtcomp-2011-application");
    for logic in ["QF_BV", "QF_UF"] {
        library_2(&world.path().join("library"), logic);
    }
    world.ok(&["library", "add", "-C", "c", "library"]);
    reference(&world, "both", &["incremental".to_owned()]);
    let directory = world.path().join("solvers/both");
    let text = fs::read_to_string(directory.join("entrant.toml")).unwrap().replace("'both'", "'single'");
    fs::write(directory.join("entrant.toml"), text + "[divisions]\nincremental = ['QF_BV']\n").unwrap();
    world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    let output = world.run(&["go", "-C", "c", "--index", "1"]);
    assert!(output.code < 2, "{}", output.stderr);
    let scores = world.json(&["score", "-C", "c", "--format", "json"]);
    assert_eq!(line(&scores, "QF_BV", "both")["correct"], 2, "{scores}");
    // The table states solved and total queries (A11-17).
    assert_eq!(scores["divisions"][0]["queries"], 2, "{scores}");
    let text = world.run(&["score", "-C", "c"]);
    assert!(text.stdout.contains("of 2 queries"), "{}", text.stdout);
    let withheld = scores["divisions"].as_array().unwrap().iter().find(|division| division["name"] == "QF_UF");
    let is_empty = |division: &Value| {
        division["rankings"].as_object().unwrap().values().all(|lines| lines.as_array().unwrap().is_empty())
    };
    assert!(withheld.is_none_or(is_empty), "{scores}");
}

/// A problem of separation logic without predicates: one cell, or the same cell twice.
fn separation_problem(status: &str) -> String {
    let formula = match status {
        "sat" => "(pto x (c y))",
        _ => "(sep (pto x (c y)) (pto x (c y)))",
    };
    format!(
        "(set-logic QF_BSL)\n(set-info :source |a team|)\n(set-info :category \"crafted\")\n(set-info :status {status})\n\
         (declare-sort R 0)\n(declare-datatypes ((C 0)) (((c (next R)))))\n(declare-heap (R C))\n\
         (declare-const x R)\n(declare-const y R)\n(assert {formula})\n(check-sat)\n"
    )
}

/// cvc5, which reads SL-COMP's problems after a pre-processor renames the logic. The pre-processor needs two seconds,
/// more than the solver's limit.
fn cvc5_for_separation_logic(world: &World) {
    let program = solver_program(AGON, "cvc5", "cvc5");
    let store = program.parent().unwrap().parent().unwrap();
    let directory = world.path().join("solvers/cvc5-sl");
    fs::create_dir_all(directory.parent().unwrap()).unwrap();
    let copied = Command::new("cp").arg("-r").arg(store).arg(&directory).status().unwrap();
    assert!(copied.success());
    let script =
        "#!/bin/sh\necho '(set-option :incremental false)'\nsed 's/^(set-logic .*/(set-logic QF_ALL)/' \"$1\"\n";
    fs::write(directory.join("bin/translate"), script).unwrap();
    fs::set_permissions(directory.join("bin/translate"), fs::Permissions::from_mode(0o755)).unwrap();
    let text = "name = 'cvc5-sl'\nversion = '1'\nteam = 'cvc5'\ncontact = 'ada@example.org'\n[commands]\n\
                single-query = ['bin/cvc5', '{benchmark}']\n[preprocess]\nsingle-query = ['bin/translate', '{benchmark}']\n\
                [divisions]\nsingle-query = ['qf_bsl_sat']\n";
    fs::write(directory.join("entrant.toml"), text).unwrap();
    world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
}

#[test]
fn sl19_19_separation_logic_runs_with_cvc5_and_a_pre_processor() {
    for rules in ["slcomp-2018", "slcomp-2019"] {
        let world = World::with_solvers(AGON);
        init(&world, rules);
        for status in ["sat", "unsat"] {
            world.write(&format!("library/qf_bsl_sat/{status}.smt2"), &separation_problem(status));
        }
        world.ok(&["library", "add", "-C", "c", "library"]);
        cvc5_for_separation_logic(&world);
        let other = fake_solver(&world.path().join("solvers"), "guess", "guess", "echo sat");
        world.ok(&["entrant", "add", "-C", "c", other.to_str().unwrap()]);
        let checked = world.json(&["entrant", "check", "-C", "c", "cvc5-sl", "--format", "json"]);
        let tried: Vec<&Value> =
            checked.as_array().unwrap().iter().filter(|row| row["tried"].as_str().unwrap().contains(" in ")).collect();
        assert!(tried.len() == 2 && tried.iter().all(|row| row["ok"] == true), "{checked}");
        let scores = go(&world, &["single-query".to_owned()]);
        assert_eq!(line(&scores[0], "qf_bsl_sat", "cvc5-sl")["correct"], 2, "{}", scores[0]);
        assert_eq!(line(&scores[0], "qf_bsl_sat", "guess")["error"], 1, "{}", scores[0]);
        // Each translation ran once and is on record; another run uses it again.
        let record = world.path().join("c/inputs/single-query/runs.tsv");
        let runs = fs::read_to_string(&record).unwrap();
        assert!(runs.lines().count() == 2 && runs.lines().all(|line| line.ends_with("\tok")), "{runs}");
        world.ok(&["rerun", "-C", "c", "cvc5-sl:unsat.smt2", "--reason", "twice"]);
        assert_eq!(fs::read_to_string(&record).unwrap(), runs);
    }
    // Where the rules have no such step, a pre-processor is part of the command.
    let world = World::new(AGON);
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    let directory = fake_solver(&world.path().join("solvers"), "a", "a", "echo sat");
    let text = fs::read_to_string(directory.join("entrant.toml")).unwrap();
    fs::write(directory.join("entrant.toml"), text + "[preprocess]\nsingle-query = ['bin/solver', '{benchmark}']\n")
        .unwrap();
    world.fails(&["entrant", "add", "-C", "c", directory.to_str().unwrap()], 2, &["no pre-processing", "SL19-19"]);
}

/// A problem about list segments: a satisfiable formula, or an entailment that holds.
fn list_problem(kind: &str, status: &str) -> String {
    let assertions = match kind {
        "sat" => "(assert (ls x y))\n".to_owned(),
        _ => "(assert (ls x y))\n(assert (not (ls x y)))\n".to_owned(),
    };
    format!(
        "(set-logic QF_SHLS)\n(set-info :source |a team|)\n(set-info :category \"crafted\")\n(set-info :status {status})\n\
         (declare-sort R 0)\n(declare-datatypes ((C 0)) (((c (next R)))))\n(declare-heap (R C))\n\
         (define-fun-rec ls ((a R) (b R)) Bool (or (and (= a b) (_ emp R C)) (exists ((z R)) (and (distinct a b) \
         (sep (pto a (c z)) (ls z b))))))\n(check-sat)\n(declare-const x R)\n(declare-const y R)\n{assertions}(check-sat)\n"
    )
}

#[test]
fn sl19_16_divisions_are_by_content_and_judging_survives_contradicted_statuses() {
    let world = World::new(AGON);
    init(&world, "slcomp-2019");
    world.write("library/qf_shls_sat/a.smt2", &list_problem("sat", "sat"));
    world.write("library/qf_shls_entl/b.smt2", &list_problem("entl", "unsat"));
    // All solvers contradict this status.
    world.write(
        "library/qf_shls_entl/c.smt2",
        &list_problem("entl", "sat").replace("(check-sat)\n(declare", "(declare"),
    );
    world.ok(&["library", "add", "-C", "c", "library"]);
    // This one is in the directory of another division, which is reported.
    world.write("library/qf_bsl_sat/d.smt2", &list_problem("sat", "sat").replace("|a team|", "|another|"));
    world.ok(&["library", "add", "-C", "c", "library"]);
    world.ok(&["seed", "-C", "c", "--index", "1"]);
    world.ok(&["select", "-C", "c"]);
    let prepared = world.run(&["prepare", "-C", "c"]);
    let note = "the directory is that of qf_bsl_sat, but by its content the problem is in qf_shls_sat";
    assert!(prepared.code == 0 && prepared.stderr.matches(note).count() == 1, "{}", prepared.stderr);
    let answer = "grep -q 'assert (not' $1 && echo unsat || echo sat";
    // One of them has its own words for the answers.
    let own = "grep -q 'assert (not' $1 && echo 'Entail 1: Valid.' || echo Fail";
    let words = "[answers]\nsat = ['Fail']\nunsat = ['Valid']\n";
    let only = format!("{words}[divisions]\nsingle-query = ['qf_shls_entl']\n");
    for (name, divisions, answer) in [("all", "", answer), ("only", only.as_str(), own)] {
        let directory = fake_solver(&world.path().join("solvers"), name, name, answer);
        let text = fs::read_to_string(directory.join("entrant.toml")).unwrap();
        fs::write(directory.join("entrant.toml"), text + divisions).unwrap();
        world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    }
    let scores = go(&world, &["single-query".to_owned()]);
    assert_eq!(line(&scores[0], "qf_shls_sat", "all")["correct"], 2, "{}", scores[0]);
    let entailments = line(&scores[0], "qf_shls_entl", "only");
    assert_eq!((&entailments["correct"], &entailments["error"]), (&1.into(), &1.into()), "{}", scores[0]);
    // A solver that entered one division does not run in the other, although both declare one logic.
    assert!(!scores[0]["divisions"].as_array().unwrap().iter().any(|division| {
        division["name"] == "qf_shls_sat" && division["rankings"].to_string().contains("\"only\"")
    }));
    let judged = world.run(&["judge", "-C", "c"]);
    assert!(judged.code < 2, "{}", judged.stderr);
    // The early query is not in the files that solvers see (SL19-13).
    for directory in fs::read_dir(world.path().join("c/prepared/single-query")).unwrap() {
        for file in fs::read_dir(directory.unwrap().path()).unwrap() {
            let text = fs::read_to_string(file.unwrap().path()).unwrap();
            assert!(text.matches("(check-sat)").count() == 1 && !text.contains(":status"), "{text}");
        }
    }
}

#[test]
fn sl19_7_sl19_6_and_sl19_23_rounds_are_frozen_accepted_and_run_anew() {
    let world = World::new(AGON);
    init(&world, "slcomp-2019");
    for status in ["sat", "unsat"] {
        world.write(&format!("library/qf_bsl_sat/{status}.smt2"), &separation_problem(status));
    }
    world.ok(&["library", "add", "-C", "c", "library"]);
    let enter = |answer: &str| {
        let directory = fake_solver(&world.path().join("solvers"), "a", "a", answer);
        let text = fs::read_to_string(directory.join("entrant.toml")).unwrap();
        fs::write(directory.join("entrant.toml"), text.replace("[commands]", "contact = 'a@example.org'\n[commands]"))
            .unwrap();
        world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    };
    enter("echo unknown");
    world.fails(&["round", "finl", "-C", "c"], 2, &["unknown round", "did you mean final"]);
    world.fails(
        &["round", "training", "-C", "c"],
        3,
        &["not frozen for the training round", "agon freeze --round training"],
    );
    world.ok(&["freeze", "-C", "c", "--round", "training"]);
    world.ok(&["round", "training", "-C", "c"]);
    go(&world, &["single-query".to_owned()]);
    // New binaries come between the rounds.
    world.ok(&["decide", "revoke", "1", "--reason", "training is over", "-C", "c"]);
    enter("grep -q sep $1 && echo unsat || echo sat");
    world.ok(&["freeze", "-C", "c", "--round", "pre-final"]);
    world.ok(&["round", "pre-final", "-C", "c"]);
    assert!(world.path().join("c/rounds/training/single-query.csv").exists());
    world.write("library/qf_bsl_sat/late.smt2", &separation_problem("sat"));
    let late = world.run(&["library", "add", "-C", "c", "library"]);
    assert!(late.stderr.contains("frozen as 'pre-final'"), "{}", late.stderr);
    let scores = go(&world, &["single-query".to_owned()]);
    assert_eq!(line(&scores[0], "qf_bsl_sat", "a")["correct"], 2);
    world.ok(&["freeze", "-C", "c", "--round", "final"]);
    world.fails(&["round", "final", "-C", "c"], 3, &["not accepted by a", "SL19-7", "accept-results"]);
    world.ok(&["decide", "accept-results", "a", "--round", "pre-final", "--reason", "by mail", "-C", "c"]);
    world.ok(&["round", "final", "-C", "c"]);
    let status = world.json(&["status", "-C", "c", "--format", "json"]);
    assert_eq!(status["done"], 0, "{status}");
    let scores = go(&world, &["single-query".to_owned()]);
    assert_eq!(line(&scores[0], "qf_bsl_sat", "a")["correct"], 2);
    let rounds = world.json(&["round", "-C", "c", "--format", "json"]);
    // A start is not undone, and a round that is started again has its own directory.
    let log = world.json(&["log", "-C", "c", "--format", "json"]);
    let start = log.as_array().unwrap().last().unwrap()["number"].to_string();
    world.fails(&["decide", "revoke", &start, "--reason", "x", "-C", "c"], 2, &["cannot be undone", "agon round"]);
    let accept = ["decide", "accept-results", "a", "--round", "finale", "--reason", "x", "-C", "c"];
    world.fails(&accept, 2, &["has not been started", "did you mean final"]);
    world.fails(&["round", "final", "-C", "c"], 3, &["the final round has already started"]);
    let first = fs::read(world.path().join("c/rounds/final/single-query.csv")).unwrap();
    world.ok(&["round", "final", "-C", "c", "--override", "a disk failed"]);
    go(&world, &["single-query".to_owned()]);
    assert_eq!(fs::read(world.path().join("c/rounds/final/single-query.csv")).unwrap(), first);
    assert!(world.path().join("c/rounds/final-2/single-query.csv").exists());
    assert!(
        ["before", "training", "pre-final", "final"]
            .iter()
            .all(|round| { *round == "before" || world.path().join("c/rounds").join(round).join("agon.db").exists() })
    );
    let started = rounds.as_array().unwrap().iter().filter(|round| round["started"].is_string()).count();
    assert_eq!((started, &rounds[1]["accepted by"]), (3, &Value::from("a")), "{rounds}");
}

#[test]
fn sl19_19_a_failed_translation_is_no_answer_and_changed_ones_are_made_again() {
    let world = World::new(AGON);
    init(&world, "slcomp-2019");
    for status in ["sat", "unsat"] {
        world.write(&format!("library/qf_bsl_sat/{status}.smt2"), &separation_problem(status));
    }
    world.ok(&["library", "add", "-C", "c", "library"]);
    for (name, script) in [("good", "cat $1"), ("bad", "cat $1; exit 3"), ("silent", "true")] {
        let directory =
            fake_solver(&world.path().join("solvers"), name, name, "grep -q sep $1 && echo unsat || echo sat");
        let translate = directory.join("bin/translate");
        fs::write(&translate, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(&translate, fs::Permissions::from_mode(0o755)).unwrap();
        let text = fs::read_to_string(directory.join("entrant.toml")).unwrap();
        let more = "[preprocess]\nsingle-query = ['bin/translate', '{benchmark}']\n";
        fs::write(directory.join("entrant.toml"), text + more).unwrap();
        world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    }
    let scores = go(&world, &["single-query".to_owned()]);
    for (name, correct) in [("good", 2), ("bad", 0), ("silent", 0)] {
        let line = line(&scores[0], "qf_bsl_sat", name);
        assert_eq!((&line["correct"], &line["error"]), (&correct.into(), &0.into()), "{name}: {}", scores[0]);
    }
    // Without its record, or if its file was edited, a translation is made again before the solver runs.
    let record = world.path().join("c/inputs/single-query/runs.tsv");
    fs::remove_file(&record).unwrap();
    world.ok(&["rerun", "-C", "c", "good:unsat", "--reason", "x"]);
    assert_eq!(fs::read_to_string(&record).unwrap().lines().count(), 1);
    let input = fs::read_to_string(&record).unwrap().split('\t').nth(3).unwrap().to_owned();
    let file = world.path().join("c/inputs/single-query").join(&input[..2]).join(format!("{input}.smt2"));
    fs::write(&file, "(check-sat)").unwrap();
    world.ok(&["rerun", "-C", "c", "good:unsat", "--reason", "x"]);
    assert!(fs::read_to_string(&file).unwrap().contains("sep"));
    world.judge("c");
    let scores = world.json(&["score", "-C", "c", "--format", "json"]);
    assert_eq!(line(&scores, "qf_bsl_sat", "good")["correct"], 2, "{scores}");
    // A program of the machine could change unnoticed.
    let directory = world.path().join("solvers/good");
    let text = fs::read_to_string(directory.join("entrant.toml")).unwrap().replace("'bin/translate'", "'/bin/cat'");
    fs::write(directory.join("entrant.toml"), text).unwrap();
    world.fails(&["entrant", "add", "-C", "c", directory.to_str().unwrap()], 1, &["among the entrant's files"]);
}

#[test]
fn sl19_22_only_runs_that_reached_the_limit_are_repeated_under_the_next() {
    let world = World::new(AGON);
    world.ok(&["init", "c", "--rules", "slcomp-2018"]);
    let settings = fs::read_to_string(world.path().join("c/agon.toml")).unwrap();
    let limits = "[rules.tracks.single-query]\nladder_s = [0.5, 1.5]\n[rules.tracks.single-query.limits]\nwall_s = 10\n\
                  memory_bytes = 1_000_000_000\ncores = 1\n";
    fs::write(world.path().join("c/agon.toml"), settings + limits).unwrap();
    for status in ["sat", "unsat"] {
        world.write(&format!("library/qf_bsl_sat/{status}.smt2"), &separation_problem(status));
    }
    world.ok(&["library", "add", "-C", "c", "library"]);
    let slow = "grep -q sep $1 && sleep 3 && echo unsat || echo sat";
    let directory = fake_solver(&world.path().join("solvers"), "slow", "slow", slow);
    world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    let scores = go(&world, &["single-query".to_owned()]);
    assert_eq!(line(&scores[0], "qf_bsl_sat", "slow")["correct"], 2, "{}", scores[0]);
    // Two runs reached a limit, and the third ended; the other pair ran once.
    let database = rusqlite::Connection::open(world.path().join("c/agon.db")).unwrap();
    let runs: Vec<i64> = database
        .prepare("SELECT count(*) FROM outcome GROUP BY pair ORDER BY 1")
        .unwrap()
        .query_map([], |row| row.get(0))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    assert_eq!(runs, [1, 3]);
}
