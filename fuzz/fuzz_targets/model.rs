//! Judges arbitrary bytes as a benchmark and a response, separated by a zero byte, which must not crash. The reference
//! solver also gets the benchmark; if it answers `sat` with a model, the model must not be invalid.
#![no_main]

use agon_judge::{Assertions, Completeness, ModelVerdict, core_claim, judge_model};
use agon_reference::Session;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let at = input.iter().position(|byte| *byte == 0).unwrap_or(input.len());
    let (benchmark, response) = (&input[..at], input.get(at + 1..).unwrap_or_default());
    judge_model(benchmark, response, Completeness::Complete);
    if let Ok(assertions) = Assertions::read(benchmark) {
        core_claim(response, &assertions.names);
    }
    let mut said = vec![];
    let asked = [benchmark, b"\n(get-model)\n"].concat();
    Session::new(&mut said).run(&asked[..]).expect("writing to memory cannot fail");
    if said.starts_with(b"sat\n(\n") {
        let judged = judge_model(benchmark, &said, Completeness::Complete);
        assert_ne!(judged.verdict, ModelVerdict::Invalid, "{}", judged.detail);
    }
});
