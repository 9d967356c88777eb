//! The incremental track: counts the answers in the log of the trace executor.

use agon_domain::{LoggedAnswer, SessionEnd, Stamp, Status, TraceLog};

/// The text by which the official post-processor recognizes a wrong answer.
const WRONG: &[u8] = b"WRONG solver response: got";

/// What the official post-processor prints for an executor's output with StarExec's stamps. Its defects are reproduced:
/// any line that ends in the word `sat` counts, and without stamps the times are meaningless.
pub fn official_incremental(output: &[u8]) -> Vec<(String, String)> {
    let lines = || output.split(|byte| *byte == b'\n');
    let is_wrong = lines().any(|line| has_words(line, WRONG));
    let correct = lines().filter(|line| ends_in_word(line, b"sat") || ends_in_word(line, b"unsat")).count();
    let mut keys = vec![
        ("wrong-answers".to_owned(), u8::from(is_wrong).to_string()),
        ("correct-answers".to_owned(), if is_wrong { 0 } else { correct }.to_string()),
    ];
    if let Some(last) = lines().rfind(|line| line.ends_with(b"sat")) {
        let stamp = last.split(|byte| *byte == b'\t').next().unwrap_or_default();
        let mut times = stamp.split(|byte| *byte == b'/');
        let cpu = times.next().unwrap_or_default();
        let wall = times.next().unwrap_or(cpu);
        let text = |part: &[u8]| String::from_utf8_lossy(part).into_owned();
        keys.extend([("solver-cpu-time".to_owned(), text(cpu)), ("solver-wall-time".to_owned(), text(wall))]);
    }
    keys
}

/// What the official post-processor of 2014 prints. In that year the executor counted the answers itself.
pub fn official_incremental_2014(output: &[u8]) -> Vec<(String, String)> {
    let lines = || output.split(|byte| *byte == b'\n');
    let is_wrong = lines().any(|line| has_words(line, WRONG));
    let solved = lines().find_map(|line| {
        let text = String::from_utf8_lossy(line);
        let rest = text.split_once("SOLVED ")?.1;
        rest.split_once(" PROBLEMS IN ").map(|(count, _)| count.to_owned())
    });
    vec![
        ("wrong-answers".to_owned(), u8::from(is_wrong).to_string()),
        ("correct-answers".to_owned(), solved.unwrap_or_default()),
    ]
}

/// The number of correct answers of an incremental run, and whether one is wrong.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AnswerCount {
    /// The number of correct answers; 0 if one is wrong (R19-7.4).
    pub correct: u32,
    /// Whether an answer is wrong.
    pub is_wrong: bool,
    /// The time stamp of the last definite answer that was counted, if it has one.
    pub last: Option<Stamp>,
}

/// Counts the correct answers of a log, each against the status of its own query. A wrong answer cancels them all. If
/// statuses are given, answers beyond the number of queries do not count (R19-7.1, R19-7.4).
pub fn count_answers(log: &TraceLog, statuses: &[Status]) -> AnswerCount {
    let mut count = AnswerCount { is_wrong: matches!(log.end, SessionEnd::Wrong { .. }), ..AnswerCount::default() };
    let asked = if statuses.is_empty() { log.answers.len() } else { statuses.len() };
    for (at, LoggedAnswer { answer, stamp }) in log.answers.iter().enumerate().take(asked) {
        if !answer.is_definite() {
            continue;
        }
        count.last = *stamp;
        if answer.contradicts(statuses.get(at).copied().unwrap_or_default()) {
            count.is_wrong = true;
            break;
        }
        count.correct += 1;
    }
    if count.is_wrong {
        count.correct = 0;
    }
    count
}

/// What the official post-processor would print without its defects: only lines that are answers count.
pub fn strict_incremental(output: &[u8], expected: &[Status]) -> Vec<(String, String)> {
    let AnswerCount { correct, is_wrong, last } = count_answers(&TraceLog::read(output), expected);
    let mut keys = vec![
        ("wrong-answers".to_owned(), u8::from(is_wrong).to_string()),
        ("correct-answers".to_owned(), correct.to_string()),
    ];
    if let Some(Stamp { cpu, wall }) = last {
        keys.push(("solver-cpu-time".to_owned(), cpu.to_string()));
        keys.push(("solver-wall-time".to_owned(), wall.to_string()));
    }
    keys
}

fn is_in_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

/// Whether a line contains this text, bounded by whole words.
fn has_words(line: &[u8], words: &[u8]) -> bool {
    line.windows(words.len()).enumerate().any(|(at, part)| {
        let (before, after) = (at.checked_sub(1).map(|at| line[at]), line.get(at + words.len()));
        part == words && !before.is_some_and(|byte| is_in_word(&byte)) && !after.is_some_and(is_in_word)
    })
}

/// Whether a line ends in a whole word.
fn ends_in_word(line: &[u8], word: &[u8]) -> bool {
    line.strip_suffix(word).is_some_and(|before| !before.last().is_some_and(is_in_word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_official_post_processor_matches_whole_words() {
        let wrong = |line: &str| official_incremental(line.as_bytes())[0].1.clone();
        assert_eq!(wrong("1.0/1.0\tWRONG solver response: got sat, expected unsat"), "1");
        assert_eq!(wrong("1.0/1.0\tWRONG solver response: gotcha"), "0");
        assert_eq!(wrong("1.0/1.0\tWRONG solver response: got"), "1");
    }
}
