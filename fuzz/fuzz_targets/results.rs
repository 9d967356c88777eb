//! Any bytes as a file of results: faults and runs, and no crash, whatever the rules. What is written of the runs gives the same
//! scores when it is read again.
#![no_main]

use agon_import::{read, write_csv};
use agon_rulebook::Rulebook;
use agon_score::score;
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static RULEBOOKS: LazyLock<Vec<Rulebook>> =
    LazyLock::new(|| Rulebook::names().map(|name| Rulebook::named(name).expect("it is compiled in")).collect());

fuzz_target!(|input: &[u8]| {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, again) = (folder.path().join("results"), folder.path().join("again"));
    std::fs::write(&file, input).expect("room");
    let Ok(imported) = read(&[file]) else { return };
    for rules in RULEBOOKS.iter() {
        for track in rules.tracks.keys() {
            for deviations in [Default::default(), rules.published.clone()] {
                let results = imported.results(rules, *track, deviations).expect("the rulebook has the track");
                score(&results);
            }
        }
    }
    let rules = &RULEBOOKS[9];
    for track in rules.tracks.keys() {
        let results = imported.results(rules, *track, Default::default()).expect("the rulebook has the track");
        let mut table = vec![];
        write_csv(&results, &mut table).expect("memory can be written");
        std::fs::write(&again, &table).expect("room");
        let Ok(second) = read(std::slice::from_ref(&again)) else { continue };
        if second.faults().is_empty() {
            let second = second.results(rules, *track, Default::default()).expect("the rulebook has the track");
            if second.is_incremental == results.is_incremental {
                assert_eq!(second.runs.len(), results.runs.len());
            }
        }
    }
});
