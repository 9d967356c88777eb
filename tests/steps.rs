//! The steps of a competition work together: each uses the current plan, and accepts the inputs that users have.

use agon_testkit::{World, fake_solver, trivial_library};
use serde_json::Value;
use std::fs;
use std::path::Path;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

/// Answers every trivial benchmark of [`trivial_library`].
const ANSWER: &str = "grep -q 'assert false' $1 && echo unsat || echo sat";

/// Answers every query of a session with `sat`.
const TALK: &str =
    r#"while read line; do case "$line" in *check-sat*) echo sat;; *exit*) exit;; *) echo success;; esac; done"#;

/// A competition with small limits, these benchmarks and these solvers.
fn world(rules: &str, benchmarks: usize, solvers: &[(&str, &str)]) -> World {
    let world = World::new(AGON);
    trivial_library(&world.path().join("library"), benchmarks);
    world.ok(&["init", "c", "--rules", rules]);
    let settings = fs::read_to_string(world.path().join("c/agon.toml")).unwrap();
    let incremental = if rules == "smtcomp-2019" { limits("incremental", 4) } else { String::new() };
    world.write("c/agon.toml", &(settings + &limits("single-query", 4) + &incremental));
    world.ok(&["library", "add", "-C", "c", "library"]);
    for (name, script) in solvers {
        enter(&world, name, script);
    }
    world
}

fn limits(track: &str, wall: u32) -> String {
    format!(
        "\n[rules.tracks.{track}.limits]\nwall_s = {wall}\nmemory_bytes = 200_000_000\ncores = 1\noutput_bytes = 100_000\n"
    )
}

fn enter(world: &World, name: &str, script: &str) {
    let directory = fake_solver(&world.path().join("solvers"), name, name, script);
    let description = fs::read_to_string(directory.join("entrant.toml")).unwrap();
    fs::write(directory.join("entrant.toml"), description + "incremental = ['bin/talk']\n").unwrap();
    fs::write(directory.join("bin/talk"), format!("#!/bin/sh\n{TALK}\n")).unwrap();
    std::process::Command::new("chmod").arg("+x").arg(directory.join("bin/talk")).status().unwrap();
    world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
}

fn status(world: &World, track: &str) -> Value {
    world.json(&["status", "-C", "c", "--track", track, "--format", "json"])
}

fn script(status: &str, queries: usize) -> String {
    let query = format!("(set-info :status {status})\n(check-sat)\n");
    format!("(set-logic QF_UF)\n(declare-fun p () Bool)\n(assert p)\n{}(exit)\n", query.repeat(queries))
}

#[test]
fn go_does_every_remaining_step_once() {
    let world = world("smtcomp-2019", 4, &[("a", ANSWER), ("b", ANSWER)]);
    world.write("library/incremental/QF_UF/x/one.smt2", &script("sat", 3));
    world.ok(&["library", "add", "-C", "c", "library"]);
    world.fails(&["go", "-C", "c"], 2, &["--index"]);
    assert!(world.ok(&["status", "-C", "c"]).contains("next: draw the seed: 'agon go --index VALUE'"));
    let prepared = world.run(&["go", "-C", "c", "--index", "1", "--until", "prepare"]);
    assert_eq!(prepared.code, 0, "{}", prepared.stderr);
    assert!(prepared.stderr.contains("single-query: 4 benchmarks prepared"), "{}", prepared.stderr);
    assert!(prepared.stderr.contains("industry-challenge: skipped: no entrant has a command for it"));
    assert_eq!(
        (&status(&world, "single-query")["left"], &status(&world, "single-query")["done"]),
        (&8.into(), &0.into())
    );
    assert!(world.ok(&["status", "-C", "c"]).contains("next: run 8 pairs of the single-query track"));
    let one = world.run(&["go", "-C", "c", "--track", "incremental"]);
    assert_eq!(one.code, 0, "{}", one.stderr);
    assert_eq!(status(&world, "single-query")["done"], 0);
    assert_eq!(status(&world, "incremental")["left"], 0);
    let all = world.run(&["go", "-C", "c"]);
    assert_eq!(all.code, 0, "{}", all.stderr);
    assert!(all.stdout.contains("QF_UF") && all.stdout.contains("c/site/index.html"), "{}", all.stdout);
    assert!(world.ok(&["status", "-C", "c"]).contains("next: nothing"));
    let again = world.run(&["go", "-C", "c"]);
    for words in ["single-query: all 8 pairs are done", "incremental: all 2 pairs are done"] {
        assert!(again.stderr.contains(words), "{}", again.stderr);
    }
    assert!(!again.stderr.contains("selected") && !again.stderr.contains("judged"), "{}", again.stderr);
    assert_eq!(again.stdout, all.stdout);
}

#[test]
fn a_removed_benchmark_no_longer_counts_and_is_not_published() {
    let world = world("smtcomp-2019", 4, &[("a", ANSWER), ("b", ANSWER)]);
    world.ok(&["go", "-C", "c", "--index", "1"]);
    let page = "c/site/benchmarks/non-incremental/QF_UF/trivial/b0001.smt2.html";
    assert!(world.path().join(page).exists());
    world.ok(&["library", "remove", "-C", "c", "non-incremental/QF_UF/trivial/b0001.smt2", "--reason", "wrong"]);
    // A selection made before the change is refused.
    world.fails(&["prepare", "-C", "c"], 3, &["out of date", "agon select"]);
    let said = world.run(&["status", "-C", "c"]).stderr;
    assert!(said.contains("the selection is out of date"), "{said}");
    world.steps(&["select", "prepare", "judge", "report"]);
    let scores = world.json(&["score", "-C", "c", "--format", "json"]);
    assert_eq!(scores["divisions"][0]["benchmarks"], 3);
    assert!(scores["divisions"][0]["winners"]["parallel"].is_string(), "{scores}");
    assert!(!world.path().join(page).exists());
    let status = status(&world, "single-query");
    assert_eq!((&status["planned"], &status["left"]), (&6.into(), &0.into()));
    assert_eq!(status["set_aside"]["other_benchmarks"], 2, "{status}");
}

#[test]
fn r08_3_1_and_r19_5_3_an_unfinished_competition_is_intermediate_and_has_no_winner() {
    let world = world("smtcomp-2019", 6, &[("a", ANSWER), ("b", "sleep 1; echo sat")]);
    world.steps(&["seed --index 1", "select", "prepare"]);
    // All pairs of a, and some of b.
    let mut run = world.start(&["run", "-C", "c", "--order", "entrant", "--slots", "1"]);
    while status(&world, "single-query")["done"].as_u64().unwrap() < 7 {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    std::process::Command::new("kill").args(["-INT", &run.id().to_string()]).status().unwrap();
    assert_eq!(run.wait().unwrap().code(), Some(130));
    world.run(&["judge", "-C", "c"]);
    let scores = world.json(&["score", "-C", "c", "--format", "json"]);
    let division = &scores["divisions"][0];
    assert_eq!(scores["intermediate"], true, "{scores}");
    assert!(division["progress"]["done"].as_u64() < division["progress"]["planned"].as_u64(), "{division}");
    assert!(division["winners"].as_object().unwrap().values().all(Value::is_null), "{division}");
    assert!(scores["recognitions"]["biggest-lead"].as_object().unwrap().is_empty(), "{scores}");
    let text = world.run(&["score", "-C", "c"]);
    assert!(text.stdout.contains("INTERMEDIATE") && !text.stdout.contains("winner "), "{}", text.stdout);
    assert!(text.stderr.contains("INTERMEDIATE: ") && text.stderr.contains(" of 12 pairs"), "{}", text.stderr);
    world.ok(&["report", "-C", "c"]);
    for page in ["index.html", "divisions/QF_UF.html"] {
        let page = fs::read_to_string(world.path().join("c/site").join(page)).unwrap();
        assert!(page.contains("INTERMEDIATE") && !page.contains("class=\"winner\""), "{page}");
    }
    world.fails(&["score", "-C", "c", "--final"], 2, &["heats", "R19-6.8"]);
    world.fails(&["report", "-C", "c", "--final"], 2, &["heats", "R19-6.8"]);
    let finished = world.run(&["go", "-C", "c"]);
    assert!(finished.code < 2, "{}", finished.stderr);
    let scores = world.json(&["score", "-C", "c", "--format", "json"]);
    assert!(scores.get("intermediate").is_none() && scores["divisions"][0]["winners"]["parallel"].is_string());
    assert!(!fs::read_to_string(world.path().join("c/site/index.html")).unwrap().contains("INTERMEDIATE"));
}

#[test]
fn status_reports_the_current_plan() {
    let world = world("smtcomp-2019", 4, &[("a", ANSWER), ("b", ANSWER)]);
    assert_eq!(status(&world, "single-query")["prepared"], "missing");
    world.steps(&["seed --index 1", "select", "prepare"]);
    assert_eq!(
        (&status(&world, "single-query")["planned"], &status(&world, "single-query")["left"]),
        (&8.into(), &8.into())
    );
    world.ok(&["run", "-C", "c"]);
    // Outcomes without a verdict have their own column.
    assert_eq!(status(&world, "single-query")["unjudged"], 8);
    world.ok(&["judge", "-C", "c"]);
    // A late entrant.
    enter(&world, "late", ANSWER);
    assert_eq!(status(&world, "single-query")["left"], 4);
    // A new version: old outcomes do not count, and a message states how many pairs run again.
    let directory = fake_solver(&world.path().join("solvers"), "a", "a", &format!("{ANSWER} # new"));
    let said = world.run(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]).stderr;
    assert!(said.contains("single-query: 4 pairs run again because their solver has another version"), "{said}");
    let now = status(&world, "single-query");
    assert_eq!(
        (&now["left"], &now["again"]["versions"], &now["set_aside"]["other_solvers"]),
        (&8.into(), &4.into(), &4.into())
    );
    // A withdrawal.
    world.ok(&["entrant", "remove", "-C", "c", "late"]);
    assert_eq!(status(&world, "single-query")["planned"], 8);
    world.fails(&["entrant", "remove", "-C", "c", "bb"], 2, &["did you mean b?"]);
    // Another seed.
    world.ok(&["seed", "-C", "c", "--index", "2", "--replace"]);
    world.steps(&["select", "prepare"]);
    let now = status(&world, "single-query");
    assert_eq!((&now["left"], &now["again"]["benchmarks"]), (&8.into(), &4.into()), "{now}");
}

#[test]
fn a_withdrawn_solver_does_not_block_a_competition_of_two_tracks() {
    let world = world("smtcomp-2019", 2, &[("a", ANSWER), ("b", ANSWER), ("c", ANSWER)]);
    world.write("library/incremental/QF_UF/x/one.smt2", &script("sat", 2));
    world.ok(&["library", "add", "-C", "c", "library"]);
    world.ok(&["go", "-C", "c", "--index", "1"]);
    world.ok(&["entrant", "remove", "-C", "c", "b"]);
    enter(&world, "d", ANSWER);
    let run = world.run(&["run", "-C", "c"]);
    assert_eq!(run.code, 0, "{}", run.stderr);
    assert_eq!(status(&world, "single-query")["left"], 0);
}

#[test]
fn the_only_track_is_the_default_and_tracks_that_cannot_run_are_explained() {
    let world = World::new(AGON);
    world.write("library/incremental/QF_UF/x/one.smt2", &script("sat", 2));
    world.ok(&["init", "c", "--rules", "smtcomp-2011-application"]);
    world.ok(&["library", "add", "-C", "c", "library"]);
    enter(&world, "a", ANSWER);
    enter(&world, "b", ANSWER);
    world.steps(&["seed --index 1", "select", "prepare", "run", "judge", "score", "report"]);
    let now = world.json(&["status", "-C", "c", "--format", "json"]);
    assert_eq!((&now["track"], &now["left"]), (&"incremental".into(), &0.into()));
    // A track without selection rules.
    let world = self::world("smtcomp-2019", 2, &[("a", ANSWER), ("b", ANSWER)]);
    world.ok(&["seed", "-C", "c", "--index", "1"]);
    let settings = fs::read_to_string(world.path().join("c/agon.toml")).unwrap();
    world.write("c/agon.toml", &(settings.clone() + "\n[rules.selection]\nindustry-challenge = false\n"));
    world.fails(
        &["select", "-C", "c", "--track", "industry-challenge"],
        2,
        &["selection rules only for", "[rules.selection."],
    );
    // With selection rules, the track still has no entrant.
    let rules = "\n[rules.selection.industry-challenge]\ngenerator = 'c-random'\npolicy = 'everything'\neligible = { nominated = false }\n";
    world.write("c/agon.toml", &(settings + rules));
    world.steps(&["select --track industry-challenge", "prepare --track industry-challenge"]);
    let run = ["run", "-C", "c", "--track", "industry-challenge"];
    world.fails(&run, 3, &["no entrant", "command for the industry-challenge track"]);
}

#[test]
fn any_directory_of_benchmarks_is_a_library() {
    let world = World::new(AGON);
    world.write("mine/x.smt2", &script("sat", 1));
    world.write("mine/deep/many.smt2", &script("sat", 3));
    world.write("mine/QF_UF/old.smt", "(benchmark o :logic QF_UF :status sat :formula true)");
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    let added = world.run(&["library", "add", "-C", "c", "mine"]);
    assert_eq!(added.code, 0, "{}", added.stderr);
    assert!(added.stderr.contains("1 in incremental/QF_UF, 2 in non-incremental/QF_UF"), "{}", added.stderr);
    let listed = world.json(&["library", "list", "-C", "c", "--format", "json"]);
    let paths: Vec<&str> = listed.as_array().unwrap().iter().map(|row| row["path"].as_str().unwrap()).collect();
    let expected =
        ["incremental/QF_UF/mine/deep/many.smt2", "non-incremental/QF_UF/mine/x.smt2", "non-incremental/QF_UF/old.smt"];
    assert_eq!(paths, expected);
    // The index keeps the location of the file.
    let shown = world.json(&["library", "show", "-C", "c", expected[1], "--format", "json"]);
    assert!(shown["file"].as_str().unwrap().ends_with("/mine/x.smt2"), "{shown}");
    world.ok(&["library", "remove", "-C", "c", "mine/deep", "--reason", "too many"]);
    let count = || world.json(&["library", "list", "-C", "c", "--format", "json"]).as_array().unwrap().len();
    assert_eq!(count(), 2);
    // A removed benchmark stays removed.
    let again = world.run(&["library", "add", "-C", "c", "mine"]);
    assert!(again.code == 0 && again.stderr.contains("1 benchmark was removed and stays out"), "{}", again.stderr);
    assert_eq!(count(), 2);
    world.ok(&["library", "add", "-C", "c", "mine", "--restore"]);
    assert_eq!(count(), 3);
    world.ok(&["library", "add", "-C", "c", "mine"]);
    assert_eq!(count(), 3);
    world.fails(&["library", "add", "-C", "c", "home"], 2, &["no .smt2, .smt or .sl2 file"]);
}

#[test]
fn exec_and_trace_find_fetched_solvers_and_relative_files() {
    let world = World::with_solvers(AGON);
    world.write("m.smt2", "(set-logic QF_UF)(assert false)(check-sat)\n");
    world.write("many.smt2", &script("sat", 2));
    let run = |words: &[&str]| {
        let mut command = world.command(words);
        let output = command.env("PATH", "/usr/bin:/bin").output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    assert_eq!(run(&["exec", "--wall", "60", "--", "yices", "m.smt2"]), (Some(0), "unsat\n".into()));
    assert_eq!(
        run(&["trace", "many.smt2", "--wall", "60", "--", "yices", "--incremental"]),
        (Some(0), "sat\nsat\n".into())
    );
    world.fails(&["exec", "--", "yicess", "m.smt2"], 2, &["yicess", "did you mean yices?"]);
}

#[test]
fn a_bare_program_is_an_entrant() {
    let world = world("smtcomp-2019", 2, &[("other", ANSWER)]);
    let program = world.write("mine", &format!("#!/bin/sh\n[ $1 = --fast ] && shift\n{ANSWER}\n"));
    std::process::Command::new("chmod").arg("+x").arg(&program).status().unwrap();
    world.ok(&["entrant", "add", "-C", "c", "./mine", "--magic", "3"]);
    world.ok(&["entrant", "add", "-C", "c", "./mine", "--name", "fast", "--command", "--fast {benchmark}"]);
    let listed = world.json(&["entrant", "list", "-C", "c", "--format", "json"]);
    let mine = listed.as_array().unwrap().iter().find(|entrant| entrant["name"] == "mine").unwrap();
    assert_eq!(mine["tracks"], "single-query, unsat-core, model-validation");
    world.ok(&["go", "-C", "c", "--index", "1", "--track", "single-query"]);
    let scores = world.json(&["score", "-C", "c", "--format", "json"]);
    let lines = scores["divisions"][0]["rankings"]["parallel"].as_array().unwrap();
    assert!(lines.len() == 3 && lines.iter().all(|line| line["correct"] == 2), "{scores}");
    let bad = ["entrant", "add", "-C", "c", "./mine", "--command", "single-qury={benchmark}"];
    world.fails(&bad, 2, &["single-qury"]);
}

#[test]
fn judge_reports_wrong_results_aborts_and_contradicted_statuses() {
    let wrong = ("wrong", "echo sat");
    let broken = ("broken", r"printf '\033[31mno license\n'; exit 3");
    let world = world("smtcomp-2019", 4, &[("right", ANSWER), wrong, broken]);
    world.steps(&["seed --index 1", "select", "prepare", "run"]);
    let judged = world.run(&["judge", "-C", "c"]);
    assert_eq!(judged.code, 1, "{}", judged.stderr);
    assert!(
        judged.stderr.contains("single-query: WRONG: wrong has 2 wrong results, the first on "),
        "{}",
        judged.stderr
    );
    assert!(judged.stderr.contains("broken aborts on all 4 benchmarks; its first line: "), "{}", judged.stderr);
    assert!(judged.stderr.contains("no license") && !judged.stderr.contains('\x1b'), "{}", judged.stderr);
    // A status that all solvers contradict.
    let file = "library/non-incremental/QF_UF/trivial/b0000.smt2";
    let text = fs::read_to_string(world.path().join(file)).unwrap();
    world.write(file, &text.replace(":status sat", ":status unsat"));
    world.steps(&["library add library", "select", "prepare"]);
    let judged = world.run(&["judge", "-C", "c"]);
    assert!(
        judged.stderr.contains("b0000.smt2: all 2 solvers that answered contradict the status unsat"),
        "{}",
        judged.stderr
    );
}

#[test]
fn divisions_that_are_not_run_are_reported_with_the_reason() {
    let world = world("smtcomp-2019", 2, &[("a", ANSWER), ("b", ANSWER)]);
    world.write("library/non-incremental/QF_BV/x/one.smt2", "(set-logic QF_BV)\n(set-info :status sat)\n(check-sat)\n");
    world.ok(&["library", "add", "-C", "c", "library"]);
    let description = fs::read_to_string(world.path().join("solvers/b/entrant.toml")).unwrap();
    world.write("solvers/b/entrant.toml", &format!("{description}[divisions]\nsingle-query = ['QF_UF']\n"));
    world.ok(&["entrant", "add", "-C", "c", "solvers/b"]);
    world.steps(&["seed --index 1", "select", "prepare"]);
    let words = "single-query: QF_BV is not run (1 benchmark): too few teams (R19-3.5)";
    for command in ["run", "status"] {
        let said = world.run(&[command, "-C", "c"]).stderr;
        assert!(said.contains(words), "{command}: {said}");
    }
    world.ok(&["judge", "-C", "c"]);
    let said = world.run(&["score", "-C", "c"]).stderr;
    assert!(said.contains("QF_BV was not run"), "{said}");
    world.ok(&["report", "-C", "c"]);
    let page = fs::read_to_string(world.path().join("c/site/index.html")).unwrap();
    assert!(
        page.contains("Divisions that were not run") && page.contains("QF_BV, 1 benchmark: too few teams"),
        "{page}"
    );
}

#[test]
fn a_changed_limit_reports_the_pairs_to_run_again() {
    let world = world("smtcomp-2019", 2, &[("a", ANSWER), ("b", ANSWER)]);
    world.ok(&["go", "-C", "c", "--index", "1", "--track", "single-query"]);
    let settings = fs::read_to_string(world.path().join("c/agon.toml")).unwrap();
    world.write("c/agon.toml", &settings.replacen("wall_s = 4", "wall_s = 5", 1));
    let words = "single-query: 4 pairs run again because the limits have changed";
    let said = world.run(&["status", "-C", "c"]).stderr;
    assert!(said.contains(words) && said.contains("4 pairs are set aside: made under other limits"), "{said}");
    world.fails(&["report", "-C", "c"], 3, &["no outcomes to report", "4 pairs are set aside"]);
    let run = world.run(&["run", "-C", "c"]);
    assert!(run.stderr.contains(words), "{}", run.stderr);
    assert!(run.stderr.contains("single-query: all 4 pairs are done"), "{}", run.stderr);
}

#[test]
fn a_drawn_seed_is_not_replaced_by_accident() {
    let world = world("smtcomp-2019", 2, &[("a", ANSWER), ("b", ANSWER)]);
    world.steps(&["seed --index 1", "select", "prepare"]);
    world.ok(&["seed", "-C", "c", "--index", "1"]);
    world.fails(&["seed", "-C", "c", "--index", "2"], 2, &["would change to", "--replace"]);
    world.fails(&["go", "-C", "c", "--index", "2"], 2, &["omit --index", "--replace"]);
    world.ok(&["seed", "-C", "c", "--index", "2", "--replace"]);
    world.fails(&["prepare", "-C", "c"], 3, &["out of date", "seed"]);
}

#[test]
fn prepare_rejects_commands_that_the_track_does_not_allow() {
    let world = world("smtcomp-2019", 2, &[("a", ANSWER), ("b", ANSWER)]);
    let text = "(set-logic QF_UF)\n(declare-fun p () Bool)\n(push 1)\n(assert p)\n(check-sat)\n";
    world.write("library/non-incremental/QF_UF/x/pushes.smt2", text);
    world.steps(&["library add library", "seed --index 1", "select"]);
    let words = ["x/pushes.smt2:3:1: 'push' is not allowed in the single-query track", "agon library remove"];
    world.fails(&["prepare", "-C", "c"], 3, &words);
    let file = "library/non-incremental/QF_UF/x/pushes.smt2";
    world.ok(&["library", "remove", "-C", "c", file, "--reason", "it pushes"]);
    world.steps(&["select", "prepare"]);
}

#[test]
fn select_reports_why_a_logic_contributes_nothing() {
    let world = world("smtcomp-2008", 2, &[("a", ANSWER)]);
    world.write("library/incremental/QF_UF/x/one.smt2", &script("sat", 2));
    world.steps(&["library add library", "seed --index 1"]);
    let selected = world.run(&["select", "-C", "c"]);
    assert_eq!(selected.code, 0, "{}", selected.stderr);
    assert!(selected.stderr.contains("single-query: nothing selected from QF_UF: it has no "), "{}", selected.stderr);
    // The other part of the library is not counted.
    let row = selected.stdout.lines().find(|line| line.contains("QF_UF")).unwrap();
    assert_eq!(row.split_whitespace().collect::<Vec<_>>(), ["QF_UF", "2", "0"]);
}

#[test]
fn an_entrant_is_checked_by_name_and_a_hanging_one_fails_fast() {
    let world = world("smtcomp-2019", 1, &[("hangs", "sleep 100")]);
    let good = fake_solver(&world.path().join("solvers"), "good", "good", ANSWER);
    world.ok(&["entrant", "add", "-C", "c", good.to_str().unwrap()]);
    world.ok(&["entrant", "check", "-C", "c", "good"]);
    let start = std::time::Instant::now();
    let checked = world.run(&["entrant", "check", "-C", "c", "hangs", "--format", "json"]);
    assert_eq!(checked.code, 1, "{}", checked.stderr);
    let findings: Value = serde_json::from_str(&checked.stdout).unwrap();
    let single = findings.as_array().unwrap().iter().filter(|finding| finding["track"] == "single-query");
    assert_eq!(single.count(), 1, "{findings}");
    // Six trials of ten seconds each would take a minute.
    assert!(start.elapsed().as_secs() < 50, "{:?}", start.elapsed());
}

#[test]
fn entrants_are_checked_in_the_language_of_the_competition() {
    let world = World::new(AGON);
    world.write("library/QF_UF/old.smt", "(benchmark o :logic QF_UF :status sat :formula true)");
    world.ok(&["init", "c", "--rules", "smtcomp-2008"]);
    world.ok(&["library", "add", "-C", "c", "library"]);
    let script = "grep -q '(benchmark' $1 || exit 3\ngrep -q 'formula false' $1 && echo unsat || echo sat";
    let directory = fake_solver(&world.path().join("solvers"), "old", "old", script);
    world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    world.ok(&["entrant", "check", "-C", "c"]);
}

#[test]
fn a_dash_reads_stdin_in_every_command() {
    let world = world("smtcomp-2019", 2, &[("a", ANSWER), ("b", ANSWER)]);
    let feed = |words: &[&str], text: &str| {
        let input = world.write("input", text);
        let output = world.command(words).stdin(fs::File::open(input).unwrap()).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    assert_eq!(feed(&["exec", "--stdin", "-", "--", "cat"], "said"), (Some(0), "said".into()));
    let (code, judged) = feed(&["judge", "single", "--status", "sat", "--output", "-"], "unsat\n");
    assert!(code == Some(1) && judged.contains("verdict=erroneous"), "{judged}");
    let talk = world.write("talk", &format!("#!/bin/sh\n{TALK}\n"));
    std::process::Command::new("chmod").arg("+x").arg(&talk).status().unwrap();
    assert_eq!(
        feed(&["trace", "-", "--wall", "20", "--", "./talk"], &script("sat", 2)),
        (Some(0), "sat\nsat\n".into())
    );
    world.ok(&["go", "-C", "c", "--index", "1", "--track", "single-query"]);
    let table = world.ok(&["export", "-C", "c"]);
    let (code, scores) = feed(&["score", "--rules", "smtcomp-2019", "-"], &table);
    assert!(code == Some(0) && scores.contains("QF_UF"), "{scores}");
}

#[test]
fn misspelled_names_get_a_suggestion() {
    let world = World::new(AGON);
    world.fails(&["init", "c", "--rules", "smtcmp-2019"], 2, &["did you mean smtcomp-2019?"]);
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    world.fails(&["status", "-C", "c", "--track", "single-qurey"], 2, &["did you mean single-query?"]);
    world.fails(&["entrant", "fetch", "cvc6"], 2, &["did you mean cvc5?"]);
    world.fails(&["entrant", "add", "-C", "c", "bitwuzzla"], 2, &["did you mean bitwuzla?"]);
}

#[test]
fn checking_a_library_for_a_track_checks_only_its_part() {
    let world = World::new(AGON);
    world.write("library/non-incremental/QF_UF/x/one.smt2", &script("sat", 1));
    world.write("library/incremental/QF_UF/x/many.smt2", &script("sat", 2));
    let checked = world.run(&["check", "library", "--track", "single-query"]);
    assert_eq!(checked.code, 0, "{}{}", checked.stdout, checked.stderr);
    assert!(checked.stderr.contains("1 files below incremental/"), "{}", checked.stderr);
}

#[test]
fn seed_needs_an_index_only_if_the_rules_use_one() {
    let world = World::new(AGON);
    world.ok(&["init", "c", "--rules", "slcomp-2019"]);
    let directory = fake_solver(&world.path().join("solvers"), "a", "a", "echo sat");
    fs::write(
        directory.join("entrant.toml"),
        fs::read_to_string(directory.join("entrant.toml")).unwrap().replace("magic = 7\n", ""),
    )
    .unwrap();
    let added = world.run(&["entrant", "add", "-C", "c", directory.to_str().unwrap(), "--kind", "organizer"]);
    assert!(!added.stderr.contains("magic"), "{}", added.stderr);
    world.ok(&["seed", "-C", "c"]);
    world.ok(&["init", "d", "--rules", "smtcomp-2019"]);
    world.fails(&["seed", "-C", "d"], 2, &["--index"]);
}

/// Corrects the status of a benchmark and updates the verdicts without a run.
fn correct(world: &World, track: &str, file: &str, from: &str, to: &str) {
    let text = fs::read_to_string(world.path().join(file)).unwrap();
    world.write(file, &text.replacen(from, to, 1));
    world.steps(&["library add library", &format!("select --track {track}"), &format!("prepare --track {track}")]);
    let now = status(world, track);
    assert_eq!(now["left"], 0, "{track}: {now}");
    world.run(&["judge", "-C", "c", "--track", track]);
}

fn solver_of(world: &World, track: &str, solver: &str) -> Value {
    let now = status(world, track);
    now["solvers"].as_array().unwrap().iter().find(|own| own["solver"] == solver).unwrap().clone()
}

#[test]
fn a_corrected_status_causes_no_runs_in_any_track() {
    let world = world("smtcomp-2019", 2, &[("a", ANSWER), ("b", ANSWER)]);
    world.write("library/incremental/QF_UF/x/one.smt2", &script("sat", 3));
    world.ok(&["library", "add", "-C", "c", "library"]);
    world.ok(&["go", "-C", "c", "--index", "1"]);
    for (track, file) in [
        ("single-query", "library/non-incremental/QF_UF/trivial/b0000.smt2"),
        ("incremental", "library/incremental/QF_UF/x/one.smt2"),
    ] {
        let before = solver_of(&world, track, "a");
        assert_eq!(before["erroneous"], 0, "{track}: {before}");
        correct(&world, track, file, ":status sat", ":status unsat");
        assert_eq!(solver_of(&world, track, "a")["erroneous"], 1, "{track}");
        // And back: all answers of the run were kept, including those after the supposedly wrong one.
        correct(&world, track, file, ":status unsat", ":status sat");
        assert_eq!(solver_of(&world, track, "a"), before, "{track}");
    }
    let scores = world.json(&["score", "-C", "c", "--track", "incremental", "--format", "json"]);
    assert_eq!(scores["divisions"][0]["rankings"]["parallel"][0]["correct"], 3, "{scores}");
    // No prepared file contains the status.
    let mut directories = vec![world.path().join("c/prepared")];
    while let Some(directory) = directories.pop() {
        for item in fs::read_dir(directory).unwrap().flatten() {
            if item.path().is_dir() {
                directories.push(item.path());
            } else {
                let text = fs::read_to_string(item.path()).unwrap();
                assert!(text.starts_with('(') && !text.contains(":status"), "{text}");
            }
        }
    }
}

#[test]
fn a_corrected_status_causes_no_runs_for_cores_and_models() {
    let world = World::new(AGON);
    let core = r#"if grep -q get-unsat-core $1; then echo unsat; echo '(smtcomp1)'; elif grep -q get-model $1; then echo sat; echo '((define-fun x1 () Bool true))'; elif grep -q 'not' $1; then echo unsat; else echo sat; fi"#;
    let unsat = "(set-logic QF_UF)\n(set-info :status unsat)\n(declare-fun p () Bool)\n(assert (and p (not p)))\n(assert p)\n(check-sat)\n";
    world.write("library/non-incremental/QF_UF/u/u.smt2", unsat);
    world.write("library/non-incremental/QF_UF/s/s.smt2", &script("sat", 1));
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    let settings = fs::read_to_string(world.path().join("c/agon.toml")).unwrap();
    let tracks = ["single-query", "unsat-core", "model-validation"].map(|track| limits(track, 4)).concat();
    let models = "\n[rules.selection.model-validation.eligible]\nlogics = ['QF_UF']\n";
    world.write("c/agon.toml", &(settings + &tracks + models));
    world.ok(&["library", "add", "-C", "c", "library"]);
    for name in ["a", "b"] {
        let directory = fake_solver(&world.path().join("solvers"), name, name, core);
        let text = fs::read_to_string(directory.join("entrant.toml")).unwrap();
        let more = "unsat-core = ['bin/solver', '{benchmark}']\nmodel-validation = ['bin/solver', '{benchmark}']\n";
        fs::write(directory.join("entrant.toml"), text + more).unwrap();
        world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    }
    let gone = world.run(&["go", "-C", "c", "--index", "1"]);
    assert!(gone.code < 2, "{}", gone.stderr);
    for (track, file, from, to) in [
        ("unsat-core", "library/non-incremental/QF_UF/u/u.smt2", ":status unsat", ":status  unsat"),
        ("model-validation", "library/non-incremental/QF_UF/s/s.smt2", ":status sat", ":status  sat"),
    ] {
        let before = solver_of(&world, track, "a");
        assert_eq!(before["done"], 1, "{track}: {before}");
        correct(&world, track, file, from, to);
        assert_eq!(solver_of(&world, track, "a"), before, "{track}");
    }
    assert!(Path::new(&world.path().join("c/site/unsat-core/index.html")).exists());
}

#[test]
fn every_step_accepts_all_tracks() {
    let world = world("smtcomp-2019", 2, &[("a", ANSWER), ("b", ANSWER)]);
    world.write("library/incremental/QF_UF/x/one.smt2", &script("sat", 2));
    world.steps(&["library add library", "seed --index 1"]);
    for step in ["select", "prepare", "run", "judge", "status"] {
        let output = world.run(&[step, "-C", "c", "--track", "all"]);
        assert_eq!(output.code, 0, "{step}: {}", output.stderr);
        let said = output.stderr + &output.stdout;
        assert!(said.contains("single-query: ") && said.contains("incremental: "), "{step}: {said}");
    }
    let scores = world.json(&["score", "-C", "c", "--track", "all", "--format", "json"]);
    let tracks: Vec<&str> = scores.as_array().unwrap().iter().map(|track| track["track"].as_str().unwrap()).collect();
    assert_eq!(tracks, ["single-query", "incremental"]);
}

/// A program that prints its first argument.
fn echo(world: &World) {
    let program = world.write("echo.sh", "#!/bin/sh\necho $1\n");
    std::process::Command::new("chmod").arg("+x").arg(&program).status().unwrap();
}

#[test]
fn a_changed_command_is_a_new_version() {
    let world = world("smtcomp-2019", 2, &[("a", ANSWER)]);
    echo(&world);
    world.ok(&["entrant", "add", "-C", "c", "./echo.sh", "--command", "single-query=sat {benchmark}"]);
    world.run(&["go", "-C", "c", "--index", "1"]);
    assert_eq!(status(&world, "single-query")["left"], 0);
    world.ok(&["entrant", "add", "-C", "c", "./echo.sh", "--command", "single-query=unsat {benchmark}"]);
    let now = status(&world, "single-query");
    assert_eq!((&now["left"], &now["again"]["versions"]), (&2.into(), &2.into()), "{now}");
    // With the old command, the old outcomes count again.
    world.ok(&["entrant", "add", "-C", "c", "./echo.sh", "--command", "single-query=sat {benchmark}"]);
    assert_eq!(status(&world, "single-query")["left"], 0);
    world.fails(&["entrant", "add", "-C", "c", "solvers/a", "--command", "{benchmark}"], 2, &["--command"]);
}

#[test]
fn verdicts_based_on_an_old_status_do_not_count() {
    let world = world("smtcomp-2019", 2, &[("a", ANSWER), ("b", "echo unsat")]);
    world.run(&["go", "-C", "c", "--index", "1"]);
    let file = "library/non-incremental/QF_UF/trivial/b0000.smt2";
    let text = fs::read_to_string(world.path().join(file)).unwrap();
    world.write(file, &text.replace(":status sat", ":status unsat"));
    // While the selection is older than the library, there is no winner.
    world.ok(&["library", "add", "-C", "c", "library"]);
    let scores = world.json(&["score", "-C", "c", "--format", "json"]);
    assert_eq!(scores["intermediate"], true, "{scores}");
    for command in ["score", "report", "run"] {
        let said = world.run(&[command, "-C", "c"]).stderr;
        assert!(said.contains("the selection is out of date"), "{command}: {said}");
    }
    world.steps(&["select", "prepare"]);
    let now = world.json(&["status", "-C", "c", "--format", "json"]);
    assert_eq!(now["unjudged"], 2, "{now}");
    assert_eq!(world.json(&["score", "-C", "c", "--format", "json"])["intermediate"], true);
    world.run(&["judge", "-C", "c"]);
    let scores = world.json(&["score", "-C", "c", "--format", "json"]);
    assert_eq!(scores["divisions"][0]["winners"]["parallel"], "b", "{scores}");
}

#[test]
fn identical_benchmarks_are_each_judged_by_their_own_status() {
    let world = World::new(AGON);
    world.write("library/non-incremental/QF_UF/x/a.smt2", &script("unknown", 1));
    world.write("library/non-incremental/QF_UF/x/b.smt2", &script("sat", 1));
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    world.ok(&["library", "add", "-C", "c", "library"]);
    enter(&world, "yes", "echo sat");
    enter(&world, "no", "echo unsat");
    world.run(&["go", "-C", "c", "--index", "1", "--track", "single-query"]);
    assert_eq!(solver_of(&world, "single-query", "no")["erroneous"], 1);
    world.write("library/non-incremental/QF_UF/x/b.smt2", &script("unsat", 1));
    world.ok(&["library", "add", "-C", "c", "library"]);
    world.run(&["go", "-C", "c", "--track", "single-query"]);
    assert_eq!(solver_of(&world, "single-query", "no")["erroneous"], 0);
    assert_eq!(solver_of(&world, "single-query", "yes")["erroneous"], 1);
}

#[test]
fn a_noncompetitive_track_does_not_stop_the_others() {
    let world = world("smtcomp-2019", 2, &[("a", ANSWER)]);
    echo(&world);
    world.ok(&["entrant", "add", "-C", "c", "./echo.sh", "--command", "single-query=sat {benchmark}"]);
    world.write("library/incremental/QF_UF/x/one.smt2", &script("sat", 2));
    world.ok(&["library", "add", "-C", "c", "library"]);
    let gone = world.run(&["go", "-C", "c", "--index", "1"]);
    assert!(gone.code < 2, "{}", gone.stderr);
    assert!(gone.stderr.contains("incremental: skipped: no pair"), "{}", gone.stderr);
    assert!(gone.stdout.contains("QF_UF"), "{}", gone.stdout);
    let all = world.run(&["run", "-C", "c", "--track", "all"]);
    assert_eq!(all.code, 0, "{}", all.stderr);
    world.fails(&["run", "-C", "c", "--track", "incremental"], 3, &["no division is competitive"]);
    // The seed stays the same when an entrant is added or removed.
    world.ok(&["entrant", "remove", "-C", "c", "echo.sh"]);
    let gone = world.run(&["go", "-C", "c", "--index", "1"]);
    assert!(!gone.stderr.contains("--replace"), "{}", gone.stderr);
}

#[test]
fn an_empty_selection_is_explained() {
    let world = world("smtcomp-2008", 2, &[("a", ANSWER), ("b", ANSWER)]);
    world.fails(
        &["go", "-C", "c", "--index", "1"],
        3,
        &["nothing selected from QF_UF: it has no ", "nothing is selected in any track"],
    );
    assert!(world.ok(&["status", "-C", "c"]).contains("next: nothing is selected in any track"));
}

#[test]
fn r19_6_8_a_competition_in_heats_can_end_early_once_all_is_judged() {
    let world = world("smtcomp-2019", 4, &[("a", ANSWER), ("b", "echo sat")]);
    world.steps(&["seed --index 1", "select --heats 2", "prepare", "run"]);
    world.fails(&["score", "-C", "c", "--final"], 3, &["not judged yet", "agon judge"]);
    world.judge("c");
    enter(&world, "late", ANSWER);
    let scores = world.json(&["score", "-C", "c", "--format", "json"]);
    assert_eq!(scores["intermediate"], true, "{scores}");
    // No heat is complete without the late entrant, so nothing counts.
    let scores = world.json(&["score", "-C", "c", "--final", "--format", "json"]);
    assert!(scores["divisions"].as_array().unwrap().is_empty(), "{scores}");
    world.ok(&["run", "-C", "c"]);
    world.fails(&["report", "-C", "c", "--final"], 3, &["not judged yet"]);
    world.judge("c");
    let scores = world.json(&["score", "-C", "c", "--final", "--format", "json"]);
    assert!(scores["divisions"][0]["winners"]["parallel"].is_string(), "{scores}");
}

#[test]
fn a_division_of_several_logics_is_competitive_as_a_whole() {
    let world = World::new(AGON);
    for logic in ["QF_LIA", "QF_IDL"] {
        let text = format!("(set-logic {logic})\n(set-info :status sat)\n(assert true)\n(check-sat)\n(exit)\n");
        world.write(&format!("library/non-incremental/{logic}/x/a.smt2"), &text);
    }
    world.ok(&["init", "c", "--rules", "smtcomp-2025"]);
    world.ok(&["library", "add", "-C", "c", "library"]);
    for (name, divisions) in [("all", "['QF_LIA', 'QF_IDL']"), ("some", "['QF_LIA']")] {
        let directory = fake_solver(&world.path().join("solvers"), name, name, "echo sat");
        let text = fs::read_to_string(directory.join("entrant.toml")).unwrap();
        fs::write(directory.join("entrant.toml"), format!("{text}[divisions]\nsingle-query = {divisions}\n")).unwrap();
        world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    }
    world.ok(&["go", "-C", "c", "--index", "1", "--until", "prepare", "--track", "single-query"]);
    let now = status(&world, "single-query");
    assert_eq!(now["planned"], 3, "{now}");
    assert!(now["not_run"].as_array().unwrap().is_empty(), "{now}");
}

#[test]
fn sessions_that_ended_at_an_unknown_status_run_again_when_it_is_corrected() {
    let world = World::new(AGON);
    let text = script("sat", 3);
    let file = "library/incremental/QF_UF/x/one.smt2";
    world
        .write(file, &text.replacen(":status sat", ":status unknown", 2).replacen(":status unknown", ":status sat", 1));
    world.ok(&["init", "c", "--rules", "smtcomp-2014"]);
    world.ok(&["library", "add", "-C", "c", "library"]);
    enter(&world, "a", ANSWER);
    enter(&world, "b", ANSWER);
    let gone = world.run(&["go", "-C", "c", "--index", "1", "--track", "incremental"]);
    assert!(gone.code < 2, "{}", gone.stderr);
    let correct = || {
        let scores = world.json(&["score", "-C", "c", "--track", "incremental", "--format", "json"]);
        scores["divisions"][0]["rankings"].as_object().unwrap().values().next().unwrap()[0]["correct"].clone()
    };
    assert_eq!(correct(), 1);
    world.write(file, &text);
    world.steps(&["library add library", "select --track incremental", "prepare --track incremental"]);
    assert_eq!(status(&world, "incremental")["again"]["benchmarks"], 2);
    world.run(&["go", "-C", "c", "--track", "incremental"]);
    assert_eq!(correct(), 3);
}

#[test]
fn a_named_panel_is_kept_and_a_rebuilt_solver_votes_again() {
    let world = World::new(AGON);
    let unsat = "(set-logic QF_UF)\n(set-info :status unsat)\n(declare-fun p () Bool)\n(assert (and p (not p)))\n(assert p)\n(check-sat)\n";
    world.write("library/non-incremental/QF_UF/u/u.smt2", unsat);
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    world.ok(&["library", "add", "-C", "c", "library"]);
    let enter = |name: &str, vote: &str| {
        let script = format!("if grep -q get-unsat-core $1; then echo unsat; echo '(smtcomp1)'; else echo {vote}; fi");
        let directory = fake_solver(&world.path().join("solvers"), name, name, &script);
        let text = fs::read_to_string(directory.join("entrant.toml")).unwrap();
        fs::write(directory.join("entrant.toml"), text + "unsat-core = ['bin/solver', '{benchmark}']\n").unwrap();
        world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    };
    enter("a", "unknown");
    enter("b", "unknown");
    let wrong = || solver_of(&world, "unsat-core", "a")["erroneous"].clone();
    world.run(&["go", "-C", "c", "--index", "1", "--track", "unsat-core"]);
    assert_eq!(wrong(), 0);
    // One of the voters is rebuilt with the same version number, and now refutes the core.
    enter("b", "sat");
    world.run(&["go", "-C", "c", "--track", "unsat-core"]);
    assert_eq!(wrong(), 1);
    // The organizers name another panel, which `go` does not undo.
    let judge = fake_solver(&world.path().join("judges"), "j", "j", "echo unsat");
    world.run(&["judge", "-C", "c", "--track", "unsat-core", "--panel", judge.to_str().unwrap()]);
    assert_eq!(wrong(), 0);
    world.run(&["go", "-C", "c", "--track", "unsat-core"]);
    assert_eq!(wrong(), 0);
    world.run(&["judge", "-C", "c", "--track", "unsat-core", "--panel", "entrants"]);
    assert_eq!(wrong(), 1);
}

/// Enters a solver in all tracks: the shell command `answer` answers single queries, and it prints this core and model.
fn enter_in_all_tracks(world: &World, name: &str, answer: &str, core: &str, model: &str, more: &str) {
    let script = format!(
        "if grep -q get-unsat-core $1; then printf '{core}'; elif grep -q get-model $1; then printf '{model}'; else {answer}; fi"
    );
    let directory = fake_solver(&world.path().join("solvers"), name, name, &script);
    let text =
        fs::read_to_string(directory.join("entrant.toml")).unwrap().replace("[commands]", &format!("{more}[commands]"));
    let tracks = "unsat-core = ['bin/solver', '{benchmark}']\nmodel-validation = ['bin/solver', '{benchmark}']\n\
        incremental = ['bin/talk']\n";
    fs::write(directory.join("entrant.toml"), text + tracks).unwrap();
    fs::write(directory.join("bin/talk"), format!("#!/bin/sh\n{TALK}\n")).unwrap();
    std::process::Command::new("chmod").arg("+x").arg(directory.join("bin/talk")).status().unwrap();
    world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
}

/// The path of the first difference between two documents, with both values.
fn difference(one: &Value, other: &Value) -> Option<String> {
    let inside = |key: &str, found: Option<String>| found.map(|found| format!("{key}/{found}"));
    match (one, other) {
        (Value::Object(a), Value::Object(b)) if a.keys().eq(b.keys()) => {
            a.iter().find_map(|(key, value)| inside(key, difference(value, &b[key])))
        }
        (Value::Array(a), Value::Array(b)) if a.len() == b.len() => {
            (0..a.len()).find_map(|at| inside(&at.to_string(), difference(&a[at], &b[at])))
        }
        _ if one == other => None,
        _ => Some(format!(": {one} {other}")),
    }
}

#[test]
fn a_competition_and_its_export_have_the_same_scores_under_every_rulebook() {
    let world = World::new(AGON);
    trivial_library(&world.path().join("library"), 6);
    let unsat = |status: &str| {
        format!(
            "(set-logic QF_UF)\n(set-info :status {status})\n(declare-fun p () Bool)\n(assert (and p (not p)))\n(assert p)\n\
             (check-sat)\n"
        )
    };
    world.write("library/non-incremental/QF_UF/u/u.smt2", &unsat("unsat"));
    // A wrong status, and an unknown status on which solvers disagree.
    world.write("library/non-incremental/QF_UF/u/v.smt2", &unsat("sat").replace("(assert p)\n", ""));
    world.write("library/non-incremental/LIA/x/w.smt2", &script("unknown", 1).replace("QF_UF", "LIA"));
    world.write("library/incremental/QF_UF/x/one.smt2", &script("sat", 3));
    world.write("library/incremental/QF_UF/x/two.smt2", &script("unsat", 2));
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    let settings = fs::read_to_string(world.path().join("c/agon.toml")).unwrap();
    let tracks = ["single-query", "incremental", "unsat-core", "model-validation"];
    let eligible = "\n[rules.selection.model-validation.eligible]\nlogics = ['QF_UF']\n";
    world.write("c/agon.toml", &(settings + &tracks.map(|track| limits(track, 2)).concat() + eligible));
    world.ok(&["library", "add", "-C", "c", "library"]);
    let right = "grep -Eq 'assert false|and ' $1 && echo unsat || echo sat";
    let (core, model) = ("unsat\\n(smtcomp1)\\n", "sat\\n((define-fun x1 () Bool true))\\n");
    enter_in_all_tracks(&world, "right", right, core, model, "open_source = true\nnew = true\n");
    enter_in_all_tracks(&world, "right-more", "echo unsat", "sat\\n", "unsat\\n", "derived_from = 'right'\n");
    enter_in_all_tracks(&world, "timid", "sleep 9", "unsat\\n(nob)\\n", "unknown\\n", "wraps = ['right 1']\n");
    enter_in_all_tracks(&world, "guest", "echo sat", "unsat\\n", "sat\\n(", "kind = 'non-competing'\n");
    let gone = world.run(&["go", "-C", "c", "--index", "1"]);
    assert!(gone.code < 2, "{}", gone.stderr);
    let rulebooks: Vec<agon_rulebook::Rulebook> =
        agon_rulebook::Rulebook::names().map(|name| agon_rulebook::Rulebook::named(name).unwrap()).collect();
    let mut compared = 0;
    for track in tracks {
        let table = format!("{track}.csv");
        world.ok(&["export", "-C", "c", "--track", track, "--to", &table]);
        let has_track = |rules: &&agon_rulebook::Rulebook| rules.tracks.keys().any(|known| known.name() == track);
        let rules: Vec<&str> =
            rulebooks.iter().filter(has_track).flat_map(|rules| ["--rules", rules.name.as_str()]).collect();
        for mode in [&[][..], &["--as-published"]] {
            let words = [&["score", "--track", track, "--format", "json"], &rules[..], mode].concat();
            let mut own = world.json(&[&words[..], &["-C", "c"]].concat());
            // The exported table does not contain the plan of the competition.
            for scores in own.as_array_mut().unwrap() {
                for part in ["divisions", "logics"] {
                    for division in scores.get_mut(part).and_then(Value::as_array_mut).into_iter().flatten() {
                        division.as_object_mut().unwrap().remove("progress");
                    }
                }
            }
            let exported = world.json(&[&words[..], &[&table]].concat());
            for (own, exported) in own.as_array().unwrap().iter().zip(exported.as_array().unwrap()) {
                assert_eq!(difference(own, exported), None, "{track} {mode:?} {}", own["rules"]);
                compared += 1;
            }
        }
    }
    assert!(compared > 100, "{compared}");
}
