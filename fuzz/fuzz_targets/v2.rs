//! Checks and prints arbitrary bytes as SMT-LIB 2. The printed form of an accepted script must be accepted too, have
//! the same number of terms, and be printed unchanged.
#![no_main]

use agon_smtlib::{Checker, Dialect, KeptTerms, Printer, Rules, read_script};
use libfuzzer_sys::fuzz_target;

fn read(script: &[u8], rules: Rules) -> (bool, Vec<u8>, usize) {
    let mut checker = Checker::new(rules);
    let mut printed = vec![];
    let summary = read_script(script, &mut checker, KeptTerms::OfScript, |checker, command, _| {
        Printer::new(checker).command(command, &mut printed);
    })
    .expect("reading from memory cannot fail");
    (summary.is_right(), printed, checker.terms.len())
}

fuzz_target!(|script: &[u8]| {
    for strict in [false, true] {
        let rules = Rules { strict, dialect: Dialect::V2 };
        let (right, printed, terms) = read(script, rules);
        if right && !strict {
            let (again, printed_again, terms_again) = read(&printed, rules);
            assert!(again, "{}", String::from_utf8_lossy(&printed));
            assert_eq!((&printed, terms), (&printed_again, terms_again));
        }
    }
});
