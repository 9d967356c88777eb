//! Scrambles arbitrary bytes in every mode. A well-formed script must stay well-formed; a rejected one must leave no
//! output.
#![no_main]

use agon_scramble::{Options, scramble, scramble_v1};
use agon_smtlib::{Checker, Dialect, KeptTerms, Rules, Summary, read_script};
use libfuzzer_sys::fuzz_target;

fn check(script: &[u8], dialect: Dialect) -> Summary {
    let mut checker = Checker::new(Rules { strict: false, dialect });
    read_script(script, &mut checker, KeptTerms::OfCommand, |_, _, _| {}).expect("reading from memory cannot fail")
}

fuzz_target!(|input: &[u8]| {
    let Some((choice, script)) = input.split_first() else { return };
    let recipe =
        ["single-query", "incremental", "unsat-core", "model-validation", "non-smtcomp", "z3"][*choice as usize % 6];
    let options = Options { seed: u32::from(choice / 6), ..Options::recipe(recipe.parse().expect("a recipe")) };
    let mut out = vec![];
    let _ = scramble(script, &Options { official: true, ..options.clone() }, &mut out);
    out.clear();
    match scramble(script, &options, &mut out) {
        Err(_) => assert!(out.is_empty()),
        Ok(_) => {
            let before = check(script, Dialect::V2);
            if before.is_right() {
                let after = check(&out, Dialect::V2);
                assert!(after.is_right(), "{:?}\n{}", after.errors.first(), String::from_utf8_lossy(&out));
            }
        }
    }
    out.clear();
    match scramble_v1(script, &options, &mut out) {
        Err(_) => assert!(out.is_empty()),
        Ok(_) => {
            if check(script, Dialect::V1).is_right() {
                let after = check(&out, Dialect::V1);
                assert!(after.is_right(), "{:?}\n{}", after.errors.first(), String::from_utf8_lossy(&out));
            }
        }
    }
});
