//! The incremental track: what the trace executor wrote.

use crate::output::unstamped;
use agon_domain::{Answer, Status};

/// How the executors say that an answer is wrong, since 2014 and before.
const WRONG: [&[u8]; 2] = [b"WRONG solver response: got", b"ERROR in solver response: got"];

/// What the official post-processor prints for an executor's output with StarExec's stamps, defects included: a line
/// that happens to end in the word `sat` counts, and without stamps the times are nonsense.
pub fn official_incremental(output: &[u8]) -> Vec<(String, String)> {
    let lines = || output.split(|byte| *byte == b'\n');
    let is_wrong = lines().any(|line| has_words(line, WRONG[0]));
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

/// The same of 2014, when the executor itself counted.
pub fn official_incremental_2014(output: &[u8]) -> Vec<(String, String)> {
    let lines = || output.split(|byte| *byte == b'\n');
    let is_wrong = lines().any(|line| has_words(line, WRONG[0]));
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

/// The same without the official reader's defects: an answer is a line that is one, blanks and carriage returns aside, and
/// each is held against the status of its own query. Answers behind a wrong one do not count, nor does it; nor does
/// anything behind the end of the session, or more than there are queries, where statuses are given (R19-7.1).
pub fn strict_incremental(output: &[u8], expected: &[Status]) -> Vec<(String, String)> {
    let mut correct = 0_u64;
    let mut is_wrong = false;
    let mut queries = 0;
    let mut last: Option<&[u8]> = None;
    for line in output.split(|byte| *byte == b'\n') {
        let text = unstamped(line);
        let answer = match text.trim_ascii() {
            b"sat" => Answer::Sat,
            b"unsat" => Answer::Unsat,
            b"unknown" => Answer::Unknown,
            other if WRONG.iter().any(|start| other.starts_with(start)) => {
                is_wrong = true;
                last = Some(line);
                break;
            }
            // What follows is what the solver said, not what it was asked for.
            other if other.starts_with(b"BAD ") => break,
            _ => continue,
        };
        if !expected.is_empty() && queries == expected.len() {
            break;
        }
        let status = expected.get(queries).copied().unwrap_or(Status::Unknown);
        queries += 1;
        if answer == Answer::Unknown {
            continue;
        }
        last = Some(line);
        if answer.contradicts(status) {
            is_wrong = true;
            break;
        }
        correct += 1;
    }
    let mut keys = vec![
        ("wrong-answers".to_owned(), u8::from(is_wrong).to_string()),
        ("correct-answers".to_owned(), if is_wrong { 0 } else { correct }.to_string()),
    ];
    if let Some(line) = last
        && unstamped(line).len() < line.len()
    {
        let stamp = String::from_utf8_lossy(line).split('\t').next().unwrap_or_default().to_owned();
        if let Some((cpu, wall)) = stamp.split_once('/') {
            keys.extend([
                ("solver-cpu-time".to_owned(), cpu.to_owned()),
                ("solver-wall-time".to_owned(), wall.to_owned()),
            ]);
        }
    }
    keys
}

fn is_in_word(byte: &u8) -> bool {
    byte.is_ascii_alphanumeric() || *byte == b'_'
}

/// Whether a line has these words in it, whole.
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
    fn the_official_reader_looks_for_whole_words() {
        let wrong = |line: &str| official_incremental(line.as_bytes())[0].1.clone();
        assert_eq!(wrong("1.0/1.0\tWRONG solver response: got sat, expected unsat"), "1");
        assert_eq!(wrong("1.0/1.0\tWRONG solver response: gotcha"), "0");
        assert_eq!(wrong("1.0/1.0\tWRONG solver response: got"), "1");
    }
}
