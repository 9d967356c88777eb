//! Prepares a benchmark for a track.

use crate::error::ScrambleError;
use crate::name_map::NameMap;
use crate::options::{Options, Recipe};
use crate::scramble::scramble;
use crate::v1::scramble_v1;
use crate::without_status::without_status;
use agon_domain::{Scrambling, Track};
use agon_smtlib::is_version_1;

/// The bytes that a solver sees, and the original names in them.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The script, without any status.
    pub bytes: Vec<u8>,
    /// Empty if nothing was renamed.
    pub names: NameMap,
}

/// Prepares a benchmark for a track. No status stays in the script, since solvers read it: z3 adds an error to an
/// answer that contradicts it, and cvc5 does not print such an answer. Either way a wrong answer would go unnoticed.
pub fn prepare(script: &[u8], track: Track, scrambling: Scrambling, seed: u32) -> Result<Ready, ScrambleError> {
    let recipe = Options::recipe(Recipe::Track(track));
    let official = scrambling == Scrambling::Official;
    // For the scrambler 0 means not to scramble, and a sum of magic numbers may be 0: like srandom(), use 1 then.
    let seed = if scrambling == Scrambling::None { 0 } else { seed.max(1) };
    let options = Options { seed, official, ..recipe };
    let is_old = is_version_1(script);
    if scrambling == Scrambling::None && options.adds_nothing() && !is_old {
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
    fn sl19_20_nothing_moves_and_no_status_stays() {
        let expected = "(set-logic QF_UF)(declare-fun p () Bool)(assert p)(check-sat)(exit)";
        // All tracks with a single query prepare the same file.
        for track in [Track::SingleQuery, Track::Parallel, Track::Cloud, Track::IndustryChallenge] {
            assert_eq!(text(track, Scrambling::None), expected);
        }
    }

    #[test]
    fn each_track_gets_what_it_needs() {
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
