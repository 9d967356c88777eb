//! Any bytes as a file of results: errors and runs, and no crash, whatever the rules. What is written of the runs gives the same
//! scores when it is read again.
#![no_main]

use agon_import::{read, write_csv};
use agon_rulebook::Rulebook;
use agon_score::{Rules, score};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static RULEBOOKS: LazyLock<Vec<Rulebook>> =
    LazyLock::new(|| Rulebook::names().map(|name| Rulebook::named(name).expect("it is compiled in")).collect());

fuzz_target!(|input: &[u8]| {
    let directory = tempfile::tempdir().expect("a directory");
    let (file, again) = (directory.path().join("results"), directory.path().join("again"));
    std::fs::write(&file, input).expect("room");
    let Ok(imported) = read(&[file]) else { return };
    let track = imported.track();
    let Ok((results, _)) = imported.into_results(track) else { return };
    let mut table = vec![];
    write_csv(&results, &mut table).expect("memory can be written");
    std::fs::write(&again, &table).expect("room");
    let second = read(std::slice::from_ref(&again)).ok().filter(|second| second.errors().is_empty());
    let second = second.and_then(|second| second.into_results(track).ok()).map(|(second, _)| second);
    for rulebook in RULEBOOKS.iter().filter(|rulebook| rulebook.tracks.contains_key(&track)) {
        for deviations in [&Default::default(), &rulebook.published] {
            let rules = Rules::new(rulebook, track, deviations).expect("the rulebook has the track");
            let scores = score(&results, &rules);
            // Solvers without runs are not in the table.
            if let Some(second) = second.as_ref().filter(|_| results.entered.is_empty()) {
                assert_eq!(scores, score(second, &rules));
            }
        }
    }
});
