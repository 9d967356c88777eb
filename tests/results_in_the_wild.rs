//! Result files with the oddities of real ones: absent values, other spellings, odd archives, sizes beyond all sense.

use agon_testkit::World;
use serde_json::Value;
use std::collections::BTreeSet;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

fn table(lines: &[&str]) -> String {
    let headings = "benchmark,solver,status,cpu time,wallclock time,result,expected";
    [&[headings], lines].concat().join("\n") + "\n"
}

/// An entry of the JSON of SMT-COMP since 2024.
fn entry(track: &str, solver: &str, name: &str) -> String {
    format!(
        "{{\"track\":\"{track}\",\"solver\":\"{solver}\",\"file\":{{\"logic\":\"QF_BV\",\"family\":[],\"name\":\"{name}\"}},\
         \"result\":\"sat\",\"cpu_time\":1,\"wallclock_time\":1,\"nb_answers\":1}}"
    )
}

fn json_of(entries: &[String]) -> String {
    format!("{{\"results\":[\n{}\n]}}", entries.join(",\n"))
}

fn score(world: &World, rules: &str, words: &[&str]) -> Value {
    world.json(&[&["score", "--rules", rules, "--format", "json"], words].concat())
}

fn solvers(scores: &Value, division: &str) -> BTreeSet<String> {
    let divisions = scores["divisions"].as_array().unwrap();
    let found = divisions.iter().find(|found| found["name"] == division).unwrap();
    let rows = found["rankings"]["parallel"].as_array().unwrap();
    rows.iter().map(|row| row["solver"].as_str().unwrap().to_owned()).collect()
}

/// Writes a zip whose members have these names and contents, in this order.
fn zip(world: &World, file: &str, members: &[(&str, &str)]) {
    let script = "import json, sys, warnings, zipfile\n\
        warnings.simplefilter('ignore')\n\
        with zipfile.ZipFile(sys.argv[1], 'w') as archive:\n\
        \x20   for name, text in json.loads(sys.argv[2]): archive.writestr(name, text)\n";
    let members = serde_json::to_string(members).unwrap();
    let made = std::process::Command::new("python3")
        .args(["-c", script, file, &members])
        .current_dir(world.path())
        .status()
        .unwrap();
    assert!(made.success());
}

const A: &str = "QF_BV/a.smt2,A,complete,1,1,sat,sat";

#[test]
fn solvers_without_runs_and_unmeasured_times_survive_an_export() {
    let world = World::new(AGON);
    world.write(
        "results.csv",
        &table(&[A, "QF_BV/b.smt2,A,complete,-1,2,sat,sat", "QF_BV/c.smt2,A,complete,3,-1,sat,sat"]),
    );
    world.write("solvers.csv", "Solver Name,Competing,Single Query Track\nA,yes,QF_BV\nB,yes,QF_BV\n");
    world.ok(&["import", "auto", "results.csv", "solvers.csv", "--to", "own.csv"]);
    let own = std::fs::read_to_string(world.path().join("own.csv")).unwrap();
    assert_eq!(own.lines().filter(|line| line.contains("-1")).count(), 2, "{own}");
    for mode in [&[][..], &["--as-published"]] {
        let before = score(&world, "smtcomp-2019", &[&["results.csv", "solvers.csv"], mode].concat());
        let after = score(&world, "smtcomp-2019", &[&["own.csv"], mode].concat());
        assert_eq!(before, after, "{mode:?}");
    }
    let notes = world.run(&["score", "--rules", "smtcomp-2019", "own.csv"]).stderr;
    assert!(notes.contains("1 runs have no CPU time") && notes.contains("1 runs have no wall-clock time"), "{notes}");
}

#[test]
fn rows_without_runs_are_left_out_of_published_tables() {
    let world = World::new(AGON);
    world.write("results.json", &json_of(&[entry("SingleQuery", "A", "a.smt2")]));
    world.write("a.json", "{\"name\":\"A\"}");
    world
        .write("b.json", "{\"name\":\"B\",\"participations\":[{\"tracks\":[\"SingleQuery\"],\"logics\":[\"QF_BV\"]}]}");
    let files = ["results.json", "a.json", "b.json"];
    for rules in ["smtcomp-2024", "smtcomp-2025"] {
        assert_eq!(solvers(&score(&world, rules, &files), "QF_Bitvec").len(), 2, "{rules}");
        let published = score(&world, rules, &[&files[..], &["--as-published"]].concat());
        assert_eq!(solvers(&published, "QF_Bitvec"), ["A".to_owned()].into(), "{rules}");
    }
}

#[test]
fn registrations_are_read_under_the_rulebook_that_scores_them() {
    let world = World::new(AGON);
    world.write("results.csv", &table(&["QF_BV/a.smt2,A,complete,1,1,sat,sat", "UF/a.smt2,A,complete,1,1,sat,sat"]));
    world.write("a.json", "{\"name\":\"A\"}");
    // The division exists since 2021; before, divisions were logics.
    world.write(
        "b.json",
        "{\"name\":\"B\",\"participations\":[{\"tracks\":[\"SingleQuery\"],\"divisions\":[\"QF_Bitvec\"]}]}",
    );
    let files = ["results.csv", "a.json", "b.json"];
    assert_eq!(solvers(&score(&world, "smtcomp-2024", &files), "QF_Bitvec").len(), 2);
    assert_eq!(solvers(&score(&world, "smtcomp-2019", &files), "QF_BV").len(), 1);
}

#[test]
fn a_stated_track_is_believed_and_two_are_refused() {
    let world = World::new(AGON);
    let one = |track: &str| entry(track, "A", "a.smt2");
    world.write("parallel.json", &json_of(&[one("Parallel")]));
    let scores = score(&world, "smtcomp-2024", &["parallel.json"]);
    assert_eq!(scores["track"], "parallel");
    let other = ["score", "--rules", "smtcomp-2024", "--track", "single-query", "parallel.json"];
    world.fails(&other, 2, &["parallel"]);
    world.write("mixed.json", &json_of(&[one("Parallel"), one("SingleQuery")]));
    world.fails(&["score", "--rules", "smtcomp-2024", "mixed.json"], 1, &["mixed.json"]);
    world.write("single.json", &json_of(&[entry("SingleQuery", "A", "b.smt2")]));
    world.fails(&["score", "--rules", "smtcomp-2024", "parallel.json", "single.json"], 1, &["single.json"]);
    world.write("odd.json", &json_of(&[one("Marathon")]));
    world.fails(
        &["score", "--rules", "smtcomp-2024", "odd.json"],
        1,
        &["odd.json:2: entry 1: unknown track 'Marathon'"],
    );
    world.write("b.json", "{\"name\":\"B\",\"participations\":[{\"tracks\":[\"Marathon\"],\"logics\":[\"QF_BV\"]}]}");
    world.fails(
        &["score", "--rules", "smtcomp-2024", "parallel.json", "b.json"],
        1,
        &["b.json", "unknown track 'Marathon'"],
    );
}

#[test]
fn an_entry_of_another_shape_is_one_bad_entry() {
    let world = World::new(AGON);
    let bad = "{\"track\":\"SingleQuery\",\"solver\":7}".to_owned();
    world.write(
        "results.json",
        &json_of(&[entry("SingleQuery", "A", "a.smt2"), bad, entry("SingleQuery", "A", "b.smt2")]),
    );
    let words = ["score", "--rules", "smtcomp-2024", "results.json"];
    world.fails(&words, 1, &["results.json:3: entry 2: invalid type: integer `7`"]);
    let kept = world.json(&[&words[..], &["--set-aside", "--format", "json"]].concat());
    assert_eq!(kept["divisions"][0]["rankings"]["parallel"][0]["correct"], 2, "{kept}");
}

#[test]
fn counts_beyond_all_files_are_refused() {
    let world = World::new(AGON);
    world.write("results.csv", &table(&[A]));
    world.write("queries.csv", "benchmark,num_check_sat\nQF_BV/a.smt2,99999999999\n");
    world.fails(&["score", "--rules", "smtcomp-2019", "results.csv", "queries.csv"], 1, &["queries.csv:2: ", "2^32"]);
    world.write("results.json", &json_of(&[entry("UnsatCore", "A", "a.smt2")]));
    world.write(
        "benchmarks.json",
        "{\"non_incremental\":[{\"file\":{\"logic\":\"QF_BV\",\"name\":\"a.smt2\"},\"asserts\":18446744073709551615}],\
         \"incremental\":[]}",
    );
    world.fails(
        &["score", "--rules", "smtcomp-2024", "results.json", "benchmarks.json"],
        1,
        &["benchmarks.json", "asserts is not a number below 2^32"],
    );
}

#[test]
fn a_line_without_end_is_refused() {
    let world = World::new(AGON);
    world.write("results.csv", &(table(&[A]) + &"x".repeat(17 << 20)));
    world.fails(&["score", "--rules", "smtcomp-2019", "results.csv"], 1, &["results.csv", "longer than 16 MB"]);
}

#[test]
fn a_byte_order_mark_and_blanks_are_not_data() {
    let world = World::new(AGON);
    world.write("results.csv", &table(&[A]));
    let plain = score(&world, "smtcomp-2019", &["results.csv"]);
    world.write("marked.csv", &format!("\u{feff}{}", table(&[A])));
    assert_eq!(score(&world, "smtcomp-2019", &["marked.csv"]), plain);
    world.write("marked.json", &format!("\u{feff}{}", json_of(&[entry("SingleQuery", "A", "a.smt2")])));
    score(&world, "smtcomp-2024", &["marked.json"]);
    // -1 has many spellings.
    for absent in ["-1", "-1.0", "-1.00", "-1e0"] {
        world.write("absent.csv", &table(&[&A.replace(",1,1,", &format!(",{absent},1,"))]));
        let ran = world.run(&["score", "--rules", "smtcomp-2019", "absent.csv"]);
        assert!(ran.code == 0 && ran.stderr.contains("1 runs have no CPU time"), "{absent}: {ran:?}");
    }
}

#[test]
fn a_registry_with_short_lines_is_refused() {
    let world = World::new(AGON);
    world.write("results.csv", &table(&[A]));
    world.write("solvers.csv", "Solver Name,Competing,Single Query Track\nA,yes\n");
    world.fails(&["score", "--rules", "smtcomp-2019", "results.csv", "solvers.csv"], 1, &["solvers.csv:2: "]);
}

#[test]
fn members_of_archives_stay_below_them() {
    let world = World::new(AGON);
    let (a, b) = (table(&[A]), table(&["QF_BV/b.smt2,A,complete,1,1,sat,sat"]));
    // Of two members with one name only one could be read.
    zip(&world, "twice.zip", &[("x.csv", &a), ("x.csv", &b)]);
    world.fails(&["score", "--rules", "smtcomp-2019", "twice.zip"], 1, &["twice.zip", "have the same name"]);
    // A name that climbs out is a name for messages, below the archive.
    let bad = table(&["QF_BV/a.smt2,A,exploded,1,1,sat,sat"]);
    for name in ["../../etc/passwd.csv", "/etc/passwd.csv"] {
        zip(&world, "climbs.zip", &[(name, &bad)]);
        world.fails(&["score", "--rules", "smtcomp-2019", "climbs.zip"], 1, &["climbs.zip/etc/passwd.csv:2: "]);
    }
}

#[test]
fn messages_do_not_reach_the_terminal_raw() {
    let world = World::new(AGON);
    world.write("results.csv", &table(&["QF_BV/a.smt2,A,\u{1b}[31mred,1,1,sat,sat"]));
    let ran = world.run(&["score", "--rules", "smtcomp-2019", "results.csv"]);
    assert!(ran.code == 1 && ran.stderr.contains("[31mred") && !ran.stderr.contains('\u{1b}'), "{ran:?}");
}

#[test]
fn words_of_benchexec_are_understood() {
    let world = World::new(AGON);
    let run = |name: &str, status: &str| {
        format!(
            "<run name=\"QF_BV/{name}.smt2\">\n<column title=\"status\" value=\"{status}\"/>\n\
             <column title=\"cputime\" value=\"1s\"/><column title=\"walltime\" value=\"1s\"/></run>\n"
        )
    };
    let runs = [
        run("a", "ERROR (1)"),
        run("b", "KILLED BY SIGNAL 9"),
        run("c", "SEGMENTATION FAULT"),
        run("d", "ABORTED"),
        run("e", "EXCEPTION"),
        run("f", "ASSERTION"),
        run("g", "OUT OF MEMORY"),
        run("h", "OUT OF JAVA MEMORY"),
    ];
    world.write("runs.xml", &format!("<result tool=\"A\">\n{}</result>\n", runs.concat()));
    let scores = score(&world, "smtcomp-2019", &["runs.xml"]);
    let row = &scores["divisions"][0]["rankings"]["parallel"][0];
    assert_eq!((&row["memout"], &row["error"], &row["correct"]), (&2.into(), &0.into(), &0.into()), "{row}");
    world.write("nameless.xml", &format!("<result tool=\"\">\n{}</result>\n", run("a", "true")));
    world.fails(&["score", "--rules", "smtcomp-2019", "nameless.xml"], 1, &["nameless.xml:2: the tool has no name"]);
}

#[test]
fn statuses_that_nobody_knows_are_noted() {
    let world = World::new(AGON);
    world.write("results.csv", &table(&["QF_BV/a.smt2,A,complete,1,1,sat,starexec-unknown"]));
    let ran = world.run(&["score", "--rules", "smtcomp-2019", "results.csv"]);
    assert!(ran.code == 0 && ran.stderr.contains("no benchmark has a known status"), "{ran:?}");
}

#[test]
fn solvers_without_runs_do_not_hide_the_only_one_with_runs() {
    let world = World::new(AGON);
    let run = |solver: &str, result: &str| table(&[&format!("QF_BV/a.smt2,{solver},complete,1,1,{result},sat")]);
    world.write("before.csv", &run("old", "sat"));
    world.write("after.csv", &run("new", "starexec-unknown"));
    world.write("solvers.csv", "Solver Name,Competing,Single Query Track\nold,yes,QF_BV\nother,yes,QF_BV\n");
    world.ok(&["import", "auto", "before.csv", "solvers.csv", "--to", "own.csv"]);
    let compared = world.run(&["compare", "own.csv", "after.csv"]);
    assert!(compared.code == 1 && compared.stderr.contains("1 lost"), "{compared:?}");
}
