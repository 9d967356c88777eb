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
fn r08_2_7_r19_4_15_and_r08_2_34_steps_outside_their_window_are_refused_unless_overridden() {
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
fn r08_6_1_r19_2_1_sl19_1_and_sl19_8_the_calendar_is_shown_and_exported() {
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
fn r08_2_33_r19_4_11_and_r19_4_16_frozen_entrants_do_not_change() {
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
fn r19_4_9_r08_2_13_and_r08_2_19_entries_say_everything_that_is_missing_or_wrong() {
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

/// Packs a solver that [`fake_solver`] wrote.
fn archive(world: &World, name: &str) -> String {
    let solvers = world.path().join("solvers");
    fake_solver(&solvers, name, name, ANSWER);
    let file = world.path().join(format!("{name}.tar.gz"));
    let packed = std::process::Command::new("tar").arg("-czf").arg(&file).arg("-C").arg(&solvers).arg(name).status();
    assert!(packed.unwrap().success());
    file.to_str().unwrap().to_owned()
}

#[test]
fn r08_1_3_and_r08_2_1_an_archive_is_kept_as_it_was_uploaded_with_checksums_that_anyone_can_check() {
    let world = competition(4);
    let file = archive(&world, "packed");
    world.ok(&["entrant", "add", "-C", "c", &file]);
    let original = fs::read(&file).unwrap();
    fs::remove_file(&file).unwrap();
    for (algorithm, program) in [("sha256", "sha256sum"), ("md5", "md5sum")] {
        let output = world.run(&["entrant", "checksums", "--algorithm", algorithm, "-C", "c"]);
        assert!(output.stderr.contains("first was not submitted as an archive"), "{}", output.stderr);
        world.write("c/SUMS", &output.stdout);
        let checked =
            std::process::Command::new(program).args(["-c", "SUMS"]).current_dir(world.path().join("c")).output();
        let checked = checked.unwrap();
        assert!(checked.status.success() && checked.stdout.ends_with(b"packed.tar.gz: OK\n"), "{checked:?}");
    }
    // An archive that changed stops the runs and the freeze.
    let sums = world.ok(&["entrant", "checksums", "-C", "c"]);
    let kept = world.path().join("c").join(sums.split_whitespace().nth(1).unwrap());
    assert_eq!(fs::read(&kept).unwrap(), original);
    fs::write(&kept, "another").unwrap();
    world.fails(&["freeze", "-C", "c"], 3, &["the archive of packed", "has changed or is missing", "enter it again"]);
    let went = world.run(&["go", "-C", "c", "--index", "1", "--track", "single-query"]);
    assert!(went.code == 3 && went.stderr.contains("the archive of packed"), "{}", went.stderr);
}

#[test]
fn r19_6_4_a_family_is_cut_to_size_and_the_reason_is_in_the_selection() {
    let world = competition(40);
    for at in 0..6 {
        let text = "(set-logic QF_UF)\n(set-info :status sat)\n(assert true)\n(check-sat)\n";
        world.write(&format!("library/non-incremental/QF_UF/other/x{at}.smt2"), text);
    }
    world.ok(&["library", "add", "-C", "c", "library"]);
    let cut = |family: &str, to: &str| {
        ["decide", "cut-family", family, "--to", to, "--reason", "too many", "-C", "c"].map(str::to_owned)
    };
    let run = |words: &[String]| world.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    let unknown = run(&cut("non-incremental/QF_UF/trivia", "5"));
    assert!(unknown.code == 2 && unknown.stderr.contains("did you mean"), "{}", unknown.stderr);
    assert_eq!(run(&cut("non-incremental/QF_UF/trivial", "5")).code, 0);
    go(&world);
    let table = fs::read_to_string(world.path().join("c/selection.tsv")).unwrap();
    let excluded =
        table.lines().filter(|line| line.contains("its family was cut to 5 benchmarks (decision 1: too many)"));
    assert_eq!(excluded.count(), 35);
    assert_eq!(score(&world)["divisions"][0]["benchmarks"], 5, "half of 5 + 6");
    let notes = world.run(&["score", "-C", "c"]).stderr;
    assert!(notes.contains("decision 1 cuts the family non-incremental/QF_UF/trivial to 5 benchmarks"), "{notes}");
    // A later cut makes the selection out of date; in another track it does not.
    let mut other = cut("non-incremental/QF_UF/other", "1").to_vec();
    other.extend(["--track".to_owned(), "unsat-core".to_owned()]);
    assert_eq!(run(&other).code, 0);
    world.ok(&["prepare", "-C", "c"]);
    assert_eq!(run(&cut("non-incremental/QF_UF/other", "1")).code, 0);
    world.fails(&["prepare", "-C", "c"], 3, &["out of date"]);
}

#[test]
fn sl19_18_and_sl19_27_a_settled_status_counts_without_a_new_run_and_explanations_cite_the_decision() {
    let world = competition(4);
    go(&world);
    let benchmark = selected(&world);
    let before = score(&world);
    assert_eq!(row(&before, "first").unwrap()["error"], 0);
    let status = if fs::read_to_string(world.path().join("library").join(&benchmark)).unwrap().contains(":status sat") {
        "unsat"
    } else {
        "sat"
    };
    let decide = |what: &str| {
        ["decide", what, &benchmark, status, "--reason", "a proof was checked", "-C", "c"].map(str::to_owned)
    };
    let run = |words: &[String]| world.run(&words.iter().map(String::as_str).collect::<Vec<_>>());
    // A challenge changes nothing, its settlement does.
    assert_eq!(run(&decide("challenge-status")).code, 0);
    assert_eq!(score(&world), before);
    assert_eq!(run(&decide("settle-status")).code, 0);
    let runs = world.json(&["status", "-C", "c", "--format", "json"])["done"].clone();
    world.judge("c");
    assert_eq!(world.json(&["status", "-C", "c", "--format", "json"])["done"], runs);
    let after = score(&world);
    assert_eq!(row(&after, "first").unwrap()["error"], 1, "{after}");
    let explained = world.json(&["score", "-C", "c", "--explain", "QF_UF", "first", "--format", "json"]);
    let why = |explained: &Value| {
        let rows = explained.as_array().unwrap().clone();
        rows.iter().find(|row| row["benchmark"] == benchmark.as_str()).unwrap()["why"].as_str().unwrap().to_owned()
    };
    assert!(why(&explained).contains("decision 2 settles the status"), "{explained}");
    // A removed benchmark is explained too.
    world.ok(&["decide", "remove-benchmark", &benchmark, "--reason", "ill-typed", "-C", "c"]);
    let explained = world.json(&["score", "-C", "c", "--explain", "QF_UF", "first", "--format", "json"]);
    assert!(why(&explained).starts_with("decision 3 removes"), "{explained}");
    for number in ["2", "3"] {
        world.ok(&["decide", "revoke", number, "--reason", "the proof was wrong", "-C", "c"]);
    }
    world.judge("c");
    assert_eq!(score(&world), before);
}

#[test]
fn r08_2_8_r08_2_9_r08_4_7_r19_5_4_and_sl19_26_things_are_published_on_their_day() {
    let world = competition(4);
    world.ok(&["entrant", "add", "-C", "c", &archive(&world, "packed")]);
    set_calendar(
        &world,
        "first-deadline = '2001-01-01'\nstart = '2001-01-02'\nresults = '2999-01-01'\nrelease = '2999-02-01'\n",
    );
    world.fails(&["publish", "selection", "-C", "c"], 3, &["no selection to publish"]);
    world.fails(&["publish", "results", "-C", "c"], 3, &["too early"]);
    world.ok(&["publish", "checksums", "-C", "c", "--by", "Ada"]);
    let table = fs::read_to_string(world.path().join("c/published/checksums-1/checksums.tsv")).unwrap();
    assert!(table.contains("\tpacked.tar.gz\t") && table.lines().count() == 4, "{table}");
    go(&world);
    world.ok(&["publish", "selection", "-C", "c"]);
    assert!(world.path().join("c/published/selection-1/seed.toml").exists());
    world.fails(&["publish", "results", "-C", "c"], 3, &["too early to publish the results", "2999-01-01"]);
    world.fails(&["publish", "submissions", "-C", "c"], 3, &["too early", "2999-02-01"]);
    set_calendar(&world, "results = '2001-01-01'\n");
    world.ok(&["publish", "results", "-C", "c"]);
    world.fails(&["publish", "submissions", "-C", "c"], 3, &["has not agreed to the publication", "R19-5.2"]);
    world.ok(&["publish", "submissions", "-C", "c", "--override", "they agreed by mail"]);
    // An outdated selection is not published.
    let family = "non-incremental/QF_UF/trivial";
    world.ok(&["decide", "cut-family", family, "--to", "1", "--reason", "x", "-C", "c"]);
    world.fails(&["publish", "selection", "-C", "c"], 3, &["out of date"]);
    let log = world.json(&["log", "-C", "c", "--format", "json"]);
    let last = log.as_array().unwrap().len().to_string();
    world.ok(&["decide", "revoke", &last, "--reason", "x", "-C", "c"]);
    let published = world.path().join("c/published");
    let checked = std::process::Command::new("sha256sum")
        .args(["-c", "SHA256SUMS"])
        .current_dir(published.join("results-1"))
        .output();
    assert!(checked.unwrap().status.success());
    let rescored =
        world.json(&["score", "c/published/results-1/single-query.csv", "--rules", "smtcomp-2019", "--format", "json"]);
    assert_eq!(row(&rescored, "packed").unwrap()["correct"], row(&score(&world), "packed").unwrap()["correct"]);
    assert!(published.join("submissions-1/packed/upload/packed.tar.gz").exists());
    let log = world.json(&["log", "-C", "c", "--format", "json"]);
    assert_eq!(&log[0]["by"], &Value::from("Ada"), "{log}");
    let published_by = |what: &str| log.to_string().matches(&format!("publishes the {what}")).count();
    assert!(["checksums", "selection", "results", "submissions"].iter().all(|what| published_by(what) == 1), "{log}");
    // A second publication leaves the first alone.
    world.ok(&["publish", "checksums", "-C", "c"]);
    assert!(published.join("checksums-1").exists() && published.join("checksums-2/checksums.tsv").exists());
}

#[test]
fn r19_6_10_the_ledger_states_day_index_and_source_of_the_value() {
    let world = competition(4);
    set_calendar(&world, "seed = '2019-06-03'\n");
    let seed = |date: &str, more: &[&str]| {
        world.run(&[&["seed", "-C", "c", "--index", "12888.51", "--index-date", date], more].concat())
    };
    for (date, words) in [
        ("2019-06-01", "is not a trading day"),
        ("2019-05-31", "is before the day of the index in the calendar"),
        ("2999-01-03", "is in the future"),
        ("soon", "is not a date"),
    ] {
        let output = seed(date, &[]);
        assert!(output.code == 2 && output.stderr.contains(words), "{date}: {}", output.stderr);
    }
    assert_eq!(seed("2019-06-04", &["--index-source", "https://example.org/nya"]).code, 0);
    let ledger = fs::read_to_string(world.path().join("c/seed.toml")).unwrap();
    assert!(ledger.contains("NYSE Composite Index, opening value of 2019-06-04 (https://example.org/nya)"), "{ledger}");
    // Drawing it again keeps what was stated; another value replaces nothing.
    let output = world.run(&["seed", "-C", "c", "--index", "12888.51"]);
    assert!(output.code == 0 && output.stderr.contains("--index-date"), "{}", output.stderr);
    assert_eq!(fs::read_to_string(world.path().join("c/seed.toml")).unwrap(), ledger);
    world.fails(&["seed", "-C", "c", "--index", "12888.99"], 2, &["has the index value 12888.51", "--replace"]);
}

#[test]
fn r08_4_9_and_r08_4_6_unknown_categories_are_refused_and_corrections_have_a_deadline() {
    let world = competition(4);
    world.write(
        "library/non-incremental/QF_UF/trivial/odd.smt2",
        "(set-logic QF_UF)\n(set-info :category \"craftd\")\n(check-sat)\n",
    );
    let added = world.run(&["library", "add", "-C", "c", "library"]);
    assert!(added.stderr.contains("odd.smt2") && added.stderr.contains("did you mean crafted"), "{}", added.stderr);
    // After the release, benchmarks are corrected until their own deadline.
    world.ok(&["library", "freeze", "first", "-C", "c"]);
    set_calendar(&world, "benchmarks = '2001-01-01'\ncorrections = '2999-01-01'\n");
    assert!(world.run(&["library", "add", "-C", "c", "library"]).code < 2);
    set_calendar(&world, "benchmarks = '2001-01-01'\ncorrections = '2001-02-01'\n");
    world.fails(&["library", "add", "-C", "c", "library"], 3, &["too late to correct benchmarks", "2001-02-01"]);
}

#[test]
fn d14_6_and_d14_8_the_difficulty_table_follows_the_library_and_decides_the_selection() {
    let world = World::new(AGON);
    trivial_library(&world.path().join("library"), 6);
    world.ok(&["init", "c", "--rules", "smtcomp-2014"]);
    world.ok(&["library", "add", "-C", "c", "library"]);
    let results = "benchmark,solver,configuration,status,cpu time,wallclock time,result,expected\n\
                   QF_UF/trivial/b0000.smt2,old,d,complete,100,100,sat,sat\n\
                   QF_UF/trivial/b0001.smt2,old,d,complete,0.1,0.1,unsat,unsat\n\
                   QF_UF/trivial/b0001.smt2,older,d,complete,0.2,0.2,unsat,unsat\n";
    world.write("2013.csv", results);
    let table = world.ok(&["library", "table", "-C", "c", "--results", "2013.csv"]);
    assert!(table.starts_with("1 100.00 sat sat null QF_UF QF_UF/trivial/b0000.smt2\n2 trivial unsat"), "{table}");
    assert_eq!(table.lines().count(), 6);
    let csv = world.ok(&["library", "table", "-C", "c", "--format", "csv"]);
    assert!(csv.starts_with("id,difficulty,expected,status,category,logic,path\n"), "{csv}");
    world.ok(&["seed", "-C", "c", "--index", "1"]);
    world.ok(&["select", "-C", "c"]);
    let selection = fs::read_to_string(world.path().join("c/selection.tsv")).unwrap();
    let line = |name: &str| selection.lines().find(|line| line.contains(name)).unwrap().to_owned();
    assert!(line("b0001").contains("trivial: all earlier runs") || line("b0001").contains("\tin\t"), "{selection}");
    // A correction changes the number; without the new table, nothing is selected.
    let file = world.path().join("library/non-incremental/QF_UF/trivial/b0000.smt2");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, format!("; corrected\n{text}")).unwrap();
    world.ok(&["library", "add", "-C", "c", "library"]);
    world.fails(&["select", "-C", "c"], 3, &["not in step with the library", "1 corrected", "agon library table"]);
    let updated = world.run(&["library", "table", "-C", "c"]);
    assert!(updated.stdout.starts_with("7 100.00 sat"), "{}", updated.stdout);
    assert!(updated.stderr.contains("version 2") && updated.stderr.contains("1 corrected"), "{}", updated.stderr);
    world.ok(&["select", "-C", "c"]);
    assert!(world.path().join("c/library/difficulty/1.txt").exists());
    // The site has the table, and its numbers by logic.
    enter(&world, "first", &["--magic", "4"]);
    enter(&world, "second", &["--magic", "5"]);
    go(&world);
    let page = fs::read_to_string(world.path().join("c/site/difficulty.html")).unwrap();
    assert!(page.contains("Version 2 of the table") && page.contains("<td>QF_UF</td>"), "{page}");
    assert_eq!(fs::read_to_string(world.path().join("c/site/data/difficulty.txt")).unwrap(), updated.stdout);
    let front = fs::read_to_string(world.path().join("c/site/index.html")).unwrap();
    assert!(front.contains("href=\"difficulty.html\""), "{front}");
}

#[test]
fn results_that_do_not_exist_are_not_published_and_a_directory_is_no_description() {
    let world = competition(4);
    world.fails(&["publish", "results", "-C", "c"], 3, &["has no prepared benchmarks and no results"]);
    assert!(!world.path().join("c/published").exists());
    let directory = world.path().join("solvers/first");
    let file = directory.join("entrant.toml");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("[commands]", "description = 'bin'\n[commands]")).unwrap();
    let added = world.run(&["entrant", "add", directory.to_str().unwrap(), "-C", "c"]);
    assert!(added.code == 0 && added.stderr.contains("'bin' is not a file"), "{}", added.stderr);
}

#[test]
fn recipes_name_every_solver_of_the_documents() {
    let world = competition(4);
    let rows = world.json(&["entrant", "list", "--available", "--format", "json"]);
    let place = |name: &str| {
        let rows = rows.as_array().unwrap();
        rows.iter().find(|row| row["name"] == name).map(|row| row["where"].as_str().unwrap_or_default().to_owned())
    };
    for name in ["z3", "cvc5", "cvc4", "yices", "bitwuzla", "boolector"] {
        assert!(place(name).is_some(), "{name}: {rows}");
    }
    for name in [
        "mathsat",
        "opensmt",
        "smtinterpol",
        "asterix",
        "comspen",
        "cyclist-sl",
        "harrsh",
        "s2s",
        "sleek",
        "slide",
        "slsat",
        "songbird",
        "spen",
    ] {
        assert!(place(name).unwrap().contains("download from https://"), "{name}: {rows}");
    }
    let directory = fake_solver(&world.path().join("released"), "mathsat-5.6", "x", ANSWER);
    fs::rename(directory.join("bin/solver"), directory.join("bin/mathsat")).unwrap();
    fs::remove_file(directory.join("entrant.toml")).unwrap();
    let add = |recipe: &str| {
        let directory = directory.to_str().unwrap();
        world.run(&[
            "entrant",
            "add",
            directory,
            "--recipe",
            recipe,
            "--solver-version",
            "5.6",
            "--magic",
            "3",
            "-C",
            "c",
        ])
    };
    let unknown = add("mathsta");
    assert!(unknown.code == 2 && unknown.stderr.contains("did you mean mathsat"), "{}", unknown.stderr);
    let added = add("mathsat");
    assert_eq!(added.code, 0, "{}", added.stderr);
    let list = world.json(&["entrant", "list", "-C", "c", "--format", "json"]);
    let entry = list.as_array().unwrap().iter().find(|row| row["name"] == "mathsat").unwrap();
    assert_eq!(
        (&entry["version"], &entry["team"]),
        (&"5.6".into(), &"Fondazione Bruno Kessler and University of Trento".into())
    );
}

#[test]
fn r08_2_18_and_r19_5_5_one_seed_draws_and_scrambles() {
    let world = competition(40);
    go(&world);
    let ledger = world.json(&["seed", "-C", "c", "--index", "1", "--format", "json"]);
    let seed = ledger["seed"].to_string();
    let table = fs::read_to_string(world.path().join("c/selection.tsv")).unwrap();
    assert!(table.starts_with(&format!("# seed {seed}\n")), "{table}");
    let benchmark = selected(&world);
    let file = world.path().join("library").join(&benchmark);
    let words = ["scramble", file.to_str().unwrap(), "--seed", &seed, "--track", "single-query"];
    let scrambled = world.ok(&words);
    let is_there = walk(&world.path().join("c/prepared/single-query"))
        .iter()
        .any(|file| fs::read_to_string(file).unwrap() == scrambled);
    assert!(is_there, "{scrambled}");
    let words = ["scramble", file.to_str().unwrap(), "--seed", "1", "--track", "single-query"];
    assert_ne!(seed, "1");
    assert!(!world.ok(&words).is_empty());
}

/// The files below a directory.
fn walk(directory: &std::path::Path) -> Vec<std::path::PathBuf> {
    let items = fs::read_dir(directory).unwrap().map(|item| item.unwrap().path());
    items.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[test]
fn r08_4_11_difficulties_given_by_hand_make_a_new_division_eligible() {
    let world = World::new(AGON);
    for at in 0..4 {
        let text = format!(
            "(benchmark b :logic QF_UF :status sat :category {{ crafted }} :extrapreds ((p{at})) :formula p{at})"
        );
        world.write(&format!("library/non-incremental/QF_UF/f/{at}.smt"), &text);
    }
    world.ok(&["init", "c", "--rules", "smtcomp-2008"]);
    world.ok(&["library", "add", "-C", "c", "library"]);
    world.ok(&["seed", "-C", "c", "--index", "1"]);
    let chosen = |options: &[&str]| {
        world.ok(&[&["select", "-C", "c"], options].concat());
        let table = fs::read_to_string(world.path().join("c/selection.tsv")).unwrap();
        table.lines().filter(|line| line.contains("\tin\t")).count()
    };
    assert_eq!(chosen(&[]), 0);
    world.write("difficulty.csv", "benchmark,difficulty\nQF_UF/f/0.smt,3\nQF_UF/f/1.smt,0\n");
    assert_eq!(chosen(&["--difficulty", "difficulty.csv"]), 2);
}
