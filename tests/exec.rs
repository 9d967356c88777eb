//! `agon exec`: a single contained run.

use agon_testkit::World;
use serde_json::Value;
use std::fs;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

fn exec(world: &World, options: &[&str], script: &str) -> Value {
    let words = [&["exec", "--format", "json"], options, &["--", "sh", "-c", script]].concat();
    world.json(&words)
}

fn has_groups(run: &Value) -> bool {
    let is_there = run["isolation"]["cgroup"] != "none";
    if !is_there {
        agon_testkit::skipped("no control groups here");
    }
    is_there
}

#[test]
fn endings_and_resources_are_reported() {
    let world = World::new(AGON);
    let run = exec(&world, &["--wall", "20"], "exit 3");
    assert_eq!(
        (&run["exit"], &run["signal"], &run["limit"], &run["survivors"]),
        (&3.into(), &Value::Null, &Value::Null, &0.into())
    );
    let run = exec(&world, &["--wall", "20"], "kill -SEGV $$");
    assert_eq!((&run["exit"], &run["signal"]), (&Value::Null, &11.into()));
    let run = exec(&world, &["--wall", "20"], "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done");
    assert!(run["cpu_s"].as_f64().unwrap() > 0.01, "{run}");
    assert!(run["wall_s"].as_f64().unwrap() > 0.01, "{run}");
}

#[test]
fn each_limit_is_reported_by_name() {
    let world = World::new(AGON);
    assert_eq!(exec(&world, &["--wall", "0.3"], "sleep 60")["limit"], "wall");
    assert_eq!(exec(&world, &["--cpu", "0.3", "--wall", "60"], "while :; do :; done")["limit"], "cpu");
    assert_eq!(exec(&world, &["--max-output", "1k", "--wall", "60"], "yes")["limit"], "output");
    let run = exec(&world, &["--memory", "20M", "--wall", "60"], "head -c 200000000 /dev/zero | tail");
    if has_groups(&run) {
        assert_eq!(run["limit"], "memory", "{run}");
        let forks = "for i in 1 2 3 4 5 6 7 8; do sleep 0.2 & done; wait";
        let run = exec(&world, &["--processes", "4", "--wall", "60"], forks);
        assert_eq!((&run["limit"], &run["processes"]), (&"processes".into(), &4.into()), "{run}");
    }
}

#[test]
fn stdin_stdout_and_the_working_directory_are_connected() {
    let world = World::new(AGON);
    world.write("question", "sat\n");
    world.ok(&["exec", "--stdin", "question", "--output", "answer", "--", "cat"]);
    assert_eq!(fs::read_to_string(world.path().join("answer")).unwrap(), "sat\n");
    // In text format, the output of the program is passed through.
    let output = world.run(&["exec", "--", "sh", "-c", "echo hello; echo warning >&2"]);
    assert_eq!((output.code, output.stdout.as_str()), (0, "hello\n"));
    assert!(output.stderr.starts_with("warning\nagon: exit code 0\n"), "{}", output.stderr);
    fs::create_dir(world.path().join("work")).unwrap();
    exec(&world, &["--dir", "work"], "echo x > left");
    assert_eq!(fs::read_to_string(world.path().join("work/left")).unwrap(), "x\n");
    let escape = format!("echo x > {}/escaped; echo $?", world.path().display());
    let run = exec(&world, &[], &escape);
    if run["isolation"]["read_only_files"] == true {
        assert!(!world.path().join("escaped").exists());
    } else {
        agon_testkit::skipped("files cannot be made read-only here");
    }
}

#[test]
fn the_network_is_kept_only_when_asked_for() {
    let world = World::new(AGON);
    let devices = |options: &[&str]| {
        let run = exec(&world, &[options, &["--output", "devices"]].concat(), "cat /proc/net/dev | tail -n +3 | wc -l");
        (run, fs::read_to_string(world.path().join("devices")).unwrap().trim().parse::<u32>().unwrap())
    };
    let (run, without) = devices(&[]);
    if run["isolation"]["no_network"] != true {
        return agon_testkit::skipped("network namespaces cannot be created here");
    }
    let (run, with) = devices(&["--network"]);
    assert_eq!(run["isolation"]["no_network"], false);
    assert!(without <= 1 && with >= without, "{without} {with}");
}

#[test]
fn the_doctor_reports_what_is_enforced_and_how_to_fix_the_rest() {
    let world = World::new(AGON);
    let output = world.run(&["doctor", "--format", "json"]);
    let rows: Value = serde_json::from_str(&output.stdout).unwrap();
    let rows = rows.as_array().unwrap();
    assert_eq!(output.code, i32::from(rows.iter().any(|row| row["ok"] == false)), "{}", output.stdout);
    assert!(rows.iter().all(|row| (row["ok"] == true) == (row["remedy"] == "")), "{}", output.stdout);
    let run = exec(&world, &[], "true");
    for (what, fact) in [
        ("CPU time of the whole tree", "tree_cpu"),
        ("memory limit of the whole tree", "tree_memory"),
        ("no network", "no_network"),
        ("read-only files", "read_only_files"),
    ] {
        let row = rows.iter().find(|row| row["what"] == what).unwrap();
        assert_eq!(row["ok"], run["isolation"][fact], "{what}");
    }
}

#[test]
fn usage_errors_exit_with_2_and_missing_files_with_3() {
    let world = World::new(AGON);
    for (words, code) in [
        (vec!["exec", "--", "no-such-program"], 2),
        (vec!["exec"], 2),
        (vec!["exec", "--wall", "0", "--", "true"], 2),
        (vec!["exec", "--memory", "much", "--", "true"], 2),
        (vec!["exec", "--memory", "1", "--", "true"], 2),
        (vec!["exec", "--hide", "/", "--", "true"], 2),
        (vec!["exec", "--stdin", "home", "--", "true"], 3),
        (vec!["exec", "--cores", "100000", "--", "true"], 2),
        (vec!["exec", "--stdin", "gone", "--", "true"], 3),
        (vec!["exec", "--dir", "gone", "--", "true"], 3),
        (vec!["exec", "--", "./no-such-program"], 3),
    ] {
        assert_eq!(world.run(&words).code, code, "{words:?}");
    }
}
