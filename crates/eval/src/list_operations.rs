//! Operations on strings and sequences: lists of characters or of values.
//!
//! As in the standard, any integer is a valid position. Positions outside the list select nothing.

use std::ops::Range;

/// The length limit of lists. A few replacements can produce more than fits in any memory.
pub(crate) const LONGEST: usize = 1 << 27;

/// The range of `(str.substr s i n)`: at most `n` characters from `i` on; empty if `i` or `n` is out of range.
pub(crate) fn part(length: usize, from: Option<usize>, count: Option<usize>) -> Range<usize> {
    match (from, count) {
        (Some(from), Some(count)) if from < length => from..length.min(from.saturating_add(count)),
        _ => 0..0,
    }
}

/// The first position at or after `from` where `inner` occurs in `outer`.
pub(crate) fn find<T: PartialEq>(outer: &[T], inner: &[T], from: usize) -> Option<usize> {
    if from > outer.len() || inner.len() > outer.len() - from {
        return None;
    }
    if inner.is_empty() {
        return Some(from);
    }
    // The Knuth-Morris-Pratt algorithm, which is linear in the worst case.
    let mut back = vec![0; inner.len()];
    let mut matched = 0;
    for at in 1..inner.len() {
        while matched > 0 && inner[at] != inner[matched] {
            matched = back[matched - 1];
        }
        matched += usize::from(inner[at] == inner[matched]);
        back[at] = matched;
    }
    matched = 0;
    for (at, letter) in outer.iter().enumerate().skip(from) {
        while matched > 0 && *letter != inner[matched] {
            matched = back[matched - 1];
        }
        matched += usize::from(*letter == inner[matched]);
        if matched == inner.len() {
            return Some(at + 1 - inner.len());
        }
    }
    None
}

/// The list with the first occurrence replaced; an empty pattern occurs at the start.
pub(crate) fn replace<T: PartialEq + Copy>(outer: &[T], inner: &[T], new: &[T]) -> Vec<T> {
    match find(outer, inner, 0) {
        Some(at) => [&outer[..at], new, &outer[at + inner.len()..]].concat(),
        None => outer.to_vec(),
    }
}

/// The list with all occurrences replaced, from the left; an empty pattern changes nothing. `None` if it becomes too
/// long.
pub(crate) fn replace_all<T: PartialEq + Copy>(outer: &[T], inner: &[T], new: &[T]) -> Option<Vec<T>> {
    if inner.is_empty() {
        return Some(outer.to_vec());
    }
    let mut result = vec![];
    let mut from = 0;
    while let Some(at) = find(outer, inner, from) {
        result.extend_from_slice(&outer[from..at]);
        result.extend_from_slice(new);
        from = at + inner.len();
        if result.len() > LONGEST {
            return None;
        }
    }
    result.extend_from_slice(&outer[from..]);
    Some(result)
}

/// The list with elements overwritten from a position on. Its length does not change.
pub(crate) fn update<T: Copy>(outer: &[T], at: Option<usize>, new: &[T]) -> Vec<T> {
    let mut result = outer.to_vec();
    if let Some(at) = at.filter(|at| *at < outer.len()) {
        let count = new.len().min(outer.len() - at);
        result[at..at + count].copy_from_slice(&new[..count]);
    }
    result
}

/// The characters of a string literal, given the text between the quotes, with `""` for a quote and the theory's
/// escapes. `None` if it contains characters that the theory does not have.
pub(crate) fn letters(text: &[u8]) -> Option<Vec<u32>> {
    let text = std::str::from_utf8(text).ok()?.replace("\"\"", "\"");
    let characters: Vec<char> = text.chars().collect();
    let mut found = vec![];
    let mut at = 0;
    while at < characters.len() {
        match escape(&characters[at..]) {
            Some((letter, length)) => {
                found.push(letter);
                at += length;
            }
            None => {
                found.push(characters[at] as u32);
                at += 1;
            }
        }
    }
    found.iter().all(|letter| *letter <= HIGHEST).then_some(found)
}

/// The highest code point of the theory.
pub(crate) const HIGHEST: u32 = 0x2_FFFF;

/// The code point and length of an escape sequence: `\uABCD`, or `\u{A}` to `\u{2ABCD}`.
fn escape(text: &[char]) -> Option<(u32, usize)> {
    let value = |digits: &[char]| {
        let text: String = digits.iter().collect();
        u32::from_str_radix(&text, 16).ok().filter(|_| digits.iter().all(char::is_ascii_hexdigit))
    };
    if text.first() != Some(&'\\') || text.get(1) != Some(&'u') {
        return None;
    }
    if text.get(2) == Some(&'{') {
        let length = text[3..].iter().take(6).position(|c| *c == '}').filter(|length| (1..=5).contains(length))?;
        let letter = value(&text[3..3 + length]).filter(|letter| *letter <= HIGHEST)?;
        return Some((letter, length + 4));
    }
    value(text.get(2..6)?).map(|letter| (letter, 6))
}

/// A string as an SMT-LIB literal, truncated if it is long.
pub(crate) fn quoted(letters: &[u32]) -> String {
    let mut text = String::from('"');
    for letter in letters.iter().take(300) {
        match letter {
            0x22 => text.push_str("\"\""),
            0x20..=0x7e if *letter != 0x5c => text.extend(char::from_u32(*letter)),
            _ => text.push_str(&format!("\\u{{{letter:x}}}")),
        }
    }
    text.push('"');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_escapes_of_the_theory_are_decoded() {
        let read = |text: &str| letters(text.as_bytes()).unwrap();
        assert_eq!(letters(b"\xff"), None);
        assert_eq!(letters("\u{30000}".as_bytes()), None);
        assert_eq!(read("a\"\"b"), [97, 34, 98]);
        assert_eq!(read(r"\u0041\u{41}\u{2FFFF}"), [65, 65, 0x2ffff]);
        assert_eq!(read(r"\u{30000}").len(), 9);
        assert_eq!(read(r"\u{}").len(), 4);
        assert_eq!(read(r"\u{123456}").len(), 10);
        assert_eq!(read(r"\x41\u004").len(), 9);
        assert_eq!(read("é"), [0xe9]);
    }

    #[test]
    fn find_agrees_with_a_naive_search() {
        let text = b"abaababaabaababaababa";
        for length in 0..6 {
            for start in 0..text.len() - length {
                let inner = &text[start..start + length];
                for from in 0..=text.len() + 1 {
                    let plain = (from..=text.len()).find(|at| text[*at..].starts_with(inner));
                    assert_eq!(find(text, inner, from), plain);
                }
            }
        }
        assert_eq!(replace_all(b"aaaa", b"aa", b"b").unwrap(), b"bb");
        assert_eq!(replace(b"abc", b"", b"x"), b"xabc");
    }
}
