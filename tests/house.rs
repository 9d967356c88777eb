//! The house is in order: crates depend only where the map allows, and every command explains itself.

use agon_testkit::World;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

/// Who may depend on whom, as in ARCHITECTURE.md. The program may depend on all, the test kit on none.
const MAP: [(&str, &[&str]); 13] = [
    ("domain", &[]),
    ("smtlib", &[]),
    ("contain", &[]),
    ("testkit", &[]),
    ("rulebook", &["domain"]),
    ("judge", &["domain"]),
    ("library", &["domain", "smtlib"]),
    ("scramble", &["domain", "smtlib"]),
    ("select", &["domain", "rulebook"]),
    ("score", &["domain", "rulebook"]),
    ("store", &["domain", "library", "rulebook"]),
    ("entrant", &["contain", "domain", "judge"]),
    ("dispatch", &["contain", "domain", "rulebook", "store"]),
];
const REPORT: (&str, &[&str]) = ("report", &["domain", "score", "store"]);

#[test]
fn dependencies_point_one_way() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline", "--manifest-path", manifest])
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let allowed: BTreeMap<&str, BTreeSet<&str>> =
        MAP.into_iter().chain([REPORT]).map(|(name, may)| (name, may.iter().copied().collect())).collect();
    let mut seen = 0;
    for package in metadata["packages"].as_array().unwrap() {
        let name = package["name"].as_str().unwrap();
        let Some(name) = name.strip_prefix("agon-") else { continue };
        let may = allowed.get(name).unwrap_or_else(|| panic!("the crate {name} is not on the map in tests/house.rs"));
        for dependency in package["dependencies"].as_array().unwrap() {
            let on = dependency["name"].as_str().unwrap();
            if let (Some(on), true) = (on.strip_prefix("agon-"), dependency["kind"].is_null()) {
                assert!(may.contains(on), "{name} must not depend on {on}; see ARCHITECTURE.md");
            }
        }
        seen += 1;
    }
    assert_eq!(seen, allowed.len(), "the map in tests/house.rs names a crate that is not there");
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
