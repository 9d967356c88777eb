//! The ruling on one run of the single-query track.

use agon_domain::{Answer, Limit, Ruling, Status, Verdict};

/// Judges an answer against the benchmark's status.
///
/// An answer counts even if the process was killed or crashed afterwards (R19-7.3). Without one, a time limit makes
/// a timeout (R08-3.9), the memory limit a memout, and everything else an abort (R08-3.10, R19-5.20).
pub fn verdict(answer: Option<Answer>, limit: Option<Limit>, status: Status) -> Verdict {
    let ruling = match (answer, limit) {
        (Some(Answer::Unknown), _) => Ruling::Unknown,
        (Some(answer), _) if answer.contradicts(status) => Ruling::Erroneous,
        (Some(_), _) => Ruling::Solved,
        (None, Some(Limit::Wall | Limit::Cpu)) => Ruling::Timeout,
        (None, Some(Limit::Memory)) => Ruling::Memout,
        (None, Some(Limit::Output | Limit::Disk | Limit::Processes) | None) => Ruling::Abort,
    };
    let points = u64::from(ruling == Ruling::Solved);
    Verdict { answer: answer.unwrap_or(Answer::Unknown), ruling, points }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ruling(answer: Option<Answer>, limit: Option<Limit>, status: Status) -> Ruling {
        verdict(answer, limit, status).ruling
    }

    #[test]
    fn r19_7_3_any_answer_is_right_where_the_status_is_unknown() {
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
