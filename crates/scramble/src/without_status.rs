//! Removes the statuses from a benchmark that is not scrambled.
//!
//! Solvers read them: z3 prints an error after an answer that contradicts the status, and cvc5 suppresses such an
//! answer, so that wrong answers would go unnoticed.

use agon_smtlib::{Commands, QueryStatuses, SyntaxError};

/// Removes the parts of a script that [`QueryStatuses::hidden`] returns. All other bytes are kept.
pub(crate) fn without_status(script: &[u8]) -> Result<Vec<u8>, SyntaxError> {
    let mut statuses = QueryStatuses::default();
    for command in Commands::new(script) {
        statuses.see(&command?);
    }
    let mut prepared = Vec::with_capacity(script.len());
    let mut kept_to = 0;
    for place in statuses.hidden() {
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
    fn only_statuses_are_removed() {
        let script = b"(set-logic QF_UF)\n(set-info :status unsat) ; note\n(set-info :source |:status sat|)\n\
                       (assert false)(set-info\n :status\n sat)(check-sat)";
        let prepared = without_status(script).unwrap();
        let expected = "(set-logic QF_UF)\n ; note\n(set-info :source |:status sat|)\n(assert false)(check-sat)";
        assert_eq!(String::from_utf8(prepared).unwrap(), expected);
    }

    #[test]
    fn sl19_13_the_early_query_of_a_separation_logic_problem_is_removed() {
        let script =
            b"(set-logic QF_SHLS)(set-info :status sat)(declare-heap (R R))(check-sat)(assert true)(check-sat)";
        let expected = "(set-logic QF_SHLS)(declare-heap (R R))(assert true)(check-sat)";
        assert_eq!(String::from_utf8(without_status(script).unwrap()).unwrap(), expected);
        let script = b"(set-logic QF_SHLS)(declare-heap (R R))(check-unsat)(assert true)(check-unsat)";
        let expected = "(set-logic QF_SHLS)(declare-heap (R R))(assert true)(check-unsat)";
        assert_eq!(String::from_utf8(without_status(script).unwrap()).unwrap(), expected);
        // In other logics the first check-sat is a query.
        let script = b"(set-logic QF_UF)(check-sat)(assert true)(check-sat)";
        assert_eq!(without_status(script).unwrap(), script);
    }

    #[test]
    fn a_malformed_script_is_rejected() {
        assert!(without_status(b"(assert true").is_err());
    }
}
