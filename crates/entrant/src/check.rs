//! Runs an entrant on trivial files and explains problems.

use agon_contain::{ContainError, Ending, Limit, Measured};
use agon_domain::{Answer, AnswerWords, Logic, Status, Submission, TraceLog, Track};
use agon_judge::{
    Completeness, CoreClaim, ModelVerdict, answer_in_words, core_claim, incremental_verdict, judge_model, proof_claim,
};
use std::fs;
use std::io;
use std::path::Path;

/// The language of the trivial files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    /// SMT-LIB 2.
    #[default]
    V2,
    /// SMT-LIB 1.2, which the competitions up to 2009 used.
    V1,
    /// The dialect of SL-COMP; the logics are the classes of its divisions, such as `qf_shls_sat` (SL19-16).
    Separation,
}

/// One run of an entrant on a trivial file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trial {
    /// The track whose command was run.
    pub track: Track,
    /// The content of the file and its logic, such as "(assert true) in QF_UF".
    pub what: String,
    /// The problem with the run, if any.
    pub problem: Option<String>,
}

/// Tries each of the entrant's commands (R19-4.1) on trivial files of the track, in up to three of its logics. `run`
/// runs a command on a file as in a competition: the output of an incremental run is the log of the trace executor.
pub fn check(
    entrant: &Submission,
    language: Language,
    directory: &Path,
    mut run: impl FnMut(Track, &Path) -> io::Result<Result<Measured, ContainError>>,
) -> io::Result<Vec<Trial>> {
    let names: &[&str] = match language {
        Language::V2 | Language::V1 => &["QF_UF", "QF_BV", "QF_LIA"],
        Language::Separation => &["qf_shls_sat", "qf_shls_entl", "qf_bsl_sat"],
    };
    let all: Vec<Logic> = names.iter().map(|name| Logic((*name).into())).collect();
    let mut findings = vec![];
    'tracks: for track in entrant.commands.keys().copied() {
        let logics = entrant.logics.get(&track).map_or(&all[..], Vec::as_slice);
        for logic in logics.iter().take(3) {
            for (number, (what, text, expected)) in trials(track, logic, language).into_iter().enumerate() {
                let extension = if language == Language::V1 { "smt" } else { "smt2" };
                let file = directory.join(format!("check-{track}-{logic}-{number}.{extension}"));
                fs::write(&file, &text)?;
                let mut hangs = false;
                let problem = match run(track, &file)? {
                    Ok(run) => {
                        hangs = matches!(run.limit, Some(Limit::Wall | Limit::Cpu));
                        problem_of_track(track, &run, &text, expected, &entrant.answers)
                    }
                    Err(ContainError::Start(program, error)) => {
                        Some(format!("{} cannot be started: {}", program.display(), why_not(&error)))
                    }
                    Err(error) => return Err(io::Error::other(error)),
                };
                findings.push(Trial { track, what: format!("{what} in {logic}"), problem });
                if hangs {
                    // The solver would hang on the next file as well.
                    continue 'tracks;
                }
            }
        }
    }
    Ok(findings)
}

/// The trivial files of a track, and the expected answers.
fn trials(track: Track, logic: &Logic, language: Language) -> Vec<(&'static str, String, Answer)> {
    match track {
        _ if language == Language::V1 => {
            [("formula true", "true", Answer::Sat), ("formula false", "false", Answer::Unsat)]
                .map(|(what, formula, answer)| {
                    (
                        what,
                        format!("(benchmark check\n:logic {logic}\n:status unknown\n:formula {formula}\n)\n"),
                        answer,
                    )
                })
                .into()
        }
        _ if language == Language::Separation => separation_trials(logic),
        Track::Incremental | Track::IndustryChallengeIncremental => vec![(
            "two queries",
            format!(
                "(set-logic {logic})\n(set-info :status sat)\n(check-sat)\n(push 1)\n(assert false)\n\
                 (set-info :status unsat)\n(check-sat)\n(pop 1)\n(exit)\n"
            ),
            Answer::Sat,
        )],
        Track::UnsatCore => vec![(
            "a core of two",
            format!(
                "(set-option :produce-unsat-cores true)\n(set-logic {logic})\n(declare-fun p () Bool)\n\
                 (assert (! p :named a))\n(assert (! (not p) :named b))\n(check-sat)\n(get-unsat-core)\n(exit)\n"
            ),
            Answer::Unsat,
        )],
        Track::ModelValidation => vec![(
            "a model of p",
            format!(
                "(set-option :produce-models true)\n(set-logic {logic})\n(declare-fun p () Bool)\n(assert p)\n\
                 (check-sat)\n(get-model)\n(exit)\n"
            ),
            Answer::Sat,
        )],
        Track::Proof => vec![(
            "a proof",
            format!(
                "(set-option :produce-proofs true)\n(set-logic {logic})\n(assert false)\n(check-sat)\n(get-proof)\n(exit)\n"
            ),
            Answer::Unsat,
        )],
        Track::SingleQuery | Track::IndustryChallenge | Track::Parallel | Track::Cloud => {
            [("(assert true)", Answer::Sat), ("(assert false)", Answer::Unsat)]
                .map(|(what, answer)| (what, format!("(set-logic {logic})\n{what}\n(check-sat)\n(exit)\n"), answer))
                .into()
        }
    }
}

/// Trivial problems of separation logic in a class: satisfiable and unsatisfiable ones, or an entailment that holds and
/// one that does not.
fn separation_trials(class: &Logic) -> Vec<(&'static str, String, Answer)> {
    let (logic, question) = class.0.rsplit_once('_').unwrap_or((&class.0, "sat"));
    let list = "(define-fun-rec ls ((a R) (b R)) Bool (or (and (= a b) (_ emp R C))\n  (exists ((z R)) (and (distinct a b) \
                (sep (pto a (c z)) (ls z b))))))\n";
    let predicate = if logic.contains("bsl") { "" } else { list };
    let problem = |assertions: &str| {
        format!(
            "(set-logic {})\n(declare-sort R 0)\n(declare-datatypes ((C 0)) (((c (next R)))))\n(declare-heap (R C))\n\
             {predicate}(declare-const x R)\n(declare-const y R)\n{assertions}(check-sat)\n",
            logic.to_uppercase()
        )
    };
    let cell = "(assert (pto x (c y)))\n";
    let both = "(assert (sep (pto x (c y)) (pto x (c y))))\n";
    match question {
        "entl" => vec![
            ("an entailment that holds", problem(&format!("{cell}(assert (not (pto x (c y))))\n")), Answer::Unsat),
            ("an entailment that fails", problem(&format!("{cell}(assert (not (pto y (c x))))\n")), Answer::Sat),
        ],
        _ => vec![("one cell", problem(cell), Answer::Sat), ("one cell twice", problem(both), Answer::Unsat)],
    }
}

/// Describes what is wrong with a run in a track; `None` if nothing is.
fn problem_of_track(
    track: Track,
    run: &Measured,
    script: &str,
    expected: Answer,
    words: &AnswerWords,
) -> Option<String> {
    if track.is_incremental() {
        let (verdict, evidence) =
            incremental_verdict(&TraceLog::read(&run.stdout), None, &[Status::Sat, Status::Unsat]);
        return (verdict.points < 2).then_some(evidence);
    }
    if let Some(problem) = problem(run, expected, words) {
        return Some(problem);
    }
    match track {
        Track::UnsatCore => {
            let names = [b"a".to_vec(), b"b".to_vec()].into();
            match core_claim(&run.stdout, &names) {
                CoreClaim::Core(_) => None,
                CoreClaim::Faulty(fault) => Some(fault.to_string()),
                CoreClaim::NoCore | CoreClaim::NotUnsat(_) => Some("prints no core".into()),
            }
        }
        Track::ModelValidation => {
            let judged = judge_model(script.as_bytes(), &run.stdout, Completeness::Complete);
            (judged.verdict != ModelVerdict::Valid).then_some(judged.detail)
        }
        Track::Proof => proof_claim(&run.stdout).1.is_none().then(|| "prints no proof".into()),
        Track::SingleQuery
        | Track::Incremental
        | Track::IndustryChallenge
        | Track::IndustryChallengeIncremental
        | Track::Parallel
        | Track::Cloud => None,
    }
}

/// Explains why a program could not be started.
fn why_not(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => {
            "the program, the interpreter in its first line or its dynamic loader does not exist on this machine".into()
        }
        io::ErrorKind::PermissionDenied => "it is not executable".into(),
        _ if error.raw_os_error() == Some(8) => {
            "it is neither an executable for this machine nor a script with #! in its first line".into()
        }
        _ => error.to_string(),
    }
}

/// Describes how a run failed to print the expected answer; `None` if it did print it.
fn problem(run: &Measured, expected: Answer, words: &AnswerWords) -> Option<String> {
    let answer = answer_in_words(&run.stdout, words);
    if answer == Some(expected) {
        return None;
    }
    let text = |bytes: &[u8]| {
        let line = bytes.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
        String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned()
    };
    let ending = match (run.limit, run.ending) {
        (Some(Limit::Wall), _) => format!("was killed after {:.0} seconds", run.wall.as_secs_f64()),
        (Some(Limit::Cpu), _) => format!("was killed after {:.0} s of CPU time", run.cpu.as_secs_f64()),
        (Some(Limit::Memory), _) => "ran out of memory".to_owned(),
        (Some(Limit::Output), _) => format!("printed more than {} bytes", run.stdout.len().max(run.stderr.len())),
        (Some(Limit::Disk), _) => "filled its working directory".to_owned(),
        (Some(Limit::Processes), _) => "started too many processes".to_owned(),
        (None, Ending::Exit(code)) => format!("exited with exit code {code}"),
        (None, Ending::Signal(signal)) => format!("was killed by signal {signal}"),
    };
    Some(match answer {
        Some(answer) if answer.is_definite() => format!("answers {answer} where {expected} is correct: unsound"),
        Some(_) => format!("answers unknown where {expected} is trivially correct"),
        None if run.stdout.is_empty() && run.stderr.is_empty() => format!("prints nothing and {ending}"),
        None if run.stdout.is_empty() => {
            format!("prints nothing on stdout and {ending}; on stderr: {}", text(&run.stderr))
        }
        None => format!(
            "{ending}; its output starts with '{}', but the first line must be sat, unsat or unknown",
            text(&run.stdout)
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use agon_contain::{Host, Job, Limits};

    fn problem_of(script: &str, expected: Answer) -> Option<String> {
        let host = Host::bare();
        let work = host.fresh(Path::new(""), &[], &[]).unwrap();
        let job = Job {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), script.into()],
            environment: vec![("PATH".into(), "/bin:/usr/bin".into())],
            ..Job::new("/bin/sh", &work)
        };
        let limits = Limits { output: Some(1000), ..Limits::default() };
        problem(&host.run(&job, &limits).unwrap(), expected, &AnswerWords::default())
    }

    #[test]
    fn trivial_separation_logic_problems_fit_their_class() {
        for class in ["qf_shls_sat", "qf_shls_entl", "qf_bsl_sat", "qf_shid_entl"] {
            let trials = separation_trials(&Logic(class.into()));
            let logic = class.rsplit_once('_').unwrap().0.to_uppercase();
            assert!(trials.iter().all(|(_, text, _)| text.starts_with(&format!("(set-logic {logic})\n"))), "{class}");
            assert_eq!(trials.iter().filter(|(.., answer)| *answer == Answer::Unsat).count(), 1, "{class}");
        }
    }

    #[test]
    fn problems_are_explained() {
        assert_eq!(problem_of("echo sat", Answer::Sat), None);
        for (script, words) in [
            ("echo sat", "unsound"),
            ("echo unknown", "trivially"),
            ("exit 3", "prints nothing and exited with exit code 3"),
            ("echo 'no license' >&2", "no license"),
            ("echo 'c SolverX 1.0'; echo unsat", "c SolverX 1.0"),
            ("kill -SEGV $$", "signal 11"),
            ("yes", "more than 1000 bytes"),
        ] {
            let problem = problem_of(script, Answer::Unsat).unwrap();
            assert!(problem.contains(words), "{script}: {problem}");
        }
    }
}
