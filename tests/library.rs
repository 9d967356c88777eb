//! The benchmark library: indexing, queries, releases, audits, difficulty.

use agon_testkit::World;
use std::fs;
use std::os::unix::fs::PermissionsExt;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

fn script(logic: &str, status: &str, rest: &str) -> String {
    format!("(set-logic {logic})\n(set-info :status {status})\n{rest}\n(check-sat)\n(exit)\n")
}

/// A competition with a small library.
fn world() -> World {
    let world = World::new(AGON);
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    let header = "(set-info :category \"crafted\")(set-info :difficulty \"3\")(set-info :license \"CC BY\")\
                  (set-info :source |\n  Jane Smith, 2018\n  more|)";
    world.write("lib/non-incremental/QF_UF/a/one.smt2", &script("QF_UF", "sat", &format!("{header}(assert true)")));
    world.write("lib/non-incremental/QF_UF/a/two.smt2", &script("QF_UF", "unsat", "(assert false)(assert true)"));
    world.write("lib/non-incremental/QF_BV/b/three.smt2", &script("QF_BV", "unknown", ""));
    world.write("lib/incremental/QF_UF/c/four.smt2", "(set-logic QF_UF)(set-info :status sat)(check-sat)(check-sat)");
    world
}

#[test]
fn every_field_is_indexed_and_can_be_queried() {
    let world = world();
    world.ok(&["library", "add", "-C", "c", "lib"]);
    let list = |conditions: &[&str]| -> Vec<String> {
        let mut words = vec!["library", "list", "-C", "c", "--format", "json"];
        words.extend(conditions.iter().flat_map(|condition| ["--where", condition]));
        let rows = world.json(&words);
        let name = |row: &serde_json::Value| row["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned();
        rows.as_array().unwrap().iter().map(name).collect()
    };
    assert_eq!(list(&[]), ["four.smt2", "three.smt2", "one.smt2", "two.smt2"]);
    assert_eq!(list(&["asserts>=2"]), ["two.smt2"]);
    assert_eq!(list(&["check_sats>1"]), ["four.smt2"]);
    assert_eq!(list(&["part=non-incremental", "logic=QF_UF"]), ["one.smt2", "two.smt2"]);
    assert_eq!(list(&["source~smith"]), ["one.smt2"]);
    assert_eq!(list(&["difficulty=3", "category=crafted", "license=CC BY"]), ["one.smt2"]);
    assert_eq!(list(&["status=sat,unknown"]), ["four.smt2"]);
    assert_eq!(world.run(&["library", "list", "-C", "c", "--where", "colour=red"]).code, 2);
    let csv = world.ok(&["library", "list", "-C", "c", "--format", "csv"]);
    assert_eq!(csv.lines().count(), 5);
    let shown = world.ok(&["library", "show", "-C", "c", "non-incremental/QF_UF/a/one.smt2"]);
    assert!(shown.contains("Jane Smith, 2018\n      more"), "{shown}");
}

#[test]
fn a11_15_invalid_files_are_reported_with_their_line_and_the_rest_is_indexed() {
    let world = world();
    world.write("lib/non-incremental/QF_LIA/x/directory.smt2", &format!("\n\n{}", script("QF_BV", "sat", "")));
    world.write("lib/non-incremental/QF_UF/x/status.smt2", "(set-logic QF_UF)\n(set-info :status yes)(check-sat)");
    world.write(
        "lib/non-incremental/QF_UF/x/twice.smt2",
        "(set-logic QF_UF)\n(set-info :status sat)\n(set-info :status unsat)(check-sat)",
    );
    world.write("lib/non-incremental/QF_UF/x/many.smt2", "(set-logic QF_UF)(check-sat)(check-sat)");
    world.write("lib/non-incremental/QF_UF/x/open.smt2", "(set-logic QF_UF)\n(check-sat)\n(assert (and");
    fs::write(world.path().join("lib/non-incremental/QF_UF/x/binary.smt2"), [0, 159, 146, 150]).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", world.path().join("lib/non-incremental/QF_UF/x/link.smt2")).unwrap();
    let added = world.run(&["library", "add", "-C", "c", "lib"]);
    assert_eq!(added.code, 1);
    for (file, reason) in [
        ("directory.smt2", "line 3: the logic is QF_BV, but the file is in the directory of QF_LIA"),
        ("status.smt2", "line 2: invalid status 'yes'"),
        ("twice.smt2", "line 3: the status is unsat, but sat was declared before"),
        ("many.smt2", "2 check-sat"),
        ("open.smt2", "line 3"),
        ("binary.smt2", "line 1"),
    ] {
        let line =
            added.stderr.lines().find(|line| line.contains(file)).unwrap_or_else(|| panic!("{file}: {}", added.stderr));
        assert!(line.contains(reason), "{line}");
    }
    assert!(added.stderr.contains("4 benchmarks indexed, 6 files left out"), "{}", added.stderr);
    assert!(!added.stderr.contains("link.smt2"), "{}", added.stderr);
}

#[test]
fn an_unreadable_directory_is_reported_and_loses_nothing() {
    let world = world();
    world.ok(&["library", "add", "-C", "c", "lib"]);
    let directory = world.path().join("lib/non-incremental/QF_BV/b");
    fs::set_permissions(&directory, fs::Permissions::from_mode(0o000)).unwrap();
    let mut words = vec!["library", "add", "-C", "c", "lib"];
    let mut command = if fs::read_dir(&directory).is_ok() {
        // Root can read everything, so another user runs a copy of the program.
        fs::copy(AGON, world.path().join("agon")).unwrap();
        let owned = std::process::Command::new("chown").args(["-R", "65534:65534"]).arg(world.path()).status();
        assert!(owned.unwrap().success());
        words.splice(0..0, ["--reuid=65534", "--regid=65534", "--clear-groups", "./agon"]);
        std::process::Command::new("setpriv")
    } else {
        std::process::Command::new(AGON)
    };
    let added = command.args(words).current_dir(world.path()).output().unwrap();
    let said = String::from_utf8_lossy(&added.stderr);
    assert_eq!(added.status.code(), Some(1), "{said}");
    assert!(said.contains("QF_BV/b: cannot be read"), "{said}");
    assert!(said.contains("4 benchmarks indexed"), "{said}");
}

#[test]
fn duplicates_are_reported() {
    let world = world();
    let one = fs::read_to_string(world.path().join("lib/non-incremental/QF_UF/a/two.smt2")).unwrap();
    world.write("lib/non-incremental/QF_UF/d/copy.smt2", &one);
    world.write("lib/non-incremental/QF_UF/d/spaced.smt2", &format!("; again\n{}", one.replace('\n', " \n\n")));
    let added = world.run(&["library", "add", "-C", "c", "lib"]);
    assert!(added.stderr.contains("1 benchmark equals another byte for byte"), "{}", added.stderr);
    assert!(added.stderr.contains("2 benchmarks equal another up to formatting"), "{}", added.stderr);
    let rows = world.json(&["library", "duplicates", "-C", "c", "--format", "json"]);
    let exact: Vec<&serde_json::Value> =
        rows.as_array().unwrap().iter().filter(|row| row["equal"] == "exact").collect();
    assert_eq!(exact.len(), 1);
    assert_eq!(exact[0]["benchmark"], "non-incremental/QF_UF/d/copy.smt2");
    assert_eq!(rows.as_array().unwrap().len(), 3);
}

#[test]
fn r08_4_6_after_a_freeze_benchmarks_are_corrected_but_not_added() {
    let world = world();
    world.ok(&["library", "add", "-C", "c", "lib"]);
    assert_eq!(world.run(&["library", "freeze", "-C", "c", "../x"]).code, 2);
    world.ok(&["library", "freeze", "-C", "c", "first"]);
    assert_eq!(world.run(&["library", "freeze", "-C", "c", "first"]).code, 2);
    world.write("lib/non-incremental/QF_UF/a/two.smt2", &script("QF_UF", "unsat", "(assert false) ; repaired"));
    world.write("lib/non-incremental/QF_UF/a/new.smt2", &script("QF_UF", "sat", "; new"));
    let from = world.path().join("lib/non-incremental/QF_UF/a/one.smt2");
    fs::rename(from, world.path().join("lib/non-incremental/QF_UF/a/uno.smt2")).unwrap();
    fs::remove_file(world.path().join("lib/non-incremental/QF_BV/b/three.smt2")).unwrap();
    let added = world.run(&["library", "add", "-C", "c", "lib", "--reason", "issue 12"]);
    assert_eq!(added.code, 1);
    assert!(added.stderr.contains("new.smt2: the library was frozen as 'first'"), "{}", added.stderr);
    let changes = world.json(&["library", "changes", "-C", "c", "--since", "first", "--format", "json"]);
    let kinds: Vec<&str> = changes.as_array().unwrap().iter().map(|row| row["change"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["corrected", "moved", "removed"]);
    assert!(changes.as_array().unwrap().iter().all(|row| row["reason"] == "issue 12"));
    assert!(world.ok(&["library", "list", "-C", "c"]).contains("uno.smt2"));
    // A file that is malformed for a while keeps its entry, although no entries may be added after the freeze.
    world.write("lib/non-incremental/QF_UF/a/two.smt2", "(set-logic");
    assert_eq!(world.run(&["library", "add", "-C", "c", "lib"]).code, 1);
    world.write("lib/non-incremental/QF_UF/a/two.smt2", &script("QF_UF", "unsat", "(assert false) ; fixed"));
    world.run(&["library", "add", "-C", "c", "lib"]);
    assert!(world.ok(&["library", "list", "-C", "c"]).contains("two.smt2"));
    let taken = ["library", "remove", "-C", "c", "non-incremental/QF_UF/a/uno.smt2", "--reason", "not in its logic"];
    world.ok(&taken);
    assert_eq!(world.run(&taken).code, 2);
    // The release itself is unchanged.
    let release = fs::read_to_string(world.path().join("c/library/releases/first.tsv")).unwrap();
    assert!(release.contains("one.smt2") && !release.contains("uno.smt2"));
    // Adding the unchanged library again still works.
    let again = world.run(&["library", "add", "-C", "c", "lib"]);
    assert!(again.stderr.contains("files read"), "{}", again.stderr);
}

#[test]
fn indexing_continues_after_a_kill() {
    let world = World::new(AGON);
    agon_testkit::trivial_library(&world.path().join("lib"), 4000);
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    for delay in [5, 20, 60, 120] {
        let mut child = world.start(&["library", "add", "-C", "c", "lib"]);
        std::thread::sleep(std::time::Duration::from_millis(delay));
        let _ = child.kill();
        child.wait().unwrap();
    }
    world.ok(&["library", "add", "-C", "c", "lib"]);
    let rows = world.json(&["library", "list", "-C", "c", "--format", "json"]);
    assert_eq!(rows.as_array().unwrap().len(), 4000);
    assert!(!world.path().join("c/library/adding.tsv").exists());
}

#[test]
fn sl19_18_a_panel_confirms_statuses_and_finds_wrong_ones() {
    let world = World::with_solvers(AGON);
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    world.write("lib/non-incremental/QF_UF/a/right.smt2", &script("QF_UF", "unsat", "(assert false)"));
    world.write("lib/non-incremental/QF_UF/a/wrong.smt2", &script("QF_UF", "unsat", "(assert true)"));
    world.write("lib/non-incremental/QF_UF/a/open.smt2", &script("QF_UF", "unknown", "(assert true)"));
    world.ok(&["library", "add", "-C", "c", "lib"]);
    let audit = world.run(&["library", "audit", "-C", "c", "--panel", "z3,cvc5", "--format", "json"]);
    assert_eq!(audit.code, 1, "{}", audit.stderr);
    let rows: serde_json::Value = serde_json::from_str(&audit.stdout).unwrap();
    let findings: Vec<&str> = rows.as_array().unwrap().iter().map(|row| row["finding"].as_str().unwrap()).collect();
    assert_eq!(findings[0], "unknown; 2 answer sat");
    assert_eq!(findings[1], "confirmed by 2");
    assert!(findings[2].starts_with("CONTRADICTED by z3"), "{findings:?}");
    let right = world.run(&["library", "audit", "-C", "c", "--where", "path~right"]);
    assert_eq!(right.code, 0, "{}", right.stderr);
    assert!(right.stderr.contains("1 confirmed"), "{}", right.stderr);
}

#[test]
fn r08_4_10_d14_4_difficulty_from_results_and_d14_5_by_trial() {
    let world = World::with_solvers(AGON);
    let results = "benchmark,solver,cpu time,result,expected\n\
        Main/QF_UF/a/x.smt2,a,1,sat,sat\nMain/QF_UF/a/x.smt2,b,700,sat,sat\nMain/QF_UF/a/x.smt2,c,1,unsat,sat\n\
        Main/QF_UF/a/x.smt2,d,2,--,sat\nnowhere,a,1,sat,sat\n";
    world.write("results.csv", results);
    let rated = world.run(&["library", "difficulty", "results.csv", "--format", "json"]);
    assert_eq!(rated.code, 1);
    assert!(rated.stderr.contains("results.csv:6"), "{}", rated.stderr);
    let rows: serde_json::Value = serde_json::from_str(&rated.stdout).unwrap();
    // One of four solvers within ten minutes: 3.75, rounded to 4.
    assert_eq!((&rows[0]["difficulty"], &rows[0]["solved"], &rows[0]["total"]), (&4.into(), &1.into(), &4.into()));
    let table =
        "7 unknown sat sat industrial QF_UF QF_UF/a/x.smt2\n8 trivial unsat sat none QF_UF QF_UF/a/y.smt2\nbroken\n";
    world.write("table.txt", table);
    let words = ["library", "difficulty", "--formula", "2014", "results.csv", "--table", "table.txt"];
    let updated = world.run(&words);
    assert_eq!(updated.stdout, table.replace("7 unknown", "7 1.00").replace("broken\n", ""));
    assert!(updated.stderr.contains("table.txt: line 3"), "{}", updated.stderr);
    assert!(updated.stderr.contains("D14-11"), "{}", updated.stderr);
    // A trial rates new benchmarks.
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    world.write("lib/non-incremental/QF_UF/a/easy.smt2", &script("QF_UF", "unsat", "(assert false)"));
    world.ok(&["library", "add", "-C", "c", "lib"]);
    let tried = world.json(&[
        "library",
        "difficulty",
        "-C",
        "c",
        "--formula",
        "2014",
        "--trial",
        "z3,cvc5",
        "--format",
        "json",
    ]);
    assert_eq!((&tried[0]["difficulty"], &tried[0]["total"]), (&"trivial".into(), &2.into()));
    assert_eq!(world.run(&["library", "difficulty"]).code, 2);
}
