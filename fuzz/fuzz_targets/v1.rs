//! Checks and translates arbitrary bytes as SMT-LIB 1.2. The translation of an accepted script must be accepted as
//! version 2, and, if the script can be printed as version 1.2, that output must be accepted as well.
#![no_main]

use agon_smtlib::{Checker, Dialect, KeptTerms, Printer, Rules, V1Printer, read_script};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|script: &[u8]| {
    let mut checker = Checker::new(Rules { strict: false, dialect: Dialect::V1 });
    let mut new = vec![];
    let mut old = V1Printer::default();
    let mut possible = true;
    let summary = read_script(script, &mut checker, KeptTerms::OfCommand, |checker, command, _| {
        Printer::new(checker).command(command, &mut new);
        possible &= old.see(checker, command).is_ok();
    })
    .expect("reading from memory cannot fail");
    if !summary.is_right() {
        return;
    }
    let right = |script: &[u8], dialect| {
        let mut checker = Checker::new(Rules { strict: false, dialect });
        read_script(script, &mut checker, KeptTerms::OfCommand, |_, _, _| {}).expect("memory is readable").is_right()
    };
    assert!(right(&new, Dialect::V2), "{}", String::from_utf8_lossy(&new));
    if possible {
        let old = old.finish("fuzz");
        assert!(right(&old, Dialect::V1), "{}", String::from_utf8_lossy(&old));
    }
});
