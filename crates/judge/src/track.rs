//! The verdict on one run, by track.

use crate::core::{CoreClaim, CoreJudgement};
use crate::incremental::{AnswerCount, count_answers};
use crate::model::{ModelJudgement, ModelVerdict, judge_model};
use crate::output::Completeness;
use crate::proof::ProofVerdict;
use crate::verdict::{Reply, unsolved, verdict};
use agon_domain::{Answer, Claim, Evidence, Limit, Ruling, SessionEnd, Status, TraceLog, Validity, Verdict};

/// Judges a run of the model-validation track. Returns the verdict and the reason.
pub fn model_verdict(prepared: &[u8], output: &[u8], limit: Option<Limit>, status: Status) -> (Verdict, String) {
    let ModelJudgement { verdict: judged, code, detail } = judge_model(prepared, output, Completeness::of(limit));
    let validity = match judged {
        ModelVerdict::Valid => Validity::Valid,
        ModelVerdict::Invalid => Validity::Invalid,
        ModelVerdict::Unknown => Validity::Undecided,
    };
    let reply = Reply { answer: crate::single_answer(output), limit };
    (verdict(reply, Evidence::Model(validity), status), format!("{judged} ({code}): {detail}"))
}

/// Judges a run of the unsat-core track. Returns the verdict and the reason.
pub fn core_verdict(
    claim: &CoreClaim,
    judged: &CoreJudgement,
    limit: Option<Limit>,
    status: Status,
) -> (Verdict, String) {
    let answer = match claim {
        CoreClaim::NotUnsat(answer) => *answer,
        CoreClaim::NoCore | CoreClaim::Faulty(_) | CoreClaim::Core(_) => Some(Answer::Unsat),
    };
    let evidence = if judged.erroneous {
        Evidence::RefutedCore
    } else {
        Evidence::Core(u32::try_from(judged.reduction).unwrap_or(u32::MAX))
    };
    (verdict(Reply { answer, limit }, evidence, status), judged.detail.clone())
}

/// Judges a run of the proof track.
pub fn proof_verdict(
    answer: Option<Answer>,
    checked: Option<ProofVerdict>,
    limit: Option<Limit>,
    status: Status,
) -> Verdict {
    let validity = match checked {
        Some(ProofVerdict::Valid | ProofVerdict::Holey) => Validity::Valid,
        Some(ProofVerdict::Invalid | ProofVerdict::Sat) => Validity::Invalid,
        Some(ProofVerdict::Unknown | ProofVerdict::Timeout | ProofVerdict::Error) | None => Validity::Undecided,
    };
    verdict(Reply { answer, limit }, Evidence::Proof(validity), status)
}

/// Judges a run of the incremental track by the log of the trace executor (R19-7.4). Answers before a limit, a crash or
/// an unexpected response count. Returns the verdict and the reason.
pub fn incremental_verdict(log: &TraceLog, limit: Option<Limit>, statuses: &[Status]) -> (Verdict, String) {
    let AnswerCount { correct, is_wrong, .. } = count_answers(log, statuses);
    let unanswered = unsolved(Reply { answer: None, limit });
    let ruling = match &log.end {
        _ if is_wrong => Ruling::Erroneous,
        SessionEnd::Unknown => Ruling::Unknown,
        SessionEnd::Regular if !matches!(unanswered, Ruling::Timeout | Ruling::Memout) => {
            if correct > 0 {
                Ruling::Solved
            } else {
                Ruling::Unknown
            }
        }
        SessionEnd::Regular | SessionEnd::Failed(_) | SessionEnd::Wrong { .. } => unanswered,
    };
    let message = log.end.message().map_or(String::new(), |message| format!("; {}", String::from_utf8_lossy(&message)));
    let detail = format!("{correct} correct answers to {} queries{}", statuses.len(), message.trim_end_matches("\n'"));
    let evidence = Evidence::Queries { correct, wrong: u32::from(is_wrong) };
    let claim = Claim { answer: Answer::Unknown, evidence };
    (Verdict { claim, ruling, points: correct.into() }, detail)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAT: Status = Status::Sat;
    const UNSAT: Status = Status::Unsat;

    #[test]
    fn r19_7_4_one_wrong_answer_cancels_an_incremental_run() {
        let judge = |log: &str, limit| {
            incremental_verdict(&TraceLog::read(log.as_bytes()), limit, &[SAT, Status::Unknown, UNSAT]).0
        };
        let all = "0.1/0.1\tsat\n0.2/0.2\tsat\n0.3/0.3\tunsat\n";
        assert_eq!((judge(all, None).ruling, judge(all, None).points), (Ruling::Solved, 3));
        let wrong = "0.1/0.1\tsat\nWRONG solver response: got sat, expected unsat\n";
        assert_eq!((judge(wrong, None).ruling, judge(wrong, None).points), (Ruling::Erroneous, 0));
        // The status was corrected after the run, so an answer that the executor accepted is wrong.
        let other = incremental_verdict(&TraceLog::read(all.as_bytes()), None, &[UNSAT]).0;
        assert_eq!((other.ruling, other.points), (Ruling::Erroneous, 0));
        let late = judge("0.1/0.1\tsat\n", Some(Limit::Wall));
        assert_eq!((late.ruling, late.points), (Ruling::Timeout, 1));
        let crash = judge("0.1/0.1\tsat\nBAD response: unexpected EOF\n", None);
        assert_eq!((crash.ruling, crash.points), (Ruling::Abort, 1));
        assert_eq!(judge("", None).ruling, Ruling::Unknown);
    }

    #[test]
    fn a_proof_counts_if_the_checker_accepts_it() {
        let judge = |answer, checked, limit| proof_verdict(answer, checked, limit, Status::Unsat).ruling;
        let unsat = Some(Answer::Unsat);
        assert_eq!(judge(unsat, Some(ProofVerdict::Valid), None), Ruling::Solved);
        assert_eq!(judge(unsat, Some(ProofVerdict::Holey), Some(Limit::Wall)), Ruling::Solved);
        assert_eq!(judge(unsat, Some(ProofVerdict::Invalid), None), Ruling::Erroneous);
        assert_eq!(judge(unsat, Some(ProofVerdict::Timeout), None), Ruling::Unknown);
        assert_eq!(judge(unsat, None, Some(Limit::Wall)), Ruling::Timeout);
        assert_eq!(judge(Some(Answer::Sat), None, None), Ruling::Erroneous);
        assert_eq!(judge(Some(Answer::Unknown), None, None), Ruling::Unknown);
        assert_eq!(judge(None, None, None), Ruling::Abort);
        assert_eq!(crate::proof_claim(b"unsat\n(proof)\n"), (unsat, Some(b"(proof)\n".to_vec())));
        assert_eq!(crate::proof_claim(b"unsat\n(error \"none\")\n"), (unsat, None));
        assert_eq!(crate::proof_claim(b"sat\n(proof)\n"), (Some(Answer::Sat), None));
    }

    #[test]
    fn r19_7_5_models_and_cores_earn_points_or_are_errors() {
        let benchmark = b"(set-logic QF_BV)(declare-const x (_ BitVec 4))(assert (= x #x3))(check-sat)";
        let model = |output: &str, limit| model_verdict(benchmark, output.as_bytes(), limit, Status::Sat).0;
        let valid = model("sat\n((define-fun x () (_ BitVec 4) #x3))\n", None);
        assert_eq!((valid.ruling, valid.points), (Ruling::Solved, 1));
        assert_eq!(model("sat\n((define-fun x () (_ BitVec 4) #x4))\n", None).ruling, Ruling::Erroneous);
        assert_eq!(model("unsat\n", None).ruling, Ruling::Erroneous);
        assert_eq!(model("unknown\n", None).ruling, Ruling::Unknown);
        assert_eq!(model("sat\n((define-fun x", Some(Limit::Wall)).ruling, Ruling::Timeout);
        assert_eq!(model("sat\n((define-fun x", None).ruling, Ruling::Erroneous);
        assert_eq!(model("", Some(Limit::Memory)).ruling, Ruling::Memout);
        let names = [b"a".to_vec(), b"b".to_vec()].into();
        let core = |output: &str| {
            let claim = crate::core_claim(output.as_bytes(), &names);
            let judged = crate::judge_core(&claim, 2, None, Completeness::Complete);
            core_verdict(&claim, &judged, None, UNSAT).0
        };
        assert_eq!((core("unsat\n(a)").ruling, core("unsat\n(a)").points), (Ruling::Solved, 1));
        assert_eq!((core("unsat\n(a c)").ruling, core("unsat\n(a c)").points), (Ruling::Erroneous, 0));
        assert_eq!(core("unknown\n").ruling, Ruling::Unknown);
        assert_eq!(core("").ruling, Ruling::Abort);
    }
}
