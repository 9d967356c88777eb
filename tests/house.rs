//! The house is in order: crates depend only where the map allows, and every command explains itself.

use agon_testkit::World;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

/// The crates of the table in ARCHITECTURE.md and what each may use.
fn map() -> BTreeMap<String, BTreeSet<String>> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../ARCHITECTURE.md");
    let text = std::fs::read_to_string(root).unwrap();
    let rows = text.split("## The crates").nth(1).unwrap().lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let uses = cells[2].split(',').map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
        (cells[0].trim_matches('`').to_owned(), uses.collect())
    })
    .take_while(|(name, _): &(String, BTreeSet<String>)| !name.contains('/'))
    .collect()
}

#[test]
fn dependencies_are_those_on_the_map() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline", "--manifest-path", manifest])
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let mut found: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for package in metadata["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        let normal =
            package["dependencies"].as_array().unwrap().iter().filter(|dependency| dependency["kind"].is_null());
        let ours = normal.filter_map(|dependency| dependency["name"].as_str().unwrap().strip_prefix("agon-"));
        found.insert(name.trim_start_matches("agon-").to_owned(), ours.map(str::to_owned).collect());
    }
    // The program uses whatever it needs.
    found.insert("agon".into(), BTreeSet::from(["all".to_owned()]));
    assert_eq!(found, map());
}

#[test]
fn every_command_has_help_with_an_example() {
    let world = World::new(AGON);
    let commands = |words: &[&str]| -> Vec<String> {
        let help = world.ok(&[words, &["--help"]].concat());
        let listed = help.split("Commands:\n").nth(1).unwrap_or_default();
        let names = listed.lines().take_while(|line| !line.trim().is_empty());
        let names = names.filter(|line| line.starts_with("  ") && !line.starts_with("   "));
        names
            .filter_map(|line| line.split_whitespace().next())
            .filter(|name| *name != "help")
            .map(str::to_owned)
            .collect()
    };
    let mut seen = 0;
    for command in commands(&[]) {
        let below = commands(&[&command]);
        let groups = ["library", "entrant"];
        let all: Vec<Vec<&str>> = if groups.contains(&command.as_str()) {
            below.iter().map(|sub| vec![command.as_str(), sub.as_str()]).collect()
        } else {
            vec![vec![command.as_str()]]
        };
        assert!(!all.is_empty(), "{command}");
        for words in all {
            let help = world.ok(&[words.as_slice(), &["--help"]].concat());
            assert!(
                help.contains("Example:") && help.contains("agon "),
                "agon {} --help has no example",
                words.join(" ")
            );
            seen += 1;
        }
    }
    assert!(seen >= 20, "{seen}");
}

#[test]
fn completions_are_printed_for_the_usual_shells() {
    let world = World::new(AGON);
    for shell in ["bash", "zsh", "fish"] {
        assert!(world.ok(&["completions", shell]).contains("rerun"), "{shell}");
    }
}

#[test]
fn every_rule_in_the_list_has_its_test() {
    let root = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    let list = std::fs::read_to_string(root.join("docs/rules.md")).unwrap();
    let mut sources = String::new();
    let mut directories = vec![root.join("crates"), root.join("tests")];
    while let Some(directory) = directories.pop() {
        for item in std::fs::read_dir(directory).unwrap().map(Result::unwrap) {
            if item.path().is_dir() {
                directories.push(item.path());
            } else if item.path().extension().is_some_and(|end| end == "rs") {
                sources += &std::fs::read_to_string(item.path()).unwrap();
            }
        }
    }
    let rows: Vec<Vec<&str>> = list
        .lines()
        .filter(|line| ["| R", "| A11", "| D14", "| SL"].iter().any(|start| line.starts_with(start)))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    assert!(rows.len() > 20);
    for row in &rows {
        let (id, test) = (row[1], row[4].trim_matches('`'));
        assert!(sources.contains(&format!("fn {test}()")), "{id}: no test is called {test}");
        let in_name = id.to_lowercase().replace(['-', '.'], "_");
        assert!(test.contains(&in_name), "{id}: the test {test} does not bear its id");
        // Cited where it is implemented, not only where it is tested.
        let cited = sources.lines().any(|line| line.contains(id) && line.trim_start().starts_with("//"));
        assert!(cited, "{id} is cited in no comment");
    }
}
