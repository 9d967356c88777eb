//! Results files with the oddities of real ones: missing values, variant spellings, odd archives, absurd sizes.

use agon_testkit::World;
use serde_json::Value;
use std::collections::BTreeSet;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

fn table(lines: &[&str]) -> String {
    let headings = "benchmark,solver,status,cpu time,wallclock time,result,expected";
    [&[headings], lines].concat().join("\n") + "\n"
}

/// An entry of the JSON results of SMT-COMP since 2024.
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

/// Writes a zip archive with these members (name and content), in this order.
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
fn registrations_are_interpreted_under_the_scoring_rulebook() {
    let world = World::new(AGON);
    world.write("results.csv", &table(&["QF_BV/a.smt2,A,complete,1,1,sat,sat", "UF/a.smt2,A,complete,1,1,sat,sat"]));
    world.write("a.json", "{\"name\":\"A\"}");
    // This division exists since 2021; before that, divisions were logics.
    world.write(
        "b.json",
        "{\"name\":\"B\",\"participations\":[{\"tracks\":[\"SingleQuery\"],\"divisions\":[\"QF_Bitvec\"]}]}",
    );
    let files = ["results.csv", "a.json", "b.json"];
    assert_eq!(solvers(&score(&world, "smtcomp-2024", &files), "QF_Bitvec").len(), 2);
    assert_eq!(solvers(&score(&world, "smtcomp-2019", &files), "QF_BV").len(), 1);
}

#[test]
fn the_stated_track_is_used_and_mixed_tracks_are_rejected() {
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
fn a_malformed_json_entry_does_not_affect_the_others() {
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
fn counts_above_the_maximum_are_rejected() {
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
fn an_overlong_line_is_rejected() {
    let world = World::new(AGON);
    world.write("results.csv", &(table(&[A]) + &"x".repeat(17 << 20)));
    world.fails(&["score", "--rules", "smtcomp-2019", "results.csv"], 1, &["results.csv", "longer than 16 MB"]);
}

#[test]
fn byte_order_marks_and_spellings_of_minus_one_are_accepted() {
    let world = World::new(AGON);
    world.write("results.csv", &table(&[A]));
    let plain = score(&world, "smtcomp-2019", &["results.csv"]);
    world.write("marked.csv", &format!("\u{feff}{}", table(&[A])));
    assert_eq!(score(&world, "smtcomp-2019", &["marked.csv"]), plain);
    world.write("marked.json", &format!("\u{feff}{}", json_of(&[entry("SingleQuery", "A", "a.smt2")])));
    score(&world, "smtcomp-2024", &["marked.json"]);
    // All spellings of -1 mean that a time was not measured.
    for absent in ["-1", "-1.0", "-1.00", "-1e0"] {
        world.write("absent.csv", &table(&[&A.replace(",1,1,", &format!(",{absent},1,"))]));
        let ran = world.run(&["score", "--rules", "smtcomp-2019", "absent.csv"]);
        assert!(ran.code == 0 && ran.stderr.contains("1 runs have no CPU time"), "{absent}: {ran:?}");
    }
}

#[test]
fn a_registry_with_missing_cells_is_rejected() {
    let world = World::new(AGON);
    world.write("results.csv", &table(&[A]));
    world.write("solvers.csv", "Solver Name,Competing,Single Query Track\nA,yes\n");
    world.fails(&["score", "--rules", "smtcomp-2019", "results.csv", "solvers.csv"], 1, &["solvers.csv:2: "]);
}

#[test]
fn archive_members_have_unique_names_below_the_archive() {
    let world = World::new(AGON);
    let (a, b) = (table(&[A]), table(&["QF_BV/b.smt2,A,complete,1,1,sat,sat"]));
    // Of two members with the same name only one could be read.
    zip(&world, "twice.zip", &[("x.csv", &a), ("x.csv", &b)]);
    world.fails(&["score", "--rules", "smtcomp-2019", "twice.zip"], 1, &["twice.zip", "have the same name"]);
    // Messages show a member that would extract outside as a path below the archive.
    let bad = table(&["QF_BV/a.smt2,A,exploded,1,1,sat,sat"]);
    for name in ["../../etc/passwd.csv", "/etc/passwd.csv"] {
        zip(&world, "climbs.zip", &[(name, &bad)]);
        world.fails(&["score", "--rules", "smtcomp-2019", "climbs.zip"], 1, &["climbs.zip/etc/passwd.csv:2: "]);
    }
}

#[test]
fn control_characters_are_removed_from_messages() {
    let world = World::new(AGON);
    world.write("results.csv", &table(&["QF_BV/a.smt2,A,\u{1b}[31mred,1,1,sat,sat"]));
    let ran = world.run(&["score", "--rules", "smtcomp-2019", "results.csv"]);
    assert!(ran.code == 1 && ran.stderr.contains("[31mred") && !ran.stderr.contains('\u{1b}'), "{ran:?}");
}

#[test]
fn benchexec_statuses_are_recognized() {
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
    let message = "nameless.xml:2: the name of the tool is empty";
    world.fails(&["score", "--rules", "smtcomp-2019", "nameless.xml"], 1, &[message]);
}

#[test]
fn a_note_is_printed_if_no_status_is_known() {
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

#[test]
fn a_list_of_benchmarks_excludes_only_if_named_explicitly() {
    let world = World::new(AGON);
    let both = table(&["QF_BV/f/a.smt2,A,complete,1,1,sat,sat", "QF_BV/f/b.smt2,A,complete,1,1,sat,sat"]);
    std::fs::create_dir(world.path().join("jobs")).unwrap();
    world.write("jobs/results.csv", &both);
    world.write("jobs/selected.txt", "QF_BV/f/a.smt2\nQF_BV/f/z.smt2\n");
    let score = ["score", "--rules", "smtcomp-2019"];
    let whole = world.run(&[&score[..], &["jobs"]].concat());
    assert!(whole.code == 0 && whole.stderr.contains("selected.txt: skipped"), "{whole:?}");
    assert_eq!(self::score(&world, "smtcomp-2019", &["jobs"])["divisions"][0]["benchmarks"], 2);
    let named = world.run(&[&score[..], &["jobs/results.csv", "jobs/selected.txt"]].concat());
    for note in ["1 runs on 1 benchmarks are left out", "1 lines of the list match no benchmark"] {
        assert!(named.code == 0 && named.stderr.contains(note), "{named:?}");
    }
    world.write("all.txt", "QF_BV/f/a.smt2\nQF_BV/f/b.smt2\n");
    world.fails(&[&score[..], &["jobs/results.csv", "all.txt"]].concat(), 1, &["nothing left to score"]);
    world.fails(&["import", "auto", "jobs/results.csv", "all.txt", "--to", "x.csv"], 1, &["nothing left to import"]);
    let report =
        ["report", "--from", "jobs/results.csv", "--from", "all.txt", "--rules", "smtcomp-2019", "--to", "site"];
    world.fails(&report, 1, &["nothing left to report"]);
}

#[test]
fn impossible_counts_are_rejected() {
    let world = World::new(AGON);
    let core = |solver: &str, more: &str| {
        format!(
            "{{\"track\":\"UnsatCore\",\"solver\":\"{solver}\",\"file\":{{\"logic\":\"QF_UF\",\"name\":\"a.smt2\"}},\
             \"result\":\"unsat\",\"cpu_time\":1,\"wallclock_time\":1{more}}}"
        )
    };
    world.write(
        "list.json",
        "{\"non_incremental\":[{\"file\":{\"logic\":\"QF_UF\",\"name\":\"a.smt2\"},\"status\":\"unsat\",\"asserts\":10}],\
         \"incremental\":[]}",
    );
    for more in ["", ",\"nb_answers\":null"] {
        world.write("cores.json", &json_of(&[core("A", ",\"nb_answers\":3"), core("B", more)]));
        let words = ["score", "--rules", "smtcomp-2024", "cores.json", "list.json"];
        world.fails(&words, 1, &["cores.json:3: entry 2: nb_answers is missing"]);
    }
    // The list of 2024 has too few assertions for some benchmarks, so this is only noted.
    world.write("cores.json", &json_of(&[core("A", ",\"nb_answers\":3000")]));
    let ran = world.run(&["score", "--rules", "smtcomp-2024", "cores.json", "list.json"]);
    assert!(ran.code == 0 && ran.stderr.contains("1 unsat cores are larger"), "{ran:?}");
    let headings = "benchmark,solver,status,cpu time,wallclock time,result,expected";
    world.write(
        "reductions.csv",
        &format!(
            "{headings},reduction,result-is-erroneous,number-of-assert-commands\n\
             QF_UF/a.smt2,A,complete,1,1,unsat,unsat,700,0,9\n"
        ),
    );
    world.fails(
        &["score", "--rules", "smtcomp-2019", "reductions.csv"],
        1,
        &["reductions.csv:2: a reduction of 700, but"],
    );
    let answers = |cells: &str| {
        format!("{headings},correct-answers,wrong-answers,num_check_sat\nQF_UF/a.smt2,A,complete,1,1,--,--,{cells}\n")
    };
    world.write("queries.csv", &answers("5000,0,10"));
    world.fails(&["score", "--rules", "smtcomp-2019", "queries.csv"], 1, &["queries.csv:2: 5000 answers, but"]);
    // Columns that scoring needs together.
    for (column, missing) in [("correct-answers", "wrong-answers"), ("wrong-answers", "correct-answers")] {
        world.write("one.csv", &format!("{headings},{column},num_check_sat\nQF_UF/a.smt2,A,complete,1,1,--,--,7,9\n"));
        world.fails(&["score", "--rules", "smtcomp-2019", "one.csv"], 2, &[&format!("no column '{missing}'")]);
    }
    world.write("one.csv", &format!("{headings},reduction\nQF_UF/a.smt2,A,complete,1,1,unsat,unsat,7\n"));
    world.fails(&["score", "--rules", "smtcomp-2019", "one.csv"], 2, &["no column 'result-is-erroneous'"]);
}

#[test]
fn imports_keep_the_track_unchecked_proofs_and_entries_by_division() {
    let world = World::new(AGON);
    for (track, rules) in [("ProofExhibition", "smtcomp-2023"), ("Parallel", "smtcomp-2024"), ("Cloud", "smtcomp-2024")]
    {
        world.write("results.json", &json_of(&[entry(track, "A", "a.smt2").replace("\"sat\"", "\"unsat\"")]));
        world.ok(&["import", "auto", "results.json", "--to", "own.csv"]);
        assert_eq!(score(&world, rules, &["results.json"]), score(&world, rules, &["own.csv"]), "{track}");
    }
    world.write("one.csv", &table(&[A]));
    world.write("a.json", "{\"name\":\"A\"}");
    world.write(
        "b.json",
        "{\"name\":\"B\",\"participations\":[{\"tracks\":[\"SingleQuery\"],\"divisions\":[\"QF_Bitvec\"]}]}",
    );
    world.ok(&["import", "auto", "one.csv", "a.json", "b.json", "--to", "own.csv"]);
    assert_eq!(solvers(&score(&world, "smtcomp-2024", &["own.csv"]), "QF_Bitvec").len(), 2);
}

#[test]
fn facts_about_a_solver_do_not_depend_on_the_order_of_files() {
    let world = World::new(AGON);
    world.write(
        "one.csv",
        "benchmark,logic,solver,team,competing,derived from,status,cpu time,wallclock time,result,expected\n\
         QF_BV/a.smt2,QF_BV,D,D,yes,Base,complete,30,30,sat,sat\n\
         QF_BV/a.smt2,QF_BV,Base,Base,no,,complete,31,31,sat,sat\n\
         QF_BV/a.smt2,QF_BV,O,O,yes,,complete,60,60,sat,sat\n",
    );
    world.write(
        "two.csv",
        "benchmark,logic,solver,team,competing,status,cpu time,wallclock time,result,expected\n\
         QF_LIA/a.smt2,QF_LIA,D,D,yes,complete,30,30,sat,sat\n",
    );
    let one = score(&world, "smtcomp-2026", &["one.csv", "two.csv"]);
    assert_eq!(one, score(&world, "smtcomp-2026", &["two.csv", "one.csv"]));
    assert_eq!(
        one["divisions"].as_array().unwrap().iter().find(|d| d["name"] == "QF_Bitvec").unwrap()["winners"]["parallel"],
        "O"
    );
    world.write(
        "three.csv",
        "benchmark,solver,competing,status,cpu time,wallclock time,result,expected\n\
         QF_UF/a.smt2,D,no,complete,30,30,sat,sat\n",
    );
    world.fails(
        &["score", "--rules", "smtcomp-2026", "one.csv", "three.csv"],
        1,
        &["three.csv:2: 'competing' of the solver 'D' differs from an earlier line"],
    );
}

#[test]
fn lists_are_merged_and_contradictions_are_errors() {
    let world = World::new(AGON);
    world.write(
        "results.csv",
        &table(&[
            "QF_BV/f/a.smt2,A,complete,1,1,sat,starexec-unknown",
            "QF_BV/f/a.smt2,B,complete,1,1,unsat,starexec-unknown",
        ]),
    );
    let list = |status: &str, asserts: u64| {
        format!(
            "{{\"non_incremental\":[{{\"file\":{{\"logic\":\"QF_BV\",\"family\":[\"f\"],\"name\":\"a.smt2\"}},\
             \"status\":\"{status}\",\"asserts\":{asserts}}}],\"incremental\":[]}}"
        )
    };
    for (file, status, asserts) in
        [("sat", "sat", 1), ("unknown", "unknown", 1), ("unsat", "unsat", 1), ("other", "sat", 2)]
    {
        world.write(&format!("{file}.json"), &list(status, asserts));
    }
    let alone = score(&world, "smtcomp-2024", &["results.csv", "sat.json"]);
    assert_eq!(score(&world, "smtcomp-2024", &["results.csv", "sat.json", "unknown.json"]), alone);
    assert_eq!(score(&world, "smtcomp-2024", &["results.csv", "unknown.json", "sat.json"]), alone);
    let words = ["score", "--rules", "smtcomp-2024", "results.csv", "sat.json"];
    world.fails(
        &[&words[..], &["unsat.json"]].concat(),
        1,
        &["unsat.json:1: entry 1: the status is unsat here, but sat"],
    );
    world.fails(&[&words[..], &["other.json"]].concat(), 1, &["other.json:1: entry 1: 2 assertions here, but 1"]);
    world.write("stated.csv", &table(&["QF_BV/f/a.smt2,A,complete,1,1,sat,unsat"]));
    world.fails(&["score", "--rules", "smtcomp-2024", "stated.csv", "sat.json"], 1, &["stated.csv:2: ", "in a list"]);
    // A decision of the organizers overrides both.
    world.write("decided.csv", "benchmark,status\nQF_BV/f/a.smt2,unsat\n");
    score(&world, "smtcomp-2024", &["stated.csv", "sat.json", "decided.csv"]);
}

#[test]
fn compare_uses_the_statuses_of_both_sides() {
    let world = World::new(AGON);
    let with = |expected: &str| table(&[&format!("QF_BV/a.smt2,A,complete,1,-1,sat,{expected}")]);
    world.write("known.csv", &with("unsat"));
    world.write("unknown.csv", &with("starexec-unknown"));
    world.write("other.csv", &with("sat"));
    for (before, after) in [("known.csv", "unknown.csv"), ("unknown.csv", "known.csv")] {
        let ran = world.run(&["compare", before, after, "--format", "json"]);
        assert!(ran.code == 0 && ran.stdout.trim() == "[]", "{ran:?}");
    }
    world.fails(
        &["compare", "known.csv", "other.csv"],
        2,
        &["QF_BV/a.smt2 is expected to be unsat before and sat after"],
    );
    world.write("bad.csv", &(with("unsat") + "QF_BV/b.smt2,A,exploded,1,1,sat,sat\n"));
    world.fails(&["compare", "bad.csv", "known.csv"], 1, &["bad.csv:3: "]);
    assert_eq!(world.run(&["compare", "bad.csv", "known.csv", "--set-aside"]).code, 0);
}

#[test]
fn different_paths_of_a_benchmark_are_unified_with_the_right_logic() {
    let world = World::new(AGON);
    world.write(
        "directories.csv",
        &table(&[
            "/home/u/SAT/QF_BV/f/a.smt2,A,complete,1,1,sat,sat",
            "/data/T/QF_BV/f/b.smt2,A,complete,1,1,sat,sat",
            "QF_BV//f/./c.smt2,A,complete,1,1,sat,sat",
            "/mine/d.smt2,A,complete,1,1,sat,sat",
        ]),
    );
    world.write("plain.csv", &table(&["QF_BV/f/c.smt2,B,complete,1,1,sat,sat", "mine/d.smt2,B,complete,1,1,sat,sat"]));
    let scores = score(&world, "smtcomp-2019", &["directories.csv", "plain.csv"]);
    let sizes: Vec<(&str, u64)> = scores["divisions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|division| (division["name"].as_str().unwrap(), division["benchmarks"].as_u64().unwrap()))
        .collect();
    assert_eq!(sizes, [("QF_BV", 3), ("mine", 1)]);
    world.write(
        "stated.csv",
        "benchmark,logic,solver,status,cpu time,wallclock time,result,expected\n\
         Space/QF_BV/a.smt2,QF_BV,A,complete,1,1,sat,sat\n",
    );
    world.write("unstated.csv", &table(&["Space/QF_BV/a.smt2,B,complete,1,1,sat,sat"]));
    let scores = score(&world, "smtcomp-2019", &["stated.csv", "unstated.csv"]);
    assert_eq!(scores["divisions"][0]["benchmarks"], 1, "{scores}");
    world.ok(&["compare", "stated.csv", "unstated.csv"]);
    let entry =
        entry("SingleQuery", "A", "a.smt2").replace("\"QF_BV\",\"family\":[]", "\"MyLogic\",\"family\":[\"QF_BV\"]");
    world.write("results.json", &json_of(&[entry]));
    let scores = score(&world, "smtcomp-2019", &["results.json"]);
    assert_eq!(scores["divisions"][0]["name"], "MyLogic", "{scores}");
}

#[test]
fn solvers_with_the_same_name_are_distinguished() {
    let world = World::new(AGON);
    world.write(
        "ids.csv",
        "benchmark,solver,solver id,configuration,configuration id,status,cpu time,wallclock time,result,expected\n\
         QF_BV/a.smt2,z3,1,default,11,complete,1,1,sat,sat\n\
         QF_BV/a.smt2,z3,2,default,12,complete,2,2,sat,sat\n",
    );
    let names = solvers(&score(&world, "smtcomp-2019", &["ids.csv"]), "QF_BV");
    assert_eq!(names, ["z3 (11)".to_owned(), "z3 (12)".to_owned()].into());
    let run = "<run name=\"QF_BV/a.smt2\"><column title=\"status\" value=\"true\"/>\
        <column title=\"cputime\" value=\"1s\"/><column title=\"walltime\" value=\"1s\"/></run>";
    for name in ["fast", "slow"] {
        world.write(&format!("{name}.xml"), &format!("<result tool=\"Z3\" name=\"{name}\">{run}</result>\n"));
    }
    let names = solvers(&score(&world, "smtcomp-2019", &["fast.xml", "slow.xml"]), "QF_BV");
    assert_eq!(names, ["Z3 (fast)".to_owned(), "Z3 (slow)".to_owned()].into());
    world.write("nightly.csv", &table(&[A, "QF_BV/a.smt2,Z3 (nightly),complete,1,1,sat,sat"]));
    world.write(
        "solvers.csv",
        "Solver Name,Competing,Single Query Track\nA,yes,QF_BV\nZ3,yes,QF_BV\nZ3 (nightly),yes,QF_BV\n",
    );
    assert_eq!(solvers(&score(&world, "smtcomp-2019", &["nightly.csv", "solvers.csv"]), "QF_BV").len(), 3);
    // Spaces around a name are ignored.
    world.write("blanks.json", &json_of(&[entry("SingleQuery", "A", "a.smt2"), entry("SingleQuery", "A ", "b.smt2")]));
    assert_eq!(solvers(&score(&world, "smtcomp-2024", &["blanks.json"]), "QF_Bitvec").len(), 1);
    world.write("nameless.json", "{\"name\":\" \"}");
    let words = ["score", "--rules", "smtcomp-2024", "blanks.json", "nameless.json"];
    world.fails(&words, 1, &["the name of the solver is empty"]);
}

#[test]
fn skipped_files_are_reported() {
    let world = World::new(AGON);
    let path = |name: &str| world.path().join(name);
    std::fs::create_dir_all(path("g/m")).unwrap();
    std::fs::create_dir(path("elsewhere")).unwrap();
    world.write("g/a.csv", &table(&[A]));
    world.write("g/m/b.csv", &table(&["QF_BV/b.smt2,A,complete,1,1,sat,sat"]));
    for pattern in ["g/**", "g/**/*", "g"] {
        let scores = score(&world, "smtcomp-2019", &[pattern]);
        assert_eq!(scores["divisions"][0]["benchmarks"], 2, "{pattern}: {scores}");
    }
    std::os::unix::fs::symlink("../elsewhere", path("g/linked")).unwrap();
    std::os::unix::fs::symlink("nowhere", path("g/gone.csv")).unwrap();
    world.write("g/twice.csv", "benchmark,solver,cpu time,result,result\nx,y,1,sat,sat\n");
    let ran = world.run(&["score", "--rules", "smtcomp-2019", "g"]);
    for reason in
        ["g/linked: skipped", "link to a directory", "g/gone.csv: skipped", "broken link", "two of its columns"]
    {
        assert!(ran.stderr.contains(reason), "{reason}: {ran:?}");
    }
    std::fs::remove_file(path("g/a.csv")).unwrap();
    std::fs::remove_dir_all(path("g/m")).unwrap();
    world.fails(&["score", "--rules", "smtcomp-2019", "g"], 1, &["no results in these files", "two of its columns"]);
    zip(&world, "r.zip", &[("x.csv", &table(&[A]))]);
    let packed = std::process::Command::new("gzip").args(["-k", "r.zip"]).current_dir(world.path()).status().unwrap();
    assert!(packed.success());
    world.fails(&["score", "--rules", "smtcomp-2019", "r.zip.gz"], 1, &["itself compressed"]);
}

#[test]
fn messages_on_malformed_tables_are_bounded_and_have_the_right_lines() {
    let world = World::new(AGON);
    world.write("many.csv", &(table(&[A]) + &"x\n".repeat(20_000)));
    world.fails(&["score", "--rules", "smtcomp-2019", "many.csv"], 1, &["and 19980 more", "20000 malformed lines"]);
    world.write("long.json", &format!("{{\"results\":[\"{}\"]}}", "a".repeat(1 << 20)));
    let ran = world.run(&["score", "--rules", "smtcomp-2024", "long.json"]);
    assert!(ran.code == 1 && ran.stderr.len() < 4096, "{} bytes", ran.stderr.len());
    world.write("marked.csv", &format!("\u{feff}{}x\ny\n", table(&[])));
    world.fails(&["score", "--rules", "smtcomp-2019", "marked.csv"], 1, &["marked.csv:2: ", "marked.csv:3: "]);
    std::fs::write(world.path().join("wide.csv"), b"\xff\xfeb\0e\0").unwrap();
    world.fails(&["score", "--rules", "smtcomp-2019", "wide.csv"], 1, &["UTF-16"]);
    // A quotation mark that spans lines, in a file with CR line ends.
    let rows = [
        "QF_BV/a.smt2,A,complete,1,1,\"sat,sat",
        "QF_BV/b.smt2,A,complete,1,1,sat,sat",
        "QF_BV/c.smt2,A,complete,1,1\",sat,sat",
    ];
    world.write("quoted.csv", &table(&rows).replace('\n', "\r"));
    world.fails(&["score", "--rules", "smtcomp-2019", "quoted.csv"], 1, &["quoted.csv:2: a cell spans several lines"]);
    world.write("entered.csv", &table(&[A, "QF_BV/b.smt2,A,entered,1,1,sat,sat"]));
    world.fails(&["score", "--rules", "smtcomp-2019", "entered.csv"], 1, &["entered.csv:3: the status 'entered'"]);
    world.write("queries.csv", "benchmark,num_check_sat\nQF_BV/a.smt2,1,234\n");
    world.write("one.csv", &table(&[A]));
    world.fails(
        &["score", "--rules", "smtcomp-2019", "one.csv", "queries.csv"],
        1,
        &["queries.csv:2: the line has 3 cells"],
    );
    world.write(
        "model.json",
        &json_of(&[entry("SingleQuery", "A", "a.smt2").replace("\"result\":\"sat\"", "\"result\":\"ModelFoo\"")]),
    );
    world.fails(&["score", "--rules", "smtcomp-2024", "model.json"], 1, &["unknown result 'ModelFoo'"]);
}
