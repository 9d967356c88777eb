//! Parses the cells of tables: answers, statuses, times, names and numbers.

use agon_domain::{Answer, End, Status, Time};

/// How a run ended, in StarExec's terms.
pub(crate) fn end(word: &[u8]) -> Option<End> {
    match word {
        b"complete" | b"post-processor error" | b"run script error" => Some(End::Complete),
        b"memout" => Some(End::Memout),
        b"timeout" => Some(End::Timeout),
        _ if word.starts_with(b"timeout (") => Some(End::Timeout),
        _ => None,
    }
}

/// The answer of a solver, in StarExec's terms.
fn answer_word(word: &[u8]) -> Option<Answer> {
    match word {
        b"starexec-unknown" | b"--" | b"-" | b"" => Some(Answer::Unknown),
        _ if is_failure(word) => Some(Answer::Unknown),
        _ => Answer::read(word),
    }
}

/// Whether the cloud track's tables use this word for a run without an answer.
pub(crate) fn is_failure(word: &[u8]) -> bool {
    let words: [&[u8]; 6] = [b"unknown", b"timeout", b"error", b"failure", b"crashed", b"parse_error"];
    words.iter().any(|failure| word.eq_ignore_ascii_case(failure))
}

/// The status of a benchmark, in StarExec's terms.
fn status_word(word: &[u8]) -> Option<Status> {
    match word {
        b"starexec-unknown" | b"--" | b"-" | b"" => Some(Status::Unknown),
        _ => Status::read(word),
    }
}

/// The answer in a cell.
pub(crate) fn answer(cell: &[u8]) -> Result<Answer, String> {
    answer_word(cell).ok_or_else(|| format!("unknown result '{}'", shown(cell)))
}

/// The status in a cell.
pub(crate) fn status(cell: &[u8]) -> Result<Status, String> {
    status_word(cell).ok_or_else(|| format!("unknown status '{}'", shown(cell)))
}

/// The time in a cell, or `None` if it was not measured (-1).
pub(crate) fn time(cell: &[u8], what: &str) -> Result<Option<Time>, String> {
    let is_absent = |text: &str| text.parse() == Ok(-1.0);
    if cell.first() == Some(&b'-') && std::str::from_utf8(cell).is_ok_and(is_absent) {
        return Ok(None);
    }
    seconds(cell).map(Some).map_err(|problem| format!("the {what} '{}' {problem}", shown(cell)))
}

/// A cell for a message, truncated if it is long.
pub(crate) fn shown(cell: &[u8]) -> String {
    let text = String::from_utf8_lossy(&cell[..cell.len().min(60)]).into_owned();
    // A terminal would interpret control characters.
    text.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

/// A benchmark's path from its logic on, without the directories that lists may have before it.
pub(crate) fn from_logic(cell: &[u8]) -> Box<str> {
    let path = String::from_utf8_lossy(cell);
    agon_domain::from_logic(&path).into()
}

/// `yes` or `no` in a cell, or `None` if it is empty.
pub(crate) fn yes_or_no(cell: &[u8], column: &str) -> Result<Option<bool>, String> {
    match cell {
        b"yes" => Ok(Some(true)),
        b"no" => Ok(Some(false)),
        b"" => Ok(None),
        other => Err(format!("{column} must be yes or no, not '{}'", shown(other))),
    }
}

/// The longest time that is accepted, in seconds: about thirty years.
pub(crate) const LONGEST: f64 = 1e9;

/// Parses a time in seconds, to the nanosecond.
pub(crate) fn seconds(word: &[u8]) -> Result<Time, &'static str> {
    const MESSAGE: &str = "is not a time in seconds";
    if word.first() == Some(&b'-') {
        return Err(if word.len() > 1 { "is negative" } else { MESSAGE });
    }
    let (whole, fraction) = match word.iter().position(|byte| *byte == b'.') {
        Some(at) => (&word[..at], &word[at + 1..]),
        None => (word, &word[..0]),
    };
    let is_plain = !whole.is_empty() && whole.len() <= 9 && whole.iter().chain(fraction).all(u8::is_ascii_digit);
    if !is_plain {
        // Some programs write small and large numbers as 1.2E-5.
        let value: f64 = std::str::from_utf8(word).ok().and_then(|word| word.parse().ok()).ok_or(MESSAGE)?;
        return if (0.0..=LONGEST).contains(&value) { Ok(Time::from_secs_f64(value)) } else { Err(MESSAGE) };
    }
    let mut nanos = whole.iter().fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
    for at in 0..9 {
        nanos = nanos * 10 + fraction.get(at).map_or(0, |digit| u64::from(digit - b'0'));
    }
    let rounds_up = fraction.get(9).is_some_and(|digit| *digit >= b'5');
    Ok(Time::from_nanos(nanos + u64::from(rounds_up)))
}

/// The name in a cell: of a solver, a configuration or a logic.
pub(crate) fn name(cell: &[u8], what: &str) -> Result<String, String> {
    let text = std::str::from_utf8(cell).map_err(|_| format!("the name of the {what} is not UTF-8"))?.trim();
    if text.is_empty() || has_control(text) {
        return Err(format!("the name of the {what} is empty or has control characters"));
    }
    Ok(text.to_owned())
}

/// The path of a benchmark in a cell.
pub(crate) fn path(cell: &[u8]) -> Result<&str, String> {
    let path = std::str::from_utf8(cell).map_err(|_| "the benchmark is not UTF-8".to_owned())?;
    if path.is_empty() || has_control(path) {
        return Err("the path of the benchmark is empty or has control characters".to_owned());
    }
    Ok(path)
}

fn has_control(text: &str) -> bool {
    // A quick test first: in UTF-8 all control characters are below 0x20, are 0x7f, or begin with 0xc2.
    text.bytes().any(|byte| byte < 0x20 || byte == 0x7f || byte == 0xc2) && text.chars().any(char::is_control)
}

/// Parses a whole number.
pub(crate) fn number(word: &[u8]) -> Option<u64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_parsed_exactly_and_other_text_is_rejected() {
        assert_eq!(seconds(b"0.0777469"), Ok(Time::from_nanos(77_746_900)));
        assert_eq!(seconds(b"2400"), Ok(Time::from_secs(2400)));
        assert_eq!(seconds(b"106.72840843605809"), Ok(Time::from_nanos(106_728_408_436)));
        assert_eq!(seconds(b"1.5E-3"), Ok(Time::from_nanos(1_500_000)));
        for word in ["", "-", "-1", "1,5", "nan", "inf", "1.2.3", "0x10", "--"] {
            assert!(seconds(word.as_bytes()).is_err(), "{word}");
        }
    }

    #[test]
    fn minus_one_means_not_measured() {
        assert_eq!(time(b"-1", "CPU time"), Ok(None));
        assert_eq!(time(b"-1.0", "CPU time"), Ok(None));
        assert_eq!(time(b"1.5", "CPU time"), Ok(Some(Time::from_nanos(1_500_000_000))));
        assert_eq!(time(b"-2", "CPU time"), Err("the CPU time '-2' is negative".to_owned()));
    }
}
