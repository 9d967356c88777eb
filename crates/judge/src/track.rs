//! The verdict on one run, by track.

use crate::core::{CoreClaim, CoreJudgement};
use crate::incremental::strict_incremental;
use crate::model::{ModelJudgement, ModelVerdict, judge_model};
use crate::output::lines;
use crate::proof::ProofVerdict;
use crate::verdict::verdict;
use agon_domain::{Answer, Limit, Ruling, Status, Verdict};

/// The ruling on a run that gave no answer worth having.
fn without_answer(answer: Option<Answer>, limit: Option<Limit>) -> Ruling {
    verdict(answer.filter(|answer| !answer.is_definite()), limit, Status::Unknown).ruling
}

/// Judges a run of the model-validation track (R19-7.5): one point for a valid model, an error for an invalid one.
pub fn model_verdict(prepared: &[u8], output: &[u8], limit: Option<Limit>) -> (Verdict, String) {
    let ModelJudgement { verdict, code, detail } = judge_model(prepared, output, limit.is_some());
    let answer = crate::single_answer(output);
    let ruling = match verdict {
        ModelVerdict::Valid => Ruling::Solved,
        ModelVerdict::Invalid => Ruling::Erroneous,
        ModelVerdict::Unknown => match without_answer(answer, limit) {
            // It answered, and what followed could not be decided.
            Ruling::Abort if answer == Some(Answer::Sat) => Ruling::Unknown,
            other => other,
        },
    };
    let points = u64::from(ruling == Ruling::Solved);
    (Verdict { answer: answer.unwrap_or(Answer::Unknown), ruling, points }, format!("{verdict} ({code}): {detail}"))
}

/// Judges a run of the unsat-core track (R19-7.5): the reduction, or an error.
pub fn core_verdict(claim: &CoreClaim, judged: &CoreJudgement, limit: Option<Limit>) -> (Verdict, String) {
    let answer = match claim {
        CoreClaim::NotUnsat(answer) => *answer,
        _ => Some(Answer::Unsat),
    };
    let ruling = match answer {
        _ if judged.erroneous => Ruling::Erroneous,
        Some(Answer::Unsat) => Ruling::Solved,
        other => without_answer(other, limit),
    };
    let verdict = Verdict { answer: answer.unwrap_or(Answer::Unknown), ruling, points: judged.reduction };
    (verdict, judged.detail.clone())
}

/// Judges a run of the proof track: a point for a proof that its checker accepts, an error for one that it refutes and for an
/// answer that contradicts the status.
pub fn proof_verdict(
    answer: Option<Answer>,
    checked: Option<ProofVerdict>,
    limit: Option<Limit>,
    status: Status,
) -> Verdict {
    let ruling = match (answer, checked) {
        (Some(answer), _) if answer.contradicts(status) => Ruling::Erroneous,
        (_, Some(ProofVerdict::Valid | ProofVerdict::Holey)) => Ruling::Solved,
        (_, Some(ProofVerdict::Invalid | ProofVerdict::Sat)) => Ruling::Erroneous,
        (Some(Answer::Sat | Answer::Unsat), _) => match without_answer(None, limit) {
            Ruling::Abort => Ruling::Unknown,
            other => other,
        },
        _ => without_answer(answer, limit),
    };
    let points = u64::from(ruling == Ruling::Solved);
    Verdict { answer: answer.unwrap_or(Answer::Unknown), ruling, points }
}

/// Judges a run of the incremental track by what the trace executor wrote (R19-7.4): so many right answers, or an error if
/// one is wrong. Those before a limit, a crash or an unexpected answer count.
pub fn incremental_verdict(log: &[u8], limit: Option<Limit>, statuses: &[Status]) -> (Verdict, String) {
    let keys = strict_incremental(log, statuses);
    let value = |name: &str| keys.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
    let points: u64 = value("correct-answers").and_then(|count| count.parse().ok()).unwrap_or(0);
    let trouble = lines(log).find(|line| line.starts_with(b"BAD") || line.starts_with(b"WRONG"));
    let ruling = match trouble {
        _ if value("wrong-answers") != Some("0") => Ruling::Erroneous,
        Some(b"BAD output from solver: unknown") => Ruling::Unknown,
        Some(_) => without_answer(None, limit),
        None if limit.is_some_and(|limit| matches!(limit, Limit::Wall | Limit::Cpu | Limit::Memory)) => {
            without_answer(None, limit)
        }
        None if points > 0 => Ruling::Solved,
        None => Ruling::Unknown,
    };
    let trouble = trouble.map_or(String::new(), |line| format!("; {}", String::from_utf8_lossy(line)));
    let evidence = format!("{points} right answers of {} queries{trouble}", statuses.len());
    (Verdict { answer: Answer::Unknown, ruling, points }, evidence)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SAT: Status = Status::Sat;
    const UNSAT: Status = Status::Unsat;

    #[test]
    fn r19_7_4_one_wrong_answer_spoils_an_incremental_run() {
        let judge = |log: &str, limit| incremental_verdict(log.as_bytes(), limit, &[SAT, Status::Unknown, UNSAT]).0;
        let all = "0.1/0.1\tsat\n0.2/0.2\tsat\n0.3/0.3\tunsat\n";
        assert_eq!((judge(all, None).ruling, judge(all, None).points), (Ruling::Solved, 3));
        let wrong = "0.1/0.1\tsat\nWRONG solver response: got sat, expected unsat\n";
        assert_eq!((judge(wrong, None).ruling, judge(wrong, None).points), (Ruling::Erroneous, 0));
        // A status that was corrected after the run.
        let other = incremental_verdict(all.as_bytes(), None, &[UNSAT]).0;
        assert_eq!((other.ruling, other.points), (Ruling::Erroneous, 0));
        let late = judge("0.1/0.1\tsat\n", Some(Limit::Wall));
        assert_eq!((late.ruling, late.points), (Ruling::Timeout, 1));
        let crash = judge("0.1/0.1\tsat\nBAD response: unexpected EOF\n", None);
        assert_eq!((crash.ruling, crash.points), (Ruling::Abort, 1));
        assert_eq!(judge("", None).ruling, Ruling::Unknown);
    }

    #[test]
    fn a_proof_counts_if_its_checker_accepts_it() {
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
    fn r19_7_5_models_and_cores_are_points_or_errors() {
        let benchmark = b"(set-logic QF_BV)(declare-const x (_ BitVec 4))(assert (= x #x3))(check-sat)";
        let model = |output: &str, limit| model_verdict(benchmark, output.as_bytes(), limit).0;
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
            let judged = crate::judge_core(&claim, 2, None, false);
            core_verdict(&claim, &judged, None).0
        };
        assert_eq!((core("unsat\n(a)").ruling, core("unsat\n(a)").points), (Ruling::Solved, 1));
        assert_eq!((core("unsat\n(a c)").ruling, core("unsat\n(a c)").points), (Ruling::Erroneous, 0));
        assert_eq!(core("unknown\n").ruling, Ruling::Unknown);
        assert_eq!(core("").ruling, Ruling::Abort);
    }
}
