//! Takes the `:status` out of a benchmark.
//!
//! Solvers read it: z3 adds an error to an answer that contradicts it, cvc5 keeps such an answer to itself. Either
//! way a wrong answer would go unseen.

use agon_smtlib::{Commands, SyntaxError};

/// The script without its `(set-info :status …)` commands, byte for byte the same otherwise.
pub(crate) fn without_status(script: &[u8]) -> Result<Vec<u8>, SyntaxError> {
    let mut prepared = Vec::with_capacity(script.len());
    let mut kept_to = 0;
    for command in Commands::new(script) {
        let command = command?;
        if command.info().is_some_and(|(key, _)| key == b":status") {
            prepared.extend_from_slice(&script[kept_to..command.place.start]);
            kept_to = command.place.end;
        }
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
    fn a_broken_script_is_refused() {
        assert!(without_status(b"(assert true").is_err());
    }
}
