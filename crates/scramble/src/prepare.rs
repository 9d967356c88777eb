//! Prepares a benchmark for a track.

use crate::error::ScrambleError;
use crate::name_map::NameMap;
use crate::options::{Annotations, Options, Recipe};
use crate::scramble::scramble;
use crate::v1::scramble_v1;
use crate::without_status::without_status;
use agon_domain::{Scrambling, Track};
use agon_smtlib::is_version_1;

/// The file that a solver gets, and the original names of its symbols.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The script, without any status.
    pub bytes: Vec<u8>,
    /// The original names; empty if no symbol was renamed.
    pub names: NameMap,
}

/// Prepares a benchmark for a track. Removes all statuses, since solvers read them: z3 prints an error after an answer
/// that contradicts the status, and cvc5 suppresses such an answer, so that wrong answers would go unnoticed.
pub fn prepare(script: &[u8], track: Track, scrambling: Scrambling, seed: u32) -> Result<Ready, ScrambleError> {
    prepare_from(script, Options::recipe(Recipe::Track(track)), scrambling, seed)
}

/// Prepares a benchmark like [`prepare`], and removes the patterns of quantifiers (R08-4.3).
pub fn prepare_without_patterns(
    script: &[u8],
    track: Track,
    scrambling: Scrambling,
    seed: u32,
) -> Result<Ready, ScrambleError> {
    let recipe = Options { annotations: Annotations::None, ..Options::recipe(Recipe::Track(track)) };
    prepare_from(script, recipe, scrambling, seed)
}

fn prepare_from(script: &[u8], recipe: Options, scrambling: Scrambling, seed: u32) -> Result<Ready, ScrambleError> {
    let keeps_patterns = recipe.annotations != Annotations::None;
    let official = scrambling == Scrambling::Official;
    // The scrambler takes seed 0 as a request not to scramble, but a competition's seed may be 0. Like srandom(), use
    // 1.
    let seed = if scrambling == Scrambling::None { 0 } else { seed.max(1) };
    let options = Options { seed, official, ..recipe };
    let is_old = is_version_1(script);
    if scrambling == Scrambling::None && options.adds_nothing() && keeps_patterns && !is_old {
        return Ok(Ready { bytes: without_status(script)?, names: NameMap::default() });
    }
    let mut bytes = vec![];
    let scrambled =
        if is_old { scramble_v1(script, &options, &mut bytes)? } else { scramble(script, &options, &mut bytes)? };
    Ok(Ready { bytes, names: scrambled.names })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCRIPT: &[u8] = b"(set-logic QF_UF)(declare-fun p () Bool)(set-info :status sat)(assert p)(check-sat)(exit)";

    fn text(track: Track, scrambling: Scrambling) -> String {
        String::from_utf8(prepare(SCRIPT, track, scrambling, 7).unwrap().bytes).unwrap()
    }

    #[test]
    fn sl19_20_only_statuses_are_removed() {
        let expected = "(set-logic QF_UF)(declare-fun p () Bool)(assert p)(check-sat)(exit)";
        // The file is the same for all tracks with a single query.
        for track in [Track::SingleQuery, Track::Parallel, Track::Cloud, Track::IndustryChallenge] {
            assert_eq!(text(track, Scrambling::None), expected);
        }
    }

    #[test]
    fn r08_4_3_patterns_are_removed_with_and_without_scrambling() {
        let script = b"(set-logic UF)(declare-sort S 0)(declare-fun f (S) Bool)\
                       (assert (forall ((x S)) (! (f x) :pattern ((f x)))))(check-sat)";
        for scrambling in [Scrambling::None, Scrambling::Standard] {
            let text = |ready: Ready| String::from_utf8(ready.bytes).unwrap();
            let with = text(prepare(script, Track::SingleQuery, scrambling, 7).unwrap());
            let without = text(prepare_without_patterns(script, Track::SingleQuery, scrambling, 7).unwrap());
            assert!(with.contains(":pattern") && !without.contains(":pattern"), "{with} {without}");
        }
    }

    #[test]
    fn r19_5_25_each_track_gets_its_options_and_commands() {
        let single = text(Track::SingleQuery, Scrambling::Standard);
        assert!(
            single.starts_with("(set-option :print-success false)\n(set-logic QF_UF)\n(declare-fun x1"),
            "{single}"
        );
        assert!(!single.contains("status"));
        assert_eq!(
            single,
            String::from_utf8(prepare(SCRIPT, Track::SingleQuery, Scrambling::Standard, 0).unwrap().bytes).unwrap()
        );
        let incremental = text(Track::Incremental, Scrambling::Standard);
        assert!(incremental.starts_with("(set-logic") && !incremental.contains("status"), "{incremental}");
        assert_eq!(incremental, text(Track::Incremental, Scrambling::Official));
        let core = text(Track::UnsatCore, Scrambling::None);
        assert!(core.contains("(assert (! p :named smtcomp1))\n(check-sat)\n(get-unsat-core)\n"), "{core}");
        let model = text(Track::ModelValidation, Scrambling::Standard);
        assert!(model.contains("(set-option :produce-models true)") && model.contains("(get-model)"), "{model}");
    }
}
