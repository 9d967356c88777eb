//! Checks and prints arbitrary bytes as SL-COMP's dialect. The printed form of an accepted script must be accepted too,
//! fit into the same divisions, and be printed unchanged.
#![no_main]

use agon_smtlib::{Checker, Dialect, KeptTerms, Printer, Rules, read_script};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|script: &[u8]| {
    let read = |script: &[u8]| {
        let mut checker = Checker::new(Rules { strict: false, dialect: Dialect::Sl });
        let mut printed = vec![];
        let summary = read_script(script, &mut checker, KeptTerms::OfCommand, |checker, command, _| {
            Printer::new(checker).command(command, &mut printed);
        });
        (summary.expect("reading from memory cannot fail"), printed)
    };
    let (summary, printed) = read(script);
    if summary.is_right() {
        let (again, printed_again) = read(&printed);
        assert!(again.is_right(), "{}", String::from_utf8_lossy(&printed));
        assert_eq!((summary.divisions, printed), (again.divisions, printed_again));
    }
});
