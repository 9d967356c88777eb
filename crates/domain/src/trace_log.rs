//! The log of the trace executor: the answers of an incremental run, and how its session ended.
//!
//! The executor produces a [`TraceLog`] and the judge consumes it. Its text is the output of the official executor
//! since 2019, with StarExec's timestamps. Only this module writes and parses it.

use crate::{Answer, Status, Time};
use std::io::Write;

/// The line between the statuses and the script in files written by the official scrambler.
pub const BENCHMARK_BEGINS: &str = "--- BENCHMARK BEGINS HERE ---";

/// The messages for a wrong answer: of executors since 2014, and of earlier ones.
const WRONG: [&[u8]; 2] = [b"WRONG solver response: got", b"ERROR in solver response: got"];

/// The message for an `unknown` that ends the session.
const UNKNOWN: &[u8] = b"output from solver: unknown";

/// The result of an incremental run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TraceLog {
    /// The answers, in the order of the queries.
    pub answers: Vec<LoggedAnswer>,
    /// How the session ended.
    pub end: SessionEnd,
}

/// An answer in a log, with the time at which it arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoggedAnswer {
    /// The solver's answer.
    pub answer: Answer,
    /// The time at which the answer arrived, if the log has timestamps.
    pub stamp: Option<Stamp>,
}

/// StarExec's timestamp of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// CPU time since the start of the solver.
    pub cpu: Time,
    /// Wall-clock time since the start of the solver.
    pub wall: Time,
}

/// How a session ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum SessionEnd {
    /// All queries were answered, or a limit stopped the solver: the outcome distinguishes the two.
    #[default]
    Regular,
    /// An answer contradicts its status (A11-12, R19-7.4).
    Wrong {
        /// The answer of the solver.
        got: Answer,
        /// The status of the query.
        expected: Status,
    },
    /// The solver answered `unknown`, and the rules of the year stop there (A11-11).
    Unknown,
    /// The solver violated the protocol, or the script is malformed: the executor's message after `BAD `.
    Failed(Vec<u8>),
}

impl SessionEnd {
    /// The line that the executor prints for this end; `None` for a regular one.
    pub fn message(&self) -> Option<Vec<u8>> {
        match self {
            Self::Regular => None,
            Self::Wrong { got, expected } => {
                Some([WRONG[0], format!(" {got}, expected {expected}").as_bytes()].concat())
            }
            Self::Unknown => Some([b"BAD ", UNKNOWN].concat()),
            Self::Failed(message) => Some([b"BAD ", message.as_slice()].concat()),
        }
    }

    /// Parses a line of a log that reports the end of the session.
    fn read(line: &[u8]) -> Option<Self> {
        if let Some(rest) = WRONG.iter().find_map(|start| line.strip_prefix(*start)) {
            let text = String::from_utf8_lossy(rest);
            let (got, expected) = text.trim().split_once(", expected ").unwrap_or_default();
            let (got, expected) = (got.parse().unwrap_or_default(), expected.parse().unwrap_or_default());
            return Some(Self::Wrong { got, expected });
        }
        match line.strip_prefix(b"BAD ")? {
            UNKNOWN => Some(Self::Unknown),
            message => Some(Self::Failed(message.to_vec())),
        }
    }
}

impl TraceLog {
    /// Parses a log. Lines that are neither answers nor messages are skipped. Everything after the first message is
    /// ignored, since the message may quote the solver's output.
    pub fn read(text: &[u8]) -> Self {
        let mut log = Self::default();
        for line in text.split(|byte| *byte == b'\n') {
            let (stamp, line) = split_stamp(line);
            let line = line.trim_ascii();
            if let Some(answer) = Answer::read(line) {
                log.answers.push(LoggedAnswer { answer, stamp });
            } else if let Some(end) = SessionEnd::read(line) {
                log.end = end;
                break;
            }
        }
        log
    }

    /// The text of the log. An answer without a timestamp gets that of the start.
    pub fn to_text(&self) -> Vec<u8> {
        let mut text = vec![];
        for LoggedAnswer { answer, stamp } in &self.answers {
            let (cpu, wall) = stamp.map_or((Time::ZERO, Time::ZERO), |stamp| (stamp.cpu, stamp.wall));
            writeln!(text, "{cpu:.3}/{wall:.3}\t{answer}").expect("memory can be written");
        }
        if let Some(message) = self.end.message() {
            text.extend_from_slice(&message);
            text.push(b'\n');
        }
        text
    }
}

/// The length within which a stamp must end, so that long lines need not be searched.
const LONGEST_STAMP: usize = 100;

/// Splits off StarExec's timestamp `CPU/WALL` and the following tab from a line. As in the official regular expression,
/// the digits may be missing, and any character may be the decimal point of the wall time.
pub fn split_stamp(line: &[u8]) -> (Option<Stamp>, &[u8]) {
    let digits_around = |text: &[u8], is_point: fn(u8) -> bool| {
        let all_digits = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
        (0..text.len()).any(|at| is_point(text[at]) && all_digits(&text[..at]) && all_digits(&text[at + 1..]))
    };
    let Some(tab) = line.iter().take(LONGEST_STAMP).position(|byte| *byte == b'\t') else { return (None, line) };
    let stamp = &line[..tab];
    let Some(slash) = stamp.iter().position(|byte| *byte == b'/') else { return (None, line) };
    let (cpu, wall) = (&stamp[..slash], &stamp[slash + 1..]);
    if !digits_around(cpu, |byte| byte == b'.') || !digits_around(wall, |_| true) {
        return (None, line);
    }
    let seconds = |text: &[u8]| {
        let text = String::from_utf8_lossy(text);
        text.parse().map(Time::from_secs_f64).unwrap_or_default()
    };
    (Some(Stamp { cpu: seconds(cpu), wall: seconds(wall) }), &line[tab + 1..])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(answer: Answer, millis: u64) -> LoggedAnswer {
        let time = Time::from_nanos(millis * 1_000_000);
        LoggedAnswer { answer, stamp: Some(Stamp { cpu: time, wall: time }) }
    }

    #[test]
    fn a_log_round_trips() {
        let answers = vec![at(Answer::Sat, 100), at(Answer::Unknown, 250)];
        for end in [
            SessionEnd::Regular,
            SessionEnd::Wrong { got: Answer::Sat, expected: Status::Unsat },
            SessionEnd::Unknown,
            SessionEnd::Failed(b"response: unexpected EOF".to_vec()),
        ] {
            let log = TraceLog { answers: answers.clone(), end };
            assert_eq!(TraceLog::read(&log.to_text()), log);
        }
    }

    #[test]
    fn a_solver_cannot_forge_answers_in_a_message() {
        let end = SessionEnd::Failed(b"response to check command: 'x\nsat\nsat\n'".to_vec());
        let log = TraceLog::read(&TraceLog { answers: vec![at(Answer::Sat, 1)], end }.to_text());
        assert_eq!(log.answers, [at(Answer::Sat, 1)]);
    }

    #[test]
    fn logs_of_earlier_executors_and_without_timestamps() {
        let log = TraceLog::read(b"sat\r\nnoise\n unsat \nERROR in solver response: got sat, expected unsat\nsat\n");
        let plain = |answer| LoggedAnswer { answer, stamp: None };
        assert_eq!(log.answers, [plain(Answer::Sat), plain(Answer::Unsat)]);
        assert_eq!(log.end, SessionEnd::Wrong { got: Answer::Sat, expected: Status::Unsat });
    }
}
