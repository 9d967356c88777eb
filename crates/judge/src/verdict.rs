//! The verdict on a claim: errors and points by [`Claim::worth`], and a ruling for readers.

use agon_domain::{Answer, Claim, ClaimRules, Evidence, Limit, Ruling, Status, Verdict, Worth};

/// The answer that a run printed, and the limit that ended it, if any.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// The answer, if it could be read.
    pub answer: Option<Answer>,
    /// The limit that ended the run, if any.
    pub limit: Option<Limit>,
}

/// Judges a run with a single answer against the benchmark's status.
///
/// An answer counts even if the process was killed or crashed afterwards (R19-7.3). A run without an answer is a
/// timeout if a time limit ended it (R08-3.9), a memout if the memory limit did, and otherwise an abort (R08-3.10,
/// R19-5.20).
pub fn verdict(reply: Reply, evidence: Evidence, status: Status) -> Verdict {
    let claim = Claim { answer: reply.answer.unwrap_or_default(), evidence };
    let Worth { errors, points } = claim.worth(status, &ClaimRules::default());
    let has_core = matches!(evidence, Evidence::Core(_)) && claim.answer == Answer::Unsat;
    let ruling = if errors > 0 {
        Ruling::Erroneous
    } else if points > 0 || has_core {
        Ruling::Solved
    } else {
        unsolved(reply)
    };
    Verdict { claim, ruling, points }
}

/// The ruling on a run without points and errors.
pub(crate) fn unsolved(reply: Reply) -> Ruling {
    match (reply.answer, reply.limit) {
        (Some(Answer::Unknown), _) => Ruling::Unknown,
        (_, Some(Limit::Wall | Limit::Cpu)) => Ruling::Timeout,
        (_, Some(Limit::Memory)) => Ruling::Memout,
        // The solver answered, but the evidence for its answer is missing or undecided.
        (Some(Answer::Sat | Answer::Unsat), _) => Ruling::Unknown,
        (None, Some(Limit::Output | Limit::Disk | Limit::Processes) | None) => Ruling::Abort,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ruling(answer: Option<Answer>, limit: Option<Limit>, status: Status) -> Ruling {
        verdict(Reply { answer, limit }, Evidence::None, status).ruling
    }

    #[test]
    fn r19_7_3_any_answer_is_correct_if_the_status_is_unknown() {
        assert_eq!(ruling(Some(Answer::Sat), None, Status::Unknown), Ruling::Solved);
        assert_eq!(ruling(Some(Answer::Sat), None, Status::Sat), Ruling::Solved);
        assert_eq!(ruling(Some(Answer::Sat), None, Status::Unsat), Ruling::Erroneous);
    }

    #[test]
    fn r19_7_3_an_answer_counts_despite_a_later_limit() {
        assert_eq!(ruling(Some(Answer::Unsat), Some(Limit::Wall), Status::Unsat), Ruling::Solved);
        assert_eq!(ruling(Some(Answer::Unsat), Some(Limit::Memory), Status::Sat), Ruling::Erroneous);
    }

    #[test]
    fn r08_3_9_and_r08_3_10_and_r19_5_20_runs_without_an_answer() {
        assert_eq!(ruling(None, Some(Limit::Wall), Status::Sat), Ruling::Timeout);
        assert_eq!(ruling(None, Some(Limit::Cpu), Status::Sat), Ruling::Timeout);
        assert_eq!(ruling(None, Some(Limit::Memory), Status::Sat), Ruling::Memout);
        for limit in [Limit::Output, Limit::Disk, Limit::Processes] {
            assert_eq!(ruling(None, Some(limit), Status::Sat), Ruling::Abort);
        }
        assert_eq!(ruling(None, None, Status::Sat), Ruling::Abort);
        assert_eq!(ruling(Some(Answer::Unknown), None, Status::Sat), Ruling::Unknown);
    }
}
