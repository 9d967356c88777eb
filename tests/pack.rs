//! The statuses of the generated benchmarks are known by construction; real solvers confirm them.

use agon_testkit::World;
use std::collections::{BTreeMap, BTreeSet};

const AGON: &str = env!("CARGO_BIN_EXE_agon");

/// The status of each benchmark and the answers of all solvers to it, from the published runs.
fn answers(world: &World, directory: &str) -> BTreeMap<String, (String, BTreeSet<String>)> {
    world.ok(&["judge", "-C", directory]);
    world.ok(&["report", "-C", directory, "--to", "out"]);
    let table = std::fs::read_to_string(world.path().join("out/data/runs.csv")).unwrap();
    let mut answers: BTreeMap<String, (String, BTreeSet<String>)> = BTreeMap::new();
    for line in table.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let (benchmark, status, answer) = (cells[3], cells[4], cells[8]);
        let entry = answers.entry(benchmark.to_owned()).or_insert((status.to_owned(), BTreeSet::new()));
        entry.1.insert(answer.to_owned());
    }
    answers
}

#[test]
fn every_status_is_confirmed_and_none_contradicted() {
    let world = World::with_solvers(AGON);
    world.ok(&["init", "c", "--rules", "smtcomp-2019"]);
    let settings = std::fs::read_to_string(world.path().join("c/agon.toml")).unwrap();
    let limits = "\n[rules]\nrun_non_competitive = true\n[rules.tracks.single-query.limits]\nwall_s = 15\ncores = 1\nmemory_bytes = 4_000_000_000\n";
    world.write("c/agon.toml", &(settings + limits));
    world.ok(&["library", "generate", "pack"]);
    // Small sizes in addition to the standard ones, for the edge cases of each construction.
    world.ok(&["library", "generate", "pack", "--size", "2", "--size", "3"]);
    world.ok(&["library", "add", "-C", "c", "pack"]);
    for solver in ["z3", "yices", "bitwuzla"] {
        world.ok(&["entrant", "add", "-C", "c", solver]);
    }
    world.steps(&["seed --index 1", "select", "prepare", "run"]);
    let answers = answers(&world, "c");
    assert!(answers.len() >= 64 + 32, "{}", answers.len());
    for (benchmark, (status, answers)) in &answers {
        let wrong = if status == "sat" { "unsat" } else { "sat" };
        assert!(!answers.contains(wrong), "{benchmark} is {status} by construction, but a solver answers {wrong}");
        assert!(answers.contains(status.as_str()), "{benchmark}: no solver confirms {status}: {answers:?}");
    }
}
