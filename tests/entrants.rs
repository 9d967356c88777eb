//! Entering solvers into a competition, including malformed and malicious archives.

use agon_testkit::{World, fake_solver};
use std::fs;
use std::process::Command;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

fn competition() -> World {
    let world = World::new(AGON);
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    world
}

fn tar(world: &World, archive: &str, directory: &str) {
    let status = Command::new("tar").args(["-caf", archive, directory]).current_dir(world.path()).status().unwrap();
    assert!(status.success());
}

#[test]
fn an_archive_with_a_description_is_entered() {
    let world = competition();
    fake_solver(world.path(), "mine", "Us", "echo sat");
    tar(&world, "mine.tar.gz", "mine");
    world.ok(&["entrant", "add", "-C", "c", "mine.tar.gz", "--magic", "123", "--kind", "non-competing"]);
    let list = world.json(&["entrant", "list", "-C", "c", "--format", "json"]);
    assert_eq!(list[0]["name"], "mine");
    assert_eq!(list[0]["team"], "Us");
    assert_eq!(list[0]["magic"], 123);
    assert_eq!(list[0]["kind"], "non-competing");
    // A directory and an archive of it have the same digest.
    world.ok(&["entrant", "add", "-C", "c", "./mine", "--magic", "123"]);
    assert_eq!(world.json(&["entrant", "list", "-C", "c", "--format", "json"])[0]["sha256"], list[0]["sha256"]);
}

#[test]
fn starexec_solvers_start_in_their_bin_directory() {
    let world = competition();
    world.write(
        "old/bin/starexec_run_default",
        "#!/bin/sh\n. ./settings\n./answer \"$1\" > \"$2/log\"\ncat \"$2/log\"\n",
    );
    world.write("old/bin/settings", "greeting=hello\n");
    world
        .write("old/bin/answer", "#!/bin/sh\ntouch scratch\ngrep -q 'assert false' \"$1\" && echo unsat || echo sat\n");
    Command::new("chmod").args(["+x", "old/bin/answer"]).current_dir(world.path()).status().unwrap();
    tar(&world, "old.tar.xz", "old");
    world.ok(&["entrant", "add", "-C", "c", "old.tar.xz", "--team", "Veterans"]);
    fake_solver(world.path(), "other", "Us", "echo unknown");
    world.ok(&["entrant", "add", "-C", "c", "./other"]);
    agon_testkit::trivial_library(&world.path().join("library"), 4);
    world.ok(&["library", "add", "-C", "c", "library"]);
    world.steps(&["seed --index 1", "select", "prepare", "run", "judge"]);
    let scores = world.json(&["score", "-C", "c", "--format", "json"]);
    assert_eq!(scores["divisions"][0]["winners"]["parallel"], "old");
    assert_eq!(scores["divisions"][0]["rankings"]["parallel"][0]["correct"], 4);
    // Files written during a run are not added to the entrant.
    assert!(
        !fs::read_dir(world.path().join("c/archives")).unwrap().any(|tree| tree
            .unwrap()
            .path()
            .join("bin/scratch")
            .exists())
    );
}

#[test]
fn invalid_archives_are_rejected_with_a_remedy() {
    let world = competition();
    world.write("empty/README", "nothing here");
    tar(&world, "empty.tar.gz", "empty");
    world.fails(&["entrant", "add", "-C", "c", "empty.tar.gz"], 1, &["empty.tar.gz", "entrant.toml", "starexec_run_"]);
    world.write("text.zip", "not a zip file");
    world.fails(&["entrant", "add", "-C", "c", "./text.zip"], 1, &["text.zip", "not a supported archive"]);
    world.write("two/bin/starexec_run_a", "");
    world.write("two/bin/starexec_run_b", "");
    tar(&world, "two.tar.gz", "two");
    world.fails(&["entrant", "add", "-C", "c", "two.tar.gz"], 1, &["a, b", "--configuration"]);
    world.fails(&["entrant", "add", "-C", "c", "./absent.zip"], 2, &["absent.zip"]);
    world.fails(&["entrant", "add", "-C", "c", "nosuchsolver"], 2, &["nosuchsolver", "agon entrant list --available"]);
    let mut climb = Command::new("tar");
    climb.args(["-cf", "climb.tar", "-P", "--transform", "s,^empty,../../climbed,", "empty"]).current_dir(world.path());
    assert!(climb.status().unwrap().success());
    world.fails(&["entrant", "add", "-C", "c", "climb.tar"], 1, &["climb.tar", "leads out"]);
    assert!(!world.path().join("climbed").exists() && !world.path().join("c/climbed").exists());
    // The rejected archives leave nothing behind.
    assert_eq!(world.json(&["entrant", "list", "-C", "c", "--format", "json"]).as_array().unwrap().len(), 0);
    assert_eq!(fs::read_dir(world.path().join("c/archives")).unwrap().count(), 0);
}

#[test]
fn check_reports_the_problems_of_each_solver() {
    let world = World::new(AGON);
    for (name, script, words) in [
        ("good", "grep -q 'assert false' $1 && echo unsat || echo sat", "none"),
        ("liar", "echo sat", "unsound"),
        ("crash", "kill -SEGV $$", "signal 11"),
        ("banner", "echo 'Welcome'; echo sat", "Welcome"),
        ("silent", "exit 4", "exit code 4"),
    ] {
        let directory = fake_solver(world.path(), name, "Us", script);
        let output = world.run(&["entrant", "check", directory.to_str().unwrap()]);
        assert_eq!(output.code, i32::from(name != "good"), "{name}: {}", output.stdout);
        assert!(output.stdout.contains(words), "{name}: {}", output.stdout);
    }
    // Every entered track is checked.
    let script = r#"if [ -z "$1" ]; then while read -r l; do case $l in "(check-sat)") echo sat;; *) echo success;; esac; done; fi
        grep -q get-model "$1" && { echo sat; echo '((define-fun p () Bool false))'; exit; }
        grep -q get-unsat-core "$1" && { echo unsat; echo '(a c)'; exit; }
        grep -q 'assert false' "$1" && echo unsat || echo sat"#;
    let directory = fake_solver(world.path(), "tracks", "Us", script);
    let tracks = "incremental = ['bin/solver']\nunsat-core = ['bin/solver', '{benchmark}']\nmodel-validation = ['bin/solver', '{benchmark}']\n";
    let text = fs::read_to_string(directory.join("entrant.toml")).unwrap() + tracks;
    fs::write(directory.join("entrant.toml"), text).unwrap();
    let rows = world.run(&["entrant", "check", "tracks", "--format", "json"]);
    let rows: serde_json::Value = serde_json::from_str(&rows.stdout).unwrap();
    for (track, words) in [
        ("single-query", "none"),
        ("incremental", "WRONG"),
        ("unsat-core", "'c', which does not name an assertion"),
        ("model-validation", "is false"),
    ] {
        let problems: Vec<&str> = rows
            .as_array()
            .unwrap()
            .iter()
            .filter(|row| row["track"] == track)
            .filter_map(|row| row["problem"].as_str())
            .collect();
        assert!(
            !problems.is_empty() && problems.iter().all(|problem| problem.contains(words)),
            "{track}: {problems:?}"
        );
    }
    let missing = fake_solver(world.path(), "loader", "Us", "");
    fs::write(missing.join("bin/solver"), "#!/no/such/interpreter\n").unwrap();
    let output = world.run(&["entrant", "check", missing.to_str().unwrap()]);
    assert!(output.code == 1 && output.stdout.contains("interpreter"), "{}", output.stdout);
}

#[test]
fn check_runs_like_the_competition_and_changes_no_files() {
    let world = competition();
    world.write(
        "old/bin/starexec_run_default",
        "#!/bin/sh\necho x > scratch\ngrep -q 'assert false' \"$1\" && echo unsat || echo sat\n",
    );
    world.ok(&["entrant", "add", "-C", "c", "./old"]);
    fake_solver(world.path(), "mine", "Us", "grep -q 'assert false' $1 && echo unsat || echo sat");
    world.ok(&["entrant", "add", "-C", "c", "./mine"]);
    world.ok(&["entrant", "check", "-C", "c"]);
    agon_testkit::trivial_library(&world.path().join("library"), 2);
    world.ok(&["library", "add", "-C", "c", "library"]);
    world.steps(&["seed --index 1", "select", "prepare", "run"]);
}

#[test]
fn paths_outside_the_entrant_are_rejected() {
    let world = competition();
    let description = |extra: &str, program: &str| {
        format!(
            "name = 'x'\nversion = '1'\nteam = 'T'\n{extra}\n[commands]\nsingle-query = ['{program}', '{{benchmark}}']\n"
        )
    };
    let x = fake_solver(world.path(), "x", "T", "echo sat");
    for (extra, program, word) in [
        ("start_in = '../..'", "bin/solver", "leads out"),
        ("start_in = '/tmp'", "bin/solver", "leads out"),
        ("start_in = 'nosuch'", "bin/solver", "nosuch"),
        ("", "../x/bin/solver", "leads out"),
        ("", "", "leads out"),
    ] {
        fs::write(x.join("entrant.toml"), description(extra, program)).unwrap();
        world.fails(&["entrant", "add", "-C", "c", "./x"], 1, &[word]);
    }
    fs::write(x.join("entrant.toml"), description("", "bin/link")).unwrap();
    std::os::unix::fs::symlink(world.path().join("outside"), x.join("bin/link")).unwrap();
    world.write("outside", "#!/bin/sh\necho sat\n");
    world.fails(&["entrant", "add", "-C", "c", "./x"], 1, &["bin/link", "leads out"]);
}

#[test]
fn an_installed_program_is_pinned() {
    let world = competition();
    let program = world.write("bin/z3", "#!/bin/sh\necho sat\n");
    Command::new("chmod").arg("+x").arg(&program).status().unwrap();
    let add = world
        .command(&["entrant", "add", "-C", "c", "z3"])
        .env("PATH", world.path().join("bin"))
        .env("AGON_HOME", "/nonexistent")
        .output()
        .unwrap();
    assert!(add.status.success(), "{}", String::from_utf8_lossy(&add.stderr));
    fake_solver(world.path(), "other", "Us", "echo sat");
    world.ok(&["entrant", "add", "-C", "c", "./other"]);
    agon_testkit::trivial_library(&world.path().join("library"), 2);
    world.ok(&["library", "add", "-C", "c", "library"]);
    world.steps(&["seed --index 1", "select", "prepare"]);
    world.write("bin/z3", "#!/bin/sh\necho unsat\n");
    world.fails(&["run", "-C", "c"], 3, &["z3", "has changed since it was entered"]);
}

#[test]
fn r19_4_1_real_solvers_pass_the_check() {
    let world = World::with_solvers(AGON);
    for name in ["z3", "cvc5", "yices", "bitwuzla"] {
        let output = world.run(&["entrant", "check", name]);
        assert_eq!(output.code, 0, "{}{}", output.stdout, output.stderr);
    }
}

#[test]
fn fetchable_solvers_are_listed_and_others_rejected() {
    let world = World::new(AGON);
    let available = world.json(&["entrant", "list", "--available", "--format", "json"]);
    let names: Vec<&str> = available.as_array().unwrap().iter().filter_map(|solver| solver["name"].as_str()).collect();
    for name in ["z3", "cvc5", "yices", "bitwuzla", "z3-4.8", "cvc5-1.0", "cvc4"] {
        assert!(names.contains(&name), "{names:?}");
    }
    world.fails(&["entrant", "fetch", "nosuchsolver"], 2, &["nosuchsolver", "z3"]);
    // Without pip: the message names the missing package.
    let output = world.command(&["entrant", "fetch", "z3"]).env("PATH", "/nonexistent").output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&output.stderr).contains("python3-pip"));
    // With pip but without a network.
    let output = world
        .command(&["entrant", "fetch", "z3"])
        .env("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
        .env("PIP_RETRIES", "0")
        .env("PIP_NO_INDEX", "1")
        .env("PIP_FIND_LINKS", "/nonexistent")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(stderr.contains("could not be downloaded") && stderr.contains("agon entrant add"), "{stderr}");
    assert_eq!(fs::read_dir(world.path().join("home/solvers")).unwrap().count(), 0, "a failed fetch leaves nothing");
}
