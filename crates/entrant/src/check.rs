//! Tries an entrant on trivial files and says in plain words what is wrong.

use agon_contain::{ContainError, Ending, Limit, Measured};
use agon_domain::{Answer, Entrant, Logic, Track};
use agon_judge::single_answer;
use std::fs;
use std::io;
use std::path::Path;

/// One thing that was tried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// In which track.
    pub track: Track,
    /// On what.
    pub what: String,
    /// What is wrong, if anything is.
    pub problem: Option<String>,
}

/// Tries the entrant's single-query command on a true and on a false formula, in up to three of its logics. The caller
/// runs it, as it would in a competition.
pub fn check(
    entrant: &Entrant,
    folder: &Path,
    run: impl Fn(&Path) -> io::Result<Result<Measured, ContainError>>,
) -> io::Result<Vec<Finding>> {
    let track = Track::SingleQuery;
    if !entrant.commands.contains_key(&track) {
        let problem = format!("has no command for the {track} track, so it would never be run");
        return Ok(vec![Finding { track, what: "its description".into(), problem: Some(problem) }]);
    }
    let all = [Logic("QF_UF".into()), Logic("QF_BV".into()), Logic("QF_LIA".into())];
    let logics = entrant.divisions.get(&track).map_or(&all[..], Vec::as_slice);
    let mut findings = vec![];
    for (logic, (formula, expected)) in logics
        .iter()
        .take(3)
        .flat_map(|logic| [("true", Answer::Sat), ("false", Answer::Unsat)].map(|case| (logic, case)))
    {
        let file = folder.join(format!("check-{logic}-{expected}.smt2"));
        fs::write(&file, format!("(set-logic {logic})\n(assert {formula})\n(check-sat)\n(exit)\n"))?;
        let problem = match run(&file)? {
            Ok(run) => problem(&run, expected),
            Err(ContainError::Start(program, error)) => {
                Some(format!("{} cannot be started: {}", program.display(), why_not(&error)))
            }
            Err(error) => return Err(io::Error::other(error)),
        };
        findings.push(Finding { track, what: format!("(assert {formula}) in {logic}"), problem });
    }
    Ok(findings)
}

fn why_not(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => {
            "no such program, or the interpreter that its first line names, or the loader that it was linked for, is not on this machine".into()
        }
        io::ErrorKind::PermissionDenied => "it is not executable".into(),
        _ if error.raw_os_error() == Some(8) => {
            "it is neither a program for this machine nor a script with #! in its first line".into()
        }
        _ => error.to_string(),
    }
}

fn problem(run: &Measured, expected: Answer) -> Option<String> {
    let answer = single_answer(&run.stdout);
    if answer == Some(expected) {
        return None;
    }
    let text = |bytes: &[u8]| {
        let line = bytes.split(|byte| *byte == b'\n').find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
        String::from_utf8_lossy(&line[..line.len().min(200)]).into_owned()
    };
    let ending = match (run.limit, run.ending) {
        (Some(Limit::Wall), _) => format!("had to be stopped after {:.0} seconds", run.wall.as_secs_f64()),
        (Some(Limit::Cpu), _) => format!("had to be stopped after {:.0} s of CPU time", run.cpu.as_secs_f64()),
        (Some(Limit::Memory), _) => "ran out of memory".to_owned(),
        (Some(Limit::Output), _) => format!("wrote more than {} bytes", run.stdout.len().max(run.stderr.len())),
        (Some(Limit::Disk), _) => "filled its working folder".to_owned(),
        (Some(Limit::Processes), _) => "started too many processes".to_owned(),
        (None, Ending::Exit(code)) => format!("ended with exit code {code}"),
        (None, Ending::Signal(signal)) => format!("was ended by signal {signal}"),
    };
    Some(match answer {
        Some(answer) if answer.is_definite() => format!("answers {answer} where {expected} is right: unsound"),
        Some(_) => format!("answers unknown where {expected} is trivially right"),
        None if run.stdout.is_empty() && run.stderr.is_empty() => format!("says nothing and {ending}"),
        None if run.stdout.is_empty() => {
            format!("says nothing on standard output and {ending}; on standard error: {}", text(&run.stderr))
        }
        None => format!(
            "{ending} and its output starts '{}', where the first line has to be sat, unsat or unknown",
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
        problem(&host.run(&job, &limits).unwrap(), expected)
    }

    #[test]
    fn problems_are_said_in_plain_words() {
        assert_eq!(problem_of("echo sat", Answer::Sat), None);
        for (script, words) in [
            ("echo sat", "unsound"),
            ("echo unknown", "trivially"),
            ("exit 3", "says nothing and ended with exit code 3"),
            ("echo 'no licence' >&2", "no licence"),
            ("echo 'c SolverX 1.0'; echo unsat", "c SolverX 1.0"),
            ("kill -SEGV $$", "signal 11"),
            ("yes", "more than 1000 bytes"),
        ] {
            let problem = problem_of(script, Answer::Unsat).unwrap();
            assert!(problem.contains(words), "{script}: {problem}");
        }
    }
}
