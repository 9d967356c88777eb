//! Reads the answer in the output of a single-query run, as the official post-processor does.

use agon_domain::Answer;

/// The answer is the first line that is not blank, not `success` and not a comment; `None` where that line is
/// something else or there is none. What follows it does not matter: a solver that says `unknown` and then `sat`
/// has said `unknown`.
///
/// R08-3.5, R19-5.10 (`success` is ignored), R19-5.22.
pub fn single_answer(output: &[u8]) -> Option<Answer> {
    let line = output
        .split(|byte| *byte == b'\n')
        .map(|line| unstamped(line).trim_ascii())
        .find(|line| !(line.is_empty() || *line == b"success" || line.starts_with(b";")))?;
    match line {
        b"sat" => Some(Answer::Sat),
        b"unsat" => Some(Answer::Unsat),
        b"unknown" => Some(Answer::Unknown),
        _ => None,
    }
}

/// The line without StarExec's time stamp `CPU/WALL` and a tab before it. The digits may be missing, and the wall
/// time may have any one character for its point: so says the official expression.
fn unstamped(line: &[u8]) -> &[u8] {
    let digits_around = |text: &[u8], is_point: fn(u8) -> bool| {
        let all_digits = |part: &[u8]| part.iter().all(u8::is_ascii_digit);
        (0..text.len()).any(|at| is_point(text[at]) && all_digits(&text[..at]) && all_digits(&text[at + 1..]))
    };
    let Some(tab) = line.iter().position(|byte| *byte == b'\t') else { return line };
    let stamp = &line[..tab];
    match stamp.iter().position(|byte| *byte == b'/') {
        Some(slash)
            if digits_around(&stamp[..slash], |byte| byte == b'.') && digits_around(&stamp[slash + 1..], |_| true) =>
        {
            &line[tab + 1..]
        }
        _ => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn r19_5_22_the_first_line_that_says_something_is_the_answer() {
        for (output, answer) in [
            ("sat\n", Some(Answer::Sat)),
            ("unsat", Some(Answer::Unsat)),
            ("unknown\nsat\n", Some(Answer::Unknown)),
            ("unsat\nsat\n", Some(Answer::Unsat)),
            ("; comment\n\n  ; more\nsuccess\n success \r\nsat\r\n", Some(Answer::Sat)),
            ("(error \"line 3\")\nsat\n", None),
            ("c warning\nsat\n", None),
            ("Sat\n", None),
            ("sat unsat\n", None),
            ("unsa", None),
            ("timeout\n", None),
            ("", None),
            ("\n\n", None),
        ] {
            assert_eq!(single_answer(output.as_bytes()), answer, "{output:?}");
        }
    }

    #[test]
    fn starexec_stamps_are_taken_off_once() {
        assert_eq!(single_answer(b"0.00/0.01\tsuccess\n0.01/0.02\tsat\n0.02/0.03\tEOF\n"), Some(Answer::Sat));
        assert_eq!(single_answer(b"0.01/0.02\tEOF\n"), None);
        assert_eq!(single_answer(b"0.01/0.02 sat\n"), None);
        assert_eq!(single_answer(b"0.0/0.0\t0.0/0.0\tsat\n"), None);
    }

    #[test]
    fn bytes_that_are_no_text_are_no_answer() {
        assert_eq!(single_answer(&[0xff, 0xfe, b'\n', b's', b'a', b't']), None);
        assert_eq!(single_answer(&vec![0; 100_000]), None);
    }
}
