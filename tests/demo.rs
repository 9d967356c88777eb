//! `agon demo`: a whole competition with real solvers.

use agon_testkit::World;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

/// Every file below a directory with its bytes.
fn snapshot(directory: &Path) -> BTreeSet<(String, Vec<u8>)> {
    let mut files = BTreeSet::new();
    let mut directories = vec![directory.to_owned()];
    while let Some(next) = directories.pop() {
        for item in fs::read_dir(next).unwrap().map(Result::unwrap) {
            if item.file_type().unwrap().is_dir() {
                directories.push(item.path());
            } else {
                files.insert((item.path().to_string_lossy().into_owned(), fs::read(item.path()).unwrap()));
            }
        }
    }
    files
}

#[test]
fn the_demo_runs_a_competition_from_end_to_end() {
    let world = World::with_solvers(AGON);
    let printed = world.ok(&["demo", "d", "--wall", "2"]);
    for division in ["QF_BV", "QF_LRA", "UF", "QF_SLIA"] {
        assert!(printed.contains(division), "{printed}");
    }
    assert!(printed.contains("d/site/index.html"), "{printed}");

    let scores = world.json(&["score", "-C", "d", "--format", "json"]);
    assert_eq!(scores["rules"], "smtcomp-2019");
    assert_eq!(scores["track"], "single-query");
    let divisions = scores["divisions"].as_array().unwrap();
    assert_eq!(divisions.len(), 14);
    for division in divisions {
        let rankings = division["rankings"].as_object().unwrap();
        assert_eq!(rankings.keys().collect::<Vec<_>>(), ["sequential", "parallel", "sat", "unsat", "24s"]);
        for line in rankings.values().flat_map(|lines| lines.as_array().unwrap()) {
            // Released solvers make no errors on these benchmarks.
            assert_eq!(line["error"], 0, "{division}");
            let seen = line["solved"].as_u64().unwrap()
                + line["unsolved"].as_u64().unwrap()
                + line["abstained"].as_u64().unwrap();
            assert!(seen <= division["benchmarks"].as_u64().unwrap());
        }
        assert!(division["winners"]["parallel"].is_string(), "{division}");
    }
    assert!(scores["recognitions"]["biggest-lead"]["parallel"].is_array());
    assert!(scores["recognitions"]["largest-contribution"]["sequential"].is_array());

    // The prepared files do not reveal the status.
    for (name, bytes) in snapshot(&world.path().join("d/prepared")) {
        assert!(!String::from_utf8_lossy(&bytes).contains(":status"), "{name}");
        assert!(!name.rsplit('/').next().unwrap_or_default().contains("sat"), "{name}");
    }

    // A second start has nothing to do and publishes the same bytes.
    let site = snapshot(&world.path().join("d/site"));
    let again = world.run(&["demo", "d"]);
    assert!(again.stderr.contains("are done"), "{}", again.stderr);
    assert_eq!(again.stdout, printed);
    assert!(snapshot(&world.path().join("d/site")) == site, "the site changed");
}

#[test]
fn an_interrupted_demo_continues() {
    let world = World::with_solvers(AGON);
    let mut first = world.start(&["demo", "d", "--wall", "0.4", "--solvers", "yices,bitwuzla"]);
    let database = world.path().join("d/agon.db");
    let done = || -> u64 {
        if !database.exists() {
            return 0;
        }
        let status = world.run(&["status", "-C", "d", "--format", "json"]);
        serde_json::from_str::<serde_json::Value>(&status.stdout)
            .map_or(0, |status| status["done"].as_u64().unwrap_or(0))
    };
    while done() < 5 {
        assert!(first.try_wait().unwrap().is_none(), "the demo ended before it could be interrupted: {}", world.said());
        thread::sleep(Duration::from_millis(50));
    }
    std::process::Command::new("kill").args(["-INT", &first.id().to_string()]).status().unwrap();
    assert_eq!(first.wait().unwrap().code(), Some(130));
    let before = done();
    let status = world.json(&["status", "-C", "d", "--format", "json"]);
    assert!(before >= 5 && status["left"].as_u64().unwrap() > 0, "{status}");
    let again = world.run(&["demo", "d", "--wall", "0.4", "--solvers", "yices,bitwuzla"]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    let all = status["planned"].as_u64().unwrap();
    assert!(again.stderr.contains(&format!("{} of {all} pairs to run", all - before)), "{}", again.stderr);
}

#[test]
fn offline_the_demo_uses_the_installed_solvers() {
    let world = World::new(AGON);
    let fetched = agon_testkit::real_solvers(AGON).join("solvers/yices-2.6.5/bin");
    let path = std::env::join_paths([fetched.as_path(), Path::new("/nonexistent")]).unwrap();
    let mut demo = world.command(&["demo", "d", "--offline", "--wall", "0.4"]);
    let output = demo.env("PATH", path).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{stderr}");
    assert!(stderr.contains("solvers: agon-ref 0.1.0, yices-smt2 installed-"), "{stderr}");
}

#[test]
fn a_broken_solver_is_left_out_with_the_reason() {
    let world = World::new(AGON);
    let good = agon_testkit::real_solvers(AGON).join("solvers/yices-2.6.5/bin");
    let broken = world.write("bin/z3", "#!/bin/sh\necho 'no license' >&2\nexit 1\n");
    std::process::Command::new("chmod").arg("+x").arg(&broken).status().unwrap();
    let path = std::env::join_paths([world.path().join("bin").as_path(), good.as_path()]).unwrap();
    let output = world.command(&["demo", "d", "--offline", "--wall", "0.4"]).env("PATH", path).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{stderr}");
    assert!(stderr.contains("not entered: z3: it prints nothing") && stderr.contains("no license"), "{stderr}");
    assert!(stderr.contains("solvers: agon-ref 0.1.0, yices-smt2"), "{stderr}");
}

#[test]
fn without_any_solver_the_reference_solver_runs_every_track() {
    let world = World::new(AGON);
    let output =
        world.command(&["demo", "d", "--offline", "--wall", "1"]).env("PATH", "/nonexistent").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{stderr}");
    assert!(stderr.contains("solvers: agon-ref 0.1.0\n"), "{stderr}");
    for track in ["single-query", "incremental", "unsat-core", "model-validation"] {
        let status = world.json(&["status", "-C", "d", "--track", track, "--format", "json"]);
        let own = &status["solvers"][0];
        assert!(own["solved"].as_u64().unwrap() > 0 && own["erroneous"] == 0, "{track}: {status}");
    }
    for page in ["index.html", "disagreements.html", "incremental/index.html", "model-validation/index.html"] {
        assert!(world.path().join("d/site").join(page).exists(), "{page}");
    }
    // A solver named with --solvers has to be installed.
    let output =
        world.command(&["demo", "e", "--offline", "--solvers", "z3"]).env("PATH", "/nonexistent").output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(3), "{stderr}");
    assert!(stderr.contains("agon entrant fetch z3 cvc5"), "{stderr}");
}
