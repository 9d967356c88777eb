//! The proof track: reads the output of a proof runner and its checker.

use crate::output::{answer_and_rest, is_refusal, unstamped};
use agon_domain::Answer;

/// A checker's verdict on a proof.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProofVerdict {
    /// Every step is correct.
    Valid,
    /// No step is wrong, but some are unproved.
    Holey,
    /// A step is wrong.
    Invalid,
    /// The solver answered `sat`, so there is no proof.
    Sat,
    /// The checker gave up.
    Unknown,
    /// The run ended before the checker had a verdict.
    Timeout,
    /// The checker's output is empty or is not a verdict.
    Error,
}

impl ProofVerdict {
    /// The verdict in a checker's output: the first line that is neither blank nor a comment.
    pub fn of(output: &[u8]) -> Self {
        let lines = output.split(|byte| *byte == b'\n').map(|line| unstamped(line).trim_ascii());
        match lines.into_iter().find(|line| !line.is_empty() && !line.starts_with(b";")) {
            Some(b"valid") => Self::Valid,
            Some(b"holey") => Self::Holey,
            Some(b"sat") => Self::Sat,
            Some(b"EOF") => Self::Timeout,
            Some(b"invalid") => Self::Invalid,
            Some(b"unknown") => Self::Unknown,
            Some(_) | None => Self::Error,
        }
    }

    /// The verdict's name as a reason; `None` for `sat`, which is an answer.
    pub const fn reason(self) -> Option<&'static str> {
        match self {
            Self::Valid => Some("valid"),
            Self::Holey => Some("holey"),
            Self::Invalid => Some("invalid"),
            Self::Sat => None,
            Self::Unknown => Some("unknown"),
            Self::Timeout => Some("timeout"),
            Self::Error => Some("error"),
        }
    }

    /// The answer that the run counts as, in StarExec's terms.
    pub const fn answer(self) -> &'static str {
        match self {
            Self::Valid | Self::Holey => "unsat",
            Self::Sat => "sat",
            Self::Invalid | Self::Unknown | Self::Timeout | Self::Error => "starexec-unknown",
        }
    }
}

/// Splits a solver's response in the proof track into its answer and, after `unsat`, the proof if there is one.
pub fn proof_claim(output: &[u8]) -> (Option<Answer>, Option<Vec<u8>>) {
    let (answer, rest) = answer_and_rest(output);
    let answer = answer.and_then(Answer::read);
    let text = rest.trim_ascii();
    let is_proof = answer == Some(Answer::Unsat) && !text.is_empty() && !is_refusal(text);
    (answer, is_proof.then_some(rest))
}

/// What the official post-processor prints for the log of a proof run.
pub fn official_proof(output: &[u8]) -> Vec<(String, String)> {
    let verdict = ProofVerdict::of(output);
    let mut keys = vec![("starexec-result".to_owned(), verdict.answer().to_owned())];
    keys.extend(verdict.reason().map(|reason| ("reason".to_owned(), reason.to_owned())));
    let lines: Vec<&[u8]> = output.split(|byte| *byte == b'\n').collect();
    let line_with = |words: &[&str]| {
        let has = |line: &&&[u8]| {
            let text = String::from_utf8_lossy(line);
            words.iter().any(|word| text.contains(word))
        };
        lines.iter().find(has).and_then(|line| times(line))
    };
    let mut time = |name: &str, (cpu, wall): (f64, f64), digits: fn(f64) -> String| {
        keys.push((format!("{name}_cpu_time"), digits(cpu)));
        keys.push((format!("{name}_wall_time"), digits(wall)));
    };
    if let Some(solved) = line_with(&["; compressing proof"]) {
        time("solver", solved, |seconds| format!("{seconds:.2}"));
    }
    let checking = line_with(&["; checking proof"]);
    let checked = line_with(&["valid", "invalid", "holey", "sat", "unknown"]);
    if let (Some(from), Some(to)) = (checking, checked) {
        time("checker", (to.0 - from.0, to.1 - from.1), |seconds| format!("{seconds:.2}"));
    }
    keys.extend(lines.iter().filter_map(|line| pair(unstamped(line))));
    keys
}

/// The CPU and wall-clock time in the stamp of a line.
fn times(line: &[u8]) -> Option<(f64, f64)> {
    let text = String::from_utf8_lossy(line);
    let (cpu, wall) = text.split('\t').next()?.split_once('/')?;
    Some((cpu.parse().ok()?, wall.parse().ok()?))
}

/// Parses a line `key=value`; `None` if it contains characters that keys or values cannot have.
fn pair(line: &[u8]) -> Option<(String, String)> {
    let text = std::str::from_utf8(line).ok()?;
    let (key, value) = text.split_once('=')?;
    let is = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let fits = !key.is_empty() && key.chars().all(is) && value.chars().all(|c| is(c) || c == '.');
    fits.then(|| (key.to_owned(), value.to_owned()))
}
