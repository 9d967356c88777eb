//! Where a solver's answers begin and end.

/// Takes a solver's output apart into answers: a line, or a list in parentheses over as many lines as it has.
///
/// The official executor takes lines. An error message with a line break in it then looks like two answers, and all that
/// follows is out of step.
#[derive(Debug, Default)]
pub(crate) struct Responses {
    /// What came and is not part of a whole answer yet.
    text: Vec<u8>,
    /// How much of it was looked at, and what was found there.
    at: usize,
    state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    /// Blanks before an answer.
    #[default]
    Before,
    /// In an answer that ends with its line.
    Line,
    /// In so many parentheses.
    List(u64),
    /// In a string, a quoted symbol or a comment in so many parentheses.
    String(u64),
    Quoted(u64),
    Comment(u64),
}

impl Responses {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
    }

    /// The answer, if these bytes are one whole line and nothing else was there.
    pub(crate) fn only_line<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        let (last, line) = bytes.split_last()?;
        let is_one = *last == b'\n' && self.text.is_empty() && !line.contains(&b'\n') && !line.contains(&b'(');
        Some(line.trim_ascii()).filter(|line| is_one && !line.is_empty())
    }

    /// The next whole answer, trimmed.
    pub(crate) fn next(&mut self) -> Option<Vec<u8>> {
        if self.state == State::Before {
            let blanks = self.text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            self.text.drain(..blanks);
            self.at = 0;
        }
        while let Some(byte) = self.text.get(self.at).copied() {
            self.at += 1;
            let (state, ends) = match (self.state, byte) {
                (State::Before, b'(') => (State::List(1), false),
                (State::Line, b'\n') | (State::List(1), b')') => (State::Before, true),
                (State::Before | State::Line, _) => (State::Line, false),
                (State::List(depth), b')') => (State::List(depth - 1), false),
                (State::List(depth), b'(') => (State::List(depth + 1), false),
                (State::List(depth), b'"') => (State::String(depth), false),
                (State::List(depth), b'|') => (State::Quoted(depth), false),
                (State::List(depth), b';') => (State::Comment(depth), false),
                (State::String(depth), b'"') | (State::Quoted(depth), b'|') | (State::Comment(depth), b'\n') => {
                    (State::List(depth), false)
                }
                (state, _) => (state, false),
            };
            self.state = state;
            if ends {
                let answer: Vec<u8> = self.text.drain(..self.at).collect();
                self.at = 0;
                return Some(answer.trim_ascii().to_vec());
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_lines_or_lists_however_they_arrive() {
        let text = b"\n success \r\nsat\n(error \"a\nb ) \"\" (\")\n\n(x |)| ; )\n)unknown\nha";
        let expected: [&[u8]; 5] = [b"success", b"sat", b"(error \"a\nb ) \"\" (\")", b"(x |)| ; )\n)", b"unknown"];
        for step in [1, 2, 7, 100] {
            let mut responses = Responses::default();
            let mut found = vec![];
            for part in text.chunks(step) {
                responses.add(part);
                found.extend(std::iter::from_fn(|| responses.next()));
            }
            assert_eq!(found, expected);
        }
    }
}
