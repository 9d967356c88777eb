//! Solver output as the post-processors see it: lines, with or without StarExec's time stamps.

use agon_domain::{Limit, split_stamp};

/// Whether an output may be incomplete.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Completeness {
    /// The output is everything that the solver wrote.
    #[default]
    Complete,
    /// A limit ended the run, so the output may be cut off.
    MayBeCut,
}

impl Completeness {
    /// The completeness of the output of a run, given the limit that ended it, if any.
    pub const fn of(limit: Option<Limit>) -> Self {
        if limit.is_some() { Self::MayBeCut } else { Self::Complete }
    }
}

/// A line without StarExec's time stamp.
pub(crate) fn unstamped(line: &[u8]) -> &[u8] {
    split_stamp(line).1
}

/// The lines of an output, without stamps and line ends.
pub(crate) fn lines(output: &[u8]) -> impl Iterator<Item = &[u8]> {
    let output = output.strip_suffix(b"\n").unwrap_or(output);
    output.split(|byte| *byte == b'\n').map(unstamped)
}

/// Whether a trimmed line is not blank, not `success` and not a comment.
pub(crate) fn says_something(line: &[u8]) -> bool {
    !(line.is_empty() || line == b"success" || line.starts_with(b";"))
}

/// Splits an output into the answer and the rest. The answer is the first line that is not blank, not `success` and not
/// a comment, trimmed. The rest has no stamps, no `success` at its start and end, and no end mark of StarExec.
pub(crate) fn answer_and_rest(output: &[u8]) -> (Option<&[u8]>, Vec<u8>) {
    let mut lines = lines(output);
    let answer = lines.by_ref().map(<[u8]>::trim_ascii).find(|line| says_something(line));
    let mut rest = vec![];
    // Only at the start and the end: between other lines, `success` may be part of a string.
    for line in lines.skip_while(|line| matches!(line.trim_ascii(), b"success" | b"")) {
        rest.extend_from_slice(line);
        rest.push(b'\n');
    }
    for word in [&b"EOF"[..], b"success"] {
        while let Some(before) = rest.trim_ascii_end().strip_suffix(word)
            && (before.is_empty() || before.ends_with(b"\n"))
        {
            rest.truncate(before.len());
        }
    }
    (answer, rest)
}

/// Whether a solver reports that it has no model or core: `(error …)`, or `unsupported` on a line of its own.
pub(crate) fn is_refusal(text: &[u8]) -> bool {
    let first_line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let is_error = text.strip_prefix(b"(").is_some_and(|rest| rest.trim_ascii_start().starts_with(b"error"));
    is_error || first_line.trim_ascii() == b"unsupported"
}
