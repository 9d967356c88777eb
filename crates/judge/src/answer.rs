//! Reads the answer in the output of a single-query run, as the official post-processor does.

use crate::output::{says_something, unstamped};
use agon_domain::{Answer, AnswerWords};

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

/// The answer of a solver that may have words of its own: that of the first line that contains one of them as a whole word.
/// Of several words in a line, the first counts. Without such a line, it is the [`single_answer`].
pub fn answer_in_words(output: &[u8], words: &AnswerWords) -> Option<Answer> {
    let of_line = |line: &[u8]| {
        let found = words.all().filter_map(|(answer, word)| Some((word_in(line, word.as_bytes())?, answer)));
        found.min_by_key(|(at, _)| *at).map(|(_, answer)| answer)
    };
    let lines = output.split(|byte| *byte == b'\n').map(unstamped);
    let own = if words.is_empty() { None } else { lines.map(of_line).find_map(|answer| answer) };
    own.or_else(|| single_answer(output))
}

/// The position of a word in a line, without letters or digits around it.
fn word_in(line: &[u8], word: &[u8]) -> Option<usize> {
    let is_part = |at: Option<usize>| at.and_then(|at| line.get(at)).is_some_and(u8::is_ascii_alphanumeric);
    let is_whole = |at: &usize| !is_part(at.checked_sub(1)) && !is_part(Some(at + word.len()));
    memchr::memmem::find_iter(line, word).find(is_whole)
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
    fn solvers_may_have_words_of_their_own() {
        let list = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        let words = AnswerWords { sat: list(&["Fail", "Invalid"]), unsat: list(&["Valid"]), unknown: list(&["Exc"]) };
        for (output, answer) in [
            ("Entail 1: Valid.\n", Some(Answer::Unsat)),
            ("reading\nEntail 1: Fail. (cex)\nEntail 2: Valid.\n", Some(Answer::Sat)),
            ("InValid\n", None),
            ("Invalid, not Valid\n", Some(Answer::Sat)),
            ("Validity check\nExc: Not_found\n", Some(Answer::Unknown)),
            ("unsat\n", Some(Answer::Unsat)),
            ("", None),
        ] {
            assert_eq!(answer_in_words(output.as_bytes(), &words), answer, "{output:?}");
            assert_eq!(answer_in_words(output.as_bytes(), &AnswerWords::default()), single_answer(output.as_bytes()));
        }
        assert_eq!(words.ambiguous(), None);
        assert_eq!(AnswerWords { sat: list(&["Valid"]), ..words }.ambiguous(), Some("Valid"));
    }

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
