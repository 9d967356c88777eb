//! Damaged competitions, misbehaving solvers, full disks: Agon reports a clear error with a remedy and loses nothing.

use agon_testkit::{World, fake_solver, trivial_library};
use std::fs;
use std::process::Command;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

const ANSWER: &str = "grep -q 'assert false' $1 && echo unsat || echo sat";

/// A competition with these solvers, ready to run.
fn ready(benchmarks: usize, solvers: &[(&str, &str)]) -> World {
    let world = World::new(AGON);
    trivial_library(&world.path().join("library"), benchmarks);
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    let settings = fs::read_to_string(world.path().join("c/agon.toml")).unwrap();
    let limits = "\n[rules.tracks.single-query.limits]\nwall_s = 4\nmemory_bytes = 200_000_000\ncores = 1\noutput_bytes = 100_000\n";
    world.write("c/agon.toml", &(settings + limits));
    world.ok(&["library", "add", "-C", "c", "library"]);
    for (name, script) in solvers {
        let directory = fake_solver(&world.path().join("solvers"), name, name, script);
        world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    }
    world.steps(&["seed --index 1", "select", "prepare"]);
    world
}

fn rulings(world: &World, solver: &str) -> Vec<String> {
    let pairs = world.json(&["status", "-C", "c", "--pairs", "--format", "json"]);
    let own = pairs.as_array().unwrap().iter().filter(|pair| pair["solver"] == solver);
    own.map(|pair| pair["state"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn usage_errors_have_exit_code_2() {
    let world = World::new(AGON);
    world.fails(&["fly"], 2, &["fly"]);
    world.fails(&["init", "c", "--rules", "smtcomp-1066"], 2, &["smtcomp-1066", "smtcomp-2019"]);
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    world.fails(&["init", "c", "--rules", "smtcomp-2019"], 2, &["already"]);
    world.fails(&["library", "add", "-C", "c", "absent"], 2, &["absent"]);
    world.fails(&["library", "generate", "p", "--family", "unicorns"], 2, &["unicorns", "pigeons"]);
    world.fails(&["library", "generate", "p", "--size", "1"], 2, &["sizes from 2 to"]);
    world.fails(&["library", "generate", "p", "--family", "factoring", "--size", "40"], 2, &["factoring", "not 40"]);
    world.write("full/file", "");
    world.fails(&["demo", "full"], 2, &["full", "not empty"]);
}

#[test]
fn a_step_run_too_early_names_the_missing_step() {
    let world = World::new(AGON);
    world.fails(&["run"], 3, &["not a competition", "agon init"]);
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    world.fails(&["select", "-C", "c"], 3, &["agon seed"]);
    world.ok(&["seed", "-C", "c", "--index", "1"]);
    world.fails(&["select", "-C", "c"], 3, &["agon library add"]);
    world.fails(&["prepare", "-C", "c"], 3, &["agon select"]);
    world.fails(&["run", "-C", "c"], 3, &["agon entrant add"]);
    world.fails(&["report", "-C", "c"], 3, &["agon run"]);
    let solver = fake_solver(world.path(), "only", "Us", "echo sat");
    world.ok(&["entrant", "add", "-C", "c", solver.to_str().unwrap()]);
    trivial_library(&world.path().join("library"), 2);
    world.ok(&["library", "add", "-C", "c", "library"]);
    world.ok(&["select", "-C", "c"]);
    world.ok(&["prepare", "-C", "c"]);
    // A division with a single team is not competitive.
    world.fails(&["run", "-C", "c"], 3, &["competitive", "run_non_competitive"]);
}

#[test]
fn damaged_competitions_name_the_file_and_the_remedy() {
    let world = ready(2, &[("a", ANSWER), ("b", ANSWER)]);
    world.ok(&["run", "-C", "c"]);
    let keep = |path: &str| fs::read(world.path().join(path)).unwrap();
    for (path, text, words) in [
        ("c/agon.toml", "rulebook = [", vec!["agon.toml"]),
        ("c/agon.toml", "rulebook = 'smtcomp-2019'\ntitle = 'x'\nlimits = 3", vec!["agon.toml", "limits"]),
        ("c/entrants/a.toml", "name = 'a'", vec!["a.toml", "version"]),
        ("c/agon.db", "nonsense that is long enough to be looked at as a database", vec!["agon.db", "backup"]),
    ] {
        let before = keep(path);
        world.write(path, text);
        world.fails(&["score", "-C", "c"], 3, &words);
        fs::write(world.path().join(path), before).unwrap();
    }
    let before = keep("c/selection.tsv");
    world.write("c/selection.tsv", "# seed 1\nbenchmark\tlogic\tselected\treason\theat\nx\ty\tmaybe\tz\t\n");
    world.fails(&["prepare", "-C", "c"], 3, &["selection.tsv", "line 3", "agon select"]);
    world.write("c/selection.tsv", "");
    world.fails(&["prepare", "-C", "c"], 3, &["selection.tsv", "line 1", "agon select"]);
    fs::write(world.path().join("c/selection.tsv"), before).unwrap();
    let index = keep("c/library/index.tsv");
    world.write("c/library/index.tsv", "nonsense\n");
    world.fails(&["library", "add", "-C", "c", "library"], 3, &["index.tsv", "move the file away"]);
    fs::remove_file(world.path().join("c/library/index.tsv")).unwrap();
    world.ok(&["library", "add", "-C", "c", "library"]);
    assert_eq!(keep("c/library/index.tsv"), index);
    let description = keep("c/entrants/a.toml");
    fs::write(world.path().join("c/entrants/other.toml"), description).unwrap();
    world.fails(&["score", "-C", "c"], 3, &["other.toml", "a.toml"]);
    fs::remove_file(world.path().join("c/entrants/other.toml")).unwrap();
    world.write("c/seed.toml", "modulus = 'many'");
    world.fails(&["select", "-C", "c"], 3, &["seed.toml", "agon seed"]);
    // After all repairs, nothing is lost.
    world.judge("c");
    assert_eq!(rulings(&world, "a"), ["solved", "solved"]);
}

#[test]
fn a_changed_benchmark_is_detected() {
    let world = ready(2, &[("a", ANSWER), ("b", ANSWER)]);
    world.write("library/non-incremental/QF_UF/trivial/b0000.smt2", "(set-logic QF_UF)(assert false)(check-sat)");
    world.fails(&["prepare", "-C", "c"], 3, &["b0000.smt2", "changed", "agon library add"]);
}

#[test]
fn ill_formed_benchmarks_are_reported_and_left_out() {
    let world = World::new(AGON);
    trivial_library(&world.path().join("library"), 2);
    world.write("library/non-incremental/QF_UF/bad/open.smt2", "(set-logic QF_UF)\n(assert (and true\n");
    world.write("library/non-incremental/QF_UF/bad/binary.smt2", "\0\0\0");
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    world.fails(
        &["library", "add", "-C", "c", "library"],
        1,
        &["open.smt2", "line 2, column 1", "binary.smt2", "2 files left out"],
    );
    assert_eq!(world.json(&["library", "list", "-C", "c", "--format", "json"]).as_array().unwrap().len(), 2);
}

#[test]
fn misbehaving_solvers_get_their_verdicts_and_do_not_affect_others() {
    let world = ready(
        2,
        &[
            ("good", ANSWER),
            ("crasher", "kill -SEGV $$"),
            ("babbler", "echo 'c this is a comment'; echo maybe"),
            ("liar", "grep -q 'assert false' $1 && echo sat || echo unsat"),
            ("hanger", "sleep 60"),
            ("late", "echo unknown; sleep 60"),
            ("flooder", "yes"),
            ("hog", "head -c 300000000 /dev/zero | tail | wc -c"),
            (
                "forker",
                "(setsid sleep 60 &) ; (setsid sleep 60 &) ; grep -q 'assert false' $1 && echo unsat || echo sat",
            ),
            ("deleter", "rm -rf ./* \"$HOME\"; echo unknown"),
            ("binary", "head -c 5000 /dev/urandom"),
            ("mute", "exec >&- 2>&-; exit 0"),
        ],
    );
    world.ok(&["run", "-C", "c"]);
    world.judge("c");
    for (solver, expected) in [
        ("good", "solved"),
        ("crasher", "abort"),
        ("babbler", "abort"),
        ("liar", "erroneous"),
        ("hanger", "timeout"),
        ("late", "unknown"),
        ("flooder", "abort"),
        ("forker", "solved"),
        ("deleter", "unknown"),
        ("binary", "abort"),
        ("mute", "abort"),
    ] {
        assert_eq!(rulings(&world, solver), [expected, expected], "{solver}");
    }
    // If memory is limited for the whole tree, the hog runs out of memory; otherwise its processes fail one by one.
    let hog = rulings(&world, "hog");
    assert!(hog.iter().all(|ruling| ruling == "memout" || ruling == "abort"), "{hog:?}");
    let scores = world.json(&["score", "-C", "c", "--format", "json"]);
    let parallel = scores["divisions"][0]["rankings"]["parallel"].as_array().unwrap();
    assert_eq!(parallel.last().unwrap()["solver"], "liar", "solvers with errors come last");
    assert_eq!(parallel.last().unwrap()["error"], 2);
}

#[test]
fn a_solver_with_missing_or_changed_files_is_reported() {
    let world = ready(2, &[("a", ANSWER), ("b", ANSWER)]);
    let archives = world.path().join("c/archives");
    let tree = fs::read_dir(&archives).unwrap().next().unwrap().unwrap().path();
    fs::write(tree.join("bin/solver"), "#!/bin/sh\necho sat\n").unwrap();
    world.fails(&["run", "-C", "c"], 3, &["have changed since it was entered", "agon entrant add"]);
    let enter_again = || {
        for name in ["a", "b"] {
            world.ok(&["entrant", "add", "-C", "c", &format!("solvers/{name}")]);
        }
    };
    enter_again();
    fs::remove_dir_all(&tree).unwrap();
    world.fails(&["run", "-C", "c"], 3, &["cannot be read", "agon entrant add"]);
    enter_again();
    world.ok(&["run", "-C", "c"]);
}

#[test]
fn an_entrant_that_cannot_start_stops_the_run_without_a_verdict() {
    let world = ready(2, &[("a", ANSWER), ("b", ANSWER)]);
    let directory = fake_solver(&world.path().join("solvers"), "ghost", "ghost", "");
    fs::write(directory.join("bin/solver"), "#!/no/such/interpreter\n").unwrap();
    world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    world.fails(&["run", "-C", "c"], 3, &["ghost", "is still pending", "bin/solver", "agon entrant remove ghost"]);
    assert!(rulings(&world, "ghost").iter().all(|ruling| ruling == "to be run"));
    world.ok(&["entrant", "remove", "-C", "c", "ghost"]);
    world.fails(&["entrant", "remove", "-C", "c", "ghost"], 2, &["ghost"]);
    world.ok(&["run", "-C", "c"]);
}

#[test]
fn a_full_disk_stops_the_run_and_loses_nothing() {
    let world = ready(40, &[("a", "head -c 60000 /dev/urandom | od; echo sat"), ("b", ANSWER)]);
    let outputs = world.path().join("c/outputs");
    fs::create_dir_all(&outputs).unwrap();
    let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", "size=400k", "none"]).arg(&outputs).status();
    if !mounted.is_ok_and(|status| status.success()) {
        agon_testkit::skipped("this user cannot mount file systems");
        return;
    }
    world.fails(&["run", "-C", "c"], 3, &["no space left", "nothing recorded is lost"]);
    let done = |world: &World| world.json(&["status", "-C", "c", "--format", "json"])["done"].as_u64().unwrap();
    let before = done(&world);
    assert!(before > 0 && before < 80, "{before}");
    let grown = Command::new("mount").args(["-o", "remount,size=100m"]).arg(&outputs).status().unwrap();
    assert!(grown.success());
    let again = world.run(&["run", "-C", "c"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert!(again.stderr.contains(&format!("{} of 80 pairs to run", 80 - before)), "{}", again.stderr);
    assert_eq!(done(&world), 80);
    assert!(Command::new("umount").arg(&outputs).status().unwrap().success());
}

#[test]
fn a_changed_limit_causes_new_attempts_and_keeps_the_old_outcomes() {
    let world = ready(2, &[("a", ANSWER), ("b", ANSWER)]);
    world.ok(&["run", "-C", "c"]);
    let settings = fs::read_to_string(world.path().join("c/agon.toml")).unwrap();
    world.write("c/agon.toml", &settings.replace("wall_s = 4", "wall_s = 5"));
    let status = world.json(&["status", "-C", "c", "--format", "json"]);
    assert_eq!((&status["done"], &status["left"]), (&0.into(), &4.into()));
    world.ok(&["run", "-C", "c"]);
    let pairs = world.json(&["status", "-C", "c", "--pairs", "--format", "json"]);
    assert!(pairs.as_array().unwrap().iter().all(|pair| pair["attempt"] == 2), "{pairs}");
    // The outcomes under the old limits are still there.
    world.write("c/agon.toml", &settings);
    assert_eq!(world.json(&["status", "-C", "c", "--format", "json"])["left"], 0);
}

#[test]
fn a_corrected_status_changes_verdicts_after_prepare_without_new_runs() {
    let world = ready(2, &[("a", ANSWER), ("b", ANSWER)]);
    world.ok(&["run", "-C", "c"]);
    world.judge("c");
    let file = "library/non-incremental/QF_UF/trivial/b0000.smt2";
    let script = fs::read_to_string(world.path().join(file)).unwrap();
    world.write(file, &script.replace(":status sat", ":status unsat"));
    world.ok(&["library", "add", "-C", "c", "library"]);
    world.judge("c");
    assert_eq!(rulings(&world, "a"), ["solved", "solved"], "indexing alone does not change verdicts");
    world.ok(&["select", "-C", "c"]);
    world.ok(&["prepare", "-C", "c"]);
    world.judge("c");
    assert_eq!(rulings(&world, "a"), ["erroneous", "solved"]);
    assert!(world.run(&["run", "-C", "c"]).stderr.contains("are done"));
}

#[test]
fn a_new_version_does_not_keep_the_results_of_the_old_one() {
    let world = ready(2, &[("a", ANSWER), ("b", ANSWER)]);
    world.ok(&["run", "-C", "c"]);
    world.judge("c");
    let directory = fake_solver(&world.path().join("solvers"), "a", "a", "echo unknown");
    world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    let correct = |world: &World| {
        let output = world.run(&["score", "-C", "c", "--format", "json"]);
        let scores: serde_json::Value = serde_json::from_str(&output.stdout).unwrap();
        let lines = scores["divisions"][0]["rankings"]["parallel"].as_array().unwrap().clone();
        let line = lines.iter().find(|line| line["solver"] == "a").unwrap().clone();
        (line["correct"].as_u64().unwrap(), output.stderr)
    };
    let (before, said) = correct(&world);
    assert_eq!(before, 0);
    assert!(said.contains("not in the plan"), "{said}");
    world.ok(&["run", "-C", "c"]);
    world.judge("c");
    assert_eq!(rulings(&world, "a"), ["unknown", "unknown"]);
}

#[test]
fn a_missing_benchmark_does_not_count_against_the_solver() {
    let world = ready(2, &[("a", ANSWER), ("b", ANSWER)]);
    fs::remove_dir_all(world.path().join("c/prepared")).unwrap();
    world.fails(&["run", "-C", "c"], 3, &[".smt2", "agon prepare"]);
    assert_eq!(rulings(&world, "a"), ["to be run", "to be run"]);
    world.ok(&["prepare", "-C", "c"]);
    world.ok(&["run", "-C", "c"]);
}

#[test]
fn solvers_cannot_change_files_that_others_see() {
    let spoiler = "echo '(set-logic QF_UF)(assert false)(check-sat)' > $1; touch $(dirname $0)/cache; echo unknown";
    let world = ready(2, &[("a", spoiler), ("b", ANSWER)]);
    let output = world.run(&["run", "-C", "c"]);
    if output.code != 0 {
        // Without namespaces the change is at least detected.
        assert!(
            output.stderr.contains("changed") || output.stderr.contains("have changed since it was entered"),
            "{}",
            output.stderr
        );
        agon_testkit::skipped("this user cannot make files read-only to solvers");
        return;
    }
    world.judge("c");
    assert_eq!(rulings(&world, "b"), ["solved", "solved"]);
}

#[test]
fn invalid_numbers_are_usage_errors() {
    let world = ready(2, &[("a", ANSWER), ("b", ANSWER)]);
    for index in ["NaN", "-5", "inf", "1e300", "4294967296"] {
        world.fails(&["seed", "-C", "c", &format!("--index={index}")], 2, &["--index"]);
    }
    world.fails(&["select", "-C", "c", "--new-family", "zzz"], 2, &["zzz", "non-incremental/QF_UF/trivial"]);
    for slots in ["0", "18446744073709551615"] {
        world.fails(&["run", "-C", "c", "--slots", slots], 2, &["--slots"]);
    }
    world.fails(&["demo", "d", "--wall", "1e-12"], 2, &["--wall"]);
    world.write("numbers.tsv", "a\t1\nb\t2\tOrganizer\n");
    world.fails(&["seed", "--numbers", "numbers.tsv", "--index", "1"], 2, &["numbers.tsv", "line 2"]);
}

#[test]
fn the_site_links_to_files_with_odd_names() {
    let world = World::new(AGON);
    let long = "x".repeat(240);
    for name in ["a b#c?d%e&f'g\".smt2", "ü.smt2", &format!("{long}.smt2"), "s.smt2", "s.smt2.html/t.smt2"] {
        world.write(
            &format!("library/non-incremental/QF_UF/f/{name}"),
            "(set-logic QF_UF)(set-info :status sat)(check-sat)",
        );
    }
    world.write("library/non-incremental/QF_UF/f/new\nline.smt2", "(set-logic QF_UF)(set-info :status sat)(check-sat)");
    world.ok(&["init", "c", "--rules", "smtcomp-2019", "--title", "<b>&\"'"]);
    world.fails(&["library", "add", "-C", "c", "library"], 1, &["control characters", "1 files left out"]);
    for name in ["a", "b"] {
        let directory = fake_solver(&world.path().join("solvers"), name, name, "echo sat");
        world.ok(&["entrant", "add", "-C", "c", directory.to_str().unwrap()]);
    }
    world.steps(&["seed --index 1", "select", "prepare", "run", "judge", "report"]);
    // Every link on the page of the division leads to a file.
    let page = world.path().join("c/site/divisions/QF_UF.html");
    let html = fs::read_to_string(&page).unwrap();
    let links: Vec<&str> = html
        .split("href=\"")
        .skip(1)
        .filter_map(|rest| rest.split('"').next())
        .filter(|link| !link.starts_with("data:"))
        .collect();
    assert!(links.len() > 10);
    for link in links {
        assert!(page.parent().unwrap().join(link).exists(), "{link}");
    }
}

#[test]
fn an_unwritable_stderr_does_not_change_exit_codes() {
    let world = ready(2, &[("a", ANSWER), ("b", ANSWER)]);
    let full = || fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let status = world.command(&["run", "-C", "c"]).stderr(full()).status().unwrap();
    assert_eq!(status.code(), Some(0));
    let status = world.command(&["status", "-C", "nowhere"]).stderr(full()).status().unwrap();
    assert_eq!(status.code(), Some(3));
}

#[test]
fn a_lost_output_is_reported_with_a_remedy() {
    // Long enough to be stored as a file, and the same for both solvers.
    let chatty = "grep -q 'assert false' $1 && echo unsat || echo sat; head -c 9000 /dev/zero | tr '\\0' x";
    let world = ready(2, &[("a", chatty), ("b", chatty)]);
    world.ok(&["run", "-C", "c"]);
    fs::remove_dir_all(world.path().join("c/outputs")).unwrap();
    world.fails(&["judge", "-C", "c"], 3, &["missing or damaged", "agon rerun"]);
    // Two pairs share each output; rerunning one of them restores it for both.
    for pair in ["a:b0000", "a:b0001"] {
        world.run(&["rerun", "-C", "c", pair]);
    }
    world.judge("c");
    assert_eq!(rulings(&world, "b"), ["solved", "solved"]);
}

#[test]
fn a_single_output_is_judged() {
    let world = World::new(AGON);
    let benchmark = world.write("b.smt2", "(set-logic QF_UF)(set-info :status unsat)(assert false)(check-sat)");
    let benchmark = benchmark.to_str().unwrap();
    for (output, code, words) in [
        ("success\nunsat\n", 0, ["starexec-result=unsat", "verdict=solved"]),
        ("sat\n", 1, ["starexec-result=sat", "verdict=erroneous"]),
        ("unknown\n", 0, ["starexec-result=starexec-unknown", "verdict=unknown"]),
        ("oops\n", 0, ["starexec-result=starexec-unknown", "verdict=abort"]),
    ] {
        world.write("out.txt", output);
        let run = world.run(&["judge", "single", "--benchmark", benchmark, "--output", "out.txt"]);
        assert_eq!(run.code, code, "{output}");
        assert!(words.iter().all(|word| run.stdout.contains(word)), "{output}: {}", run.stdout);
    }
    world.fails(&["judge", "single", "--benchmark", benchmark, "--output", "absent"], 2, &["absent"]);
}

#[test]
fn output_to_a_closed_pipe_is_not_an_error() {
    let world = World::new(AGON);
    let script = format!("{AGON} random --seed 1 --count 1000000 | head -1; exit ${{PIPESTATUS[0]}}");
    let output = Command::new("bash").args(["-c", &script]).current_dir(world.path()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "1804289383");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}
