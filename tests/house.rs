//! Checks of the repository itself: crate dependencies, the minimum Rust version, and the list of rules.

use agon_testkit::World;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

/// The crates in the table of ARCHITECTURE.md, and which crates each may use.
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
fn dependencies_match_the_architecture_table() {
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
    // The binary crate may use all crates.
    found.insert("agon".into(), BTreeSet::from(["all".to_owned()]));
    assert_eq!(found, map());
}

#[test]
fn completions_are_printed_for_the_usual_shells() {
    let world = World::new(AGON);
    for shell in ["bash", "zsh", "fish"] {
        assert!(world.ok(&["completions", shell]).contains("rerun"), "{shell}");
    }
}

/// The ids of the 220 rules, by document and section: the number of rules in each.
fn all_rules() -> Vec<String> {
    let sections = [
        ("R08-", &[5, 34, 12, 24, 6, 1, 1][..]),
        ("A11-", &[19]),
        ("D14-", &[13]),
        ("R19-", &[1, 1, 8, 16, 29, 10, 11, 1, 1]),
        ("SL19-", &[27]),
    ];
    let ids = |(document, counts): (&str, &[usize])| {
        let has_sections = counts.len() > 1;
        let of_section = |(at, count): (usize, &usize)| {
            let section = if has_sections { format!("{}.", at + 1) } else { String::new() };
            (1..=*count).map(|number| format!("{document}{section}{number}")).collect::<Vec<_>>()
        };
        counts.iter().enumerate().flat_map(of_section).collect::<Vec<_>>()
    };
    sections.into_iter().flat_map(ids).collect()
}

/// Whether a text contains an id, and not only a longer one that starts with it.
fn cites(text: &str, id: &str) -> bool {
    text.match_indices(id).any(|(at, _)| !text[at + id.len()..].starts_with(|next: char| next.is_ascii_digit()))
}

#[test]
fn every_rule_has_a_test_or_says_why_not() {
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
    // Every rule of the five documents has a row, in order.
    let listed: Vec<&str> = rows.iter().map(|row| row[1]).collect();
    assert_eq!(listed, all_rules());
    for row in &rows {
        let (id, test) = (row[1], row[4].trim_matches('`'));
        if ["people", "not yet"].contains(&row[3]) {
            assert!(!test.is_empty() && !row[4].starts_with('`'), "{id}: what supports it, or what does it wait for?");
            continue;
        }
        assert!(sources.contains(&format!("fn {test}()")), "{id}: there is no test {test}");
        let in_name = id.to_lowercase().replace(['-', '.'], "_");
        assert!(cites(test, &in_name), "{id}: the name of the test {test} does not contain the id");
        // The id has to be cited in a comment where the rule is implemented, not only in the name of a test.
        let cited = sources.lines().any(|line| line.trim_start().starts_with("//") && cites(line, id));
        assert!(cited, "{id} is not cited in any comment");
    }
}

#[test]
fn every_dependency_supports_the_minimum_rust_version() {
    let manifest = concat!(env!("CARGO_MANIFEST_DIR"), "/../../Cargo.toml");
    // Dependencies of other platforms may not have been downloaded.
    let platform = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline", "--manifest-path", manifest])
        .args(["--filter-platform", &platform])
        .output()
        .unwrap();
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let version = |text: &str| {
        let mut parts: Vec<u32> = text.split('.').map(|part| part.parse().unwrap()).collect();
        parts.resize(3, 0);
        parts
    };
    let ours = version(env!("CARGO_PKG_RUST_VERSION"));
    let packages = metadata["packages"].as_array().unwrap();
    assert!(packages.len() > 50, "{}", packages.len());
    for package in packages {
        if let Some(needed) = package["rust_version"].as_str() {
            assert!(version(needed) <= ours, "{} needs Rust {needed}", package["name"]);
        }
    }
}
