//! Splits a solver's output into answers.

/// Splits a solver's output into answers, one for each nonblank line.
///
/// A session continues only after one-line answers, so it never has to wait for the end of a list or a string, which
/// may never arrive.
#[derive(Debug, Default)]
pub(crate) struct Responses {
    /// Output that is not part of a complete answer yet.
    text: Vec<u8>,
    /// The number of bytes of `text` that were already searched for a line end.
    at: usize,
}

/// The maximum length of a valid answer. A longer line is returned without waiting for its end.
const LONGEST: usize = 1 << 16;

impl Responses {
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.text.extend_from_slice(bytes);
    }

    /// The answer, if these bytes are exactly one line and nothing else is pending.
    pub(crate) fn only_line<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        let (last, line) = bytes.split_last()?;
        let is_one = *last == b'\n' && self.text.is_empty() && !line.contains(&b'\n');
        Some(line.trim_ascii()).filter(|line| is_one && !line.is_empty())
    }

    /// The next complete answer, trimmed.
    pub(crate) fn next(&mut self) -> Option<Vec<u8>> {
        loop {
            let end = self.text[self.at..].iter().position(|byte| *byte == b'\n').map(|end| self.at + end + 1);
            let end = end.or_else(|| (self.text.len() > LONGEST).then_some(self.text.len()));
            let Some(end) = end else {
                self.at = self.text.len();
                return None;
            };
            let line: Vec<u8> = self.text.drain(..end).collect();
            self.at = 0;
            let line = line.trim_ascii();
            if !line.is_empty() {
                return Some(line.to_vec());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_lines_in_whatever_pieces_they_arrive() {
        let text = b"\n success \r\nsat\n(error \"a\nb \\\" (\")\n\nunknown\nha";
        let expected: [&[u8]; 5] = [b"success", b"sat", b"(error \"a", b"b \\\" (\")", b"unknown"];
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

    #[test]
    fn an_endless_line_is_not_waited_for() {
        let mut responses = Responses::default();
        responses.add(&vec![b'x'; LONGEST]);
        assert_eq!(responses.next(), None);
        responses.add(b"x");
        assert_eq!(responses.next().map(|line| line.len()), Some(LONGEST + 1));
    }
}
