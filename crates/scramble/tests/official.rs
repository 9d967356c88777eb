//! The official scrambler's own tests and recorded outputs, byte for byte, from the shared data.

use agon_domain::Digest;
use agon_scramble::{Annotations, Options, core_names, scramble, scramble_with_statuses};
use agon_testkit::{shared, table};
use std::collections::BTreeMap;
use std::fs;

/// Scrambles a script. Returns the output, and the number of assertions or the error message.
fn run(script: &[u8], options: &Options) -> (Vec<u8>, Result<u64, String>) {
    let mut out = vec![];
    let result = scramble(script, options, &mut out);
    (out, result.map(|scrambled| scrambled.asserts).map_err(|error| error.to_string()))
}

fn official(mode: &str, seed: &str) -> Options {
    let recipe = Options::recipe(mode.parse().unwrap());
    Options { seed: seed.parse().unwrap(), official: true, ..recipe }
}

#[test]
fn the_official_tests_pass() {
    let Some(directory) = shared("data/scrambler") else { return };
    let rows = table(&directory.join("tests.tsv"));
    assert_eq!(rows.len(), 147);
    for row in rows {
        let script = fs::read(directory.join(&row["input"])).unwrap();
        let expected = fs::read(directory.join(&row["expected"])).unwrap();
        let mode = row["mode"].as_str();
        let (mut out, result) = run(&script, &official(mode, &row["seed"]));
        match mode {
            "incremental" => {
                out.clear();
                scramble_with_statuses(&script, &official(mode, &row["seed"]), &mut out).unwrap();
            }
            "asrt-count" => out.extend(format!("; Number of assertions: {}\n", result.unwrap()).bytes()),
            _ => {}
        }
        assert!(out == expected, "{} {} {mode}", row["input"], row["seed"]);
    }
}

#[test]
fn recorded_outputs_are_reproduced() {
    let Some(directory) = shared("data/scrambler") else { return };
    let rows = table(&directory.join("more.tsv"));
    let mut wrong = BTreeMap::new();
    for row in &rows {
        let script = fs::read(directory.join(&row["file"])).unwrap();
        let (out, result) = run(&script, &official(&row["mode"], &row["seed"]));
        let is_equal = Digest::of(&out).to_string() == row["sha256_stdout"];
        if !is_equal || result.is_err() != (row["exit_code"] == "1") {
            *wrong.entry(format!("{} {} {} {result:?}", row["file"], row["mode"], row["seed"])).or_insert(0) += 1;
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} differ: {:#?}",
        wrong.len(),
        rows.len(),
        wrong.keys().take(20).collect::<Vec<_>>()
    );
}

#[test]
fn error_messages_equal_those_of_the_official_tool() {
    let Some(directory) = shared("data/scrambler") else { return };
    let mut compared = 0;
    for row in table(&directory.join("rejected.tsv")) {
        let Some((_, file)) = row["file"].split_once("test/regress/cli/") else { continue };
        let Ok(script) = fs::read(directory.join("more-inputs").join(file)) else { continue };
        for (column, extended) in [("error_default_mode", false), ("error_with_non_smtcomp_and_z3", true)] {
            let options =
                Options { seed: 1, official: true, non_smtcomp: extended, z3: extended, ..Options::default() };
            let said = run(&script, &options).1.err().unwrap_or_else(|| "accepted".into());
            assert_eq!(said, row[column], "{file}");
            compared += 1;
        }
    }
    assert!(compared > 50, "{compared}");
}

#[test]
fn edge_cases_are_reproduced() {
    let Some(directory) = shared("data/scrambler") else { return };
    for row in table(&directory.join("edge.tsv")) {
        let case = row["case"].as_str();
        // The range of the seed is checked by the command line. The official tool ends a string at a NUL byte, which is
        // not imitated.
        if matches!(case, "seed-overflow" | "nul-in-string") {
            continue;
        }
        let script = fs::read(directory.join(&row["input"])).unwrap();
        let expected = fs::read(directory.join(&row["stdout"])).unwrap();
        let said = fs::read_to_string(directory.join(&row["stderr"])).unwrap();
        let (out, result) = match options(&row["options"]) {
            Ok(options) => run(&script, &options),
            Err(error) => (vec![], Err(error)),
        };
        assert_eq!(String::from_utf8_lossy(&out), String::from_utf8_lossy(&expected), "{case}");
        assert_eq!(result.err().map(|error| error + "\n").unwrap_or_default(), said, "{case}");
    }
}

/// Parses the command-line options of the official tool.
fn options(words: &str) -> Result<Options, String> {
    let mut options = Options { official: true, ..Options::default() };
    let words: Vec<&str> = words.split(' ').collect();
    for pair in words.chunks(2) {
        let &[option, value] = pair else { panic!("{words:?}") };
        let flag = value == "true";
        match option {
            "-seed" => options.seed = value.parse().unwrap(),
            "-term_annot" => {
                options.annotations = match value {
                    "true" => Annotations::All,
                    "pattern" => Annotations::Patterns,
                    _ => Annotations::None,
                };
            }
            "-core" => {
                // The data has no core files; these contents are inferred from the recorded outputs.
                let text = match value {
                    "core-empty.core" => "unsat\n()\n",
                    "core-only-open.core" => "unsat (",
                    "core-unknown-names.core" => "unsat\n(zzz n1)\n",
                    "core-quoted-mismatch.core" => "unsat\n(n1 n3)\n",
                    "core-noise.core" => "unsat noise (n1)",
                    _ => "",
                };
                let names = core_names(text.as_bytes());
                options.core = Some(names.ok_or(format!("ERROR parsing core names from {value}"))?);
            }
            "-incremental" => options.incremental = flag,
            "-gen-unsat-core" => options.unsat_core = flag,
            "-gen-model-val" => options.model = flag,
            "-gen-proof" => options.proof = flag,
            "-support-non-smtcomp" => options.non_smtcomp = flag,
            "-support-z3" => options.z3 = flag,
            other => panic!("{other}"),
        }
    }
    Ok(options)
}
