//! The names of assertions in unsat cores and in scripts.

use crate::keywords as w;
use crate::tokens::Tokens;
use crate::tree::{Node, NodeKind, Tree};
use agon_smtlib::{Lexer, Token};
use std::collections::BTreeSet;

/// The names in a solver's output `unsat (name …)`, split at whitespace as in the official tool. `None` if the text
/// has another form.
pub fn core_names(text: &[u8]) -> Option<BTreeSet<Vec<u8>>> {
    let mut words = text.split(|byte| byte.is_ascii_whitespace() || *byte == 0x0b).filter(|word| !word.is_empty());
    if words.next() != Some(b"unsat") {
        return None;
    }
    let mut first = words.next()?.strip_prefix(b"(")?;
    let mut names = BTreeSet::new();
    // If no word follows the parenthesis, the official tool uses the previous word again, which is `unsat`.
    if first.is_empty() {
        match words.next() {
            Some(word) => first = word,
            None => return Some(BTreeSet::from([b"unsat".to_vec()])),
        }
    }
    for word in std::iter::once(first).chain(words) {
        match word.strip_suffix(b")") {
            Some(last) => {
                if !last.is_empty() {
                    names.insert(last.to_vec());
                }
                break;
            }
            None => _ = names.insert(word.to_vec()),
        }
    }
    Some(names)
}

/// The names in a solver's output `unsat (name …)`, parsed as SMT-LIB symbols: a quoted symbol may contain spaces.
/// `None` if the text has another form.
pub fn core_symbols(text: &[u8]) -> Option<BTreeSet<Vec<u8>>> {
    let mut lexer = Lexer::new(text);
    let mut next = || lexer.next_token().ok().flatten().map(|(_, token)| token);
    if (next()?, next()?) != (Token::Symbol(b"unsat"), Token::Open) {
        return None;
    }
    let mut names = BTreeSet::new();
    loop {
        match next()? {
            Token::Symbol(name) | Token::Quoted(name) => _ = names.insert(name.to_vec()),
            Token::Close => return Some(names),
            _ => return None,
        }
    }
}

/// The name of an assertion `(assert (! term :named name))`.
pub(crate) fn whole_label(tree: &Tree, assertion: Node) -> Option<Node> {
    let term = *tree.items(assertion).get(1)?;
    let parts = tree.items(term);
    let is_annotation = parts.first() == Some(&Node::word(w::BANG));
    let pair = parts.windows(2).find(|pair| is_annotation && pair[0] == Node::word(w::NAMED))?;
    Some(pair[1])
}

/// The name that the official tool uses for an assertion: the first label that it finds when it searches the term from
/// its end. In an annotation it takes labels before those in the term, and does not search patterns.
pub(crate) fn label(tree: &Tree, assertion: Node) -> Option<Node> {
    labels(tree, assertion).next()
}

/// All labels in an assertion, in the order in which the official tool finds them; see [`label`].
pub(crate) fn labels(tree: &Tree, assertion: Node) -> impl Iterator<Item = Node> {
    let mut stack = vec![assertion];
    let mut found: Vec<Node> = vec![];
    std::iter::from_fn(move || {
        while found.is_empty() {
            let items = tree.items(stack.pop()?);
            if items.first() == Some(&Node::word(w::BANG)) {
                let named = items.windows(2).filter(|pair| pair[0] == Node::word(w::NAMED));
                found.extend(named.map(|pair| pair[1]).rev());
                stack.push(items[1]);
            } else {
                stack.extend_from_slice(items);
            }
        }
        found.pop()
    })
}

/// A label as it is written in the script, with bars if it is quoted.
pub(crate) fn written(tokens: &Tokens<'_>, label: Node) -> Vec<u8> {
    match label.kind() {
        NodeKind::Text { start, len } => tokens.script_at(start as usize..start as usize + len as usize).to_vec(),
        NodeKind::Name { symbol, quoted: true, .. } => [b"|", tokens.spelling(symbol), b"|"].concat(),
        NodeKind::Name { symbol, .. } => tokens.spelling(symbol).to_vec(),
        _ => vec![],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Option<Vec<String>> {
        let names = core_names(text.as_bytes())?;
        Some(names.into_iter().map(|name| String::from_utf8(name).unwrap()).collect())
    }

    #[test]
    fn cores_are_parsed_as_solvers_print_them() {
        assert_eq!(names("unsat\n(b a\n b)\n(c)"), Some(vec!["a".into(), "b".into()]));
        assert_eq!(names("unsat ( )"), Some(vec![]));
        assert_eq!(names("unsat ()"), Some(vec![]));
        assert_eq!(names("unsat (a"), Some(vec!["a".into()]));
        assert_eq!(names("unsat ("), Some(vec!["unsat".into()]));
        assert_eq!(names("unsat(a)"), None);
        assert_eq!(names("sat (a)"), None);
        assert_eq!(names("unsat a"), None);
        assert_eq!(names(""), None);
        let symbols = core_symbols(b"unsat\n(a |b c| |a|)").unwrap();
        assert_eq!(symbols, BTreeSet::from([b"a".to_vec(), b"b c".to_vec()]));
        assert_eq!(core_symbols(b"unsat (a"), None);
    }
}
