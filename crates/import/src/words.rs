//! The words and numbers in the cells of tables.

use agon_domain::{Answer, Status, Time};
use agon_score::End;

/// How a run ended, by StarExec's word for it.
pub(crate) fn end(word: &[u8]) -> Option<End> {
    match word {
        b"complete" | b"post-processor error" | b"run script error" => Some(End::Complete),
        b"memout" => Some(End::Memout),
        b"timeout" => Some(End::Timeout),
        _ if word.starts_with(b"timeout (") => Some(End::Timeout),
        _ => None,
    }
}

/// What a solver answered.
pub(crate) fn answer(word: &[u8]) -> Option<Answer> {
    match word {
        b"sat" => Some(Answer::Sat),
        b"unsat" => Some(Answer::Unsat),
        b"starexec-unknown" | b"--" | b"-" | b"" => Some(Answer::Unknown),
        _ if is_failure(word) => Some(Answer::Unknown),
        _ => None,
    }
}

/// Whether it is a word of the cloud's tables for a run without an answer.
pub(crate) fn is_failure(word: &[u8]) -> bool {
    let words: [&[u8]; 6] = [b"unknown", b"timeout", b"error", b"failure", b"crashed", b"parse_error"];
    words.iter().any(|failure| word.eq_ignore_ascii_case(failure))
}

/// What is known of a benchmark.
pub(crate) fn status(word: &[u8]) -> Option<Status> {
    answer(word).filter(|_| word == b"unknown" || !is_failure(word))
}

/// No run took longer than thirty years.
pub(crate) const LONGEST: f64 = 1e9;

/// Seconds, to the nanosecond.
pub(crate) fn seconds(word: &[u8]) -> Result<Time, &'static str> {
    const MESSAGE: &str = "is no time in seconds";
    if word.first() == Some(&b'-') {
        return Err(if word.len() > 1 { "is a negative time" } else { "is no time" });
    }
    let (whole, fraction) = match word.iter().position(|byte| *byte == b'.') {
        Some(at) => (&word[..at], &word[at + 1..]),
        None => (word, &word[..0]),
    };
    let is_plain = !whole.is_empty() && whole.len() <= 9 && whole.iter().chain(fraction).all(u8::is_ascii_digit);
    if !is_plain {
        // As some programs write small and large ones: 1.2E-5.
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

/// Whether a text can be a solver's name.
pub(crate) fn is_name(text: &str) -> bool {
    !text.is_empty() && !text.chars().any(char::is_control)
}

/// A whole number.
pub(crate) fn number(word: &[u8]) -> Option<u64> {
    std::str::from_utf8(word).ok()?.parse().ok()
}

/// The logic in a benchmark's path, and the path from there. Folders above it are names of StarExec's spaces.
pub(crate) fn logic(path: &str) -> Option<(&str, &str)> {
    let mut rest = path.trim_start_matches("./");
    for _ in 0..3 {
        let Some((folder, below)) = rest.split_once('/') else { break };
        let is_logic = folder.bytes().any(|byte| byte.is_ascii_uppercase())
            && folder.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || b"_+".contains(&byte));
        if is_logic {
            return Some((folder, rest));
        }
        rest = below;
    }
    let path = path.trim_start_matches("./");
    // SL-COMP's divisions are in small letters, and are one word.
    let is_word = |folder: &str| folder.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_+-".contains(&byte));
    path.split_once('/').map(|(folder, _)| (folder, path)).filter(|(folder, _)| is_word(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_exact_and_nothing_else_is_seconds() {
        assert_eq!(seconds(b"0.0777469"), Ok(Time::from_nanos(77_746_900)));
        assert_eq!(seconds(b"2400"), Ok(Time::from_secs(2400)));
        assert_eq!(seconds(b"106.72840843605809"), Ok(Time::from_nanos(106_728_408_436)));
        assert_eq!(seconds(b"1.5E-3"), Ok(Time::from_nanos(1_500_000)));
        for word in ["", "-", "-1", "1,5", "nan", "inf", "1.2.3", "0x10", "--"] {
            assert!(seconds(word.as_bytes()).is_err(), "{word}");
        }
    }

    #[test]
    fn the_logic_is_below_the_space() {
        assert_eq!(logic("Competition - Unsat Core Track/QF_BV/x/a.smt2"), Some(("QF_BV", "QF_BV/x/a.smt2")));
        assert_eq!(logic("./UF/a/b.smt2"), Some(("UF", "UF/a/b.smt2")));
        assert_eq!(logic("qf_shls_entl/a.smt2"), Some(("qf_shls_entl", "qf_shls_entl/a.smt2")));
        assert_eq!(logic("a.smt2"), None);
        assert_eq!(logic("Some space/a.smt2"), None);
    }
}
