//! What organizers do around the runs: decisions, the calendar, the freeze.

use agon_testkit::{World, fake_solver, trivial_library};
use serde_json::Value;
use std::fs;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

const ANSWER: &str = "grep -q 'assert false' $1 && echo unsat || echo sat";

/// A competition in `c` with this many trivial benchmarks, of which half are drawn, and two entrants.
fn competition(benchmarks: usize) -> World {
    let world = World::new(AGON);
    trivial_library(&world.path().join("library"), benchmarks);
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    world.write(
        "c/agon.toml",
        "rulebook = 'smtcomp-2019'\ntitle = 'Mine'\n\
         [rules.selection.single-query.policy.share]\nat_least = 1\npercent = 50\n",
    );
    world.ok(&["library", "add", "-C", "c", "library"]);
    for (name, magic) in [("first", "4"), ("second", "5")] {
        enter(&world, name, &["--magic", magic]);
    }
    world
}

fn enter(world: &World, name: &str, options: &[&str]) {
    let directory = fake_solver(&world.path().join("solvers"), name, name, ANSWER);
    world.ok(&[&["entrant", "add", "-C", "c", directory.to_str().unwrap()], options].concat());
}

fn go(world: &World) {
    let output = world.run(&["go", "-C", "c", "--track", "single-query", "--index", "1"]);
    assert!(output.code < 2, "{}", output.stderr);
}

fn score(world: &World) -> Value {
    world.json(&["score", "-C", "c", "--format", "json"])
}

/// The row of a solver in the sequential ranking.
fn row<'a>(scores: &'a Value, solver: &str) -> Option<&'a Value> {
    scores["divisions"][0]["rankings"]["sequential"].as_array()?.iter().find(|row| row["solver"] == solver)
}

/// The first selected benchmark.
fn selected(world: &World) -> String {
    let list = world.ok(&["select", "-C", "c", "--list"]);
    list.lines().next().unwrap().trim_start_matches('/').to_owned()
}

#[test]
fn r19_8_1_a_benchmark_removed_from_the_results_draws_nothing_again() {
    let world = competition(40);
    go(&world);
    let before = score(&world);
    assert_eq!(before["divisions"][0]["benchmarks"], 20);
    let table = fs::read(world.path().join("c/selection.tsv")).unwrap();
    let benchmark = selected(&world);
    world.ok(&["decide", "remove-benchmark", &benchmark, "--reason", "ill-typed", "--by", "Ada", "-C", "c"]);
    // Nothing is selected, prepared or run again.
    assert_eq!(fs::read(world.path().join("c/selection.tsv")).unwrap(), table);
    let output = world.run(&["run", "-C", "c"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    assert_eq!(world.json(&["status", "-C", "c", "--format", "json"])["planned"], 38);
    let after = score(&world);
    assert_eq!(after["divisions"][0]["benchmarks"], 19, "{after}");
    assert_eq!(row(&after, "first").unwrap()["correct"], 19);
    let text = world.run(&["score", "-C", "c"]);
    let note = format!("decision 1 removes {benchmark} from the results: ill-typed");
    assert!(text.stderr.contains(&note), "{}", text.stderr);
    // In another track nothing changes, and a revoked decision has no effect.
    world.ok(&["decide", "revoke", "1", "--reason", "it is well-typed", "-C", "c"]);
    assert_eq!(score(&world), before);
    world.ok(&["decide", "remove-benchmark", &benchmark, "--track", "incremental", "--reason", "x", "-C", "c"]);
    assert_eq!(score(&world), before);
}

#[test]
fn r08_4_24_and_r19_6_9_a_disqualified_solver_has_no_rank_and_a_withdrawn_one_no_row() {
    let world = competition(4);
    enter(&world, "third", &["--magic", "6"]);
    go(&world);
    world.ok(&["decide", "disqualify", "first", "--reason", "knows the benchmarks by name", "-C", "c"]);
    let scores = score(&world);
    let first = row(&scores, "first").unwrap();
    assert_eq!(first["rank"], Value::Null, "{first}");
    assert!(first["note"].as_str().unwrap().contains("knows the benchmarks by name (decision 1)"), "{first}");
    assert_ne!(scores["divisions"][0]["winners"]["sequential"], "first");
    world.ok(&["decide", "withdraw", "second", "--reason", "asked by its authors", "-C", "c"]);
    assert!(row(&score(&world), "second").is_none());
    let list = world.json(&["entrant", "list", "-C", "c", "--format", "json"]);
    let states: Vec<&Value> = list.as_array().unwrap().iter().map(|row| &row["state"]).collect();
    assert_eq!(states, ["disqualified", "withdrawn", "submitted"]);
    // The last decision on an entrant holds.
    world.ok(&["decide", "accept", "second", "--reason", "they are back", "-C", "c"]);
    assert!(row(&score(&world), "second").is_some());
}

#[test]
fn r08_2_20_and_r19_4_12_a_refused_solver_is_not_run_and_its_number_does_not_count() {
    let world = competition(4);
    enter(&world, "third", &["--magic", "60"]);
    world.ok(&["decide", "refuse", "third", "--reason", "a version of first", "-C", "c"]);
    go(&world);
    assert!(row(&score(&world), "third").is_none());
    let ledger = fs::read_to_string(world.path().join("c/seed.toml")).unwrap();
    assert!(ledger.contains(" 9  sum\n") && !ledger.contains("third"), "{ledger}");
}

#[test]
fn an_edited_log_is_found_and_stops_every_step() {
    let world = competition(4);
    for subject in ["rules", "machine", "weather"] {
        world.ok(&["decide", "note", subject, "--reason", "so that it is known", "--recused", "Bob", "-C", "c"]);
    }
    let verified = world.json(&["log", "verify", "-C", "c", "--format", "json"]);
    assert_eq!((&verified["ok"], &verified["entries"]), (&Value::Bool(true), &Value::from(3)));
    let file = world.path().join("c/decisions.jsonl");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replacen("Bob", "Eve", 1)).unwrap();
    world.fails(&["log", "verify", "-C", "c"], 1, &["decisions.jsonl", "line 2", "changed, removed or inserted"]);
    world.fails(&["decide", "note", "x", "--reason", "y", "-C", "c"], 3, &["decisions.jsonl", "line 2"]);
    world.fails(&["go", "-C", "c", "--index", "1"], 3, &["decisions.jsonl", "line 2"]);
    assert!(!world.path().join("c/seed.toml").exists());
    // A log that was cut is found by the digest that was published.
    let head = verified["head"].as_str().unwrap();
    fs::write(&file, text.lines().take(2).map(|line| format!("{line}\n")).collect::<String>()).unwrap();
    world.ok(&["log", "verify", "-C", "c"]);
    world.fails(&["log", "verify", "-C", "c", "--head", head], 1, &["cut or replaced"]);
    fs::write(&file, text).unwrap();
    world.ok(&["log", "verify", "-C", "c", "--head", head]);
}

#[test]
fn decisions_about_nothing_are_refused() {
    let world = competition(4);
    let decide = |words: &[&str], parts: &[&str]| {
        world.fails(&[&["decide"], words, &["--reason", "x", "-C", "c"]].concat(), 2, parts);
    };
    decide(&["remove-benchmark", "non-incremental/QF_UF/trivial/b00.smt2"], &["no benchmark", "did you mean"]);
    decide(&["withdraw", "firs"], &["unknown entrant 'firs'", "first"]);
    world.fails(&["decide", "revoke", "7", "--reason", "x", "-C", "c"], 3, &["no entry 7"]);
    world.fails(&["decide", "note", "x", "--reason", " ", "-C", "c"], 3, &["needs a reason"]);
    let both = ["decide", "note", "x", "--reason", "y", "--by", "Ada", "--recused", "Ada", "-C", "c"];
    world.fails(&both, 3, &["Ada cannot both decide and be recused"]);
    assert!(!world.path().join("c/decisions.jsonl").exists());
}

/// Replaces the calendar of the competition.
fn set_calendar(world: &World, calendar: &str) {
    world.write("c/agon.toml", &format!("rulebook = 'smtcomp-2019'\ntitle = 'Mine'\n[calendar]\n{calendar}"));
}

#[test]
fn r19_4_15_and_r08_2_34_steps_outside_their_window_are_refused_unless_overridden() {
    let world = competition(4);
    let solver = fake_solver(&world.path().join("solvers"), "late", "late", ANSWER);
    let late = solver.to_str().unwrap();
    set_calendar(&world, "benchmarks = '2001-01-01'\nfirst-deadline = '2001-02-01'\nsecond-deadline = '2999-01-01'\n");
    world.fails(&["library", "add", "library", "-C", "c"], 3, &["too late to add benchmarks", "2001-01-01"]);
    world.fails(&["entrant", "add", late, "-C", "c"], 3, &["too late to enter a solver", "2001-02-01", "--override"]);
    // A new version of an entrant is still welcome.
    enter(&world, "first", &["--magic", "40"]);
    world.fails(&["seed", "--index", "1", "-C", "c"], 3, &["too early to draw the seed", "2999-01-01"]);
    set_calendar(&world, "second-deadline = '2001-01-01'\nstart = '2999-01-01 12:00 Eastern'\n");
    let first = world.path().join("solvers/first");
    world.fails(&["entrant", "add", first.to_str().unwrap(), "-C", "c"], 3, &["too late to change an entrant"]);
    world.ok(&["seed", "--index", "1", "-C", "c"]);
    world.ok(&["select", "-C", "c"]);
    world.ok(&["prepare", "-C", "c"]);
    world.fails(&["run", "-C", "c"], 3, &["too early to run", "2999-01-01 12:00 Eastern"]);
    assert!(!world.path().join("c/decisions.jsonl").exists());
    world.ok(&["run", "-C", "c", "--override", "the hall is free today"]);
    let log = world.json(&["log", "-C", "c", "--format", "json"]);
    let reason = log[0]["reason"].as_str().unwrap();
    assert!(reason.starts_with("the hall is free today (it is too early to run"), "{log}");
}

#[test]
fn r08_6_1_and_r19_2_1_the_calendar_is_shown_and_exported() {
    let world = competition(4);
    set_calendar(
        &world,
        "start = '2001-01-01'\nresults = '2999-01-01 12:00 UTC'\n[calendar.tracks.incremental]\nstart = '2001-02-01'\n",
    );
    let rows = world.json(&["calendar", "-C", "c", "--format", "json"]);
    assert_eq!(rows[0]["date"], "2001-01-01 anywhere on earth");
    assert_eq!((&rows[1]["track"], &rows[1]["past"]), (&Value::from("incremental"), &Value::Bool(true)));
    assert_eq!((&rows[2]["milestone"], &rows[2]["past"]), (&Value::from("results"), &Value::Bool(false)));
    let text = world.run(&["calendar", "-C", "c"]);
    assert!(text.stdout.contains("in ") && text.stdout.contains(" ago"), "{}", text.stdout);
    assert!(text.stderr.contains("also have: benchmarks, first-deadline, second-deadline, seed"), "{}", text.stderr);
    let ical = world.ok(&["calendar", "-C", "c", "--ical"]);
    assert!(ical.contains("DTSTART:29990101T120000Z\r\n"), "{ical}");
    for (dates, words) in [
        ("start = '2999-01-01'\nresults = '2001-01-01'\n", &["agon.toml", "results", "2001-01-01"][..]),
        ("start = 'tomorrow'\n", &["agon.toml", "'tomorrow' is not a date"]),
        ("strat = '2999-01-01'\n", &["agon.toml", "strat", "start"]),
    ] {
        set_calendar(&world, dates);
        world.fails(&["calendar", "-C", "c"], 3, words);
    }
}

#[test]
fn r08_2_33_and_r19_4_16_frozen_entrants_do_not_change() {
    let world = competition(4);
    world.fails(&["freeze", "-C", "c"], 3, &["first: description: missing", "second: consent: must be true"]);
    assert!(!world.path().join("c/decisions.jsonl").exists());
    complete(&world);
    world.ok(&["freeze", "-C", "c"]);
    let first = world.path().join("solvers/first");
    let add = ["entrant", "add", first.to_str().unwrap(), "--magic", "9", "-C", "c"];
    world.fails(&add, 3, &["frozen since", "decision 1", "agon decide revoke 1"]);
    world.fails(&["entrant", "remove", "second", "-C", "c"], 3, &["frozen since"]);
    // A number that was changed by hand is found before the seed is drawn.
    let file = world.path().join("c/entrants/first.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("magic = 4", "magic = 44")).unwrap();
    world.fails(&["seed", "--index", "1", "-C", "c"], 3, &["differ from the frozen ones (decision 1): first"]);
    fs::write(&file, text).unwrap();
    go(&world);
    // So is a list that was changed.
    let list = fs::read_dir(world.path().join("c/frozen")).unwrap().next().unwrap().unwrap().path();
    let frozen = fs::read_to_string(&list).unwrap();
    fs::write(&list, frozen.replace("magic = 5", "magic = 6")).unwrap();
    world.fails(&["run", "-C", "c"], 3, &["is not the list of decision 1"]);
    fs::write(&list, frozen).unwrap();
    world.ok(&["decide", "revoke", "1", "--reason", "new binaries before the final", "-C", "c"]);
    world.ok(&add);
    world.ok(&["freeze", "--round", "final", "-C", "c"]);
}

/// Completes the entries of both solvers by the rules of 2019.
fn complete(world: &World) {
    for (name, magic) in [("first", "4"), ("second", "5")] {
        let directory = world.path().join("solvers").join(name);
        fs::write(directory.join("description.md"), "It answers trivial questions.").unwrap();
        let file = directory.join("entrant.toml");
        let text = fs::read_to_string(&file).unwrap();
        let facts = "description = 'description.md'\nconsent = true\n[commands]";
        fs::write(file, text.replace("[commands]", facts)).unwrap();
        world.ok(&["entrant", "add", directory.to_str().unwrap(), "--magic", magic, "-C", "c"]);
    }
}

#[test]
fn r19_4_9_and_r08_2_13_entries_say_everything_that_is_missing_or_wrong() {
    let world = competition(4);
    let directory = world.path().join("solvers/first");
    fs::write(directory.join("paper.pdf"), "not a PDF").unwrap();
    let file = directory.join("entrant.toml");
    let text = fs::read_to_string(&file).unwrap();
    let facts = "description = 'paper.pdf'\ncontact = 'Ada'\n[commands]";
    let text: String = text.lines().filter(|line| !line.starts_with("magic")).map(|line| format!("{line}\n")).collect();
    fs::write(&file, text.replace("[commands]", facts)).unwrap();
    let output = world.run(&["entrant", "add", directory.to_str().unwrap(), "-C", "c"]);
    assert_eq!(output.code, 0, "{}", output.stderr);
    for message in [
        "magic: missing",
        "consent: must be true",
        "description: 'paper.pdf' is not a PDF",
        "contact: 'Ada' is not an e-mail address",
        "recommend: authors, approach, techniques, tools, website, license",
    ] {
        assert!(output.stderr.contains(message), "{message}: {}", output.stderr);
    }
    let rows = world.json(&["entrant", "check", "first", "-C", "c", "--format", "json"]);
    let is_named = |field: &str| {
        let tried = format!("entry: {field}");
        rows.as_array().unwrap().iter().any(|row| row["tried"] == tried.as_str() && row["ok"] == false)
    };
    assert!(["magic", "consent", "description", "contact"].iter().all(|field| is_named(field)), "{rows}");
}

#[test]
fn r08_3_4_and_r19_4_8_divisions_that_do_not_exist_and_names_that_are_taken_are_refused() {
    let world = competition(4);
    let directory = fake_solver(&world.path().join("solvers"), "other", "other", ANSWER);
    let file = directory.join("entrant.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("{text}\n[divisions]\nsingle-query = ['QF_UG']\n")).unwrap();
    let words = ["'QF_UG', which does not exist", "did you mean QF_UF", "[divisions]"];
    world.fails(&["entrant", "add", directory.to_str().unwrap(), "-C", "c"], 2, &words);
    // A division without benchmarks exists all the same.
    fs::write(&file, format!("{text}\n[divisions]\nsingle-query = ['QF_UF', 'QF_BV']\n")).unwrap();
    world.ok(&["entrant", "add", directory.to_str().unwrap(), "-C", "c"]);
    let add = ["entrant", "add", directory.to_str().unwrap(), "--name", "first", "-C", "c"];
    world.fails(&add, 2, &["first has already entered a solver 'first'", "--name"]);
    assert_eq!(world.json(&["entrant", "list", "-C", "c", "--format", "json"]).as_array().unwrap().len(), 3);
}

#[test]
fn r08_2_21_and_r19_6_10_organizers_may_compete_and_their_number_does_not_count() {
    let world = competition(4);
    enter(&world, "ours", &["--magic", "1000", "--kind", "competing-organizer"]);
    world.ok(&["decide", "withdraw", "second", "--reason", "leaves one other team", "-C", "c"]);
    go(&world);
    let scores = score(&world);
    assert_eq!(scores["divisions"][0]["competitive"], true, "{scores}");
    assert_eq!(row(&scores, "ours").unwrap()["competing"], true);
    let ledger = fs::read_to_string(world.path().join("c/seed.toml")).unwrap();
    assert!(ledger.contains("ours (the organizers' own, not counted)"), "{ledger}");
    assert!(ledger.contains(" 4  sum\n"), "{ledger}");
}
