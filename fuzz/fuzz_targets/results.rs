//! Imports arbitrary bytes as a results file and scores the runs by every rulebook, which must not crash. After an
//! export and another import, the scores must be the same.
#![no_main]

use agon_import::{read, write_csv};
use agon_rulebook::Rulebook;
use agon_score::{Rules, score};
use libfuzzer_sys::fuzz_target;
use std::sync::LazyLock;

static RULEBOOKS: LazyLock<Vec<Rulebook>> =
    LazyLock::new(|| Rulebook::names().map(|name| Rulebook::named(name).expect("a built-in rulebook")).collect());

fuzz_target!(|input: &[u8]| {
    let directory = tempfile::tempdir().expect("a directory");
    let (file, again) = (directory.path().join("results"), directory.path().join("again"));
    std::fs::write(&file, input).expect("enough disk space");
    let Ok(imported) = read(&[file]) else { return };
    let track = imported.track();
    let Ok((results, _)) = imported.into_results(track) else { return };
    let mut table = vec![];
    write_csv(&results, &mut table).expect("writing to memory cannot fail");
    std::fs::write(&again, &table).expect("enough disk space");
    // An empty export has no lines that show its track.
    let second = (!results.runs.is_empty()).then(|| {
        let second = read(std::slice::from_ref(&again)).expect("an export can be read");
        assert_eq!(second.errors().map(ToString::to_string).collect::<Vec<_>>(), [""; 0], "the export has errors");
        second.into_results(track).expect("the export is of the same track").0
    });
    for rulebook in RULEBOOKS.iter().filter(|rulebook| rulebook.tracks.contains_key(&track)) {
        for deviations in [&Default::default(), &rulebook.published] {
            let rules = Rules::new(rulebook, track, deviations).expect("the rulebook has the track");
            let scores = score(&results, &rules);
            if let Some(second) = &second {
                assert_eq!(scores, score(second, &rules));
            }
        }
    }
});
