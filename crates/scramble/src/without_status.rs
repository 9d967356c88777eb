//! Takes the `:status` out of a benchmark.
//!
//! Solvers read it: z3 adds an error to an answer that contradicts it, cvc5 keeps such an answer to itself. Either
//! way a wrong answer would go unseen.

use agon_smtlib::{Commands, SyntaxError};

/// The script without its `(set-info :status …)` commands, byte for byte the same otherwise. Problems of separation logic
/// lose the `check-sat` that stands before all assertions, too: it is a mark for readers, not a question, and a solver would
/// answer it first (SL19-13).
pub(crate) fn without_status(script: &[u8]) -> Result<Vec<u8>, SyntaxError> {
    let mut statuses = vec![];
    let mut early_queries = vec![];
    let (mut is_separation, mut has_asserted) = (false, false);
    for command in Commands::new(script) {
        let command = command?;
        match command.name {
            b"declare-heap" => is_separation = true,
            b"assert" => has_asserted = true,
            b"check-sat" if !has_asserted => early_queries.push(command.place),
            _ if command.info().is_some_and(|(key, _)| key == b":status") => statuses.push(command.place),
            _ => {}
        }
    }
    let mut dropped = statuses;
    if is_separation && has_asserted {
        dropped.extend(early_queries);
        dropped.sort_unstable_by_key(|place| place.start);
    }
    let mut prepared = Vec::with_capacity(script.len());
    let mut kept_to = 0;
    for place in dropped {
        prepared.extend_from_slice(&script[kept_to..place.start]);
        kept_to = place.end;
    }
    prepared.extend_from_slice(&script[kept_to..]);
    Ok(prepared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_goes_and_nothing_else() {
        let script = b"(set-logic QF_UF)\n(set-info :status unsat) ; note\n(set-info :source |:status sat|)\n\
                       (assert false)(set-info\n :status\n sat)(check-sat)";
        let prepared = without_status(script).unwrap();
        let expected = "(set-logic QF_UF)\n ; note\n(set-info :source |:status sat|)\n(assert false)(check-sat)";
        assert_eq!(String::from_utf8(prepared).unwrap(), expected);
    }

    #[test]
    fn sl19_13_the_early_query_of_a_separation_logic_problem_goes() {
        let script =
            b"(set-logic QF_SHLS)(set-info :status sat)(declare-heap (R R))(check-sat)(assert true)(check-sat)";
        let expected = "(set-logic QF_SHLS)(declare-heap (R R))(assert true)(check-sat)";
        assert_eq!(String::from_utf8(without_status(script).unwrap()).unwrap(), expected);
        // Elsewhere it is a question.
        let script = b"(set-logic QF_UF)(check-sat)(assert true)(check-sat)";
        assert_eq!(without_status(script).unwrap(), script);
    }

    #[test]
    fn a_broken_script_is_refused() {
        assert!(without_status(b"(assert true").is_err());
    }
}
