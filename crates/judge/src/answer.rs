//! Reads the answer in the output of a single-query run, as the official post-processor does.

use crate::output::{says_something, unstamped};
use agon_domain::Answer;

/// The answer of a run: the first line that is not blank, not `success` and not a comment. `None` if there is no such
/// line, or it is not an answer. Later lines do not matter: a solver that prints `unknown` and then `sat` has answered
/// `unknown`.
///
/// R08-3.5, R19-5.10 (`success` is ignored), R19-5.22.
pub fn single_answer(output: &[u8]) -> Option<Answer> {
    let line = output
        .split(|byte| *byte == b'\n')
        .map(|line| unstamped(line).trim_ascii())
        .find(|line| says_something(line))?;
    Answer::read(line)
}

/// Like [`single_answer`], but `None` if the output has both `sat` and `unsat` on lines of their own. The official
/// post-processor trusts the first line.
pub fn strict_answer(output: &[u8]) -> Option<Answer> {
    let says = |word: &[u8]| output.split(|byte| *byte == b'\n').any(|line| unstamped(line).trim_ascii() == word);
    single_answer(output).filter(|answer| !(answer.is_definite() && says(b"sat") && says(b"unsat")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_answers_do_not_contradict_themselves() {
        assert_eq!(strict_answer(b"sat\nunsat\n"), None);
        assert_eq!(strict_answer(b"sat\nsat\n"), Some(Answer::Sat));
        assert_eq!(strict_answer(b"unknown\nsat\n"), Some(Answer::Unknown));
    }

    #[test]
    fn r08_3_5_and_r19_5_22_the_first_meaningful_line_is_the_answer() {
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
    fn starexec_stamps_are_removed_once() {
        assert_eq!(single_answer(b"0.00/0.01\tsuccess\n0.01/0.02\tsat\n0.02/0.03\tEOF\n"), Some(Answer::Sat));
        assert_eq!(single_answer(b"0.01/0.02\tEOF\n"), None);
        assert_eq!(single_answer(b"0.01/0.02 sat\n"), None);
        assert_eq!(single_answer(b"0.0/0.0\t0.0/0.0\tsat\n"), None);
    }

    #[test]
    fn binary_output_is_not_an_answer() {
        assert_eq!(single_answer(&[0xff, 0xfe, b'\n', b's', b'a', b't']), None);
        assert_eq!(single_answer(&vec![0; 100_000]), None);
    }
}
