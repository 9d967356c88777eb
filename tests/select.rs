//! `agon select` and `agon seed`.

use agon_testkit::{World, shared, unpacked};
use std::fs;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

#[test]
fn r08_4_14_every_candidate_of_a_selection_from_files_has_a_reason() {
    let world = World::new(AGON);
    let paths: String = (0..400).map(|at| format!("./QF_BV/old/b{at:03}.smt2\n")).collect();
    world.write("all.txt", &format!("{paths}QF_BV/new/n1.smt2\nQF_BV/new/n2.smt2\nQF_LIA/x/a.smt2\nno logic here\n"));
    world.write("new.txt", "QF_BV/new/n1.smt2\nQF_BV/new/n2.smt2\n");
    world.write("exclude.txt", "QF_BV/old/b007.smt2\tuses a symbol twice\nQF_BV/old/gone.smt2\n");
    let words = [
        "select",
        "--rules",
        "smtcomp-2019",
        "--seed",
        "5",
        "--benchmarks",
        "all.txt",
        "--new",
        "new.txt",
        "--exclude",
        "exclude.txt",
        "--format",
        "json",
    ];
    let output = world.run(&words);
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("all.txt: line 404"), "{}", output.stderr);
    assert!(output.stderr.contains("QF_BV/old/gone.smt2 is in the list of exclusions"), "{}", output.stderr);
    let rows: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 403);
    let count = |reason: &str| rows.iter().filter(|row| row["reason"] == reason).count();
    assert_eq!(count("drawn for its new family"), 1);
    assert_eq!(count("drawn"), 299);
    assert_eq!(count("not drawn"), 401 - 300);
    assert_eq!(count("whole logic selected"), 1);
    assert_eq!(count("excluded: uses a symbol twice"), 1);
    // As a table and as a list.
    world.write("all.txt", &format!("{paths}QF_LIA/x/a.smt2\n"));
    let table = world.ok(&["select", "--rules", "smtcomp-2019", "--seed", "5", "--benchmarks", "all.txt"]);
    assert!(table.starts_with("# seed 5\nbenchmark\tlogic\tselected\treason\theat\n"), "{table}");
    let list = world.ok(&["select", "--rules", "smtcomp-2019", "--seed", "5", "--benchmarks", "all.txt", "--list"]);
    assert_eq!(list.lines().count(), 301);
    assert!(list.starts_with("/non-incremental/QF_BV/old/"), "{list}");
    let share = ["--set", "policy.share.percent=90"];
    let more = world.ok(&[
        &["select", "--rules", "smtcomp-2019", "--seed", "5", "--benchmarks", "all.txt", "--list"],
        &share[..],
    ]
    .concat());
    assert_eq!(more.lines().count(), 361);
}

#[test]
fn r19_6_5_benchmarks_that_were_trivial_in_any_year_are_out() {
    let world = World::new(AGON);
    world.write("all.txt", "QF_BV/a/x.smt2\nQF_BV/a/y.smt2\nQF_BV/a/z.smt2\n");
    let header = "benchmark,solver,cpu time,result\n";
    let quick = |name: &str| format!("M t/QF_BV/a/{name},s1,0.1,sat\nM t/QF_BV/a/{name},s2,0.2,sat\n");
    let slow = "M t/QF_BV/a/x.smt2,s1,50,sat\nM t/QF_BV/a/x.smt2,s2,0.2,sat\n";
    // Only one solver ran on z in each year, which is not enough evidence in either.
    let once = "M t/QF_BV/a/z.smt2,s1,0.1,sat\n";
    world.write("2018.csv", &format!("{header}{}{once}", quick("x.smt2")));
    world.write("2019.csv", &format!("{header}{slow}{once}"));
    let rows = world.json(&[
        "select",
        "--rules",
        "smtcomp-2020",
        "--seed",
        "1",
        "--benchmarks",
        "all.txt",
        "--results",
        "2018.csv",
        "--results",
        "2019.csv",
        "--format",
        "json",
    ]);
    let selected: Vec<bool> = rows.as_array().unwrap().iter().map(|row| row["selected"] == true).collect();
    assert_eq!(selected, [false, true, true]);
}

/// A family is reduced as a whole, even if the files of its subdirectories come between its own in the library's order.
#[test]
fn r08_4_16_a_scattered_family_is_reduced_as_a_whole() {
    let world = World::new(AGON);
    world.ok(&["init", "c", "--rules", "smtcomp-2008"]);
    let script = "(set-logic QF_UF)(set-info :category \"industrial\")(set-info :difficulty \"1\")(set-info :status sat)(check-sat)";
    for at in 0..150 {
        world.write(&format!("lib/non-incremental/QF_UF/a/m{at:03}.smt2"), script);
        world.write(&format!("lib/non-incremental/QF_UF/a/z{at:03}.smt2"), script);
    }
    world.write("lib/non-incremental/QF_UF/a/sub/s.smt2", script);
    world.ok(&["library", "add", "-C", "c", "lib"]);
    let rows = world.json(&["select", "-C", "c", "--seed", "1", "--format", "json"]);
    let full = "its family is over the limit; removed at random";
    assert_eq!(rows.as_array().unwrap().iter().filter(|row| row["reason"] == full).count(), 100);
}

#[test]
fn usage_errors_are_reported() {
    let world = World::new(AGON);
    world.write("all.txt", "QF_BV/a.smt2\n");
    for (words, message) in [
        (vec!["--rules", "smtcomp-1999", "--seed", "1"], "unknown rulebook"),
        (vec!["--rules", "smtcomp-2019"], "--seed"),
        (vec!["--rules", "smtcomp-2008", "--seed", "1", "--track", "proof"], "selection rules only for single-query"),
        (vec!["--rules", "smtcomp-2019", "--seed", "1", "--set", "colour"], "FIELD=VALUE"),
        (vec!["--rules", "smtcomp-2019", "--seed", "1", "--set", "policy.share.colour=1"], "colour"),
    ] {
        let output = world.run(&[&["select", "--benchmarks", "all.txt"], &words[..]].concat());
        assert_eq!(output.code, 2, "{words:?}");
        assert!(output.stderr.contains(message), "{words:?}: {}", output.stderr);
    }
    assert_eq!(world.run(&["select", "--rules", "smtcomp-2019", "--seed", "1", "--benchmarks", "gone.txt"]).code, 3);
}

#[test]
fn d14_3_benchmarks_are_selected_from_a_table_of_2014() {
    let world = World::new(AGON);
    let rows: String =
        (0..50).map(|at| format!("{at} {at}.5 sat sat industrial QF_BV QF_BV/a/{at:02}.smt2\n")).collect();
    world.write(
        "table.txt",
        &format!(
            "{rows}99 trivial sat sat industrial QF_BV QF_BV/a/t.smt2\n98 3 null null null QF_BV QF_BV/a/n.smt2\n"
        ),
    );
    let words = [
        "select",
        "--rules",
        "smtcomp-2014",
        "--seed",
        "1",
        "--benchmarks",
        "table.txt",
        "--set",
        "policy.quintiles.most=10",
        "--format",
        "json",
        "--set",
        "eligible.trivial_unless_fewer_than=10",
    ];
    let rows = world.json(&words);
    let reasons: Vec<&str> = rows.as_array().unwrap().iter().map(|row| row["reason"].as_str().unwrap()).collect();
    assert_eq!(reasons.iter().filter(|reason| reason.starts_with("drawn from fifth 1")).count(), 4);
    assert_eq!(reasons.iter().filter(|reason| reason.starts_with("drawn")).count(), 10);
    assert_eq!(reasons[50], "trivial: all earlier runs solved it quickly");
    assert_eq!(reasons[51], "its status is unknown");
}

#[test]
fn r19_6_8_heats_are_run_in_order_and_incomplete_ones_are_ignored() {
    let world = World::new(AGON);
    agon_testkit::trivial_library(&world.path().join("lib"), 12);
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    world.ok(&["library", "add", "-C", "c", "lib"]);
    // Slow solvers, so that the kill below interrupts the run; the file `go` removes the delay.
    let go = world.path().join("go");
    let script = format!("grep -q 'assert false' $1 && echo unsat || echo sat; test -e {} || sleep 0.3", go.display());
    for name in ["a", "b"] {
        let directory = agon_testkit::fake_solver(&world.path().join("solvers"), name, name, &script);
        world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    }
    world.ok(&["seed", "-C", "c", "--index", "1"]);
    world.ok(&["select", "-C", "c", "--heats", "5"]);
    world.ok(&["prepare", "-C", "c"]);
    let mut run = world.start(&["run", "-C", "c", "--slots", "1"]);
    std::thread::sleep(std::time::Duration::from_secs(4));
    run.kill().unwrap();
    run.wait().unwrap();
    world.judge("c");
    let status = world.json(&["status", "-C", "c", "--format", "json"]);
    let done = status["done"].as_u64().unwrap_or_else(|| panic!("{status}"));
    assert!((1..24).contains(&done), "{done}");
    let scored =
        |world: &World| world.json(&["score", "-C", "c", "--format", "json"])["divisions"][0]["benchmarks"].as_u64();
    // With two entrants, a heat of five is complete after ten runs.
    assert_eq!(scored(&world).unwrap_or(0), done / 10 * 5);
    fs::write(&go, "").unwrap();
    world.ok(&["run", "-C", "c"]);
    world.judge("c");
    assert_eq!(scored(&world), Some(12));
}

#[test]
fn r08_4_21_seeds_follow_the_rules_of_their_year() {
    let world = World::new(AGON);
    world.write("numbers.tsv", "one\t4294967295\ntwo\t5\tcompeting\nus\t7\torganizer\nguest\t20\tnon-competing\n");
    let seed = |words: &[&str]| {
        let all = [&["seed", "--numbers", "numbers.tsv", "--format", "json"], words].concat();
        world.json(&all)["seed"].as_u64().unwrap()
    };
    assert_eq!(seed(&["--index", "12888.51"]), 24 + 12888);
    assert_eq!(seed(&["--index", "12888.51", "--as-published"]), 24 + 12889);
    assert_eq!(seed(&["--index", "8481.60", "--rules", "smtcomp-2008", "--as-published"]), 31 + 8482);
    assert_eq!(seed(&["--index", "15078.69", "--rules", "smtcomp-2023"]), 24 + 1_507_869);
    assert_eq!(seed(&["--index", "23412.89", "--rules", "smtcomp-2026"]), 4 + 2_341_289);
    let text = world.ok(&["seed", "--numbers", "numbers.tsv", "--index", "1.5"]);
    assert!(text.contains("the organizers' own, not counted"), "{text}");
    for index in ["x", "-1", "1e5", ""] {
        assert_eq!(world.run(&["seed", "--numbers", "numbers.tsv", "--index", index]).code, 2, "{index}");
    }
    world.write("broken.tsv", "one\t1\ntwo\n");
    let broken = world.run(&["seed", "--numbers", "broken.tsv", "--index", "1"]);
    assert!(broken.code == 2 && broken.stderr.contains("broken.tsv: line 2"), "{}", broken.stderr);
    let numbers = world.ok(&["random", "--seed", "912681576", "--generator", "python", "--count", "2"]);
    assert_eq!(numbers, "2387138922\n78304005\n");
}

/// Reproduces the published list with the command line of an organizer.
#[test]
fn r19_6_7_the_incremental_list_of_2019_is_reproduced() {
    let Some(directory) = shared("data/selection/2019") else { return };
    let world = World::new(AGON);
    let input = |name: &str| unpacked(&directory.join("input").join(name));
    world.write("all.txt", &input("SMT-LIB_incremental_benchmarks_all_no_challenge.txt.xz"));
    world.write("new.txt", &input("SMT-LIB_incremental_benchmarks_new_no_challenge.txt.xz"));
    world.write("2018.csv", &input("2018_Application_Track.csv.xz"));
    let list = world.ok(&[
        "select",
        "--rules",
        "smtcomp-2019",
        "--track",
        "incremental",
        "--seed",
        "912681576",
        "--generator",
        "python",
        "--benchmarks",
        "all.txt",
        "--new",
        "new.txt",
        "--results",
        "2018.csv",
        "--set",
        "eligible.trivial_s=1.0",
        "--list",
    ]);
    let expected = unpacked(&directory.join("final/benchmark_selection_incremental_2019.txt.xz"));
    assert!(list.trim_end() == expected.trim_end());
}
