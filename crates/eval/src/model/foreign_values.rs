//! Replaces notations for values that are not SMT-LIB terms by names that the checker can parse: roots of polynomials,
//! some of which are not even SMT-LIB tokens, and functions as arrays.

use crate::model::{ModelFault, lossy};
use crate::root::Root;
use rustc_hash::FxHashMap;
use std::ops::Range;

/// The name that replaces a root in the text.
pub(crate) fn root_name(number: usize) -> String {
    format!("@agon.root.{number}")
}

/// The lists that begin with `word`, from parenthesis to parenthesis. Strings, quoted symbols and comments are skipped.
fn lists_of(text: &[u8], word: &[u8]) -> Vec<Range<usize>> {
    let mut found = vec![];
    if memchr::memmem::find(text, word).is_none() {
        return found;
    }
    // The depth and the offset at which the list being collected began.
    let mut under_way: Option<(usize, usize)> = None;
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b'"' | b'|' | b';' => {
                let end = if *byte == b';' { b'\n' } else { *byte };
                at += 1 + memchr::memchr(end, &text[at + 1..]).unwrap_or(text.len());
            }
            b'(' => {
                depth += 1;
                let inside = text[at + 1..].trim_ascii_start();
                let ends =
                    |rest: &[u8]| rest.first().is_none_or(|byte| byte.is_ascii_whitespace() || b"()".contains(byte));
                if under_way.is_none() && inside.strip_prefix(word).is_some_and(ends) {
                    under_way = Some((depth, at));
                }
            }
            b')' => {
                if let Some((_, start)) = under_way.filter(|(own, _)| *own == depth) {
                    found.push(start..at + 1);
                    under_way = None;
                }
                depth = depth.saturating_sub(1);
            }
            _ => {}
        }
        at += 1;
    }
    found
}

/// Replaces each root of a polynomial by a name. Returns the text and the roots.
pub(crate) fn without_roots(text: &[u8]) -> Result<(Vec<u8>, Vec<Root>), ModelFault> {
    let mut found: Vec<(Range<usize>, Option<Root>)> = vec![];
    let words: [&[u8]; 4] =
        [b"root-obj", b"root-of-with-ordering", b"root-of-with-enclosure", b"root-of-with-interval"];
    for word in words {
        for range in lists_of(text, word) {
            let root = Root::read(&text[range.start + 1..range.end - 1]);
            found.push((range, root));
        }
    }
    for range in lists_of(text, b"_ real_algebraic_number") {
        let inside = &text[range.clone()];
        let open = inside.iter().position(|byte| *byte == b'<');
        let close = inside.iter().rposition(|byte| *byte == b'>');
        let root = open.zip(close).filter(|(a, b)| a < b).and_then(|(a, b)| Root::read_angles(&inside[a + 1..b]));
        found.push((range, root));
    }
    found.sort_unstable_by_key(|(range, _)| range.start);
    let mut result = Vec::with_capacity(text.len());
    let (mut roots, mut from) = (vec![], 0);
    for (range, root) in found {
        if range.start < from {
            continue;
        }
        let Some(root) = root else {
            return Err(ModelFault::Unsupported(lossy(&text[range.start..range.end.min(range.start + 200)])));
        };
        result.extend_from_slice(&text[from..range.start]);
        result.extend_from_slice(root_name(roots.len()).as_bytes());
        roots.push(root);
        from = range.end;
    }
    result.extend_from_slice(&text[from..]);
    Ok((result, roots))
}

/// Replaces each `(_ as-array f)` by a name. Returns the text and the names of the functions.
pub(crate) fn without_as_array(text: &[u8]) -> (Vec<u8>, Vec<Vec<u8>>) {
    let mut result = Vec::with_capacity(text.len());
    let (mut functions, mut from): (Vec<Vec<u8>>, usize) = (vec![], 0);
    let mut numbers: FxHashMap<&[u8], usize> = FxHashMap::default();
    for place in lists_of(text, b"_ as-array") {
        let inside = text[place.start + 1..place.end - 1].trim_ascii();
        let name = inside.strip_prefix(b"_ as-array").unwrap_or_default().trim_ascii();
        let name = name.strip_prefix(b"|").and_then(|name| name.strip_suffix(b"|")).unwrap_or(name);
        let number = *numbers.entry(name).or_insert_with(|| {
            functions.push(name.to_vec());
            functions.len() - 1
        });
        result.extend_from_slice(&text[from..place.start]);
        result.extend_from_slice(array_name(number).as_bytes());
        from = place.end;
    }
    result.extend_from_slice(&text[from..]);
    (result, functions)
}

/// The name that replaces a function used as an array in the text.
pub(crate) fn array_name(number: usize) -> String {
    format!("@agon.array.{number}")
}
