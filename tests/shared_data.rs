//! Checks against published data, if it is available.

use agon_domain::{Answer, Status};
use agon_domain::{Scrambling, Track};
use agon_scramble::prepare;
use agon_smtlib::{Checker, KeptTerms, Rules, read_script};
use agon_testkit::{World, shared, table};
use std::fs;

const AGON: &str = env!("CARGO_BIN_EXE_agon");

#[test]
fn r19_5_22_single_answers_agree_with_the_official_post_processor() {
    let Some(directory) = shared("data/postprocess/single-query") else { return };
    let mut checked = 0;
    for (index, expected) in [("index.tsv", "expected_stdout"), ("extra.tsv", "official_stdout")] {
        for row in table(&directory.join(index)) {
            let output = fs::read(directory.join(&row["input"])).unwrap();
            let answer = agon_judge::single_answer(&output).filter(|answer| answer.is_definite());
            let word = answer.map_or("starexec-unknown", |answer: Answer| answer.name());
            assert_eq!(format!("starexec-result={word}"), row[expected].trim(), "{}", row["input"]);
            checked += 1;
        }
    }
    assert_eq!(checked, 41);
}

#[test]
fn r08_4_21_random_numbers_equal_those_of_the_c_library() {
    let Some(file) = shared("data/random/random-vectors.tsv") else { return };
    let mut checked = 0;
    for row in table(&file) {
        let (Ok(seed), Ok(index), Ok(value)) =
            (row["seed"].parse::<u32>(), row["index"].parse::<usize>(), row["value"].parse::<u32>())
        else {
            continue;
        };
        let mut random = agon_select::CRandom::new(seed);
        let number = (0..=index).map(|_| random.next_number()).last();
        assert_eq!(number, Some(value), "seed {seed}, number {index}");
        checked += 1;
    }
    assert!(checked >= 100, "{checked}");
}

#[test]
fn r19_6_10_a_published_seed_is_reproduced_from_its_magic_numbers() {
    let Some(file) = shared("data/random/magic-numbers.tsv") else { return };
    let world = World::new(AGON);
    let rows = table(&file);
    let numbers: String = rows
        .iter()
        .filter(|row| row["year"] == "2007")
        .map(|row| {
            format!(
                "{}\t{}\t{}\n",
                row["entrant"],
                row["number"],
                if row["use"].starts_with("organizer") { "organizer" } else { "" }
            )
        })
        .collect();
    world.write("numbers.tsv", &numbers);
    let seed = world.json(&["seed", "--numbers", "numbers.tsv", "--index", "0", "--format", "json"]);
    assert_eq!(seed["seed"], 600_830_695);
}

fn is_right(script: &[u8]) -> bool {
    let mut checker = Checker::new(Rules::default());
    read_script(script, &mut checker, KeptTerms::OfCommand, |_, _, _| {}).unwrap().is_right()
}

#[test]
fn the_corpus_matches_its_index_before_and_after_preparation() {
    let Some(directory) = shared("data/corpus") else { return };
    let (mut checked, mut refused) = (0, vec![]);
    for row in table(&directory.join("index.tsv")) {
        let file = directory.join(&row["path"]);
        let Ok(script) = fs::read(&file) else { continue };
        let header = agon_library::Header::read(&script).unwrap_or_else(|error| panic!("{}: {error}", row["path"]));
        assert_eq!(header.logic.0, row["logic"], "{}", row["path"]);
        assert_eq!(header.statuses.len().to_string(), row["n_checks"], "{}", row["path"]);
        // A prepared file has the same queries without their statuses, and is well-formed if the original is.
        let was_right = is_right(&script);
        for scrambling in [Scrambling::None, Scrambling::Standard] {
            let prepared = match prepare(&script, Track::SingleQuery, scrambling, 42) {
                Ok(ready) => ready.bytes,
                Err(error) => {
                    refused.push(format!("{}: {error}", row["path"]));
                    continue;
                }
            };
            let after = agon_library::Header::read(&prepared).unwrap();
            let counts = |header: &agon_library::Header| (header.asserts, header.statuses.len());
            assert_eq!(counts(&after), counts(&header), "{}", row["path"]);
            assert!(after.statuses.iter().all(|status| *status == Status::Unknown), "{}", row["path"]);
            assert_eq!(is_right(&prepared), was_right, "{} {scrambling:?}", row["path"]);
        }
        checked += 1;
    }
    assert!(checked > 1000, "{checked}");
    assert!(refused.is_empty(), "{} {refused:#?}", refused.len());
}

#[test]
fn invalid_characters_are_rejected_as_by_other_parsers() {
    let Some(directory) = shared("data/illformed") else { return };
    let mut checked = 0;
    for row in table(&directory.join("index.tsv")) {
        let is_lexical = row["kind"] == "lexical" && row["class"] == "must";
        let is_about_characters = row["message"].contains("illegal") || row["message"].contains("Invalid token");
        let Ok(script) = fs::read(directory.join(&row["file"])) else { continue };
        if is_lexical && is_about_characters {
            let mut lexer = agon_smtlib::Lexer::new(&script);
            let fault = std::iter::from_fn(|| lexer.next_token().transpose()).find_map(Result::err);
            assert!(fault.is_some(), "{}: {}", row["file"], row["message"]);
            checked += 1;
        }
    }
    assert!(checked >= 8, "{checked}");
}
