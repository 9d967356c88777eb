//! Facts from entrant files decide places, winners, recognitions and votes, from `entrant add` to the scores and pages.

use agon_testkit::{World, fake_solver, trivial_library};
use serde_json::Value;
use std::fs;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

/// Answers correctly. `DELAY` is replaced by a loop whose CPU time orders solvers with the same answers.
const ANSWER: &str = "DELAY\ngrep -q 'assert false' $1 && echo unsat || echo sat";

/// A competition in `c` with four trivial benchmarks.
fn competition(rules: &str) -> World {
    let world = World::new(AGON);
    trivial_library(&world.path().join("library"), 4);
    // The rules of 2008 select by category and difficulty.
    for at in 0..4 {
        let file = world.path().join(format!("library/non-incremental/QF_UF/trivial/b{at:04}.smt2"));
        let text = fs::read_to_string(&file).unwrap();
        let facts = "(set-info :category \"industrial\")\n(set-info :difficulty |1|)\n(declare-fun";
        fs::write(file, text.replacen("(declare-fun", facts, 1)).unwrap();
    }
    world.ok(&["init", "c", "--rules", rules]);
    world.ok(&["library", "add", "-C", "c", "library"]);
    world
}

/// Enters a correct solver that is slower the larger `rank` is, with these additional fields in its file.
fn enter(world: &World, name: &str, rank: u32, fields: &str) {
    let delay = format!("n=0; while [ $n -lt {} ]; do n=$((n+1)); done", rank * 60_000);
    let script = ANSWER.replace("DELAY", &delay);
    let directory = fake_solver(&world.path().join("solvers"), name, name, &script);
    let file = directory.join("entrant.toml");
    let text = fs::read_to_string(&file).unwrap().replace("[commands]", &format!("{fields}\n[commands]"));
    fs::write(file, text).unwrap();
    world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
}

fn scores(world: &World) -> Value {
    let output = world.run(&["go", "-C", "c", "--track", "single-query", "--index", "1"]);
    assert!(output.code < 2, "{}", output.stderr);
    world.json(&["score", "-C", "c", "--format", "json"])
}

/// The row of a solver in the sequential ranking of the only division.
fn row<'a>(scores: &'a Value, solver: &str) -> &'a Value {
    let rows = scores["divisions"][0]["rankings"]["sequential"].as_array().unwrap();
    rows.iter().find(|row| row["solver"] == solver).unwrap()
}

fn winner(scores: &Value) -> &Value {
    &scores["divisions"][0]["winners"]["sequential"]
}

#[test]
fn r08_2_28_a_wrapper_behind_the_solver_it_wraps_has_no_place() {
    let world = competition("smtcomp-2008");
    enter(&world, "tool", 0, "");
    enter(&world, "wrapper", 2, "wraps = ['tool 1']");
    enter(&world, "third", 4, "");
    enter(&world, "fourth", 6, "");
    let scores = scores(&world);
    assert_eq!(winner(&scores), "tool", "{scores}");
    assert_eq!(row(&scores, "wrapper")["rank"], Value::Null);
    assert_eq!(row(&scores, "third")["rank"], 2);
    assert!(world.ok(&["score", "-C", "c"]).contains("not ahead of tool"));
}

#[test]
fn r08_2_28_a_wrapper_ahead_of_the_solver_it_wraps_wins() {
    let world = competition("smtcomp-2008");
    enter(&world, "tool", 4, "");
    enter(&world, "wrapper", 0, "wraps = ['tool 1']");
    enter(&world, "third", 6, "");
    let scores = scores(&world);
    assert_eq!(winner(&scores), "wrapper", "{scores}");
}

#[test]
fn r08_2_25_a_wrapper_of_an_older_tool_behind_last_years_winner_has_no_place() {
    let world = competition("smtcomp-2008");
    enter(&world, "champion", 0, "won = ['QF_UF']");
    enter(&world, "wrapper", 2, "wraps = ['oldtool 0.9']");
    enter(&world, "third", 4, "");
    let scores = scores(&world);
    assert_eq!(row(&scores, "wrapper")["rank"], Value::Null, "{scores}");
    assert_eq!(row(&scores, "third")["rank"], 2);
}

#[test]
fn r08_2_25_without_last_years_winner_a_wrapper_of_an_older_tool_keeps_its_place() {
    let world = competition("smtcomp-2008");
    enter(&world, "first", 0, "");
    enter(&world, "wrapper", 2, "wraps = ['oldtool 0.9']");
    enter(&world, "third", 4, "");
    assert_eq!(row(&scores(&world), "wrapper")["rank"], 2);
}

#[test]
fn r08_2_11_and_r08_5_3_the_best_open_source_solver_is_named() {
    let world = competition("smtcomp-2008");
    enter(&world, "closed", 0, "");
    enter(&world, "open", 2, "open_source = true");
    enter(&world, "slower", 4, "open_source = true");
    let scores = scores(&world);
    assert_eq!(winner(&scores), "closed");
    assert_eq!(scores["divisions"][0]["open_source_winners"]["sequential"], "open", "{scores}");
}

#[test]
fn r19_7_11_a_new_entrant_that_beats_others_is_recognized_and_described() {
    let world = competition("smtcomp-2019");
    let fields = "new = true\nauthors = ['Ada Lovelace (Somewhere)', 'Alan Turing (Elsewhere)']\n\
        website = 'https://example.org/newcomer'";
    enter(&world, "newcomer", 0, fields);
    enter(&world, "known", 4, "");
    let scores = scores(&world);
    let newcomers = &scores["recognitions"]["new-entrants"]["sequential"];
    assert_eq!((&newcomers[0]["solver"], &newcomers[0]["beats"][0]), (&"newcomer".into(), &"known".into()), "{scores}");
    let pages = world.path().join("c/site");
    let mut directories = vec![pages];
    let mut found = false;
    while let Some(directory) = directories.pop() {
        for item in fs::read_dir(directory).unwrap().map(|item| item.unwrap().path()) {
            if item.is_dir() {
                directories.push(item);
            } else if item.extension().is_some_and(|end| end == "html") {
                let page = fs::read_to_string(item).unwrap();
                found |= page.contains("Ada Lovelace (Somewhere)") && page.contains("https://example.org/newcomer");
            }
        }
    }
    assert!(found, "no page has the authors and the website");
}

#[test]
fn r08_2_17_a_missing_magic_number_is_reported() {
    let world = competition("smtcomp-2019");
    let directory = fake_solver(&world.path().join("solvers"), "secretive", "us", "echo sat");
    let file = directory.join("entrant.toml");
    fs::write(&file, fs::read_to_string(&file).unwrap().replace("magic = 7\n", "")).unwrap();
    let output = world.run(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    assert!(output.stderr.contains("magic: missing") && output.stderr.contains("--magic"), "{}", output.stderr);
}

#[test]
fn r19_5_27_only_solvers_without_errors_vote_on_cores() {
    let world = competition("smtcomp-2019");
    // Two liars answer sat to everything. If they voted, they would refute every core by two to one.
    for (name, answer) in [
        ("honest", "grep -q 'assert false' $1 && echo unsat || echo sat"),
        ("liar-one", "echo sat"),
        ("liar-two", "echo sat"),
    ] {
        let core = "if grep -q get-unsat-core $1; then echo unsat; echo '(smtcomp1 smtcomp2)'; else ANSWER; fi";
        let directory = fake_solver(&world.path().join("solvers"), name, name, &core.replace("ANSWER", answer));
        let text = fs::read_to_string(directory.join("entrant.toml")).unwrap();
        fs::write(directory.join("entrant.toml"), text + "unsat-core = ['bin/solver', '{benchmark}']\n").unwrap();
        world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    }
    let output = world.run(&["go", "-C", "c", "--track", "single-query", "--track", "unsat-core", "--index", "1"]);
    assert!(output.code < 2, "{}", output.stderr);
    let errors = || {
        let scores = world.json(&["score", "-C", "c", "--track", "unsat-core", "--format", "json"]);
        row(&scores, "honest")["error"].clone()
    };
    assert_eq!(errors(), 0);
    // The same cores with the liars on the panel.
    let liars: Vec<String> =
        ["liar-one", "liar-two"].map(|name| world.path().join("solvers").join(name).display().to_string()).into();
    world.run(&["judge", "-C", "c", "--track", "unsat-core", "--panel", &liars[0], "--panel", &liars[1]]);
    assert_ne!(errors(), 0);
}

#[test]
fn a11_10_the_time_of_an_incremental_run_ends_with_its_last_correct_answer() {
    let world = World::new(AGON);
    let script = "(set-logic QF_UF)\n(declare-fun p () Bool)\n(assert p)\n(set-info :status sat)\n(check-sat)\n\
        (assert (not p))\n(set-info :status unsat)\n(check-sat)\n(exit)\n";
    world.write("library/incremental/QF_UF/x/one.smt2", script);
    world.ok(&["init", "c", "--rules", "smtcomp-2011-application"]);
    let settings = fs::read_to_string(world.path().join("c/agon.toml")).unwrap();
    world.write(
        "c/agon.toml",
        &(settings + "\n[rules.tracks.incremental.limits]\nwall_s = 6\nmemory_bytes = 200_000_000\ncores = 1\noutput_bytes = 100_000\n"),
    );
    world.ok(&["library", "add", "-C", "c", "library"]);
    // Both solve the first query and hang on the second: one answers at once, the other after two seconds.
    for (name, delay) in [("fast", "0"), ("slow", "2"), ("third", "3")] {
        let talk = format!(
            "n=0; while read -r line; do case $line in '(check-sat)') n=$((n+1)); [ $n = 2 ] && sleep 60; \
             sleep {delay}; echo sat;; *) echo success;; esac; done"
        );
        let directory = fake_solver(&world.path().join("solvers"), name, name, &talk);
        let text = fs::read_to_string(directory.join("entrant.toml")).unwrap();
        let text = text.replace("single-query = ['bin/solver', '{benchmark}']", "incremental = ['bin/solver']");
        fs::write(directory.join("entrant.toml"), text).unwrap();
        world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    }
    let output = world.run(&["go", "-C", "c", "--index", "1"]);
    assert!(output.code < 2, "{}", output.stderr);
    let scores = world.json(&["score", "-C", "c", "--format", "json"]);
    let ranking = scores["divisions"][0]["rankings"].as_object().unwrap().values().next().unwrap();
    let order: Vec<&str> = ranking.as_array().unwrap().iter().map(|row| row["solver"].as_str().unwrap()).collect();
    assert_eq!(order, ["fast", "slow", "third"], "{scores}");
    let wall = |at: usize| ranking[at]["wall"].as_f64().unwrap();
    // The limit is 6 s. The slow one has to be ranked by its answer after 2 s.
    assert!(wall(0) < wall(1) && wall(1) < 5.9, "{ranking}");
}
